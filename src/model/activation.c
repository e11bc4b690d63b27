/* Activations by Keras's names, as a layer's `activation` gives them: "relu", "silu",
 * "leaky_relu(0.1)".  The arguments are the parameters of the op. */
#include <string.h>

#include "model/layer.h"
#include "model/named.h"
#include "ops/support.h"
#include "ops/unary.h"

typedef struct activation {
  const char *names;
  const snug__op *op;
  const snug__field *fields; /* NULL: those of the op */
  const char *lack;          /* see snug__named */
} activation;

#define RELU(name, initial) SNUG_FIELD(snug__relu_params, name, FLOAT, initial)
static const snug__field relu6_fields[] = {
    RELU(negative_slope, "0"), RELU(max_value, "6"), RELU(threshold, "0"), {0}};
/* 0.2 as float32 has it: so Keras, also where values are float64. */
static const snug__field leaky_fields[] = {
    RELU(negative_slope, "0.20000000298023224"), RELU(max_value, "inf"), RELU(threshold, "0"), {0}};

#define SAME(name) \
  { #name, &snug__op_##name, NULL }
static const activation table[] = {
    SAME(relu),
    {"relu6", &snug__op_relu, relu6_fields},
    {"leaky_relu", &snug__op_relu, leaky_fields},
    SAME(sigmoid),
    SAME(tanh),
    {"silu swish", &snug__op_silu, NULL},
    SAME(gelu),
    SAME(elu),
    SAME(selu),
    SAME(celu),
    SAME(softplus),
    SAME(softsign),
    SAME(mish),
    {"exponential", &snug__op_exp, NULL},
    SAME(hard_sigmoid),
    {"hard_silu hard_swish", &snug__op_hard_silu, NULL},
    SAME(hard_tanh),
    SAME(hard_shrink),
    SAME(soft_shrink),
    SAME(tanh_shrink),
    SAME(log_sigmoid),
    SAME(squareplus),
    SAME(sparse_plus),
    SAME(sparse_sigmoid),
    SAME(threshold),
    SAME(softmax),
    SAME(log_softmax),
    /* It adds up sums where it looks for the threshold, so that its rows do not add up to 1. */
    {"sparsemax", &snug__op_sparsemax, NULL,
     "in a file of Keras; what Keras computes there is not a sparsemax, softmax is there"},
    SAME(glu),
};

/* What is not one op of one input. */
enum { LINEAR = SNUG_COUNT(table), KNOWN };

#define PARAMS_BYTES 256

size_t snug__activations(void) { return KNOWN; }

snug__named snug__activation_at(size_t i) {
  return i == LINEAR ? (snug__named){"linear", NULL}
                     : (snug__named){table[i].names,
                                     table[i].fields ? table[i].fields : table[i].op->fields};
}

const char *snug__activation_lack(const char *name) {
  const char *lack = NULL;
  for (size_t i = 0; i < SNUG_COUNT(table); i++) {
    lack = strcmp(table[i].names, name) == 0 ? table[i].lack : lack;
  }
  return lack;
}

static void list_named(snug__named out[KNOWN]) {
  for (size_t i = 0; i < KNOWN; i++) {
    out[i] = snug__activation_at(i);
  }
}

snug_status snug__emit_activation(snug__build *b, const char *where, const char *name, snug__id in,
                                  snug__id *out) {
  snug__named known[KNOWN];
  const snug__named_set set = SNUG_NAMED_SET("activation", NULL, known);
  union {
    double aligned;
    char bytes[PARAMS_BYTES];
  } params;
  size_t which = LINEAR;
  list_named(known);
  if (!snug__named_is_none(name)) {
    SNUG_TRY(snug__named_parse(b->ctx, &set, where, name, &params, sizeof params, &which));
  }
  if (which == LINEAR) {
    *out = in;
    return SNUG_OK;
  }
  const snug__op *op = table[which].op;
  return snug__graph_add(b->g, op, op->params_bytes ? &params : NULL, &in, 1, out, 1);
}

snug_status snug__activation_name(snug_ctx *ctx, const char *where, const char *text,
                                  char out[SNUG__NAME_BYTES], bool *has_arguments) {
  snug__named known[KNOWN];
  const snug__named_set set = SNUG_NAMED_SET("activation", NULL, known);
  snug__named_call call = {.index = LINEAR};
  list_named(known);
  if (!snug__named_is_none(text)) {
    SNUG_TRY(snug__named_read(ctx, &set, where, text, &call));
  }
  snug__named_own(&known[call.index], out);
  *has_arguments = call.arguments[0] != 0;
  return SNUG_OK;
}
