/* The weight gradient of a depthwise convolution on blocks of channels, for any kernel, stride and
 * dilation.  A block of channels is summed by one thread, in a fixed order: in float over a bounded
 * number of outputs, in double beyond.  Where blocks are few, a batch is cut into parts that are
 * summed apart; into how many does not depend on the threads, so neither does a bit of the result.
 */
#include <string.h>

#include "device/cpu/loops/depthwise_weights.h"
#include "device/cpu/loops/isa.h"
#include "device/host.h"
#include "ops/conv.h"
#include "ops/support.h"

#define INLINE static inline __attribute__((always_inline))

#define LANES 8
#define FN(name) name##_8
#include "device/cpu/loops/depthwise_weights.inc"
#undef FN
#define LANES 16
#define FN(name) name##_16
#include "device/cpu/loops/depthwise_weights.inc"
#undef FN

#define MOST_TAPS 128 /* of a kernel: its sums are kept on the stack */
#define MOST_LANES 16
#define MOST_PIECES ((MOST_TAPS + PIECE - 1) / PIECE)
#define RUN 256        /* outputs that are summed in float */
#define LEAST_ITEMS 16 /* of work, if there are as many images */

typedef struct job {
  snug__conv c;
  int64_t lanes, blocks, taps, parts;
  int32_t n_pieces;
  piece pieces[MOST_PIECES];
  const float *x, *dy;
  float *dw;
  double *parted; /* [parts][blocks][taps][lanes]; not used if there is one part */
} job;

static snug__conv conv_of(const snug__signature *sig) {
  snug__conv2d_params grouped;
  snug__type x = snug__type_in(sig->in[0], SNUG__LAYOUT_PLAIN);
  snug__type kernel = snug__type_in(sig->out[0], SNUG__LAYOUT_PLAIN);
  snug__type flat = snug__depthwise_as_conv(&kernel, sig->params, &grouped);
  return snug__conv_of(&x, &flat, &grouped);
}

/* Where no output has all taps of a piece inside, all are at an edge. */
static void cut(job *j) {
  const snug__window *w = &j->c.w;
  for (int64_t t = 0; t < w->kernel; t += PIECE) {
    int64_t n = snug__min_i64(PIECE, w->kernel - t);
    int64_t begin = snug__min_i64(snug__window_outs(w, t).begin, w->out);
    int64_t end = snug__max_i64(snug__window_outs(w, t + n - 1).end, begin);
    j->pieces[j->n_pieces++] = (piece){t, n, begin, end};
  }
}

static job job_of(const snug__signature *sig) {
  job j = {.c = conv_of(sig)};
  j.lanes = sig->in[0].layout == SNUG__LAYOUT_NCHW16C ? 16 : 8;
  j.blocks = snug__ceil_div(j.c.cin, j.lanes);
  j.taps = j.c.h.kernel * j.c.w.kernel;
  j.parts = snug__max_i64(1, snug__min_i64(j.c.batch, snug__ceil_div(LEAST_ITEMS, j.blocks)));
  cut(&j);
  return j;
}

/* Add the products of output rows [begin, end) with what row t of the kernel reads. */
static void add_rows(const job *j, int64_t plane, int64_t begin, int64_t end, int64_t t,
                     float *sums) {
  const snug__window *h = &j->c.h;
  const snug__window *w = &j->c.w;
  snug__span inside = snug__window_outs(h, t);
  begin = snug__max_i64(begin, inside.begin);
  end = snug__min_i64(end, inside.end);
  if (begin >= end) {
    return;
  }
  rows r = {end - begin, w->out, w->in, w->stride, w->dilation, w->before, 0, NULL, NULL};
  r.x_step = h->stride * w->in * j->lanes;
  r.dy = j->dy + (plane * h->out + begin) * w->out * j->lanes;
  r.x = j->x + (plane * h->in + snug__window_at(h, begin, t)) * w->in * j->lanes;
  for (int32_t i = 0; i < j->n_pieces; i++) {
    float *to = sums + (t * w->kernel + j->pieces[i].first) * j->lanes;
    if (j->lanes == 16) {
      add_rows_16(&r, &j->pieces[i], to);
    } else {
      add_rows_8(&r, &j->pieces[i], to);
    }
  }
}

/* Sums of a block of channels: in float over the last outputs, in double over all before. */
typedef struct accumulator {
  _Alignas(64) float sums[MOST_TAPS * MOST_LANES];
  _Alignas(64) double total[MOST_TAPS * MOST_LANES];
  int64_t outputs; /* in sums */
} accumulator;

