/* What happens at every call of a layer, whatever its class: activity regularizers and masks. */
#include <string.h>

#include "model/initializer.h"
#include "model/layer.h"
#include "ops/regularize.h"
#include "ops/support.h"
#include "ops/unary.h"

/* Divide a term by the batch size. */
static snug_status per_sample(snug__build *b, int64_t rows, snug__id *term) {
  snug__scale_shift_params p = {rows ? 1.0 / (double)rows : 0.0, 0.0};
  snug__id factor = SNUG_NONE;
  if (b->micro_batch.batch == SNUG_NONE) {
    return SNUG_EMIT(b->g, scale_shift, &p, term, *term);
  }
  SNUG_TRY(snug__build_per_batch(b, 1.0, true, snug__type_at(b->g, *term)->dtype, &factor));
  return SNUG_EMIT(b->g, multiply, NULL, term, *term, factor);
}

snug_status snug__layer_penalize(const snug__layer_call *c, snug__id v, double l1, double l2) {
  snug__regularize_params p = {l1, l2};
  int64_t rows = snug__type_at(c->b->g, v)->dim[0];
  snug__id term = SNUG_NONE;
  if (!c->b->has_loss || (l1 == 0.0 && l2 == 0.0)) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, regularize, &p, &term, v));
  if (!c->b->habits.whole_activity) {
    SNUG_TRY(per_sample(c->b, rows, &term));
  }
  return snug__vec_push(&c->b->terms, &term, 1);
}

static snug_status regularize_activity(const snug__layer_call *c) {
  const snug__layer_common *common = c->config;
  snug__regularizer r;
  SNUG_TRY(snug__regularizer_parse(c->b->ctx, c->layer->name, common->activity_regularizer, &r));
  return snug__layer_penalize(c, c->out, r.l1, r.l2);
}

snug_status snug__layer_join_masks(const snug__layer_call *c, snug__id a, snug__id b,
                                   snug__id *out) {
  char first[SNUG__TYPE_TEXT_BYTES];
  char second[SNUG__TYPE_TEXT_BYTES];
  const snug__type *ta = snug__type_at(c->b->g, a);
  const snug__type *tb = snug__type_at(c->b->g, b);
  *out = a;
  if (a == b) {
    return SNUG_OK;
  }
  if (!snug__type_equal(ta, tb)) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: the masks of its inputs, %s and %s, differ",
                      c->layer->name, snug__type_text(ta, first), snug__type_text(tb, second));
  }
  return SNUG_EMIT(c->b->g, where, NULL, out, a, a, b);
}

static snug_status join_masks(snug__layer_call *c) {
  for (int32_t i = 0; i < c->n_in; i++) {
    if (c->masks[i] == SNUG_NONE) {
      c->mask = SNUG_NONE;
      return SNUG_OK;
    }
    c->mask = i ? c->mask : c->masks[0];
    SNUG_TRY(snug__layer_join_masks(c, c->mask, c->masks[i], &c->mask));
  }
  return SNUG_OK;
}

snug_status snug__layer_emit(snug__layer_call *c) {
  snug__masking masking = c->layer->class_->masking;
  snug__id none[SNUG__CALL_INPUTS];
  memset(none, 0xFF, sizeof none);
  if (c->b->habits.merges_unmask && c->layer->class_->max_in > 1) {
    c->masks = none;
  }
  c->config = c->layer->config;
  c->out = c->mask = SNUG_NONE;
  SNUG_TRY(snug__graph_layer(c->b->g, c->layer->name, NULL));
  SNUG_TRY(c->layer->class_->call(c));
  c->mask = masking == SNUG__MASK_PASSES ? c->masks[0] : c->mask;
  SNUG_TRY(masking == SNUG__MASK_JOINS ? join_masks(c) : SNUG_OK);
  return regularize_activity(c);
}
