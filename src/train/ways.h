/* The ways of a fit to run its training step, and the one that a line takes.
 *
 * A family is one size of micro-batches: the whole batch, its half, a quarter, ...  Where scratch
 * is a large part of what a family holds at its peak, there is a leaner one of the same size, whose
 * kernels need less of it.  Each has a frontier of its own; the ways of all families together,
 * without those that another one is better than in bytes and seconds, are what a line chooses
 * from. */
#ifndef SNUG_TRAIN_WAYS_H
#define SNUG_TRAIN_WAYS_H

#include "budget/frontier.h"
#include "train/fit.h"

#define SNUG__MOST_FAMILIES 24

typedef struct snug__family {
  int64_t micro;        /* samples of a micro-batch; 0: whole batches */
  int64_t most_scratch; /* that kernels are to need, see assign_layouts.h; 0: any */
  int32_t plain;        /* the family of the same size whose kernels may need any */
  int64_t n_lean;       /* nodes that do not run their preferred kernel */
  double seconds;       /* of a micro-batch, with nothing recomputed */
  snug__graph *graph;   /* laid out, with nothing recomputed; owned; NULL once it is settled */
  size_t n_values;      /* of it */
  snug__step step;
  snug__frontier frontier;
  int64_t base;         /* bytes of the block beside the step's: sums of gradients */
  double micro_batches; /* in a batch */
  double doubt;         /* seconds of a batch that all its ways count more, see ways.c */
} snug__family;

typedef struct snug__fit_way {
  int32_t family;
  size_t way;   /* of its frontier */
  bool slots;   /* optimizer slots live in a file */
  int64_t load; /* with what a file takes in memory, if values wait in one */
  double seconds;
} snug__fit_way;

typedef struct snug__ways {
  snug_ctx *ctx;
  bool has_disk; /* values may wait in a file, which is that fast */
  snug__store_rate disk;
  int64_t slots_saved, slots_bytes; /* what a file for optimizer slots saves, and its own bytes */
  snug__family families[SNUG__MOST_FAMILIES];
  int32_t n_families;
  double usual;   /* seconds of the usual session, which no way counts as faster than */
  snug__vec list; /* snug__fit_way, the fastest first */
} snug__ways;

/* Whether the levers fix what is computed twice: then the usual session is not what is wanted. */
bool snug__ways_fixed(const snug_levers *levers);

/* Build a family's step and lay it out: its micro and most_scratch are set.  Its graph is owned in
 * any case.  Fails as building a step does. */
snug_status snug__family_build(snug__family *y, const snug__fit *f) SNUG_NODISCARD;

/* Find the ways that the levers leave.  Owns: ended by snug__ways_close, also after a failure.
 * Fails: E_ARGUMENT naming a layer that the model has not got, E_IO naming the folder in
 * which values are to wait, E_MEMORY, as building a step does. */
snug_status snug__ways_open(snug__ways *w, const snug__fit *f) SNUG_NODISCARD;
void snug__ways_close(snug__ways *w);

/* The bytes of a way's block, planned when first asked for. */
snug_status snug__ways_bytes(snug__ways *w, size_t i, int64_t *out) SNUG_NODISCARD;

/* Seconds that optimizer slots in a file take in a step. */
double snug__ways_slot_seconds(const snug__ways *w);

/* All has been asked that will be: keep no more than the choices. */
void snug__ways_settle(snug__ways *w);

#endif
