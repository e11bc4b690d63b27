/* Single ops: Snug's kernel of each distinct node of a step beside oneDNN's best for the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "device/device.h"
#include "dnn/best.h"
#include "inside/inside.h"

#define MAX_RUNS 60
#define LEAST_RUNS 4
#define ENOUGH_SECONDS 0.04
#define MOST_SECONDS 1.0

typedef struct own {
  double seconds;
  const char *kernel;
} own;

/* A node as a call of its own, on values in the layouts that its kernel wants. */
typedef struct trial {
  snug_ctx *ctx;
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  void *memory_in[SNUG__MAX_IN], *memory_out[SNUG__MAX_OUT];
  snug__signature sig;
  snug__choice choice;
} trial;

static void need(bool ok) {
  if (!ok) {
    fputs("bench: no memory for an operand\n", stderr);
    exit(1);
  }
}

/* ---- a trial ---- */

/* Floats get a value that no kernel is quick with; NULL where the value is left out. */
static void *operand(const snug__type *t) {
  size_t bytes = t->dtype ? ((size_t)snug__type_bytes(t) + 64) / 64 * 64 : 0;
  void *p = bytes ? aligned_alloc(64, bytes) : NULL;
  need(p || !bytes);
  for (size_t i = 0; i < bytes / sizeof(float); i++) {
    ((float *)p)[i] = t->dtype == SNUG_FLOAT32 ? 0.25f : 0.0f;
  }
  return p;
}

static snug__type type_at(const snug__graph *g, snug__id id) {
  return id == SNUG_NONE ? (snug__type){0} : *snug__type_at(g, id);
}

static void describe(const snug__graph *g, const snug__node *node, trial *t) {
  t->ctx = g->ctx;
  t->sig = (snug__signature){.op = node->op,
                             .params = node->params,
                             .n_in = node->n_in,
                             .n_out = node->n_out,
                             .in = t->in,
                             .out = t->out,
                             .target = g->ctx->target};
  for (int32_t i = 0; i < node->n_in; i++) {
    t->in[i] = type_at(g, node->in[i]);
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    t->out[k] = type_at(g, node->out[k]);
  }
}

/* Images that come as `images`; then whatever the kernel that is chosen for those wants. */
static void assign_layouts(trial *t, snug__layout images) {
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    t->in[i].layout = t->in[i].rank == 4 ? images : SNUG__LAYOUT_PLAIN;
  }
  snug__choose(&snug__cpu, &t->sig, &t->choice);
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    t->in[i].layout = t->choice.plain.want.in[i];
  }
  snug__choose(&snug__cpu, &t->sig, &t->choice);
  for (int32_t k = 0; k < t->sig.n_out; k++) {
    t->out[k].layout = t->choice.plain.want.out[k];
  }
}

static void take_operands(trial *t) {
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    t->memory_in[i] = operand(&t->in[i]);
  }
  for (int32_t k = 0; k < t->sig.n_out; k++) {
    t->memory_out[k] = operand(&t->out[k]);
  }
}

static void give_operands(trial *t) {
  for (int32_t i = 0; i < t->sig.n_in; i++) {
    free(t->memory_in[i]);
  }
  for (int32_t k = 0; k < t->sig.n_out; k++) {
    free(t->memory_out[k]);
  }
}

static double time_call(const snug__kernel *kernel, const void *state, const snug__call *call) {
  double shortest = INFINITY;
  double begin = bench_now();
  for (int i = 0; i < MAX_RUNS && bench_now() - begin < MOST_SECONDS; i++) {
    double start = bench_now();
    if (kernel->run(state, call)) {
      return INFINITY;
    }
    shortest = fmin(shortest, bench_now() - start);
    if (i + 1 >= LEAST_RUNS && i * shortest > ENOUGH_SECONDS) {
      break;
    }
  }
  return shortest;
}

static own run_trial(trial *t) {
  const snug__kernel *kernel = t->choice.kernel;
  snug__signature sig = t->sig;
  snug__needs needs = {0};
  snug__fault fault = {0};
  void *state = NULL;
  if (t->choice.unblocked) {
    sig.in = t->choice.plain.in;
    sig.out = t->choice.plain.out;
    sig.params = sig.params ? t->choice.plain.params : NULL;
  }
  if (!kernel || kernel->prepare(t->ctx, &sig, &needs, &state)) {
    return (own){INFINITY, "none"};
  }
  void *scratch = aligned_alloc(64, ((size_t)needs.scratch_bytes + 127) / 64 * 64);
  need(scratch);
  snug__call call = {&sig, (const void *const *)t->memory_in, t->memory_out, scratch, &fault};
  own result = {time_call(kernel, state, &call), kernel->name};
  if (kernel->release) {
    kernel->release(t->ctx, state);
  }
  free(scratch);
  return result;
}

static own time_node(const snug__graph *g, const snug__node *node, snug__layout images) {
  trial *t = calloc(1, sizeof *t);
  need(t);
  describe(g, node, t);
  assign_layouts(t, images);
  take_operands(t);
  own result = run_trial(t);
  give_operands(t);
  free(t);
  return result;
}

static own own_best(const snug__graph *g, const snug__node *node) {
  own plain = time_node(g, node, SNUG__LAYOUT_PLAIN);
  own blocked = time_node(g, node, SNUG__LAYOUT_NCHW16C);
  return plain.seconds <= blocked.seconds ? plain : blocked;
}

/* ---- all works of a step ---- */

static void print_row(const work *w, int count, own mine, const dnn_best *best) {
  char text[WORK_TEXT_BYTES];
  double flops = work_flops(w);
  printf("%-52s %4d %9.3f %9.3f %6.2f %8.1f %8.1f  %s | %s\n", work_text(w, text), count,
         1e3 * mine.seconds, 1e3 * best->seconds, best->seconds / mine.seconds,
         1e-9 * flops / mine.seconds, 1e-9 * flops / best->seconds, mine.kernel, best->name);
  fflush(stdout);
}

static int count_equal(const work *works, size_t from, size_t to, const work *w) {
  int count = 0;
  for (size_t k = from; k < to; k++) {
    count += memcmp(&works[k], w, sizeof *w) == 0;
  }
  return count;
}

static work *works_of(const snug__graph *g) {
  work *works = calloc(g->nodes.n, sizeof *works);
  need(works);
  for (snug__id i = 0; i < g->nodes.n; i++) {
    works[i] = work_of(g, i);
  }
  return works;
}

void show_ops(const bench_options *o) {
  subject s = subject_make(o);
  snug__graph *g = subject_graph(&s, o);
  dnn *d = dnn_create(o->threads);
  size_t n = g->nodes.n;
  work *works = works_of(g);
  printf("%-52s %4s %9s %9s %6s %8s %8s  kernels\n", "work", "n", "snug ms", "oneDNN", "ratio",
         "GFLOP/s", "oneDNN");
  for (size_t i = 0; i < n; i++) {
    if (works[i].kind != WORK_NONE && count_equal(works, 0, i, &works[i]) == 0) {
      dnn_best best = dnn_best_of(d, &works[i]);
      own mine = own_best(g, snug__node_at(g, (snug__id)i));
      print_row(&works[i], count_equal(works, i, n, &works[i]), mine, &best);
    }
  }
  free(works);
  dnn_destroy(d);
  snug__graph_destroy(g);
  subject_release(&s);
}
