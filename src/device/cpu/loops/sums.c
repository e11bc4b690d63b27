/* Sums over axes: of elements, of their sizes, of squares and of products. */
#include "device/cpu/sums.h"

#include <math.h>

#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/vectors.h"
#include "ops/binary.h"
#include "ops/regularize.h"
#include "ops/support.h"

/* The value of the element at i: eight of them into `to`, and one. */
#define PLAIN_WIDE(i, to) SNUG_WIDEN(a + (i), to)
#define PLAIN_ONE(i) ((double)a[i])

#define SQUARE_WIDE(i, to)   \
  do {                       \
    SNUG_WIDEN(a + (i), to); \
    (to) *= (to);            \
  } while (0)
#define SQUARE_ONE(i) ((double)a[i] * (double)a[i])

#define SIZE_WIDE(i, to)                               \
  do {                                                 \
    SNUG_WIDEN(a + (i), to);                           \
    (to) = (snug_double8)((snug_long8)(to)&INT64_MAX); \
  } while (0)
#define SIZE_ONE(i) (fabs((double)a[i]))

#define PRODUCT_WIDE(i, to)      \
  do {                           \
    snug_double8 other_;         \
    SNUG_WIDEN(a + (i), to);     \
    SNUG_WIDEN(b + (i), other_); \
    (to) *= other_;              \
  } while (0)
#define PRODUCT_ONE(i) ((double)a[i] * (double)b[i])

/* Four sums of eight: enough that none waits for the one before. */
#define RUN(name, WIDE, ONE)                                            \
  static double name##_run(const float *a, const float *b, int64_t n) { \
    snug_double8 s0 = {0}, s1 = s0, s2 = s0, s3 = s0, v;                \
    double rest = 0.0;                                                  \
    int64_t i = 0;                                                      \
    (void)b;                                                            \
    for (; i + 4 * SNUG_WIDE <= n; i += 4 * SNUG_WIDE) {                \
      WIDE(i, v);                                                       \
      s0 += v;                                                          \
      WIDE(i + SNUG_WIDE, v);                                           \
      s1 += v;                                                          \
      WIDE(i + 2 * SNUG_WIDE, v);                                       \
      s2 += v;                                                          \
      WIDE(i + 3 * SNUG_WIDE, v);                                       \
      s3 += v;                                                          \
    }                                                                   \
    for (; i < n; i++) {                                                \
      rest += ONE(i);                                                   \
    }                                                                   \
    s0 = (s0 + s1) + (s2 + s3);                                         \
    return snug_add_up(&s0) + rest;                                     \
  }

/* Short rows go four at once: the sums in memory are read and written a fourth as often.  Long ones
 * go one by one, as memory is read fastest. */
#define SHORT_ROW 64
#define LANES(name, WIDE, ONE)                                                             \
  static void name##_row(double *sums, const float *a, const float *b, int64_t lanes) {    \
    int64_t i = 0;                                                                         \
    (void)b;                                                                               \
    for (; i + SNUG_WIDE <= lanes; i += SNUG_WIDE) {                                       \
      snug_double8 s, v;                                                                   \
      WIDE(i, v);                                                                          \
      memcpy(&s, sums + i, sizeof s);                                                      \
      s += v;                                                                              \
      memcpy(sums + i, &s, sizeof s);                                                      \
    }                                                                                      \
    for (; i < lanes; i++) {                                                               \
      sums[i] += ONE(i);                                                                   \
    }                                                                                      \
  }                                                                                        \
  static void name##_rows(double *sums, const float *a, const float *b, int64_t stride,    \
                          int64_t lanes) {                                                 \
    int64_t i = 0;                                                                         \
    (void)b;                                                                               \
    for (; i + SNUG_WIDE <= lanes; i += SNUG_WIDE) {                                       \
      snug_double8 s, v0, v1, v2, v3;                                                      \
      WIDE(i, v0);                                                                         \
      WIDE(i + stride, v1);                                                                \
      WIDE(i + 2 * stride, v2);                                                            \
      WIDE(i + 3 * stride, v3);                                                            \
      memcpy(&s, sums + i, sizeof s);                                                      \
      s += (v0 + v1) + (v2 + v3);                                                          \
      memcpy(sums + i, &s, sizeof s);                                                      \
    }                                                                                      \
    for (; i < lanes; i++) {                                                               \
      sums[i] += (ONE(i) + ONE(i + stride)) + (ONE(i + 2 * stride) + ONE(i + 3 * stride)); \
    }                                                                                      \
  }                                                                                        \
  static void name##_lanes(double *sums, const float *a, const float *b, int64_t rows,     \
                           int64_t stride, int64_t lanes) {                                \
    int64_t r = 0;                                                                         \
    for (; lanes < SHORT_ROW && r + 4 <= rows; r += 4) {                                   \
      name##_rows(sums, a + r * stride, b ? b + r * stride : b, stride, lanes);            \
    }                                                                                      \
    for (; r < rows; r++) {                                                                \
      name##_row(sums, a + r * stride, b ? b + r * stride : b, lanes);                     \
    }                                                                                      \
  }

