/* Sums of products over the axes along which an operand was broadcast: what the gradients of scales
 * (squeeze and excitation, layer scale, prelu) come to.
 *
 * The inputs are seen as [kept and summed axes ...] with adjacent axes of one sort merged.  A work
 * item is up to CHUNK neighbouring sums, made by one thread in index order. */
#include "device/host.h"
#include "ops/binary.h"
#include "ops/support.h"
#include "ops/unblock.h"
#include "ops/zip.h"

#define CHUNK 32

static const snug__field fields[] = {SNUG_FIELD(snug__product_sum_params, shape, INTS, "[]"), {0}};

static bool fits(const snug__type *small, const snug__type *large) {
  for (int32_t k = 1; k <= small->rank; k++) {
    int64_t d = small->dim[small->rank - k];
    if (k > large->rank || (d != 1 && d != large->dim[large->rank - k])) {
      return false;
    }
  }
  return true;
}

static snug_status infer(snug__infer *q) {
  const snug__product_sum_params *p = q->params;
  char from[SNUG__TYPE_TEXT_BYTES];
  char to[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  q->out[0] =
      snug__type_of(q->in[0].dtype, p->shape.n > SNUG_MAX_RANK ? 0 : p->shape.n, p->shape.v);
  if (p->shape.n > SNUG_MAX_RANK || !snug__type_is_valid(&q->out[0]) ||
      !fits(&q->out[0], &q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %s cannot be summed to %s", q->where,
                      snug__type_text(&q->in[0], from), snug__type_text(&q->out[0], to));
  }
  return SNUG_OK;
}

typedef struct sum_job {
  const void *a, *b;
  void *out;
  snug_dtype dtype;
  bool negative_part;      /* of b: prelu */
  int64_t sum_step;        /* 1: the row's elements belong to sums of their own */
  int64_t row;             /* length of a contiguous row of the inputs */
  int64_t chunks;          /* work items per kept outer index */
  snug__type kept, summed; /* the axes outside the row */
  int64_t kept_strides[SNUG_MAX_RANK], summed_strides[SNUG_MAX_RANK];
} sum_job;

#define SNUG_REAL_FILE "ops/product_sum_ref.inc"
#include "ops/real.h"

static void run_item(const sum_job *j, int64_t item) {
  double sums[CHUNK] = {0};
  int64_t outer = item / j->chunks;
  int64_t first = item % j->chunks * CHUNK;
  int64_t n = j->sum_step ? snug__min_i64(CHUNK, j->row - first) : j->row;
  int64_t base = snug__strided_offset(&j->kept, j->kept_strides, outer) + first;
  int64_t times = snug__type_count(&j->summed);
  for (int64_t i = 0; i < times; i++) {
    int64_t at = base + snug__strided_offset(&j->summed, j->summed_strides, i);
    SNUG_REAL_CALL(j->dtype, sum_row, (j, at, n, sums));
  }
  int64_t n_sums = j->sum_step ? n : 1;
  for (int64_t i = 0; i < n_sums; i++) {
    snug__element_set(j->dtype, j->out, (j->sum_step ? outer * j->row + first : outer) + i,
                      sums[i]);
  }
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  for (int64_t item = begin; item < end; item++) {
    run_item(arg, item);
  }
}

static void split_axes(sum_job *j, const snug__zip *z) {
  int64_t stride = z->dim[z->rank - 1];
  j->row = stride;
  j->sum_step = z->stride[0][z->rank - 1];
  j->chunks = j->sum_step ? (j->row + CHUNK - 1) / CHUNK : 1;
  for (int32_t k = z->rank - 2; k >= 0; k--) { /* innermost first, turned round below */
    bool kept = z->stride[0][k] != 0;
    snug__type *t = kept ? &j->kept : &j->summed;
    int64_t *strides = kept ? j->kept_strides : j->summed_strides;
    memmove(&t->dim[1], &t->dim[0], (size_t)t->rank * sizeof *t->dim);
    memmove(&strides[1], &strides[0], (size_t)t->rank * sizeof *strides);
    t->rank++;
    t->dim[0] = z->dim[k];
    strides[0] = stride;
    stride *= z->dim[k];
  }
}

static snug_status run(const snug__call *call, bool negative_part) {
  const snug__type *in = &call->sig->in[0];
  const snug__type *out = &call->sig->out[0];
  snug__zip z = snug__zip_of(in, out, 1);
  sum_job job = {.a = call->in[0],
                 .b = call->in[1],
                 .out = call->out[0],
                 .dtype = in->dtype,
                 .negative_part = negative_part,
                 .kept = snug__scalar(in->dtype),
                 .summed = snug__scalar(in->dtype)};
  if (snug__type_count(in) == 0) {
    memset(call->out[0], 0, (size_t)snug__type_bytes(out));
    return SNUG_OK;
  }
  split_axes(&job, &z);
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&job.kept) * job.chunks, 1,
                        run_range, &job);
  return SNUG_OK;
}

static snug_status product_sum_reference(const snug__call *call) { return run(call, false); }
static snug_status prelu_grad_alpha_reference(const snug__call *call) { return run(call, true); }

static bool unblock(const snug__signature *sig, snug__plain_call *plain) {
  snug__product_sum_params *p = (snug__product_sum_params *)plain->params;
  snug__type image = snug__type_in(sig->in[0], snug__image_layout(sig));
  if (image.layout == SNUG__LAYOUT_PLAIN ||
      !snug__unblocked_operand(&sig->out[0], &image, &plain->out[0], &plain->want.out[0])) {
    return false;
  }
  for (int32_t i = 0; i < 2; i++) {
    plain->in[i] = snug__unblocked_image(&image);
    plain->want.in[i] = image.layout;
  }
  p->shape.n = plain->out[0].rank;
  memcpy(p->shape.v, plain->out[0].dim, sizeof plain->out[0].dim);
  return true;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){2.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

#define SUM_OP(op, text)                                                            \
  const snug__op snug__op_##op = {.name = #op,                                      \
                                  .doc = (text),                                    \
                                  .params_bytes = sizeof(snug__product_sum_params), \
                                  .fields = fields,                                 \
                                  .min_in = 2,                                      \
                                  .max_in = 2,                                      \
                                  .min_out = 1,                                     \
                                  .max_out = 1,                                     \
                                  .infer = infer,                                   \
                                  .reference = op##_reference,                      \
                                  .unblock = unblock,                               \
                                  .cost = cost}

SUM_OP(product_sum, "a b summed over the axes along which a shape was broadcast");
SUM_OP(prelu_grad_alpha, "the gradient of prelu by alpha, from (dy, x)");

snug_status snug__emit_product_sum(snug__graph *g, snug__id a, snug__id b, const snug__type *to,
                                   snug__id *out) {
  snug__product_sum_params p;
  memset(&p, 0, sizeof p);
  p.shape.n = to->rank;
  memcpy(p.shape.v, to->dim, sizeof to->dim);
  return SNUG_EMIT(g, product_sum, &p, out, a, b);
}
