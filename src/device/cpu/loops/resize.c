/* Resizing of float32 images, channels side by side in registers.  A row of dx is written by one
 * thread, which adds to it what the outputs that read it give, in their order. */
#include "ops/resize.h"

#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/lanes.h"
#include "ops/support.h"

typedef struct job {
  snug__resize_axis h, w;
  int64_t channels;
  const float *in; /* x, or dy */
  float *out;      /* y, or dx */
} job;

/* What counts for a pixel: at most two pixels of two rows. */
typedef struct corners {
  int32_t n;
  const float *at[4];
  float weight[4];
} corners;

/* A neighbour that does not count may be infinite: it is not read. */
static corners corners_of(const job *j, const float *x, const snug__resize_taps *v,
                          const snug__resize_taps *h) {
  corners c = {0};
  for (int32_t t = 0; t < 4; t++) {
    double weight = v->weight[t / 2] * h->weight[t % 2];
    if (weight != 0.0) {
      c.at[c.n] = x + (v->at[t / 2] * j->w.in + h->at[t % 2]) * j->channels;
      c.weight[c.n++] = (float)weight;
    }
  }
  return c;
}

static void mix(const corners *from, float *y, int64_t channels) {
  for (int64_t c = 0; c < channels; c += LANES) {
    lanes sum = lanes_load(from->at[0] + c, channels - c) * from->weight[0];
    for (int32_t t = 1; t < from->n; t++) {
      sum += lanes_load(from->at[t] + c, channels - c) * from->weight[t];
    }
    lanes_store(y + c, sum, channels - c);
  }
}

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    const float *x = j->in + row / j->h.out * j->h.in * j->w.in * j->channels;
    float *y = j->out + row * j->w.out * j->channels;
    snug__resize_taps v = snug__resize_taps_of(&j->h, row % j->h.out);
    for (int64_t ox = 0; ox < j->w.out; ox++) {
      snug__resize_taps h = snug__resize_taps_of(&j->w, ox);
      corners from = corners_of(j, x, &v, &h);
      mix(&from, y + ox * j->channels, j->channels);
    }
  }
}

static void add(float *dx, const float *dy, float weight, int64_t channels) {
  for (int64_t c = 0; c < channels; c += LANES) {
    int64_t n = channels - c;
    lanes_store(dx + c, lanes_load(dx + c, n) + lanes_load(dy + c, n) * weight, n);
  }
}

/* What a row of dy, which counts so much for a row of dx, gives to that. */
static void give_row(const job *j, float *dx, const float *dy, double weight) {
  for (int64_t ox = 0; ox < j->w.out; ox++, dy += j->channels) {
    snug__resize_taps h = snug__resize_taps_of(&j->w, ox);
    for (int32_t t = 0; t < 2; t++) {
      if (h.weight[t] != 0.0) {
        add(dx + h.at[t] * j->channels, dy, (float)(weight * h.weight[t]), j->channels);
      }
    }
  }
}

static void backward_rows(void *arg, int64_t begin, int64_t end) {
  const job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    int64_t iy = row % j->h.in;
    float *dx = j->out + row * j->w.in * j->channels;
    const float *dy = j->in + row / j->h.in * j->h.out * j->w.out * j->channels;
    snug__span ys = snug__resize_readers(&j->h, iy);
    memset(dx, 0, (size_t)(j->w.in * j->channels) * sizeof *dx);
    for (int64_t oy = ys.begin; oy < ys.end; oy++) {
      double weight = snug__resize_weight(&j->h, oy, iy);
      if (weight != 0.0) {
        give_row(j, dx, dy + oy * j->w.out * j->channels, weight);
      }
    }
  }
}

/* ---- the kernels ---- */

static bool fits(const snug__signature *sig, snug__layouts *want) {
  (void)want;
  return sig->in[0].dtype == SNUG_FLOAT32;
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx, (void)sig, (void)needs;
  *state = NULL;
  return SNUG_OK;
}

static job job_of(const snug__call *call, const snug__type *x, const snug__type *y,
                  int32_t interpolation) {
  bool bilinear = interpolation == SNUG__INTERPOLATION_BILINEAR;
  return (job){.h = {x->dim[1], y->dim[1], bilinear},
               .w = {x->dim[2], y->dim[2], bilinear},
               .channels = x->dim[3],
               .in = call->in[0],
               .out = call->out[0]};
}

static int64_t least_rows(const snug__signature *sig, int64_t rows) {
  return snug__least_items(rows, snug__op_cost(sig).flops / 8.0);
}

static snug_status run(const void *state, const snug__call *call) {
  const snug__signature *s = call->sig;
  const snug__resize2d_params *p = s->params;
  job j = job_of(call, &s->in[0], &s->out[0], p->interpolation);
  int64_t rows = s->in[0].dim[0] * j.h.out;
  (void)state;
  snug__parallel_ranges(s->threads, rows, least_rows(s, rows), forward_rows, &j);
  return SNUG_OK;
}

static snug_status run_bwd(const void *state, const snug__call *call) {
  const snug__signature *s = call->sig;
  const snug__resize2d_bwd_params *p = s->params;
  job j = job_of(call, &s->out[0], &s->in[0], p->interpolation);
  int64_t rows = s->in[0].dim[0] * j.h.in;
  (void)state;
  snug__parallel_ranges(s->threads, rows, least_rows(s, rows), backward_rows, &j);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(resize2d) = {"resize2d loop", fits, prepare, run, NULL};
const snug__kernel SNUG_LOOP(resize2d_bwd) = {"resize2d_bwd loop", fits, prepare, run_bwd, NULL};
