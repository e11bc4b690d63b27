/* The frontier of a step: ways to run it, none of them both larger and slower than another.
 *
 * It does not depend on a line.  A line takes the fastest way whose bytes lie under it; so a
 * smaller line never gets a larger block, and a larger one never a slower step. */
#ifndef SNUG_BUDGET_FRONTIER_H
#define SNUG_BUDGET_FRONTIER_H

#include "budget/search.h"
#include "plan/plan.h"

typedef struct snug__way {
  snug__keeping *keeping; /* per value of the graph */
  snug__outcome outcome;
  int64_t height; /* of its block; 0: not planned yet */
} snug__way;

typedef struct snug__frontier {
  const snug__graph *g;
  snug__needs_table needs;
  snug__problem problem;
  snug__arena arena;
  snug__vec ways;      /* snug__way, the fastest first */
  snug__outcome usual; /* what the choice that costs next to nothing comes to */
} snug__frontier;

/* Find the ways of a graph that is laid out and makes nothing again; seconds, again and disk are as
 * snug__problem_open wants them.  fixed: what is recomputed in all of them, or NULL.  quick: see
 * search.h.  The graph must outlive the frontier.  Owns: ended by snug__frontier_close.  Fails:
 * E_MEMORY, as kernels do; nothing is owed then. */
snug_status snug__frontier_open(snug__frontier *f, const snug__graph *g, const snug__device *device,
                                const double *seconds, const double *again,
                                const snug__store_rate *disk, const snug__keeping *fixed,
                                bool quick) SNUG_NODISCARD;
void snug__frontier_close(snug__frontier *f);

/* All has been asked that will be: keep the ways alone.  The graph may go. */
void snug__frontier_settle(snug__frontier *f);

/* The bytes of a way's block, planned when first asked for. */
snug_status snug__frontier_height(snug__frontier *f, size_t i, int64_t *out) SNUG_NODISCARD;

/* The plan options of programs that are made of a way: the order of its nodes is part of it. */
extern const snug__plan_options snug__way_plan;

/* Make a graph of a choice; order: of the nodes of the recipes' graph.  out is the caller's. */
snug_status snug__way_apply(const snug__recipes *recipes, const snug__keeping *keeping,
                            const snug__id *order, snug__rewrite *out) SNUG_NODISCARD;

#endif
