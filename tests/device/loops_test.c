/* What the cases of the ops do not reach: large sums are rounded once and do not depend on threads,
 * and images in blocks drop the elements that plain ones drop. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "device/cpu/cpu.h"
#include "device/device.h"
#include "device/host.h"
#include "lib/test.h"
#include "ops/dropout.h"
#include "ops/ops.h"
#include "ops/reduce.h"

static void run(snug_ctx *ctx, const snug__signature *sig, const void *const *in, void *out) {
  snug__choice choice;
  snug__needs needs = {0};
  snug__fault fault = {0};
  void *state = NULL;
  snug__choose(&snug__cpu, sig, &choice);
  ASSERT_TRUE(strcmp(choice.kernel->name, "reference") != 0 && !choice.unblocked);
  ASSERT_OK(ctx, choice.kernel->prepare(ctx, sig, &needs, &state));
  void *scratch = malloc((size_t)needs.scratch_bytes + 1);
  void *outs[] = {out};
  snug__call call = {sig, in, outs, scratch, &fault};
  ASSERT_EQ_INT(choice.kernel->run(state, &call), SNUG_OK);
  if (choice.kernel->release) {
    choice.kernel->release(ctx, state);
  }
  free(scratch);
}

/* The sums of columns (axis 0) or of everything, of [rows, columns]. */
static void check_sums(int64_t rows, int64_t columns, bool all) {
  snug_ctx *ctx = test_ctx();
  const int64_t dim[] = {rows, columns};
  const snug__reduce_params p = {.axes = {.n = all ? 0 : 1}};
  snug__type in = snug__type_of(SNUG_FLOAT32, 2, dim);
  snug__type out = snug__type_of(SNUG_FLOAT32, all ? 0 : 1, &columns);
  size_t n = (size_t)(rows * columns), n_out = all ? 1 : (size_t)columns;
  float *x = malloc(n * sizeof *x);
  float *sums[3];
  test_random_floats(x, n, -0.25f, 1.0f);
  for (int t = 0; t < 3; t++) {
    const void *at[] = {x};
    sums[t] = malloc(n_out * sizeof **sums);
    snug__signature sig = {&snug__op_sum,
                           &p,
                           1,
                           1,
                           &in,
                           &out,
                           snug__host_target(t == 0   ? 1
                                             : t == 1 ? -2
                                                      : -7,
                                             snug__isa_best())};
    run(ctx, &sig, at, sums[t]);
    ASSERT_TRUE(memcmp(sums[t], sums[0], n_out * sizeof **sums) == 0);
  }
  for (size_t i = 0; i < n_out; i++) {
    double exact = 0.0;
    for (size_t k = i; k < n; k += n_out) {
      exact += (double)x[k];
    }
    /* One rounding to float; those in double are 2^-29 of it each. */
    ASSERT_NEAR((double)sums[0][i], exact, 1.001 * 0x1p-24 * fabs(exact));
  }
  for (int t = 0; t < 3; t++) {
    free(sums[t]);
  }
  free(x);
}

TEST(large_sums_are_rounded_once) {
  check_sums(1, 3000001, true);
  check_sums(100003, 10, false);
  check_sums(20011, 64, false);
  check_sums(301, 4200, false);
}

#define CHANNELS 20
#define IMAGES 2
#define PIXELS (5 * 7)

TEST(images_in_blocks_drop_what_plain_ones_drop) {
  snug_ctx *ctx = test_ctx();
  enum { STORED = 32, N = IMAGES * PIXELS * STORED };
  static float plain[N], laid[N], y_plain[N], y_laid[N];
  const int64_t dim[] = {IMAGES, 5, 7, CHANNELS};
  const int64_t seed = 5, step = 3;
  const snug__dropout_params p = {.rate = 0.3, .layer = 2};
  snug__type in[] = {snug__type_of(SNUG_FLOAT32, 4, dim), snug__scalar(SNUG_INT64),
                     snug__scalar(SNUG_INT64)};
  snug__type out = in[0];
  snug__signature sig = {
      &snug__op_dropout, &p, 3, 1, in, &out, snug__host_target(-2, snug__isa_best())};
  for (int i = 0; i < IMAGES * PIXELS * CHANNELS; i++) {
    int image = i / (PIXELS * CHANNELS), pixel = i / CHANNELS % PIXELS, c = i % CHANNELS;
    plain[i] = 1.0f + (float)i;
    laid[((image * 2 + c / 16) * PIXELS + pixel) * 16 + c % 16] = plain[i];
  }
  run(ctx, &sig, (const void *const[]){plain, &seed, &step}, y_plain);
  in[0].layout = out.layout = SNUG__LAYOUT_NCHW16C;
  run(ctx, &sig, (const void *const[]){laid, &seed, &step}, y_laid);
  int dropped = 0;
  for (int i = 0; i < IMAGES * PIXELS * CHANNELS; i++) {
    int image = i / (PIXELS * CHANNELS), pixel = i / CHANNELS % PIXELS, c = i % CHANNELS;
    ASSERT_TRUE(y_laid[((image * 2 + c / 16) * PIXELS + pixel) * 16 + c % 16] == y_plain[i]);
    dropped += y_plain[i] == 0.0f;
  }
  ASSERT_TRUE(dropped > 300 && dropped < 540); /* 420 of 1400, 17 the deviation */
}
