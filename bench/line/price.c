/* What less memory costs in time.
 *
 *   price --model NAME [--batch N] [--size N] [--threads N] [--rounds N] [--steps N] [--micro 1]
 *         [--share PERCENT] [--most PERCENT] [--curve FILE]
 *
 * The activation memory of a plan is the most that activations, their gradients and scratch have
 * alive at one moment.  The fastest point whose activation memory is at most PERCENT (33.3) of the
 * one that keeps everything the backward reads is run in turn with the fastest plan without a line,
 * in one process; the shortest and the median step of both are compared.  With --micro the points
 * of pieces of half a batch, a quarter, ... are among those: the sums of their gradients make
 * blocks that no line may take, but activations are what is asked for here.  With --curve the
 * points of the whole frontier go to FILE as CSV; with --most the exit code is 1 if the price is
 * above. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line/measure.h"
#include "train/data.h"

#define MIB 1048576.0

typedef struct price {
  bench_options options;
  int rounds;
  bool micro;
  double share, most;
  const char *curve;
  snug_ctx *ctx;
  snug_model *model;
  bench_data data;
} price;

/* ---- the command line ---- */

/* Take what is this program's own out of the list; the rest is every bench's. */
static int take_own(price *p, int argc, char **argv) {
  int n = 1;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--rounds") == 0) {
      p->rounds = atoi(value);
    } else if (strcmp(argv[i], "--micro") == 0) {
      p->micro = atoi(value) != 0;
    } else if (strcmp(argv[i], "--share") == 0) {
      p->share = atof(value);
    } else if (strcmp(argv[i], "--most") == 0) {
      p->most = atof(value);
    } else if (strcmp(argv[i], "--curve") == 0) {
      p->curve = value;
    } else {
      argv[n++] = argv[i];
      continue;
    }
    i++;
  }
  return n;
}

/* ---- plans ---- */

static snug_fit_options options_of(const price *p, uint64_t line) {
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = p->options.net.batch;
  o.no_shuffle = true;
  o.memory = line;
  o.micro_batch = p->micro ? 0 : o.batch_size;
  return o;
}

static snug_plan *plan_of(const price *p, const snug_fit_options *o) {
  snug_plan *plan = NULL;
  bench_need(p->ctx, snug_plan_fit(p->model, &p->data.data, o, &plan));
  return plan;
}

static uint64_t keep_everything(const price *p, uint64_t *block) {
  snug_fit_options o = options_of(p, 0);
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  o.recompute = "none";
  o.micro_batch = o.batch_size;
  snug_plan *plan = plan_of(p, &o);
  uint64_t bytes = measure_activations(plan);
  snug_plan_memory(plan, &r);
  *block = r.block;
  snug_plan_destroy(plan);
  return bytes;
}

/* The line of a point: what the process will hold varies a little from plan to plan, so it lies
 * half way to the next larger one. */
static uint64_t line_of(const snug_plan *all, size_t i) {
  snug_plan_point point = SNUG_INIT(snug_plan_point), larger = SNUG_INIT(snug_plan_point);
  snug_plan_point_at(all, i, &point);
  snug_plan_point_at(all, i ? i - 1 : 0, &larger);
  return i ? point.process + (larger.process - point.process) / 2 : point.process + (8 << 20);
}

static uint64_t activations_at(const price *p, const snug_fit_options *how, const snug_plan *all,
                               size_t i) {
  snug_fit_options o = *how;
  o.memory = line_of(all, i);
  snug_plan *plan = plan_of(p, &o);
  uint64_t bytes = measure_activations(plan);
  snug_plan_destroy(plan);
  return bytes;
}

/* The fastest point with so few bytes of activations; the number of points if there is none. Points
 * go from the fastest to the least, and so do their activations. */
