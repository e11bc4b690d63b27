/* The order of execution.
 *
 * The dependencies leave much freedom: when an update runs, which of two branches goes first.  A
 * list scheduler walks the graph and, among the nodes that could run, prefers those that free more
 * than they take: an update frees its gradient, so it runs as soon as that is complete.  What
 * begins or ends work beside other work runs as soon as it can: its inputs say when that is.
 * Several preferences are tried, what frees nothing sinks to where it is needed (sink.c), and the
 * order with the least load wins; ties go to the earlier one in the list, so the answer depends on
 * the graph alone. */
#include <string.h>

#include "graph/op.h"
#include "plan/plan.h"
#include "plan/sink.h"

/* What is preferred among the nodes that could run. */
typedef enum preference {
  PREFER_CREATION, /* the one created first */
  PREFER_FREEING,  /* one that does not add to the load; else the one created first */
  PREFER_LEAST,    /* the one that adds least */
  PREFER_LATEST    /* the one created last */
} preference;

typedef struct scheduler {
  const snug__graph *g;
  snug__depend depend;
  uint32_t *waits;   /* per node: predecessors that have not run */
  uint32_t *readers; /* per base value: reading nodes that have not run */
  snug__vec ready;   /* snug__id: nodes that could run */
} scheduler;

static void release(scheduler *s) {
  SNUG_GIVE_ARRAY(s->g->ctx, SNUG__MEM_SCRATCH, s->readers, s->g->values.n);
  SNUG_GIVE_ARRAY(s->g->ctx, SNUG__MEM_SCRATCH, s->waits, s->g->nodes.n);
  snug__vec_release(&s->ready);
  snug__depend_release(&s->depend);
}

static snug_status init(scheduler *s, const snug__graph *g) {
  *s = (scheduler){.g = g};
  snug__vec_init(&s->ready, g->ctx, SNUG__MEM_SCRATCH, sizeof(snug__id), UINT32_MAX);
  SNUG_TRY(snug__depend_init(&s->depend, g));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->nodes.n, &s->waits));
  return SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &s->readers);
}

/* The base of input i if this is the node's first mention of it; SNUG_NONE otherwise. */
static snug__id base_read(const snug__graph *g, const snug__node *node, int32_t i) {
  if (node->in[i] == SNUG_NONE) {
    return SNUG_NONE;
  }
  snug__id base = snug__value_base(g, node->in[i]);
  for (int32_t k = 0; k < i; k++) {
    if (node->in[k] != SNUG_NONE && snug__value_base(g, node->in[k]) == base) {
      return SNUG_NONE;
    }
  }
  return base;
}

static snug_status restart(scheduler *s) {
  const snug__graph *g = s->g;
  s->ready.n = 0;
  memset(s->readers, 0, g->values.n * sizeof *s->readers);
  for (snug__id id = 0; id < g->nodes.n; id++) {
    const snug__node *node = snug__node_at(g, id);
    s->waits[id] = s->depend.n_before[id];
    for (int32_t i = 0; i < node->n_in; i++) {
      snug__id base = base_read(g, node, i);
      s->readers[base == SNUG_NONE ? 0 : base] += base != SNUG_NONE;
    }
    if (!s->waits[id]) {
      SNUG_TRY(snug__vec_push(&s->ready, &id, 1));
    }
  }
  for (size_t i = 0; i < g->outputs.n;
       i++) { /* outputs are read once more, by whoever wants them */
    s->readers[snug__value_base(g, SNUG_VEC(&g->outputs, snug__id, i))]++;
  }
  return SNUG_OK;
}

/* Bytes that running the node now would add to what is alive (negative: it frees).  A wait counts
 * as if it made what it waits for: else it would come long before anybody reads that. */
static int64_t growth(const scheduler *s, snug__id id) {
  const snug__node *node = snug__node_at(s->g, id);
  int64_t bytes = 0;
  if (node->op->flags & SNUG__OP_PASSES) {
    return snug__type_bytes(snug__type_at(s->g, node->out[0]));
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE && snug__plan_is_placed(s->g, node->out[k])) {
      bytes += snug__type_bytes(snug__type_at(s->g, node->out[k]));
    }
  }
  for (int32_t i = 0; i < node->n_in; i++) {
    snug__id base = base_read(s->g, node, i);
    if (base != SNUG_NONE && s->readers[base] == 1 && snug__plan_is_placed(s->g, base)) {
      bytes -= snug__type_bytes(snug__type_at(s->g, base));
    }
  }
  return bytes;
}

/* Whether a is to run before b. */
static bool comes_before(preference p, snug__id a, int64_t growth_a, snug__id b, int64_t growth_b) {
  if (p == PREFER_LATEST) {
    return a > b;
  }
  if (p == PREFER_FREEING) {
    growth_a = growth_a > 0 ? 1 : growth_a;
    growth_b = growth_b > 0 ? 1 : growth_b;
  }
  return p == PREFER_CREATION || growth_a == growth_b ? a < b : growth_a < growth_b;
}

