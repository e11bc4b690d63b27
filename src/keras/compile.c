/* compile_config becomes a call of snug_model_compile: optimizer, losses and metrics as texts. */
#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "keras/config_parts.h"
#include "model/metric.h"
#include "train/training.h"

#define TEXT_BYTES 4096 /* longest text of one thing */
#define MOST_METRICS 1024
#define MOST_OUTPUTS 4096

typedef struct compiling {
  snug_model *m;
  const char *file;
  snug__arena arena;
  snug__vec losses, metrics, weighted; /* const char * */
  snug__vec weights;                   /* double */
  snug__text left_out;                 /* names of metrics that there are not */
  const snug_compile_options *changes; /* NULL: all is as the file says */
} compiling;

/* What would take the place of what is refused. */
#define ANOTHER_OPTIMIZER "\ngive optimizer of snug_compile_options"
#define ANOTHER_LOSS "\ngive loss of snug_compile_options"
#define ANOTHER_OF_BOTH "\ngive optimizer and loss of snug_compile_options"
#define OTHER_WEIGHTS "\ngive loss_weights of snug_compile_options"
#define OTHER_METRICS "\ngive metrics of snug_compile_options"

static snug_status fail(const compiling *c, const char *what, const snug__json *j,
                        const char *way_out) {
  char shown[80] = "";
  return snug__fail(c->m->ctx, SNUG_E_UNSUPPORTED, "%s: compile_config: %s %s is not supported%s",
                    c->file, what, snug__json_show(j, shown, sizeof shown), way_out);
}

/* A name or argument that the core does not know is one that it has not. */
static snug_status fail_text(const compiling *c, snug_status s, const char *way_out) {
  char message[SNUG__MESSAGE_BYTES];
  if (s != SNUG_E_ARGUMENT && s != SNUG_E_UNSUPPORTED) {
    return snug__fail_within(c->m->ctx, s, "%s: compile_config", c->file);
  }
  memcpy(message, c->m->ctx->message, sizeof message);
  return snug__fail(c->m->ctx, SNUG_E_UNSUPPORTED, "%s: compile_config: %.700s%s", c->file, message,
                    way_out);
}

static snug_status check_name(const compiling *c, const snug__named_set *set, const char *text,
                              const char *way_out) {
  char name[SNUG__NAME_BYTES];
  snug__named_given(text, name);
  return snug__named_is_known(set, text) ? SNUG_OK
                                         : snug__fail(c->m->ctx, SNUG_E_UNSUPPORTED,
                                                      "%s: compile_config: there is no %s '%s'%s",
                                                      c->file, set->what, name, way_out);
}

static const char *output_name(const compiling *c, size_t i) {
  snug_tensor t = SNUG_VEC(&c->m->outputs, snug_tensor, i);
  return SNUG_VEC(&c->m->tensors, snug__model_tensor, t).name;
}

/* ---- texts ---- */

/* An object, not a dict of such per output. */
static bool is_object(const snug__json *j) {
  return snug__json_is_object(j) && snug__json_text(snug__json_get(j, "class_name"));
}

static bool is_word(const char *key, const char *const *words) {
  while (*words && strcmp(*words, key) != 0) {
    words++;
  }
  return *words;
}

/* Words for what is the default: the last axis, and a mean, which is called so from 3.7 on. */
static bool is_default(const char *key, const snug__json *value) {
  const char *text = snug__json_text(value);
  int64_t axis = 0;
  return (strcmp(key, "axis") == 0 && snug__json_int(value, &axis) && axis == -1) ||
         (strcmp(key, "reduction") == 0 && text && strcmp(text, "mean") == 0);
}

/* What says nothing, or nothing at its default: dtypes, what old files say of how Keras runs. */
static bool is_idle(const char *key, const snug__json *value) {
  static const char *const never[] = {"dtype", "jit_compile", "is_legacy_optimizer", NULL};
  static const char *const unless_set[] = {"from_logits",   "multi_label",    "num_labels",
                                           "label_weights", "top_k",          "class_id",
                                           "decay",         "exclude_layers", NULL};
  return is_word(key, never) || (is_word(key, unless_set) && snug__config_says_nothing(value)) ||
         is_default(key, value);
}

static bool is_idle_or_name(const char *key, const snug__json *value) {
  return strcmp(key, "name") == 0 || is_idle(key, value);
}

