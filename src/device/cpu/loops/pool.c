/* Pooling of float32 images, channels side by side in registers.  A forward row is computed pixel
 * by pixel.  A row of dx is written by one thread, which adds to it what the windows that reach it
 * give, in the order of the outputs. */
#include "ops/pool.h"

#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/lanes.h"
#include "device/host.h"
#include "ops/support.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct job {
  snug__pool p;
  const float *in; /* x, or dy */
  float *out;      /* y, or dx */
  uint8_t *index;  /* read by the gradient, else written; NULL: not wanted */
} job;

/* As snug__window_taps, without its divisions: pooling is not dilated. */
static inline snug__span taps_of(const snug__window *w, int64_t o) {
  int64_t at = o * w->stride - w->before;
  return (snug__span){snug__max_i64(0, -at), snug__min_i64(w->kernel, w->in - at)};
}

static inline int64_t count(snug__span s) { return snug__max_i64(0, s.end - s.begin); }

/* Some channels of a pixel of the output: its taps, and where they lie in x. */
typedef struct pixel {
  snug__span ys, xs;
  const float *x; /* of tap (0, 0), be it outside */
  int64_t to, n;  /* in the output; how many channels */
} pixel;

typedef void pool_pixel(const job *j, const pixel *q);

INLINE lanes load_tap(const job *j, const pixel *q, int64_t ty, int64_t tx) {
  return lanes_load(q->x + (ty * j->p.w.in + tx) * j->p.channels, q->n);
}

/* A later element wins if it is larger, or not a number: that must not get lost.  The first wins
 * over nothing, minus infinity too. */
INLINE void max_pixel(const job *j, const pixel *q) {
  int32_t width = (int32_t)j->p.w.kernel;
  lanes best = (lanes){0} - INFINITY;
  int_lanes at = (int_lanes){0} + (int32_t)(q->ys.begin * width + q->xs.begin);
  for (int64_t ty = q->ys.begin; ty < q->ys.end; ty++) {
    for (int64_t tx = q->xs.begin; tx < q->xs.end; tx++) {
      lanes x = load_tap(j, q, ty, tx);
      int_lanes wins = (x > best) | (x != x);
      best = lanes_pick(wins, x, best);
      at = lanes_pick_int(wins, (int_lanes){0} + (int32_t)(ty * width + tx), at);
    }
  }
  lanes_store(j->out + q->to, best, q->n);
  if (j->index) {
    lanes_store_bytes(j->index + q->to, at, q->n);
  }
}

/* Rows of the window are summed apart, for the sake of shorter chains of roundings. */
INLINE void avg_pixel(const job *j, const pixel *q) {
  lanes total = {0};
  for (int64_t ty = q->ys.begin; ty < q->ys.end; ty++) {
    lanes sum = {0};
    for (int64_t tx = q->xs.begin; tx < q->xs.end; tx++) {
      sum += load_tap(j, q, ty, tx);
    }
    total += sum;
  }
  lanes_store(j->out + q->to, total / (float)(count(q->ys) * count(q->xs)), q->n);
}

/* ---- forward rows, which count over the batch ---- */

INLINE void pool_row(const job *j, int64_t row, pool_pixel *function) {
  const snug__pool *p = &j->p;
  int64_t oy = row % p->h.out;
  const float *x = j->in + row / p->h.out * p->h.in * p->w.in * p->channels;
  pixel q = {.ys = taps_of(&p->h, oy)};
  for (int64_t ox = 0; ox < p->w.out; ox++) {
    int64_t at = (oy * p->h.stride - p->h.before) * p->w.in + ox * p->w.stride - p->w.before;
    q.xs = taps_of(&p->w, ox);
    for (int64_t c = 0; c < p->channels; c += LANES) {
      q.x = x + at * p->channels + c;
      q.to = (row * p->w.out + ox) * p->channels + c;
      q.n = p->channels - c;
      if (q.n >= LANES) { /* a constant for the functions */
        q.n = LANES;
        function(j, &q);
      } else {
        function(j, &q);
      }
    }
  }
}

static void max_rows(void *arg, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; row++) {
    pool_row(arg, row, max_pixel);
  }
}

static void avg_rows(void *arg, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; row++) {
    pool_row(arg, row, avg_pixel);
  }
}

/* ---- backward rows ---- */

/* Some channels of an output, and one row of its window: tap t reads what dx + t * channels is the
 * gradient of. */
typedef struct reader {
  snug__span xs;
  int64_t row, from, n; /* of the window; in dy and the index; how many channels */
  float *dx;
  float share;
} reader;

typedef void pool_reader(const job *j, const reader *r);

INLINE void add_to(float *dx, lanes v, int64_t n) { lanes_store(dx, lanes_load(dx, n) + v, n); }

INLINE void give_max(const job *j, const reader *r) {
  int_lanes dy = (int_lanes)lanes_load(j->in + r->from, r->n);
  int_lanes index = lanes_load_bytes(j->index + r->from, r->n);
  int32_t first = (int32_t)(r->row * j->p.w.kernel);
  for (int64_t tx = r->xs.begin; tx < r->xs.end; tx++) {
    int_lanes won = index == first + (int32_t)tx;
    add_to(r->dx + tx * j->p.channels, (lanes)(won & dy), r->n);
  }
}

