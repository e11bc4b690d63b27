/* The inside of a pipe: slots, workers, the window. */
#ifndef SNUG_DATA_PIPE_PARTS_H
#define SNUG_DATA_PIPE_PARTS_H

#include <pthread.h>

#include "base/size.h"
#include "data/pipe.h"

#define SNUG__SLOT_ALIGN 64 /* a line of the cache: workers do not write to one and the same */

/* Bytes of array k of a sample, 0 if it is not read; of all of them; and of array k in a slot. */
static inline size_t snug__intake_row(const snug__intake *in, int32_t k) {
  return in->arrays[k].data ? 0 : snug__array_row_bytes(&in->arrays[k]);
}

static inline size_t snug__intake_sample(const snug__intake *in) {
  size_t sum = 0;
  for (int32_t k = 0; k < in->n; k++) {
    sum += snug__intake_row(in, k);
  }
  return sum;
}

static inline size_t snug__intake_part(const snug__intake *in, int32_t k) {
  return (size_t)snug__round_up((int64_t)snug__intake_row(in, k) * in->batch, SNUG__SLOT_ALIGN);
}

/* A place for a batch. */
typedef struct snug__batch_slot {
  int64_t batch, rows;
  int64_t given, done; /* rows that a worker has taken on, and that are over */
  int64_t bad;         /* the first that failed; `rows`: none did */
  snug_status failure;
  char why[SNUG_WHY_BYTES];
  int64_t skipped, first_skipped; /* rows that were left out; the first of them */
  char why_skipped[SNUG_WHY_BYTES];
  int64_t *row;
  char *memory;
} snug__batch_slot;

/* Samples of a source in order that wait for their turn, all arrays of one after the other. */
typedef struct snug__window {
  char *memory;
  int64_t *row;
  int64_t most, filled; /* samples; most 0: each is handed on at once */
  size_t sample;        /* bytes of one */
  bool ended;           /* nobody knew how many rows there are, and there are no more */
  int64_t next;         /* row of the source */
  int64_t position;     /* in the pass, of the next one that is handed out */
  snug_status failure;  /* that ended it; told for every sample from there on */
  char why[SNUG_WHY_BYTES];
} snug__window;

typedef struct snug__pipe_worker {
  struct snug__pipe *pipe;
  pthread_t thread;
  bool is_running;
  char *stack, *scratch;
  void **to;    /* per array */
  char **place; /* per array, where the consumer finds the batch that it took; of worker 0 */
} snug__pipe_worker;

/* Who waits, the step or the data; and what follows from it. */
typedef struct snug__reading_pace {
  int32_t active;   /* workers that may read: the first so many */
  int32_t depth;    /* batches that may be read ahead */
  int32_t calm;     /* batches in a row that were there when they were wanted */
  int32_t patience; /* so many of them let one worker or one batch less do */
  bool rested;      /* since a batch was missing, all slots were full once */
  int64_t warm;     /* the first batch of the pass that can be expected to be there */
} snug__reading_pace;

struct snug__pipe {
  snug_ctx *ctx;
  void *memory;
  size_t bytes;
  snug_data_report sizes;
  snug__pipe_worker *workers;
  snug__batch_slot *slots;
  int32_t n_workers; /* threads; 0: whoever takes a batch reads it, with the first one's memory */
  int32_t n_slots;
  bool adapts_workers, adapts_depth; /* how many are active, how deep it is, by who waits */
  snug__window window;
  /* What is read now. */
  const snug__intake *intake;
  snug__pass pass;
  snug__shuffle order;
  /* With the mutex. */
  pthread_mutex_t mutex;
  pthread_cond_t has_work, has_batch, is_called; /* the last: of workers that are not active */
  int64_t head;                                  /* the batch that is taken next */
  int64_t opened;                                /* the first from there on that has no slot */
  int64_t fill;             /* the first that may have rows nobody has taken on */
  int64_t end;              /* behind the last */
  int32_t busy;             /* workers that read */
  snug__batch_slot **ring;  /* slots of batches, by their number modulo n_slots */
  snug__batch_slot **spare; /* slots of none: the one that was used last is used next, so those */
  int32_t n_spare;          /* that are not needed are never touched */
  snug__reading_pace pace;
  bool is_closing;
  int64_t skipped;
  char first_skipped[SNUG_WHY_BYTES];
};

/* Of a worker, with what the C library keeps for a thread.  The lowest part of it cannot be touched
 * while the thread runs: a stack that is too small ends the process, and spoils no data. */
#define SNUG__PIPE_STACK (128u << 10)
#define SNUG__PIPE_GUARD 4096u

#define SNUG__PATIENCE 16 /* to begin with */

/* In pipe_size.c: choose the numbers of threads and batches, take the memory for all and give it to
 * the parts.  Fails as snug__pipe_open. */
snug_status snug__pipe_take_memory(snug__pipe *p, const snug__intake *const *intakes, int32_t n,
                                   uint64_t share) SNUG_NODISCARD;

/* In pipe_pace.c, with the mutex: a batch is wanted, and was there or not. */
void snug__pace_note(snug__pipe *p, bool was_there);

/* In pipe_read.c: let w->to be the place of row i of a slot; read that row, as the order says. */
void snug__pipe_aim(const snug__pipe *p, const snug__pipe_worker *w, const snug__batch_slot *slot,
                    int64_t i);
void snug__pipe_read(snug__pipe *p, const snug__pipe_worker *w, snug__batch_slot *slot, int64_t i);

/* One row with all its checks, into w->to.  Fails: as snug_source.read and snug__sample_check. */
snug_status snug__pipe_read_row(const snug__pipe *p, const snug__pipe_worker *w, int64_t row,
                                char *why) SNUG_NODISCARD;

/* In window.c, for sources in order: go to a position of a pass from its beginning; then the next
 * sample goes to w->to.  A failure of the first is told by the second. */
void snug__window_start(snug__pipe *p, const snug__pipe_worker *w, int64_t position);
snug_status snug__window_next(snug__pipe *p, const snug__pipe_worker *w, int64_t *row,
                              char *why) SNUG_NODISCARD;

#endif
