#include "pass/remake.h"

#include <string.h>

#include "base/ctx.h"

/* What is this many times smaller than the value that is made of it is simply kept. */
#define SMALL 16

/* Steps of a chain that are followed back; longer ones are cut by keeping a value. */
#define MAX_DEPTH 24

typedef struct remaker {
  const snug__graph *g;
  const snug__uses *uses;
  snug__id *copy;      /* per old value: the one made again, in the new graph, or SNUG_NONE */
  snug__id *last_read; /* per old value: its last reader in the backward, or SNUG_NONE */
  bool *is_old;        /* per old value: variables that are written before the backward has ended */
  snug__id *asked_at;  /* per old value: the node for which `answer` is known, or SNUG_NONE */
  bool *answer;        /* whether it could be made again there */
} remaker;

static void release(remaker *m) {
  size_t n = m->g->values.n;
  SNUG_GIVE_ARRAY(m->g->ctx, SNUG__MEM_SCRATCH, m->copy, n);
  SNUG_GIVE_ARRAY(m->g->ctx, SNUG__MEM_SCRATCH, m->last_read, n);
  SNUG_GIVE_ARRAY(m->g->ctx, SNUG__MEM_SCRATCH, m->is_old, n);
  SNUG_GIVE_ARRAY(m->g->ctx, SNUG__MEM_SCRATCH, m->asked_at, n);
  SNUG_GIVE_ARRAY(m->g->ctx, SNUG__MEM_SCRATCH, m->answer, n);
}

static void mark_reads(remaker *m, const snug__node *node, snug__id id) {
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE && node->backward) {
      m->last_read[node->in[i]] = id;
    }
  }
}

static void mark_writes(remaker *m, const snug__node *node) {
  for (int32_t k = 0; k < node->n_out; k++) {
    int32_t i = node->op->writes[k] - 1;
    if (i >= 0 && i < node->n_in && node->in[i] != SNUG_NONE) {
      m->is_old[snug__value_base(m->g, node->in[i])] = true;
    }
  }
}

static void mark(remaker *m) {
  snug__id end = 0;
  for (snug__id id = 0; id < m->g->nodes.n; id++) {
    mark_reads(m, snug__node_at(m->g, id), id);
    end = snug__node_at(m->g, id)->backward ? id : end;
  }
  for (snug__id id = 0; id < end; id++) {
    mark_writes(m, snug__node_at(m->g, id));
  }
}

static snug_status init(remaker *m, const snug__graph *g) {
  size_t n = g->values.n;
  *m = (remaker){.g = g};
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &m->copy));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &m->last_read));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &m->is_old));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &m->asked_at));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &m->answer));
  memset(m->copy, 0xFF, n * sizeof *m->copy); /* SNUG_NONE */
  memset(m->asked_at, 0xFF, n * sizeof *m->asked_at);
  memset(m->last_read, 0xFF, n * sizeof *m->last_read);
  mark(m);
  return SNUG_OK;
}

/* ---- what can be made again ---- */

/* How a value could be made again; false: it cannot. */
static bool recipe_of(const remaker *m, snug__id value, snug__remake *out) {
  snug__id id = snug__value_at(m->g, value)->producer;
  const snug__node *node = id == SNUG_NONE ? NULL : snug__node_at(m->g, id);
  if (!node || node->backward || node->out[0] != value || node->n_in > SNUG__REMAKE_INPUTS ||
      node->op->params_bytes > sizeof out->params) {
    return false;
  }
  memset(out, 0, sizeof *out);
  if (node->op->remake) {
    node->op->remake(node, out);
    return true;
  }
  out->op = node->op;
  out->n_in = node->n_in;
  memcpy(out->in, node->in, (size_t)node->n_in * sizeof *node->in);
  if (node->op->params_bytes) {
    memcpy(out->params, node->params, node->op->params_bytes);
  }
  return (node->op->flags & (SNUG__OP_CHEAP | SNUG__OP_VIEW)) != 0;
}

static bool is_remakable(const remaker *m, snug__id value, snug__id at, int32_t depth);

