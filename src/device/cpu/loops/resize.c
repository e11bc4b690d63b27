/* Resizing of float32 images, channels side by side in registers.  What an output takes along the
 * width is the same in all rows and kept in a table.  A row of dx is written by one thread, which
 * adds to it what the outputs that read it give, in their order. */
#include "ops/resize.h"

#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/lanes.h"
#include "device/host.h"
#include "ops/support.h"

#define INLINE static inline __attribute__((always_inline))

/* What counts of the two taps along an axis: a neighbour that does not may be infinite. */
typedef struct taps {
  int64_t n, at[2]; /* in floats */
  double weight[2];
} taps;

typedef struct job {
  snug__resize_axis h, w;
  int64_t channels;
  const float *in; /* x, or dy */
  float *out;      /* y, or dx */
  taps *columns;   /* of each output along the width */
} job;

static taps taps_of(const snug__resize_axis *a, int64_t o, int64_t step) {
  snug__resize_taps both = snug__resize_taps_of(a, o);
  taps t = {0};
  for (int32_t i = 0; i < 2; i++) {
    if (both.weight[i] != 0.0) {
      t.at[t.n] = both.at[i] * step;
      t.weight[t.n++] = both.weight[i];
    }
  }
  return t;
}

/* n channels of a pixel from those that count, in one or two rows. */
INLINE void mix(const float *x, const taps *rows, const taps *columns, float *y, int64_t n) {
  lanes sum = {0};
  for (int64_t r = 0; r < rows->n; r++) {
    for (int64_t t = 0; t < columns->n; t++) {
      float weight = (float)(rows->weight[r] * columns->weight[t]);
      sum += lanes_load(x + rows->at[r] + columns->at[t], n) * weight;
    }
  }
  lanes_store(y, sum, n);
}

static void forward_row(const job *j, const float *x, const taps *rows, float *y) {
  for (int64_t ox = 0; ox < j->w.out; ox++, y += j->channels) {
    int64_t c = 0;
    for (; c + LANES <= j->channels; c += LANES) {
      mix(x + c, rows, &j->columns[ox], y + c, LANES);
    }
    if (c < j->channels) {
      mix(x + c, rows, &j->columns[ox], y + c, j->channels - c);
    }
  }
}

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    taps rows = taps_of(&j->h, row % j->h.out, j->w.in * j->channels);
    forward_row(j, j->in + row / j->h.out * j->h.in * j->w.in * j->channels, &rows,
                j->out + row * j->w.out * j->channels);
  }
}

INLINE void add(float *dx, const float *dy, float weight, int64_t n) {
  lanes_store(dx, lanes_load(dx, n) + lanes_load(dy, n) * weight, n);
}

/* What a row of dy, which counts so much for a row of dx, gives to that. */
static void give_row(const job *j, float *dx, const float *dy, double weight) {
  for (int64_t ox = 0; ox < j->w.out; ox++, dy += j->channels) {
    const taps *columns = &j->columns[ox];
    for (int64_t t = 0; t < columns->n; t++) {
      float *to = dx + columns->at[t];
      float part = (float)(weight * columns->weight[t]);
      int64_t c = 0;
      for (; c + LANES <= j->channels; c += LANES) {
        add(to + c, dy + c, part, LANES);
      }
      if (c < j->channels) {
        add(to + c, dy + c, part, j->channels - c);
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

static snug_status prepare_table(int64_t columns, snug__needs *needs, void **state) {
  *state = NULL;
  needs->scratch_bytes = columns * (int64_t)sizeof(taps);
  return SNUG_OK;
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx;
  return prepare_table(sig->out[0].dim[2], needs, state);
}

static snug_status prepare_bwd(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                               void **state) {
  (void)ctx;
  return prepare_table(sig->in[0].dim[2], needs, state);
}

static job job_of(const snug__call *call, const snug__type *x, const snug__type *y,
                  int32_t interpolation) {
  bool bilinear = interpolation == SNUG__INTERPOLATION_BILINEAR;
  job j = {.h = {x->dim[1], y->dim[1], bilinear},
           .w = {x->dim[2], y->dim[2], bilinear},
           .channels = x->dim[3],
           .in = call->in[0],
           .out = call->out[0],
           .columns = call->scratch};
  for (int64_t o = 0; o < j.w.out; o++) {
    j.columns[o] = taps_of(&j.w, o, j.channels);
  }
  return j;
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
  snug__parallel_ranges(snug__threads(s), rows, least_rows(s, rows), forward_rows, &j);
  return SNUG_OK;
}

static snug_status run_bwd(const void *state, const snug__call *call) {
  const snug__signature *s = call->sig;
  const snug__resize2d_bwd_params *p = s->params;
  job j = job_of(call, &s->out[0], &s->in[0], p->interpolation);
  int64_t rows = s->in[0].dim[0] * j.h.in;
  (void)state;
  snug__parallel_ranges(snug__threads(s), rows, least_rows(s, rows), backward_rows, &j);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(resize2d) = {"resize2d loop", fits, prepare, run, NULL};
const snug__kernel SNUG_LOOP(resize2d_bwd) = {"resize2d_bwd loop", fits, prepare_bwd, run_bwd,
                                              NULL};
