#include "pass/recompute.h"

#include <string.h>

#include "base/ctx.h"

/* Copies made in passing serve one request: the inputs of one node of the backward. */
typedef struct recomputer {
  const snug__recipes *recipes;
  const bool *remade, *in_passing;
  bool *needed;      /* per old value: to be recomputed, and read by the backward or for another */
  snug__id *copy;    /* per old value: the one recomputed, in the new graph, or SNUG_NONE */
  snug__id *passing; /* the same, made in passing, */
  uint32_t *made_at; /* in this request; */
  uint32_t *read_at; /* the last request that reads it for itself */
  uint32_t request;
} recomputer;

static void release(recomputer *m) {
  const snug__graph *g = m->recipes->g;
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, m->needed, g->values.n);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, m->copy, g->values.n);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, m->passing, g->values.n);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, m->made_at, g->values.n);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, m->read_at, g->values.n);
}

/* ---- what is needed ---- */

static void need(recomputer *m, const snug__id *in, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (in[i] != SNUG_NONE && m->remade[in[i]]) {
      m->needed[in[i]] = true;
    }
  }
}

/* Producers stand before their readers, so one walk back finds all. */
static void mark_needed(recomputer *m) {
  const snug__graph *g = m->recipes->g;
  for (snug__id id = (snug__id)g->nodes.n; id-- > 0;) {
    const snug__node *node = snug__node_at(g, id);
    if (node->backward) {
      need(m, node->in, node->n_in);
    }
    for (int32_t k = 0; k < node->n_out; k++) {
      if (node->out[k] != SNUG_NONE && m->needed[node->out[k]]) {
        need(m, m->recipes->of[node->out[k]].in, m->recipes->of[node->out[k]].n_in);
      }
    }
  }
}

static snug_status init(recomputer *m, const snug__recipes *recipes,
                        const snug__recomputing *what) {
  size_t n = recipes->g->values.n;
  *m = (recomputer){.recipes = recipes, .remade = what->remade, .in_passing = what->in_passing};
  SNUG_TRY(SNUG_NEW_ARRAY(recipes->g->ctx, SNUG__MEM_SCRATCH, n, &m->needed));
  SNUG_TRY(SNUG_NEW_ARRAY(recipes->g->ctx, SNUG__MEM_SCRATCH, n, &m->copy));
  SNUG_TRY(SNUG_NEW_ARRAY(recipes->g->ctx, SNUG__MEM_SCRATCH, n, &m->passing));
  SNUG_TRY(SNUG_NEW_ARRAY(recipes->g->ctx, SNUG__MEM_SCRATCH, n, &m->made_at));
  SNUG_TRY(SNUG_NEW_ARRAY(recipes->g->ctx, SNUG__MEM_SCRATCH, n, &m->read_at));
  memset(m->copy, 0xFF, n * sizeof *m->copy); /* SNUG_NONE */
  mark_needed(m);
  return SNUG_OK;
}

/* ---- requests ---- */

/* Begin to make what is read by one node. */
static void begin_request(recomputer *m, const snug__id *in, int32_t n) {
  m->request++;
  for (int32_t i = 0; i < n; i++) {
    if (in[i] != SNUG_NONE) {
      m->read_at[in[i]] = m->request;
    }
  }
}

/* Whether a value that is made now is made for another one alone. */
static bool is_passing(const recomputer *m, snug__id value) {
  return m->in_passing && m->in_passing[value] && m->read_at[value] != m->request;
}

/* The copy that there is now, or SNUG_NONE. */
static snug__id find_copy(const recomputer *m, snug__id value) {
  return m->copy[value] == SNUG_NONE && m->made_at[value] == m->request && m->request
             ? m->passing[value]
             : m->copy[value];
}

static void keep_copy(const recomputer *m, snug__id value, snug__id made) {
  if (is_passing(m, value)) {
    m->passing[value] = made;
    m->made_at[value] = m->request;
  } else {
    m->copy[value] = made;
  }
}

/* ---- making it again ---- */

static snug_status value_for(snug__rewrite *r, snug__id value, snug__id *out);

/* Run a node again: every output of it that is to be recomputed is. */
static snug_status run_again(snug__rewrite *r, snug__id node, const snug__id *in) {
  const recomputer *m = r->arg;
  const snug__node *old = snug__node_at(r->from, node);
  snug__id outs[SNUG__MAX_OUT];
  snug__rewrite_as(r, node);
  r->to->backward = true;
  SNUG_TRY(snug__rewrite_again(r, node, in, outs));
  for (int32_t k = 0; k < old->n_out; k++) {
    snug__id v = old->out[k];
    if (v != SNUG_NONE && m->remade[v] && find_copy(m, v) == SNUG_NONE) {
      keep_copy(m, v, outs[k]);
    }
  }
  return SNUG_OK;
}

static snug_status run_recipe(snug__rewrite *r, snug__id value, const snug__id *in) {
  const recomputer *m = r->arg;
  const snug__recipe *recipe = &m->recipes->of[value];
  const snug__value *old = snug__value_at(r->from, value);
  snug__id made = SNUG_NONE;
  r->to->layer = old->layer;
  r->to->class_ = old->class_;
  r->to->backward = true;
  SNUG_TRY(snug__graph_add(r->to, recipe->op, recipe->params, in, recipe->n_in, &made, 1));
  snug__value_at(r->to, made)->type.layout = old->type.layout;
  keep_copy(m, value, made);
  return SNUG_OK;
}

