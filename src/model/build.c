#include "model/build.h"

#include <string.h>

#include "ops/support.h"
#include "ops/unary.h"

snug_status snug__build_open(snug__build *b, snug_ctx *ctx, snug__variables *variables,
                             bool training, snug_dtype real) {
  *b = (snug__build){.ctx = ctx,
                     .variables = variables,
                     .training = training,
                     .real = real,
                     .micro_batch = {SNUG_NONE, SNUG_NONE, 0}};
  snug__vec_init(&b->values, ctx, SNUG__MEM_SCRATCH, sizeof(snug__id), SIZE_MAX / sizeof(snug__id));
  snug__vec_init(&b->terms, ctx, SNUG__MEM_SCRATCH, sizeof(snug__id), SIZE_MAX / sizeof(snug__id));
  return snug__graph_create(ctx, &b->g);
}

void snug__build_close(snug__build *b) {
  snug__graph_destroy(b->g);
  b->g = NULL;
  snug__vec_release(&b->terms);
  snug__vec_release(&b->values);
}

/* Room for every variable known by now; the table may have grown since the last call. */
static snug_status cover(snug__build *b) {
  size_t missing = b->variables->list.n - b->values.n;
  SNUG_TRY(snug__vec_push(&b->values, NULL, missing));
  memset((snug__id *)b->values.data + b->values.n - missing, 0xFF, missing * sizeof(snug__id));
  return SNUG_OK;
}

snug_status snug__build_variable(snug__build *b, snug__id variable, snug__id *out) {
  SNUG_TRY(cover(b));
  snug__id *known = &SNUG_VEC(&b->values, snug__id, variable);
  if (*known == SNUG_NONE) {
    const snug__variable *v = snug__variable_at(b->variables, variable);
    SNUG_TRY(snug__graph_variable(b->g, v->name, v->kind, v->class_, v->type, variable, known));
  }
  *out = *known;
  return SNUG_OK;
}

snug_status snug__build_written(snug__build *b, snug__id variable, snug__id value) {
  SNUG_TRY(cover(b));
  SNUG_VEC(&b->values, snug__id, variable) = value;
  return SNUG_OK;
}

snug_status snug__build_per_batch(snug__build *b, double factor, bool inverse, snug_dtype dtype,
                                  snug__id *out) {
  snug__scale_shift_params times = {factor, 0.0};
  snug__cast_params to = {(int32_t)dtype};
  *out = b->micro_batch.batch;
  SNUG_TRY(inverse ? SNUG_EMIT(b->g, reciprocal, NULL, out, *out) : SNUG_OK);
  SNUG_TRY(SNUG_EMIT(b->g, scale_shift, &times, out, *out));
  return dtype == SNUG_FLOAT64 ? SNUG_OK : SNUG_EMIT(b->g, cast, &to, out, *out);
}

snug_status snug__build_state(snug__build *b, const char *name, const char *layer, snug__type type,
                              double initial, snug__id *variable) {
  *variable = snug__variables_find(b->variables, name);
  if (*variable != SNUG_NONE) {
    return SNUG_OK;
  }
  snug__variable v = {.name = name,
                      .layer = layer,
                      .type = type,
                      .kind = SNUG__STATE,
                      .class_ = SNUG__CLASS_OPTIMIZER,
                      .initial = {SNUG__INIT_CONSTANT, initial, 0.0, NULL}};
  return snug__variables_add(b->variables, &v, variable);
}
