#include "ops/support.h"

#include <stdlib.h>

#define TEXT char text[SNUG__TYPE_TEXT_BYTES]

snug_status snug__need_real(const snug__infer *q, int32_t i) {
  TEXT;
  if (snug__dtype_is_real(q->in[i].dtype)) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input %d is %s and must be float", q->where, i,
                    snug__type_text(&q->in[i], text));
}

snug_status snug__need_rank(const snug__infer *q, int32_t i, int32_t rank) {
  TEXT;
  if (q->in[i].dtype && q->in[i].rank == rank) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: input %d is %s and must have %d axes", q->where, i,
                    snug__type_text(&q->in[i], text), rank);
}

snug_status snug__need_rank_from(const snug__infer *q, int32_t i, int32_t least) {
  TEXT;
  if (q->in[i].dtype && q->in[i].rank >= least) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: input %d is %s and must have %d axes or more",
                    q->where, i, snug__type_text(&q->in[i], text), least);
}

static snug_status fail_pair(const snug__infer *q, snug_status code, int32_t i, int32_t j,
                             const char *what) {
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  return snug__fail(q->ctx, code,
                    "%s: %s of input %d, %s, and of input %d, %s, do not fit together", q->where,
                    what, i, snug__type_text(&q->in[i], a), j, snug__type_text(&q->in[j], b));
}

snug_status snug__need_dtype_of(const snug__infer *q, int32_t i, int32_t j) {
  return q->in[i].dtype == q->in[j].dtype ? SNUG_OK
                                          : fail_pair(q, SNUG_E_DTYPE, i, j, "the dtypes");
}

snug_status snug__need_shape_of(const snug__infer *q, int32_t i, int32_t j) {
  return snug__shape_equal(&q->in[i], &q->in[j]) ? SNUG_OK
                                                 : fail_pair(q, SNUG_E_SHAPE, i, j, "the shapes");
}

snug_status snug__need_type_of(const snug__infer *q, int32_t i, int32_t j) {
  SNUG_TRY(snug__need_dtype_of(q, i, j));
  return snug__need_shape_of(q, i, j);
}

snug_status snug__need_scalar(const snug__infer *q, int32_t i) { return snug__need_rank(q, i, 0); }

snug_status snug__need_enabled(const snug__infer *q, int32_t i) {
  if (i >= q->n_in || !q->in[i].dtype) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__need_real(q, i));
  return snug__need_scalar(q, i);
}

snug_status snug__infer_same(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  q->out[0] = q->in[0];
  return SNUG_OK;
}

snug_status snug__infer_same_pair(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  q->out[0] = q->in[0];
  return SNUG_OK;
}

snug_status snug__broadcast(const snug__infer *q, int32_t i, int32_t j, snug__type *out) {
  const snug__type *a = &q->in[i];
  const snug__type *b = &q->in[j];
  int32_t rank = a->rank > b->rank ? a->rank : b->rank;
  int64_t dim[SNUG_MAX_RANK] = {0};
  for (int32_t k = 1; k <= rank; k++) { /* from the last axis backwards */
    int64_t da = k <= a->rank ? a->dim[a->rank - k] : 1;
    int64_t db = k <= b->rank ? b->dim[b->rank - k] : 1;
    if (da != db && da != 1 && db != 1) {
      return fail_pair(q, SNUG_E_SHAPE, i, j, "the shapes");
    }
    dim[rank - k] = da == 1 ? db : da;
  }
  *out = snug__type_of(a->dtype, rank, dim);
  return SNUG_OK;
}

snug_status snug__need_axis(const snug__infer *q, const char *name, int64_t axis, int32_t rank,
                            int32_t *out) {
  int64_t index = axis < 0 ? axis + rank : axis;
  if (index < 0 || index >= rank) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: %s=%lld, but there are %d axes", q->where, name,
                      (long long)axis, rank);
  }
  *out = (int32_t)index;
  return SNUG_OK;
}

const char *const snug__dtype_choices[] = {"none",
#define SNUG__DTYPE_CHOICE(name, text, bytes) text,
                                           SNUG_DTYPE_LIST(SNUG__DTYPE_CHOICE)
#undef SNUG__DTYPE_CHOICE
                                               NULL};

void snug__broadcast_strides(const snug__type *t, const snug__type *to,
                             int64_t strides[SNUG_MAX_RANK]) {
  int64_t stride = 1;
  memset(strides, 0, SNUG_MAX_RANK * sizeof *strides);
  for (int32_t k = 1; k <= t->rank; k++) {
    int64_t d = t->dim[t->rank - k];
    strides[to->rank - k] = d == 1 ? 0 : stride;
    stride *= d;
  }
}

int64_t snug__strided_offset(const snug__type *shape, const int64_t strides[SNUG_MAX_RANK],
                             int64_t i) {
  int64_t offset = 0;
  for (int32_t k = shape->rank - 1; k >= 0; k--) {
    offset += i % shape->dim[k] * strides[k];
    i /= shape->dim[k];
  }
  return offset;
}

double snug__scalar_input(const snug__call *call, int32_t i, double absent) {
  return i < call->sig->n_in && call->in[i]
             ? snug__element_get(call->sig->in[i].dtype, call->in[i], 0)
             : absent;
}

bool snug__is_disabled(const snug__call *call, int32_t i) {
  return snug__scalar_input(call, i, 1.0) == 0.0;
}

/* Starting and joining threads costs as much as so many of the smallest pieces of work. */
#define REGION_COST 8

typedef struct ranges {
  int64_t n, piece;
  void (*body)(void *arg, int64_t begin, int64_t end);
  void *arg;
} ranges;

static void run_range(void *arg, int64_t i) {
  const ranges *r = arg;
  r->body(r->arg, i * r->piece, snug__min_i64((i + 1) * r->piece, r->n));
}

void snug__parallel_ranges(int32_t threads, int64_t n, int64_t least,
                           void (*body)(void *arg, int64_t begin, int64_t end), void *arg) {
  int64_t worth = threads < 0 ? 1 : snug__max_i64(least, 1) * REGION_COST;
  int64_t pieces = snug__max_i64(1, snug__min_i64(labs((long)threads), n / worth));
  ranges r = {n, (n + pieces - 1) / pieces, body, arg};
  if (n > 0) {
    snug__parallel_for(threads, (n + r.piece - 1) / r.piece, run_range, &r);
  }
}
