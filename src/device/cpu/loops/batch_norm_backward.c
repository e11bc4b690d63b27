/* Batch normalization backward.  d is the gradient in front of the activation: dy times the slope,
 * which comes from the value recomputed from x, or from y.
 *
 *   dbeta = Σ d, dgamma = Σ d (x - mean) rstd,
 *   dx = gamma rstd (d - mean(d) - (x - mean) rstd² mean(d (x - mean)))
 *
 * Twice through dy and x.  Where d itself is wanted (dresidual), the first time writes it and the
 * second reads it instead of dy and y. */
#include "device/cpu/loops/batch_norm.h"
#include "ops/norm.h"

typedef enum slope { SLOPE_1, SLOPE_RELU, SLOPE_RELU_OF_Y, SLOPE_SWISH, N_SLOPES } slope;

typedef struct backward_job {
  bn_view v;
  const float *dy, *x, *y, *gamma, *beta, *mean, *variance;
  float *dx, *dgamma, *dbeta, *dresidual; /* NULL: not wanted */
  double epsilon;
  slope slope;
  float max_value;
  void *scratch;
} backward_job;

/* Of a group. */
typedef struct coefficients {
  bn_floats mean, scale, shift; /* for the value in front of the activation */
  bn_floats mean_d, slope;      /* dx = scale (d - mean_d - (x - mean) slope) */
  float max_value;
} coefficients;

/* What the loops have besides their columns. */
typedef struct pass {
  coefficients k;
  bn_doubles sum, product; /* of the first time */
} pass;

typedef struct totals {
  bn_doubles sum, product;
} totals;

/* ---- columns, in: dy, x, y ---- */

/* The coefficients of a column. */
typedef struct vectors {
  vec mean, scale, shift, max_value, mean_d, slope;
} vectors;

INLINE vectors load_vectors(const coefficients *k, int64_t lane) {
  vec zero = {0};
  return (vectors){load(k->mean + lane), load(k->scale + lane),  load(k->shift + lane),
                   zero + k->max_value,  load(k->mean_d + lane), load(k->slope + lane)};
}

/* d of the row at `at`, and x - mean. */
INLINE vec gradient(const bn_column *col, const vectors *k, slope how, int64_t at, vec *away) {
  vec zero = {0};
  vec dy = load(col->in[0] + at);
  *away = load(col->in[1] + at) - k->mean;
  vec v = how == SLOPE_RELU_OF_Y ? load(col->in[2] + at) : *away * k->scale + k->shift;
  if (how == SLOPE_SWISH) {
    vec s = sigmoid(v);
    return dy * (s * (1.0f + v * (1.0f - s)));
  }
  return how == SLOPE_1 ? dy : choose((v > zero) & (v < k->max_value), dy, zero);
}

INLINE void sum_row(const bn_column *col, const vectors *k, slope how, bool writes, int64_t at,
                    vec *sum, vec *product) {
  vec away;
  vec d = gradient(col, k, how, at, &away);
  *sum += d;
  *product += d * away;
  if (writes) {
    store(col->out + at, d);
  }
}

INLINE void sum_rows(const bn_column *col, const vectors *k, slope how, bool writes, int64_t begin,
                     int64_t end, pass *p) {
  vec sum[2] = {0};
  vec product[2] = {0};
  int64_t i = begin;
  for (; i + 2 <= end; i += 2) {
    sum_row(col, k, how, writes, i * col->stride, &sum[0], &product[0]);
    sum_row(col, k, how, writes, (i + 1) * col->stride, &sum[1], &product[1]);
  }
  if (i < end) {
    sum_row(col, k, how, writes, i * col->stride, &sum[0], &product[0]);
  }
  add_to_doubles(p->sum + col->lane, sum[0] + sum[1]);
  add_to_doubles(p->product + col->lane, product[0] + product[1]);
}

/* The first time; out: d. */
INLINE void sum_column(const bn_column *column, pass *p, slope how, bool writes) {
  const bn_column col = *column;
  const vectors k = load_vectors(&p->k, col.lane);
  for (int64_t row = 0; row < col.n; row += TILE_ROWS) {
    sum_rows(&col, &k, how, writes, row, snug__min_i64(row + TILE_ROWS, col.n), p);
  }
}

/* The second time; out: dx. */
INLINE void make_column(const bn_column *column, const pass *p, slope how) {
  const bn_column col = *column;
  const vectors k = load_vectors(&p->k, col.lane);
  for (int64_t i = 0; i < col.n; i++) {
    vec away;
    vec d = gradient(&col, &k, how, i * col.stride, &away);
    vec dx = k.scale * (d - k.mean_d - away * k.slope);
    if (col.streams) {
      stream(col.out + i * col.stride, dx);
    } else {
      store(col.out + i * col.stride, dx);
    }
  }
}