INLINE void give_avg(const job *j, const reader *r) {
  lanes share = lanes_load(j->in + r->from, r->n) * r->share;
  for (int64_t tx = r->xs.begin; tx < r->xs.end; tx++) {
    add_to(r->dx + tx * j->p.channels, share, r->n);
  }
}

/* What output row oy gives to row iy of dx; both of one image. */
INLINE void give_row(const job *j, int64_t image, int64_t oy, int64_t iy, pool_reader *function) {
  const snug__pool *p = &j->p;
  int64_t from = (image * p->h.out + oy) * p->w.out;
  int64_t to = (image * p->h.in + iy) * p->w.in;
  int64_t high = count(taps_of(&p->h, oy));
  reader r = {.row = iy - (oy * p->h.stride - p->h.before)};
  for (int64_t ox = 0; ox < p->w.out; ox++) {
    r.xs = taps_of(&p->w, ox);
    r.share = 1.0f / (float)(high * count(r.xs));
    for (int64_t c = 0; c < p->channels; c += LANES) {
      r.from = (from + ox) * p->channels + c;
      r.dx = j->out + (to + ox * p->w.stride - p->w.before) * p->channels + c;
      r.n = p->channels - c;
      if (r.n >= LANES) {
        r.n = LANES;
        function(j, &r);
      } else {
        function(j, &r);
      }
    }
  }
}

INLINE void give_rows(const job *j, int64_t begin, int64_t end, pool_reader *function) {
  const snug__pool *p = &j->p;
  int64_t length = p->w.in * p->channels;
  for (int64_t row = begin; row < end; row++) {
    memset(j->out + row * length, 0, (size_t)length * sizeof *j->out);
    snug__span ys = snug__window_readers(&p->h, row % p->h.in);
    for (int64_t oy = ys.begin; oy < ys.end; oy++) {
      give_row(j, row / p->h.in, oy, row % p->h.in, function);
    }
  }
}

static void max_bwd_rows(void *arg, int64_t begin, int64_t end) {
  give_rows(arg, begin, end, give_max);
}

static void avg_bwd_rows(void *arg, int64_t begin, int64_t end) {
  give_rows(arg, begin, end, give_avg);
}

/* ---- the kernels ---- */

static bool fits(const snug__signature *sig, snug__layouts *want) {
  (void)want;
  return sig->in[0].dtype == SNUG_FLOAT32;
}

static bool fits_max(const snug__signature *sig, snug__layouts *want) {
  snug_dtype index = sig->n_out > 1 ? sig->out[1].dtype : SNUG_NO_DTYPE;
  return fits(sig, want) && (!index || index == SNUG_UINT8);
}

static bool fits_max_bwd(const snug__signature *sig, snug__layouts *want) {
  return fits(sig, want) && sig->in[1].dtype == SNUG_UINT8;
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx, (void)sig, (void)needs;
  *state = NULL;
  return SNUG_OK;
}

/* An element costs a fraction of a multiplication: a vector has many. */
static int64_t least_rows(int64_t rows, snug__cost cost) {
  return snug__least_items(rows, cost.flops / 4.0);
}

static snug_status run_forward(const snug__call *call,
                               void (*body)(void *arg, int64_t begin, int64_t end)) {
  const snug__signature *s = call->sig;
  job j = {snug__pool_of(&s->in[0], s->params), call->in[0], call->out[0],
           s->n_out > 1 ? call->out[1] : NULL};
  int64_t rows = j.p.batch * j.p.h.out;
  snug__parallel_ranges(snug__threads(s), rows, least_rows(rows, snug__pool_cost(s)), body, &j);
  return SNUG_OK;
}

static snug_status run_backward(const snug__call *call,
                                void (*body)(void *arg, int64_t begin, int64_t end)) {
  const snug__signature *s = call->sig;
  uint8_t *index = s->n_in > 1 ? (uint8_t *)(uintptr_t)call->in[1] : NULL; /* only read */
  job j = {snug__pool_of(&s->out[0], s->params), call->in[0], call->out[0], index};
  int64_t rows = j.p.batch * j.p.h.in;
  snug__parallel_ranges(snug__threads(s), rows, least_rows(rows, snug__pool_bwd_cost(s)), body, &j);
  return SNUG_OK;
}

#define POOL(op, fits, run_as, rows)                                       \
  static snug_status run_##op(const void *state, const snug__call *call) { \
    (void)state;                                                           \
    return run_as(call, rows);                                             \
  }                                                                        \
  const snug__kernel SNUG_LOOP(op) = {#op " loop", fits, prepare, run_##op, NULL}

POOL(max_pool2d, fits_max, run_forward, max_rows);
POOL(max_pool2d_bwd, fits_max_bwd, run_backward, max_bwd_rows);
POOL(avg_pool2d, fits, run_forward, avg_rows);
POOL(avg_pool2d_bwd, fits, run_backward, avg_bwd_rows);
