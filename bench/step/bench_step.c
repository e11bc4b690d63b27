/* What 100 training steps ask of memory: the demo's network on made-up images.  The calls of malloc
 * and its family are counted over the whole process (tests/lib/mallocs.c stands before the C
 * library's). */
#define _POSIX_C_SOURCE 200809L
#include <snug/snug.h>
#include <stdio.h>
#include <time.h>

#include "lib/mallocs.h"

enum { SIDE = 28, BATCH = 64, STEPS = 100, FIRST = 2 };

typedef struct counter {
  snug_ctx *ctx;
  int64_t steps; /* so far */
  uint64_t allocations;
  long long anonymous_kib;
  double start, seconds;
  test_mallocs mallocs;
} counter;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long long anonymous_kib(void) {
  char line[256];
  long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "RssAnon: %lld", &kib) != 1) {
  }
  if (f) {
    fclose(f);
  }
  return kib;
}

/* The first steps start the threads; then 100 are counted. */
static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  counter *c = user;
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  (void)batch;
  (void)logs;
  c->steps++;
  if (c->steps == FIRST) {
    snug_memory_get(c->ctx, &info);
    c->allocations = info.allocations;
    test_mallocs_start(); /* the tools touch pages of their own, the first time */
    test_mallocs_stop();
    anonymous_kib();
    c->anonymous_kib = anonymous_kib();
    c->start = now();
    test_mallocs_start();
  } else if (c->steps == FIRST + STEPS) {
    c->mallocs = test_mallocs_stop();
    c->seconds = now() - c->start;
    c->anonymous_kib = anonymous_kib() - c->anonymous_kib;
    snug_memory_get(c->ctx, &info);
    c->allocations = info.allocations - c->allocations;
  }
  return true;
}

static snug_status build(snug_model *m) {
  const char *loss = "sparse_categorical_crossentropy", *metric = "accuracy";
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_model_input(m, "image", SNUG_FLOAT32, (const int64_t[]){SIDE, SIDE, 1}, 3);
  snug_model_add(m, "Rescaling", "scale=0.00392156862745098");
  snug_model_add(m, "Conv2D", "filters=8 kernel_size=3 activation=relu");
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 activation=relu");
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dropout", "rate=0.2");
  snug_model_add(m, "Dense", "units=10 activation=softmax");
  how.optimizer = "adam";
  how.loss = &loss;
  how.n_loss = 1;
  how.metrics = &metric;
  how.n_metrics = 1;
  return snug_model_compile(m, &how);
}

int main(void) {
  static unsigned char pixels[4 * BATCH][SIDE][SIDE], labels[4 * BATCH];
  snug_array x = {pixels, SNUG_UINT8, 4, {4 * BATCH, SIDE, SIDE, 1}};
  snug_array y = {labels, SNUG_UINT8, 1, {4 * BATCH}};
  snug_data data = {sizeof data, &x, 1, &y, 1, NULL};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_model *m = NULL;
  counter c = {0};
  for (int i = 0; i < 4 * BATCH; i++) {
    labels[i] = (unsigned char)(i % 10);
    pixels[i][i % SIDE][i % 10] = 255;
  }
  snug_callback count = {.struct_size = sizeof count, .user = &c, .batch_end = batch_end};
  o.batch_size = BATCH;
  o.epochs = (FIRST + STEPS + 3) / 4; /* of 4 steps each */
  o.callbacks = &count;
  o.n_callbacks = 1;
  snug_status s = snug_ctx_create(NULL, &c.ctx);
  s = s ? s : snug_model_create(c.ctx, NULL, &m);
  s = s ? s : build(m);
  s = s ? s : snug_fit(m, &data, &o, NULL);
  if (s) {
    fprintf(stderr, "bench_step: %s\n", c.ctx ? snug_message(c.ctx) : snug_status_text(s));
  } else {
    printf("steps                                       %d of batch %d, %.1f ms each\n", STEPS,
           BATCH, 1e3 * c.seconds / STEPS);
    printf("allocations of Snug                         %llu\n", (unsigned long long)c.allocations);
    printf("bytes that libraries hold in a call, most   %lld\n", (long long)c.mallocs.most);
    printf("bytes that they hold after 100 steps        %lld\n", (long long)c.mallocs.held);
    printf("anonymous resident memory, change           %lld KiB\n", c.anonymous_kib);
  }
  snug_model_destroy(m);
  snug_ctx_destroy(c.ctx);
  return s ? 1 : 0;
}
