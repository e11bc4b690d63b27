/* Known rules of recomputing beside our points, over 40 lines.
 *
 *   rules [--vary SEED] --model NAME [--batch N] [--size N] [--threads N]
 *
 * Rules and points have the same graph in the same order, the same seconds per node and the same
 * simulation, whose load is held against the line.  For each line the table has the seconds of the
 * fastest that fits.  With --vary the seconds of every node are multiplied by something between a
 * half and two, as on other machines.  Exit code 1: a rule is faster than ours somewhere, or fits
 * where ours does not. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "inside/inside.h"
#include "line/rules.h"
#include "pack/problems.h"
#include "pass/passes.h"
#include "planning/frontier.h"
#include "train/calibrate.h"
#include "train/lower.h"

#define MIB 1048576.0
#define LINES 40
#define SWEEP 96 /* sizes of segments, and of the knapsack */
#define SAME 1e-9

enum { OURS, CHEAP, SQRT, GREEDY, KNAPSACK, WAYS };
static const char *const names[WAYS] = {"ours", "cheap only", "sqrt(n)", "greedy", "knapsack"};

typedef struct point {
  double load, seconds;
} point;

typedef struct points {
  point *at;
  size_t n;
} points;

/* At how many lines a rule is worse than ours, as good, and better. */
typedef struct tally {
  int lines[3];
} tally;

