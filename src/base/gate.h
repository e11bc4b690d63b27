/* What the whole process may hold, and whether that leaves room for more.
 *
 * The account knows what Snug holds; code, other libraries and what a heap keeps are seen by the
 * system alone.  So the system is asked, and not at every request: half of the room that it reports
 * may be taken before it is asked again, and the other half is for whoever does not ask us. */
#ifndef SNUG_BASE_GATE_H
#define SNUG_BASE_GATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct snug__gate {
  uint64_t most;    /* bytes that the process may hold; 0: any number */
  bool is_line;     /* that is a line of the caller's, which is less than there is room for */
  uint64_t beside;  /* bytes of files that lie in memory: the process answers for them, and they are
                       not resident in it */
  uint64_t ahead;   /* that may be taken before the system is asked again */
  uint64_t refused; /* what the process would have come to with the last that was refused; 0:
                       nothing was, since it was set */
} snug__gate;

/* What the process holds now: what is resident, and what the kernel keeps for it. */
uint64_t snug__gate_held(void);

/* The bytes that may still be taken; UINT64_MAX if any number.  Asks the system. */
uint64_t snug__gate_room(const snug__gate *g);

/* What the process would come to with this many bytes more, and what others may take meanwhile. */
uint64_t snug__gate_needs(const snug__gate *g, uint64_t bytes);

/* Whether this many bytes more may be taken; they count as taken then. */
bool snug__gate_admits(snug__gate *g, uint64_t bytes);

/* Whether a file of this many bytes may lie in memory; it counts as held until it is given back. */
bool snug__gate_take_beside(snug__gate *g, uint64_t bytes);
void snug__gate_give_beside(snug__gate *g, uint64_t bytes);

/* Let no more than `most` be held from here on; 0: any number. */
void snug__gate_set(snug__gate *g, uint64_t most);

/* The same, if that is less than it is; returns what it was, to be set again. */
uint64_t snug__gate_tighten(snug__gate *g, uint64_t most);

#endif
