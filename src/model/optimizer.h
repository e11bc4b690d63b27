/* Optimizers: from Keras's names to states and updates.
 *
 * The states are variables: "optimizer/iteration" (int64: steps made), "optimizer/learning_rate"
 * (see snug__optimizer_rate_dtype), "optimizer/<slot>/<variable>" (of the variable's type).  With a
 * schedule the caller writes snug__schedule_rate(&o->schedule, iteration) into the learning rate
 * before each step.
 *
 * Order per variable, as in Keras from 3.5 on: accumulate, clip, decay, update, average, constrain;
 * then the iteration.  Decay and clipping by value are part of the update, clipping by norm is a
 * scale that the update applies: a gradient is never written again.  An update depends on its own
 * gradient alone, unless global_clipnorm ties them together. */
#ifndef SNUG_MODEL_OPTIMIZER_H
#define SNUG_MODEL_OPTIMIZER_H

#include "model/build.h"
#include "model/named.h"
#include "model/schedule.h"

typedef struct snug__optimizer_options {
  double learning_rate, weight_decay;
  double clipnorm, global_clipnorm, clipvalue; /* 0: none; at most one is given */
  double loss_scale_factor;                    /* 0: none; see snug__optimizer_scale_loss */
  bool use_ema, nesterov, amsgrad, centered;
  double ema_momentum;
  int64_t ema_overwrite_frequency;     /* 0: never but at the end of training */
  int64_t gradient_accumulation_steps; /* 0 and 1: none */
  double momentum, rho, epsilon, beta_1, beta_2, initial_accumulator_value;
  double learning_rate_power, l1, l2, l2_shrinkage, beta;
  double muon_a, muon_b, muon_c, adam_lr_ratio, adam_weight_decay;
  double rms_rate; /* 0: none */
  int64_t ns_steps;
  bool exclude_embeddings;
  char exclude_layers[SNUG__NAME_BYTES]; /* words, commas between them */
  char name[SNUG__NAME_BYTES];
} snug__optimizer_options;

typedef struct snug__optimizer {
  const struct snug__optimizer_kind *kind;
  snug__optimizer_options o;
  snug__schedule schedule; /* kind NULL: the learning rate is a number */
} snug__optimizer;

const snug__named_set *snug__optimizer_set(void);

/* From "adam", "SGD(learning_rate=0.1, momentum=0.9)",
 * "adamw(learning_rate=CosineDecay(initial_learning_rate=0.1, decay_steps=100))" and their like.
 * Fails: E_ARGUMENT naming what is known. */
snug_status snug__optimizer_parse(snug_ctx *ctx, const char *text,
                                  snug__optimizer *out) SNUG_NODISCARD;

/* The loss of which gradients are to be taken: multiplied with loss_scale_factor, by which the step
 * divides the gradients again; the loss itself if there is none. */
snug_status snug__optimizer_scale_loss(snug__build *b, const snug__optimizer *o, snug__id loss,
                                       snug__id *out) SNUG_NODISCARD;

/* Emit one step: variables[0..n) are indices in the table of variables, gradients[0..n) values of
 * the graph, SNUG_NONE where there is none (the variable is then left alone, its average is not).
 */
snug_status snug__optimizer_emit(snug__build *b, const snug__optimizer *o,
                                 const snug__id *variables, const snug__id *gradients,
                                 size_t n) SNUG_NODISCARD;

/* The end of training with use_ema: the averages become the weights.  Works on the bytes of the
 * variables on the host, no step may be running; does nothing without use_ema. */
snug_status snug__optimizer_finalize(const snug__optimizer *o, const snug__variables *variables,
                                     const snug__id *trained, size_t n) SNUG_NODISCARD;

/* The dtype of scalars such as the learning rate: float64 in a model of float64, else float32. */
static inline snug_dtype snug__optimizer_rate_dtype(snug_dtype real) {
  return real == SNUG_FLOAT64 ? SNUG_FLOAT64 : SNUG_FLOAT32;
}

/* Keras's class name, e.g. "Adam". */
void snug__optimizer_name(const snug__optimizer *o, char out[SNUG__NAME_BYTES]);

/* Append a text from which the same optimizer can be parsed. */
snug_status snug__optimizer_print(const snug__optimizer *o, snug__text *out) SNUG_NODISCARD;

#endif
