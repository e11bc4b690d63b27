/* A step's time as it is predicted from its kernels beside the time that it takes, in all and by
 * op.  Nothing is recomputed in it: that is the step that is calibrated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside/inside.h"
#include "pass/passes.h"
#include "train/calibrate.h"
#include "train/data.h"
#include "train/fit.h"

typedef struct line {
  const snug__op *op;
  const char *kernel;
  double predicted, measured;
} line;

static int by_error(const void *a, const void *b) {
  double x = fabs(((const line *)a)->predicted - ((const line *)a)->measured);
  double y = fabs(((const line *)b)->predicted - ((const line *)b)->measured);
  return (x < y) - (x > y);
}

static void *take(size_t n, size_t bytes) {
  void *memory = calloc(n ? n : 1, bytes);
  if (!memory) {
    fputs("bench: no memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* Seconds per node; returns how long finding them took. */
static double predict(const subject *s, const snug__run *run, double *seconds) {
  char note[SNUG__NOTE_BYTES] = "";
  double start = bench_now();
  bench_need(s->ctx, snug__calibrate(s->model, SNUG__STEP_TRAIN, &run->step, run->program->graph,
                                     INT64_MAX, seconds, NULL, note));
  double took = bench_now() - start;
  if (note[0]) {
    puts(note);
  }
  return took;
}

/* The shortest time of each item, and of a whole step. */
static double measure(snug__fit *f, const snug__program *p, const bench_options *o,
                      double *seconds) {
  double whole = INFINITY;
  for (int64_t step = 0; step < o->steps; step++) {
    double sum = 0.0;
    snug__feed_fill(&f->train, 0, 0, &f->session.runs[SNUG__SLOT_MAIN]);
    snug__training_set_rate(f->model);
    for (size_t i = 0; i < p->n_items; i++) {
      double start = bench_now();
      bench_need(p->ctx, p->items[i].kernel->run(p->items[i].state, &p->items[i].call));
      double took = bench_now() - start;
      seconds[p->items[i].node] = step ? fmin(seconds[p->items[i].node], took) : took;
      sum += took;
    }
    whole = fmin(whole, sum);
  }
  return whole;
}

static line *find(line *lines, size_t *n, const snug__item *item) {
  for (size_t i = 0; i < *n; i++) {
    if (lines[i].op == item->sig.op && lines[i].kernel == item->kernel->name) {
      return &lines[i];
    }
  }
  lines[*n] = (line){.op = item->sig.op, .kernel = item->kernel->name};
  return &lines[(*n)++];
}

static void print(const bench_options *o, const snug__program *p, const double *predicted,
                  const double *measured, double whole, double took) {
  line *lines = take(p->n_items, sizeof *lines);
  line all = {0};
  size_t n = 0;
  for (size_t i = 0; i < p->n_items; i++) {
    const snug__id node = p->items[i].node;
    line *l = find(lines, &n, &p->items[i]);
    l->predicted += predicted[node];
    l->measured += measured[node];
    all.predicted += predicted[node];
    all.measured += measured[node];
  }
  printf(
      "%s, batch %lld, size %lld: predicted %.2f ms in %.2f s; a step takes %.2f, its items at "
      "their best %.2f\n",
      o->net.name, (long long)o->net.batch, (long long)o->net.size, 1e3 * all.predicted, took,
      1e3 * whole, 1e3 * all.measured);
  qsort(lines, n, sizeof *lines, by_error);
  for (size_t i = 0; i < n && i < 12; i++) {
    printf("%10.3f predicted %10.3f measured  %s, %s\n", 1e3 * lines[i].predicted,
           1e3 * lines[i].measured, lines[i].op->name, lines[i].kernel);
  }
  free(lines);
}

void show_prediction(const bench_options *o) {
  const snug__pass_options keep = {.no_recompute = true};
  subject s = subject_make(o);
  snug_fit_options how = SNUG_INIT(snug_fit_options);
  snug__fit f;
  bench_data d;
  bench_data_make(&d, &o->net, 1);
  how.batch_size = o->net.batch;
  how.no_shuffle = true;
  s.model->pass = &keep;
  bench_need(s.ctx, snug__fit_open(&f, s.model, &d.data, &how));
  const snug__run *run = &f.session.runs[SNUG__SLOT_MAIN];
  double *predicted = take(run->program->graph->nodes.n, sizeof *predicted);
  double *measured = take(run->program->graph->nodes.n, sizeof *measured);
  double took = predict(&s, run, predicted);
  bench_need(s.ctx, snug__session_commit(&f.session));
  double whole = measure(&f, run->program, o, measured);
  print(o, run->program, predicted, measured, whole, took);
  free(predicted);
  free(measured);
  snug__fit_close(&f, SNUG_OK, NULL);
  subject_release(&s);
  bench_data_release(&d);
}
