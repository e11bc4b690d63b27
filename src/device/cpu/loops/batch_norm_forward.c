/* Batch normalization forward: x is read once for mean and variance, once for y.
 *
 * Both moments are sums of distances from a pivot, the mean of the rows before the chunk (of the
 * first rows, for the first chunk).  That is as exact as two passes: what a chunk whose mean is far
 * from the pivot loses in its variance is small against what the distance adds to the variance of
 * all. */
#include "device/cpu/loops/batch_norm.h"
#include "ops/norm.h"

#define PIVOT_ROWS 64
#define CHUNK 512 /* rows of one pivot */

typedef struct forward_job {
  bn_view v;
  const float *x, *residual, *gamma, *beta;
  const float *mean, *variance;       /* that y is made from */
  float *new_mean, *new_variance, *y; /* the first two: NULL where they are given */
  double epsilon;
  snug__epilogue epilogue;
  void *scratch;
} forward_job;

/* ---- moments ---- */

typedef struct moments {
  double n;
  bn_doubles mean, squares; /* squares of the distances from the mean */
} moments;

typedef struct sums {
  bn_floats pivot;
  bn_doubles sum, squares;
} sums;

/* A pivot of 16 bits: distances from it are then mostly exact.  The fine bits of one pivot would be
 * rounded the same way in all of them, and so not cancel in the sum. */
static float pivot_near(double mean) {
  return snug_float_of(snug_bits_of((float)mean) & 0xFFFFFF00u);
}

