/* One measurement: trains a network of the bench in this process and prints a line of JSON.
 *
 * The clock of "first_step_s" starts where BENCH_START says (the value of bench_now when the
 * process was started); without it, at main. */
#define _POSIX_C_SOURCE 200809L
#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>

#include "train/data.h"
#include "train/forward.h"
#include "train/options.h"

#define MOST_MARKS 16384
#define BETWEEN 0.01 /* seconds, at least */

/* When how many steps were done, since timing began. */
typedef struct mark {
  double at;
  int64_t steps;
} mark;

typedef struct stopwatch {
  const bench_options *options;
  double process, first, begin, end; /* when: process began, step 1 ended, timing began and ended */
  double shortest, last;             /* step; end of the step before */
  int64_t steps;                     /* so far */
  double loss;
  mark *marks; /* NULL: none are wanted */
  int64_t n_marks;
} stopwatch;

static void add_mark(stopwatch *w, double now) {
  if (w->marks && w->n_marks < MOST_MARKS &&
      (w->n_marks == 0 || now - w->marks[w->n_marks - 1].at >= BETWEEN)) {
    w->marks[w->n_marks++] = (mark){now, w->steps - w->options->warm};
  }
}

static void begin_timing(stopwatch *w, double now) {
  w->begin = now;
  if (w->marks && w->steps == w->options->warm) {
    puts("begin");
    fflush(stdout);
    add_mark(w, now);
  }
}

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  stopwatch *w = user;
  double now = bench_now();
  (void)batch;
  w->steps++;
  w->first = w->steps == 1 ? now : w->first;
  if (w->steps <= w->options->warm) {
    begin_timing(w, now);
  } else {
    add_mark(w, now);
    w->shortest = now - w->last < w->shortest ? now - w->last : w->shortest;
    w->end = now;
  }
  w->last = now;
  w->loss = snug_logs_get(logs, "loss");
  return w->steps < w->options->warm + w->options->steps &&
         (w->steps < w->options->warm + 2 || now - w->begin < w->options->seconds);
}

static long long peak_kib(void) {
  char line[256];
  long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %lld", &kib) != 1) {
  }
  if (f) {
    fclose(f);
  }
  return kib;
}

static void print_marks(const stopwatch *w) {
  printf("\"marks\": [");
  for (int64_t i = 0; i < w->n_marks; i++) {
    printf("%s[%.6f, %lld]", i ? ", " : "", w->marks[i].at, (long long)w->marks[i].steps);
  }
  printf("], ");
}

static void print(const stopwatch *w, const snug_memory_report *memory,
                  const snug_data_report *reading, size_t data_bytes, long long parameters) {
  const net *n = &w->options->net;
  int64_t timed = w->steps - w->options->warm;
  putchar('{');
  if (w->marks) {
    print_marks(w);
  }
  printf(
      "\"who\": \"snug\", \"model\": \"%s\", \"batch\": %lld, \"size\": %lld, \"steps\": %lld, "
      "\"examples_per_s\": %.6g, \"best_examples_per_s\": %.6g, \"first_step_s\": %.4f, "
      "\"waited_s\": %.6f, \"copied_s\": %.6f, \"of_s\": %.6f, "
      "\"peak_bytes\": %lld, \"data_bytes\": %zu, \"planned_bytes\": %llu, "
      "\"parameters\": %lld, \"loss\": %.6g, \"settings\": \"snug %s, %d threads\"}\n",
      n->name, (long long)n->batch, (long long)n->size, (long long)timed,
      (double)(timed * n->batch) / (w->end - w->begin), (double)n->batch / w->shortest,
      w->first - w->process, reading->waited, reading->copied, w->end - w->first, 1024 * peak_kib(),
      data_bytes, (unsigned long long)memory->planned, parameters, w->loss, snug_version(),
      w->options->threads);
}

static void train(snug_ctx *ctx, snug_model *m, const bench_options *o, stopwatch *w) {
  snug_callback watch = {.struct_size = sizeof watch, .user = w, .batch_end = batch_end};
  snug_fit_options fit = SNUG_INIT(snug_fit_options);
  snug_history *history = NULL;
  snug_memory_report memory = SNUG_INIT(snug_memory_report);
  snug_data_report reading = SNUG_INIT(snug_data_report);
  bench_data d;
  bench_data_make(&d, &o->net, o->n_batches);
  fit.batch_size = o->net.batch;
  fit.epochs = (o->warm + o->steps + o->n_batches - 1) / o->n_batches;
  fit.callbacks = &watch;
  fit.n_callbacks = 1;
  bench_need(ctx, snug_fit(m, &d.data, &fit, &history));
  snug_history_memory(history, &memory);
  snug_history_data(history, &reading);
  print(w, &memory, &reading, d.bytes, count_parameters(m));
  snug_history_destroy(history);
  bench_data_release(&d);
}

int main(int argc, char **argv) {
  const char *start = getenv("BENCH_START");
  bench_options o = bench_options_read(argc, argv);
  stopwatch w = {.options = &o, .process = start ? strtod(start, NULL) : bench_now()};
  snug_options how = SNUG_INIT(snug_options);
  snug_ctx *ctx = NULL;
  snug_model *m = NULL;
  how.threads = o.threads;
  w.shortest = 1e9;
  w.marks = o.marks ? calloc(MOST_MARKS, sizeof *w.marks) : NULL;
  bench_need(NULL, snug_ctx_create(&how, &ctx));
  bench_need(ctx, snug_model_create(ctx, NULL, &m));
  bench_need(ctx, o.net.build(m, &o.net));
  if (o.output) {
    forward_to_file(ctx, m, &o);
  } else {
    bench_compile(ctx, m);
    train(ctx, m, &o, &w);
  }
  snug_model_destroy(m);
  snug_ctx_destroy(ctx);
  free(w.marks);
  return 0;
}
