#include "line/measure.h"

#include <snug/snug.h>
#include <stdlib.h>
#include <string.h>

#define NOT_TIMED 2

void measure_open(const bench_options *o, snug_ctx **ctx, snug_model **model) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_options options = SNUG_INIT(snug_options);
  options.threads = o->threads;
  how.optimizer = "adam";
  how.loss = &loss;
  how.n_loss = 1;
  bench_need(NULL, snug_ctx_create(&options, ctx));
  bench_need(*ctx, snug_model_create(*ctx, NULL, model));
  bench_need(*ctx, o->net.build(*model, &o->net));
  bench_need(*ctx, snug_model_compile(*model, &how));
}

/* ---- time ---- */

typedef struct stopwatch {
  measured *m;
  int64_t steps, wanted;
  double last;
} stopwatch;

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  stopwatch *w = user;
  double now = bench_now();
  (void)batch;
  (void)logs;
  if (w->steps++ >= NOT_TIMED && w->m->n < MEASURED_MOST) {
    w->m->seconds[w->m->n++] = now - w->last;
  }
  w->last = now;
  return w->steps < w->wanted + NOT_TIMED;
}

void measure_steps(snug_ctx *ctx, snug_model *model, const snug_data *data,
                   const snug_fit_options *options, int64_t steps, measured *m) {
  stopwatch w = {.m = m, .wanted = steps};
  snug_callback watch = {.struct_size = sizeof watch, .user = &w, .batch_end = batch_end};
  snug_fit_options o = *options;
  o.epochs = steps + NOT_TIMED;
  o.callbacks = &watch;
  o.n_callbacks = 1;
  bench_need(ctx, snug_fit(model, data, &o, NULL));
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

void measure_finish(measured *m) {
  if (m->n) {
    qsort(m->seconds, (size_t)m->n, sizeof *m->seconds, compare);
    m->least = m->seconds[0];
    m->median = m->seconds[m->n / 2];
  }
}

/* ---- bytes ---- */

static bool is_activation(const snug_plan_buffer *b) {
  return strcmp(b->what, "activations") == 0 || strcmp(b->what, "scratch") == 0;
}

uint64_t measure_activations(const snug_plan *plan) {
  snug_plan_moment peak = SNUG_INIT(snug_plan_moment);
  uint64_t most = 0, alive = 0;
  snug_plan_peak(plan, &peak);
  uint64_t *change = calloc(2 * (size_t)peak.items + 4, sizeof *change);
  uint64_t *freed = change ? change + peak.items + 2 : NULL;
  for (size_t i = 0; change && i < snug_plan_buffers(plan); i++) {
    snug_plan_buffer b = SNUG_INIT(snug_plan_buffer);
    snug_plan_buffer_at(plan, i, &b);
    if (is_activation(&b)) {
      change[b.first] += b.bytes;
      freed[b.end] += b.bytes;
    }
  }
  for (int64_t t = 0; change && t <= peak.items; t++) {
    alive += change[t] - freed[t];
    most = alive > most ? alive : most;
  }
  free(change);
  return most;
}