/* Eight rows at a time: what a mean errs by is the error of so short a sum. */
INLINE void add_rows(const float *x, int64_t stride, int64_t n, vec pivot, sums *s, int64_t lane) {
  vec squares[4] = {0};
  vec rest = {0};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    vec sum[4];
    for (int32_t k = 0; k < 4; k++) {
      vec a = load(x + (i + k) * stride) - pivot;
      vec b = load(x + (i + k + 4) * stride) - pivot;
      sum[k] = a + b;
      squares[k] += a * a + b * b;
    }
    add_to_doubles(s->sum + lane, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
  for (; i < n; i++) {
    vec d = load(x + i * stride) - pivot;
    rest += d;
    squares[0] += d * d;
  }
  add_to_doubles(s->sum + lane, rest);
  add_to_doubles(s->squares + lane, (squares[0] + squares[1]) + (squares[2] + squares[3]));
}

/* in: x */
static void add_column(const bn_column *col, void *arg) {
  sums *s = arg;
  vec pivot = load(s->pivot + col->lane);
  for (int64_t row = 0; row < col->n; row += TILE_ROWS) {
    add_rows(col->in[0] + row * col->stride, col->stride, snug__min_i64(TILE_ROWS, col->n - row),
             pivot, s, col->lane);
  }
}

/* Add n rows of so many channels, whose sums are in s. */
static void fold(int64_t n, int64_t channels, sums *s, moments *m) {
  double part = 1.0 / (double)n;
  double share = (double)n / (m->n + (double)n);
  for (int64_t c = 0; c < channels; c++) {
    double from_pivot = s->sum[c] * part;
    double away = (double)s->pivot[c] + from_pivot - m->mean[c];
    m->squares[c] += s->squares[c] - s->sum[c] * from_pivot + away * away * share * m->n;
    m->mean[c] += away * share;
    s->pivot[c] = pivot_near(m->mean[c]);
    s->sum[c] = s->squares[c] = 0.0;
  }
  m->n += (double)n;
}

static void find_pivot(const forward_job *j, int64_t group, int64_t begin, int64_t end, sums *s) {
  const bn_column all = {.in = {j->x}};
  int64_t n = snug__min_i64(PIVOT_ROWS, bn_rows_here(&j->v, begin, end));
  memset(s, 0, sizeof *s);
  bn_walk(&j->v, group, begin, n, &all, add_column, s);
  for (int64_t c = 0; c < PLAIN_WIDTH; c++) {
    s->pivot[c] = pivot_near(s->sum[c] / (double)n);
    s->sum[c] = s->squares[c] = 0.0;
  }
}

static void part_moments(const forward_job *j, int64_t group, int64_t part, moments *m) {
  const bn_view *v = &j->v;
  const bn_column all = {.in = {j->x}};
  int64_t end = bn_part_begin(v, part + 1);
  int64_t row = bn_part_begin(v, part);
  int64_t n = 0;
  sums s;
  memset(m, 0, sizeof *m);
  if (row < end) {
    find_pivot(j, group, row, end, &s);
  }
  for (int64_t rows; row < end; row += rows) {
    rows = snug__min_i64(CHUNK, bn_rows_here(v, row, end));
    bn_walk(v, group, row, rows, &all, add_column, &s);
    n += rows;
    if (n >= CHUNK || row + rows == end) {
      fold(n, bn_stored(v, group), &s, m);
      n = 0;
    }
  }
}

/* Add the moments of n more rows. */
static void join(const bn_view *v, double n, const double *mean, const double *squares,
                 moments *m) {
  double all = m->n + n;
  double share = all > 0.0 ? n / all : 0.0;
  for (int64_t c = 0; c < v->width; c++) {
    double away = mean[c] - m->mean[c];
    m->squares[c] += squares[c] + away * away * share * m->n;
    m->mean[c] += away * share;
  }
  m->n = all;
}

static double part_rows(const bn_view *v, int64_t part) {
  return (double)(bn_part_begin(v, part + 1) - bn_part_begin(v, part));
}

static void write_statistics(const forward_job *j, int64_t group, const moments *m) {
  int64_t first = group * j->v.width;
  for (int64_t c = 0; c < bn_real(&j->v, group); c++) {
    j->new_mean[first + c] = (float)m->mean[c];
    j->new_variance[first + c] = (float)(m->squares[c] / (m->n > 0.0 ? m->n : 1.0));
  }
}

static void group_moments(const forward_job *j, int64_t group) {
  moments all = {0};
  moments m;
  for (int32_t p = 0; p < j->v.parts; p++) {
    part_moments(j, group, p, &m);
    join(&j->v, m.n, m.mean, m.squares, &all);
  }
  write_statistics(j, group, &all);
}

/* ---- y ---- */

typedef struct coefficients {
  bn_floats mean, scale, shift;
  float max_value;
} coefficients;

static void find_coefficients(const forward_job *j, int64_t group, coefficients *k) {
  int64_t first = group * j->v.width;
  memset(k, 0, sizeof *k);
  k->max_value = (float)j->epilogue.max_value;
  for (int64_t c = 0; c < bn_real(&j->v, group); c++) {
    bn_coefficients(j->gamma, j->beta, j->variance, j->epsilon, first + c, &k->scale[c],
                    &k->shift[c]);
    k->mean[c] = j->mean[first + c];
  }
}

/* in: x, residual; out: y */
INLINE void make_column(const bn_column *column, const coefficients *k, int32_t activation,
                        bool has_residual) {
  const bn_column col = *column;
  vec mean = load(k->mean + col.lane);
  vec scale = load(k->scale + col.lane);
  vec shift = load(k->shift + col.lane);
  vec zero = {0};
  vec max_value = zero + k->max_value;
  for (int64_t i = 0; i < col.n; i++) {
    int64_t at = i * col.stride;
    vec v = (load(col.in[0] + at) - mean) * scale + shift;
    v = has_residual ? v + load(col.in[1] + at) : v;
    v = activation == SNUG__SWISH ? v * sigmoid(v) : v;
    if (activation == SNUG__RELU) {
      v = choose(v > max_value, max_value, v);
      v = choose(v <= zero, zero, v);
    }
    if (col.streams) {
      stream(col.out + at, v);
    } else {
      store(col.out + at, v);
    }
  }
}

#define MAKER(name, activation)                                                                   \
  static void name(const bn_column *col, void *arg) { make_column(col, arg, activation, false); } \
  static void sum_##name(const bn_column *col, void *arg) {                                       \
    make_column(col, arg, activation, true);                                                      \
  }
MAKER(linear, SNUG__LINEAR)
MAKER(relu, SNUG__RELU)
MAKER(swish, SNUG__SWISH)

static bn_loop *const makers[2][3] = {{linear, relu, swish}, {sum_linear, sum_relu, sum_swish}};

/* The last rows first: those may still be in the cache. */
static void make_rows(const forward_job *j, int64_t group, int64_t begin, int64_t end) {
  bn_column all = {.in = {j->x, j->residual}, .out = j->y};
  bn_loop *make = makers[j->residual != NULL][j->epilogue.activation];
  coefficients k;
  all.streams = bn_streams(&j->v, &all);
  find_coefficients(j, group, &k);
  for (int64_t last = end; last > begin;) {
    int64_t first = snug__max_i64(begin, (last - 1) / j->v.inner * j->v.inner);
    bn_walk(&j->v, group, first, last - first, &all, make, &k);
    last = first;
  }
}

/* ---- sharing out ---- */

static void do_group(void *arg, int64_t group) {
  const forward_job *j = arg;
  if (j->new_mean) {
    group_moments(j, group);
  }
  make_rows(j, group, 0, j->v.rows);
}

