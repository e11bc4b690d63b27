/* What is alive where a training step needs most memory: nothing is run. */
#include <stdio.h>
#include <stdlib.h>

#include "inside/inside.h"
#include "train/data.h"
#include "train/fit.h"

#define LARGEST_SHOWN 40

static int by_bytes(const void *a, const void *b) {
  const snug__buffer *x = *(const snug__buffer *const *)a;
  const snug__buffer *y = *(const snug__buffer *const *)b;
  return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static const char *maker(const snug__graph *g, snug__id node) {
  return node == SNUG_NONE ? "" : snug__node_at(g, node)->op->name;
}

static void print_buffer(const snug__program *p, const snug__buffer *b) {
  char text[SNUG__TYPE_TEXT_BYTES];
  const snug__value *v = b->value == SNUG_NONE ? NULL : snug__value_at(p->graph, b->value);
  snug__id node = v ? v->producer : b->node;
  snug__id layer = v ? v->layer : snug__node_at(p->graph, node)->layer;
  printf("%10.2f MiB  %6lld..%-6lld %-28s %-24s %s\n", (double)b->bytes / 1048576.0,
         (long long)b->first, (long long)b->end, maker(p->graph, node),
         snug__layer_name(p->graph, layer), v ? snug__type_text(&v->type, text) : "scratch");
}

static void print_peak(const snug__program *p) {
  const snug__buffer **alive = calloc(p->plan->n_buffers + 1, sizeof(void *));
  snug__peak peak;
  size_t n = 0;
  bench_need(p->ctx, snug__plan_peak(p->plan, p->graph, &peak, NULL));
  for (size_t i = 0; alive && i < p->plan->n_buffers; i++) {
    const snug__buffer *b = &p->plan->buffers[i];
    if (b->first <= peak.position && peak.position < b->end) {
      alive[n++] = b;
    }
  }
  qsort(alive, n, sizeof *alive, by_bytes);
  printf("peak at %lld of %zu, %s: %.2f MiB in %zu buffers, block %.2f MiB\n",
         (long long)peak.position, p->plan->n_nodes, maker(p->graph, p->plan->order[peak.position]),
         (double)peak.bytes / 1048576.0, n, (double)p->plan->height / 1048576.0);
  for (size_t i = 0; i < n && i < LARGEST_SHOWN; i++) {
    print_buffer(p, alive[i]);
  }
  free(alive);
}

void show_peak(const bench_options *o) {
  subject s = subject_make(o);
  snug_fit_options how = SNUG_INIT(snug_fit_options);
  snug__fit f;
  bench_data d;
  bench_data_make(&d, &o->net, 1);
  how.batch_size = o->net.batch;
  bench_need(s.ctx, snug__fit_open(&f, s.model, &d.data, &how));
  printf("%s, batch %lld: planned %.2f MiB, weights %.2f, optimizer %.2f\n", o->net.name,
         (long long)o->net.batch, (double)f.history->memory.planned / 1048576.0,
         (double)f.history->memory.weights / 1048576.0,
         (double)f.history->memory.optimizer / 1048576.0);
  print_peak(f.session.runs[SNUG__SLOT_MAIN].program);
  snug__fit_close(&f, SNUG_OK, NULL);
  subject_release(&s);
  bench_data_release(&d);
}
