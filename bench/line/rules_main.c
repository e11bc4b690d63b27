/* Known rules of recomputing beside our points, over 40 lines.
 *
 *   rules --model NAME [--batch N] [--size N] [--threads N]
 *
 * Rules and points have the same graph, the same seconds per node and the same planner.  For each
 * line the table has the seconds of the fastest that fits.  Exit code 1: a rule is faster than ours
 * somewhere, or fits where ours does not. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/program.h"
#include "inside/inside.h"
#include "line/rules.h"
#include "pass/passes.h"
#include "pass/remake.h"
#include "snug/plan.h"
#include "train/calibrate.h"
#include "train/data.h"
#include "train/lower.h"

#define MIB 1048576.0
#define LINES 40
#define SWEEP 12 /* sizes of segments, and of the knapsack */
#define SAME 1e-9

enum { OURS, CHEAP, SQRT, GREEDY, KNAPSACK, WAYS };
static const char *const names[WAYS] = {"ours", "cheap only", "sqrt(n)", "greedy", "knapsack"};

typedef struct point {
  double block, seconds;
} point;

typedef struct points {
  point *at;
  size_t n;
} points;

typedef struct trial {
  subject s;
  snug__graph *g; /* everything kept */
  snug__recipes recipes;
  double *seconds, *again; /* per node */
  bool *cheap;
  rules rules;
  points ways[WAYS];
} trial;

static void *need(size_t n, size_t each) {
  void *p = calloc(n ? n : 1, each);
  if (!p) {
    fputs("rules: no memory\n", stderr);
    exit(1);
  }
  return p;
}

static void add_point(points *list, double block, double seconds) {
  list->at = realloc(list->at, (list->n + 1) * sizeof *list->at);
  if (!list->at) {
    exit(1);
  }
  list->at[list->n++] = (point){block, seconds};
}

/* ---- what a choice costs ---- */

static void mark_inputs(const bool *remade, const snug__id *in, int32_t n, bool *needed) {
  for (int32_t i = 0; i < n; i++) {
    if (in[i] != SNUG_NONE && remade[in[i]]) {
      needed[in[i]] = true;
    }
  }
}

/* Whether a node runs a second time for what is needed of it. */
static bool runs_again(const trial *t, const snug__node *node, const bool *remade, bool *needed) {
  bool again = false;
  for (int32_t k = 0; k < node->n_out; k++) {
    snug__id v = node->out[k];
    if (v != SNUG_NONE && needed[v]) {
      mark_inputs(remade, t->recipes.of[v].in, t->recipes.of[v].n_in, needed);
      again = true;
    }
  }
  return again;
}

static double seconds_of(const trial *t, const bool *remade) {
  bool *needed = need(t->g->values.n, sizeof *needed);
  double sum = 0.0;
  for (snug__id id = (snug__id)t->g->nodes.n; id-- > 0;) {
    const snug__node *node = snug__node_at(t->g, id);
    if (node->backward) {
      mark_inputs(remade, node->in, node->n_in, needed);
    }
    sum += t->seconds[id] + (runs_again(t, node, remade, needed) ? t->again[id] : 0.0);
  }
  free(needed);
  return sum;
}

static double block_of(const trial *t, const bool *remade) {
  snug__remaking what = {.remade = remade};
  snug__program *p = NULL;
  snug__rewrite r;
  bench_need(t->s.ctx, snug__pass_remake(&t->recipes, &what, &r));
  snug__graph *made = r.to;
  r.to = NULL;
  snug__rewrite_release(&r);
  bench_need(t->s.ctx, snug__program_create(made, &snug__cpu, NULL, &p));
  double height = (double)snug__program_height(p);
  snug__program_destroy(p);
  return height;
}

static void try_choice(trial *t, int way, bool *remade) {
  add_point(&t->ways[way], block_of(t, remade), seconds_of(t, remade));
}

/* A rule's choice as it is, and with what costs next to nothing made again besides. */
static void try_rule(trial *t, int way, bool *remade) {
  try_choice(t, way, remade);
  for (snug__id v = 0; v < t->g->values.n; v++) {
    remade[v] |= t->cheap[v];
  }
  snug__recipes_close(&t->recipes, remade);
  try_choice(t, way, remade);
}

/* ---- everybody's points ---- */

static void try_rules(trial *t) {
  bool *remade = need(t->g->values.n, sizeof *remade);
  try_choice(t, CHEAP, remade);
  try_choice(t, CHEAP, t->cheap);
  for (int joints = 0; joints < 2; joints++) {
    rule_sqrt(&t->rules, joints, remade);
    try_rule(t, SQRT, remade);
    for (int i = 0; i < SWEEP; i++) {
      rule_greedy(&t->rules, joints,
                  (int64_t)((double)t->rules.kept / pow(48.0, (i + 0.5) / SWEEP)), remade);
      try_rule(t, GREEDY, remade);
    }
  }
  for (int i = 0; i < SWEEP; i++) {
    rule_knapsack(&t->rules, t->rules.kept * (i + 1) / (SWEEP + 1), remade);
    try_rule(t, KNAPSACK, remade);
  }
  free(remade);
}