static void do_part_moments(void *arg, int64_t i) {
  const forward_job *j = arg;
  const bn_view *v = &j->v;
  int64_t group = i % v->groups;
  int64_t part = i / v->groups;
  double *partial = bn_partial(v, j->scratch, group, part);
  moments m;
  part_moments(j, group, part, &m);
  memcpy(partial, m.mean, (size_t)v->width * sizeof *partial);
  memcpy(partial + v->width, m.squares, (size_t)v->width * sizeof *partial);
}

static void join_parts(const forward_job *j, int64_t group) {
  const bn_view *v = &j->v;
  moments all = {0};
  for (int32_t p = 0; p < v->parts; p++) {
    const double *partial = bn_partial(v, j->scratch, group, p);
    join(v, part_rows(v, p), partial, partial + v->width, &all);
  }
  write_statistics(j, group, &all);
}

static void do_part(void *arg, int64_t i) {
  const forward_job *j = arg;
  const bn_view *v = &j->v;
  int64_t part = i / v->groups;
  make_rows(j, i % v->groups, bn_part_begin(v, part), bn_part_begin(v, part + 1));
}

static void run_job(forward_job *j) {
  const bn_view *v = &j->v;
  if (!v->split) {
    snug__parallel_for(v->threads, v->groups, do_group, j);
    return;
  }
  if (j->new_mean) {
    snug__parallel_for(v->threads, v->groups * v->parts, do_part_moments, j);
    for (int64_t g = 0; g < v->groups; g++) {
      join_parts(j, g);
    }
  }
  snug__parallel_for(v->threads, v->groups * v->parts, do_part, j);
}

/* ---- kernels: (x, gamma?, beta?, [mean, variance,] residual?) -> y[, mean, variance] ---- */

static const float *input(const snug__call *call, int32_t i) {
  return i < call->sig->n_in ? call->in[i] : NULL;
}

static forward_job job_of(const snug__call *call, double epsilon, const snug__epilogue *epilogue) {
  return (forward_job){.v = bn_view_of(call->sig, &call->sig->in[0]),
                       .x = call->in[0],
                       .gamma = input(call, 1),
                       .beta = input(call, 2),
                       .y = call->out[0],
                       .epsilon = epsilon,
                       .epilogue = snug__epilogue_for(epilogue, SNUG_FLOAT32),
                       .scratch = call->scratch};
}

static snug_status run_train(const snug__call *call, double epsilon,
                             const snug__epilogue *epilogue) {
  forward_job j = job_of(call, epsilon, epilogue);
  j.residual = input(call, 3);
  j.mean = j.new_mean = call->out[1];
  j.variance = j.new_variance = call->out[2];
  run_job(&j);
  return SNUG_OK;
}

static snug_status run_infer(const snug__call *call, double epsilon,
                             const snug__epilogue *epilogue) {
  forward_job j = job_of(call, epsilon, epilogue);
  j.residual = input(call, 5);
  j.mean = call->in[3];
  j.variance = call->in[4];
  run_job(&j);
  return SNUG_OK;
}

static const snug__epilogue no_activation = {SNUG__LINEAR, INFINITY};

static snug_status train(const void *state, const snug__call *call) {
  const snug__batch_norm_params *p = call->sig->params;
  (void)state;
  return run_train(call, p->epsilon, &no_activation);
}

static snug_status infer(const void *state, const snug__call *call) {
  const snug__batch_norm_params *p = call->sig->params;
  (void)state;
  return run_infer(call, p->epsilon, &no_activation);
}

static snug_status train_epilogue(const void *state, const snug__call *call) {
  const snug__batch_norm_epilogue_params *p = call->sig->params;
  (void)state;
  return run_train(call, p->epsilon, &p->epilogue);
}

static snug_status infer_epilogue(const void *state, const snug__call *call) {
  const snug__batch_norm_epilogue_params *p = call->sig->params;
  (void)state;
  return run_infer(call, p->epsilon, &p->epilogue);
}

static bool fits(const snug__signature *sig, snug__layouts *want) {
  want->out[0] = bn_want(sig, want, 0);
  return bn_all_float(sig);
}

static snug_status prepare_train(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                                 void **state) {
  (void)ctx;
  bn_prepare(sig, needs);
  *state = NULL;
  return SNUG_OK;
}

static snug_status prepare_infer(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                                 void **state) {
  (void)ctx;
  snug__needs_in_place_as_op(needs, sig->op);
  *state = NULL;
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(batch_norm_train) = {"loop", fits, prepare_train, train, NULL};
const snug__kernel SNUG_LOOP(batch_norm_infer) = {"loop", fits, prepare_infer, infer, NULL};
const snug__kernel SNUG_LOOP(batch_norm_train_epilogue) = {"loop", fits, prepare_train,
                                                           train_epilogue, NULL};
const snug__kernel SNUG_LOOP(batch_norm_infer_epilogue) = {"loop", fits, prepare_infer,
                                                           infer_epilogue, NULL};