/* Which of the ready nodes runs at once: the one created first, as transfers are to be asked for in
 * that order; their number if there is none. */
static size_t first_at_once(const scheduler *s) {
  const snug__id *ready = s->ready.data;
  size_t first = s->ready.n;
  for (size_t i = 0; i < s->ready.n; i++) {
    if (snug__node_at(s->g, ready[i])->op->flags & SNUG__OP_AT_ONCE &&
        (first == s->ready.n || ready[i] < ready[first])) {
      first = i;
    }
  }
  return first;
}

static size_t choose(const scheduler *s, preference p) {
  const snug__id *ready = s->ready.data;
  size_t at_once = first_at_once(s);
  if (at_once < s->ready.n) {
    return at_once;
  }
  bool weigh = p == PREFER_FREEING || p == PREFER_LEAST;
  size_t best = 0;
  int64_t best_growth = weigh ? growth(s, ready[0]) : 0;
  for (size_t i = 1; i < s->ready.n; i++) {
    int64_t g = weigh ? growth(s, ready[i]) : 0;
    if (comes_before(p, ready[i], g, ready[best], best_growth)) {
      best = i;
      best_growth = g;
    }
  }
  return best;
}

static snug_status run_node(scheduler *s, snug__id id) {
  const snug__node *node = snug__node_at(s->g, id);
  for (int32_t i = 0; i < node->n_in; i++) {
    snug__id base = base_read(s->g, node, i);
    s->readers[base == SNUG_NONE ? 0 : base] -= base != SNUG_NONE;
  }
  for (size_t e = s->depend.first[id]; e < s->depend.first[id + 1]; e++) {
    snug__id next = s->depend.after[e];
    if (--s->waits[next] == 0) {
      SNUG_TRY(snug__vec_push(&s->ready, &next, 1));
    }
  }
  return SNUG_OK;
}

static snug_status schedule(scheduler *s, preference p, snug__id *order) {
  SNUG_TRY(restart(s));
  for (size_t position = 0; position < s->g->nodes.n; position++) {
    if (!s->ready.n) {
      return snug__fail(s->g->ctx, SNUG_E_INTERNAL,
                        "the graph has a cycle: %zu of %zu nodes can run", position, s->g->nodes.n);
    }
    size_t chosen = choose(s, p);
    snug__id id = SNUG_VEC(&s->ready, snug__id, chosen);
    SNUG_VEC(&s->ready, snug__id, chosen) = SNUG_VEC(&s->ready, snug__id, s->ready.n - 1);
    s->ready.n--;
    order[position] = id;
    SNUG_TRY(run_node(s, id));
  }
  return SNUG_OK;
}

/* The largest sum of bytes alive at one position of an order (views and in-place left aside). */
static snug_status load_of(const snug__graph *g, const snug__id *order, int64_t *load) {
  int64_t *first = NULL;
  int64_t *end = NULL;
  int64_t *change = NULL;
  snug_status s = SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &first);
  s = s ? s : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &end);
  s = s ? s : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->nodes.n + 2, &change);
  if (!s) {
    snug__plan_lifetimes(g, order, first, end);
    for (snug__id v = 0; v < g->values.n; v++) {
      change[first[v]] += end[v] > first[v] ? snug__type_bytes(snug__type_at(g, v)) : 0;
      change[end[v]] -= end[v] > first[v] ? snug__type_bytes(snug__type_at(g, v)) : 0;
    }
    int64_t alive = 0;
    *load = 0;
    for (size_t i = 0; i <= g->nodes.n; i++) {
      alive += change[i];
      *load = alive > *load ? alive : *load;
    }
  }
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, change, g->nodes.n + 2);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, end, g->values.n);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, first, g->values.n);
  return s;
}

static snug_status best_of_all(scheduler *s, snug__id *trial, snug__id *order) {
  static const preference tries[] = {PREFER_CREATION, PREFER_FREEING, PREFER_LEAST};
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < SNUG_COUNT(tries); i++) {
    int64_t load = 0;
    SNUG_TRY(schedule(s, tries[i], trial));
    SNUG_TRY(snug__order_sink(s->g, &s->depend, trial));
    SNUG_TRY(load_of(s->g, trial, &load));
    if (load < least) {
      least = load;
      memcpy(order, trial, s->g->nodes.n * sizeof *order);
    }
  }
  return SNUG_OK;
}

snug_status snug__plan_order(const snug__graph *g, snug__order_kind kind, snug__id *order) {
  scheduler s;
  snug__id *trial = NULL;
  snug_status status = init(&s, g);
  status = status ? status : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->nodes.n, &trial);
  if (!status) {
    status =
        kind == SNUG__ORDER_PEAK
            ? best_of_all(&s, trial, order)
            : schedule(&s, kind == SNUG__ORDER_REVERSED ? PREFER_LATEST : PREFER_CREATION, order);
  }
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, trial, g->nodes.n);
  release(&s);
  return status;
}
