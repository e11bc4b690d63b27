/* What the layer classes share: checks of configuration and input with messages that name the
 * layer, the key, the value and what is allowed. */
#ifndef SNUG_MODEL_LAYERS_SUPPORT_H
#define SNUG_MODEL_LAYERS_SUPPORT_H

#include <string.h>

#include "base/size.h"
#include "model/layer.h"
#include "ops/shape.h"
#include "ops/support.h"

/* The record of a class: LAYER_CLASS(Dense, dense_config, dense_fields, 1, 1, call), and behind the
 * call what else it says: .masking = SNUG__MASK_PASSES. */
#define LAYER_CLASS(class_name, config, table, least, most, ...)                      \
  const snug__layer_class snug__layer_##class_name = {.name = #class_name,            \
                                                      .config_bytes = sizeof(config), \
                                                      .fields = (table),              \
                                                      .min_in = (least),              \
                                                      .max_in = (most),               \
                                                      .call = __VA_ARGS__}

/* The record of a raw op, in the same way. */
#define RAW_CLASS(class_name, config, table, least, most, ...)                      \
  const snug__layer_class snug__raw_##class_name = {.name = "ops." #class_name,     \
                                                    .config_bytes = sizeof(config), \
                                                    .fields = (table),              \
                                                    .min_in = (least),              \
                                                    .max_in = (most),               \
                                                    .call = __VA_ARGS__}

/* What a class is not able to do beside what its options say, as texts for .lacks: "what; what to
 * do instead".  snug__layer_lacks refuses by one of the class's: "layer: what: not supported; what
 * to do instead", E_UNSUPPORTED. */
#define LAYER_LACKS(...) \
  (const char *const[]) { __VA_ARGS__, NULL }
snug_status snug__layer_lacks(const snug__layer_call *c, const char *text) SNUG_NODISCARD;
snug_status snug__layer_lacks_value(const snug__layer_call *c, const char *key, const char *value,
                                    const char *text) SNUG_NODISCARD; /* "layer: key=value: ..." */

/* A class without keys of its own. */
extern const snug__field snug__layer_plain_fields[];
#define LAYER_CLASS_PLAIN(name, least, most, ...) \
  LAYER_CLASS(name, snug__layer_common, snug__layer_plain_fields, least, most, __VA_ARGS__)

/* Initializer, regularizer and constraint of a weight, as members and as fields. */
#define LAYER_WEIGHT_MEMBERS(weight)           \
  char weight##_initializer[SNUG__NAME_BYTES]; \
  char weight##_regularizer[SNUG__NAME_BYTES]; \
  char weight##_constraint[SNUG__NAME_BYTES]
#define LAYER_WEIGHT_FIELDS(config, weight, initial)          \
  SNUG_FIELD(config, weight##_initializer, TEXT, initial),    \
      SNUG_FIELD(config, weight##_regularizer, TEXT, "\"\""), \
      SNUG_FIELD(config, weight##_constraint, TEXT, "\"\"")
#define LAYER_WEIGHT_SPEC(config, weight, name)                                                \
  ((snug__weight_spec){(name), (config)->weight##_initializer, (config)->weight##_regularizer, \
                       (config)->weight##_constraint, false})

/* What series and images are, in messages. */
#define LAYER_SERIES "[batch, steps, channels]"
#define LAYER_IMAGES "[batch, height, width, channels]"

#define LAYER_DATA_FORMAT SNUG_FIXED("data_format", "channels_last", "permute the data")

/* Raise E_ARGUMENT "layer: key=value: expected ...". */
snug_status snug__layer_refuse(const snug__layer_call *c, const char *key, double value,
                               const char *expected) SNUG_NODISCARD;

/* A number that must be `least` or more. */
snug_status snug__layer_need_int(const snug__layer_call *c, const char *key, int64_t value,
                                 int64_t least) SNUG_NODISCARD;

/* A fraction in [0, 1). */
snug_status snug__layer_need_rate(const snug__layer_call *c, const char *key,
                                  double value) SNUG_NODISCARD;

/* A list of n numbers, or one that stands for all n, each `least` or more. */
snug_status snug__layer_need_list(const snug__layer_call *c, const char *key, const snug_ints *list,
                                  int32_t n, int64_t least, snug_ints *out) SNUG_NODISCARD;

/* Input 0 must have so many axes, the batch included; its type comes back. */
snug_status snug__layer_need_rank(const snug__layer_call *c, int32_t rank, const char *axes,
                                  snug__type *out) SNUG_NODISCARD;

/* An axis as in Python, of a value of a rank; the batch axis is refused. */
snug_status snug__layer_need_axis(const snug__layer_call *c, const char *key, int64_t axis,
                                  int32_t rank, int32_t *out) SNUG_NODISCARD;

/* The axes of a list as a set of bits, 1 << axis, each given once. */
snug_status snug__layer_need_axes(const snug__layer_call *c, const char *key, const snug_ints *axes,
                                  int32_t rank, uint32_t *out) SNUG_NODISCARD;

/* The same of a list that must hold one, for input 0. */
snug_status snug__layer_need_one_axis(const snug__layer_call *c, const char *key,
                                      const snug_ints *axes, int32_t *out) SNUG_NODISCARD;

static inline const snug__type *snug__layer_type(const snug__layer_call *c, snug__id value) {
  return snug__type_at(c->b->g, value);
}

/* Reshape to a rank and sizes. */
snug_status snug__layer_reshape(const snug__layer_call *c, snug__id in, int32_t rank,
                                const int64_t *dim, snug__id *out) SNUG_NODISCARD;

/* Input 0 with each sample in another shape, one of whose sizes may be -1; `key` is for messages.
 */
snug_status snug__layer_reshape_sample(snug__layer_call *c, const char *key,
                                       const snug_ints *target) SNUG_NODISCARD;

/* Apply an op along an axis (softmax and its like) to input 0 over the axes of the key `axis`,
 * several of which count as one. */
snug_status snug__layer_along(snug__layer_call *c, const snug__op *op,
                              const snug_ints *axes) SNUG_NODISCARD;

/* A number of the configuration as TensorFlow takes it: through float32, also in a model of
 * float64. */
double snug__layer_rounded(double v);

/* A constant of the model's float dtype: a number, and a vector of the numbers of a list, after
 * `change` if that is not NULL. */
snug_status snug__layer_number(const snug__layer_call *c, double v, snug__id *out) SNUG_NODISCARD;
snug_status snug__layer_constant(const snug__layer_call *c, const snug_numbers *list,
                                 double (*change)(double v), snug__id *out) SNUG_NODISCARD;

/* The mask of input 0 with a last axis of 1, so that it can be broadcast to the input.  Fails:
 * E_SHAPE if the mask is not of that shape. */
snug_status snug__layer_mask_column(const snug__layer_call *c, snug__id *out) SNUG_NODISCARD;

/* The value as the model's float dtype. */
snug_status snug__layer_as_real(const snug__layer_call *c, snug__id in,
                                snug__id *out) SNUG_NODISCARD;

#endif
