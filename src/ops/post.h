/* Post: an activation that an op applies to its result before it writes it.
 *
 * The parameters of such an op have a member of type snug__post.  relu with max_value=6 is ReLU6;
 * its slope is 0 at both ends, as relu's own gradient has it.  At the ends value and slope agree
 * only if max_value is an element of the dtype: take it through snug__post_for first. */
#ifndef SNUG_OPS_POST_H
#define SNUG_OPS_POST_H

#include <math.h>

#include "ops/ops.h"

typedef enum snug__activation {
  SNUG__LINEAR,
  SNUG__RELU,
  SNUG__SWISH /* v sigmoid(v) */
} snug__activation;

typedef struct snug__post {
  int32_t activation; /* snug__activation */
  double max_value;   /* of relu; inf: none */
} snug__post;

extern const char *const snug__activation_choices[];

/* For the table of fields of a struct with such a member. */
#define SNUG__POST_FIELDS(type, member)                                           \
  {"activation", SNUG__FIELD_CHOICE, offsetof(type, member.activation), "linear", \
   snug__activation_choices},                                                     \
  {                                                                               \
    "max_value", SNUG__FIELD_FLOAT, offsetof(type, member.max_value), "inf", NULL \
  }

/* Check for infer: max_value is not below 0, and relu's alone. */
snug_status snug__need_post(const snug__infer *q, const snug__post *post) SNUG_NODISCARD;

/* The same with max_value as an element of this dtype has it. */
snug__post snug__post_for(const snug__post *post, snug_dtype dtype);

/* Whether there is nothing to apply. */
static inline bool snug__post_is_linear(const snug__post *post) {
  return post->activation == SNUG__LINEAR;
}

static inline double snug__post_sigmoid(double v) { return 1.0 / (1.0 + exp(-v)); }

/* The activation of v.  A NaN stays one. */
static inline double snug__post_value(const snug__post *post, double v) {
  switch (post->activation) {
    case SNUG__RELU:
      return v <= 0.0 ? 0.0 : v > post->max_value ? post->max_value : v;
    case SNUG__SWISH:
      return v * snug__post_sigmoid(v);
    default:
      return v;
  }
}

/* Its derivative where y was made: for linear and relu. */
static inline double snug__post_slope_from_output(const snug__post *post, double y) {
  return post->activation != SNUG__RELU || (y > 0.0 && y < post->max_value) ? 1.0 : 0.0;
}

/* Its derivative at v, the value before the activation. */
static inline double snug__post_slope(const snug__post *post, double v) {
  if (post->activation == SNUG__SWISH) {
    double s = snug__post_sigmoid(v);
    return s * (1.0 + v * (1.0 - s));
  }
  return snug__post_slope_from_output(post, v);
}

#endif
