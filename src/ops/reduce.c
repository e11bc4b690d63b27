/* Reductions over axes. */
#include "ops/reduce.h"

#include "ops/shape.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__reduce_params, axes, INTS, "[]"),
                                     SNUG_FIELD(snug__reduce_params, keepdims, BOOL, "false"),
                                     {0}};

/* Bit k set: axis k is reduced. */
static snug_status reduced_axes(const snug__infer *q, uint32_t *mask) {
  const snug__reduce_params *p = q->params;
  *mask = p->axes.n ? 0 : (1u << q->in[0].rank) - 1;
  for (int32_t i = 0; i < p->axes.n; i++) {
    int32_t axis = 0;
    SNUG_TRY(snug__need_axis(q, "axes", p->axes.v[i], q->in[0].rank, &axis));
    *mask |= 1u << axis;
  }
  return SNUG_OK;
}

static snug_status infer(snug__infer *q) {
  const snug__reduce_params *p = q->params;
  uint32_t mask = 0;
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(reduced_axes(q, &mask));
  for (int32_t k = 0; k < q->in[0].rank; k++) {
    if (!(mask >> k & 1)) {
      dim[rank++] = q->in[0].dim[k];
    } else if (p->keepdims) {
      dim[rank++] = 1;
    }
  }
  q->out[0] = snug__type_of(q->in[0].dtype, rank, dim);
  return SNUG_OK;
}

/* The input seen as [kept axes] x [reduced axes]: sizes and strides in elements of each group. */
typedef struct reduce_job {
  const snug__call *call;
  snug__type kept, reduced;
  int64_t kept_strides[SNUG_MAX_RANK], reduced_strides[SNUG_MAX_RANK];
} reduce_job;

static uint32_t mask_of(const snug__reduce_params *p, int32_t rank) {
  uint32_t mask = p->axes.n ? 0 : (1u << rank) - 1;
  for (int32_t i = 0; i < p->axes.n; i++) {
    mask |= 1u << (p->axes.v[i] < 0 ? p->axes.v[i] + rank : p->axes.v[i]);
  }
  return mask;
}

static void split_axes(reduce_job *j, const snug__type *in, uint32_t mask) {
  int64_t stride[SNUG_MAX_RANK];
  int64_t s = 1;
  for (int32_t k = in->rank - 1; k >= 0; k--) {
    stride[k] = s;
    s *= in->dim[k];
  }
  j->kept = j->reduced = snug__scalar(in->dtype);
  for (int32_t k = 0; k < in->rank; k++) {
    bool reduced = mask >> k & 1;
    snug__type *t = reduced ? &j->reduced : &j->kept;
    (reduced ? j->reduced_strides : j->kept_strides)[t->rank] = stride[k];
    t->dim[t->rank++] = in->dim[k];
  }
}

/* The sum over the reduced axes from `base` on, in index order. */
static double sum_from(const reduce_job *j, int64_t base) {
  const void *x = j->call->in[0];
  int32_t last = j->reduced.rank - 1;
  int64_t inner = last < 0 ? 1 : j->reduced.dim[last];
  int64_t inner_stride = last < 0 ? 0 : j->reduced_strides[last];
  int64_t n = snug__type_count(&j->reduced);
  double sum = 0.0;
  for (int64_t i = 0; i < n; i += inner) {
    int64_t at = base + snug__strided_offset(&j->reduced, j->reduced_strides, i);
    for (int64_t k = 0; k < inner; k++) {
      sum += snug__element_get(j->kept.dtype, x, at + k * inner_stride);
    }
  }
  return sum;
}

static void sum_range(void *arg, int64_t begin, int64_t end) {
  const reduce_job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    double sum = sum_from(j, snug__strided_offset(&j->kept, j->kept_strides, i));
    snug__element_set(j->kept.dtype, j->call->out[0], i, sum);
  }
}

static snug_status sum_reference(const snug__call *call) {
  const snug__type *in = &call->sig->in[0];
  reduce_job job = {.call = call};
  split_axes(&job, in, mask_of(call->sig->params, in->rank));
  snug__parallel_ranges(call->sig->threads, snug__type_count(&job.kept), 1, sum_range, &job);
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){(double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

/* The gradient of a sum is the gradient itself, the same for every element that went into it. */
static snug_status sum_grad(snug__grad *g) {
  snug__type to = *snug__type_at(g->g, g->in[0]);
  snug__type kept = to;
  uint32_t mask = mask_of(g->params, to.rank);
  snug__id d = g->dout[0];
  snug__broadcast_to_params p;
  for (int32_t k = 0; k < to.rank; k++) {
    kept.dim[k] = mask >> k & 1 ? 1 : to.dim[k];
  }
  memset(&p, 0, sizeof p);
  p.shape.n = to.rank;
  memcpy(p.shape.v, to.dim, sizeof to.dim);
  SNUG_TRY(snug__emit_reshape(g->g, d, &kept, &d));
  return SNUG_EMIT(g->g, broadcast_to, &p, &g->din[0], d);
}

const snug__op snug__op_sum = {.name = "sum",
                               .doc = "sum over axes",
                               .params_bytes = sizeof(snug__reduce_params),
                               .fields = fields,
                               .min_in = 1,
                               .max_in = 1,
                               .min_out = 1,
                               .max_out = 1,
                               .infer = infer,
                               .grad = sum_grad,
                               .reference = sum_reference,
                               .cost = cost};

snug_status snug__emit_sum_to(snug__graph *g, snug__id d, const snug__type *to, snug__id *out) {
  snug__type target = *to; /* `to` may point into the graph, which grows here */
  const snug__type *from = snug__type_at(g, d);
  snug__reduce_params p;
  int32_t lead = from->rank - target.rank;
  memset(&p, 0, sizeof p);
  for (int32_t k = 0; k < from->rank; k++) {
    if (k < lead || (target.dim[k - lead] == 1 && from->dim[k] != 1)) {
      p.axes.v[p.axes.n++] = k;
    }
  }
  if (p.axes.n) {
    SNUG_TRY(SNUG_EMIT(g, sum, &p, &d, d));
  }
  return snug__emit_reshape(g, d, &target, out);
}