#define SLOPE_LOOPS(name, how)                                                                   \
  static void sum_##name(const bn_column *col, void *p) { sum_column(col, p, how, false); }      \
  static void sum_write_##name(const bn_column *col, void *p) { sum_column(col, p, how, true); } \
  static void make_##name(const bn_column *col, void *p) { make_column(col, p, how); }
SLOPE_LOOPS(plain, SLOPE_1)
SLOPE_LOOPS(relu, SLOPE_RELU)
SLOPE_LOOPS(relu_of_y, SLOPE_RELU_OF_Y)
SLOPE_LOOPS(swish, SLOPE_SWISH)

static bn_loop *const summers[2][N_SLOPES] = {
    {sum_plain, sum_relu, sum_relu_of_y, sum_swish},
    {sum_write_plain, sum_write_relu, sum_write_relu_of_y, sum_write_swish}};
static bn_loop *const makers[N_SLOPES] = {make_plain, make_relu, make_relu_of_y, make_swish};

/* ---- a group ---- */

static double rstd_of(const backward_job *j, int64_t channel) {
  return 1.0 / sqrt((double)j->variance[channel] + j->epsilon);
}

/* What the value in front of the activation is made of: as the forward has it. */
static void start_pass(const backward_job *j, int64_t group, pass *p) {
  coefficients *k = &p->k;
  int64_t first = group * j->v.width;
  memset(p, 0, sizeof *p);
  k->max_value = j->max_value;
  for (int64_t c = 0; c < bn_real(&j->v, group); c++) {
    bn_coefficients(j->gamma, j->beta, j->variance, j->epsilon, first + c, &k->scale[c],
                    &k->shift[c]);
    k->mean[c] = j->mean[first + c];
  }
}

/* What dx is made of besides. */
static void use_totals(const backward_job *j, int64_t group, const totals *t, coefficients *k) {
  int64_t first = group * j->v.width;
  double n = (double)snug__max_i64(1, j->v.rows);
  for (int64_t c = 0; c < bn_real(&j->v, group); c++) {
    double rstd = rstd_of(j, first + c);
    k->mean_d[c] = (float)(t->sum[c] / n);
    k->slope[c] = (float)(t->product[c] * rstd * rstd / n);
  }
}

static void write_totals(const backward_job *j, int64_t group, const totals *t) {
  int64_t first = group * j->v.width;
  for (int64_t c = 0; c < bn_real(&j->v, group); c++) {
    if (j->dgamma) {
      j->dgamma[first + c] = (float)(t->product[c] * rstd_of(j, first + c));
    }
    if (j->dbeta) {
      j->dbeta[first + c] = (float)t->sum[c];
    }
  }
}

/* The sums of a part are in p then. */
static void sum_part(const backward_job *j, int64_t group, int64_t part, pass *p) {
  const bn_view *v = &j->v;
  const bn_column all = {.in = {j->dy, j->x, j->y}, .out = j->dresidual};
  bn_loop *sum = summers[j->dresidual != NULL][j->slope];
  int64_t end = bn_part_begin(v, part + 1);
  memset(p->sum, 0, sizeof p->sum);
  memset(p->product, 0, sizeof p->product);
  for (int64_t rows, row = bn_part_begin(v, part); row < end; row += rows) {
    rows = bn_rows_here(v, row, end);
    bn_walk(v, group, row, rows, &all, sum, p);
  }
}

/* The last rows first: those may still be in the cache. */
static void make_rows(const backward_job *j, int64_t group, pass *p, int64_t begin, int64_t end) {
  const float *dy = j->dresidual ? j->dresidual : j->dy;
  bn_column all = {.in = {dy, j->x, j->y}, .out = j->dx};
  bn_loop *make = makers[j->dresidual ? SLOPE_1 : j->slope];
  all.streams = bn_streams(&j->v, &all);
  for (int64_t last = j->dx ? end : begin; last > begin;) {
    int64_t first = snug__max_i64(begin, (last - 1) / j->v.inner * j->v.inner);
    bn_walk(&j->v, group, first, last - first, &all, make, p);
    last = first;
  }
}

/* ---- sharing out ---- */

static void add_totals(const bn_view *v, const double *sum, const double *product, totals *t) {
  for (int64_t c = 0; c < v->width; c++) {
    t->sum[c] += sum[c];
    t->product[c] += product[c];
  }
}

static void do_group(void *arg, int64_t group) {
  const backward_job *j = arg;
  pass p;
  totals all = {0};
  start_pass(j, group, &p);
  for (int32_t part = 0; part < j->v.parts; part++) {
    sum_part(j, group, part, &p);
    add_totals(&j->v, p.sum, p.product, &all);
  }
  write_totals(j, group, &all);
  use_totals(j, group, &all, &p.k);
  make_rows(j, group, &p, 0, j->v.rows);
}

