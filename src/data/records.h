/* Records: samples of a fixed number of bytes one after the other, so that any program can write
 * data, into a file or straight into standard input.
 *
 *   snug-records 1
 *   x float32 28 28
 *   y int64
 *   rows 60000
 *
 * Lines of text say what a record is made of: a name, a dtype, the shape of one sample.  "rows" is
 * their number, and may be missing.  An empty line ends them.  Then come the records: the arrays in
 * that order, row-major, low bytes first, nothing between them. */
#ifndef SNUG_DATA_RECORDS_H
#define SNUG_DATA_RECORDS_H

#include <stdatomic.h>

#include "base/vec.h"
#include "data/rows.h"

#define SNUG__RECORDS_MAGIC "snug-records 1\n"
#define SNUG__STANDARD_INPUT "-"

typedef struct snug__record_field {
  const char *name;
  snug_array array; /* shape[0] is the number of rows, 0 if it is unknown */
  size_t at, bytes; /* in a record */
} snug__record_field;

typedef struct snug__records {
  snug_ctx *ctx;
  const char *path;
  snug__rows_file file;
  bool is_file;     /* any record can be read at any time */
  bool is_input;    /* it is standard input */
  bool has_told;    /* that it waits */
  snug__vec fields; /* snug__record_field */
  int64_t rows;     /* SNUG_ROWS_UNKNOWN: unknown */
  int64_t start;    /* of the first record in the file */
  int64_t next;     /* of a stream: the record that comes next */
  size_t bytes;     /* of one */
  atomic_bool is_cancelled;
} snug__records;

/* Open a file of records, or standard input if the path is "-", and read its head.  Must be
 * released in any case.  Fails: E_IO, E_FORMAT naming file and line, E_MEMORY. */
snug_status snug__records_open(snug__records *r, snug_ctx *ctx, snug__arena *arena,
                               const char *path) SNUG_NODISCARD;
void snug__records_release(snug__records *r);

/* The source, with a field for each array; *r must stay. */
snug_source snug__records_source(snug__records *r);

#endif
