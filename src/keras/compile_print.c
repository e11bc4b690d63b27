#include "keras/compile_print.h"

#include <stdio.h>
#include <string.h>

#include "keras/json_print.h"
#include "model/metric_kind.h"
#include "model/optimizer_kind.h"

double snug__keras_learning_rate(const snug_model *m) {
  double given = m->training->optimizer.o.learning_rate;
  float rate = (float)snug_model_learning_rate(m);
  return m->real == SNUG_FLOAT64 && (float)given == rate ? given : (double)rate;
}

/* ---- optimizer ---- */

static bool is_one_of(const char *name, const char *const *list) {
  while (*list && strcmp(name, *list) != 0) {
    list++;
  }
  return *list != NULL;
}

/* Steps are whole numbers in Keras, lists are lists also of one, and no target is null. */
static snug_status print_schedule_field(const snug__field *f, const snug__schedule_options *o,
                                        snug__text *out) {
  static const char *const whole[] = {"decay_steps", "first_decay_steps", "warmup_steps", NULL};
  const void *m = (const char *)o + f->offset;
  bool is_list = f->kind == SNUG__FIELD_FLOATS;
  if (is_one_of(f->name, whole)) {
    return snug__json_print_number(*(const double *)m, out);
  }
  if (!is_list || ((const snug_floats *)m)->n != 1) {
    return snug__json_print_field(f, o, out);
  }
  SNUG_TRY(snug__text_add(out, "["));
  SNUG_TRY(snug__json_print_field(f, o, out));
  return snug__text_add(out, "]");
}

static snug_status print_schedule(const snug__schedule *s, snug__text *out) {
  const snug__named *named = (const snug__named *)s->kind; /* every kind begins with one */
  bool first = true;
  SNUG_TRY(snug__json_print_open("keras.optimizers.schedules", named->names, out));
  for (const snug__field *f = named->fields; f->name; f++) {
    bool is_default = false;
    SNUG_TRY(snug__json_is_default(out->chars.ctx, f, &s->o, &is_default));
    if (!is_default) {
      SNUG_TRY(snug__json_print_key(f->name, &first, out));
      SNUG_TRY(print_schedule_field(f, &s->o, out));
    }
  }
  SNUG_TRY(snug__json_print_close(NULL, out));
  return snug__text_add(out, "}");
}

static snug_status print_rate(const snug_model *m, snug__text *out) {
  const snug__schedule *s = &m->training->optimizer.schedule;
  return s->kind ? print_schedule(s, out)
                 : snug__json_print_float(snug__keras_learning_rate(m), out);
}

/* Whether an option is 0 that Keras calls None. */
static bool is_none(const snug__optimizer *o, const snug__field *f) {
  static const char *const names[] = {
      "clipnorm", "clipvalue", "global_clipnorm", "loss_scale_factor", "adam_weight_decay",
      "rms_rate", NULL};
  const void *m = (const char *)&o->o + f->offset;
  bool is_decay = strcmp(f->name, "weight_decay") == 0;
  bool needs_decay = strncmp(o->kind->named.names, "AdamW", 5) == 0;
  return (is_one_of(f->name, names) || (is_decay && !needs_decay)) && *(const double *)m == 0.0;
}

/* Whole numbers that are 0 unless they were asked for; old versions do not know all of them. */
static bool is_left_out(const snug__optimizer *o, const snug__field *f) {
  return f->kind == SNUG__FIELD_INT && strcmp(f->initial, "0") == 0 &&
         *(const int64_t *)((const char *)&o->o + f->offset) == 0;
}

/* Words with commas between them are a list in Keras. */
static snug_status print_words(const char *words, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "["));
  for (const char *at = words; *at;) {
    char one[SNUG__NAME_BYTES];
    size_t n = strcspn(at, ", ");
    snprintf(one, sizeof one, "%.*s", (int)n, at);
    if (n && at > words) {
      SNUG_TRY(snug__text_add(out, ", "));
    }
    if (n) {
      SNUG_TRY(snug__json_print_text(one, out));
    }
    at += n + (at[n] != 0);
  }
  return snug__text_add(out, "]");
}

static snug_status print_option(const snug_model *m, const snug__field *f, snug__text *out) {
  const snug__optimizer *o = &m->training->optimizer;
  char name[SNUG__NAME_BYTES];
  if (strcmp(f->name, "learning_rate") == 0) {
    return print_rate(m, out);
  }
  if (strcmp(f->name, "name") == 0 && !o->o.name[0]) {
    snug__layer_snake_case(o->kind->named.names, name);
    return snug__json_print_text(name, out);
  }
  if (strcmp(f->name, "exclude_layers") == 0) {
    return print_words(o->o.exclude_layers, out);
  }
  return is_none(o, f) ? snug__text_add(out, "null") : snug__json_print_field(f, &o->o, out);
}