/* Keep "before" and the text of a thing in a list. */
static snug_status keep(compiling *c, const char *before, const char *what, const snug__json *j,
                        snug__config_skip *skip, const char *way_out, snug__vec *list) {
  snug__text text;
  const char *kept = NULL;
  snug__text_init(&text, c->m->ctx, TEXT_BYTES);
  snug_status s = snug__text_add(&text, "%s", before);
  s = s ? s : snug__config_named(c->m->ctx, what, j, skip, &text);
  s = s == SNUG_E_UNSUPPORTED || s == SNUG_E_OVERFLOW ? fail(c, what, j, way_out) : s;
  s = s ? s : snug__arena_text(&c->arena, snug__text_get(&text), &kept);
  s = s ? s : snug__vec_push(list, &kept, 1);
  snug__text_release(&text);
  return s;
}

/* ---- losses ---- */

static snug_status add_loss(compiling *c, size_t output, const snug__json *j) {
  const snug__json *config = snug__json_get(j, "config");
  const snug__json *reduction = snug__json_get(config, "reduction");
  if (snug__json_is_null(j)) {
    return snug__fail(c->m->ctx, SNUG_E_UNSUPPORTED,
                      "%s: compile_config: the output '%s' has no loss, which is not supported%s",
                      c->file, output_name(c, output), ANOTHER_LOSS);
  }
  if (reduction && snug__json_is_null(reduction)) {
    return fail(c, "a loss that is not reduced:", j, ANOTHER_LOSS);
  }
  SNUG_TRY(keep(c, "", "the loss", j, is_idle_or_name, ANOTHER_LOSS, &c->losses));
  snug__loss loss;
  const char *text = SNUG_VEC(&c->losses, const char *, c->losses.n - 1);
  SNUG_TRY(check_name(c, snug__loss_set(), text, ANOTHER_LOSS));
  snug_status s = snug__loss_parse(c->m->ctx, text, &loss);
  return s ? fail_text(c, s, ANOTHER_LOSS) : SNUG_OK;
}

/* Of a list, the element of an output; of a dict, the member of its name; else the thing itself. */
static const snug__json *for_output(const compiling *c, const snug__json *j, size_t i) {
  if (snug__json_is_list(j)) {
    return snug__json_at(j, i);
  }
  return snug__json_is_object(j) && !is_object(j) ? snug__json_get(j, output_name(c, i)) : j;
}

static snug_status check_count(const compiling *c, const char *what, const snug__json *j,
                               const char *way_out) {
  bool is_dict = snug__json_is_object(j) && !is_object(j);
  size_t n = snug__json_count(j);
  if ((snug__json_is_list(j) || is_dict) && n != c->m->outputs.n) {
    return snug__fail(c->m->ctx, SNUG_E_UNSUPPORTED,
                      "%s: compile_config: %zu %s for %zu outputs, which is not supported%s",
                      c->file, n, what, c->m->outputs.n, way_out);
  }
  return SNUG_OK;
}

static snug_status read_losses(compiling *c, const snug__json *loss) {
  SNUG_TRY(check_count(c, "losses", loss, ANOTHER_LOSS));
  for (size_t i = 0; i < c->m->outputs.n; i++) {
    SNUG_TRY(add_loss(c, i, for_output(c, loss, i)));
  }
  return SNUG_OK;
}

static snug_status read_weights(compiling *c, const snug__json *weights) {
  for (size_t i = 0; !snug__json_is_null(weights) && i < c->m->outputs.n; i++) {
    const snug__json *one = for_output(c, weights, i);
    double weight = 1.0;
    if (!snug__json_is_null(one) && !snug__json_number(one, &weight)) {
      return fail(c, "the loss weight", one, OTHER_WEIGHTS);
    }
    SNUG_TRY(snug__vec_push(&c->weights, &weight, 1));
  }
  return SNUG_OK;
}

/* ---- metrics ---- */

/* keras.metrics.Accuracy compares predictions with labels as they are; the text "accuracy" is one
 * of three others. */
static bool is_plain_accuracy(const snug__json *j) {
  const char *name = snug__json_text(snug__json_get(j, "class_name"));
  return name && strcmp(name, "Accuracy") == 0;
}

/* What a metric is called, for the warning. */
static const char *metric_name(const snug__json *j) {
  const snug__json *config = snug__json_get(j, "config");
  const char *own = snug__json_text(snug__json_get(config, "name"));
  const char *function = snug__json_text(config);
  const char *text = snug__json_text(j);
  const char *class_name = snug__json_text(snug__json_get(j, "class_name"));
  return own ? own : function ? function : text ? text : class_name ? class_name : "?";
}

