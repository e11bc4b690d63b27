/* conv2d_epilogue, depthwise_conv2d_epilogue, matmul_epilogue: the op of that name, then a bias per
 * channel and an activation.  Passes make them of three nodes after gradients are there, so they
 * have none. */
#include "device/host.h"
#include "ops/conv.h"
#include "ops/matmul.h"
#include "ops/support.h"

static const snug__field conv_fields[] = {
    SNUG__CONV_FIELDS,
    SNUG_FIELD(snug__conv2d_params, groups, INT, "1"),
    SNUG__EPILOGUE_FIELDS(snug__conv2d_epilogue_params, epilogue),
    {0}};
static const snug__field depthwise_fields[] = {
    SNUG__CONV_FIELDS, SNUG__EPILOGUE_FIELDS(snug__conv2d_epilogue_params, epilogue), {0}};
static const snug__field matmul_fields[] = {
    SNUG_FIELD(snug__matmul_params, transpose_a, BOOL, "false"),
    SNUG_FIELD(snug__matmul_params, transpose_b, BOOL, "false"),
    SNUG__EPILOGUE_FIELDS(snug__matmul_epilogue_params, epilogue),
    {0}};

static snug_status need_bias(const snug__infer *q) {
  const snug__type *y = &q->out[0];
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  snug__type want = snug__type_of(y->dtype, 1, &y->dim[y->rank - 1]);
  if (q->n_in < 3 || !q->in[2].dtype || snug__type_equal(&q->in[2], &want)) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the bias is %s and must be %s", q->where,
                    snug__type_text(&q->in[2], a), snug__type_text(&want, b));
}

/* The parameters begin with those of the op that goes first. */
static snug_status infer(snug__infer *q, const snug__op *first, const snug__epilogue *epilogue) {
  snug__infer inner = *q;
  inner.n_in = 2;
  SNUG_TRY(first->infer(&inner));
  SNUG_TRY(need_bias(q));
  return snug__need_epilogue(q, epilogue);
}

typedef struct finish_job {
  const void *bias;
  void *y;
  snug_dtype dtype;
  int64_t channels;
  snug__epilogue epilogue;
} finish_job;

#define SNUG_REAL_FILE "ops/conv_epilogue_ref.inc"
#include "ops/real.h"

static void finish_range(void *arg, int64_t begin, int64_t end) {
  const finish_job *j = arg;
  SNUG_REAL_CALL(j->dtype, finish_rows, (j, begin, end));
}

static snug__signature first_of(const snug__signature *sig, const snug__op *first) {
  snug__signature s = *sig;
  s.op = first;
  s.n_in = 2;
  return s;
}

static snug_status reference(const snug__call *call, const snug__op *first,
                             const snug__epilogue *epilogue) {
  const snug__signature sig = first_of(call->sig, first);
  const snug__type *y = &sig.out[0];
  snug__call inner = *call;
  inner.sig = &sig;
  SNUG_TRY(first->reference(&inner));
  finish_job j = {.bias = call->sig->n_in > 2 ? call->in[2] : NULL,
                  .y = call->out[0],
                  .dtype = y->dtype,
                  .channels = y->dim[y->rank - 1],
                  .epilogue = snug__epilogue_for(epilogue, y->dtype)};
  int64_t rows = j.channels ? snug__type_count(y) / j.channels : 0;
  snug__parallel_ranges(snug__threads(&sig), rows,
                        snug__least_items(rows, (double)snug__type_count(y)), finish_range, &j);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig, const snug__op *first) {
  const snug__signature inner = first_of(sig, first);
  return (snug__cost){first->cost(&inner).flops + 2.0 * (double)snug__type_count(&sig->out[0]),
                      snug__bytes_moved(sig)};
}

#define POST_OP(first, params_type, field_table, text)                               \
  static snug_status infer_##first(snug__infer *q) {                                 \
    return infer(q, &snug__op_##first, &((const params_type *)q->params)->epilogue); \
  }                                                                                  \
  static snug_status reference_##first(const snug__call *call) {                     \
    return reference(call, &snug__op_##first,                                        \
                     &((const params_type *)call->sig->params)->epilogue);           \
  }                                                                                  \
  static snug__cost cost_##first(const snug__signature *sig) {                       \
    return cost(sig, &snug__op_##first);                                             \
  }                                                                                  \
  const snug__op snug__op_##first##_epilogue = {.name = #first "_epilogue",          \
                                                .doc = text,                         \
                                                .params_bytes = sizeof(params_type), \
                                                .fields = field_table,               \
                                                .min_in = 2,                         \
                                                .max_in = 3,                         \
                                                .min_out = 1,                        \
                                                .max_out = 1,                        \
                                                .infer = infer_##first,              \
                                                .reference = reference_##first,      \
                                                .cost = cost_##first}

POST_OP(conv2d, snug__conv2d_epilogue_params, conv_fields,
        "activation of a convolution of images plus a bias (x, kernel, bias)");
POST_OP(depthwise_conv2d, snug__conv2d_epilogue_params, depthwise_fields,
        "activation of a depthwise convolution plus a bias (x, kernel, bias)");
POST_OP(matmul, snug__matmul_epilogue_params, matmul_fields,
        "activation of a matrix product plus a bias (a, b, bias)");
