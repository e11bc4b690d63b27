/* Numbers too small to be normal are zero in kernels, on every thread of them, and the program that
 * calls finds its floating-point mode as it was. */
#include <stdio.h>
#include <stdlib.h>

#include "base/thread.h"
#include "lib/test.h"

#ifdef __SSE__
#include <xmmintrin.h>
#define SKIP_WITHOUT_MODE
#else /* the mode is not looked at elsewhere */
#define _mm_getcsr() 0u
#define _mm_setcsr(mode) ((void)(mode))
#define SKIP_WITHOUT_MODE test_skip("no MXCSR here")
#endif

#define ROWS 512
#define WIDTH 64
#define THREADS 2
#define MODE_BITS 0xFFC0u /* of MXCSR; the rest are flags of what has happened */

static uint32_t mode_of_caller(void) { return _mm_getcsr() & MODE_BITS; }

/* One dense layer with all weights w; the model's state is what `dtype` says. */
static snug_model *new_dense(snug_ctx *ctx, snug_dtype dtype, const char *initial) {
  char config[200];
  const int64_t shape[] = {WIDTH};
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_model *m = NULL;
  o.dtype = dtype;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "x", dtype, shape, 1);
  snprintf(config, sizeof config, "units=%d use_bias=false name=d kernel_initializer=%s", WIDTH,
           initial);
  snug_model_add(m, "Dense", config);
  ASSERT_OK(ctx, snug_model_status(m));
  return m;
}

static snug_ctx *new_ctx(void) {
  snug_options o = SNUG_INIT(snug_options);
  o.threads = THREADS;
  return test_ctx_with(&o);
}

/* Predictions of x times w, which must all be zero. */
static void expect_zeros(snug_dtype dtype, double x, const char *initial) {
  snug_ctx *ctx = new_ctx();
  snug_model *m = new_dense(ctx, dtype, initial);
  const size_t n = ROWS * WIDTH;
  float *x32 = malloc(n * sizeof *x32);
  double *x64 = malloc(n * sizeof *x64);
  void *out = malloc(n * sizeof(double));
  ASSERT_TRUE(x32 && x64 && out);
  for (size_t i = 0; i < n; i++) {
    x32[i] = (float)x;
    x64[i] = x;
  }
  bool is_double = dtype == SNUG_FLOAT64;
  const snug_array a = {is_double ? (void *)x64 : (void *)x32, dtype, 2, {ROWS, WIDTH}};
  const snug_data data = {.struct_size = sizeof data, .x = &a, .n_x = 1};
  void *const outs[] = {out};
  uint32_t before = mode_of_caller();
  ASSERT_OK(ctx, snug_predict(m, &data, ROWS, outs, 1));
  ASSERT_EQ_UINT(mode_of_caller(), before);
  for (size_t i = 0; i < n; i++) {
    double value = is_double ? ((double *)out)[i] : (double)((float *)out)[i];
    ASSERT_TRUE(value == 0.0);
  }
  free(x32);
  free(x64);
  free(out);
  snug_model_destroy(m);
}

TEST(small_results_and_operands_are_zero) {
  SKIP_WITHOUT_MODE;
  expect_zeros(SNUG_FLOAT32, 1e-20, "constant(1e-20)"); /* the product is a denormal */
  expect_zeros(SNUG_FLOAT32, 1e-40, "constant(1e20)");  /* x is one */
  expect_zeros(SNUG_FLOAT64, 1e-160, "constant(1e-160)");
  expect_zeros(SNUG_FLOAT64, 1e-310, "constant(1e100)");
}

/* ---- training ---- */

static bool sees_the_callers_mode(void *user, int64_t batch, const snug_logs *logs) {
  (void)batch;
  (void)logs;
  return *(const uint32_t *)user == mode_of_caller();
}

/* Weights that halve with each step: 1e-30 is a denormal after 30 of them. */
TEST(training_flushes_and_leaves_the_mode) {
  SKIP_WITHOUT_MODE;
  snug_ctx *ctx = new_ctx();
  snug_model *m = new_dense(ctx, SNUG_FLOAT32, "constant(1e-30)");
  static const float zeros[ROWS * WIDTH];
  static float kernel[WIDTH * WIDTH];
  const char *const loss[] = {"mse"};
  snug_compile_options c = SNUG_INIT(snug_compile_options);
  c.optimizer = "sgd(learning_rate=1.0, weight_decay=0.5)";
  c.loss = loss;
  c.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &c));
  const snug_array a = {zeros, SNUG_FLOAT32, 2, {ROWS, WIDTH}};
  const snug_data data = {sizeof data, &a, 1, &a, 1, NULL};
  uint32_t before = mode_of_caller();
  const snug_callback look = {
      .struct_size = sizeof look, .user = &before, .batch_end = sees_the_callers_mode};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  o.batch_size = ROWS / 30 + 1;
  o.callbacks = &look;
  o.n_callbacks = 1;
  ASSERT_OK(ctx, snug_fit(m, &data, &o, &h));
  ASSERT_EQ_UINT(mode_of_caller(), before);
  ASSERT_OK(ctx, snug_model_weight_get(m, "d/kernel", kernel, sizeof kernel));
  for (size_t i = 0; i < WIDTH * WIDTH; i++) {
    ASSERT_TRUE(kernel[i] == 0.0f);
  }
  snug_history_destroy(h);
  snug_model_destroy(m);
}

/* ---- worker threads ---- */

#ifdef _OPENMP
#include <omp.h>
#else /* then there is the caller alone */
static int omp_get_thread_num(void) { return 0; }
static int omp_get_max_threads(void) { return 1; }
static int omp_get_thread_limit(void) { return 1; }
#endif

static uint32_t modes_of_workers(void) {
  uint32_t all = 0;
#pragma omp parallel num_threads(THREADS) reduction(| : all)
  all |= omp_get_thread_num() > 0 ? mode_of_caller() : 0;
  return all;
}

TEST(workers_are_as_they_were) {
  SKIP_WITHOUT_MODE;
  uint32_t before = modes_of_workers();
  snug__thread_state saved[THREADS];
  snug__workers_begin(THREADS, saved);
  if (omp_get_max_threads() >= THREADS || omp_get_thread_limit() >= THREADS) {
    ASSERT_EQ_UINT(modes_of_workers() & 0x8040u, 0x8040u);
  }
  snug__workers_end(THREADS, saved);
  ASSERT_EQ_UINT(modes_of_workers(), before);
  expect_zeros(SNUG_FLOAT32, 1e-20, "constant(1e-20)");
  ASSERT_EQ_UINT(modes_of_workers(), before);
}

/* A mode of the caller's own is neither lost nor in the way. */
TEST(a_mode_of_the_callers_is_kept) {
  SKIP_WITHOUT_MODE;
  uint32_t before = _mm_getcsr();
  _mm_setcsr(before | 0x8000u); /* flushes results already */
  expect_zeros(SNUG_FLOAT32, 1e-40, "constant(1e20)");
  ASSERT_TRUE((_mm_getcsr() & 0x8040u) == 0x8000u);
  _mm_setcsr(before);
}