/* A metric that there is not is left out: nothing but itself needs it. */
static snug_status keep_metric(compiling *c, const char *before, const snug__json *j,
                               snug__vec *list) {
  size_t n = list->n;
  snug__metric metric;
  snug_status s = is_plain_accuracy(j)
                      ? SNUG_E_UNSUPPORTED
                      : keep(c, before, "the metric", j, is_idle, OTHER_METRICS, list);
  s = s ? s
        : snug__metric_parse(c->m->ctx, SNUG_VEC(list, const char *, n) + strlen(before), &metric);
  if (s != SNUG_E_UNSUPPORTED && s != SNUG_E_ARGUMENT) {
    return s;
  }
  list->n = n;
  return snug__text_add(&c->left_out, "%s%s", c->left_out.chars.n ? ", " : "", metric_name(j));
}

/* A metric, or lists and dicts of such, of one output. */
static snug_status add_metrics(compiling *c, const char *before, const snug__json *j,
                               snug__vec *list) {
  if (snug__json_is_null(j)) {
    return SNUG_OK;
  }
  if (snug__json_text(j) || is_object(j)) {
    return keep_metric(c, before, j, list);
  }
  for (size_t i = 0; snug__json_is_list(j) && i < snug__json_count(j); i++) {
    SNUG_TRY(add_metrics(c, before, snug__json_at(j, i), list));
  }
  for (snug__json_member x = snug__json_first(snug__json_is_object(j) ? j : NULL); x.key;
       x = snug__json_next(j, x)) {
    SNUG_TRY(add_metrics(c, before, x.value, list));
  }
  return SNUG_OK;
}

/* One output has all of them, however they are nested; of several each has its own. */
static snug_status read_metrics(compiling *c, const snug__json *metrics, snug__vec *list) {
  size_t n = c->m->outputs.n;
  if (n == 1 || !snug__json_count(metrics)) {
    return add_metrics(c, "", metrics, list);
  }
  if (snug__json_is_list(metrics)) {
    SNUG_TRY(check_count(c, "entries of metrics", metrics, OTHER_METRICS));
  }
  for (size_t i = 0; i < n; i++) {
    char before[2 * SNUG__NAME_BYTES];
    snprintf(before, sizeof before, "%s: ", output_name(c, i));
    SNUG_TRY(add_metrics(c, before, for_output(c, metrics, i), list));
  }
  return SNUG_OK;
}

/* ---- compile ---- */

/* The optimizer's text is the first of a list of its own. */
static snug_status read_optimizer(compiling *c, const snug__json *j, snug__vec *list) {
  const char *name = snug__json_text(snug__json_get(j, "class_name"));
  if (name && strcmp(name, "LossScaleOptimizer") == 0) {
    return fail(c, "the optimizer (it belongs to mixed precision)", j, ANOTHER_OPTIMIZER);
  }
  SNUG_TRY(keep(c, "", "the optimizer", j, is_idle_or_name, ANOTHER_OPTIMIZER, list));
  snug__optimizer optimizer;
  const char *text = SNUG_VEC(list, const char *, list->n - 1);
  SNUG_TRY(check_name(c, snug__optimizer_set(), text, ANOTHER_OPTIMIZER));
  snug_status s = snug__optimizer_parse(c->m->ctx, text, &optimizer);
  return s ? fail_text(c, s, ANOTHER_OPTIMIZER) : SNUG_OK;
}

/* What the caller gives stands before what the file says. */
static void apply_changes(const snug_compile_options *changes, snug_compile_options *o) {
  o->optimizer = changes->optimizer ? changes->optimizer : o->optimizer;
  o->loss_weights = changes->loss_weights ? changes->loss_weights : o->loss_weights;
  if (changes->loss) {
    o->loss = changes->loss;
    o->n_loss = changes->n_loss;
  }
  if (changes->metrics) {
    o->metrics = changes->metrics;
    o->n_metrics = changes->n_metrics;
  }
  if (changes->weighted_metrics) {
    o->weighted_metrics = changes->weighted_metrics;
    o->n_weighted_metrics = changes->n_weighted_metrics;
  }
}

static bool is_change(const snug_compile_options *c) {
  return c && (c->optimizer || c->loss || c->loss_weights || c->metrics || c->weighted_metrics);
}

static snug_status call_compile(compiling *c, const snug__vec *optimizer) {
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = optimizer->n ? SNUG_VEC(optimizer, const char *, 0) : NULL;
  o.loss = c->losses.data;
  o.n_loss = (int32_t)c->losses.n;
  o.loss_weights = c->weights.n ? c->weights.data : NULL;
  o.metrics = c->metrics.data;
  o.n_metrics = (int32_t)c->metrics.n;
  o.weighted_metrics = c->weighted.data;
  o.n_weighted_metrics = (int32_t)c->weighted.n;
  if (is_change(c->changes)) {
    apply_changes(c->changes, &o);
    return snug_model_compile(c->m, &o);
  }
  snug_status s = snug__model_compile(c->m, &o);
  if (!s) {
    c->m->keras->compiles = c->m->compiles;
    return SNUG_OK;
  }
  return fail_text(c, s, ANOTHER_OF_BOTH);
}

