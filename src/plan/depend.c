#include "plan/depend.h"

#include <string.h>

#include "graph/op.h"

typedef struct edge {
  snug__id from, to;
} edge;

/* A reader of a variable, in a list per variable of those since its last writer. */
typedef struct reader {
  snug__id node;
  uint32_t next;
} reader;

typedef struct collector {
  const snug__graph *g;
  snug__vec edges;   /* edge */
  snug__vec readers; /* reader */
  uint32_t *newest;  /* per value: head of its list, UINT32_MAX if empty */
} collector;

static snug_status add_edge(collector *c, snug__id from, snug__id to) {
  edge e = {from, to};
  return from == to ? SNUG_OK : snug__vec_push(&c->edges, &e, 1);
}

static bool is_variable(const snug__graph *g, snug__id base) {
  snug__kind kind = snug__value_at(g, base)->kind;
  return kind == SNUG__WEIGHT || kind == SNUG__STATE;
}

static snug_status note_reader(collector *c, snug__id base, snug__id node) {
  reader r = {node, c->newest[base]};
  SNUG_TRY(snug__vec_push(&c->readers, &r, 1));
  c->newest[base] = (uint32_t)c->readers.n - 1;
  return SNUG_OK;
}

static snug_status add_inputs(collector *c, snug__id id, const snug__node *node) {
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE) {
      const snug__value *v = snug__value_at(c->g, node->in[i]);
      snug__id base = snug__value_base(c->g, node->in[i]);
      if (v->producer != SNUG_NONE) {
        SNUG_TRY(add_edge(c, v->producer, id));
      }
      if (is_variable(c->g, base)) {
        SNUG_TRY(note_reader(c, base, id));
      }
    }
  }
  return SNUG_OK;
}

/* A writer runs after every reader of the old content; then the list starts anew. */
static snug_status add_writes(collector *c, snug__id id, const snug__node *node) {
  for (int32_t k = 0; k < node->n_out; k++) {
    if (!node->op->writes[k] || node->out[k] == SNUG_NONE) {
      continue;
    }
    snug__id base = snug__value_base(c->g, node->out[k]);
    for (uint32_t r = c->newest[base]; r != UINT32_MAX; r = SNUG_VEC(&c->readers, reader, r).next) {
      SNUG_TRY(add_edge(c, SNUG_VEC(&c->readers, reader, r).node, id));
    }
    c->newest[base] = UINT32_MAX;
  }
  return SNUG_OK;
}

/* The nodes stand in an order that is right; its dependencies are what every other order must keep.
 */
static snug_status collect(collector *c) {
  SNUG_TRY(SNUG_NEW_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, c->g->values.n, &c->newest));
  memset(c->newest, 0xFF, c->g->values.n * sizeof *c->newest);
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(c->g, id);
    SNUG_TRY(add_inputs(c, id, node));
    SNUG_TRY(add_writes(c, id, node));
  }
  return SNUG_OK;
}

/* Group the edges by where they start: a counting sort. */
static snug_status group(snug__depend *d, const collector *c) {
  const edge *edges = c->edges.data;
  d->n_edges = c->edges.n;
  SNUG_TRY(SNUG_NEW_ARRAY(d->ctx, SNUG__MEM_SCRATCH, d->n_nodes + 1, &d->first));
  SNUG_TRY(SNUG_NEW_ARRAY(d->ctx, SNUG__MEM_SCRATCH, d->n_edges, &d->after));
  SNUG_TRY(SNUG_NEW_ARRAY(d->ctx, SNUG__MEM_SCRATCH, d->n_nodes, &d->n_before));
  for (size_t e = 0; e < d->n_edges; e++) {
    d->first[edges[e].from + 1]++;
    d->n_before[edges[e].to]++;
  }
  for (size_t i = 0; i < d->n_nodes; i++) {
    d->first[i + 1] += d->first[i];
  }
  for (size_t e = d->n_edges; e-- > 0;) { /* backwards: first[] ends as the start of each group */
    d->after[--d->first[edges[e].from + 1]] = edges[e].to;
  }
  memmove(d->first, d->first + 1, d->n_nodes * sizeof *d->first);
  d->first[d->n_nodes] = d->n_edges;
  return SNUG_OK;
}

snug_status snug__depend_init(snug__depend *d, const snug__graph *g) {
  collector c = {.g = g};
  *d = (snug__depend){.ctx = g->ctx, .n_nodes = g->nodes.n};
  snug__vec_init(&c.edges, g->ctx, SNUG__MEM_SCRATCH, sizeof(edge), UINT32_MAX - 1);
  snug__vec_init(&c.readers, g->ctx, SNUG__MEM_SCRATCH, sizeof(reader), UINT32_MAX - 1);
  snug_status s = collect(&c);
  s = s ? s : group(d, &c);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, c.newest, g->values.n);
  snug__vec_release(&c.readers);
  snug__vec_release(&c.edges);
  return s;
}

void snug__depend_release(snug__depend *d) {
  SNUG_GIVE_ARRAY(d->ctx, SNUG__MEM_SCRATCH, d->n_before, d->n_nodes);
  SNUG_GIVE_ARRAY(d->ctx, SNUG__MEM_SCRATCH, d->after, d->n_edges);
  SNUG_GIVE_ARRAY(d->ctx, SNUG__MEM_SCRATCH, d->first, d->n_nodes + 1);
}
