/* The data of a fit: what is trained on, what is held back, and whether they can be read so often.
 */
#include <math.h>

#include "base/size.h"
#include "train/fit.h"

#define SHARE 8 /* of the line, at most, goes to buffers whose size is chosen here */

static const char *name_of(const snug_source *s) { return s->name ? s->name : "data"; }

/* ---- sources that cannot do all ---- */

static snug_status check_length(const snug__fit *f, const snug_data *data, int64_t steps,
                                const char *option) {
  return snug__feed_samples(data) >= 0 || steps
             ? SNUG_OK
             : snug__fail(f->model->ctx, SNUG_E_ARGUMENT,
                          "%s: its number of samples is unknown; set with %s how many batches "
                          "to take",
                          name_of(data->source), option);
}

/* A part of a stream cannot be held back without reading all of it. */
static snug_status check_split(const snug__fit *f, const snug_data *data) {
  const snug_fit_options *o = &f->options;
  const snug_source *s = data->source;
  bool holds_back = o->validation_split > 0.0 && !o->validation_data;
  if (!s || !s->in_order || !(holds_back || (o->validation_data && f->held.of == f->given.of))) {
    return SNUG_OK;
  }
  return snug__fail(f->model->ctx, SNUG_E_ARGUMENT,
                    "%s: is read from front to back, so training and validation cannot share it; "
                    "give data of their own for validation",
                    name_of(s));
}

/* What can be read once must do for all epochs. */
static snug_status check_passes(const snug__fit *f) {
  const snug_source *s = f->train.data->source;
  const snug_fit_options *o = &f->options;
  int64_t batches = snug__feed_batches(&f->train);
  int64_t epochs = snug__max_i64(0, o->epochs - o->initial_epoch);
  int64_t steps = 0;
  bool is_known = snug__mul_i64(epochs, f->steps, &steps);
  if (!s || !s->in_order || s->restart || f->train.rows < 0 || (is_known && steps <= batches)) {
    return SNUG_OK;
  }
  return snug__fail(f->model->ctx, SNUG_E_ARGUMENT,
                    "%s: can be read once and has %lld batches; %lld epochs of %lld are asked for",
                    name_of(s), (long long)batches, (long long)epochs, (long long)f->steps);
}

static snug_status check_validation_passes(const snug__fit *f) {
  const snug_source *s = f->has_validation ? f->validation.data->source : NULL;
  int64_t epochs = snug__max_i64(0, f->options.epochs - f->options.initial_epoch);
  return !s || !s->in_order || s->restart || epochs / f->options.validation_freq <= 1
             ? SNUG_OK
             : snug__fail(f->model->ctx, SNUG_E_ARGUMENT,
                          "%s: can be read once, and is to validate %lld times", name_of(s),
                          (long long)(epochs / f->options.validation_freq));
}

/* ---- augmentation ---- */

/* What the options say, or else the layers of the model. */
static snug_status read_augment(snug__fit *f) {
  const snug_model *m = f->model;
  const char **text = &f->options.augment;
  if (!*text && !m->is_augmented) {
    SNUG_TRY(snug_model_augmentation(f->model, text));
  }
  if (*text && m->inputs.n != 1) {
    return snug__fail(m->ctx, SNUG_E_UNSUPPORTED,
                      "augment: is for models of one input; this one has %zu", m->inputs.n);
  }
  snug_tensor input = SNUG_VEC(&m->inputs, snug__model_input, 0).tensor;
  const snug__type *image = &SNUG_VEC(&m->tensors, snug__model_tensor, input).type;
  return snug__augment_create(m->ctx, *text, image, &f->augment);
}

/* ---- feeds ---- */

static int64_t batch_of(int64_t wanted, int64_t rows) {
  return rows < 0 ? wanted : snug__min_i64(wanted, rows);
}

