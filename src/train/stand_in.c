#include "train/stand_in.h"

#include <string.h>

#include "data/arrays.h"

static const snug__type *type_of(const snug_model *m, snug_tensor t) {
  return &SNUG_VEC(&m->tensors, snug__model_tensor, t).type;
}

static snug_array array_of(const snug__type *type, int64_t rows) {
  snug_array a = {.data = &snug__no_values, .dtype = type->dtype, .rank = type->rank};
  memcpy(a.shape, type->dim, sizeof a.shape);
  a.shape[0] = rows;
  return a;
}

static snug_status fill(snug__stand_in *s, const snug_model *m, int64_t rows) {
  size_t n_x = m->inputs.n;
  for (size_t i = 0; i < n_x; i++) {
    snug_tensor t = SNUG_VEC(&m->inputs, snug__model_input, i).tensor;
    s->arrays[i] = array_of(type_of(m, t), rows);
  }
  for (size_t i = 0; i < m->outputs.n; i++) {
    snug__type target;
    SNUG_TRY(snug__loss_target(m->ctx, &m->training->losses[i],
                               type_of(m, SNUG_VEC(&m->outputs, snug_tensor, i)), &target));
    s->arrays[n_x + i] = array_of(&target, rows);
  }
  s->data = (snug_data){.struct_size = sizeof s->data,
                        .x = s->arrays,
                        .n_x = (int32_t)n_x,
                        .y = s->arrays + n_x,
                        .n_y = (int32_t)m->outputs.n};
  return SNUG_OK;
}

snug_status snug__stand_in_init(snug__stand_in *s, snug_model *m, int64_t rows) {
  *s = (snug__stand_in){.ctx = m->ctx, .n = m->inputs.n + m->outputs.n};
  SNUG_TRY(snug__training_need(m));
  if (rows < 1) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "plan: %lld samples; there must be one at least",
                      (long long)rows);
  }
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, s->n, &s->arrays));
  return fill(s, m, rows);
}

void snug__stand_in_release(snug__stand_in *s) {
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, s->arrays, s->n);
  s->arrays = NULL;
}