typedef struct trial {
  subject s;
  snug__graph *g;          /* everything kept */
  double *seconds, *again; /* per node */
  snug__frontier frontier;
  snug__simulation simulation;
  snug__policy *choice;
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

static void add_point(points *list, double load, double seconds) {
  list->at = realloc(list->at, (list->n + 1) * sizeof *list->at);
  if (!list->at) {
    exit(1);
  }
  list->at[list->n++] = (point){load, seconds};
}

/* ---- what a choice comes to ---- */

static void try_choice(trial *t, int way, const bool *recomputed) {
  const snug__problem *p = &t->frontier.problem;
  for (snug__id v = 0; v < t->g->values.n; v++) {
    t->choice[v] = recomputed[v] ? SNUG__RECOMPUTED : SNUG__KEPT;
  }
  snug__problem_close(p, t->choice);
  snug__outcome o = snug__simulate(&t->simulation, t->choice);
  add_point(&t->ways[way], (double)o.load, o.seconds);
}

/* A rule's choice as it is, and with what costs next to nothing recomputed besides. */
static void try_rule(trial *t, int way, bool *recomputed) {
  try_choice(t, way, recomputed);
  for (snug__id v = 0; v < t->g->values.n; v++) {
    recomputed[v] |= t->frontier.problem.cheap[v];
  }
  snug__recipes_close(&t->frontier.problem.recipes, recomputed);
  try_choice(t, way, recomputed);
}

/* ---- everybody's points ---- */

static void try_rules(trial *t) {
  bool *recomputed = need(t->g->values.n, sizeof *recomputed);
  try_choice(t, CHEAP, recomputed);
  try_choice(t, CHEAP, t->frontier.problem.cheap);
  for (int joints = 0; joints < 2; joints++) {
    rule_sqrt(&t->rules, joints, recomputed);
    try_rule(t, SQRT, recomputed);
    for (int i = 0; i < SWEEP; i++) {
      rule_greedy(&t->rules, joints,
                  (int64_t)((double)t->rules.kept / pow(48.0, (i + 0.5) / SWEEP)), recomputed);
      try_rule(t, GREEDY, recomputed);
    }
  }
  for (int i = 0; i < SWEEP; i++) {
    rule_knapsack(&t->rules, t->rules.kept * (i + 1) / (SWEEP + 1), recomputed);
    try_rule(t, KNAPSACK, recomputed);
  }
  free(recomputed);
}

static void take_ours(trial *t) {
  for (size_t i = 0; i < t->frontier.points.n; i++) {
    const snug__outcome *o = &SNUG_VEC(&t->frontier.points, snug__frontier_point, i).outcome;
    add_point(&t->ways[OURS], (double)o->load, o->seconds);
  }
}

/* ---- the table ---- */

/* Seconds of the fastest point under a line; infinity if there is none. */
static double fastest(const points *list, double line) {
  double best = INFINITY;
  for (size_t i = 0; i < list->n; i++) {
    best = list->at[i].load <= line ? fmin(best, list->at[i].seconds) : best;
  }
  return best;
}

static void bounds(const trial *t, double *low, double *high) {
  *low = INFINITY;
  *high = 0.0;
  for (int way = 0; way < WAYS; way++) {
    for (size_t i = 0; i < t->ways[way].n; i++) {
      *low = fmin(*low, t->ways[way].at[i].load);
      *high = fmax(*high, t->ways[way].at[i].load);
    }
  }
}

/* How a rule stands to ours under a line: 1 if it is better, -1 if it is worse. */
static int compare(double ours, double other) {
  bool is_equal = ours == other || fabs(ours - other) <= SAME * ours;
  return is_equal ? 0 : other < ours ? 1 : -1;
}

static void print_line(const trial *t, double line, tally *tallies) {
  double ours = fastest(&t->ways[OURS], line);
  bool is_beaten = false;
  printf("%10.2f", line / MIB);
  for (int way = 0; way < WAYS; way++) {
    double other = fastest(&t->ways[way], line);
    int how = compare(ours, other);
    if (isinf(other)) {
      printf("  %12s", "-");
    } else {
      printf("  %12.5f", other);
    }
    tallies[way].lines[how + 1]++;
    is_beaten |= how > 0;
  }
  puts(is_beaten ? "  BEATEN" : "");
}

/* What each gives for a third of the block that keeps everything, beside the time of that. */
static void print_third(const trial *t) {
  const point *kept = &t->ways[CHEAP].at[0];
  printf("%10s", "a third");
  for (int way = 0; way < WAYS; way++) {
    double seconds = fastest(&t->ways[way], kept->load / 3.0);
    if (isinf(seconds)) {
      printf("  %12s", "-");
    } else {
      printf("  %+10.1f %%", 100.0 * (seconds / kept->seconds - 1.0));
    }
  }
  puts("");
}

/* Exit code of the program. */
static int print_tallies(const tally *tallies, const char *model) {
  int better = 0;
  for (int way = OURS + 1; way < WAYS; way++) {
    const int *lines = tallies[way].lines;
    printf("%s: %s is better than ours at %d, equal at %d, worse at %d of %d lines\n", model,
           names[way], lines[2], lines[1], lines[0], LINES);
    better += lines[2];
  }
  return better > 0;
}

static int print_table(const trial *t, const bench_options *o) {
  tally tallies[WAYS] = {0};
  double low, high;
  bounds(t, &low, &high);
  printf("%s %lld, batch %lld: seconds of the fastest that fits\n%10s", o->net.name,
         (long long)o->net.size, (long long)o->net.batch, "MiB");
  for (int way = 0; way < WAYS; way++) {
    printf("  %12s", names[way]);
  }
  puts("");
  for (int i = 0; i < LINES; i++) {
    print_line(t, low + (high - low) * i / (LINES - 1), tallies);
  }
  print_third(t);
  return print_tallies(tallies, o->net.name);
}

/* ---- set up ---- */

static void vary_seconds(trial *t, uint64_t seed) {
  for (snug__id id = 0; id < t->g->nodes.n; id++) {
    double factor = pow(2.0, 2.0 * problem_unit(&seed) - 1.0);
    t->seconds[id] *= factor;
    t->again[id] *= factor;
  }
}

/* seed: 0 if the seconds stay as they are. */
static void open_trial(trial *t, const bench_options *o, uint64_t seed) {
  static const snug__pass_options keep = {.no_recompute = true};
  char note[SNUG__NOTE_BYTES];
  snug__step step;
  t->s = subject_make(o);
  bench_need(t->s.ctx,
             snug__step_build(t->s.model, SNUG__STEP_TRAIN, o->net.batch, false, &t->g, &step));
  const snug__pass_options *before = t->s.model->pass;
  t->s.model->pass = &keep;
  bench_need(t->s.ctx, snug__step_lower(t->s.model, NULL, &t->g, &step));
  t->s.model->pass = before;
  t->seconds = need(t->g->nodes.n, sizeof *t->seconds);
  t->again = need(t->g->nodes.n, sizeof *t->again);
  t->choice = need(t->g->values.n, sizeof *t->choice);
  bench_need(t->s.ctx, snug__calibrate(t->s.model, SNUG__STEP_TRAIN, &step, t->g, INT64_MAX,
                                       t->seconds, t->again, note));
  if (seed) {
    vary_seconds(t, seed);
  }
  bench_need(t->s.ctx, snug__frontier_open(&t->frontier, t->g, &snug__cpu, t->seconds, t->again,
                                           NULL, NULL, false));
  bench_need(t->s.ctx, snug__simulation_open(&t->simulation, &t->frontier.problem));
  rules_open(&t->rules, t->g, &t->frontier.problem.recipes, t->again);
}

static void close_trial(trial *t) {
  for (int way = 0; way < WAYS; way++) {
    free(t->ways[way].at);
  }
  rules_close(&t->rules);
  snug__simulation_release(&t->simulation);
  snug__frontier_close(&t->frontier);
  free(t->seconds);
  free(t->again);
  free(t->choice);
  snug__graph_destroy(t->g);
  subject_release(&t->s);
}

int main(int argc, char **argv) {
  bool varies = argc > 2 && strcmp(argv[1], "--vary") == 0;
  uint64_t seed = varies ? strtoull(argv[2], NULL, 10) : 0;
  argv[varies ? 2 : 0] = argv[0];
  argc -= varies ? 2 : 0;
  argv += varies ? 2 : 0;
  bench_options o = bench_options_read(argc, argv);
  trial t = {0};
  open_trial(&t, &o, seed);
  take_ours(&t);
  try_rules(&t);
  int worse = print_table(&t, &o);
  close_trial(&t);
  return worse;
}
