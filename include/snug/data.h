/* Data: arrays in memory, and sources whose rows are read on demand. */
#ifndef SNUG_DATA_H
#define SNUG_DATA_H

#include <stdbool.h>

#include "snug/struct_size.h"
#include "snug/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array, row-major without gaps; shape[0] counts the samples.  Data in memory is read in place,
 * never copied as a whole, and converted if its dtype differs from the model's. */
typedef struct snug_array {
  const void *data; /* aligned for its dtype; NULL: the rows come from a source */
  snug_dtype dtype;
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
} snug_array;

/* ---- sources ---- */

#define SNUG_ROWS_UNKNOWN INT64_C(-1)
#define SNUG_NOT_TRAINING UINT64_MAX
#define SNUG_WHY_BYTES 512

/* Rows that are read one at a time into memory of the caller.  Snug calls all functions but restart
 * from its own threads, several at a time unless in_order is set. */
typedef struct snug_source {
  size_t struct_size;
  const char *name; /* prefix of messages, such as the path of a file; NULL: none */
  void *user;
  int64_t rows;  /* SNUG_ROWS_UNKNOWN: until read reports the end; a fit then needs steps_per_epoch,
                    and repeats the rows */
  bool in_order; /* one thread reads row 0, 1, 2, ...: a stream */
  size_t scratch; /* bytes per thread for read; zeroed before the first call */
  /* Restart at row 0, on the same scratch; `pass` as in read.  Only for sources with in_order; also
   * called before the first row.  NULL: the source can be read once. */
  snug_status (*restart)(void *user, void *scratch, uint64_t pass, char *why);
  /* Write row `row` to to[k] for each array of the snug_data: x, then y, then sample_weight.  A
   * sample has the dtype and shape of its array; skip entries that are NULL. pass counts the passes
   * over the data, so that each pass can derive different samples from the same rows; it is
   * SNUG_NOT_TRAINING in validation, evaluate and predict.  Fails: E_STOPPED past the last row, if
   * the number of rows is unknown; any other failure ends the run, or skips the row (skip_bad).
   * Write the message to `why`, which has SNUG_WHY_BYTES. */
  snug_status (*read)(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                      char *why);
  /* No more rows are needed: a read that blocks must return.  May be NULL. */
  void (*cancel)(void *user);
  /* How it is read. */
  int32_t workers;  /* threads; 0: up to the number of compute threads, adapted while running; below
                       0: none, the thread of the step reads */
  int32_t prefetch; /* batches read ahead; 0: up to 4 that fit in an eighth of the line, adapted
                       while running */
  int64_t window; /* bytes of the shuffle buffer, if rows come in order; 0: 64 MiB, halved until it
                     is within an eighth of the line */
  bool skip_bad;  /* use the next row in place of one that cannot be read or is invalid; not with
                     in_order */
} snug_source;

/* ---- data ---- */

/* A function that changes samples before batching: sample[k] has the dtype and shape of array k, as
 * in snug_source.read, and is NULL if it is not needed. row and pass as there: derive random
 * numbers from these two only, so that results do not depend on thread timing.  Called from several
 * of Snug's threads at a time.  Fails: with a message in `why`, as read does. */
typedef snug_status snug_map(void *user, int64_t row, uint64_t pass, void *const *sample,
                             char *why);

typedef struct snug_data {
  size_t struct_size;
  const snug_array *x; /* one per input, in the order the inputs were added */
  int32_t n_x;
  const snug_array *y; /* one per output; NULL for predict */
  int32_t n_y;
  const snug_array *sample_weight; /* one weight per sample, or NULL */
  const snug_source *source;       /* rows of the arrays whose data is NULL; NULL: there are none */
  snug_map *map;                   /* applied to every sample; NULL: none */
  void *map_user;
} snug_data;

/* Memory and timing of the data pipeline.  The bytes are part of snug_memory_report.data. */
typedef struct snug_data_report {
  size_t struct_size;
  uint64_t held;    /* arrays held in memory, indexes */
  uint64_t batches; /* that are ready ahead */
  uint64_t window;  /* to shuffle in */
  uint64_t workers; /* stacks and scratch of the threads */
  int32_t n_workers, prefetch;
  double waited;          /* seconds that steps waited for data; 0 in a plan */
  double copied;          /* seconds spent copying data into the inputs of steps */
  int64_t window_samples; /* samples in the shuffle buffer; 0: the whole data set is shuffled, or
                             none of it */
  bool window_cut;        /* the line reduced the window, which changes the order */
  int64_t skipped;        /* rows that were left out */
  char first_skipped[SNUG_WHY_BYTES]; /* why the first of them was */
} snug_data_report;

#ifdef __cplusplus
}
#endif
#endif
