#include "model/loss.h"

#include <string.h>

#include "model/labels.h"
#include "model/named.h"
#include "ops/loss.h"
#include "ops/softmax.h"

typedef snug_status emitter(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                            snug__id *values, snug__id *valid);

typedef struct snug__loss_kind {
  snug__named named;
  emitter *emit;
  int32_t pointwise;      /* snug__pointwise_kind, for emit_pointwise */
  const snug__op *behind; /* the op whose input is taken instead of y_pred */
  bool sparse;            /* labels are classes */
  bool fits_labels;       /* labels may have an axis of size 1 more or fewer */
} snug__loss_kind;

/* The input of the op that made y, if that is the wanted op (a softmax: over the last axis). */
static bool find_logits(const snug__build *b, const snug__op *op, snug__id y, snug__id *logits) {
  const snug__value *v = snug__value_at(b->g, y);
  if (!op || v->producer == SNUG_NONE) {
    return false;
  }
  const snug__node *node = snug__node_at(b->g, v->producer);
  if (node->op != op) {
    return false;
  }
  if (op == &snug__op_softmax) {
    int64_t axis = ((const snug__softmax_params *)node->params)->axis;
    if (axis != -1 && axis != v->type.rank - 1) {
      return false;
    }
  }
  *logits = node->in[0];
  return true;
}

/* ---- what each loss emits ---- */

static emitter emit_pointwise, emit_categorical, emit_sparse, emit_any_crossentropy;

static snug_status emit_pointwise(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                                  snug__id *values, snug__id *valid) {
  snug__pointwise_loss_params p;
  (void)valid;
  memset(&p, 0, sizeof p);
  p.kind = l->kind->pointwise;
  p.from_logits = find_logits(b, l->kind->behind, y, &y) || l->o.from_logits;
  p.class_balancing = l->o.apply_class_balancing;
  p.label_smoothing = l->o.label_smoothing;
  p.delta = l->o.delta > 0.0 ? l->o.delta : 1.0;
  p.alpha = l->o.alpha;
  p.gamma = l->o.gamma;
  return SNUG_EMIT(b->g, pointwise_loss, &p, values, t, y);
}

static snug_status emit_categorical(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                                    snug__id *values, snug__id *valid) {
  snug__categorical_crossentropy_params p;
  (void)valid;
  memset(&p, 0, sizeof p);
  p.from_logits = find_logits(b, &snug__op_softmax, y, &y) || l->o.from_logits;
  p.label_smoothing = l->o.label_smoothing;
  return SNUG_EMIT(b->g, categorical_crossentropy, &p, values, t, y);
}

static snug_status emit_sparse(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                               snug__id *values, snug__id *valid) {
  snug__sparse_crossentropy_params p;
  snug__id outs[2] = {SNUG_NONE, SNUG_NONE};
  memset(&p, 0, sizeof p);
  p.from_logits = find_logits(b, &snug__op_softmax, y, &y) || l->o.from_logits;
  p.ignore_class = l->o.ignore_class;
  int32_t n = p.ignore_class == SNUG__NO_CLASS ? 1 : 2;
  const snug__id in[] = {t, y};
  SNUG_TRY(snug__graph_add(b->g, &snug__op_sparse_categorical_crossentropy, &p, in, 2, outs, n));
  *values = outs[0];
  *valid = outs[1];
  return SNUG_OK;
}

static snug_status emit_focal(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                              snug__id *values, snug__id *valid) {
  snug__categorical_focal_params p;
  (void)valid;
  memset(&p, 0, sizeof p);
  p.from_logits = l->o.from_logits;
  p.label_smoothing = l->o.label_smoothing;
  p.alpha = l->o.alpha;
  p.gamma = l->o.gamma;
  return SNUG_EMIT(b->g, categorical_focal_crossentropy, &p, values, t, y);
}

static snug_status emit_hinge(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                              snug__id *values, snug__id *valid) {
  (void)l;
  (void)valid;
  return SNUG_EMIT(b->g, categorical_hinge, NULL, values, t, y);
}

static snug_status emit_cosine(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                               snug__id *values, snug__id *valid) {
  snug__cosine_similarity_params p = {l->o.axis};
  (void)valid;
  return SNUG_EMIT(b->g, cosine_similarity, &p, values, t, y);
}

