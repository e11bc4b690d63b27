#include <math.h>
#include <stdio.h>

#include "dnn/best.h"
#include "inside/inside.h"

typedef struct total {
  double seconds, flops, computing; /* computing: seconds of what has flops */
  double by_kind[WORK_BINARY + 1][PASS_COUNT];
  int missing;
} total;

static void add(total *t, const work *w, double seconds) {
  if (!isfinite(seconds)) {
    char text[WORK_TEXT_BYTES];
    fprintf(stderr, "oneDNN has nothing for: %s\n", work_text(w, text));
    t->missing++;
    return;
  }
  t->seconds += seconds;
  t->flops += work_flops(w);
  t->computing += work_flops(w) > 0.0 ? seconds : 0.0;
  t->by_kind[w->kind][w->pass] += seconds;
}

static total sum_up(const bench_options *o) {
  subject s = subject_make(o);
  snug__graph *g = subject_graph(&s, o);
  dnn *d = dnn_create(o->threads);
  total t = {0};
  for (snug__id node = 0; node < g->nodes.n; node++) {
    work w = work_of(g, node);
    if (w.kind != WORK_NONE) {
      add(&t, &w, dnn_best_of(d, &w).seconds);
    }
  }
  dnn_destroy(d);
  snug__graph_destroy(g);
  subject_release(&s);
  return t;
}

static void print_table(const bench_options *o, const total *t) {
  static const char *const names[] = {"",           "convolution", "dense", "normalization",
                                      "activation", "sum, product"};
  printf("%-16s %12s %12s %12s\n", "ms", "forward", "back data", "weights");
  for (int kind = WORK_CONV; kind <= WORK_BINARY; kind++) {
    const double *s = t->by_kind[kind];
    printf("%-16s %12.2f %12.2f %12.2f\n", names[kind], 1e3 * s[0], 1e3 * s[1], 1e3 * s[2]);
  }
  printf("%s, batch %lld: %.1f ms in all, %.1f GFLOP/s while it computes, %.4g examples/s\n",
         o->net.name, (long long)o->net.batch, 1e3 * t->seconds, 1e-9 * t->flops / t->computing,
         (double)o->net.batch / t->seconds);
}

void show_alone(const bench_options *o) {
  total t = sum_up(o);
  if (!o->json) {
    print_table(o, &t);
    return;
  }
  printf(
      "{\"model\": \"%s\", \"batch\": %lld, \"size\": %lld, \"examples_per_s\": %.6g, "
      "\"seconds\": %.6g, \"flops\": %.6g, \"gflops\": %.6g, \"missing\": %d}\n",
      o->net.name, (long long)o->net.batch, (long long)o->net.size,
      (double)o->net.batch / t.seconds, t.seconds, t.flops, 1e-9 * t.flops / t.seconds, t.missing);
}
