#include "device/cpu/rows.h"

#include "base/ctx.h"
#include "device/cpu/each.h"
#include "device/host.h"
#include "ops/support.h"

#define LINE 16 /* elements of a cache line: threads meet between two */

snug_status snug__rows_prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                               const snug__plane_bodies *bodies, float scalar, void **state) {
  const snug__type *out = &sig->out[0];
  snug__type in[2] = {sig->in[0], sig->n_in > 1 ? sig->in[1] : snug__scalar(SNUG_FLOAT32)};
  snug__rows *r = NULL;
  *state = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_PROGRAM, &r));
  r->zip = snug__zip_of(out, in, 2);
  int32_t last = r->zip.rank - 1;
  r->body = bodies->of[r->zip.stride[0][last] != 0][r->zip.stride[1][last] != 0];
  r->columns = r->zip.dim[last];
  int64_t count = snug__type_count(out);
  r->n = last == 0 || count == 0 ? count : count / r->columns;
  r->scalar = scalar;
  snug__needs_in_place_as_op(needs, sig->op);
  *state = r;
  return SNUG_OK;
}

void snug__rows_release(snug_ctx *ctx, void *state) {
  snug__give(ctx, SNUG__MEM_PROGRAM, state, sizeof(snug__rows));
}

typedef struct rows_job {
  const snug__rows *r;
  const float *a, *b;
  float *out;
} rows_job;

/* One row: cut it anywhere. */
static void run_elements(void *arg, int64_t begin, int64_t end) {
  const rows_job *j = arg;
  int64_t first = begin * LINE;
  int64_t last = snug__min_i64(end * LINE, j->r->n);
  snug__plane p = {j->a + first * j->r->zip.stride[0][0],
                   j->b + first * j->r->zip.stride[1][0],
                   j->out + first,
                   1,
                   last - first,
                   0,
                   0};
  j->r->body(&p);
}

/* Where the inputs of a plane begin. */
static void find_plane(const snug__zip *z, int64_t plane, int64_t at[2]) {
  at[0] = at[1] = 0;
  for (int32_t k = z->rank - 3; k >= 0; k--) {
    int64_t index = plane % z->dim[k];
    plane /= z->dim[k];
    at[0] += index * z->stride[0][k];
    at[1] += index * z->stride[1][k];
  }
}

/* Rows of several planes. */
static void run_rows(void *arg, int64_t begin, int64_t end) {
  const rows_job *j = arg;
  const snug__zip *z = &j->r->zip;
  int64_t in_plane = z->dim[z->rank - 2];
  int64_t a_row = z->stride[0][z->rank - 2];
  int64_t b_row = z->stride[1][z->rank - 2];
  int64_t n = 0;
  for (int64_t row = begin; row < end; row += n) {
    int64_t at[2];
    int64_t first = row % in_plane;
    n = snug__min_i64(in_plane - first, end - row);
    find_plane(z, row / in_plane, at);
    snug__plane p = {j->a + at[0] + first * a_row,
                     j->b + at[1] + first * b_row,
                     j->out + row * j->r->columns,
                     n,
                     j->r->columns,
                     a_row,
                     b_row};
    j->r->body(&p);
  }
}

snug_status snug__rows_run(const void *state, const snug__call *call) {
  const snug__rows *r = state;
  rows_job job = {r, call->in[0], call->sig->n_in > 1 ? call->in[1] : &r->scalar, call->out[0]};
  int32_t threads = snug__threads(call->sig);
  if (r->zip.rank == 1) {
    snug__parallel_ranges(threads, (r->n + LINE - 1) / LINE, SNUG__EACH_COPIES / LINE, run_elements,
                          &job);
  } else {
    snug__parallel_ranges(threads, r->n, 1 + SNUG__EACH_COPIES / (r->columns + 1), run_rows, &job);
  }
  return SNUG_OK;
}
