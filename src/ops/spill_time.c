/* How long a step takes whose values wait in a file: the processor and the disk each do one thing
 * after the other, and meet where a transfer is waited for. */
#include "base/ctx.h"
#include "ops/spill.h"

typedef struct clocks {
  double now;   /* of the processor */
  double disk;  /* when the disk will have done all that it was asked for */
  double *over; /* per value that is a ticket: when its transfer is over */
} clocks;

static void start(clocks *c, snug__id ticket, double seconds, double busy) {
  c->disk = (c->disk > c->now ? c->disk : c->now) + seconds;
  c->over[ticket] = c->disk;
  c->now += busy;
}

static void run_node(clocks *c, const snug__graph *g, const snug__node *node, double seconds,
                     const snug__store_rate *rate) {
  if (node->op == &snug__op_spill_start) {
    int64_t bytes = snug__type_bytes(snug__type_at(g, node->in[0]));
    start(c, node->out[0], (double)bytes * rate->write, (double)bytes * rate->busy);
  } else if (node->op == &snug__op_fetch_start) {
    int64_t bytes = snug__type_bytes(snug__type_at(g, node->out[0]));
    start(c, node->out[1], (double)bytes * rate->read, (double)bytes * rate->busy);
  } else if (node->op->flags & SNUG__OP_STORE) {
    double over = c->over[node->in[1]];
    c->now = over > c->now ? over : c->now;
  }
  c->now += seconds;
}

snug_status snug__spill_seconds(const snug__graph *g, const snug__id *order, const double *seconds,
                                const snug__store_rate *rate, double *out) {
  clocks c = {0};
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &c.over));
  for (size_t i = 0; i < g->nodes.n; i++) {
    run_node(&c, g, snug__node_at(g, order[i]), seconds[order[i]], rate);
  }
  *out = c.now;
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, c.over, g->values.n);
  return SNUG_OK;
}
