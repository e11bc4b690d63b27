#include "planning/problem.h"

#include <string.h>

#include "base/ctx.h"
#include "pass/offload.h"
#include "plan/plan.h"

void snug__problem_release(snug__problem *p) {
  if (!p->g) {
    return;
  }
  snug_ctx *ctx = p->g->ctx;
  size_t n = p->g->values.n;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->order, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->needs, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->seconds, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->views, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->early_start, p->g->nodes.n + 1);
  snug__vec_release(&p->early);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->ins, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->outs, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->ingredients, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->spans, p->n_spans);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->again_seconds, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->again_scratch, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->base, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->bytes, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->cheap, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->is_read, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->placed, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->backward, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->takes_over, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->scratch, p->g->nodes.n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->inputs, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->made, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->can_wait, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, p->is_mark, p->g->nodes.n);
  snug__recipes_release(&p->recipes);
  *p = (snug__problem){0};
}

static snug_status allocate(snug__problem *p) {
  snug_ctx *ctx = p->g->ctx;
  size_t n = p->g->values.n;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->order));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->needs));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->seconds));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->views));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n + 1, &p->early_start));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->ins));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->outs));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->ingredients));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->again_seconds));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->again_scratch));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->base));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->bytes));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->is_read));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->placed));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->backward));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->takes_over));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->scratch));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->inputs));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->made));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &p->cheap);
}

static void describe_values(snug__problem *p) {
  for (snug__id v = 0; v < p->g->values.n; v++) {
    p->base[v] = snug__value_base(p->g, v);
    p->bytes[v] = snug__plan_is_placed(p->g, v) ? snug__type_bytes(snug__type_at(p->g, v)) : 0;
    if (p->bytes[v] > 0) {
      p->placed[p->n_placed++] = v;
    }
    if (snug__value_at(p->g, v)->kind == SNUG__INPUT) {
      p->inputs[p->n_inputs++] = v;
    }
  }
  for (snug__id id = 0; id < p->g->nodes.n; id++) {
    if (snug__node_at(p->g, id)->op->flags & SNUG__OP_VIEW) {
      p->views[p->n_views++] = id;
    }
  }
}

static void describe_nodes(snug__problem *p) {
  for (snug__id id = (snug__id)p->g->nodes.n; id-- > 0;) {
    const snug__node *node = snug__node_at(p->g, id);
    p->backward[id] = node->backward;
    p->scratch[id] = p->needs[id].scratch_bytes;
    for (int32_t i = 0; node->backward && i < node->n_in; i++) {
      if (node->in[i] != SNUG_NONE) {
        p->is_read[node->in[i]] = true;
      }
    }
    for (int32_t k = 0; k < node->n_out; k++) {
      snug__id out = node->out[k];
      if (out != SNUG_NONE && p->recipes.of[out].op) {
        p->made[p->n_made++] = out;
      }
      p->takes_over[id] |= out != SNUG_NONE && p->needs[id].in_place[k] && p->bytes[out] > 0;
    }
  }
}

/* ---- spans ---- */

static bool counts(const snug__problem *p, snug__id v) {
  return v != SNUG_NONE && (p->bytes[p->base[v]] > 0 || p->recipes.of[v].op);
}

static snug__span cut(const snug__problem *p, const snug__id *ids, int32_t n, snug__id **free_) {
  snug__span span = {.ids = *free_};
  for (int32_t i = 0; i < n; i++) {
    if (counts(p, ids[i])) {
      (*free_)[span.n++] = ids[i];
    }
  }
  *free_ += span.n;
  return span;
}

static size_t most_in_spans(const snug__problem *p) {
  size_t n = 0;
  for (snug__id id = 0; id < p->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(p->g, id);
    n += (size_t)node->n_in + (size_t)node->n_out;
  }
  for (snug__id v = 0; v < p->g->values.n; v++) {
    n += p->recipes.of[v].op ? (size_t)p->recipes.of[v].n_in : 0;
  }
  return n;
}

static snug_status cut_spans(snug__problem *p) {
  size_t most = most_in_spans(p);
  SNUG_TRY(SNUG_NEW_ARRAY(p->g->ctx, SNUG__MEM_SCRATCH, most, &p->spans));
  p->n_spans = most;
  snug__id *at = p->spans;
  for (snug__id id = 0; id < p->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(p->g, id);
    p->ins[id] = cut(p, node->in, node->n_in, &at);
    p->outs[id] = cut(p, node->out, node->n_out, &at);
  }
  for (snug__id v = 0; v < p->g->values.n; v++) {
    const snug__recipe *r = &p->recipes.of[v];
    p->ingredients[v] = r->op ? cut(p, r->in, r->n_in, &at) : (snug__span){0};
  }
  return SNUG_OK;
}

void snug__problem_close(const snug__problem *p, snug__policy *choice) {
  for (size_t i = 0; i < p->n_views; i++) {
    const snug__node *node = snug__node_at(p->g, p->views[i]);
    bool follows = p->recipes.of[node->out[0]].op && !snug__is_waiting(choice[node->in[0]]);
    choice[node->out[0]] = follows ? choice[node->in[0]] : SNUG__KEPT;
  }
}

static snug__signature signature_of(const snug__problem *p, snug__id value, snug__type *in) {
  const snug__recipe *r = &p->recipes.of[value];
  snug__graph_types(p->g, r->in, r->n_in, in);
  return (snug__signature){.op = r->op,
                           .params = r->params,
                           .n_in = r->n_in,
                           .n_out = 1,
                           .in = in,
                           .out = snug__type_at(p->g, value),
                           .target = p->g->ctx->target};
}

