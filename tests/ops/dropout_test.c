/* The numbers of the random ops: how many, how spread, and of what they may depend. */
#include "ops/dropout.h"
#include "device/host.h"

#include <math.h>
#include <string.h>

#include "lib/test.h"
#include "ops/ops.h"

#define SAMPLES 40
#define INSIDE 250

static float x[SAMPLES * INSIDE], y[SAMPLES * INSIDE], z[SAMPLES * INSIDE];

typedef struct key {
  int64_t seed, step, offset;
} key;

/* Run an op over samples [begin, end) of x, taken as the whole of a call. */
static void run(const snug__op *op, const void *params, key k, int64_t begin, int64_t end,
                float *out) {
  int64_t dim[] = {end - begin, INSIDE};
  snug__type t = snug__type_of(SNUG_FLOAT32, 2, dim);
  snug__type in_types[4] = {t, snug__scalar(SNUG_INT64), snug__scalar(SNUG_INT64),
                            snug__scalar(SNUG_INT64)};
  const void *in[] = {x + begin * INSIDE, &k.seed, &k.step, &k.offset};
  void *outs[] = {out + begin * INSIDE};
  snug__signature sig = {op, params, 4, 1, in_types, &t, snug__host_target(2, SNUG__ISA_BASE)};
  snug__fault fault;
  snug__call call = {&sig, in, outs, NULL, &fault};
  ASSERT_EQ_INT(op->reference(&call), SNUG_OK);
}

static void fill(float value) {
  for (size_t i = 0; i < SNUG_COUNT(x); i++) {
    x[i] = value;
  }
}

static void moments(const float *v, double *mean, double *deviation) {
  double sum = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < SNUG_COUNT(x); i++) {
    sum += (double)v[i];
    squares += (double)v[i] * (double)v[i];
  }
  *mean = sum / (double)SNUG_COUNT(x);
  *deviation = sqrt(squares / (double)SNUG_COUNT(x) - *mean * *mean);
}

static double share_of_zeros(const float *v) {
  size_t zeros = 0;
  for (size_t i = 0; i < SNUG_COUNT(x); i++) {
    zeros += v[i] == 0.0f;
  }
  return (double)zeros / (double)SNUG_COUNT(x);
}

TEST(dropout_drops_its_rate) {
  static const double rates[] = {0.1, 0.5, 0.9};
  fill(1.0f);
  for (size_t i = 0; i < SNUG_COUNT(rates); i++) {
    snug__dropout_params p = {.rate = rates[i]};
    run(&snug__op_dropout, &p, (key){1, 2, 0}, 0, SAMPLES, y);
    ASSERT_NEAR(share_of_zeros(y), rates[i], 0.02);
    for (size_t k = 0; k < SNUG_COUNT(y); k++) {
      ASSERT_TRUE(y[k] == 0.0f || fabs((double)y[k] - 1.0 / (1.0 - rates[i])) < 1e-5);
    }
  }
}

TEST(masks_do_not_depend_on_how_a_batch_is_cut) {
  static const int64_t cuts[] = {0, 1, 17, 18, SAMPLES};
  snug__dropout_params p = {.rate = 0.5, .layer = 3};
  fill(1.0f);
  run(&snug__op_dropout, &p, (key){1, 2, 0}, 0, SAMPLES, y);
  for (size_t i = 0; i + 1 < SNUG_COUNT(cuts); i++) {
    run(&snug__op_dropout, &p, (key){1, 2, cuts[i]}, cuts[i], cuts[i + 1], z);
  }
  ASSERT_EQ_BYTES(y, z, sizeof y);
}

static double agreement(void) {
  size_t same = 0;
  for (size_t i = 0; i < SNUG_COUNT(y); i++) {
    same += (y[i] == 0.0f) == (z[i] == 0.0f);
  }
  return (double)same / (double)SNUG_COUNT(y);
}

TEST(masks_depend_on_seed_layer_step_and_sample) {
  static const key keys[] = {{2, 2, 0}, {1, 3, 0}, {1, 2, 1}};
  snug__dropout_params p = {.rate = 0.5, .layer = 3};
  snug__dropout_params other = {.rate = 0.5, .layer = 4};
  fill(1.0f);
  run(&snug__op_dropout, &p, (key){1, 2, 0}, 0, SAMPLES, y);
  for (size_t i = 0; i < SNUG_COUNT(keys); i++) {
    run(&snug__op_dropout, &p, keys[i], 0, SAMPLES, z);
    ASSERT_NEAR(agreement(), 0.5, 0.03);
  }
  run(&snug__op_dropout, &other, (key){1, 2, 0}, 0, SAMPLES, z);
  ASSERT_NEAR(agreement(), 0.5, 0.03);
}

TEST(broadcast_masks_are_shared) {
  snug__dropout_params per_sample = {.rate = 0.5, .noise_shape = {2, {-1, 1}}};
  snug__dropout_params per_column = {.rate = 0.5, .noise_shape = {2, {1, INSIDE}}};
  fill(1.0f);
  run(&snug__op_dropout, &per_sample, (key){1, 2, 0}, 0, SAMPLES, y);
  run(&snug__op_dropout, &per_column, (key){1, 2, 9}, 0, SAMPLES, z);
  for (size_t i = 0; i < SNUG_COUNT(y); i++) {
    ASSERT_TRUE(y[i] == y[i / INSIDE * INSIDE]);
    ASSERT_TRUE(z[i] == z[i % INSIDE]);
  }
  ASSERT_TRUE(share_of_zeros(y) > 0.2 && share_of_zeros(y) < 0.8);
  ASSERT_NEAR(share_of_zeros(z), 0.5, 0.1);
}

TEST(normal_noise_has_its_moments) {
  snug__gaussian_noise_params noise = {.stddev = 0.5};
  snug__gaussian_dropout_params factors = {.rate = 0.2};
  double mean, deviation;
  fill(3.0f);
  run(&snug__op_gaussian_noise, &noise, (key){1, 2, 0}, 0, SAMPLES, y);
  moments(y, &mean, &deviation);
  ASSERT_NEAR(mean, 3.0, 0.02);
  ASSERT_NEAR(deviation, 0.5, 0.02);
  fill(1.0f);
  run(&snug__op_gaussian_dropout, &factors, (key){1, 2, 0}, 0, SAMPLES, y);
  moments(y, &mean, &deviation);
  ASSERT_NEAR(mean, 1.0, 0.02);
  ASSERT_NEAR(deviation, 0.5, 0.02); /* sqrt(0.2 / 0.8) */
}

TEST(alpha_dropout_keeps_mean_and_variance) {
  snug__gaussian_noise_params normal = {.stddev = 1.0};
  snug__dropout_params p = {.rate = 0.3, .layer = 1};
  double mean, deviation;
  fill(0.0f);
  run(&snug__op_gaussian_noise, &normal, (key){5, 0, 0}, 0, SAMPLES, y);
  memcpy(x, y, sizeof x);
  run(&snug__op_alpha_dropout, &p, (key){5, 0, 0}, 0, SAMPLES, z);
  moments(z, &mean, &deviation);
  ASSERT_NEAR(mean, 0.0, 0.05);
  ASSERT_NEAR(deviation, 1.0, 0.05);
}
