/* Values that wait in a file, in a simulated step: what the offload pass makes of the choice.
 *
 * In the walk they are followed as values that are kept.  Then their lives are cut in two, by the
 * rules of that pass, and the processor and the disk are followed through the step. */
#ifndef SNUG_PLANNING_WAIT_H
#define SNUG_PLANNING_WAIT_H

#include "planning/problem.h"

snug_status snug__waits_allocate(snug__simulation *s) SNUG_NODISCARD;
void snug__waits_release(snug__simulation *s);
void snug__waits_restart(snug__simulation *s);

/* In the walk: the forward, or the backward, touches the memory of a value. */
static inline void snug__waits_note_forward(snug__simulation *s, snug__id base) {
  if (s->first_backward && !s->first_backward[base]) {
    s->last_forward[base] = (uint32_t)s->n_steps;
  }
}
static inline void snug__waits_note_read(snug__simulation *s, snug__id base) {
  if (s->first_backward && !s->first_backward[base]) {
    s->first_backward[base] = (uint32_t)s->n_steps + 1;
  }
}

/* After it: cut lives.  Returns the bytes that wait. */
int64_t snug__waits_plan(snug__simulation *s);

/* The instance that a position reads for a value, where `otherwise` would be if it did not wait. In
 * the forward its memory is never taken over: it is still to be written. */
static inline size_t snug__waits_instance(const snug__simulation *s, snug__id base,
                                          size_t otherwise, size_t position) {
  bool is_back = s->n_trips && s->waits[base] && position + 1 >= s->first_backward[base];
  bool is_gone = s->n_trips && s->waits[base] && !is_back;
  return is_gone ? base + 2 * s->p->g->values.n : is_back ? base + s->p->g->values.n : otherwise;
}

/* Seconds of the whole step. */
double snug__waits_seconds(snug__simulation *s);

#endif
