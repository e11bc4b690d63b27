/* A loss as one scalar: of a batch, or of a micro-batch with the whole batch's divisor. */
#include <string.h>

#include "model/labels.h"
#include "model/loss.h"
#include "ops/loss.h"
#include "ops/regularize.h"
#include "ops/shape.h"
#include "ops/where.h"

/* What is reduced: the values, and what says how much each counts. */
typedef struct reducible {
  snug__id values, weights, valid;
} reducible;

/* Fit weights and mask to the values; where both a mask and `valid` are there, both must hold. */
static snug_status fit(snug__build *b, snug__id mask, reducible *r) {
  SNUG_TRY(snug__fit_weights(b, &r->weights, r->values));
  SNUG_TRY(snug__fit_weights(b, &mask, r->values));
  if (mask != SNUG_NONE && r->valid != SNUG_NONE) {
    return SNUG_EMIT(b->g, where, NULL, &r->valid, mask, r->valid, SNUG_NONE);
  }
  r->valid = mask != SNUG_NONE ? mask : r->valid;
  return SNUG_OK;
}

/* Where divisor is SNUG_NONE, the reduction finds its own. */
static snug_status reduce(snug__build *b, const snug__loss *l, const reducible *r, snug__id divisor,
                          snug__id *scalar) {
  snug__loss_reduce_params p;
  memset(&p, 0, sizeof p);
  p.reduction = l->o.reduction;
  const snug__id in[] = {r->values, r->weights, r->valid, divisor};
  return snug__graph_add(b->g, &snug__op_loss_reduce, &p, in, divisor == SNUG_NONE ? 3 : 4, scalar,
                         1);
}

snug_status snug__loss_emit(snug__build *b, const snug__loss *l, snug__id y_true, snug__id y_pred,
                            snug__id weights, snug__id mask, snug__id *scalar) {
  reducible r = {.weights = weights};
  SNUG_TRY(snug__loss_values(b, l, y_true, y_pred, &r.values, &r.valid));
  SNUG_TRY(fit(b, mask, &r));
  return reduce(b, l, &r, SNUG_NONE, scalar);
}

/* ---- micro-batches ---- */

snug_status snug__loss_emit_micro_batch(snug__build *b, const snug__loss *l, snug__id y_true,
                                        snug__id y_pred, snug__id weights, snug__id mask,
                                        snug__id divisor, snug__id *scalar) {
  reducible r = {.weights = weights};
  SNUG_TRY(snug__loss_values(b, l, y_true, y_pred, &r.values, &r.valid));
  SNUG_TRY(fit(b, mask, &r));
  if (divisor == SNUG_NONE && l->o.reduction != SNUG__SUM) {
    int64_t values = snug__type_count(snug__type_at(b->g, r.values));
    double per_sample = (double)values / (double)b->micro_batch.rows;
    SNUG_TRY(snug__build_per_batch(b, per_sample, false, SNUG_FLOAT64, &divisor));
  }
  return reduce(b, l, &r, divisor, scalar);
}

bool snug__loss_is_counted(const snug__loss *l, bool weighted, bool masked) {
  bool by_weight = l->o.reduction == SNUG__MEAN_WITH_SAMPLE_WEIGHT && weighted;
  bool by_validity = masked || snug__loss_ignored(l) != SNUG__NO_CLASS;
  return l->o.reduction != SNUG__SUM && (by_weight || by_validity);
}

/* Ones in the place of the values, so that their sum is the divisor.  Labels alone tell what is
 * valid: of the predictions only the shape is asked for. */
static snug_status emit_ones(snug__build *b, const snug__loss *l, snug__id y_true, snug__id y_pred,
                             reducible *r) {
  snug__not_equal_params ignored = {(double)snug__loss_ignored(l)};
  snug__fill_params one;
  SNUG_TRY(snug__loss_values(b, l, y_true, y_pred, &r->values, &r->valid));
  snug__type type = *snug__type_at(b->g, r->values);
  memset(&one, 0, sizeof one);
  one.value = 1.0;
  one.dtype = SNUG_FLOAT64;
  one.shape.n = type.rank;
  memcpy(one.shape.v, type.dim, sizeof type.dim);
  if (r->valid != SNUG_NONE) {
    SNUG_TRY(snug__fit_sparse_labels(b, &y_true, y_pred));
    SNUG_TRY(SNUG_EMIT(b->g, not_equal, &ignored, &r->valid, y_true));
  }
  return snug__graph_add(b->g, &snug__op_fill, &one, NULL, 0, &r->values, 1);
}

snug_status snug__loss_emit_divisor(snug__build *b, const snug__loss *l, snug__id y_true,
                                    snug__id y_pred, snug__id weights, snug__id mask,
                                    snug__id *divisor) {
  snug__loss_reduce_params p;
  bool by_weight = l->o.reduction == SNUG__MEAN_WITH_SAMPLE_WEIGHT;
  reducible r = {.weights = by_weight ? weights : SNUG_NONE};
  memset(&p, 0, sizeof p);
  p.reduction = SNUG__SUM;
  SNUG_TRY(emit_ones(b, l, y_true, y_pred, &r));
  SNUG_TRY(fit(b, mask, &r));
  return SNUG_EMIT(b->g, loss_reduce, &p, divisor, r.values, r.weights, r.valid);
}

snug_status snug__regularizer_emit(snug__build *b, snug__id variable, snug__id *scalar) {
  const snug__regularizer *r = &snug__variable_at(b->variables, variable)->regularizer;
  snug__regularize_params p;
  snug__id w = SNUG_NONE;
  *scalar = SNUG_NONE;
  if (r->l1 == 0.0 && r->l2 == 0.0) {
    return SNUG_OK;
  }
  memset(&p, 0, sizeof p);
  p.l1 = r->l1;
  p.l2 = r->l2;
  SNUG_TRY(snug__build_variable(b, variable, &w));
  return SNUG_EMIT(b->g, regularize, &p, scalar, w);
}
