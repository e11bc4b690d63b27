/* Planning: how the steps of a training are run under a line.
 *
 * A question goes in: steps that can be lowered for any micro-batch, what their nodes take, what
 * may be done, and the line.  One value comes out, the plan that was chosen: whoever trains,
 * evaluates or prints uses that one.
 *
 * 1. The usual plan is that of a fit without a line.  If it is under the line, nothing is searched.
 * 2. The least plan is found by bytes alone.  Kernels are not timed for it, so the verdict and the
 *    least line are the same whether this machine has timings or not.
 * 3. Only if the least plan is under the line, kernels are timed, and of all candidates the fastest
 *    one under the line is taken.  Where the search has no room beside the model, or no candidate
 *    comes out under the line, it is the least plan.
 *
 * A smaller line never gets a larger block, a larger line never a slower step. */
#ifndef SNUG_PLANNING_PLANNING_H
#define SNUG_PLANNING_PLANNING_H

#include "base/store.h"
#include "device/device.h"
#include "planning/choice.h"
#include "snug/plan.h"

/* A training step for one size of micro-batch and one rule for kernels: laid out, with nothing
 * recomputed. */
typedef struct snug__lowered {
  snug__graph *graph; /* owned by who asked for it */
  const void *step;   /* what the target knows it by; lies in the arena of the graph */
  int64_t beside;     /* bytes of the block beside the step's own: sums of gradients */
  double repeats;     /* of the step in a batch */
} snug__lowered;

struct snug__question;

/* The model and the machine, as planning sees them. */
typedef struct snug__planning_subject {
  void *user;
  const snug__device *device;
  /* Fill in what a search alone wants to know: what the question has from may_split on. */
  snug_status (*look)(void *user, struct snug__question *q);
  /* Lower a step.  Fails as building and the passes do; out->graph is owned in any case. */
  snug_status (*lower)(void *user, int64_t micro_batch, int64_t most_scratch, snug__lowered *out);
  /* Seconds of each node, and of a second run of what makes its output 0; is_guess: by the work
   * that ops state, without timing anything.  room: bytes that timing may take.  */
  snug_status (*time)(void *user, const snug__lowered *step, bool is_guess, int64_t room,
                      double *seconds, double *again);
  /* Make the programs of a choice and measure the process around them: `memory` of the plan, and
   * what it is taken to need, which is the same in every run.  What was made before is gone. */
  snug_status (*make)(void *user, const snug__step_choice *choice, snug_memory_report *memory,
                      uint64_t *process);
  void (*release)(void *user); /* what was made last, and what libraries keep of it */
} snug__planning_subject;

typedef struct snug__question {
  snug_ctx *ctx;
  snug__planning_subject target;
  int64_t batch;
  uint64_t line;      /* bytes of the process; 0: none */
  uint64_t available; /* where there is none, what the process may hold; 0: not known */
  const snug_fit_options *options;
  /* Filled in when it is asked for. */
  bool may_split;        /* the batch can be run in micro-batches */
  bool may_save_scratch; /* kernels are free: those that need less scratch may be taken */
  int64_t slots_saved;   /* bytes that optimizer slots in a file save; 0: they may not */
  int64_t slots_bytes;   /* and those of the file */
  snug__store_rate disk; /* of it, where levers allow one */
} snug__question;

/* The answer. */
typedef struct snug__planned {
  snug__step_choice choice;
  snug_memory_report memory; /* of the choice, by class */
  uint64_t process;          /* what the process is taken to need with it; 0: not measured */
  snug_plan_point *points;   /* the frontier: the fastest first, the least last */
  size_t n_points, room;
  size_t chosen;  /* the point of the choice; n_points: nothing fits, and the choice is the least */
  uint64_t least; /* the least line that is accepted; 0: it was not asked for */
  bool is_usual;  /* the choice is that of a fit without a line */
  int64_t slots_saved;
} snug__planned;

/* Choose.  The programs of the choice are made when this returns.  Owns: *out is ended by
 * snug__planned_release, also after a failure.  Fails: as the target, E_MEMORY, E_LIMIT. */
snug_status snug__planning_choose(const snug__question *q, snug__planned *out) SNUG_NODISCARD;
void snug__planned_release(snug__planned *p, snug_ctx *ctx);

/* Bytes of a point that differ from plan to plan: its block, what files take in memory, and slots
 * that are not in one. */
uint64_t snug__planned_bytes(const snug__planned *p, const snug_plan_point *point);

/* Whether levers fix what is recomputed: then the usual plan is not what is wanted. */
bool snug__planning_is_fixed(const snug_fit_options *options);

#endif
