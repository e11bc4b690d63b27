/* Batch normalization in float32: how the values lie, and who does what.
 *
 * Channels are done in groups of `width` that lie side by side: a block of a blocked image, or up
 * to PLAIN_WIDTH channels of plain rows.  A group is summed over its rows in parts, which depend on
 * the shape alone, in floats over TILE_ROWS rows and in doubles over these: the same bits whatever
 * the number of threads.  With enough groups a thread does all of one, statistics and
 * result, while it is in the cache (no scratch); else threads share out the parts, and the
 * statistics of the parts meet in scratch.
 *
 * The loops themselves go down columns of a group, each as wide as a vector register. */
#ifndef SNUG_DEVICE_CPU_LOOPS_BATCH_NORM_H
#define SNUG_DEVICE_CPU_LOOPS_BATCH_NORM_H

#if defined(SNUG_ISA_avx512) || defined(SNUG_ISA_avx2)
#include <immintrin.h>
#endif

#include "base/size.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "device/host.h"
#include "ops/batch_norm.h"
#include "ops/support.h"
#include "ops/unblock.h"

#define PLAIN_WIDTH 128
#define TILE_ROWS 32   /* of which plain columns are done one after another, in the first cache */
#define PLAIN_ROWS 512 /* that count as an image */
#define MAX_PARTS 16
#define PART_ROWS 2048       /* at least */
#define WORTH_A_THREAD 65536 /* elements */
#define PAST_CACHE_BYTES (16 << 20)

#define INLINE static inline __attribute__((always_inline))

#if defined(SNUG_ISA_avx512)
#define LANES 16
#elif defined(SNUG_ISA_avx2)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef int32_t vec_mask __attribute__((vector_size(LANES * 4)));
typedef double wide_vec __attribute__((vector_size(LANES * 8)));
/* As they lie in memory: of any alignment, and elements of an array. */
typedef float loose_vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef double loose_wide_vec __attribute__((vector_size(LANES * 8), aligned(8), may_alias));

INLINE vec load(const float *p) { return *(const loose_vec *)p; }
INLINE void store(float *p, vec v) { *(loose_vec *)p = v; }

/* Past the cache, to an address that is a multiple of the vector: what does not stay in it anyway
 * is not read into it before it is written. */
#if defined(SNUG_ISA_avx512)
INLINE void stream(float *p, vec v) { _mm512_stream_ps(p, (__m512)v); }
#elif defined(SNUG_ISA_avx2)
INLINE void stream(float *p, vec v) { _mm256_stream_ps(p, (__m256)v); }
#else
INLINE void stream(float *p, vec v) { store(p, v); }
#endif
INLINE vec choose(vec_mask mask, vec yes, vec no) {
  return (vec)((mask & (vec_mask)yes) | (~mask & (vec_mask)no));
}
INLINE void add_to_doubles(double *sum, vec v) {
  *(loose_wide_vec *)sum += __builtin_convertvector(v, wide_vec);
}

/* 1 / (1 + e^-v) */
INLINE vec sigmoid(vec v) {
  union {
    vec v;
    float f[LANES];
  } e = {.v = v};
  SNUG_SIMD for (int32_t i = 0; i < LANES; i++) { e.f[i] = snug_exp(-e.f[i]); }
  return 1.0f / (1.0f + e.v);
}

typedef struct bn_view {
  int64_t channels, width, groups;
  int64_t rows;  /* in all */
  int64_t inner; /* of one image; plain rows: PLAIN_ROWS */
  int64_t row_stride, image_stride, group_stride;
  bool blocked;
  int32_t parts, threads;
  bool split; /* threads share out parts of groups */
} bn_view;

/* Whether all values that are there are float32. */
static bool bn_all_float(const snug__signature *sig) {
  bool all = true;
  for (int32_t i = 0; i < sig->n_in; i++) {
    all = all && (!sig->in[i].dtype || sig->in[i].dtype == SNUG_FLOAT32);
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    all = all && (!sig->out[k].dtype || sig->out[k].dtype == SNUG_FLOAT32);
  }
  return all;
}