/* Whether `value` is there, or can be, when something of so many bytes is made at node `at`. */
static bool is_there(const remaker *m, snug__id value, snug__id at, int64_t bytes, int32_t depth) {
  const snug__value *v = snug__value_at(m->g, value);
  snug__id last = m->last_read[value];
  if (m->is_old[snug__value_base(m->g, value)]) {
    return false;
  }
  if (v->kind != SNUG__TEMPORARY && v->kind != SNUG__INPUT) {
    return true;
  }
  return snug__type_bytes(&v->type) * SMALL <= bytes || is_remakable(m, value, at, depth) ||
         (last != SNUG_NONE && last >= at);
}

static bool ask(const remaker *m, snug__id value, snug__id at, int32_t depth) {
  snug__remake recipe;
  int64_t bytes = snug__type_bytes(snug__type_at(m->g, value));
  if (depth == 0 || !recipe_of(m, value, &recipe)) {
    return false;
  }
  for (int32_t i = 0; i < recipe.n_in; i++) {
    if (recipe.in[i] != SNUG_NONE && !is_there(m, recipe.in[i], at, bytes, depth - 1)) {
      return false;
    }
  }
  return true;
}

/* The answer is remembered: chains that fork and join would be walked again and again. */
static bool is_remakable(const remaker *m, snug__id value, snug__id at, int32_t depth) {
  if (m->asked_at[value] != at) {
    m->answer[value] = ask(m, value, at, depth);
    m->asked_at[value] = at;
  }
  return m->answer[value];
}

/* ---- making it again ---- */

static snug_status remake(snug__rewrite *r, snug__id value, snug__id at, int32_t depth,
                          snug__id *out);

/* The new value to read at node `at` for an old one: made again where that is to be. */
static snug_status value_for(snug__rewrite *r, snug__id value, snug__id at, int64_t bytes,
                             int32_t depth, snug__id *out) {
  const remaker *m = r->arg;
  const snug__value *v = value == SNUG_NONE ? NULL : snug__value_at(m->g, value);
  *out = snug__rewritten(r, value);
  if (!v || v->kind != SNUG__TEMPORARY || m->uses->is_output[value]) {
    return SNUG_OK;
  }
  if (m->copy[value] != SNUG_NONE) {
    *out = m->copy[value];
    return SNUG_OK;
  }
  return snug__type_bytes(&v->type) * SMALL > bytes && is_remakable(m, value, at, depth)
             ? remake(r, value, at, depth, out)
             : SNUG_OK;
}

static snug_status remake(snug__rewrite *r, snug__id value, snug__id at, int32_t depth,
                          snug__id *out) {
  const remaker *m = r->arg;
  int64_t bytes = snug__type_bytes(snug__type_at(m->g, value));
  snug__remake recipe;
  snug__id in[SNUG__REMAKE_INPUTS];
  recipe_of(m, value, &recipe);
  for (int32_t i = 0; i < recipe.n_in; i++) {
    SNUG_TRY(value_for(r, recipe.in[i], at, bytes, depth - 1, &in[i]));
  }
  snug__rewrite_as(r, at);
  r->to->layer = snug__value_at(m->g, value)->layer;
  SNUG_TRY(snug__graph_add(r->to, recipe.op, recipe.params, in, recipe.n_in, out, 1));
  m->copy[value] = *out;
  return SNUG_OK;
}

static snug_status remake_inputs(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *node = snug__node_at(r->from, id);
  snug__id in[SNUG__MAX_IN];
  if (!node->backward) {
    return SNUG_OK;
  }
  for (int32_t i = 0; i < node->n_in; i++) {
    SNUG_TRY(value_for(r, node->in[i], id, 0, MAX_DEPTH, &in[i]));
  }
  *replaced = true;
  return snug__rewrite_copy(r, id, in);
}

static snug_status run(remaker *m, const snug__graph *g, snug__rewrite *out) {
  SNUG_TRY(init(m, g));
  SNUG_TRY(snug__rewrite_open(g, remake_inputs, m, out));
  m->uses = &out->uses;
  snug_status s = snug__rewrite_run(out);
  if (s) {
    snug__rewrite_release(out);
  }
  return s;
}

snug_status snug__pass_remake(const snug__graph *g, snug__rewrite *out) {
  remaker m;
  snug_status s = run(&m, g, out);
  release(&m);
  return s;
}
