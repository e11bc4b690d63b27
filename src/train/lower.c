#include "train/lower.h"

#include <string.h>

#include "pass/prune.h"

/* The batch of the step from which layouts are decided: no kernel is chosen for good by it. */
#define SETTLING_BATCH 32

/* ---- the table of layouts ---- */

static void close_table(const snug_model *m, snug__variable_layouts *t) {
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->layout, t->n);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->fixed, t->n);
}

/* The variable that entry i is about: itself, or the weight whose gradients a sum is of (see
 * step.h), which lies as the weight does. */
static const snug__variable *variable_at(const snug_model *m, size_t i) {
  size_t n = m->variables.list.n;
  return snug__variable_at(&m->variables, i < n ? (snug__id)i : m->training->trained[i - n]);
}

static snug_status open_table(const snug_model *m, snug__variable_layouts *t) {
  size_t sums = m->training ? m->training->n_trained : 0;
  *t = (snug__variable_layouts){.n = m->variables.list.n + sums};
  snug_status s = SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->n, &t->layout);
  s = s ? s : SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, t->n, &t->fixed);
  for (size_t i = 0; !s && i < t->n; i++) {
    t->layout[i] = variable_at(m, i)->layout;
    t->fixed[i] = variable_at(m, i)->settled;
  }
  if (s) {
    close_table(m, t);
  }
  return s;
}

/* ---- the step's values ---- */

enum { SCALARS = 4 };

static size_t count_ids(const snug_model *m) { return m->inputs.n + 3 * m->outputs.n + SCALARS; }

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
  ids = put_ids(ids, step->divisor, m->outputs.n);
  const snug__id scalars[SCALARS] = {step->weight, step->offset, step->whole, step->keep};
  put_ids(ids, scalars, SCALARS);
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
  step->divisor = step->out + m->outputs.n;
  const snug__id *scalars = kept + n - SCALARS;
  step->weight = scalars[0];
  step->offset = scalars[1];
  step->whole = scalars[2];
  step->keep = scalars[3];
  return SNUG_OK;
}

static snug_status run_passes(snug_model *m, const snug__pass_options *options,
                              snug__variable_layouts *t, snug__graph **graph, snug__step *step) {
  size_t n = count_ids(m);
  snug__id *ids = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, n, &ids));
  gather(m, step, ids);
  bool only_counts =
      step->kind == SNUG__STEP_TRAIN_DIVISORS || step->kind == SNUG__STEP_TEST_DIVISORS;
  snug_status s = only_counts ? snug__pass_prune(graph, ids, n) : SNUG_OK;
  s = s ? s : snug__pass_all(graph, options, t, ids, n);
  s = s ? s : scatter(m, *graph, ids, step);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, ids, n);
  return s;
}

static snug_status lower(snug_model *m, const snug__pass_options *options, snug__graph **graph,
                         snug__step *step) {
  snug__variable_layouts t;
  SNUG_TRY(open_table(m, &t));
  snug_status s = run_passes(m, options, &t, graph, step);
  close_table(m, &t);
  return s;
}

/* The model's own, which tests set, where the rules say nothing. */
static snug__pass_options options_with(const snug_model *m, const snug__kernel_rules *rules) {
  snug__pass_options o = m->pass ? *m->pass : (snug__pass_options){0};
  o.kernels.fixed = rules && rules->fixed ? rules->fixed : o.kernels.fixed;
  o.kernels.most_scratch =
      rules && rules->most_scratch ? rules->most_scratch : o.kernels.most_scratch;
  return o;
}

snug_status snug__step_lower(snug_model *m, const snug__kernel_rules *rules, snug__graph **graph,
                             snug__step *step) {
  const snug__pass_options options = options_with(m, rules);
  return lower(m, &options, graph, step);
}

snug_status snug__step_assign_layouts(snug_model *m, const snug__kernel_rules *rules,
                                      snug__graph **graph, snug__step *step) {
  snug__pass_options options = options_with(m, rules);
  options.no_recompute = true;
  options.offload = NULL;
  return lower(m, &options, graph, step);
}

const snug__device *snug__model_device(const snug_model *m) {
  return m->pass && m->pass->device ? m->pass->device : m->ctx->queue.device;
}

/* ---- what is recomputed ---- */

static snug_status apply(const snug__recipes *recipes, const snug__policy *policy,
                         snug__rewrite *out) {
  const snug__graph *g = recipes->g;
  snug__id *order = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->nodes.n, &order));
  snug_status s = snug__plan_order(g, SNUG__ORDER_PEAK, order);
  s = s ? s : snug__recompute_apply(recipes, policy, order, out);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, order, g->nodes.n);
  return s;
}

/* Take over a rewritten graph, and the step's values in it. */
static snug_status take_over(snug_model *m, snug__rewrite *r, snug__graph **graph,
                             snug__step *step) {
  size_t n = count_ids(m);
  snug__id *ids = NULL;
  snug_status s = SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, n, &ids);
  if (!s) {
    gather(m, step, ids);
    snug__pass_accept(r, graph, ids, n);
    s = scatter(m, *graph, ids, step);
  } else {
    snug__rewrite_release(r);
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, ids, n);
  return s;
}

snug_status snug__step_recompute(snug_model *m, snug__graph **graph, snug__step *step,
                                 const snug__policy *policy) {
  snug__recipes recipes;
  snug__rewrite r;
  if (!policy) {
    SNUG_TRY(snug__pass_recompute_cheap(*graph, snug__model_device(m), &r));
    return take_over(m, &r, graph, step);
  }
  snug_status s = snug__recipes_init(&recipes, *graph, snug__model_device(m));
  s = s ? s : apply(&recipes, policy, &r);
  snug__recipes_release(&recipes);
  return s ? s : take_over(m, &r, graph, step);
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
  snug_status s = run_passes(m, m->pass, t, &g, &step);
  snug__graph_destroy(g);
  return s;
}

static snug_status settle(snug_model *m, const snug__variable_layouts *t) {
  SNUG_TRY(snug__model_assign_weight_layouts(m, t->layout));
  for (snug__id i = 0; i < m->variables.list.n; i++) {
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
