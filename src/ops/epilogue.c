#include "ops/epilogue.h"

#include "base/ctx.h"
#include "ops/unary.h"

const char *const snug__activation_choices[] = {"linear", "relu", "swish", NULL};

snug_status snug__need_epilogue(const snug__infer *q, const snug__epilogue *epilogue) {
  if (!(epilogue->max_value >= 0.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: max_value=%g must not be below 0", q->where,
                      epilogue->max_value);
  }
  if (epilogue->activation != SNUG__RELU && !isinf(epilogue->max_value)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: max_value=%g is for activation=relu, not %s",
                      q->where, epilogue->max_value,
                      snug__activation_choices[epilogue->activation]);
  }
  return SNUG_OK;
}

snug__epilogue snug__epilogue_for(const snug__epilogue *epilogue, snug_dtype dtype) {
  snug__epilogue p = *epilogue;
  p.max_value = snug__as_element(dtype, p.max_value);
  return p;
}