static void take_ours(trial *t, const bench_options *o) {
  snug_fit_options how = SNUG_FIT_OPTIONS_DEFAULT;
  snug_plan *plan = NULL;
  bench_data d;
  bench_data_make(&d, &o->net, 1);
  how.batch_size = how.levers.micro_batch = o->net.batch;
  how.levers.curve = true;
  bench_need(t->s.ctx, snug_plan_fit(t->s.model, &d.data, &how, &plan));
  for (size_t i = 0; i < snug_plan_points(plan); i++) {
    snug_plan_point p;
    snug_plan_point_at(plan, i, &p);
    add_point(&t->ways[OURS], (double)p.block, p.seconds);
  }
  snug_plan_destroy(plan);
  bench_data_release(&d);
}

/* ---- the table ---- */

/* Seconds of the fastest point under a line; infinity if there is none. */
static double fastest(const points *list, double line) {
  double best = INFINITY;
  for (size_t i = 0; i < list->n; i++) {
    best = list->at[i].block <= line ? fmin(best, list->at[i].seconds) : best;
  }
  return best;
}

static void bounds(const trial *t, double *low, double *high) {
  *low = INFINITY;
  *high = 0.0;
  for (int way = 0; way < WAYS; way++) {
    for (size_t i = 0; i < t->ways[way].n; i++) {
      *low = fmin(*low, t->ways[way].at[i].block);
      *high = fmax(*high, t->ways[way].at[i].block);
    }
  }
}

static int print_line(const trial *t, double line) {
  double ours = fastest(&t->ways[OURS], line);
  int worse = 0;
  printf("%10.2f", line / MIB);
  for (int way = 0; way < WAYS; way++) {
    double other = fastest(&t->ways[way], line);
    if (isinf(other)) {
      printf("  %12s", "-");
    } else {
      printf("  %12.5f", other);
    }
    worse |= other < ours * (1.0 - SAME);
  }
  puts(worse ? "  WORSE" : "");
  return worse;
}

/* What each gives for a third of the block that keeps everything, beside the time of that. */
static void print_third(const trial *t) {
  const point *kept = &t->ways[CHEAP].at[0];
  printf("%10s", "a third");
  for (int way = 0; way < WAYS; way++) {
    double seconds = fastest(&t->ways[way], kept->block / 3.0);
    if (isinf(seconds)) {
      printf("  %12s", "-");
    } else {
      printf("  %+10.1f %%", 100.0 * (seconds / kept->seconds - 1.0));
    }
  }
  puts("");
}

static int print_table(const trial *t, const bench_options *o) {
  double low, high;
  int worse = 0;
  bounds(t, &low, &high);
  printf("%s %lld, batch %lld: seconds of the fastest that fits\n%10s", o->net.name,
         (long long)o->net.size, (long long)o->net.batch, "MiB");
  for (int way = 0; way < WAYS; way++) {
    printf("  %12s", names[way]);
  }
  puts("");
  for (int i = 0; i < LINES; i++) {
    worse += print_line(t, low + (high - low) * i / (LINES - 1));
  }
  print_third(t);
  printf("%s: a rule is better than ours at %d of %d lines\n", o->net.name, worse, LINES);
  return worse > 0;
}

/* ---- set up ---- */

static void open_trial(trial *t, const bench_options *o) {
  static const snug__pass_options keep = {.no_remake = true};
  char note[SNUG__NOTE_BYTES];
  snug__step step;
  t->s = subject_make(o);
  bench_need(t->s.ctx,
             snug__step_build(t->s.model, SNUG__STEP_TRAIN, o->net.batch, false, &t->g, &step));
  const snug__pass_options *before = t->s.model->pass;
  t->s.model->pass = &keep;
  bench_need(t->s.ctx, snug__step_lower(t->s.model, &t->g, &step));
  t->s.model->pass = before;
  t->seconds = need(t->g->nodes.n, sizeof *t->seconds);
  t->again = need(t->g->nodes.n, sizeof *t->again);
  t->cheap = need(t->g->values.n, sizeof *t->cheap);
  bench_need(t->s.ctx, snug__calibrate(t->s.model, SNUG__STEP_TRAIN, &step, t->g, t->seconds,
                                       t->again, note));
  bench_need(t->s.ctx, snug__recipes_init(&t->recipes, t->g, &snug__cpu));
  bench_need(t->s.ctx, snug__recipes_cheap(&t->recipes, t->cheap));
  rules_open(&t->rules, t->g, &t->recipes, t->again);
}

static void close_trial(trial *t) {
  for (int way = 0; way < WAYS; way++) {
    free(t->ways[way].at);
  }
  rules_close(&t->rules);
  snug__recipes_release(&t->recipes);
  free(t->seconds);
  free(t->again);
  free(t->cheap);
  snug__graph_destroy(t->g);
  subject_release(&t->s);
}

int main(int argc, char **argv) {
  bench_options o = bench_options_read(argc, argv);
  trial t = {0};
  open_trial(&t, &o);
  take_ours(&t, &o);
  try_rules(&t);
  int worse = print_table(&t, &o);
  close_trial(&t);
  return worse;
}
