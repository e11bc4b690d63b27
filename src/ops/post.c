#include "ops/post.h"

#include "base/ctx.h"
#include "ops/unary.h"

const char *const snug__activation_choices[] = {"linear", "relu", "swish", NULL};

snug_status snug__need_post(const snug__infer *q, const snug__post *post) {
  if (!(post->max_value >= 0.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: max_value=%g must not be below 0", q->where,
                      post->max_value);
  }
  if (post->activation != SNUG__RELU && !isinf(post->max_value)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: max_value=%g is for activation=relu, not %s",
                      q->where, post->max_value, snug__activation_choices[post->activation]);
  }
  return SNUG_OK;
}

snug__post snug__post_for(const snug__post *post, snug_dtype dtype) {
  snug__post p = *post;
  p.max_value = snug__as_element(dtype, p.max_value);
  return p;
}