static snug_status print_optimizer(const snug_model *m, snug__text *out) {
  const snug__optimizer *o = &m->training->optimizer;
  bool first = true;
  SNUG_TRY(snug__json_print_open("keras.optimizers", o->kind->named.names, out));
  for (const snug__field *f = o->kind->named.fields; f->name; f++) {
    if (!is_left_out(o, f)) {
      SNUG_TRY(snug__json_print_key(f->name, &first, out));
      SNUG_TRY(print_option(m, f, out));
    }
  }
  SNUG_TRY(snug__json_print_close(NULL, out));
  return snug__text_add(out, "}");
}

/* ---- losses ---- */

static snug_status has_options(snug_ctx *ctx, const snug__named *named, const void *options,
                               bool *out) {
  *out = false;
  for (const snug__field *f = named->fields; f && f->name && !*out; f++) {
    bool is_default = true;
    SNUG_TRY(snug__json_is_default(ctx, f, options, &is_default));
    *out = !is_default;
  }
  return SNUG_OK;
}

static const snug__named *loss_kind(const snug__loss *l) {
  return (const snug__named *)l->kind; /* every kind begins with one */
}

/* A name where that says all, else an object; some names are younger than their class. */
static snug_status print_loss(const snug__loss *l, snug__text *out) {
  static const char *const young[] = {"binary_focal_crossentropy", "categorical_focal_crossentropy",
                                      NULL};
  char name[SNUG__NAME_BYTES];
  bool needs_object = false;
  snug__loss_name(l, name);
  SNUG_TRY(has_options(out->chars.ctx, loss_kind(l), &l->o, &needs_object));
  if (!needs_object && !is_one_of(name, young)) {
    return snug__json_print_text(name, out);
  }
  if (strcmp(name, "crossentropy") == 0) {
    return snug__fail(out->chars.ctx, SNUG_E_UNSUPPORTED,
                      "Keras keeps no options of the loss 'crossentropy'; compile with "
                      "sparse_categorical_crossentropy, categorical_crossentropy or "
                      "binary_crossentropy to save the model");
  }
  return snug__json_print_named("keras.losses", loss_kind(l), &l->o, out);
}

static snug_status print_losses(const snug_model *m, snug__text *out) {
  const snug__training *t = m->training;
  size_t n = m->outputs.n;
  SNUG_TRY(snug__text_add(out, "%s", n > 1 ? "[" : ""));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? ", " : ""));
    SNUG_TRY(print_loss(&t->losses[i], out));
  }
  return snug__text_add(out, "%s", n > 1 ? "]" : "");
}

static snug_status print_loss_weights(const snug_model *m, snug__text *out) {
  const double *weights = m->training->loss_weights;
  size_t n = m->outputs.n;
  bool are_one = true;
  for (size_t i = 0; i < n; i++) {
    are_one = are_one && weights[i] == 1.0;
  }
  if (are_one) {
    return snug__text_add(out, "null");
  }
  SNUG_TRY(snug__text_add(out, "%s", n > 1 ? "[" : ""));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? ", " : ""));
    SNUG_TRY(snug__json_print_float(weights[i], out));
  }
  return snug__text_add(out, "%s", n > 1 ? "]" : "");
}

/* ---- metrics ---- */

/* A metric as Keras knows it: its kind and options, those of a loss if it is the mean of one. */
typedef struct keras_metric {
  const snug__named *named;
  snug__metric_options o;
  snug__loss_options of_loss;
  const void *options; /* one of the two */
  char *name;          /* in them */
  bool is_loss;
} keras_metric;

static void read_metric(const snug__metric *x, keras_metric *k) {
  *k = (keras_metric){.o = x->o, .of_loss = x->loss.o};
  k->is_loss = strcmp(x->kind->named.names, "loss") == 0;
  k->named = k->is_loss ? loss_kind(&x->loss) : &x->kind->named;
  k->options = k->is_loss ? (const void *)&k->of_loss : (const void *)&k->o;
  k->name = k->is_loss ? k->of_loss.name : k->o.name;
}