static snug_status describe_recipes(snug__problem *p, snug__needs_table *table,
                                    const double *again) {
  for (snug__id v = 0; v < p->g->values.n; v++) {
    const snug__recipe *r = &p->recipes.of[v];
    snug__type in[SNUG__MAX_IN];
    snug__needs needs;
    if (r->op && r->again == SNUG_NONE) {
      snug__signature sig = signature_of(p, v, in);
      SNUG_TRY(snug__needs_of(table, &sig, &needs));
      p->again_seconds[v] = again[snug__value_at(p->g, v)->producer];
      p->again_scratch[v] = needs.scratch_bytes;
    } else if (r->op) {
      p->again_seconds[v] = again[r->again];
      p->again_scratch[v] = p->needs[r->again].scratch_bytes;
    }
  }
  return SNUG_OK;
}

/* ---- variables that change ---- */

static bool reads(const snug__problem *p, const snug__recipe *r, snug__id variable) {
  for (int32_t i = 0; i < r->n_in; i++) {
    if (r->in[i] != SNUG_NONE && p->base[r->in[i]] == variable) {
      return true;
    }
  }
  return false;
}

static snug_status add_readers(snug__problem *p, const snug__uses *uses, snug__id value,
                               snug__id variable) {
  size_t n = 0;
  const snug__id *readers = snug__readers(uses, value, &n);
  for (size_t i = 0; i < n; i++) {
    const snug__node *node = snug__node_at(p->g, readers[i]);
    if (node->op->flags & SNUG__OP_VIEW) {
      SNUG_TRY(add_readers(p, uses, node->out[0], variable));
    }
    for (int32_t k = 0; k < node->n_out; k++) {
      snug__id v = node->out[k];
      if (v != SNUG_NONE && p->recipes.of[v].op && !(node->op->flags & SNUG__OP_VIEW) &&
          reads(p, &p->recipes.of[v], variable)) {
        SNUG_TRY(snug__vec_push(&p->early, &v, 1));
      }
    }
  }
  return SNUG_OK;
}

static snug_status add_early(snug__problem *p, const snug__uses *uses) {
  for (snug__id id = 0; id < p->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(p->g, id);
    p->early_start[id] = (uint32_t)p->early.n;
    for (int32_t k = 0; k < node->n_out; k++) {
      int32_t i = node->op->writes[k] - 1;
      if (i >= 0 && i < node->n_in && node->in[i] != SNUG_NONE) {
        SNUG_TRY(add_readers(p, uses, p->base[node->in[i]], p->base[node->in[i]]));
      }
    }
  }
  p->early_start[p->g->nodes.n] = (uint32_t)p->early.n;
  return SNUG_OK;
}

static snug_status find_early(snug__problem *p) {
  snug__uses uses;
  SNUG_TRY(snug__uses_init(&uses, p->g));
  snug_status s = add_early(p, &uses);
  snug__uses_release(&uses);
  return s;
}

/* ---- the disk ---- */

static snug_status describe_waits(snug__problem *p, const snug__store_rate *disk) {
  if (!disk) {
    return SNUG_OK;
  }
  p->disk = *disk;
  SNUG_TRY(SNUG_NEW_ARRAY(p->g->ctx, SNUG__MEM_SCRATCH, p->g->nodes.n, &p->is_mark));
  for (snug__id id = 0; id < p->g->nodes.n; id++) {
    p->is_mark[id] = snug__offload_is_mark(p->g, id);
  }
  SNUG_TRY(SNUG_NEW_ARRAY(p->g->ctx, SNUG__MEM_SCRATCH, p->g->values.n, &p->can_wait));
  return snug__offload_can(p->g, p->can_wait);
}

int64_t snug__outcome_bytes(const snug__outcome *o) {
  return o->load < INT64_MAX && o->on_disk ? o->load + snug__store_cost() : o->load;
}

static snug_status fill(snug__problem *p, snug__needs_table *table, const double *seconds,
                        const double *again, const snug__store_rate *disk) {
  SNUG_TRY(allocate(p));
  SNUG_TRY(snug__recipes_init(&p->recipes, p->g, table->device));
  SNUG_TRY(snug__plan_order(p->g, SNUG__ORDER_PEAK, p->order));
  SNUG_TRY(snug__needs_of_graph(table, p->g, p->needs));
  for (size_t i = 0; i < p->g->nodes.n; i++) {
    p->seconds[i] = seconds[i];
    p->total += seconds[i];
  }
  describe_values(p);
  describe_nodes(p);
  SNUG_TRY(cut_spans(p));
  SNUG_TRY(describe_recipes(p, table, again));
  SNUG_TRY(find_early(p));
  SNUG_TRY(describe_waits(p, disk));
  return snug__recipes_cheap(&p->recipes, p->cheap);
}

snug_status snug__problem_open(snug__problem *p, const snug__graph *g, snug__needs_table *needs,
                               const double *seconds, const double *again,
                               const snug__store_rate *disk) {
  *p = (snug__problem){.g = g};
  snug__vec_init(&p->early, g->ctx, SNUG__MEM_SCRATCH, sizeof(snug__id), UINT32_MAX);
  snug_status s = fill(p, needs, seconds, again, disk);
  if (s) {
    snug__problem_release(p);
  }
  return s;
}