static void do_part_sums(void *arg, int64_t i) {
  const backward_job *j = arg;
  const bn_view *v = &j->v;
  int64_t group = i % v->groups;
  double *partial = bn_partial(v, j->scratch, group, i / v->groups);
  pass p;
  start_pass(j, group, &p);
  sum_part(j, group, i / v->groups, &p);
  memcpy(partial, p.sum, (size_t)v->width * sizeof *partial);
  memcpy(partial + v->width, p.product, (size_t)v->width * sizeof *partial);
}

static void join_parts(const backward_job *j, int64_t group, totals *t) {
  const bn_view *v = &j->v;
  memset(t, 0, sizeof *t);
  for (int32_t p = 0; p < v->parts; p++) {
    const double *partial = bn_partial(v, j->scratch, group, p);
    add_totals(v, partial, partial + v->width, t);
  }
}

static void do_part(void *arg, int64_t i) {
  const backward_job *j = arg;
  const bn_view *v = &j->v;
  int64_t group = i % v->groups;
  int64_t part = i / v->groups;
  pass p;
  totals t;
  start_pass(j, group, &p);
  join_parts(j, group, &t);
  use_totals(j, group, &t, &p.k);
  if (part == 0) {
    write_totals(j, group, &t);
  }
  make_rows(j, group, &p, bn_part_begin(v, part), bn_part_begin(v, part + 1));
}

static snug_status run_job(backward_job *j) {
  const bn_view *v = &j->v;
  if (v->split) {
    snug__parallel_for(v->threads, v->groups * v->parts, do_part_sums, j);
    snug__parallel_for(v->threads, v->groups * v->parts, do_part, j);
  } else {
    snug__parallel_for(v->threads, v->groups, do_group, j);
  }
  return SNUG_OK;
}

/* ---- kernels ---- */

static const float *input(const snug__call *call, int32_t i) {
  return i < call->sig->n_in ? call->in[i] : NULL;
}

static backward_job job_of(const snug__call *call, double epsilon) {
  return (backward_job){.v = bn_view_of(call->sig, &call->sig->in[0]),
                        .dy = call->in[0],
                        .x = call->in[1],
                        .dx = snug__norm_out(call, 0),
                        .dgamma = snug__norm_out(call, 1),
                        .dbeta = snug__norm_out(call, 2),
                        .epsilon = epsilon,
                        .scratch = call->scratch};
}

static snug_status train_grad(const void *state, const snug__call *call) {
  const snug__norm_grad_params *p = call->sig->params;
  backward_job j = job_of(call, p->epsilon);
  (void)state;
  j.gamma = call->in[2];
  j.mean = call->in[3];
  j.variance = call->in[4];
  return run_job(&j);
}

static slope slope_of(const snug__epilogue *epilogue, const float *y) {
  return epilogue->activation == SNUG__SWISH  ? SLOPE_SWISH
         : epilogue->activation != SNUG__RELU ? SLOPE_1
         : y                                  ? SLOPE_RELU_OF_Y
                                              : SLOPE_RELU;
}

static snug_status train_epilogue_grad(const void *state, const snug__call *call) {
  const snug__batch_norm_epilogue_grad_params *p = call->sig->params;
  backward_job j = job_of(call, p->epsilon);
  (void)state;
  j.mean = call->in[2];
  j.variance = call->in[3];
  j.gamma = input(call, 4);
  j.beta = input(call, 5);
  j.y = input(call, 6);
  j.dresidual = snug__norm_out(call, 3);
  j.slope = slope_of(&p->epilogue, j.y);
  if (j.slope == SLOPE_SWISH && !j.dresidual) {
    j.dresidual = j.dx;
  }
  j.max_value = (float)p->epilogue.max_value;
  return run_job(&j);
}

static bool fits(const snug__signature *sig, snug__layouts *want) {
  snug__layout layout = bn_want(sig, want, 0);
  for (int32_t k = 0; k < sig->n_out; k++) {
    want->out[k] = k == 0 || k == 3 ? layout : SNUG__LAYOUT_PLAIN;
  }
  return bn_all_float(sig);
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx;
  bn_prepare(sig, needs);
  *state = NULL;
  return SNUG_OK;
}

/* What costs an exponential is not computed twice: dx holds d in between, so it cannot lie over x.
 */
static snug_status prepare_epilogue(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                                    void **state) {
  const snug__batch_norm_epilogue_grad_params *p = sig->params;
  SNUG_TRY(prepare(ctx, sig, needs, state));
  if (p->epilogue.activation == SNUG__SWISH) {
    needs->in_place[0] &= ~(UINT64_C(1) << 1);
  }
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(batch_norm_train_grad) = {"loop", fits, prepare, train_grad, NULL};
const snug__kernel SNUG_LOOP(batch_norm_train_epilogue_grad) = {"loop", fits, prepare_epilogue,
                                                                train_epilogue_grad, NULL};
