/* Where the time of a training step goes.  Every item is run in its turn, as a step does, and timed
 * by itself; what counts is the shortest time of each over the steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside/inside.h"
#include "train/data.h"
#include "train/fit.h"

#define LONGEST_SHOWN 20

typedef struct line {
  const char *op, *kernel;
  const snug__item *item; /* NULL in a sum */
  int count;
  double seconds, flops, bytes;
} line;

static int by_seconds(const void *a, const void *b) {
  double x = ((const line *)a)->seconds;
  double y = ((const line *)b)->seconds;
  return (x < y) - (x > y);
}

static line *new_lines(size_t n) {
  line *lines = calloc(n, sizeof *lines);
  if (!lines) {
    fputs("bench: no memory\n", stderr);
    exit(1);
  }
  return lines;
}

/* ---- measuring ---- */

static void describe(const snug__program *p, line *items) {
  for (size_t i = 0; i < p->n_items; i++) {
    const snug__item *item = &p->items[i];
    snug__cost cost = snug__op_cost(&item->sig);
    items[i] =
        (line){item->sig.op->name, item->kernel->name, item, 1, INFINITY, cost.flops, cost.bytes};
  }
}

static void time_step(snug__fit *f, const snug__program *p, line *items) {
  snug__feed_fill(&f->train, 0, 0, &f->session.runs[SNUG__SLOT_MAIN]);
  snug__training_set_rate(f->model);
  for (size_t i = 0; i < p->n_items; i++) {
    double start = bench_now();
    bench_need(p->ctx, p->items[i].kernel->run(p->items[i].state, &p->items[i].call));
    items[i].seconds = fmin(items[i].seconds, bench_now() - start);
  }
}

/* ---- adding up ---- */

static void add(line *sum, const line *l) {
  sum->count += l->count;
  sum->seconds += l->seconds;
  sum->flops += l->flops;
  sum->bytes += l->bytes;
}

static line *find(line *sums, size_t *n, const line *l) {
  for (size_t k = 0; k < *n; k++) {
    if (strcmp(sums[k].op, l->op) == 0 && strcmp(sums[k].kernel, l->kernel) == 0) {
      return &sums[k];
    }
  }
  sums[*n] = (line){.op = l->op, .kernel = l->kernel};
  return &sums[(*n)++];
}

static size_t gather(const line *items, size_t n, line *sums, line *all) {
  size_t n_sums = 0;
  for (size_t i = 0; i < n; i++) {
    add(find(sums, &n_sums, &items[i]), &items[i]);
    add(all, &items[i]);
  }
  qsort(sums, n_sums, sizeof *sums, by_seconds);
  return n_sums;
}

/* ---- printing ---- */

static void print_figures(const line *l, double total) {
  printf("%9.3f %6.2f %%  %8.1f %7.1f  %5d  ", 1e3 * l->seconds, 100.0 * l->seconds / total,
         1e-9 * l->flops / l->seconds, 1e-9 * l->bytes / l->seconds, l->count);
}

static void print_head(const char *rest) {
  printf("       ms    share   GFLOP/s    GB/s  items  %s\n", rest);
}

static void print_item(const snug__program *p, const line *l) {
  char text[SNUG__TYPE_TEXT_BYTES];
  const snug__signature *sig = &l->item->sig;
  printf("%s, %s, %s:", l->op, l->kernel,
         snug__layer_name(p->graph, snug__node_at(p->graph, l->item->node)->layer));
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].dtype && sig->in[i].rank > 0) {
      printf(" %s", snug__type_text(&sig->in[i], text));
    }
  }
  puts("");
}

static void print(const snug__program *p, line *items, const bench_options *o) {
  line *sums = new_lines(p->n_items + 1);
  line all = {.op = "all", .kernel = ""};
  size_t n_sums = gather(items, p->n_items, sums, &all);
  qsort(items, p->n_items, sizeof *items, by_seconds);
  printf("%s, batch %lld, %d threads: %.4g examples/s if nothing lay between the items\n",
         o->net.name, (long long)o->net.batch, p->ctx->threads, (double)o->net.batch / all.seconds);
  print_head("op                           kernel");
  sums[n_sums] = all;
  for (size_t k = 0; k <= n_sums; k++) {
    print_figures(&sums[k], all.seconds);
    printf("%-28s %s\n", sums[k].op, sums[k].kernel);
  }
  puts("\nthe longest items");
  print_head("op, kernel, layer: inputs");
  for (size_t i = 0; i < p->n_items && i < LONGEST_SHOWN; i++) {
    print_figures(&items[i], all.seconds);
    print_item(p, &items[i]);
  }
  free(sums);
}

void show_profile(const bench_options *o) {
  subject s = subject_make(o);
  snug_fit_options how = SNUG_INIT(snug_fit_options);
  snug__fit f;
  bench_data d;
  bench_data_make(&d, &o->net, 1);
  how.batch_size = o->net.batch;
  how.no_shuffle = true;
  how.micro_batch = o->pieces;
  how.memory = (uint64_t)o->line << 20;
  bench_need(s.ctx, snug__fit_open(&f, s.model, &d.data, &how));
  bench_need(s.ctx, snug__session_commit(&f.session));
  const snug__program *p = f.session.runs[SNUG__SLOT_MAIN].program;
  line *items = new_lines(p->n_items);
  double start = bench_now();
  describe(p, items);
  for (int64_t i = 0; i < o->steps && (i < 2 || bench_now() - start < o->seconds); i++) {
    time_step(&f, p, items);
  }
  print(p, items, o);
  free(items);
  snug__fit_close(&f, SNUG_OK, NULL);
  subject_release(&s);
  bench_data_release(&d);
}