static snug_status recompute(snug__rewrite *r, snug__id value) {
  const recomputer *m = r->arg;
  const snug__recipe *recipe = &m->recipes->of[value];
  snug__id in[SNUG__MAX_IN];
  for (int32_t i = 0; i < recipe->n_in; i++) {
    SNUG_TRY(value_for(r, recipe->in[i], &in[i]));
  }
  return recipe->again == SNUG_NONE ? run_recipe(r, value, in) : run_again(r, recipe->again, in);
}

/* The new value that is read in the backward for an old one. */
static snug_status value_for(snug__rewrite *r, snug__id value, snug__id *out) {
  const recomputer *m = r->arg;
  *out = snug__rewritten(r, value);
  if (value == SNUG_NONE || !m->remade[value]) {
    return SNUG_OK;
  }
  SNUG_TRY(find_copy(m, value) == SNUG_NONE ? recompute(r, value) : SNUG_OK);
  *out = find_copy(m, value);
  return SNUG_OK;
}

static snug_status recompute_inputs(snug__rewrite *r, snug__id id) {
  const snug__node *node = snug__node_at(r->from, id);
  snug__id in[SNUG__MAX_IN];
  begin_request(r->arg, node->in, node->n_in);
  for (int32_t i = 0; i < node->n_in; i++) {
    SNUG_TRY(value_for(r, node->in[i], &in[i]));
  }
  return snug__rewrite_copy(r, id, in);
}

/* ---- before a variable changes ---- */

static bool reads(const snug__graph *g, const snug__recipe *recipe, snug__id variable) {
  for (int32_t i = 0; i < recipe->n_in; i++) {
    if (recipe->in[i] != SNUG_NONE && snug__value_base(g, recipe->in[i]) == variable) {
      return true;
    }
  }
  return false;
}

/* Make the outputs of a node that are still to be made, if the variable is needed for it. */
static snug_status recompute_outputs(snug__rewrite *r, const snug__node *node, snug__id variable) {
  const recomputer *m = r->arg;
  for (int32_t k = 0; k < node->n_out; k++) {
    snug__id v = node->out[k];
    if (v != SNUG_NONE && m->needed[v] && m->copy[v] == SNUG_NONE &&
        reads(r->from, &m->recipes->of[v], variable)) {
      begin_request(r->arg, &v, 1);
      SNUG_TRY(recompute(r, v));
    }
  }
  return SNUG_OK;
}

/* What is still to be made of the old content of a variable is made before a node writes it.
 * value: the variable, or a view of it. */
static snug_status recompute_readers(snug__rewrite *r, snug__id value, snug__id variable) {
  size_t n = 0;
  const snug__id *readers = snug__readers(&r->uses, value, &n);
  for (size_t i = 0; i < n; i++) {
    const snug__node *node = snug__node_at(r->from, readers[i]);
    SNUG_TRY(node->op->flags & SNUG__OP_VIEW ? recompute_readers(r, node->out[0], variable)
                                             : recompute_outputs(r, node, variable));
  }
  return SNUG_OK;
}

static snug_status before_writes(snug__rewrite *r, snug__id id) {
  const snug__node *node = snug__node_at(r->from, id);
  for (int32_t k = 0; k < node->n_out; k++) {
    int32_t i = node->op->writes[k] - 1;
    if (i >= 0 && i < node->n_in && node->in[i] != SNUG_NONE) {
      snug__id variable = snug__value_base(r->from, node->in[i]);
      SNUG_TRY(recompute_readers(r, variable, variable));
    }
  }
  return SNUG_OK;
}

static snug_status replace(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *node = snug__node_at(r->from, id);
  SNUG_TRY(before_writes(r, id));
  *replaced = node->backward;
  return node->backward ? recompute_inputs(r, id) : SNUG_OK;
}

static snug_status run(recomputer *m, const snug__recomputing *what, snug__rewrite *out) {
  SNUG_TRY(init(m, m->recipes, what));
  SNUG_TRY(snug__rewrite_open(m->recipes->g, replace, m, out));
  out->order = what->order;
  snug_status s = snug__rewrite_run(out);
  if (s) {
    snug__rewrite_release(out);
  }
  return s;
}

snug_status snug__pass_recompute(const snug__recipes *recipes, const snug__recomputing *what,
                                 snug__rewrite *out) {
  recomputer m = {.recipes = recipes};
  snug_status s = run(&m, what, out);
  release(&m);
  return s;
}

static snug_status recompute_chosen(const snug__recipes *recipes, bool *remade,
                                    snug__rewrite *out) {
  SNUG_TRY(snug__recipes_cheap(recipes, remade));
  return snug__pass_recompute(recipes, &(snug__recomputing){.remade = remade}, out);
}

snug_status snug__pass_recompute_cheap(const snug__graph *g, const snug__device *device,
                                       snug__rewrite *out) {
  snug__recipes recipes;
  bool *remade = NULL;
  snug_status s = snug__recipes_init(&recipes, g, device);
  s = s ? s : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &remade);
  s = s ? s : recompute_chosen(&recipes, remade, out);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, remade, g->values.n);
  snug__recipes_release(&recipes);
  return s;
}
