/* Packing problems as CSV: a header with the columns id, lower, upper, size and optionally
 * alignment and hint, in any order; other columns pass through.  Fields may stand in double quotes;
 * lines end in LF or CRLF; empty lines are skipped. */
#ifndef SNUG_CLI_CSV_PACK_H
#define SNUG_CLI_CSV_PACK_H

#include "room.h"

typedef enum csv_column {
  CSV_ID,
  CSV_LOWER,
  CSV_UPPER,
  CSV_SIZE,
  CSV_ALIGNMENT,
  CSV_HINT,
  CSV_OFFSET,
  CSV_COLUMNS
} csv_column;

typedef struct csv_slice {
  const char *text;
  size_t n;
} csv_slice;

typedef struct csv_problem {
  snug_pack_item *items;
  csv_slice *lines; /* of the items, without their ends */
  size_t n;
  csv_slice header;
  int place[CSV_COLUMNS]; /* of a column in the line; -1: not there */
  int n_columns;
  char *text; /* the file */
} csv_problem;

/* Read a problem, if there is room for it; release is due in any case.  Reports file, line and
 * value; returns 0 or an exit code. */
int csv_problem_read(csv_problem *p, const char *path, const cli_room *room);
void csv_problem_release(csv_problem *p);

/* Write the lines as they were, with the column offset added (or replaced). */
void csv_problem_write(const csv_problem *p, const int64_t *offsets, FILE *out);

/* The id of an item, quotes around it left out. */
csv_slice csv_problem_id(const csv_problem *p, size_t item);

#endif