/* Dice is Tversky with equal parts, but for where the 1e-7 stands. */
static snug_status emit_dice(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                             snug__id *values, snug__id *valid) {
  snug__overlap_loss_params p = {0.5, 0.5, 0.5 * SNUG__KERAS_EPSILON};
  (void)l;
  (void)valid;
  return SNUG_EMIT(b->g, overlap_loss, &p, values, t, y);
}

static snug_status emit_tversky(snug__build *b, const snug__loss *l, snug__id t, snug__id y,
                                snug__id *values, snug__id *valid) {
  snug__overlap_loss_params p = {l->o.alpha, l->o.beta, SNUG__KERAS_EPSILON};
  (void)valid;
  return SNUG_EMIT(b->g, overlap_loss, &p, values, t, y);
}

/* ---- the table ---- */

#define OPTION(member, kind, initial) SNUG_FIELD(snug__loss_options, member, kind, initial)
#define REDUCE \
  SNUG_CHOICE(snug__loss_options, reduction, snug__reduction_texts, "sum_over_batch_size")
#define NAME OPTION(name, TEXT, "\"\"")
#define REDUCTION REDUCE, NAME
#define AXIS OPTION(axis, INT, "-1")
#define FOCUS OPTION(alpha, FLOAT, "0.25"), OPTION(gamma, FLOAT, "2")
#define LOGITS OPTION(from_logits, BOOL, "false")
#define SMOOTHING OPTION(label_smoothing, FLOAT, "0")

/* The order of the fields is that of Keras's arguments. */
static const snug__field plain_fields[] = {REDUCTION, {0}};
static const snug__field huber_fields[] = {OPTION(delta, FLOAT, "1"), REDUCTION, {0}};
#define LAST_AXIS SNUG_FIXED("axis", "-1", "classes are the last axis")
static const snug__field smooth_fields[] = {LOGITS, SMOOTHING, LAST_AXIS, REDUCTION, {0}};
static const snug__field focal_fields[] = {OPTION(apply_class_balancing, BOOL, "false"),
                                           FOCUS,
                                           LOGITS,
                                           SMOOTHING,
                                           LAST_AXIS,
                                           REDUCTION,
                                           {0}};
static const snug__field categorical_focal_fields[] = {FOCUS,     LOGITS,    SMOOTHING,
                                                       LAST_AXIS, REDUCTION, {0}};
static const snug__field sparse_fields[] = {
    LOGITS, OPTION(ignore_class, INT, "-9223372036854775808"), REDUCE, LAST_AXIS, NAME, {0}};
static const snug__field axis_fields[] = {AXIS, REDUCTION, {0}};
#define ALL_AXES SNUG_FIXED("axis", "none", NULL)
static const snug__field dice_fields[] = {REDUCTION, ALL_AXES, {0}};
static const snug__field tversky_fields[] = {
    OPTION(alpha, FLOAT, "0.5"), OPTION(beta, FLOAT, "0.5"), REDUCTION, ALL_AXES, {0}};

#define POINTWISE(name, behind) emit_pointwise, SNUG__POINTWISE_##name, (behind), false, true

static const snug__loss_kind kinds[] = {
    {{"sparse_categorical_crossentropy", sparse_fields}, emit_sparse, 0, NULL, true, false},
    {{"categorical_crossentropy", smooth_fields}, emit_categorical, 0, NULL, false, false},
    {{"binary_crossentropy bce", smooth_fields}, POINTWISE(binary_crossentropy, &snug__op_sigmoid)},
    {{"binary_focal_crossentropy", focal_fields}, POINTWISE(binary_focal_crossentropy, NULL)},
    {{"mean_squared_error mse", plain_fields}, POINTWISE(mean_squared_error, NULL)},
    {{"mean_absolute_error mae", plain_fields}, POINTWISE(mean_absolute_error, NULL)},
    {{"mean_absolute_percentage_error mape", plain_fields},
     POINTWISE(mean_absolute_percentage_error, NULL)},
    {{"mean_squared_logarithmic_error msle", plain_fields},
     POINTWISE(mean_squared_logarithmic_error, NULL)},
    {{"huber huber_loss", huber_fields}, POINTWISE(huber, NULL)},
    {{"log_cosh", plain_fields}, POINTWISE(log_cosh, NULL)},
    {{"kl_divergence kld kullback_leibler_divergence", plain_fields},
     POINTWISE(kl_divergence, NULL)},
    {{"poisson", plain_fields}, POINTWISE(poisson, NULL)},
    {{"hinge", plain_fields}, POINTWISE(hinge, NULL)},
    {{"squared_hinge", plain_fields}, POINTWISE(squared_hinge, NULL)},
    {{"categorical_hinge", plain_fields}, emit_hinge, 0, NULL, false, true},
    {{"categorical_focal_crossentropy", categorical_focal_fields},
     emit_focal,
     0,
     NULL,
     false,
     true},
    {{"cosine_similarity", axis_fields}, emit_cosine, 0, NULL, false, true},
    {{"dice", dice_fields}, emit_dice, 0, NULL, false, true},
    {{"tversky", tversky_fields}, emit_tversky, 0, NULL, false, true},
    {{"crossentropy ce", smooth_fields}, emit_any_crossentropy, 0, NULL, false, false}};
