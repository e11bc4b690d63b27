/* The loops of layer_norm, group_norm and rms_norm.  Threads share out the normalized sets, and
 * channels for dgamma and dbeta. */
#include "device/host.h"
#include "ops/group_norm.h"
#include "ops/support.h"

#define BLOCK 64      /* channels of narrow groups that are done at once */
#define NARROW 16     /* channels of a group up to which it counts as narrow */
#define LANES 8       /* partial sums of a run */
#define SUM_BLOCK 512 /* channels that are summed at once: their sums stay in the first cache */

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

/* ---- several groups of few channels at once; `item` is the first of them ---- */

/* Sums per channel into means per group, told to each of its channels. */
static void share(const gn_job *j, double *sum, int64_t w) {
  double count = (double)(j->s * j->k);
  for (int64_t group = 0; group < w; group += j->k) {
    double all = 0.0;
    for (int64_t c = group; c < group + j->k; c++) {
      all += sum[c];
    }
    for (int64_t c = group; c < group + j->k; c++) {
      sum[c] = all / count;
    }
  }
}

/* From a variance in scale: keeps the statistics, and makes y = x scale + shift. */
static void fold(const gn_job *j, int64_t item, int64_t w, const double *mean, double *scale,
                 double *shift) {
  int64_t first = item % j->groups * j->k;
  for (int64_t c = 0; c < w; c++) {
    double rstd = 1.0 / sqrt(scale[c] + j->epsilon);
    keep(j, item + c / j->k, mean[c], rstd);
    scale[c] = rstd * j->gamma[first + c];
    shift[c] = j->beta[first + c] - mean[c] * scale[c];
  }
}

static void kept_of(const gn_job *j, int64_t item, int64_t w, double *mean, double *rstd) {
  for (int64_t c = 0; c < w; c++) {
    mean[c] = kept_mean(j, item + c / j->k);
    rstd[c] = kept_rstd(j, item + c / j->k);
  }
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

/* Items are then (n, block of groups); the first group of block i, and how many channels it has. */
static int64_t block_groups(const gn_job *j) { return snug__min_i64(BLOCK / j->k, j->groups); }

static int64_t blocks_of(const gn_job *j) {
  return (j->groups + block_groups(j) - 1) / block_groups(j);
}

static int64_t block_item(const gn_job *j, int64_t i, int64_t *w) {
  int64_t group = i % blocks_of(j) * block_groups(j);
  *w = snug__min_i64(block_groups(j), j->groups - group) * j->k;
  return i / blocks_of(j) * j->groups + group;
}

static void forward_narrow_range(void *arg, int64_t begin, int64_t end) {
  const gn_job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    int64_t w = 0;
    int64_t item = block_item(j, i, &w);
    SNUG_REAL_CALL(j->dtype, gn_forward_narrow, (j, item, first_of(j, item), w));
  }
}

static void backward_narrow_range(void *arg, int64_t begin, int64_t end) {
  const gn_job *j = arg;
  for (int64_t i = begin; i < end; i++) {
    int64_t w = 0;
    int64_t item = block_item(j, i, &w);
    SNUG_REAL_CALL(j->dtype, gn_backward_narrow, (j, item, first_of(j, item), w));
  }
}

static void sums_range(void *arg, int64_t begin, int64_t end) {
  const gn_job *j = arg;
  int64_t next = begin;
  for (int64_t c = begin; c < end; c = next) {
    int64_t group_end = (c / j->k + 1) * j->k;
    next = snug__min_i64(snug__min_i64(c + SUM_BLOCK, group_end), end);
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

typedef void range_body(void *arg, int64_t begin, int64_t end);

static void over_items(const snug__call *call, gn_job *j, range_body *wide, range_body *narrow) {
  int64_t each = j->s * j->k;
  if (each == 0 || j->groups == 0) {
    return;
  }
  if (j->s > 1 && j->groups > 1 && j->k <= NARROW) {
    snug__parallel_ranges(snug__threads(call->sig), j->n * blocks_of(j),
                          1 + 16384 / (each * block_groups(j)), narrow, j);
  } else {
    snug__parallel_ranges(snug__threads(call->sig), j->n * j->groups, 1 + 16384 / each, wide, j);
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
  over_items(call, &j, forward_range, forward_narrow_range);
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
    snug__parallel_ranges(snug__threads(call->sig), j.channels, least, sums_range, &j);
    snug__norm_write(call, 1, j.channels, j.dgamma);
    snug__norm_write(call, 2, j.channels, j.dbeta);
  }
  if (j.y) { /* last: it may take the place of dy or x */
    over_items(call, &j, backward_range, backward_narrow_range);
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
