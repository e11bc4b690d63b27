/* A strided copy is loops around a plane (copy_plane.h).  The columns of the plane are the axis
 * that is closest in the destination, its rows the one that is closest in the source, if that is
 * another. Both are cut into chunks: a plane then stays in the cache, and there are enough for
 * threads. */
#include "ops/copy.h"

#include "ops/copy_plane.h"
#include "ops/support.h"

#define LEAST 16384 /* elements worth a thread */
#define CHUNK 4096  /* elements of a plane, about */
#define SIDE 64     /* of a plane that is transposed */

/* A loop over planes. */
typedef struct plane_loop {
  snug__copy_loop step;
  int64_t rows, columns; /* in a step; 0: it steps over another axis */
} plane_loop;

typedef struct job {
  void *dst;
  const void *src;
  snug__plane plane; /* of all rows and columns */
  int32_t n_loops;
  plane_loop loops[SNUG__COPY_RANK];
} job;

/* The destination's order, so that what lies together there is written together. */
static void sort_axes(snug__copy *c) {
  for (int32_t k = 1; k < c->rank; k++) {
    for (int32_t i = k; i > 0 && c->axis[i - 1].to < c->axis[i].to; i--) {
      snug__copy_loop a = c->axis[i];
      c->axis[i] = c->axis[i - 1];
      c->axis[i - 1] = a;
    }
  }
}

/* Axes of size 1 go, and neighbours that both sides walk as one axis become one: what remains has
 * the longest possible last axis. */
static void merge_axes(snug__copy *c) {
  int32_t n = 0;
  for (int32_t k = 0; k < c->rank; k++) {
    snug__copy_loop a = c->axis[k];
    if (a.n == 1) {
      continue;
    }
    if (n > 0 && c->axis[n - 1].to == a.n * a.to && c->axis[n - 1].from == a.n * a.from) {
      a.n *= c->axis[--n].n;
    }
    c->axis[n++] = a;
  }
  c->rank = n;
}

static int64_t closeness(const snug__copy_loop *a) { return snug__min_i64(a->to, a->from); }

/* The axis whose elements lie closest on either side, of those before the last. */
static int32_t find_rows(const snug__copy *c) {
  int32_t best = c->rank - 2;
  for (int32_t k = c->rank - 3; k >= 0; k--) {
    best = closeness(&c->axis[k]) < closeness(&c->axis[best]) ? k : best;
  }
  return best;
}

static void add_loop(job *j, snug__copy_loop step, int64_t rows, int64_t columns) {
  if (step.n == 1) {
    return;
  }
  int32_t k = j->n_loops++;
  for (; k > 0 && j->loops[k - 1].step.from < step.from; k--) {
    j->loops[k] = j->loops[k - 1];
  }
  j->loops[k] = (plane_loop){step, rows, columns};
}

/* Steps of n indices along an axis. */
static snug__copy_loop chunks(const snug__copy_loop *a, int64_t n) {
  return (snug__copy_loop){(a->n + n - 1) / n, n * a->to, n * a->from};
}

/* Sizes of a chunk of the plane. */
static void cut(const snug__plane *p, int64_t *rows, int64_t *columns) {
  bool turned = p->column.from != 1 && p->row.from == 1;
  int64_t height = turned ? snug__min_i64(SIDE, p->row.n) : 1;
  *columns = snug__min_i64(p->column.n, CHUNK / height);
  *rows = snug__min_i64(p->row.n, snug__max_i64(height, CHUNK / *columns));
}

/* The loops go in the order of the source: where both sides walk in their own order within a plane,
 * it is reading that waits. */
static int64_t plan(snug__copy *c, job *j) {
  static const snug__copy_loop once = {1, 0, 0};
  int32_t row = find_rows(c);
  int64_t rows = 0, columns = 0, n = 1;
  *j = (job){.dst = c->dst, .src = c->src, .plane = {.bytes = c->bytes}};
  j->plane.column = c->rank > 0 ? c->axis[c->rank - 1] : once;
  j->plane.row = row >= 0 ? c->axis[row] : once;
  cut(&j->plane, &rows, &columns);
  for (int32_t k = 0; k < c->rank - 1; k++) {
    if (k != row) {
      add_loop(j, c->axis[k], 0, 0);
    }
  }
  add_loop(j, chunks(&j->plane.row, rows), rows, 0);
  add_loop(j, chunks(&j->plane.column, columns), 0, columns);
  if (j->n_loops == 0) {
    j->loops[j->n_loops++].step = once;
  }
  for (int32_t k = 0; k < j->n_loops; k++) {
    n *= j->loops[k].step.n;
  }
  return n;
}

/* The planes at so many steps of the innermost loop, if that is not one over chunks. */
static void copy_planes(const job *j, const int64_t *at, int64_t n) {
  snug__plane p = j->plane;
  const plane_loop *last = &j->loops[j->n_loops - 1];
  int64_t bytes = (int64_t)p.bytes;
  char *dst = j->dst;
  const char *src = j->src;
  for (int32_t k = 0; k < j->n_loops; k++) {
    const plane_loop *l = &j->loops[k];
    dst += at[k] * l->step.to * bytes;
    src += at[k] * l->step.from * bytes;
    if (l->rows) {
      p.row.n = snug__min_i64(l->rows, p.row.n - at[k] * l->rows);
    } else if (l->columns) {
      p.column.n = snug__min_i64(l->columns, p.column.n - at[k] * l->columns);
    }
  }
  for (int64_t i = 0; i < n; i++) {
    snug__plane_copy(&p, dst + i * last->step.to * bytes, src + i * last->step.from * bytes);
  }
}

static void copy_range(void *arg, int64_t begin, int64_t end) {
  const job *j = arg;
  const plane_loop *last = &j->loops[j->n_loops - 1];
  int64_t at[SNUG__COPY_RANK];
  int64_t rest = begin;
  for (int32_t k = j->n_loops - 1; k >= 0; k--) {
    at[k] = rest % j->loops[k].step.n;
    rest /= j->loops[k].step.n;
  }
  while (begin < end) {
    int32_t k = j->n_loops - 1;
    int64_t n = last->rows || last->columns ? 1 : snug__min_i64(last->step.n - at[k], end - begin);
    copy_planes(j, at, n);
    begin += n;
    at[k] += n - 1;
    for (; k >= 0 && ++at[k] == j->loops[k].step.n; k--) {
      at[k] = 0;
    }
  }
}

void snug__copy_run(snug__copy c, int32_t threads) {
  job j;
  int64_t n = 1;
  for (int32_t k = 0; k < c.rank; k++) {
    n *= c.axis[k].n;
  }
  if (n > 0) {
    sort_axes(&c);
    merge_axes(&c);
    int64_t planes = plan(&c, &j);
    snug__parallel_ranges(threads, planes, LEAST * planes / n, copy_range, &j);
  }
}

void snug__row_major(const snug__type *t, int64_t strides[SNUG_MAX_RANK]) {
  int64_t s = 1;
  for (int32_t k = t->rank - 1; k >= 0; k--) {
    strides[k] = s;
    s *= t->dim[k];
  }
}

void snug__fill(const snug__type *t, void *data, double value, int32_t threads) {
  uint64_t one = 0;
  snug__copy c = {.dst = data, .src = &one, .bytes = snug_dtype_bytes(t->dtype)};
  snug__element_set(t->dtype, &one, 0, value);
  snug__copy_axis(&c, snug__type_count(t), 1, 0);
  snug__copy_run(c, threads);
}