/* Whether Keras finds a metric by this name: the kind's own, its class, or a short form. */
static bool is_name_of(const snug__named *named, const char *name) {
  static const char *const short_forms[] = {"acc", "mse", "mae", "mape", "msle", "bce", NULL};
  char own[SNUG__NAME_BYTES];
  char class_name[SNUG__NAME_BYTES];
  snug__named_own(named, own);
  snug__json_class_name(own, class_name);
  return strcmp(own, name) == 0 || strcmp(class_name, name) == 0 || is_one_of(name, short_forms);
}

/* Losses of which Keras has no metric. */
static snug_status check_metric(snug_ctx *ctx, const keras_metric *k, bool needs_object) {
  static const char *const only_losses[] = {"huber huber_loss",
                                            "log_cosh",
                                            "binary_focal_crossentropy",
                                            "categorical_focal_crossentropy",
                                            "dice",
                                            "tversky",
                                            "crossentropy ce",
                                            NULL};
  char own[SNUG__NAME_BYTES];
  snug__named_own(k->named, own);
  if (k->is_loss && is_one_of(k->named->names, only_losses)) {
    return snug__fail(ctx, SNUG_E_UNSUPPORTED,
                      "Keras has no metric '%s'; compile without it to save the model", own);
  }
  if (needs_object && strcmp(own, "accuracy") == 0) {
    return snug__fail(ctx, SNUG_E_UNSUPPORTED,
                      "Keras keeps no name of the metric 'accuracy'; name it with its kind, e.g. "
                      "sparse_categorical_accuracy(name=...), to save the model");
  }
  return SNUG_OK;
}

static snug_status print_metric(const snug__metric *x, snug__text *out) {
  keras_metric k;
  bool needs_object = false;
  read_metric(x, &k);
  SNUG_TRY(has_options(out->chars.ctx, k.named, k.options, &needs_object));
  needs_object = needs_object || !is_name_of(k.named, x->name);
  SNUG_TRY(check_metric(out->chars.ctx, &k, needs_object));
  if (!needs_object) {
    return snug__json_print_text(x->name, out);
  }
  memcpy(k.name, x->name, SNUG__NAME_BYTES);
  return snug__json_print_named("keras.metrics", k.named, k.options, out);
}

/* The metrics of one output, as a list. */
static snug_status print_for_output(const snug__training *t, int32_t output, bool weighted,
                                    snug__text *out) {
  bool first = true;
  SNUG_TRY(snug__text_add(out, "["));
  for (size_t i = 0; i < t->tracked.n; i++) {
    const snug__tracked *x = &SNUG_VEC(&t->tracked, snug__tracked, i);
    if (!x->of_loss && x->weighted == weighted && x->output == output) {
      SNUG_TRY(snug__text_add(out, "%s", first ? "" : ", "));
      SNUG_TRY(print_metric(&x->metric, out));
      first = false;
    }
  }
  return snug__text_add(out, "]");
}

static bool has_metrics(const snug__training *t, bool weighted) {
  for (size_t i = 0; i < t->tracked.n; i++) {
    const snug__tracked *x = &SNUG_VEC(&t->tracked, snug__tracked, i);
    if (!x->of_loss && x->weighted == weighted) {
      return true;
    }
  }
  return false;
}

static snug_status print_metrics(const snug_model *m, bool weighted, snug__text *out) {
  size_t n = m->outputs.n;
  if (!has_metrics(m->training, weighted)) {
    return snug__text_add(out, "null");
  }
  SNUG_TRY(snug__text_add(out, "%s", n > 1 ? "[" : ""));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(snug__text_add(out, "%s", i ? ", " : ""));
    SNUG_TRY(print_for_output(m->training, (int32_t)i, weighted, out));
  }
  return snug__text_add(out, "%s", n > 1 ? "]" : "");
}

/* ---- all ---- */

snug_status snug__keras_print_compile(const snug_model *m, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "{\"optimizer\": "));
  SNUG_TRY(print_optimizer(m, out));
  SNUG_TRY(snug__text_add(out, ", \"loss\": "));
  SNUG_TRY(print_losses(m, out));
  SNUG_TRY(snug__text_add(out, ", \"loss_weights\": "));
  SNUG_TRY(print_loss_weights(m, out));
  SNUG_TRY(snug__text_add(out, ", \"metrics\": "));
  SNUG_TRY(print_metrics(m, false, out));
  SNUG_TRY(snug__text_add(out, ", \"weighted_metrics\": "));
  SNUG_TRY(print_metrics(m, true, out));
  return snug__text_add(
      out, ", \"run_eagerly\": false, \"steps_per_execution\": 1, \"jit_compile\": false}");
}