static const snug__named_set set = SNUG_NAMED_SET("loss", NULL, kinds);

const snug__named_set *snug__loss_set(void) { return &set; }

enum { SPARSE, CATEGORICAL, BINARY };

static snug_status check(snug_ctx *ctx, const char *text, const snug__loss *l) {
  const snug__loss_options *o = &l->o;
  if (!(o->label_smoothing >= 0.0 && o->label_smoothing <= 1.0)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "loss '%.100s': label_smoothing must lie in 0 .. 1",
                      text);
  }
  return SNUG_OK;
}

snug_status snug__loss_parse(snug_ctx *ctx, const char *text, snug__loss *out) {
  size_t i = 0;
  SNUG_TRY(snug__named_parse(ctx, &set, NULL, text, &out->o, sizeof out->o, &i));
  out->kind = &kinds[i];
  return check(ctx, text, out);
}

void snug__loss_name(const snug__loss *l, char out[SNUG__NAME_BYTES]) {
  snug__named_own(&l->kind->named, out);
}

/* ---- emission ---- */

static bool has_one_class(const snug__type *y) { return y->rank && y->dim[y->rank - 1] == 1; }

/* "crossentropy": binary for one class, sparse for labels with fewer axes, else categorical. */
static const snug__loss_kind *crossentropy_for(const snug__type *t, const snug__type *y) {
  if (has_one_class(y)) {
    return &kinds[BINARY];
  }
  return t->rank < y->rank || has_one_class(t) ? &kinds[SPARSE] : &kinds[CATEGORICAL];
}

static snug_status emit_any_crossentropy(snug__build *b, const snug__loss *l, snug__id t,
                                         snug__id y, snug__id *values, snug__id *valid) {
  snug__loss chosen = *l;
  chosen.kind = crossentropy_for(snug__type_at(b->g, t), snug__type_at(b->g, y));
  chosen.o.ignore_class = SNUG__NO_CLASS;
  return snug__loss_values(b, &chosen, t, y, values, valid);
}

snug_status snug__loss_target(snug_ctx *ctx, const snug__loss *l, const snug__type *y_pred,
                              snug__type *y_true) {
  char text[SNUG__TYPE_TEXT_BYTES];
  bool sparse =
      l->kind->sparse || (l->kind->emit == emit_any_crossentropy && !has_one_class(y_pred));
  if (y_pred->rank < 1) {
    return snug__fail(ctx, SNUG_E_SHAPE, "a loss of %s: a prediction must have an axis",
                      snug__type_text(y_pred, text));
  }
  *y_true = sparse ? snug__without_last(y_pred, SNUG_INT32) : *y_pred;
  return SNUG_OK;
}

int64_t snug__loss_ignored(const snug__loss *l) {
  return l->kind->sparse ? l->o.ignore_class : SNUG__NO_CLASS;
}

snug_status snug__loss_values(snug__build *b, const snug__loss *l, snug__id y_true, snug__id y_pred,
                              snug__id *values, snug__id *valid) {
  *valid = SNUG_NONE;
  if (l->kind->sparse) {
    SNUG_TRY(snug__fit_sparse_labels(b, &y_true, y_pred));
  } else if (l->kind->fits_labels) {
    SNUG_TRY(snug__fit_labels(b, &y_true, &y_pred));
  }
  return l->kind->emit(b, l, y_true, y_pred, values, valid);
}

snug_status snug__loss_print(const snug__loss *l, snug__text *out) {
  return snug__named_print(&l->kind->named, &l->o, out);
}
