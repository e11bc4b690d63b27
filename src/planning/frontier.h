/* The frontier of a step: choices of what to recompute, none of them both larger and slower than
 * another.
 *
 * It does not depend on a line.  A line takes the fastest point whose bytes lie under it; so a
 * smaller line never gets a larger block, and a larger one never a slower step. */
#ifndef SNUG_PLANNING_FRONTIER_H
#define SNUG_PLANNING_FRONTIER_H

#include "plan/plan.h"
#include "planning/search.h"

typedef struct snug__frontier_point {
  snug__policy *policy; /* per value of the graph */
  snug__outcome outcome;
  int64_t height; /* of its block; 0: not planned yet */
} snug__frontier_point;

typedef struct snug__frontier {
  const snug__graph *g;
  snug__needs_table needs;
  snug__problem problem;
  snug__arena arena;
  snug__vec points;    /* snug__frontier_point, the fastest first */
  snug__outcome usual; /* what the choice that costs next to nothing comes to */
} snug__frontier;

/* Find the frontier of a graph that is laid out and recomputes nothing; seconds, again and disk are
 * as snug__problem_open wants them.  fixed: what is recomputed in all of them, or NULL.  quick: see
 * search.h.  The graph must outlive the frontier.  Owns: ended by snug__frontier_close.  Fails:
 * E_MEMORY, as kernels do; nothing is owed then. */
snug_status snug__frontier_open(snug__frontier *f, const snug__graph *g, const snug__device *device,
                                const double *seconds, const double *again,
                                const snug__store_rate *disk, const snug__policy *fixed,
                                bool quick) SNUG_NODISCARD;
void snug__frontier_close(snug__frontier *f);

/* Append a choice that was found elsewhere, whatever it is worth: *at is its index. */
snug_status snug__frontier_add(snug__frontier *f, const snug__policy *policy,
                               size_t *at) SNUG_NODISCARD;

/* All has been asked that will be: keep the points alone.  The graph may go. */
void snug__frontier_settle(snug__frontier *f);

/* The bytes of a point's block, planned when first asked for. */
snug_status snug__frontier_height(snug__frontier *f, size_t i, int64_t *out) SNUG_NODISCARD;

/* The plan options of programs that are made of a point: the order of its nodes is part of it. */
extern const snug__plan_options snug__candidate_plan;

/* Make a graph of a choice; order: of the nodes of the recipes' graph.  out is the caller's. */
snug_status snug__recompute_apply(const snug__recipes *recipes, const snug__policy *policy,
                                  const snug__id *order, snug__rewrite *out) SNUG_NODISCARD;

#endif
