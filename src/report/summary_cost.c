/* What the graphs of a step tell about layers: FLOPs of the forward, what the backward reads of it,
 * and the peak of a fit. */
#include <string.h>

#include "base/size.h"
#include "graph/op.h"
#include "report/summary.h"
#include "train/fit.h"
#include "train/stand_in.h"

/* ---- FLOPs ---- */

static double flops_of(const snug__graph *g, const snug__node *node) {
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  snug__graph_types(g, node->in, node->n_in, in);
  snug__graph_types(g, node->out, node->n_out, out);
  snug__signature sig = {node->op, node->params, node->n_in, node->n_out, in, out, g->ctx->target};
  return node->op->flags & SNUG__OP_VIEW ? 0.0 : snug__op_cost(&sig).flops;
}

static void add_flops(snug_summary *s, const snug__graph *g) {
  for (snug__id i = 0; i < g->nodes.n; i++) {
    const snug__node *node = snug__node_at(g, i);
    snug_summary_row *row = snug__summary_row(s, snug__layer_name(g, node->layer));
    double flops = flops_of(g, node);
    s->totals.flops += flops;
    if (row) {
      row->flops += flops;
    }
  }
}

snug_status snug__summary_flops(snug_summary *s, snug_model *m) {
  snug__graph *g = NULL;
  snug__step step;
  SNUG_TRY(snug__step_build(m, SNUG__STEP_PREDICT, 1, false, &g, &step));
  add_flops(s, g);
  snug__graph_destroy(g);
  return SNUG_OK;
}

/* ---- what is saved ---- */

/* Whether a value is there before the backward begins: an input, or made by the forward. */
static bool is_of_forward(const snug__graph *g, const snug__value *v) {
  return v->kind == SNUG__INPUT || !snug__node_at(g, v->producer)->backward;
}

static void save_value(snug_summary *s, const snug__graph *g, snug__id id, bool *seen) {
  snug__id base = id == SNUG_NONE ? SNUG_NONE : snug__value_base(g, id);
  if (base == SNUG_NONE || seen[base] || !snug__plan_is_placed(g, base) ||
      !is_of_forward(g, snug__value_at(g, base))) {
    return;
  }
  uint64_t bytes = (uint64_t)snug__type_bytes(snug__type_at(g, base));
  snug_summary_row *row = snug__summary_row(s, snug__layer_name(g, snug__value_at(g, base)->layer));
  seen[base] = true;
  s->totals.saved_bytes += bytes;
  if (row) {
    row->saved_bytes += bytes;
  }
}

static snug_status add_saved(snug_summary *s, const snug__graph *g) {
  bool *seen = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, g->values.n, &seen));
  for (snug__id i = 0; i < g->nodes.n; i++) {
    const snug__node *node = snug__node_at(g, i);
    for (int32_t k = 0; node->backward && k < node->n_in; k++) {
      save_value(s, g, node->in[k], seen);
    }
  }
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, seen, g->values.n);
  return SNUG_OK;
}

/* ---- a fit of one step ---- */

static snug_status look_at_fit(snug_summary *s, snug_model *m, const snug_data *data) {
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  snug__fit f;
  options.batch_size = s->totals.batch;
  SNUG_TRY(snug__fit_open(&f, m, data, &options));
  snug_status status = add_saved(s, f.session.runs[SNUG__SLOT_MAIN].program->graph);
  s->totals.peak_bytes = f.history->memory.planned;
  snug__fit_close(&f, status, NULL);
  return status;
}

/* Keras has no variable for a learning rate that a schedule gives. */
static bool is_counted(const snug_model *m, const snug__variable *v) {
  bool is_rate = strcmp(v->name, "optimizer/learning_rate") == 0;
  return v->kind == SNUG__STATE && strncmp(v->name, "optimizer/", 10) == 0 &&
         !(is_rate && m->training->optimizer.schedule.kind);
}

static void count_optimizer(snug_summary *s, const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    if (is_counted(m, v)) {
      s->totals.optimizer.parameters += (uint64_t)snug__type_count(&v->type);
      s->totals.optimizer.bytes += (uint64_t)snug__type_bytes(&v->type);
    }
  }
}

snug_status snug__summary_training(snug_summary *s, snug_model *m) {
  snug__stand_in data;
  char name[SNUG__NAME_BYTES];
  snug_memory_info held = SNUG_INIT(snug_memory_info);
  snug__optimizer_name(&m->training->optimizer, name);
  SNUG_TRY(snug__arena_text(&s->arena, name, &s->optimizer));
  snug_status status = snug__stand_in_init(&data, m, s->totals.batch);
  snug_memory_get(s->ctx, &held);
  status = status ? status : look_at_fit(s, m, &data.data);
  snug__stand_in_release(&data);
  SNUG_TRY(status);
  s->totals.is_compiled = true;
  s->totals.peak_bytes -= held.current - s->held; /* the stand-in and the summary itself */
  count_optimizer(s, m);
  return SNUG_OK;
}
