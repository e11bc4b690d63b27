/* Where the time before step 1 goes.
 *
 *   start --model NAME [--weights FILE.keras] [--batch N] [--size N] [--threads N]
 *
 * Prints, for each part of a start, the seconds that the first thread computes, those of all
 * threads, and those on the clock; with --weights the model is loaded from a file that save_net
 * (tests/line) wrote.  Waiting is not counted in the first column where OMP_WAIT_POLICY is passive,
 * so beside other work it tells what the clock would tell on an idle machine. */
#define _POSIX_C_SOURCE 200809L
#include <snug/snug.h>
#include <stdio.h>
#include <time.h>

#include "train/data.h"
#include "train/options.h"

typedef struct moment {
  double first, all, clock;
} moment;

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static moment now(void) {
  return (moment){seconds(CLOCK_THREAD_CPUTIME_ID), seconds(CLOCK_PROCESS_CPUTIME_ID),
                  seconds(CLOCK_MONOTONIC)};
}

static void print(const char *what, const moment *since) {
  moment m = now();
  printf("%-32s %8.3f %8.3f %8.3f\n", what, m.first - since->first, m.all - since->all,
         m.clock - since->clock);
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  (void)epochs;
  (void)steps;
  print("plan, programs, memory", user);
  return false; /* step 1 is left out */
}

static void make(snug_ctx *ctx, const bench_options *o, snug_model **m) {
  moment before = now();
  if (o->weights) {
    bench_need(ctx, snug_model_load(ctx, o->weights, NULL, m));
  } else {
    bench_need(ctx, snug_model_create(ctx, NULL, m));
    bench_need(ctx, o->net.build(*m, &o->net));
    bench_compile(ctx, *m);
  }
  print(o->weights ? "load, compile, read weights" : "build, compile, draw weights", &before);
}

static void fit(snug_ctx *ctx, snug_model *m, const bench_options *o) {
  moment before;
  snug_callback watch = {.struct_size = sizeof watch, .user = &before, .train_begin = train_begin};
  snug_fit_options how = SNUG_INIT(snug_fit_options);
  bench_data d;
  bench_data_make(&d, &o->net, 1);
  before = now();
  how.batch_size = o->net.batch;
  how.callbacks = &watch;
  how.n_callbacks = 1;
  bench_need(ctx, snug_fit(m, &d.data, &how, NULL));
  bench_data_release(&d);
}

int main(int argc, char **argv) {
  bench_options o = bench_options_read(argc, argv);
  snug_options how = SNUG_INIT(snug_options);
  snug_ctx *ctx = NULL;
  snug_model *m = NULL;
  how.threads = o.threads;
  printf("%-32s %8s %8s %8s\n", "seconds", "first", "all", "clock");
  bench_need(NULL, snug_ctx_create(&how, &ctx));
  make(ctx, &o, &m);
  fit(ctx, m, &o);
  snug_model_destroy(m);
  snug_ctx_destroy(ctx);
  return 0;
}
