#include "base/gate.h"

#include "base/heap.h"
#include "base/process.h"

/* For what is taken between two looks by whoever does not ask, and for telling that there is no
 * more. */
#define RESERVE ((uint64_t)512 << 10)

#define MOST_AHEAD ((uint64_t)64 << 20)
#define LEAST_AHEAD ((uint64_t)4 << 10)

uint64_t snug__gate_held(void) {
  snug__process now;
  return snug__process_read("", &now) ? now.resident + now.tables + snug__process_kernel(&now) : 0;
}

uint64_t snug__gate_needs(const snug__gate *g, uint64_t bytes) {
  return snug__gate_held() + g->beside + RESERVE + bytes;
}

uint64_t snug__gate_room(const snug__gate *g) {
  if (!g->most) {
    return UINT64_MAX;
  }
  uint64_t held = snug__gate_needs(g, 0);
  return g->most > held ? g->most - held : 0;
}

static uint64_t ahead_of(uint64_t room) {
  uint64_t half = room / 2;
  return half > MOST_AHEAD ? MOST_AHEAD : half < LEAST_AHEAD ? LEAST_AHEAD : half;
}

bool snug__gate_admits(snug__gate *g, uint64_t bytes) {
  if (!g->most) {
    return true;
  }
  if (bytes <= g->ahead) {
    g->ahead -= bytes;
    return true;
  }
  uint64_t room = snug__gate_room(g);
  if (bytes > room) {
    snug__heap_trim(); /* what was given back may still be resident */
    room = snug__gate_room(g);
  }
  bool admits = bytes <= room;
  g->ahead = admits ? ahead_of(room - bytes) : 0;
  g->refused = admits ? g->refused : snug__gate_needs(g, bytes);
  return admits;
}

bool snug__gate_take_beside(snug__gate *g, uint64_t bytes) {
  bool admits = bytes <= snug__gate_room(g);
  g->ahead = 0; /* what was said before holds no more */
  g->beside += admits ? bytes : 0;
  return admits;
}

void snug__gate_give_beside(snug__gate *g, uint64_t bytes) { g->beside -= bytes; }

void snug__gate_set(snug__gate *g, uint64_t most) {
  *g = (snug__gate){.most = most, .beside = g->beside};
}

uint64_t snug__gate_tighten(snug__gate *g, uint64_t most) {
  uint64_t before = g->most;
  bool is_less = most && (!before || most < before);
  snug__gate_set(g, is_less ? most : before);
  g->is_line = is_less;
  return before;
}
