/* The choice of what is recomputed that costs next to nothing. */
#include <string.h>

#include "base/ctx.h"
#include "pass/recipe.h"

/* What is this many times smaller than the value that is made of it is simply kept. */
#define SMALL 16

/* Steps of a chain that are followed back; longer ones are cut by keeping a value. */
#define MAX_DEPTH 24

typedef struct chooser {
  const snug__recipes *recipes;
  const snug__graph *g;
  bool *remade;
  bool *decided;       /* per value: a backward node has read it, and it is recomputed or kept */
  snug__id *last_read; /* per value: its last reader in the backward, or SNUG_NONE */
  snug__id *asked_at;  /* per value: the node for which `answer` is known, or SNUG_NONE */
  bool *answer;        /* whether it could be recomputed there */
} chooser;

static void release(chooser *c) {
  size_t n = c->g->values.n;
  SNUG_GIVE_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, c->decided, n);
  SNUG_GIVE_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, c->last_read, n);
  SNUG_GIVE_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, c->asked_at, n);
  SNUG_GIVE_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, c->answer, n);
}

static void mark_reads(chooser *c) {
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(c->g, id);
    for (int32_t i = 0; i < node->n_in; i++) {
      if (node->in[i] != SNUG_NONE && node->backward) {
        c->last_read[node->in[i]] = id;
      }
    }
  }
}

static snug_status init(chooser *c, const snug__recipes *recipes, bool *remade) {
  size_t n = recipes->g->values.n;
  *c = (chooser){.recipes = recipes, .g = recipes->g, .remade = remade};
  SNUG_TRY(SNUG_NEW_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, n, &c->decided));
  SNUG_TRY(SNUG_NEW_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, n, &c->last_read));
  SNUG_TRY(SNUG_NEW_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, n, &c->asked_at));
  SNUG_TRY(SNUG_NEW_ARRAY(c->g->ctx, SNUG__MEM_SCRATCH, n, &c->answer));
  memset(c->asked_at, 0xFF, n * sizeof *c->asked_at); /* SNUG_NONE */
  memset(c->last_read, 0xFF, n * sizeof *c->last_read);
  mark_reads(c);
  return SNUG_OK;
}

static int64_t bytes_of(const chooser *c, snug__id value) {
  return snug__type_bytes(snug__type_at(c->g, value));
}

static bool is_remakable(const chooser *c, snug__id value, snug__id at, int32_t depth);

/* Whether `value` is there, or can be, when something of so many bytes is made at node `at`. */
static bool is_there(const chooser *c, snug__id value, snug__id at, int64_t bytes, int32_t depth) {
  const snug__value *v = snug__value_at(c->g, value);
  snug__id last = c->last_read[value];
  if (v->kind != SNUG__TEMPORARY && v->kind != SNUG__INPUT) {
    return true;
  }
  return bytes_of(c, value) * SMALL <= bytes || is_remakable(c, value, at, depth) ||
         (last != SNUG_NONE && last >= at);
}

static bool ask(const chooser *c, snug__id value, snug__id at, int32_t depth) {
  const snug__recipe *recipe = &c->recipes->of[value];
  int64_t bytes = bytes_of(c, value);
  if (depth == 0 || !recipe->op || !recipe->cheap) {
    return false;
  }
  for (int32_t i = 0; i < recipe->n_in; i++) {
    if (recipe->in[i] != SNUG_NONE && !is_there(c, recipe->in[i], at, bytes, depth - 1)) {
      return false;
    }
  }
  return true;
}

/* The answer is remembered: chains that fork and join would be walked again and again. */
static bool is_remakable(const chooser *c, snug__id value, snug__id at, int32_t depth) {
  if (c->remade[value]) {
    return true;
  }
  if (c->asked_at[value] != at) {
    c->answer[value] = ask(c, value, at, depth);
    c->asked_at[value] = at;
  }
  return c->answer[value];
}

/* Decide for a value that is read at node `at`, to make something of so many bytes. */
static void decide(chooser *c, snug__id value, snug__id at, int64_t bytes, int32_t depth) {
  if (value == SNUG_NONE || c->decided[value] || bytes_of(c, value) * SMALL <= bytes ||
      !is_remakable(c, value, at, depth)) {
    return;
  }
  c->decided[value] = c->remade[value] = true;
  const snug__recipe *recipe = &c->recipes->of[value];
  for (int32_t i = 0; i < recipe->n_in; i++) {
    decide(c, recipe->in[i], at, bytes_of(c, value), depth - 1);
  }
}

static void choose(chooser *c) {
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(c->g, id);
    for (int32_t i = 0; node->backward && i < node->n_in; i++) {
      decide(c, node->in[i], id, 0, MAX_DEPTH);
    }
  }
}

snug_status snug__recipes_cheap(const snug__recipes *r, bool *remade) {
  chooser c;
  snug_status s = init(&c, r, remade);
  if (!s) {
    memset(remade, 0, r->g->values.n * sizeof *remade);
    choose(&c);
    snug__recipes_close(r, remade);
  }
  release(&c);
  return s;
}