/* Want the layout that the first images in blocks come in, for all inputs like input x. */
static snug__layout bn_want(const snug__signature *sig, snug__layouts *want, int32_t x) {
  snug__layout layout = snug__image_layout(sig);
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (snug__type_equal_but_layout(&sig->in[i], &sig->in[x])) {
      want->in[i] = layout;
    }
  }
  return layout;
}

static void bn_share_out(bn_view *v, int32_t threads) {
  int64_t worth = v->rows * v->channels / WORTH_A_THREAD;
  int64_t most = threads < 0 ? -(int64_t)threads : snug__min_i64(threads, worth);
  v->parts = (int32_t)snug__max_i64(1, snug__min_i64(MAX_PARTS, v->rows / PART_ROWS));
  v->threads = (int32_t)snug__max_i64(1, most);
  v->split = v->groups % v->threads != 0 && v->groups < 4 * v->threads && v->parts > 1;
}

/* x: the type of an image-shaped value in the layout that the kernel wanted. */
static bn_view bn_view_of(const snug__signature *sig, const snug__type *x) {
  bn_view v = {.channels = x->dim[x->rank - 1]};
  v.rows = v.channels ? snug__type_count(x) / v.channels : 0;
  v.blocked = snug__layout_is_blocked_image(x->layout);
  v.width = v.blocked ? snug__layout_block(x->layout, 3) : PLAIN_WIDTH;
  v.groups = (v.channels + v.width - 1) / v.width;
  v.inner = v.blocked ? snug__max_i64(1, x->dim[1] * x->dim[2]) : PLAIN_ROWS;
  v.row_stride = v.blocked ? v.width : v.channels;
  v.group_stride = v.blocked ? v.inner * v.width : v.width;
  v.image_stride = v.inner * (v.blocked ? v.groups * v.width : v.channels);
  bn_share_out(&v, snug__threads(sig));
  return v;
}

/* Scratch of a split: two doubles per part and channel. */
static int64_t bn_scratch_bytes(const bn_view *v) {
  return v->split ? v->groups * v->parts * 2 * v->width * (int64_t)sizeof(double) : 0;
}

static void bn_prepare(const snug__signature *sig, snug__needs *needs) {
  bn_view v = bn_view_of(sig, &sig->in[0]);
  needs->scratch_bytes = bn_scratch_bytes(&v);
  snug__needs_in_place_as_op(needs, sig->op);
}

static double *bn_partial(const bn_view *v, void *scratch, int64_t group, int64_t part) {
  return (double *)scratch + (group * v->parts + part) * 2 * v->width;
}

static int64_t bn_part_begin(const bn_view *v, int64_t part) { return v->rows * part / v->parts; }

/* Channels of a group that are real, and that are stored. */
static int64_t bn_real(const bn_view *v, int64_t group) {
  return snug__min_i64(v->width, v->channels - group * v->width);
}
static int64_t bn_stored(const bn_view *v, int64_t group) {
  return v->blocked ? v->width : bn_real(v, group);
}

/* A number per channel of a group: zero for those that are not there, up to a whole vector. */
typedef float bn_floats[PLAIN_WIDTH];
typedef double bn_doubles[PLAIN_WIDTH];

/* value = (x - mean) scale + shift, to the same bits forward and backward. */
static void bn_coefficients(const float *gamma, const float *beta, const float *variance,
                            double epsilon, int64_t channel, float *scale, float *shift) {
  double factor = gamma ? (double)gamma[channel] : 1.0;
  *scale = (float)(factor / sqrt((double)variance[channel] + epsilon));
  *shift = beta ? beta[channel] : 0.0f;
}

/* Rows from `row` on that lie in one image, up to `end`. */
static int64_t bn_rows_here(const bn_view *v, int64_t row, int64_t end) {
  return snug__min_i64(end, (row / v->inner + 1) * v->inner) - row;
}

