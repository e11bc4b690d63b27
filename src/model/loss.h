/* Losses of a model: from Keras's names to nodes. */
#ifndef SNUG_MODEL_LOSS_H
#define SNUG_MODEL_LOSS_H

#include "model/build.h"
#include "model/named.h"

typedef struct snug__loss_options {
  int32_t reduction; /* snug__reduction of ops/loss.h */
  bool from_logits, apply_class_balancing;
  double label_smoothing, delta, alpha, beta, gamma;
  int64_t ignore_class, axis;
  char name[SNUG__NAME_BYTES];
} snug__loss_options;

typedef struct snug__loss {
  const struct snug__loss_kind *kind;
  snug__loss_options o;
} snug__loss;

/* All of them, as every file of named things here has a function that gives its table. */
const snug__named_set *snug__loss_set(void);

/* From "mse", "SparseCategoricalCrossentropy(from_logits=true)" and their like.  Fails: E_ARGUMENT
 * naming what is known. */
snug_status snug__loss_parse(snug_ctx *ctx, const char *text, snug__loss *out) SNUG_NODISCARD;

/* The type of the labels for a prediction: for sparse losses (and "crossentropy" over two classes
 * or more) an int32 per position, else y_pred's type.  Losses accept more than that: labels of any
 * dtype, and with one more or one fewer axis of size 1 at the end. */
snug_status snug__loss_target(snug_ctx *ctx, const snug__loss *l, const snug__type *y_pred,
                              snug__type *y_true) SNUG_NODISCARD;

/* Emit the loss of each position.  valid: 1 where the position counts, SNUG_NONE if all do.
 *
 * Where y_pred is the output of a softmax (of a sigmoid for the binary crossentropies), the
 * crossentropies work on the logits before it, as Keras on TensorFlow does: exact, not clipped. */
snug_status snug__loss_values(snug__build *b, const snug__loss *l, snug__id y_true, snug__id y_pred,
                              snug__id *values, snug__id *valid) SNUG_NODISCARD;

/* Emit the loss as one scalar.  weights: one per position (see loss_reduce), or SNUG_NONE; mask: of
 * y_pred (see layer.h), or SNUG_NONE. */
snug_status snug__loss_emit(snug__build *b, const snug__loss *l, snug__id y_true, snug__id y_pred,
                            snug__id weights, snug__id mask, snug__id *scalar) SNUG_NODISCARD;

/* A loss of a micro-batch (b->micro_batch).  divisor: what the loss of the whole batch divides by,
 * a float64 scalar; SNUG_NONE where that follows from the number of samples.  The losses of all
 * micro-batches add up to that of the batch. */
snug_status snug__loss_emit_micro_batch(snug__build *b, const snug__loss *l, snug__id y_true,
                                        snug__id y_pred, snug__id weights, snug__id mask,
                                        snug__id divisor, snug__id *scalar) SNUG_NODISCARD;

/* Whether the divisor depends on weights, mask or labels and has to be counted; then emit a
 * micro-batch's part of it, a float64 scalar.  The parts of all micro-batches add up. */
bool snug__loss_is_counted(const snug__loss *l, bool weighted, bool masked);
snug_status snug__loss_emit_divisor(snug__build *b, const snug__loss *l, snug__id y_true,
                                    snug__id y_pred, snug__id weights, snug__id mask,
                                    snug__id *divisor) SNUG_NODISCARD;

/* Emit the regularizer's term of a variable; *scalar is SNUG_NONE if it has none. */
snug_status snug__regularizer_emit(snug__build *b, snug__id variable,
                                   snug__id *scalar) SNUG_NODISCARD;

/* Keras's own name of a loss, e.g. "mean_squared_error". */
void snug__loss_name(const snug__loss *l, char out[SNUG__NAME_BYTES]);

/* The label that the loss passes over (ignore_class), which need not be a class; SNUG__NO_CLASS if
 * there is none. */
int64_t snug__loss_ignored(const snug__loss *l);

/* Append a text from which the same loss can be parsed. */
snug_status snug__loss_print(const snug__loss *l, snug__text *out) SNUG_NODISCARD;

#endif
