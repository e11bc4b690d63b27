/* A training step as the search sees it: what runs in which order, how many bytes and seconds each
 * part takes, and how values could be recomputed.
 *
 * The order is fixed.  Values that are recomputed stand just before their first reader in the
 * backward, as the recompute pass puts them, so what is simulated here is what that pass makes. */
#ifndef SNUG_PLANNING_PROBLEM_H
#define SNUG_PLANNING_PROBLEM_H

#include "base/store.h"
#include "exec/needs.h"
#include "pass/recompute.h"
#include "planning/choice.h"

/* Some of the values that a node or a recipe has, in their order: those that lie in the block, look
 * at such, or could be recomputed.  The others have no part in what is alive. */
typedef struct snug__span {
  const snug__id *ids;
  int32_t n;
} snug__span;

typedef struct snug__problem {
  const snug__graph *g; /* laid out; the backward reads what the forward made */
  snug__recipes recipes;
  snug__id *order;       /* of the nodes */
  snug__needs *needs;    /* per node */
  double *seconds;       /* per node */
  double *again_seconds; /* per value: of its recipe */
  int64_t *again_scratch;
  snug__id *base;  /* per value: whose memory it is */
  int64_t *bytes;  /* per value: in the block; 0 for views and for what lies elsewhere */
  bool *cheap;     /* per value: the choice that costs next to nothing */
  bool *is_read;   /* per value: by a node of the backward */
  snug__id *views; /* nodes that only look at memory of others */
  size_t n_views;
  snug__id *placed; /* values of some bytes in the block */
  size_t n_placed;
  /* Of nodes, side by side: every simulation reads them all. */
  bool *backward;
  bool *takes_over; /* an output may lie where an input was */
  int64_t *scratch;
  snug__id *inputs; /* values that are filled before the first node */
  size_t n_inputs;
  snug__span *ins, *outs;  /* per node: of what it reads and makes */
  snug__span *ingredients; /* per value: of what its recipe reads */
  snug__id *spans;         /* what they are cut from */
  size_t n_spans;
  snug__id *made; /* values that have a recipe, from the last node to the first */
  size_t n_made;
  /* What must be made before a node, because that writes a variable it is made of: per node, and
   * one more, where its values begin. */
  uint32_t *early_start;
  snug__vec early; /* snug__id */
  double total;    /* seconds of all nodes */
  /* Where values may wait in a file: which, and behind which nodes transfers begin and end. */
  bool *can_wait; /* per value; NULL: none may */
  bool *is_mark;  /* per node */
  snug__store_rate disk;
} snug__problem;

/* seconds: per node of g; again: per node, of making its output 0 a second time; disk: the rate of
 * the file in which values may wait, NULL: none may.  Owns: ended by snug__problem_release.  Fails:
 * E_MEMORY, as kernels do; nothing is owed then. */
snug_status snug__problem_open(snug__problem *p, const snug__graph *g, snug__needs_table *needs,
                               const double *seconds, const double *again,
                               const snug__store_rate *disk) SNUG_NODISCARD;
void snug__problem_release(snug__problem *p);

enum { /* of snug__policy */
       SNUG__KEPT,
       SNUG__RECOMPUTED,
       SNUG__RECOMPUTED_IN_PASSING,
       SNUG__WAITING,       /* in a file: moved while the processor waits, memory is least */
       SNUG__WAITING_BESIDE /* moved beside SNUG__REACH nodes, which hold the memory longer */
};

#define SNUG__REACH 8

static inline bool snug__is_waiting(snug__policy k) { return k >= SNUG__WAITING; }
static inline bool snug__is_recomputed(snug__policy k) {
  return k != SNUG__KEPT && k < SNUG__WAITING;
}

/* Complete a choice for values that have recipes: views go with what they look at. */
void snug__problem_close(const snug__problem *p, snug__policy *choice);

/* What a choice comes to. */
typedef struct snug__outcome {
  int64_t load;   /* most bytes alive at one time */
  double seconds; /* of the whole step */
  double again;   /* of that, for what is recomputed */
  int64_t n_again;
  int64_t on_disk; /* bytes that wait in a file */
  double waiting;  /* of the seconds, what the processor waits for it */
  size_t peak;     /* the first position at which the load is reached */
  int64_t scratch; /* of the kernel that runs there */
} snug__outcome;

/* What a choice takes in all: its load, and what the file takes in memory. */
int64_t snug__outcome_bytes(const snug__outcome *o);

/* The way of a value that waits: behind which positions what happens to it, and who reads it. */
typedef struct snug__trip {
  snug__id value;
  int64_t made, written, ahead, read;
  double over; /* when its transfer is over */
} snug__trip;

/* A simulation's memory, used again and again.  Instances: a value's original, its copy, numbered
 * behind all originals, and what was made of it in passing, behind those. */
typedef struct snug__simulation {
  const snug__problem *p;
  const snug__policy *choice;
  uint32_t *first, *end; /* per instance: positions in which it is alive; in passing: the last */
  uint32_t *forward_end; /* per value: the position behind its last use in the forward */
  uint32_t *own_first;   /* per value: the first position that reads its copy for itself */
  snug__id *steps;       /* by position: a node, or (number of nodes + value) recomputed */
  uint32_t *read_at;     /* per value: the last request that reads it for itself */
  uint32_t *made_at;     /* per value: the request in which it was made in passing */
  bool *made;            /* per value: there is a copy */
  bool *needed;          /* per value: to be recomputed, and read, or for one that is */
  snug__id *passing;     /* values made in passing in this request */
  size_t n_passing;
  int64_t *load; /* by position */
  /* Of values that may wait (wait.c); not there if none may. */
  uint32_t *last_forward;   /* per value: the last position that reads it before that */
  uint32_t *first_backward; /* per value: one more than the first in the backward, 0: none */
  bool *waits;              /* per value: it has a trip */
  snug__trip *trips;        /* in the order of need */
  uint32_t *events, *next;  /* lists of trips by position and by what happens there */
  size_t n_trips;
  size_t n_steps, room;
  /* Behind the first nodes, on which no choice has an effect: first, end and forward_end of the
   * originals, how many steps and how much work that was. */
  uint32_t *start;
  size_t n_start;
  int64_t start_work;
  uint32_t request;
  int64_t work; /* steps and reads that were walked over: how searches are bounded */
  double again;
  int64_t n_again;
} snug__simulation;

snug_status snug__simulation_open(snug__simulation *s, const snug__problem *p) SNUG_NODISCARD;
void snug__simulation_release(snug__simulation *s);

/* Run the step with a closed choice.  One that makes too much again has a load beyond all bounds.
 */
snug__outcome snug__simulate(snug__simulation *s, const snug__policy *choice);

#endif
