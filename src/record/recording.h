/* The inside of a recording that was read. */
#ifndef SNUG_RECORD_RECORDING_H
#define SNUG_RECORD_RECORDING_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "record/format.h"

typedef struct snug__fact {
  const char *name, *value;
} snug__fact;

/* Values of one epoch: a range of the lists of names and values. */
typedef struct snug__epoch {
  int64_t epoch;
  size_t first, n;
} snug__epoch;

struct snug_recording {
  snug_ctx *ctx;
  snug__arena texts;
  snug__map interned;   /* texts by themselves: the same one is kept once */
  snug__vec text_list;  /* const char *: where the map's numbers lead */
  snug__map fact_names; /* into facts */
  snug__vec facts;      /* snug__fact */
  snug__vec moments;    /* snug_moment */
  snug__vec epochs;     /* snug__epoch */
  snug__vec names, values;
  snug__vec pieces;   /* snug_memory_piece */
  size_t peak_pieces; /* of the last whole set; what lies behind is a set in the making */
  double peak_seconds, next_seconds;
  bool in_peak;         /* a set is in the making */
  snug__numbers before; /* the last moment */
  snug_recording_end end;
  uint64_t at_byte;
};

/* Take the content of a frame in.  Kinds that are not known are passed over: a newer Snug may add
 * some.  *good: whether it is what its kind says; nothing of it is taken in if not.  Fails:
 * E_MEMORY, E_LIMIT, E_DATA (more than any recorder writes). */
snug_status snug__recording_take(snug_recording *r, uint8_t kind, snug__cursor content,
                                 bool *good) SNUG_NODISCARD;

/* The fact of the file's number. */
snug_status snug__recording_set_id(snug_recording *r, uint64_t id) SNUG_NODISCARD;

/* Nothing more will come: what is in the making is settled. */
void snug__recording_settle(snug_recording *r);

/* Copy a text of a file, made harmless; there is room for n + 1 bytes. */
void snug__harmless(char *out, const char *text, size_t n);

#endif
