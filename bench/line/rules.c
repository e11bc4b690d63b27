#include "line/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 2000 /* of bytes, in the knapsack */

static void *need(size_t n, size_t each) {
  void *p = calloc(n ? n : 1, each);
  if (!p) {
    fputs("rules: no memory\n", stderr);
    exit(1);
  }
  return p;
}

/* ---- the forward as a line of nodes ---- */

static int64_t bytes_of(const rules *r, snug__id value) {
  return snug__type_bytes(snug__type_at(r->g, value));
}

/* A value with bytes of its own that the forward makes. */
static bool is_made(const rules *r, snug__id value) {
  const snug__value *v = snug__value_at(r->g, value);
  return v->kind == SNUG__TEMPORARY && v->view_of == SNUG_NONE && v->producer != SNUG_NONE &&
         v->producer < r->n_forward;
}

static void mark_reads(rules *r) {
  for (snug__id id = 0; id < r->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(r->g, id);
    for (int32_t i = 0; i < node->n_in; i++) {
      if (node->in[i] != SNUG_NONE) {
        snug__id base = snug__value_base(r->g, node->in[i]);
        r->last[base] = node->backward ? r->last[base] : id;
        r->is_read[base] |= node->backward;
      }
    }
  }
}

static void add_up(rules *r) {
  for (snug__id v = 0; v < r->g->values.n; v++) {
    if (!is_made(r, v)) {
      continue;
    }
    r->kept += r->is_read[v] && r->recipes->of[v].op ? bytes_of(r, v) : 0;
    for (snug__id id = snug__value_at(r->g, v)->producer;
         r->last[v] != SNUG_NONE && id < r->last[v]; id++) {
      r->crossing[id] += bytes_of(r, v);
      r->n_crossing[id]++;
    }
  }
}

void rules_open(rules *r, const snug__graph *g, const snug__recipes *recipes,
                const double *seconds) {
  *r = (rules){.g = g, .recipes = recipes, .seconds = seconds};
  while (r->n_forward < g->nodes.n && !snug__node_at(g, r->n_forward)->backward) {
    r->n_forward++;
  }
  r->last = need(g->values.n, sizeof *r->last);
  r->is_read = need(g->values.n, sizeof *r->is_read);
  r->crossing = need(r->n_forward, sizeof *r->crossing);
  r->n_crossing = need(r->n_forward, sizeof *r->n_crossing);
  memset(r->last, 0xFF, g->values.n * sizeof *r->last); /* SNUG_NONE */
  mark_reads(r);
  add_up(r);
}

void rules_close(rules *r) {
  free(r->last);
  free(r->is_read);
  free(r->crossing);
  free(r->n_crossing);
}

/* ---- segments ---- */

/* Everything is recomputed but what is read behind the end of the segment that makes it. */
static void keep_ends(const rules *r, const bool *is_end, bool *recomputed) {
  snug__id *end_of = need(r->n_forward, sizeof *end_of);
  snug__id end = r->n_forward;
  for (snug__id id = r->n_forward; id-- > 0;) {
    end = is_end[id] ? id : end;
    end_of[id] = end;
  }
  for (snug__id v = 0; v < r->g->values.n; v++) {
    recomputed[v] = is_made(r, v) && (r->last[v] == SNUG_NONE ||
                                      r->last[v] <= end_of[snug__value_at(r->g, v)->producer]);
  }
  snug__recipes_close(r->recipes, recomputed);
  free(end_of);
}

static bool may_end(const rules *r, bool at_joints, snug__id id) {
  return !at_joints || r->n_crossing[id] == 1;
}

void rule_sqrt(const rules *r, bool at_joints, bool *recomputed) {
  bool *is_end = need(r->n_forward, sizeof *is_end);
  double length = sqrt((double)r->n_forward);
  double at = length;
  for (snug__id id = 0; id < r->n_forward; id++) {
    if ((double)id + 1.0 >= at && may_end(r, at_joints, id)) {
      is_end[id] = true;
      at = (double)id + 1.0 + length;
    }
  }
  keep_ends(r, is_end, recomputed);
  free(is_end);
}

static int64_t bytes_made(const rules *r, snug__id id) {
  const snug__node *node = snug__node_at(r->g, id);
  int64_t bytes = 0;
  for (int32_t k = 0; k < node->n_out; k++) {
    bytes += node->out[k] != SNUG_NONE && is_made(r, node->out[k]) ? bytes_of(r, node->out[k]) : 0;
  }
  return bytes;
}

void rule_greedy(const rules *r, bool at_joints, int64_t bytes, bool *recomputed) {
  bool *is_end = need(r->n_forward, sizeof *is_end);
  int64_t made = 0;
  for (snug__id id = 0; id < r->n_forward; id++) {
    made += bytes_made(r, id);
    if (made > bytes && may_end(r, at_joints, id)) {
      is_end[id] = true;
      made = 0;
    }
  }
  keep_ends(r, is_end, recomputed);
  free(is_end);
}

/* ---- knapsack ---- */

typedef struct item {
  snug__id value;
  int32_t units;
  double seconds;
} item;

static size_t gather(const rules *r, int64_t unit, item *items) {
  size_t n = 0;
  for (snug__id v = 0; v < r->g->values.n; v++) {
    if (is_made(r, v) && r->is_read[v] && r->recipes->of[v].op) {
      snug__id maker = snug__value_at(r->g, v)->producer;
      items[n++] = (item){v, (int32_t)((bytes_of(r, v) + unit - 1) / unit), r->seconds[maker]};
    }
  }
  return n;
}

/* taken[i * (UNITS + 1) + u]: whether item i is kept in the best choice of the first i + 1 within
 * u. */
static void fill(const item *items, size_t n, double *best, bool *taken) {
  for (size_t i = 0; i < n; i++) {
    for (int32_t u = UNITS; u >= items[i].units; u--) {
      double with = best[u - items[i].units] + items[i].seconds;
      if (with > best[u]) {
        best[u] = with;
        taken[i * (UNITS + 1) + (size_t)u] = true;
      }
    }
  }
}

void rule_knapsack(const rules *r, int64_t bytes, bool *recomputed) {
  item *items = need(r->g->values.n, sizeof *items);
  double *best = need(UNITS + 1, sizeof *best);
  size_t n = gather(r, bytes / UNITS + 1, items);
  bool *taken = need(n * (UNITS + 1), sizeof *taken);
  size_t left = UNITS;
  fill(items, n, best, taken);
  /* What the backward does not read may be recomputed wherever that helps. */
  for (snug__id v = 0; v < r->g->values.n; v++) {
    recomputed[v] = is_made(r, v);
  }
  for (size_t i = n; i-- > 0;) {
    if (taken[i * (UNITS + 1) + left]) {
      recomputed[items[i].value] = false;
      left -= (size_t)items[i].units;
    }
  }
  snug__recipes_close(r->recipes, recomputed);
  free(taken);
  free(best);
  free(items);
}
