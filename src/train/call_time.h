/* The time of one call: measured small, for the large.
 *
 * The call is made at a batch at which it is short and needs little memory, in the kernel and the
 * layouts of the large one, and scaled by what the op says its work is.  Where part of the work
 * does not grow with the batch, two batches tell the two parts.  Of calls that are alike one is
 * timed.  What was timed is kept in the file of timings. */
#ifndef SNUG_TRAIN_CALL_TIME_H
#define SNUG_TRAIN_CALL_TIME_H

#include "base/timings.h"
#include "exec/timer.h"
#include "train/alike.h"
#include "train/smaller.h"

#define SNUG__MAX_HALVINGS 64

/* A call on values of a lowered graph: that of a node, or what makes its output again. */
typedef struct snug__timed_call {
  const snug__op *op;
  snug__id node;
  const snug__id *in, *out;
  int32_t n_in, n_out;
  const void *params;
  int32_t kernel;
  bool is_again;
  uint64_t far_in, far_out; /* bit i: that one is not in the cache */
} snug__timed_call;

typedef struct snug__call_timer {
  /* set by the caller */
  snug_model *m;
  snug__step_kind kind;
  const snug__step *step;
  const snug__graph *g; /* the step, lowered */
  const snug__device *device;
  double guessed; /* of the whole step */
  /* private */
  snug__timings timings;
  snug__timer timer;
  snug__smaller smaller[SNUG__MAX_HALVINGS]; /* from half of the batch down, made when needed */
  bool is_made[SNUG__MAX_HALVINGS];
  snug__vec timed; /* snug__alike: what others may be told by */
  snug__text text;
} snug__call_timer;

/* Owns: ended by snug__call_timer_close, if this did not fail.  note (may be NULL) as
 * snug__calibrate. */
snug_status snug__call_timer_open(snug__call_timer *c) SNUG_NODISCARD;
void snug__call_timer_close(snug__call_timer *c, char note[SNUG__NOTE_BYTES]);

/* The bytes that a call touches. */
int64_t snug__call_bytes(const snug__call_timer *c, const snug__timed_call *q);

/* What it may take, without timing anything. */
double snug__call_guess(const snug__call_timer *c, const snug__timed_call *q);

/* Whether it is one of an optimizer, which can be cut to any length. */
bool snug__call_is_update(const snug__op *op);

/* Its seconds, timed with at most c->timer.most_bytes.  *seconds is negative where nothing could be
 * timed; *guessed is what it may be. */
snug_status snug__call_time(snug__call_timer *c, const snug__timed_call *q, double *seconds,
                            double *guessed) SNUG_NODISCARD;

#endif
