/* The pipe: rows of a source come into a ring of batches, read ahead by threads of its own.
 *
 * Invariants:
 * 1. Nothing is allocated between open and close.  All memory, the stacks of the threads included,
 *    comes from the account under SNUG__MEM_DATA, and is there when open returns.
 * 2. What a batch holds depends on the seed, the pass and its number alone: a row is read into the
 *    place that its position in the order has, whoever reads it.
 * 3. A failure is reported when its batch is taken, and of several in a batch the one of the first
 *    position. */
#ifndef SNUG_DATA_PIPE_H
#define SNUG_DATA_PIPE_H

#include "data/arrays.h"
#include "data/shuffle.h"

/* Rows that pass through a pipe: a source and what is made of them. */
typedef struct snug__intake {
  const snug_source *source;
  snug_array *arrays; /* one per place of snug_source.read; those with data are not read */
  snug__demand *demands;
  int32_t n;
  int64_t first, rows; /* the part of the source; rows < 0: as many as there are */
  int64_t batch;
  bool shuffled;
  int64_t window; /* samples to shuffle in, where they come in order; 0: as many as there is room */
  uint64_t seed;
} snug__intake;

/* A pass over an intake. */
typedef struct snug__pass {
  uint64_t number; /* as snug_source.read has it; each has its own order */
  int64_t batch;   /* the first that is wanted */
} snug__pass;

/* A batch that is there: row i of array k is at at[k] + i * the bytes of a row. */
typedef struct snug__ready {
  const int64_t *row; /* which row of the source each is */
  char *const *at;    /* NULL for arrays that are not read */
} snug__ready;

typedef struct snug__pipe snug__pipe;

/* Open a pipe for intakes that take turns; each must stay until it is closed.  share: bytes that
 * what is chosen here may take (0: no bound).  Owns: *out is the caller's.  Fails: E_MEMORY,
 * E_LIMIT, E_OVERFLOW. */
snug_status snug__pipe_open(snug_ctx *ctx, const snug__intake *const *intakes, int32_t n,
                            uint64_t share, snug__pipe **out) SNUG_NODISCARD;
void snug__pipe_close(snug__pipe *p);

/* Begin a pass over an intake, unless the pipe is at that batch of that pass already.  What was
 * read ahead of another one is lost. */
void snug__pipe_start(snug__pipe *p, const snug__intake *intake, const snug__pass *pass);

/* Wait for the next batch; the pipe has it until it is given back.  Fails: the failure of a row,
 * with the source's name before its message. */
snug_status snug__pipe_take(snug__pipe *p, snug__ready *out) SNUG_NODISCARD;
void snug__pipe_give(snug__pipe *p);

/* Samples that the order of a source in order is drawn from; 0: from all, or it is its own. */
int64_t snug__pipe_window(const snug__pipe *p);

/* Add the bytes, and what was skipped, to a report. */
void snug__pipe_report(const snug__pipe *p, snug_data_report *out);

#endif
