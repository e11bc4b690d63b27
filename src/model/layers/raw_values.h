/* The operands of raw ops: tensors, and constants that stand in the file.
 *
 * A constant is a number, or an array: its elements in row-major order in the key, its sizes in
 * key_shape (a list without one is one axis), and what it is made of in key_dtype.  It is broadcast
 * to the tensors, whose first axis is the batch: an array with as many axes as they have begins
 * with one of size 1.
 *
 * Dtypes meet as in Keras: a float with anything makes the model's float; of two integers the
 * wider; a bool gives way; a Python number (int, float) takes the kind of the tensor if it can. */
#ifndef SNUG_MODEL_LAYERS_RAW_VALUES_H
#define SNUG_MODEL_LAYERS_RAW_VALUES_H

#include "model/layers/raw_ops.h"

typedef struct snug__raw_constant {
  snug_numbers values; /* none: the operand is a tensor */
  snug_ints shape;
  int32_t dtype; /* index of snug__raw_dtypes */
} snug__raw_constant;

/* any (what the tensor is), float, int, bool, and the integers by name */
extern const char *const snug__raw_dtypes[];

/* The fields of a constant that is `member` of a config. */
#define RAW_CONSTANT(config, member)                                                              \
  {#member, SNUG__FIELD_NUMBERS, offsetof(config, member.values), "[]", NULL},                    \
      {#member "_shape", SNUG__FIELD_INTS, offsetof(config, member.shape), "[]", NULL}, {         \
#member "_dtype", SNUG__FIELD_CHOICE, offsetof(config, member.dtype), "any", snug__raw_dtypes \
  }

#define RAW_ALL_AXES \
  "axis=none; that takes the batch too, so that samples would be mixed: name the axes"

#define SNUG__RAW_OPERANDS 3

typedef struct snug__raw_operand {
  snug__id id; /* of a tensor; SNUG_NONE: it is a constant */
  const snug__raw_constant *constant;
} snug__raw_operand;

/* Who is who among n operands: those without a constant are the inputs of the call, in order.
 * Fails: E_ARGUMENT if their number is another; E_SHAPE if the tensors have different numbers of
 * axes, or a constant stands beside the samples. */
snug_status snug__raw_open(const snug__layer_call *c, const snug__raw_constant *const *constants,
                           int32_t n, snug__raw_operand *out) SNUG_NODISCARD;

/* What the operands are together. */
snug_status snug__raw_common(const snug__layer_call *c, const snug__raw_operand *o, int32_t n,
                             snug_dtype *out) SNUG_NODISCARD;

/* An operand in a dtype. */
snug_status snug__raw_value(const snug__layer_call *c, const snug__raw_operand *o, snug_dtype dtype,
                            snug__id *out) SNUG_NODISCARD;

/* The sizes of a constant, its leading axes of 1 left out. */
snug_status snug__raw_sizes(const snug__layer_call *c, const snug__raw_constant *k,
                            snug__type *out) SNUG_NODISCARD;

/* A constant with all its axes, as it is written. */
snug_status snug__raw_whole(const snug__layer_call *c, const snug__raw_constant *k,
                            snug_dtype dtype, snug__id *out) SNUG_NODISCARD;

/* A value as another dtype; itself if it is that. */
snug_status snug__raw_cast(const snug__layer_call *c, snug__id in, snug_dtype dtype,
                           snug__id *out) SNUG_NODISCARD;

/* What values of a dtype are computed in: itself, or for integers float64, which holds those up to
 * 2^53. */
static inline snug_dtype snug__raw_work(snug_dtype dtype) {
  return snug__dtype_is_real(dtype) ? dtype : SNUG_FLOAT64;
}

/* Apply an op of one real input to input 0, as real; integers first as the model's float. */
snug_status snug__raw_apply(snug__layer_call *c, const snug__op *op,
                            const void *params) SNUG_NODISCARD;

/* Numbers of elements as an int32 constant of one axis. */
snug_status snug__raw_numbers(const snug__layer_call *c, const int64_t *numbers, int64_t n,
                              snug__id *out) SNUG_NODISCARD;

/* The parts of a value along an axis with these numbers. */
snug_status snug__raw_take(const snug__layer_call *c, snug__id in, int32_t axis,
                           const int64_t *numbers, int64_t n, snug__id *out) SNUG_NODISCARD;

/* A value with an axis turned round. */
snug_status snug__raw_flip(const snug__layer_call *c, snug__id in, int32_t axis,
                           snug__id *out) SNUG_NODISCARD;

#endif
