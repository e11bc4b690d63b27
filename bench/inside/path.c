/* How far the memory of a training step can be brought down, and for how many seconds. */
#include <stdio.h>
#include <stdlib.h>

#include "device/cpu/cpu.h"
#include "inside/inside.h"
#include "planning/frontier.h"
#include "train/calibrate.h"
#include "train/lower.h"

#define MIB 1048576.0

static void print_ways(snug__frontier *f, double keep_all) {
  for (size_t i = 0; i < f->points.n; i++) {
    const snug__frontier_point *w = &SNUG_VEC(&f->points, snug__frontier_point, i);
    int64_t height = 0;
    bench_need(f->g->ctx, snug__frontier_height(f, i, &height));
    printf("%5.1f %%  block %9.2f MiB  load %9.2f MiB  %8.4f s  +%5.2f %%  %lld again\n",
           100.0 * (double)height / keep_all, (double)height / MIB, (double)w->outcome.load / MIB,
           w->outcome.seconds,
           100.0 *
               (w->outcome.seconds / SNUG_VEC(&f->points, snug__frontier_point, 0).outcome.seconds -
                1.0),
           (long long)w->outcome.n_again);
  }
}

static double keep_everything(const snug__graph *g, const double *seconds) {
  snug__frontier f;
  int64_t height = 0;
  snug__policy *kept = calloc(g->values.n, 1);
  bench_need(g->ctx, snug__frontier_open(&f, g, &snug__cpu, seconds, seconds, NULL, kept, false));
  bench_need(g->ctx, snug__frontier_height(&f, 0, &height));
  snug__frontier_close(&f);
  free(kept);
  return (double)height;
}

void show_path(const bench_options *o) {
  static const snug__pass_options keep = {.no_recompute = true};
  subject s = subject_make(o);
  snug__graph *g = NULL;
  snug__step step;
  snug__frontier f;
  bench_need(s.ctx, snug__settle_layouts(s.model, SNUG__STEP_TRAIN));
  s.model->pass = &keep;
  bench_need(s.ctx, snug__step_build(s.model, SNUG__STEP_TRAIN, o->net.batch, false, &g, &step));
  bench_need(s.ctx, snug__step_lower(s.model, NULL, &g, &step));
  double *seconds = calloc(2 * g->nodes.n, sizeof *seconds);
  double *again = seconds + g->nodes.n;
  double start = bench_now();
  bench_need(s.ctx,
             snug__calibrate(s.model, SNUG__STEP_TRAIN, &step, g, INT64_MAX, seconds, again, NULL));
  double timed = bench_now();
  bench_need(s.ctx, snug__frontier_open(&f, g, &snug__cpu, seconds, again, NULL, NULL, false));
  double found = bench_now();
  printf("%s, batch %lld: %zu nodes; timings %.2f s, search %.2f s\n", o->net.name,
         (long long)o->net.batch, g->nodes.n, timed - start, found - timed);
  print_ways(&f, keep_everything(g, seconds));
  snug__frontier_close(&f);
  snug__graph_destroy(g);
  free(seconds);
  subject_release(&s);
}
