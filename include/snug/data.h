/* Data: arrays in memory, and sources whose rows are read where they are needed. */
#ifndef SNUG_DATA_H
#define SNUG_DATA_H

#include <stdbool.h>

#include "snug/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array, row-major without gaps; shape[0] counts the samples.  In memory it is read in place,
 * never copied whole, and converted where its dtype is not the model's. */
typedef struct snug_array {
  const void *data; /* aligned for its dtype; NULL: a source has the rows */
  snug_dtype dtype;
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
} snug_array;

/* ---- sources ---- */

#define SNUG_ROWS_UNKNOWN INT64_C(-1)
#define SNUG_NOT_TRAINING UINT64_MAX
#define SNUG_WHY_BYTES 512

/* Rows that are read one at a time into memory of the caller's.  All but restart is called from
 * threads of Snug's, several at a time, unless in_order is set. */
typedef struct snug_source {
  const char *name; /* begins messages, such as the path of a file; NULL: none */
  void *user;
  int64_t rows;   /* SNUG_ROWS_UNKNOWN: as many as read gives; a fit then needs steps_per_epoch, and
                     goes over them again and again */
  bool in_order;  /* row 0 is asked for first, then 1, 2, ..., by one thread: a stream */
  size_t scratch; /* bytes that each thread has for read; zeroed before the first call */
  /* Begin again with row 0, on the same scratch; `pass` as in read.  Of sources in order alone, and
   * called before the first row, too.  NULL: they can be read once. */
  snug_status (*restart)(void *user, void *scratch, uint64_t pass, char *why);
  /* Write row `row` to to[k] for each array of the snug_data: x, then y, then sample_weight.  A
   * sample has the dtype and shape of its array; a NULL is to be left out.  pass counts the passes
   * over the data, so that each can have other samples made of the same rows; it is
   * SNUG_NOT_TRAINING in validation, evaluate and predict.  Fails: E_STOPPED where there is no such
   * row and their number is unknown; any other failure ends the run, or leaves out the row.  `why`
   * has room for SNUG_WHY_BYTES and gets the message. */
  snug_status (*read)(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                      char *why);
  /* Rows are wanted no more: a read that waits for something shall return.  May be NULL. */
  void (*cancel)(void *user);
  /* How it is read. */
  int32_t workers;  /* threads; 0: up to as many as compute, by who waits; below 0: none, the thread
                       of the step reads */
  int32_t prefetch; /* batches ready ahead; 0: up to 4 that fit in an eighth of the line, by who
                       waits */
  int64_t window;   /* bytes to shuffle in, where rows come in order; 0: 64 MiB, or half of that,
                       a quarter, ..., within an eighth of the line */
  bool skip_bad;    /* the row behind takes the place of one that cannot be read or is refused; not
                       where rows come in order */
} snug_source;

/* clang-format off */
#define SNUG_SOURCE_DEFAULT {NULL, NULL, 0, false, 0, NULL, NULL, NULL, 0, 0, 0, false}
/* clang-format on */

/* ---- data ---- */

/* A function that changes samples on their way: sample[k] is in the dtype and shape of array k, as
 * snug_source.read has them, and NULL where it is not wanted.  row and pass as there: what is
 * random is to be made of them alone, so that it does not depend on who calls when.  Called from
 * threads of Snug's, several at a time.  Fails: with a message in `why`, as read does. */
typedef snug_status snug_map(void *user, int64_t row, uint64_t pass, void *const *sample,
                             char *why);

typedef struct snug_data {
  const snug_array *x; /* one per input, in the order the inputs were added */
  int32_t n_x;
  const snug_array *y; /* one per output; NULL for predict */
  int32_t n_y;
  const snug_array *sample_weight; /* one weight per sample, or NULL */
  const snug_source *source;       /* of the arrays that have no data; NULL: all have */
  snug_map *map;                   /* applied to every sample; NULL: none */
  void *map_user;
} snug_data;

/* What reading took, in bytes that are part of snug_memory_report.data, and how it went. */
typedef struct snug_data_report {
  uint64_t held;    /* arrays in counted memory, indexes */
  uint64_t batches; /* that are ready ahead */
  uint64_t window;  /* to shuffle in */
  uint64_t workers; /* stacks and scratch of the threads */
  int32_t n_workers, prefetch;
  double waited;          /* seconds in which steps had no data; 0 in a plan */
  double copied;          /* in which they were copied to where steps read them; too */
  int64_t window_samples; /* that the order is drawn from; 0: from all, or it is that of the data */
  bool window_cut;        /* by the line: without it there would be more, and another order */
  int64_t skipped;        /* rows that were left out */
  char first_skipped[SNUG_WHY_BYTES]; /* why the first of them was */
} snug_data_report;

#ifdef __cplusplus
}
#endif
#endif
