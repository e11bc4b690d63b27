#include "api/attempt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/ctx.h"

const char *const attempt_values[] = {"0",
                                      "1",
                                      "-1",
                                      "2",
                                      "7",
                                      "-7",
                                      "65537",
                                      "2147483648",
                                      "4294967297",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "9223372036854775808",
                                      "0.5",
                                      "1e308",
                                      "-1e308",
                                      "1e-320",
                                      "1e999",
                                      "nan",
                                      "inf",
                                      "-inf",
                                      "true",
                                      "none",
                                      "garbage",
                                      "relu",
                                      "l2(inf)",
                                      "l2(-1e308)",
                                      "max_norm(0)",
                                      "max_norm(1,axis=9223372036854775807)",
                                      "random_normal(stddev=1e308)",
                                      "orthogonal(gain=inf)",
                                      "constant(",
                                      "constant(1))",
                                      "\"\"",
                                      "\"",
                                      "\xff\xfe\x80",
                                      "",
                                      "[]",
                                      "[[]]",
                                      "[[[[1]]]]",
                                      "[0,0]",
                                      "[-1,-1]",
                                      "[1,2]",
                                      "[3,2,1]",
                                      "[9223372036854775807,9223372036854775807]",
                                      "[-9223372036854775808,9223372036854775807]",
                                      "[3037000500,3037000500]",
                                      "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                                      "[1,",
                                      NULL};

/* Findings are all listed before the test fails: they come in groups. */
static int n_findings;

snug_ctx *attempt_ctx(void) {
  n_findings = 0;
  return test_ctx_with(&(snug_options){
      .struct_size = sizeof(snug_options), .memory_limit = ATTEMPT_BYTES, .threads = 1});
}

static struct timespec start;

void attempt_begin(snug_ctx *ctx) {
  ctx->message[0] = 0;
  clock_gettime(CLOCK_MONOTONIC, &start);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

static bool has_one(const char *text, const char *const *parts) {
  for (; *parts; parts++) {
    if (strcasestr(text, *parts)) {
      return true;
    }
  }
  return false;
}

static void note(const char *what, const char *finding, const char *message) {
  if (n_findings++ < 40) {
    fprintf(stderr, "%s: %s: '%s'\n", what, finding, message);
  }
}

void attempt_end(snug_ctx *ctx, snug_status s, const char *what, const char *const *names) {
  const char *message = snug_message(ctx);
  bool by_memory = s == SNUG_E_LIMIT || s == SNUG_E_MEMORY;
  if (seconds() > (double)ATTEMPT_SECONDS) {
    note(what, "takes too long", message);
  }
  if (s == SNUG_E_INTERNAL || s > 0 || s < SNUG_E_INTERNAL) {
    note(what, "is a failure of ours", message);
  } else if (s && !message[0]) {
    note(what, "has no message", message);
  } else if (s && !by_memory && !has_one(message, names)) {
    note(what, "is not named by the message", message);
  }
}

void attempt_finish(void) { ASSERT_EQ_INT(n_findings, 0); }

/* An array of zeros for a tensor; they are labels and indices, too. */
static bool make_array(const snug_model *m, snug_tensor t, snug_dtype dtype, snug_array *out) {
  int64_t shape[SNUG_MAX_RANK];
  int32_t rank = snug_model_shape(m, t, shape);
  int64_t n = ATTEMPT_ROWS;
  *out = (snug_array){.dtype = dtype, .rank = rank + 1, .shape = {ATTEMPT_ROWS}};
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] > 4096 || n * shape[i] > 4096) {
      return false;
    }
    n *= shape[i];
    out->shape[i + 1] = shape[i];
  }
  out->data = calloc((size_t)n + 1, 8);
  return out->data != NULL;
}

snug_status attempt_train(snug_model *m, const snug_compile_options *o, const snug_tensor *in,
                          int32_t n_in, snug_dtype dtype, snug_tensor out) {
  snug_array x[8] = {{0}};
  snug_array y = {0};
  snug_data data = {sizeof data, x, n_in, &y, 1, NULL};
  snug_fit_options fit = SNUG_INIT(snug_fit_options);
  bool small = make_array(m, out, SNUG_FLOAT32, &y);
  for (int32_t i = 0; i < n_in; i++) {
    small = make_array(m, in[i], dtype, &x[i]) && small;
  }
  snug_status s = snug_model_compile(m, o);
  if (!s && small) {
    s = snug_fit(m, &data, &fit, NULL);
    y.rank -= s == SNUG_E_SHAPE; /* one label for the last axis, for losses that want that */
    s = s == SNUG_E_SHAPE ? snug_fit(m, &data, &fit, NULL) : s;
  }
  for (int32_t i = 0; i < n_in; i++) {
    free((void *)(uintptr_t)x[i].data);
  }
  free((void *)(uintptr_t)y.data);
  return s;
}
