/* The loops of layer_norm, group_norm and rms_norm.  Threads share out the normalized sets, and
 * channels for dgamma and dbeta. */
#include "ops/group_norm.h"
#include "ops/support.h"

#define BLOCK 64 /* channels that are summed at once */
#define LANES 8  /* partial sums of a run */

typedef struct gn_job {
  snug_dtype dtype, kept_dtype;
  int64_t n, s, groups, k, channels;
  bool centered;
  double epsilon;
  const void *x, *dy;
  void *y;                   /* or dx */
  const void *mean, *rstd;   /* backward */
  void *mean_out, *rstd_out; /* forward, or NULL */
  double *gamma, *beta;      /* as doubles */
  double *dgamma, *dbeta;
} gn_job;

static void keep(const gn_job *j, int64_t item, double mean, double rstd) {
  if (j->mean_out) {
    snug__element_set(j->kept_dtype, j->mean_out, item, mean);
  }
  if (j->rstd_out) {
    snug__element_set(j->kept_dtype, j->rstd_out, item, rstd);
  }
}

static double kept_mean(const gn_job *j, int64_t item) {
  return j->mean ? snug__element_get(j->kept_dtype, j->mean, item) : 0.0;
}

static double kept_rstd(const gn_job *j, int64_t item) {
  return snug__element_get(j->kept_dtype, j->rstd, item);
}

static double together(const double part[LANES]) {
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

#define SNUG_REAL_FILE "ops/group_norm_ref.inc"
#include "ops/real.h"

/* The first element of an item. */
static int64_t first_of(const gn_job *j, int64_t item) {
  return item / j->groups * j->s * j->channels + item % j->groups * j->k;
}

static void forward_range(void *arg, int64_t begin, int64_t end) {
  const gn_job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    SNUG_REAL_CALL(j->dtype, gn_forward, (j, i, first_of(j, i)));
  }
}

static void backward_range(void *arg, int64_t begin, int64_t end) {
  const gn_job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    SNUG_REAL_CALL(j->dtype, gn_backward, (j, i, first_of(j, i)));
  }
}

static void sums_range(void *arg, int64_t begin, int64_t end) {
  const gn_job *j = arg;
  int64_t next = begin;
  for (int64_t c = begin; c < end; c = next) {
    int64_t group_end = (c / j->k + 1) * j->k;
    next = snug__min_i64(snug__min_i64(c + BLOCK, group_end), end);
    SNUG_REAL_CALL(j->dtype, gn_sums, (j, c, next));
  }
}

static gn_job job_of(const snug__type *x, snug__group_view v) {
  return (gn_job){.dtype = x->dtype,
                  .kept_dtype = snug__wide_dtype(x->dtype),
                  .n = v.n,
                  .s = v.s,
                  .groups = v.groups,
                  .k = v.k,
                  .channels = v.groups * v.k,
                  .centered = v.centered};
}

static void over_items(const snug__call *call, gn_job *j,
                       void (*body)(void *arg, int64_t begin, int64_t end)) {
  int64_t each = j->s * j->k;
  if (each > 0) {
    snug__parallel_ranges(call->sig->threads, j->n * j->groups, 1 + 16384 / each, body, j);
  }
}

/* Nothing to normalize over: the statistics are those of zeros. */
static void keep_of_nothing(const gn_job *j) {
  for (int64_t i = 0; j->s * j->k == 0 && i < j->n * j->groups; i++) {
    keep(j, i, 0.0, 1.0 / sqrt(j->epsilon));
  }
}

void snug__group_norm_run(const snug__call *call, snug__group_view v, double epsilon) {
  gn_job j = job_of(&call->sig->in[0], v);
  j.epsilon = epsilon;
  j.x = call->in[0];
  j.y = call->out[0];
  j.mean_out = v.centered ? snug__norm_out(call, 1) : NULL;
  j.rstd_out = snug__norm_out(call, v.centered ? 2 : 1);
  j.gamma = call->scratch;
  j.beta = j.gamma + j.channels;
  snug__norm_read(call, 1, j.channels, 1.0, j.gamma);
  snug__norm_read(call, 2, j.channels, 0.0, j.beta);
  keep_of_nothing(&j);
  over_items(call, &j, forward_range);
}

void snug__group_norm_run_grad(const snug__call *call, snug__group_view v) {
  gn_job j = job_of(&call->sig->in[1], v);
  j.dy = call->in[0];
  j.x = call->in[1];
  j.y = snug__norm_out(call, 0);
  j.mean = v.centered ? call->in[3] : NULL;
  j.rstd = call->in[v.centered ? 4 : 3];
  j.kept_dtype = call->sig->in[3].dtype;
  j.gamma = call->scratch;
  j.dgamma = j.gamma + j.channels;
  j.dbeta = j.dgamma + j.channels;
  snug__norm_read(call, 2, j.channels, 1.0, j.gamma);
  if (snug__norm_out(call, 1) || snug__norm_out(call, 2)) {
    memset(j.dgamma, 0, 2 * (size_t)j.channels * sizeof *j.dgamma);
    int64_t least = snug__max_i64(16, 16384 / snug__max_i64(1, j.n * j.s));
    snug__parallel_ranges(call->sig->threads, j.channels, least, sums_range, &j);
    snug__norm_write(call, 1, j.channels, j.dgamma);
    snug__norm_write(call, 2, j.channels, j.dbeta);
  }
  if (j.y) { /* last: it may take the place of dy or x */
    over_items(call, &j, backward_range);
  }
}

size_t snug__group_norm_scratch(snug__group_view v) {
  return 2 * (size_t)(v.groups * v.k) * sizeof(double);
}

size_t snug__group_norm_grad_scratch(snug__group_view v) {
  return 3 * (size_t)(v.groups * v.k) * sizeof(double);
}

snug__cost snug__group_norm_cost(const snug__signature *sig) {
  return (snug__cost){8.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}
