/* What a fit tells that fails nothing: options that have no effect, or another than it seems. */
#include "base/size.h"
#include "train/fit.h"

#define MOST_NAMED 8 /* classes in a note */

/* ---- steps ---- */

/* The epoch, counted from those that this fit trains, that ends where the data do, and its steps;
 * 0: none does.  The others begin where the one before stopped. */
static int64_t first_short(int64_t batches, int64_t steps, int64_t *left) {
  *left = batches % steps;
  return *left ? batches / steps + 1 : 0;
}

static void note_steps(const snug__fit *f) {
  const snug_fit_options *o = &f->options;
  int64_t batches = snug__feed_batches(&f->train);
  int64_t left = 0;
  bool is_known = o->steps_per_epoch && f->train.rows >= 0;
  int64_t epoch = is_known ? first_short(batches, o->steps_per_epoch, &left) : 0;
  if (epoch && epoch <= o->epochs - o->initial_epoch) {
    snug__note(
        f->model->ctx,
        "steps_per_epoch is %lld, and the data have %lld batch%s of %lld: %s %lld ends after "
        "%lld, where they do",
        (long long)o->steps_per_epoch, (long long)batches, batches == 1 ? "" : "es",
        (long long)f->train.batch, o->steps_per_epoch > batches ? "every epoch from" : "epoch",
        (long long)(o->initial_epoch + epoch), (long long)left);
  }
}

/* ---- validation ---- */

static void note_validation(const snug__fit *f) {
  const snug_fit_options *o = &f->options;
  int64_t batches = f->has_validation ? snug__feed_batches(&f->validation) : 0;
  if (o->validation_steps && !f->has_validation) {
    snug__note(f->model->ctx,
               "validation_steps is %lld, and there are no data to validate with: nothing is "
               "validated",
               (long long)o->validation_steps);
  } else if (f->has_validation && o->validation_steps > batches) {
    snug__note(f->model->ctx,
               "validation_steps is %lld, and the validation data have %lld batch%s: it ends with "
               "them",
               (long long)o->validation_steps, (long long)batches, batches == 1 ? "" : "es");
  }
}

/* ---- classes ---- */

/* A weight of 1 changes nothing, whoever has it. */
static bool matters(const snug__feed *t, int64_t class_) { return t->class_weight[class_] != 1.0; }

/* "class 3", "classes 3, 5, 7": those from `first` on that matter and no sample has; their number.
 */
static int64_t list_missing(const snug__feed *t, int64_t first, char *text, size_t bytes) {
  int64_t n = 0;
  size_t at = 0;
  text[0] = '\0';
  for (int64_t i = first; i < t->n_class_weight; i++) {
    if (!matters(t, i) || t->has_class[i]) {
      continue;
    }
    if (n < MOST_NAMED) {
      at += (size_t)snprintf(text + at, bytes - at, "%s%lld", n ? ", " : "", (long long)i);
    } else if (n == MOST_NAMED) {
      snprintf(text + at, bytes - at, ", ...");
    }
    n++;
  }
  return n;
}

/* Labels of one number, or of one per class, are below the size of the output's last axis; of an
 * output of one number they are 0 and 1, or whatever is to be told apart. */
static int64_t classes_of(const snug__fit *f) {
  const snug_model *m = f->model;
  snug_tensor out = SNUG_VEC(&m->outputs, snug_tensor, 0);
  const snug__type *type = &SNUG_VEC(&m->tensors, snug__model_tensor, out).type;
  int64_t last = type->rank > 1 ? type->dim[type->rank - 1] : 1;
  return last > 1 ? last : INT64_MAX;
}

static void note_missing(const snug__fit *f, int64_t first, const char *why) {
  char list[256];
  int64_t n = list_missing(&f->train, first, list, sizeof list);
  if (n) {
    snug__note(f->model->ctx, "class_weight has a weight for class%s %s, %s: %s no effect",
               n == 1 ? "" : "es", list, why, n == 1 ? "it has" : "they have");
  }
}

/* Those that the model cannot have, as it is known before the data are read. */
static void note_beyond(const snug__fit *f, int64_t classes) {
  char why[80];
  snprintf(why, sizeof why, "and the model's output has the classes 0 to %lld",
           (long long)classes - 1);
  note_missing(f, classes, why);
  for (int64_t i = classes; i < f->train.n_class_weight; i++) {
    f->has_class[i] = true; /* told */
  }
}

#define NOT_IN_DATA "and no sample that is trained on has that label"

snug_status snug__fit_note_options(snug__fit *f) {
  note_steps(f);
  note_validation(f);
  if (!f->train.class_weight || !f->model->ctx->note) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(f->model->ctx, SNUG__MEM_DATA, f->train.n_class_weight, &f->has_class));
  f->train.has_class = f->has_class;
  int64_t classes = classes_of(f);
  if (classes < f->train.n_class_weight) {
    note_beyond(f, classes);
  }
  if (snug__feed_see_classes(&f->train)) {
    note_missing(f, 0, NOT_IN_DATA);
    snug__fit_forget_classes(f);
  }
  return SNUG_OK;
}

void snug__fit_note_classes(snug__fit *f) {
  bool is_whole = f->train.rows < 0 || f->at.batch >= snug__feed_batches(&f->train);
  if (f->train.has_class && is_whole) {
    note_missing(f, 0, NOT_IN_DATA);
    f->train.has_class = NULL; /* its bytes are part of the plan until the fit ends */
  }
}

void snug__fit_forget_classes(snug__fit *f) {
  SNUG_GIVE_ARRAY(f->model->ctx, SNUG__MEM_DATA, f->has_class, f->train.n_class_weight);
  f->has_class = NULL;
  f->train.has_class = NULL;
}