static snug_status compile(compiling *c, const snug__json *config) {
  snug__vec optimizer;
  snug__vec_init(&optimizer, c->m->ctx, SNUG__MEM_SCRATCH, sizeof(const char *), 1);
  static const snug_compile_options none = SNUG_INIT(snug_compile_options);
  const snug_compile_options *given = c->changes ? c->changes : &none;
  const snug__json *j = given->optimizer ? NULL : snug__json_get(config, "optimizer");
  snug_status s = snug__json_is_null(j) ? SNUG_OK : read_optimizer(c, j, &optimizer);
  s = s || given->loss ? s : read_losses(c, snug__json_get(config, "loss"));
  s = s || given->loss_weights ? s : read_weights(c, snug__json_get(config, "loss_weights"));
  if (!s && !given->metrics) {
    s = read_metrics(c, snug__json_get(config, "metrics"), &c->metrics);
  }
  if (!s && !given->weighted_metrics) {
    s = read_metrics(c, snug__json_get(config, "weighted_metrics"), &c->weighted);
  }
  s = s ? s : call_compile(c, &optimizer);
  c->m->left_out = NULL;
  if (!s && c->left_out.chars.n) {
    s = snug__arena_text(&c->m->arena, snug__text_get(&c->left_out), &c->m->left_out);
  }
  snug__vec_release(&optimizer);
  return s;
}

static void init(compiling *c, snug_model *m, const char *file,
                 const snug_compile_options *changes) {
  snug_ctx *ctx = m->ctx;
  c->m = m;
  c->file = file;
  c->changes = changes;
  snug__arena_init(&c->arena, ctx, SNUG__MEM_SCRATCH);
  snug__text_init(&c->left_out, ctx, (size_t)1 << 20);
  snug__vec_init(&c->losses, ctx, SNUG__MEM_SCRATCH, sizeof(const char *), MOST_OUTPUTS);
  snug__vec_init(&c->weights, ctx, SNUG__MEM_SCRATCH, sizeof(double), MOST_OUTPUTS);
  snug__vec_init(&c->metrics, ctx, SNUG__MEM_SCRATCH, sizeof(const char *), MOST_METRICS);
  snug__vec_init(&c->weighted, ctx, SNUG__MEM_SCRATCH, sizeof(const char *), MOST_METRICS);
}

static void release(compiling *c) {
  snug__text_release(&c->left_out);
  snug__vec_release(&c->weighted);
  snug__vec_release(&c->metrics);
  snug__vec_release(&c->weights);
  snug__vec_release(&c->losses);
  snug__arena_release(&c->arena);
}

/* A model that was compiled without a loss cannot be trained; it is as one that was not. */
static snug_status compile_but(snug_model *m, const char *file,
                               const snug_compile_options *changes) {
  compiling c;
  snug__json *root = NULL;
  SNUG_TRY(snug__json_read(m->ctx, file, m->keras->config, m->keras->config_bytes, &root));
  const snug__json *config = snug__json_get(root, "compile_config");
  snug_status s = SNUG_OK;
  if (!snug__json_is_null(snug__json_get(config, "loss"))) {
    init(&c, m, file, changes);
    s = compile(&c, config);
    release(&c);
  } else if (changes && changes->loss) {
    s = snug_model_compile(m, changes);
  }
  snug__json_free(root);
  return s;
}

snug_status snug__keras_compile(snug_model *m, const char *file) {
  return compile_but(m, file, NULL);
}

snug_status snug__keras_try_compile(snug_model *m, const char *file) {
  snug_status s = snug__keras_compile(m, file);
  return s == SNUG_E_UNSUPPORTED ? snug__arena_text(&m->arena, m->ctx->message, &m->uncompiled) : s;
}

const char *snug_model_left_out(const snug_model *m) { return m ? m->left_out : NULL; }

const char *snug_model_uncompiled(const snug_model *m) {
  return m && !m->training ? m->uncompiled : NULL;
}

snug_status snug_model_recompile(snug_model *m, const snug_compile_options *changes) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!m->keras) {
    return snug__fail(m->ctx, SNUG_E_STATE,
                      "recompile: the model is not from a file; snug_model_compile says it all");
  }
  snug_compile_options given;
  SNUG_TRY(SNUG__READ(m->ctx, snug_compile_options, changes, &given));
  return compile_but(m, m->name, &given);
}