RUN(plain, PLAIN_WIDE, PLAIN_ONE)
LANES(plain, PLAIN_WIDE, PLAIN_ONE)
RUN(square, SQUARE_WIDE, SQUARE_ONE)
RUN(size, SIZE_WIDE, SIZE_ONE)
RUN(product, PRODUCT_WIDE, PRODUCT_ONE)
LANES(product, PRODUCT_WIDE, PRODUCT_ONE)

static const snug__sum_bodies plain = {plain_run, plain_lanes}, square = {square_run, NULL},
                              size = {size_run, NULL}, product = {product_run, product_lanes};

/* ---- kernels ---- */

static uint32_t axes_of(const snug__signature *sig) {
  return snug__reduce_mask(sig->params, sig->in[0].rank);
}

/* The axes along which the output was broadcast. */
static uint32_t spread_axes(const snug__signature *sig) {
  const snug__type *in = &sig->in[0], *out = &sig->out[0];
  int32_t lead = in->rank - out->rank;
  uint32_t mask = 0;
  for (int32_t k = 0; k < in->rank; k++) {
    bool gone = k < lead || (out->dim[k - lead] == 1 && in->dim[k] != 1);
    mask |= (uint32_t)gone << k;
  }
  return mask;
}

#define SUMS(name, mask, is_mean, bodies)                                                          \
  static snug_status prepare_##name(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs, \
                                    void **state) {                                                \
    return snug__sums_prepare(ctx, &sig->in[0], mask, is_mean, &(bodies), needs, state);           \
  }                                                                                                \
  const snug__kernel SNUG_LOOP(name) = {#name, snug__is_float32, prepare_##name, snug__sums_run,   \
                                        snug__sums_release}

SUMS(sum, axes_of(sig), false, plain);
SUMS(mean, axes_of(sig), true, plain);
SUMS(sum_squares, UINT32_MAX, false, square);
SUMS(sum_abs, UINT32_MAX, false, size);
SUMS(product_sum, spread_axes(sig), false, product);

/* Penalties of one kind; those of both are left to the reference. */
#define PENALTY(name, used, other, bodies)                                                         \
  static bool name##_fits(const snug__signature *sig, snug__layouts *want) {                       \
    return ((const snug__regularize_params *)sig->params)->other == 0.0 &&                         \
           snug__is_float32(sig, want);                                                            \
  }                                                                                                \
  static snug_status prepare_##name(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs, \
                                    void **state) {                                                \
    SNUG_TRY(snug__sums_prepare(ctx, &sig->in[0], UINT32_MAX, false, &(bodies), needs, state));    \
    ((snug__sums *)*state)->scale = ((const snug__regularize_params *)sig->params)->used;          \
    return SNUG_OK;                                                                                \
  }                                                                                                \
  const snug__kernel SNUG_LOOP(name) = {#name, name##_fits, prepare_##name, snug__sums_run,        \
                                        snug__sums_release}

PENALTY(penalty_l1, l1, l2, size);
PENALTY(penalty_l2, l2, l1, square);
