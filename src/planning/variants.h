/* The variants of a step, and what a line chooses from: their frontiers, merged.
 *
 * A variant is one size of micro-batch: the whole batch, its half, a quarter, ...  Where scratch is
 * a large part of what one holds at its peak, there is a leaner one of the same size, whose kernels
 * need less of it.  Which there are does not depend on what kernels take, nor on the line. */
#ifndef SNUG_PLANNING_VARIANTS_H
#define SNUG_PLANNING_VARIANTS_H

#include "planning/frontier.h"
#include "planning/planning.h"

#define SNUG__MOST_VARIANTS 24

typedef struct snug__variant {
  int64_t micro;        /* samples of a micro-batch; 0: whole batches */
  int64_t most_scratch; /* that kernels are to need; 0: any */
  int32_t plain;        /* the variant of the same size whose kernels may need any */
  int64_t n_lean;       /* nodes that do not run their preferred kernel */
  snug__lowered step;   /* its graph is owned; NULL until variants are searched, and when settled */
  size_t n_values;      /* of the graph */
  snug__frontier frontier;
  double seconds; /* of a step, with nothing recomputed */
  double doubt;   /* seconds of a batch that all its candidates count more, see variants.c */
} snug__variant;

/* A way to run a batch. */
typedef struct snug__candidate {
  int32_t variant;
  size_t at;    /* in its frontier */
  bool slots;   /* optimizer slots live in a file */
  int64_t load; /* with what a file takes in memory, if values wait in one */
  double seconds;
} snug__candidate;

typedef struct snug__variants {
  const snug__question *q;
  snug__variant list[SNUG__MOST_VARIANTS];
  int32_t n;
  /* The least, found by bytes alone. */
  int32_t least;               /* its variant */
  snug__step_choice choice;    /* owned */
  int64_t least_bytes;         /* of its block, with what files take */
  snug_plan_point least_point; /* without its process and seconds */
  uint64_t search_bytes;       /* what the search of all variants will hold at the most */
  double usual;         /* seconds of the usual plan, which no candidate counts as faster than */
  snug__vec candidates; /* snug__candidate, the fastest first; the least is the last */
} snug__variants;

/* Find which variants there are, and the least candidate of all.  Owns: ended by
 * snug__variants_close, also after a failure.  Fails: as the target, E_MEMORY. */
snug_status snug__variants_open(snug__variants *w, const snug__question *q) SNUG_NODISCARD;
void snug__variants_close(snug__variants *w);

/* Time all variants, with so many bytes of room, and search their frontiers. */
snug_status snug__variants_search(snug__variants *w, int64_t room) SNUG_NODISCARD;

/* Seconds of the least candidate and of the usual plan where nothing is searched: no less than a
 * search would find for it. */
snug_status snug__variants_price(snug__variants *w, int64_t room, double *least,
                                 double *usual) SNUG_NODISCARD;

/* The bytes of a candidate's block, planned when first asked for. */
snug_status snug__variants_bytes(snug__variants *w, size_t i, int64_t *out) SNUG_NODISCARD;

/* Seconds that optimizer slots in a file take in a step. */
double snug__variants_slot_seconds(const snug__variants *w);

/* All has been asked that will be: keep no more than the choices. */
void snug__variants_settle(snug__variants *w);

#endif
