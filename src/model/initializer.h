/* Initial values: from Keras's names to numbers. */
#ifndef SNUG_MODEL_INITIALIZER_H
#define SNUG_MODEL_INITIALIZER_H

#include "model/named.h"
#include "model/variables.h"

const snug__named_set *snug__initializer_set(void);
const snug__named_set *snug__regularizer_set(void);
const snug__named_set *snug__constraint_set(void);

/* "glorot_uniform", "he_normal", "zeros", "constant(0.1)",
 * "variance_scaling(scale=2, mode=fan_out, distribution=uniform)", ... resolved for a shape (fans).
 * Class names (GlorotUniform) are accepted too, and `seed`, which says nothing here: the model has
 * one.  `where` begins messages.  Fails: E_ARGUMENT naming the known ones; E_SHAPE for a shape that
 * it cannot fill. */
snug_status snug__initializer_parse(snug_ctx *ctx, const char *where, const char *text,
                                    const snug__type *type, snug__initializer *out) SNUG_NODISCARD;

/* What a text names, with its arguments; the texts are those that the parsers here take.  Fails:
 * E_ARGUMENT as they do. */
snug_status snug__initializer_named(snug_ctx *ctx, const char *where, const char *text,
                                    snug__named_value *out) SNUG_NODISCARD;
snug_status snug__regularizer_named(snug_ctx *ctx, const char *where, const char *text,
                                    snug__named_value *out) SNUG_NODISCARD;
snug_status snug__constraint_named(snug_ctx *ctx, const char *where, const char *text,
                                   snug__named_value *out) SNUG_NODISCARD;

/* Fill data with the initial values; the same for the same seed and stream (a number per variable),
 * whatever the number of threads.  Fails: E_MEMORY (orthogonal needs room to work in). */
snug_status snug__initializer_fill(snug_ctx *ctx, const snug__initializer *init,
                                   const snug__type *type, uint64_t seed, uint64_t stream,
                                   void *data) SNUG_NODISCARD;

/* "l2(0.01)", "l1_l2(l1=0.1, l2=0.2)"; "" and "none" for none. */
snug_status snug__regularizer_parse(snug_ctx *ctx, const char *where, const char *text,
                                    snug__regularizer *out) SNUG_NODISCARD;

/* "max_norm(2, axis=0)", "non_neg", ...; the axes are of the type and come out from 0 on. */
snug_status snug__constraint_parse(snug_ctx *ctx, const char *where, const char *text,
                                   const snug__type *type, snug__constraint *out) SNUG_NODISCARD;

#endif
