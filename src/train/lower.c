#include "train/lower.h"

#include <string.h>

/* The batch of the step from which layouts are decided: no kernel is chosen for good by it. */
#define SETTLING_BATCH 32

/* ---- the table of layouts ---- */

static void close_table(const snug_model *m, snug__variable_layouts *t) {
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->layout, t->n);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->fixed, t->n);
}

static snug_status open_table(const snug_model *m, snug__variable_layouts *t) {
  *t = (snug__variable_layouts){.n = m->variables.list.n};
  snug_status s = SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->n, &t->layout);
  s = s ? s : SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->n, &t->fixed);
  for (snug__id i = 0; !s && i < t->n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    t->layout[i] = v->layout;
    t->fixed[i] = v->settled;
  }
  if (s) {
    close_table(m, t);
  }
  return s;
}

/* ---- the step's values ---- */

static size_t count_ids(const snug_model *m) { return m->inputs.n + 2 * m->outputs.n + 1; }

static snug__id *put_ids(snug__id *to, const snug__id *from, size_t n) {
  for (size_t i = 0; i < n; i++) {
    to[i] = from ? from[i] : SNUG_NONE;
  }
  return to + n;
}

static void gather(const snug_model *m, const snug__step *step, snug__id *ids) {
  ids = put_ids(ids, step->x, m->inputs.n);
  ids = put_ids(ids, step->y, m->outputs.n);
  ids = put_ids(ids, step->out, m->outputs.n);
  *ids = step->weight;
}

/* The other way; the arrays lie in the graph's arena, as those of the old graph did in its own. */
static snug_status scatter(const snug_model *m, snug__graph *g, const snug__id *ids,
                           snug__step *step) {
  size_t n = count_ids(m);
  snug__id *kept = NULL;
  SNUG_TRY(snug__arena_take(&g->arena, n * sizeof *kept, (void **)&kept));
  memcpy(kept, ids, n * sizeof *kept);
  step->x = kept;
  step->y = step->y ? kept + m->inputs.n : NULL;
  step->out = kept + m->inputs.n + m->outputs.n;
  step->weight = kept[n - 1];
  return SNUG_OK;
}

static snug_status run_passes(snug_model *m, snug__variable_layouts *t, snug__graph **graph,
                              snug__step *step) {
  size_t n = count_ids(m);
  snug__id *ids = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, n, &ids));
  gather(m, step, ids);
  snug_status s = snug__pass_all(graph, m->pass, t, ids, n);
  s = s ? s : scatter(m, *graph, ids, step);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, ids, n);
  return s;
}

snug_status snug__step_lower(snug_model *m, snug__graph **graph, snug__step *step) {
  snug__variable_layouts t;
  SNUG_TRY(open_table(m, &t));
  snug_status s = run_passes(m, &t, graph, step);
  close_table(m, &t);
  return s;
}

/* ---- settling ---- */

static bool is_settled(const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    if (!snug__variable_at(&m->variables, i)->settled) {
      return false;
    }
  }
  return true;
}

static snug_status decide(snug_model *m, snug__step_kind kind, snug__variable_layouts *t) {
  snug__graph *g = NULL;
  snug__step step;
  SNUG_TRY(snug__step_build(m, kind, SETTLING_BATCH, false, &g, &step));
  snug_status s = run_passes(m, t, &g, &step);
  snug__graph_destroy(g);
  return s;
}

static snug_status settle(snug_model *m, const snug__variable_layouts *t) {
  SNUG_TRY(snug__model_lay_out_weights(m, t->layout));
  for (snug__id i = 0; i < t->n; i++) {
    snug__variable *v = snug__variable_at(&m->variables, i);
    v->layout = t->layout[i];
    v->settled = true;
  }
  return SNUG_OK;
}

snug_status snug__settle_layouts(snug_model *m, snug__step_kind kind) {
  snug__variable_layouts t;
  if (is_settled(m)) {
    return SNUG_OK;
  }
  SNUG_TRY(open_table(m, &t));
  snug_status s = decide(m, kind, &t);
  s = s ? s : settle(m, &t);
  close_table(m, &t);
  return s;
}