static void move_sums(accumulator *a, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    a->total[i] += (double)a->sums[i];
    a->sums[i] = 0.0F;
  }
  a->outputs = 0;
}

static void sum_image(const job *j, int64_t plane, accumulator *a) {
  int64_t run = snug__max_i64(1, RUN / snug__max_i64(1, j->c.w.out));
  for (int64_t begin = 0; begin < j->c.h.out; begin += run) {
    int64_t end = snug__min_i64(begin + run, j->c.h.out);
    if (a->outputs + (end - begin) * j->c.w.out > RUN) {
      move_sums(a, j->taps * j->lanes);
    }
    for (int64_t t = 0; t < j->c.h.kernel; t++) {
      add_rows(j, plane, begin, end, t, a->sums);
    }
    a->outputs += (end - begin) * j->c.w.out;
  }
}

static void store(float *restrict to, const double *restrict total, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    to[i] = (float)total[i];
  }
}

/* A block of channels over one part of the images. */
static void sum_item(const job *j, int64_t item) {
  int64_t part = item / j->blocks;
  int64_t block = item % j->blocks;
  int64_t n = j->taps * j->lanes;
  accumulator a;
  memset(a.sums, 0, (size_t)n * sizeof *a.sums);
  memset(a.total, 0, (size_t)n * sizeof *a.total);
  a.outputs = 0;
  int64_t end = (part + 1) * j->c.batch / j->parts;
  for (int64_t image = part * j->c.batch / j->parts; image < end; image++) {
    sum_image(j, image * j->blocks + block, &a);
  }
  move_sums(&a, n);
  if (j->parts == 1) {
    store(j->dw + block * n, a.total, n);
  } else {
    memcpy(j->parted + item * n, a.total, (size_t)n * sizeof *a.total);
  }
}

static void sum_items(void *arg, int64_t begin, int64_t end) {
  for (int64_t item = begin; item < end; item++) {
    sum_item(arg, item);
  }
}

/* The parts of what lies in [0, n) of dw, in their order. */
static void sum_parts(const job *j, int64_t n) {
  for (int64_t p = 1; p < j->parts; p++) {
    for (int64_t i = 0; i < n; i++) {
      j->parted[i] += j->parted[p * n + i];
    }
  }
  store(j->dw, j->parted, n);
}

/* ---- the kernel ---- */

static snug__layout image_layout(const snug__signature *sig) {
  for (int32_t i = 0; i < 2; i++) {
    if (snug__layout_is_blocked_image(sig->in[i].layout)) {
      return sig->in[i].layout;
    }
  }
#ifdef SNUG_ISA_avx512
  if (sig->in[0].dim[3] > 8) {
    return SNUG__LAYOUT_NCHW16C;
  }
#endif
  return SNUG__LAYOUT_NCHW8C;
}

static bool fits(const snug__signature *sig, snug__layouts *want) {
  const snug__type *kernel = &sig->out[0];
  if (kernel->dtype != SNUG_FLOAT32 || kernel->dim[3] != 1 ||
      kernel->dim[0] * kernel->dim[1] > MOST_TAPS) {
    return false;
  }
  want->in[0] = want->in[1] = image_layout(sig);
  want->out[0] = want->in[0] == SNUG__LAYOUT_NCHW16C ? SNUG__LAYOUT_CHW16C : SNUG__LAYOUT_CHW8C;
  return true;
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  job j = job_of(sig);
  (void)ctx;
  *state = NULL;
  if (j.parts > 1) {
    needs->scratch_bytes = j.parts * j.blocks * j.taps * j.lanes * (int64_t)sizeof(double);
  }
  return SNUG_OK;
}

static snug_status run(const void *state, const snug__call *call) {
  job j = job_of(call->sig);
  int64_t items = j.parts * j.blocks;
  (void)state;
  j.x = call->in[0];
  j.dy = call->in[1];
  j.dw = call->out[0];
  j.parted = call->scratch;
  snug__parallel_ranges(snug__threads(call->sig), items,
                        snug__least_items(items, snug__conv_macs(&j.c) / (double)j.lanes),
                        sum_items, &j);
  if (j.parts > 1) {
    sum_parts(&j, j.blocks * j.taps * j.lanes);
  }
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(depthwise_weights) = {"depthwise weight gradient", fits, prepare, run,
                                                   NULL};
