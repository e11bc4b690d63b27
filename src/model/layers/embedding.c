/* Embedding: rows of a table by their numbers. */
#include "model/layers/support.h"
#include "ops/unary.h"
#include "ops/where.h"

typedef struct embedding_config {
  snug__layer_common common;
  int64_t input_dim, output_dim;
  LAYER_WEIGHT_MEMBERS(embeddings);
  bool mask_zero;
} embedding_config;

static const snug__field fields[] = {SNUG__LAYER_FIELDS,
                                     SNUG_FIELD(embedding_config, input_dim, INT, NULL),
                                     SNUG_FIELD(embedding_config, output_dim, INT, NULL),
                                     LAYER_WEIGHT_FIELDS(embedding_config, embeddings, "uniform"),
                                     SNUG_FIELD(embedding_config, mask_zero, BOOL, "false"),
                                     {0}};

static snug_status call(snug__layer_call *c) {
  const embedding_config *k = c->config;
  snug__weight_spec spec = LAYER_WEIGHT_SPEC(k, embeddings, "embeddings");
  snug__id table = SNUG_NONE;
  snug__id words = c->in[0];
  SNUG_TRY(snug__layer_need_int(c, "input_dim", k->input_dim, 1));
  SNUG_TRY(snug__layer_need_int(c, "output_dim", k->output_dim, 1));
  if (k->mask_zero) {
    snug__not_equal_params zero = {0.0};
    SNUG_TRY(SNUG_EMIT(c->b->g, not_equal, &zero, &c->mask, c->in[0]));
  }
  SNUG_TRY(snug__layer_weight(
      c, &spec, snug__type_of(c->b->real, 2, (const int64_t[]){k->input_dim, k->output_dim}),
      &table));
  if (snug__dtype_is_real(snug__layer_type(c, words)->dtype)) { /* Keras casts, too */
    SNUG_TRY(SNUG_EMIT(c->b->g, cast, &(const snug__cast_params){SNUG_INT32}, &words, words));
  }
  return SNUG_EMIT(c->b->g, embedding, NULL, &c->out, table, words);
}

LAYER_CLASS(Embedding, embedding_config, fields, 1, 1, call, .masking = SNUG__MASK_OWN);
