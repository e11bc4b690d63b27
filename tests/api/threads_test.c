/* Contexts share nothing: fits in several threads at once give the bits that they give one after
 * the other, and leave no byte.  The guarded allocator belongs to one thread, so these contexts use
 * the C library's. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

enum { JOBS = 4, ROWS = 26, SIDE = 32, CLASSES = 3, WEIGHTS = 4096 };

/* What a thread is told, and what it found; it must not touch the runner. */
typedef struct job {
  const char *layer, *optimizer;
  int32_t threads;
  uint64_t seed;
  snug_status status;
  char message[256];
  double loss;
  size_t n_bytes, left;
  unsigned char weights[WEIGHTS * sizeof(float)];
} job;

static const job jobs[JOBS] = {
    {.layer = "Conv2D", .optimizer = "adam", .seed = 1},
    {.layer = "SeparableConv2D", .optimizer = "sgd(learning_rate=0.1, momentum=0.9)", .seed = 2},
    {.layer = "Conv2D", .optimizer = "rmsprop(clipnorm=1.0)", .seed = 3},
    {.layer = "SeparableConv2D",
     .optimizer = "adamw(learning_rate=CosineDecay(initial_learning_rate=0.01, decay_steps=50))",
     .seed = 4}};

static snug_status build(snug_model *m, const job *j) {
  const char *const loss = "sparse_categorical_crossentropy";
  const char *const metrics[] = {"accuracy"};
  const int64_t shape[] = {SIDE, SIDE, 1};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = j->optimizer;
  o.loss = &loss;
  o.n_loss = 1;
  o.metrics = metrics;
  o.n_metrics = 1;
  snug_model_input(m, "image", SNUG_FLOAT32, shape, 3);
  snug_model_add(m, j->layer, "filters=5 kernel_size=3 activation=gelu padding=same");
  snug_model_add(m, "BatchNormalization", NULL);
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Dropout", "rate=0.3");
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=3 activation=softmax kernel_initializer=orthogonal");
  return snug_model_compile(m, &o);
}

static snug_status fit(snug_model *m, job *j) {
  static _Thread_local float x[ROWS * SIDE * SIDE];
  int32_t y[ROWS];
  for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
    x[i] = (float)((i * 7919u + j->seed * 31u) % 101u) * 0.02f - 1.0f;
  }
  for (int32_t i = 0; i < ROWS; i++) {
    y[i] = (int32_t)((uint64_t)i * j->seed % CLASSES);
  }
  snug_array xs = {x, SNUG_FLOAT32, 4, {ROWS, SIDE, SIDE, 1}};
  snug_array ys = {y, SNUG_INT32, 1, {ROWS}};
  const snug_data data = {sizeof data, &xs, 1, &ys, 1, NULL};
  snug_history *history = NULL;
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.epochs = 2;
  o.batch_size = 8; /* large enough that kernels use their threads */
  o.validation_split = 0.2;
  snug_status s = snug_fit(m, &data, &o, &history);
  const snug_logs logs = snug_history_logs(history, 1);
  j->loss = snug_logs_get(&logs, "val_loss");
  snug_history_destroy(history);
  return s;
}

/* All weights, one behind the other. */
static snug_status read_weights(snug_model *m, job *j) {
  snug_status s = SNUG_OK;
  for (size_t i = 0; !s && i < snug_model_weights(m); i++) {
    snug_weight_info info = SNUG_INIT(snug_weight_info);
    s = snug_model_weight_info(m, i, &info);
    if (!s && j->n_bytes + info.bytes <= sizeof j->weights) {
      s = snug_model_weight_get(m, info.name, j->weights + j->n_bytes, info.bytes);
      j->n_bytes += info.bytes;
    }
  }
  return s;
}

static void *run(void *arg) {
  job *j = arg;
  const snug_options o = {.struct_size = sizeof o, .threads = j->threads};
  const snug_model_options options = {.struct_size = sizeof options, .seed = j->seed};
  snug_ctx *ctx = NULL;
  snug_model *m = NULL;
  snug_memory_info before = SNUG_INIT(snug_memory_info);
  snug_memory_info after = SNUG_INIT(snug_memory_info);
  j->status = snug_ctx_create(&o, &ctx);
  snug_memory_get(ctx, &before);
  j->status = j->status ? j->status : snug_model_create(ctx, &options, &m);
  j->status = j->status ? j->status : build(m, j);
  j->status = j->status ? j->status : fit(m, j);
  j->status = j->status ? j->status : read_weights(m, j);
  snug_model_destroy(m);
  snug_memory_get(ctx, &after);
  j->left = (size_t)(after.current - before.current);
  snprintf(j->message, sizeof j->message, "%s", snug_message(ctx));
  snug_ctx_destroy(ctx);
  return NULL;
}

static void check(const job *alone, const job *together) {
  if (together->status) {
    test_fail(__FILE__, __LINE__, "%s: %s", snug_status_text(together->status), together->message);
  }
  ASSERT_EQ_UINT(together->left, 0);
  ASSERT_TRUE(alone->n_bytes > 0);
  ASSERT_EQ_UINT(together->n_bytes, alone->n_bytes);
  ASSERT_EQ_BYTES(&together->loss, &alone->loss, sizeof alone->loss);
  ASSERT_EQ_BYTES(together->weights, alone->weights, alone->n_bytes);
}

static void side_by_side(int32_t threads) {
  static job alone[JOBS];
  static job together[JOBS];
  pthread_t ids[JOBS];
  memcpy(alone, jobs, sizeof jobs);
  memcpy(together, jobs, sizeof jobs);
  for (int i = 0; i < JOBS; i++) {
    alone[i].threads = together[i].threads = threads;
    run(&alone[i]);
  }
  for (int i = 0; i < JOBS; i++) {
    ASSERT_EQ_INT(pthread_create(&ids[i], NULL, run, &together[i]), 0);
  }
  for (int i = 0; i < JOBS; i++) {
    ASSERT_EQ_INT(pthread_join(ids[i], NULL), 0);
  }
  for (int i = 0; i < JOBS; i++) {
    check(&alone[i], &together[i]);
  }
}

TEST(fits_of_one_thread_each) { side_by_side(1); }
TEST(fits_of_two_threads_each) { side_by_side(2); }
