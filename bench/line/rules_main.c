/* Known rules of recomputing beside our points, over 40 lines.
 *
 *   rules --model NAME [--batch N] [--size N] [--threads N] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside/inside.h"
#include "line/rules.h"
#include "pass/passes.h"
#include "pass/remake.h"
#include "train/data.h"
#include "train/fit.h"

#define MIB 1048576.0
#define SWEEP 24
#define BANDWIDTH 8e9

typedef struct point {
  int64_t block;
  double seconds;
} point;

typedef struct trial {
  const snug__program *kept; /* everything kept */
  snug__recipes recipes;
  double *seconds; /* per node */
  double base;
  bool *cheap;
} trial;

static double *time_nodes(const snug__fit *f, const snug__program *p, int rounds) {
  double *seconds = calloc(p->graph->nodes.n, sizeof *seconds);
  for (int r = 0; r < rounds; r++) {
    snug__feed_fill(&f->train, 0, &f->session.runs[SNUG__SLOT_MAIN]);
    snug__training_set_rate(f->model);
    for (size_t i = 0; i < p->n_items; i++) {
      double start = bench_now();
      bench_need(p->ctx, p->items[i].kernel->run(p->items[i].state, &p->items[i].call));
      double took = bench_now() - start;
      snug__id node = p->items[i].node;
      seconds[node] = r == 0 || took < seconds[node] ? took : seconds[node];
    }
  }
  return seconds;
}

static double recipe_seconds(const trial *t, snug__id value) {
  const snug__recipe *r = &t->recipes.of[value];
  const snug__graph *g = t->recipes.g;
  double bytes = (double)snug__type_bytes(snug__type_at(g, value));
  for (int32_t i = 0; i < r->n_in; i++) {
    bytes += r->in[i] == SNUG_NONE ? 0.0 : (double)snug__type_bytes(snug__type_at(g, r->in[i]));
  }
  return bytes / BANDWIDTH;
}

static void need_inputs(const bool *remade, const snug__id *in, int32_t n, bool *needed) {
  for (int32_t i = 0; i < n; i++) {
    if (in[i] != SNUG_NONE && remade[in[i]]) {
      needed[in[i]] = true;
    }
  }
}

static double again_seconds(const trial *t, const bool *remade) {
  const snug__graph *g = t->recipes.g;
  bool *needed = calloc(g->values.n, 1);
  double sum = 0.0;
  for (snug__id id = (snug__id)g->nodes.n; id-- > 0;) {
    const snug__node *node = snug__node_at(g, id);
    bool again = false;
    if (node->backward) {
      need_inputs(remade, node->in, node->n_in, needed);
    }
    for (int32_t k = 0; k < node->n_out; k++) {
      snug__id v = node->out[k];
      if (v != SNUG_NONE && needed[v]) {
        const snug__recipe *r = &t->recipes.of[v];
        need_inputs(remade, r->in, r->n_in, needed);
        again |= r->again != SNUG_NONE;
        sum += r->again == SNUG_NONE ? recipe_seconds(t, v) : 0.0;
      }
    }
    sum += again ? t->seconds[id] : 0.0;
  }
  free(needed);
  return sum;
}

static point evaluate(const trial *t, const bool *remade) {
  snug__rewrite r;
  snug__program *p = NULL;
  snug__remaking what = {.remade = remade};
  bench_need(t->kept->ctx, snug__pass_remake(&t->recipes, &what, &r));
  snug__graph *g = r.to;
  r.to = NULL;
  snug__rewrite_release(&r);
  bench_need(t->kept->ctx, snug__program_create(g, &snug__cpu, NULL, &p));
  point out = {snug__program_height(p), t->base + again_seconds(t, remade)};
  snug__program_destroy(p);
  return out;
}

static void show(const trial *t, const char *name, double parameter, bool *remade) {
  for (int with_cheap = 0; with_cheap < 2; with_cheap++) {
    for (snug__id v = 0; with_cheap && v < t->recipes.g->values.n; v++) {
      remade[v] |= t->cheap[v];
    }
    snug__recipes_close(&t->recipes, remade);
    point p = evaluate(t, remade);
    printf("%-16s %10.3g %-6s block %9.2f MiB %6.1f %%  %8.4f s %+6.1f %%\n", name, parameter,
           with_cheap ? "+cheap" : "", (double)p.block / MIB,
           100.0 * (double)p.block / (double)snug__program_height(t->kept), p.seconds,
           100.0 * (p.seconds / t->base - 1.0));
  }
}

static void run(trial *t) {
  rules r;
  size_t n = t->recipes.g->values.n;
  bool *remade = calloc(n, 1);
  rules_open(&r, t->recipes.g, &t->recipes, t->seconds);
  printf("kept %.2f MiB in %zu values, block %.2f MiB, %.4f s\n", (double)r.kept / MIB, n,
         (double)snug__program_height(t->kept) / MIB, t->base);
  show(t, "none", 0, memset(remade, 0, n));
  for (int joints = 0; joints < 2; joints++) {
    rule_sqrt(&r, joints, remade);
    show(t, joints ? "sqrt joints" : "sqrt", 0, remade);
    for (int i = 0; i < SWEEP; i += 2) {
      double bytes = (double)r.kept / pow(64.0, (i + 0.5) / SWEEP);
      rule_greedy(&r, joints, (int64_t)bytes, remade);
      show(t, joints ? "greedy joints" : "greedy", bytes / MIB, remade);
    }
  }
  for (int i = 0; i < SWEEP; i += 2) {
    double bytes = (double)r.kept * (i + 1) / SWEEP;
    rule_knapsack(&r, (int64_t)bytes, remade);
    show(t, "knapsack", bytes / MIB, remade);
  }
  rules_close(&r);
  free(remade);
}

int main(int argc, char **argv) {
  bench_options o = bench_options_read(argc, argv);
  static const snug__pass_options keep = {.no_remake = true};
  subject s = subject_make(&o);
  snug_fit_options how = SNUG_FIT_OPTIONS_DEFAULT;
  snug__fit f;
  bench_data d;
  trial t = {0};
  bench_data_make(&d, &o.net, 1);
  how.batch_size = o.net.batch;
  how.no_shuffle = true;
  s.model->pass = &keep;
  bench_need(s.ctx, snug__fit_open(&f, s.model, &d.data, &how));
  bench_need(s.ctx, snug__session_commit(&f.session));
  t.kept = f.session.runs[SNUG__SLOT_MAIN].program;
  t.seconds = time_nodes(&f, t.kept, 3);
  for (snug__id i = 0; i < t.kept->graph->nodes.n; i++) {
    t.base += t.seconds[i];
  }
  bench_need(s.ctx, snug__recipes_init(&t.recipes, t.kept->graph, &snug__cpu));
  t.cheap = calloc(t.kept->graph->values.n, 1);
  bench_need(s.ctx, snug__recipes_cheap(&t.recipes, t.cheap));
  run(&t);
  snug__recipes_release(&t.recipes);
  free(t.cheap);
  free(t.seconds);
  snug__fit_close(&f, SNUG_OK, NULL);
  subject_release(&s);
  bench_data_release(&d);
  return 0;
}
