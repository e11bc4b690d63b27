/* A source made of its row numbers: x is float32[3] of row, row + 0.25, row + 0.5; y is int32 of
 * row % 7. */
#ifndef SNUG_TESTS_PIPE_TOY_H
#define SNUG_TESTS_PIPE_TOY_H

#include "data/pipe.h"
#include "lib/test.h"

#define TOY_ROWS 53
#define TOY_BATCH 8
#define TOY_MOST_BAD 8

typedef struct toy {
  snug_source source;
  snug_array arrays[2];
  snug__demand demands[2];
  snug__intake intake;
  int64_t length;            /* rows until it ends, if their number is unknown */
  int64_t bad[TOY_MOST_BAD]; /* rows that cannot be read */
  int32_t n_bad;
  int64_t nan_row, label_row; /* rows with a NaN, and with the label 9; -1: none */
  int64_t next;               /* in order: the row that must be asked for */
  int32_t restarts;
  bool is_slow;  /* rows take a while, each another one */
  bool stumbles; /* few of them take long */
} toy;

void toy_make(toy *t);

/* One that is read from front to back. */
void toy_make_stream(toy *t);

/* The rows that a pass gives from a batch on, in their order; each sample is checked to be that
 * row.  Returns their number.  Fails as snug__pipe_take; *n is what was there before. */
snug_status toy_pass(snug__pipe *p, const toy *t, const snug__pass *pass, int64_t batches,
                     int64_t *rows, int64_t *n);

/* Open a pipe for it alone. */
snug__pipe *toy_open(snug_ctx *ctx, toy *t, int32_t workers, int32_t prefetch);

#endif
