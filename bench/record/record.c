/* What recording costs a step: the same fit with and without, in turns, by the time of the
 * processor; the part of the time that the callback takes; and the two things that it does alone: a
 * look at the process, and a frame. */
#define _POSIX_C_SOURCE 200809L
#include <snug/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "train/data.h"
#include "train/options.h"

enum { MOST_ROUNDS = 99, CALLS = 20000 };

typedef struct stopwatch {
  const bench_options *options;
  snug_callback recorder; /* that is timed, if there is one */
  double begin, end, used;
  double within; /* the recorder, since the timing began */
  int64_t steps;
} stopwatch;

/* Of the processor: others that want it do not count. */
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool epoch_begin(void *user, int64_t epoch) {
  stopwatch *w = user;
  double began = bench_now();
  bool go_on = !w->recorder.epoch_begin || w->recorder.epoch_begin(w->recorder.user, epoch);
  w->within += bench_now() - began;
  return go_on;
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  stopwatch *w = user;
  double began = bench_now();
  bool go_on = !w->recorder.epoch_end || w->recorder.epoch_end(w->recorder.user, epoch, logs);
  w->within += bench_now() - began;
  return go_on;
}

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  stopwatch *w = user;
  const bench_options *o = w->options;
  double began = bench_now();
  if (w->recorder.batch_end) {
    w->recorder.batch_end(w->recorder.user, batch, logs);
  }
  w->end = bench_now();
  w->within += w->end - began;
  if (++w->steps <= o->warm) {
    w->begin = w->end;
    w->used = used();
    w->within = 0.0;
  }
  return w->steps < o->warm + o->steps &&
         (w->steps < o->warm + 2 || w->end - w->begin < o->seconds);
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  stopwatch *w = user;
  return !w->recorder.train_begin || w->recorder.train_begin(w->recorder.user, epochs, steps);
}

static snug_status prepare(void *user) {
  stopwatch *w = user;
  return w->recorder.prepare ? w->recorder.prepare(w->recorder.user) : SNUG_OK;
}

static void close_all(void *user) {
  stopwatch *w = user;
  w->used = used() - w->used;
  if (w->recorder.close) {
    w->recorder.close(w->recorder.user);
  }
}

/* Seconds of a step; with a path the fit is recorded there, and *part is what that takes of them.
 */
static double step_seconds(snug_ctx *ctx, snug_model *m, const bench_options *o,
                           const bench_data *d, const char *path, double *part) {
  snug_fit_record record = {
      .struct_size = sizeof record, .model = path ? m : NULL, .path = path, .replace = true};
  stopwatch w = {.options = o, .recorder = SNUG_INIT(snug_callback)};
  snug_fit_record_callback(&record, &w.recorder);
  const snug_callback watch = {.struct_size = sizeof watch,
                               .user = &w,
                               .train_begin = train_begin,
                               .epoch_begin = epoch_begin,
                               .batch_end = batch_end,
                               .epoch_end = epoch_end,
                               .prepare = prepare,
                               .close = close_all};
  snug_fit_options fit = SNUG_INIT(snug_fit_options);
  fit.batch_size = o->net.batch;
  fit.epochs = (o->warm + o->steps + o->n_batches - 1) / o->n_batches;
  fit.callbacks = &watch;
  fit.n_callbacks = 1;
  bench_need(ctx, snug_fit(m, &d->data, &fit, NULL));
  bench_need(ctx, record.failed);
  *part = path ? w.within / (w.end - w.begin) : *part;
  return w.used / (double)(w.steps - o->warm);
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, compare);
  return values[n / 2];
}

/* Who comes first changes from round to round. */
static void compare_fits(snug_ctx *ctx, snug_model *m, const bench_options *o, const char *path,
                         int rounds) {
  double plain[MOST_ROUNDS];
  double recorded[MOST_ROUNDS];
  double parts[MOST_ROUNDS];
  bench_data d;
  bench_data_make(&d, &o->net, o->n_batches);
  step_seconds(ctx, m, o, &d, NULL, parts);
  for (int i = 0; i < rounds; i++) {
    double first = step_seconds(ctx, m, o, &d, i % 2 ? path : NULL, &parts[i]);
    double second = step_seconds(ctx, m, o, &d, i % 2 ? NULL : path, &parts[i]);
    plain[i] = i % 2 ? second : first;
    recorded[i] = i % 2 ? first : second;
  }
  double step = median(plain, rounds);
  printf(
      "%-6s batch %-5lld %9.1f us a step, recorded %+.2f %%; within the callback %.3f %% (%d "
      "rounds)\n",
      o->net.name, (long long)o->net.batch, 1e6 * step,
      100.0 * (median(recorded, rounds) / step - 1.0), 100.0 * median(parts, rounds), rounds);
  bench_data_release(&d);
}

/* Samples such as a fit of some size makes: they differ in time, batch and a few pages. */
static void time_calls(snug_ctx *ctx, const char *path) {
  snug_recorder *r = NULL;
  snug_memory_process p = SNUG_INIT(snug_memory_process);
  struct stat file;
  double begin = bench_now();
  for (int i = 0; i < CALLS; i++) {
    snug_memory_process_get(&p);
  }
  double look = bench_now() - begin;
  bench_need(ctx, snug_recorder_open(ctx, path, true, &r));
  begin = bench_now();
  for (int i = 0; i < CALLS; i++) {
    const uint64_t pages = 4096 * (uint64_t)(i * 7919 % 64);
    const snug_moment m = {.struct_size = sizeof m,
                           .seconds = 0.0503 * i,
                           .at = "batch_end",
                           .epoch = i / 300,
                           .batch = i % 300,
                           .resident = p.resident + pages,
                           .peak = p.peak,
                           .held = 100 << 20,
                           .held_peak = 100 << 20,
                           .anonymous = p.resident / 2 + pages,
                           .file = p.resident / 2,
                           .processes = 1};
    bench_need(ctx, snug_recorder_moment(r, &m));
  }
  double write = bench_now() - begin;
  bench_need(ctx, snug_recorder_close(r));
  snug_recording *back = NULL;
  bench_need(ctx, snug_recording_open(ctx, path, &back));
  size_t kept = snug_recording_moments(back);
  snug_recording_destroy(back);
  long long bytes = stat(path, &file) == 0 ? (long long)file.st_size : 0;
  printf(
      "a look at the process %.1f us; a sample written %.1f us, left out or written %.1f us; "
      "%.1f bytes a sample\n",
      1e6 * look / CALLS, 1e6 * write / (double)kept, 1e6 * write / CALLS,
      (double)bytes / (double)kept);
}

/* Usage: record FILE ROUNDS, and the options of the bench; without --model, the calls alone. */
int main(int argc, char **argv) {
  snug_ctx *ctx = NULL;
  snug_model *m = NULL;
  int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
  if (rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: record FILE ROUNDS [--model NAME ...]\n");
    return 2;
  }
  const char *path = argv[1];
  bench_options o = {0};
  snug_options how = SNUG_INIT(snug_options);
  if (argc > 3) {
    argv[2] = argv[0];
    o = bench_options_read(argc - 2, argv + 2);
    how.threads = o.threads;
  }
  bench_need(NULL, snug_ctx_create(&how, &ctx));
  if (argc > 3) {
    bench_need(ctx, snug_model_create(ctx, NULL, &m));
    bench_need(ctx, o.net.build(m, &o.net));
    bench_compile(ctx, m);
    compare_fits(ctx, m, &o, path, rounds);
  } else {
    time_calls(ctx, path);
  }
  snug_model_destroy(m);
  snug_ctx_destroy(ctx);
  return 0;
}