static void set_feeds(snug__fit *f, const snug_data *data, int64_t rows, int64_t held) {
  const snug_fit_options *o = &f->options;
  const snug_data *other = o->validation_data ? o->validation_data : data;
  int64_t trained = rows < 0 ? rows : rows - held;
  f->has_validation = o->validation_data || held > 0;
  f->train = (snug__feed){
      .data = data,
      .rows = trained,
      .batch = batch_of(o->batch_size, trained),
      .augment = f->augment,
      .class_weight = o->class_weight,
      .n_class_weight = o->n_class_weight,
      .shuffled = !o->no_shuffle,
      .order = snug__shuffle_make((uint64_t)snug__max_i64(trained, 1), f->model->seed, 0)};
  if (f->has_validation) {
    int64_t n = o->validation_data ? snug__feed_samples(other) : held;
    f->validation = (snug__feed){.data = other,
                                 .first = o->validation_data ? 0 : rows - held,
                                 .rows = n,
                                 .batch = batch_of(o->validation_batch_size, n)};
  }
  f->steps = o->steps_per_epoch ? o->steps_per_epoch : snug__feed_batches(&f->train);
}

static snug_status split(snug__fit *f, const snug_data *data) {
  const snug_fit_options *o = &f->options;
  int64_t rows = snug__feed_samples(data);
  bool holds_back = !o->validation_data && rows > 0;
  int64_t held = holds_back ? rows - (int64_t)floor((double)rows * (1.0 - o->validation_split)) : 0;
  if (rows > 0 && held >= rows) {
    return snug__fail(f->model->ctx, SNUG_E_DATA,
                      "fit: validation_split=%g leaves none of the %lld samples to train on",
                      o->validation_split, (long long)rows);
  }
  set_feeds(f, data, rows, held);
  return SNUG_OK;
}

static int32_t list_feeds(const snug__fit *f, const snug__feed *feeds[SNUG__MOST_FEEDS]) {
  feeds[0] = &f->train;
  feeds[1] = &f->validation;
  return f->has_validation ? 2 : 1;
}

static snug_status open_feeds(snug__fit *f) {
  snug__feed *feeds[SNUG__MOST_FEEDS] = {&f->train, &f->validation};
  return snug__feeds_open(f->model, feeds, f->has_validation ? 2 : 1, true,
                          f->options.memory / SHARE);
}

snug_status snug__fit_open_feeds(snug__fit *f, const snug_data *data) {
  const snug_fit_options *o = &f->options;
  SNUG_TRY(check_length(f, data, o->steps_per_epoch, "steps_per_epoch"));
  SNUG_TRY(o->validation_data
               ? check_length(f, o->validation_data, o->validation_steps, "validation_steps")
               : SNUG_OK);
  SNUG_TRY(check_split(f, data));
  SNUG_TRY(read_augment(f));
  SNUG_TRY(split(f, data));
  SNUG_TRY(check_passes(f));
  SNUG_TRY(check_validation_passes(f));
  return open_feeds(f);
}

void snug__fit_close_feeds(snug__fit *f) {
  snug__feed *feeds[SNUG__MOST_FEEDS] = {&f->train, &f->validation};
  snug__feeds_close(f->model->ctx, feeds, SNUG__MOST_FEEDS);
}

snug_status snug__fit_fix_window(snug__fit *f, int64_t window) {
  const snug_source *s = f->train.intake.source;
  bool in_order = s && s->in_order && f->train.shuffled;
  if (snug__feed_window(&f->train) == window) {
    return SNUG_OK;
  }
  if (!in_order) {
    return snug__fail(
        f->model->ctx, SNUG_E_STATE,
        "the backup is of a fit whose samples came in order and were shuffled %lld at "
        "a time; now they can be read in any order, because the line has room for "
        "them: set it back, or let the fit go on in another order "
        "(replan of snug_fit_options), or remove the folder to start anew",
        (long long)window);
  }
  snug__fit_close_feeds(f);
  f->train.window = window ? window : f->train.rows;
  return open_feeds(f);
}

void snug__fit_report_feeds(const snug__fit *f, snug_data_report *out) {
  const snug__feed *feeds[SNUG__MOST_FEEDS];
  int32_t n = list_feeds(f, feeds);
  snug__feeds_report(f->model->ctx, feeds, n, out);
}
