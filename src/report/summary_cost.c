/* What the graphs of a step tell about layers: FLOPs of the forward, what the backward reads of it,
 * and the peak of a fit. */
#include <string.h>

#include "base/size.h"
#include "graph/op.h"
#include "report/summary.h"
#include "train/fit.h"

/* ---- FLOPs ---- */

static double flops_of(const snug__graph *g, const snug__node *node) {
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  snug__graph_types(g, node->in, node->n_in, in);
  snug__graph_types(g, node->out, node->n_out, out);
  snug__signature sig = {node->op, node->params, node->n_in, node->n_out, in, out, 1, g->ctx->isa};
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

/* ---- a fit of one step, on zeros ---- */

typedef struct zeros {
  snug_array *arrays; /* inputs, then labels */
  void *data;         /* of all of them: they are alike */
  size_t n, bytes;
} zeros;

static snug_status set_array(const snug_summary *s, snug__type type, snug_array *a) {
  type.dim[0] = s->totals.batch;
  type.dtype = SNUG_UINT8; /* every dtype holds its 0 */
  *a = (snug_array){.dtype = SNUG_UINT8, .rank = type.rank};
  memcpy(a->shape, type.dim, sizeof a->shape);
  return snug__type_is_valid(&type)
             ? SNUG_OK
             : snug__fail(s->ctx, SNUG_E_SHAPE, "summary: batch %lld is too large",
                          (long long)s->totals.batch);
}

static snug_status set_arrays(const snug_summary *s, const snug_model *m, zeros *z) {
  for (size_t i = 0; i < m->inputs.n; i++) {
    snug_tensor t = SNUG_VEC(&m->inputs, snug__model_input, i).tensor;
    SNUG_TRY(set_array(s, SNUG_VEC(&m->tensors, snug__model_tensor, t).type, &z->arrays[i]));
  }
  for (size_t i = 0; i < m->outputs.n; i++) {
    snug_tensor t = SNUG_VEC(&m->outputs, snug_tensor, i);
    snug__type target;
    SNUG_TRY(snug__loss_target(m->ctx, &m->training->losses[i],
                               &SNUG_VEC(&m->tensors, snug__model_tensor, t).type, &target));
    SNUG_TRY(set_array(s, target, &z->arrays[m->inputs.n + i]));
  }
  return SNUG_OK;
}

static snug_status zeros_create(snug_summary *s, const snug_model *m, zeros *z) {
  z->n = m->inputs.n + m->outputs.n;
  SNUG_TRY(snug__arena_take(&s->arena, z->n * sizeof *z->arrays, (void **)&z->arrays));
  SNUG_TRY(set_arrays(s, m, z));
  for (size_t i = 0; i < z->n; i++) {
    snug__type t = snug__type_of(SNUG_UINT8, z->arrays[i].rank, z->arrays[i].shape);
    size_t bytes = (size_t)snug__type_bytes(&t);
    z->bytes = bytes > z->bytes ? bytes : z->bytes;
  }
  SNUG_TRY(snug__take(s->ctx, SNUG__MEM_SCRATCH, z->bytes, &z->data));
  for (size_t i = 0; i < z->n; i++) {
    z->arrays[i].data = z->data;
  }
  return SNUG_OK;
}

static snug_status look_at_fit(snug_summary *s, snug_model *m, const zeros *z) {
  snug_data data = {.x = z->arrays, .n_x = (int32_t)m->inputs.n};
  snug_fit_options options = SNUG_FIT_OPTIONS_DEFAULT;
  snug__fit f;
  data.y = z->arrays + m->inputs.n;
  data.n_y = (int32_t)m->outputs.n;
  options.batch_size = s->totals.batch;
  SNUG_TRY(snug__fit_open(&f, m, &data, &options));
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
  zeros z = {.n = 0};
  char name[SNUG__NAME_BYTES];
  snug_memory_info held;
  snug__optimizer_name(&m->training->optimizer, name);
  SNUG_TRY(snug__arena_text(&s->arena, name, &s->optimizer));
  snug_status status = zeros_create(s, m, &z);
  snug_memory_get(s->ctx, &held);
  status = status ? status : look_at_fit(s, m, &z);
  snug__give(s->ctx, SNUG__MEM_SCRATCH, z.data, z.bytes);
  SNUG_TRY(status);
  s->totals.is_compiled = true;
  s->totals.peak_bytes -= held.current - s->held; /* the zeros, which stand for data of the
                                                     caller's, and the summary itself */
  count_optimizer(s, m);
  return SNUG_OK;
}
