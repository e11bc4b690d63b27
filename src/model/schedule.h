/* Learning-rate schedules: the rate of a step, computed on the host before the step.
 * The formulas are Keras's, in float32 as there. */
#ifndef SNUG_MODEL_SCHEDULE_H
#define SNUG_MODEL_SCHEDULE_H

#include "base/ctx.h"
#include "model/named.h"

typedef struct snug__schedule_options {
  double initial_learning_rate, decay_rate, end_learning_rate, power, alpha, warmup_target;
  double decay_steps, first_decay_steps, warmup_steps, t_mul, m_mul;
  bool staircase, cycle;
  snug_floats boundaries, values;
  char name[SNUG__NAME_BYTES];
} snug__schedule_options;

typedef struct snug__schedule {
  const struct snug__schedule_kind *kind; /* NULL: there is no schedule */
  snug__schedule_options o;
} snug__schedule;

const snug__named_set *snug__schedule_set(void);

/* From "CosineDecay(initial_learning_rate=0.1, decay_steps=1000)" and its like.
 * Fails: E_ARGUMENT. */
snug_status snug__schedule_parse(snug_ctx *ctx, const char *text,
                                 snug__schedule *out) SNUG_NODISCARD;

/* The rate of a step; the first update sees step 0. */
double snug__schedule_rate(const snug__schedule *s, int64_t step);

/* Append a text from which the same schedule can be parsed. */
snug_status snug__schedule_print(const snug__schedule *s, snug__text *out) SNUG_NODISCARD;

#endif