static size_t find_point(const price *p, const snug_fit_options *how, const snug_plan *all,
                         uint64_t bytes) {
  size_t low = 0, high = snug_plan_points(all);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (activations_at(p, how, all, middle) <= bytes) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* A way to run the step, and what its plan says. */
typedef struct way {
  snug_fit_options how;
  snug_plan_point point;
  uint64_t activations;
} way;

static way way_of(const price *p, const snug_fit_options *o) {
  way w = {.how = *o, .point = SNUG_INIT(snug_plan_point)};
  snug_plan *plan = plan_of(p, o);
  snug_plan_point_at(plan, snug_plan_chosen(plan), &w.point);
  w.activations = measure_activations(plan);
  snug_plan_destroy(plan);
  return w;
}

/* Timings of small batches are less sure: as for a line, a piece counts more for each halving. */
#define DOUBT 0.03
static double sure_seconds(const price *p, const way *w) {
  double pieces = (double)p->options.net.batch / (double)w->point.micro_batch;
  return w->point.seconds * (1.0 + DOUBT * log2(pieces));
}

static bool is_better(const price *p, const way *w, const way *than) {
  return !than->point.block || sure_seconds(p, w) < sure_seconds(p, than);
}

/* The fastest with so few bytes of activations and pieces of m samples; its block is 0 if there is
 * none. */
static way find_way_of(const price *p, uint64_t bytes, int64_t m) {
  snug_fit_options o = options_of(p, 0);
  way found = {0};
  o.micro_batch = m;
  o.curve = true;
  snug_plan *all = plan_of(p, &o);
  o.curve = false;
  size_t i = find_point(p, &o, all, bytes);
  if (i < snug_plan_points(all)) {
    o.memory = line_of(all, i);
    found = way_of(p, &o);
  }
  snug_plan_destroy(all);
  return found;
}

static way find_way(const price *p, uint64_t bytes) {
  int64_t m = p->options.net.batch;
  way best = find_way_of(p, bytes, m);
  for (m /= 2; p->micro && m > 0; m /= 2) {
    way w = find_way_of(p, bytes, m);
    best = w.point.block && is_better(p, &w, &best) ? w : best;
  }
  return best;
}

/* ---- output ---- */

static void write_curve(const price *p, const snug_plan *all, uint64_t kept_block) {
  FILE *f = fopen(p->curve, "w");
  if (!f) {
    perror(p->curve);
    exit(1);
  }
  fputs(
      "model,batch,kept_block,block,process,seconds,micro_batch,recomputed,recompute_seconds,"
      "direct,on_disk\n",
      f);
  for (size_t i = 0; i < snug_plan_points(all); i++) {
    snug_plan_point t = SNUG_INIT(snug_plan_point);
    snug_plan_point_at(all, i, &t);
    fprintf(f, "%s,%lld,%llu,%llu,%llu,%.9g,%lld,%lld,%.9g,%lld,%llu\n", p->options.net.name,
            (long long)p->options.net.batch, (unsigned long long)kept_block,
            (unsigned long long)t.block, (unsigned long long)t.process, t.seconds,
            (long long)t.micro_batch, (long long)t.recomputed, t.recompute_seconds,
            (long long)t.direct, (unsigned long long)t.on_disk);
  }
  fclose(f);
}

static void print_way(const char *name, const measured *m, const way *w, uint64_t kept) {
  const snug_plan_point *t = &w->point;
  printf(
      "  %-9s %9.1f MiB %5.1f %%  block %8.1f MiB  min %8.4f s  median %8.4f s  predicted %8.4f s"
      "  batch %lld, %lld recomputed, %lld direct\n",
      name, (double)w->activations / MIB, 100.0 * (double)w->activations / (double)kept,
      (double)t->block / MIB, m->least, m->median, t->seconds, (long long)t->micro_batch,
      (long long)t->recomputed, (long long)t->direct);
}

static double compare(const price *p, const way *fast, const way *small, uint64_t kept) {
  measured fastest = {0}, at_share = {0};
  for (int r = 0; r < p->rounds; r++) {
    measure_steps(p->ctx, p->model, &p->data.data, &fast->how, p->options.steps, &fastest);
    measure_steps(p->ctx, p->model, &p->data.data, &small->how, p->options.steps, &at_share);
  }
  measure_finish(&fastest);
  measure_finish(&at_share);
  print_way("fastest", &fastest, fast, kept);
  print_way("at share", &at_share, small, kept);
  double paid = 100.0 * (at_share.least / fastest.least - 1.0);
  printf("  price %+.1f %% (shortest steps), %+.1f %% (medians), %+.1f %% predicted\n", paid,
         100.0 * (at_share.median / fastest.median - 1.0),
         100.0 * (small->point.seconds / fast->point.seconds - 1.0));
  return paid;
}

static way find_fastest(const price *p, const snug_plan *all) {
  snug_fit_options o = options_of(p, 0);
  o.micro_batch = 0;
  way w = way_of(p, &o);
  snug_plan_point_at(all, 0, &w.point);
  return w;
}

static int run(const price *p) {
  uint64_t block = 0;
  uint64_t kept = keep_everything(p, &block);
  snug_fit_options free_hand = options_of(p, 0);
  free_hand.curve = true;
  snug_plan *all = plan_of(p, &free_hand);
  way small = find_way(p, (uint64_t)(p->share / 100.0 * (double)kept));
  printf(
      "%s %lld, batch %lld, %s: everything kept %.1f MiB of activations, block %.1f MiB; %zu "
      "points\n",
      p->options.net.name, (long long)p->options.net.size, (long long)p->options.net.batch,
      p->micro ? "micro-batches allowed" : "recompute alone", (double)kept / MIB,
      (double)block / MIB, snug_plan_points(all));
  if (p->curve) {
    write_curve(p, all, block);
  }
  double paid = INFINITY;
  if (small.point.block) {
    way fast = find_fastest(p, all);
    paid = compare(p, &fast, &small, kept);
  } else {
    printf("  nothing at or under %.1f %%\n", p->share);
  }
  snug_plan_destroy(all);
  return !(paid <= p->most);
}

int main(int argc, char **argv) {
  price p = {.rounds = 3, .share = 100.0 / 3.0, .most = INFINITY};
  argc = take_own(&p, argc, argv);
  p.options = bench_options_read(argc, argv);
  measure_open(&p.options, &p.ctx, &p.model);
  bench_data_make(&p.data, &p.options.net, 1);
  int code = run(&p);
  bench_data_release(&p.data);
  snug_model_destroy(p.model);
  snug_ctx_destroy(p.ctx);
  return code;
}
