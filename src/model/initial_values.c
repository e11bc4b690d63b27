/* Initial values as numbers.
 *
 * Every element is a function of seed, stream and its index alone (Philox), computed in double and
 * rounded once, so threads and order do not matter. */
#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "device/cpu/words.h"
#include "model/initializer.h"
#include "ops/copy.h"
#include "ops/support.h"

/* The part of the generator's counter that tells initial values from other random numbers of the
 * same seed. */
#define TAG (UINT64_C(0x1217) << 48)
#define MOST_TRIES 64 /* one pair of tries fails 2 times in 1000 */
#define CUT 2.0       /* deviations */
#define GRAIN 8192    /* elements worth a thread */

typedef struct fill_job {
  const snug__initializer *init;
  const snug__type *type;
  uint64_t seed, stream;
  void *data;
  snug__words_loop *draw;
} fill_job;

static uint64_t high(const fill_job *j, uint64_t attempt) {
  return TAG | attempt << 32 | (j->stream & UINT32_MAX);
}

/* 53 bits of two words as a number in [0, 1). */
static double unit(uint32_t top, uint32_t low) {
  return (double)(int64_t)((uint64_t)top << 21 ^ (uint64_t)low >> 11) * 0x1p-53;
}

/* Two independent normal numbers (Box and Muller). */
static void normals(const uint32_t words[4], double out[2]) {
  double radius = sqrt(-2.0 * log(1.0 - unit(words[0], words[1])));
  double angle = 6.283185307179586 * unit(words[2], words[3]);
  out[0] = radius * cos(angle);
  out[1] = radius * sin(angle);
}

static double normal(const uint32_t words[4]) {
  double z[2];
  normals(words, z);
  return z[0];
}

/* words: of the first attempt. */
static double cut_normal(const fill_job *j, int64_t i, const uint32_t words[4]) {
  double z[2] = {0.0, 0.0};
  snug__philox more;
  for (uint64_t attempt = 0; attempt < MOST_TRIES; attempt++) {
    if (attempt) {
      more = snug__philox_at(j->seed, (uint64_t)i, high(j, attempt));
      words = more.v;
    }
    normals(words, z);
    if (fabs(z[0]) <= CUT) {
      return z[0];
    }
    if (fabs(z[1]) <= CUT) {
      return z[1];
    }
  }
  return 0.0;
}

static double element(const fill_job *j, int64_t i, const uint32_t words[4]) {
  const snug__initializer *init = j->init;
  switch (init->kind) {
    case SNUG__INIT_UNIFORM:
      return init->a + (init->b - init->a) * unit(words[0], words[1]);
    case SNUG__INIT_NORMAL:
      return init->a + init->b * normal(words);
    case SNUG__INIT_TRUNCATED_NORMAL:
      return init->a + init->b * cut_normal(j, i, words);
    case SNUG__INIT_IDENTITY: /* of two axes */
      return i / j->type->dim[1] == i % j->type->dim[1] ? init->a : 0.0;
    case SNUG__INIT_VALUES:
      return init->values[i];
    case SNUG__INIT_CONSTANT: /* these have ways of their own */
    case SNUG__INIT_ORTHOGONAL:
      break;
  }
  return init->a;
}

static void fill_range(void *arg, int64_t begin, int64_t end) {
  const fill_job *j = arg;
  uint32_t words[SNUG__WORDS];
  for (int64_t first = begin; first < end; first += SNUG__COUNTERS) {
    j->draw(j->seed, (uint64_t)first, high(j, 0), words);
    for (int64_t i = first; i < snug__min_i64(first + SNUG__COUNTERS, end); i++) {
      snug__element_set(j->type->dtype, j->data, i, element(j, i, words + 4 * (i - first)));
    }
  }
}

/* ---- orthogonal ---- */

static double dot(const double *a, const double *b, int64_t n) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void subtract(double *a, const double *b, double factor, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    a[i] -= factor * b[i];
  }
}

/* Make n vectors of a length orthonormal, each against those before it.  Twice, since once leaves
 * what cancellation took.  This is the Q of a QR decomposition with a positive diagonal of R. */
static void orthonormalize(double *vectors, int64_t n, int64_t length) {
  for (int64_t k = 0; k < n; k++) {
    double *v = vectors + k * length;
    for (int64_t again = 0; again < 2; again++) {
      for (int64_t before = 0; before < k; before++) {
        const double *u = vectors + before * length;
        subtract(v, u, dot(v, u, length), length);
      }
    }
    double norm = sqrt(dot(v, v, length));
    for (int64_t i = 0; norm > 0.0 && i < length; i++) {
      v[i] /= norm;
    }
  }
}

/* The weight as a matrix of all axes but the last by the last: its columns are orthonormal, or its
 * rows where there are fewer of these. */
static snug_status fill_orthogonal(snug_ctx *ctx, const fill_job *j) {
  int64_t columns = j->type->dim[j->type->rank - 1];
  int64_t count = snug__type_count(j->type);
  int64_t rows = columns ? count / columns : 0;
  int64_t n = snug__min_i64(rows, columns);
  int64_t length = snug__max_i64(rows, columns);
  double *vectors = NULL;
  if (!count) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, count, &vectors));
  for (int64_t i = 0; i < count; i++) {
    vectors[i] = normal(snug__philox_at(j->seed, (uint64_t)i, high(j, 0)).v);
  }
  orthonormalize(vectors, n, length);
  for (int64_t i = 0; i < count; i++) {
    int64_t at = rows < columns ? i : i % columns * length + i / columns;
    snug__element_set(j->type->dtype, j->data, i, j->init->a * vectors[at]);
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, vectors, count);
  return SNUG_OK;
}

snug_status snug__initializer_fill(snug_ctx *ctx, const snug__initializer *init,
                                   const snug__type *type, uint64_t seed, uint64_t stream,
                                   void *data) {
  fill_job job = {init, type, seed, stream, data, snug__words_of(ctx->isa)};
  if (init->kind == SNUG__INIT_ORTHOGONAL) {
    return fill_orthogonal(ctx, &job);
  }
  if (init->kind == SNUG__INIT_CONSTANT) {
    snug__fill(type, data, init->a, ctx->threads);
    return SNUG_OK;
  }
  snug__parallel_ranges(ctx->threads, snug__type_count(type), GRAIN, fill_range, &job);
  return SNUG_OK;
}