/* What a loop reads and writes: values, or a column of them, n rows that are `stride` apart and
 * belong to the channels from `lane` of the group on. */
#define BN_INPUTS 3
typedef struct bn_column {
  const float *in[BN_INPUTS]; /* NULL: none */
  float *out;                 /* NULL: none; may be one of the inputs */
  bool streams;               /* the result is large, and lies apart and aligned */
  int64_t stride, n, lane;
} bn_column;

/* Whether the result of a column of all values is to be streamed. */
static bool bn_streams(const bn_view *v, const bn_column *all) {
  int64_t bytes = v->rows * v->groups * v->width * (int64_t)sizeof(float);
  bool apart = true;
  for (int32_t k = 0; k < BN_INPUTS; k++) {
    apart = apart && all->in[k] != all->out;
  }
  return v->blocked && v->width % LANES == 0 && apart && bytes > PAST_CACHE_BYTES &&
         (uintptr_t)all->out % sizeof(vec) == 0;
}

typedef void bn_loop(const bn_column *column, void *arg);

static bn_column bn_column_at(const bn_column *all, int64_t offset, int64_t stride, int64_t n,
                              int64_t lane) {
  bn_column c = {.streams = all->streams, .stride = stride, .n = n, .lane = lane};
  for (int32_t k = 0; k < BN_INPUTS; k++) {
    c.in[k] = all->in[k] ? all->in[k] + offset + lane : NULL;
  }
  c.out = all->out ? all->out + offset + lane : NULL;
  return c;
}

static void bn_copy(float *to, int64_t to_stride, const float *from, int64_t from_stride, int64_t n,
                    int64_t width) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t c = 0; c < width; c++) {
      to[i * to_stride + c] = from[i * from_stride + c];
    }
  }
}

/* A column of fewer than LANES channels and up to TILE_ROWS rows, by way of a full one. */
static void bn_narrow_column(const bn_column *narrow, int64_t width, bn_loop *loop, void *arg) {
  float room[BN_INPUTS + 1][TILE_ROWS * LANES];
  bn_column full = {.stride = LANES, .n = narrow->n, .lane = narrow->lane};
  memset(room, 0, sizeof room);
  for (int32_t k = 0; k < BN_INPUTS; k++) {
    if (narrow->in[k]) {
      bn_copy(room[k], LANES, narrow->in[k], narrow->stride, narrow->n, width);
      full.in[k] = room[k];
    }
  }
  full.out = narrow->out ? room[BN_INPUTS] : NULL;
  loop(&full, arg);
  if (narrow->out) {
    bn_copy(narrow->out, narrow->stride, full.out, LANES, narrow->n, width);
  }
}

static void bn_each_column(const bn_column *all, int64_t offset, int64_t stride, int64_t n,
                           int64_t width, bn_loop *loop, void *arg) {
  for (int64_t lane = 0; lane < width; lane += LANES) {
    bn_column c = bn_column_at(all, offset, stride, n, lane);
    if (lane + LANES <= width) {
      loop(&c, arg);
    } else {
      bn_narrow_column(&c, width - lane, loop, arg);
    }
  }
}

/* The columns of a group over rows that lie in one image. */
static void bn_walk(const bn_view *v, int64_t group, int64_t first, int64_t rows,
                    const bn_column *all, bn_loop *loop, void *arg) {
  int64_t image = first / v->inner;
  int64_t offset = image * v->image_stride + group * v->group_stride +
                   (first - image * v->inner) * v->row_stride;
  int64_t width = bn_stored(v, group);
  int64_t tile = v->row_stride == LANES ? rows : TILE_ROWS;
  for (int64_t row = 0; row < rows; row += tile) {
    bn_each_column(all, offset + row * v->row_stride, v->row_stride,
                   snug__min_i64(tile, rows - row), width, loop, arg);
  }
}

#endif
