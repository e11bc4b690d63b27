/* CSV files: a line per sample, numbers between commas, names in the first line.
 *
 * A file is looked through once, when it is opened: how many rows there are, what the columns hold,
 * and where every n-th row begins.  Then any row is read with one pread and a few lines to
 * skip.
 *
 * As arrays it has "x", all columns but the label side by side; "y", the label; and each column
 * under its own name. */
#ifndef SNUG_DATA_CSV_H
#define SNUG_DATA_CSV_H

#include "base/map.h"
#include "base/vec.h"
#include "data/rows.h"

#define SNUG__CSV_ROW_BYTES (256 << 10) /* of the longest row */
#define SNUG__CSV_CLASSES 65536         /* texts of a label are fewer */
#define SNUG__CSV_MARKS 65536           /* places of rows that are remembered at most */

/* ---- text ---- */

/* The end of the row that begins at `at`: behind its line break, or `end` if the text ends with it.
 * NULL: the row continues after the text.  Line breaks in quotes do not end a row. */
const char *snug__csv_row_end(const char *at, const char *end, bool is_last);

/* A row without its line break, whose fields are taken one by one. */
typedef struct snug__csv_row {
  const char *at, *end; /* at NULL: there are no more */
  char separator;
} snug__csv_row;

snug__csv_row snug__csv_row_of(const char *at, const char *end, char separator);

/* A field: what stands between separators or quotes, blanks around it left out. */
typedef struct snug__csv_field {
  const char *text;
  size_t n;
  bool is_quoted; /* doubled quotes in it stand for one */
} snug__csv_field;

/* false: there is no further one.  *is_bad: text stands behind a closing quote. */
bool snug__csv_next(snug__csv_row *row, snug__csv_field *out, bool *is_bad);

/* The text of a field with its NUL, quotes undone, cut to fit. */
void snug__csv_text(const snug__csv_field *f, char *out, size_t bytes);

/* What a field holds. */
typedef enum snug__csv_kind {
  SNUG__CSV_EMPTY,
  SNUG__CSV_WHOLE,
  SNUG__CSV_REAL,
  SNUG__CSV_TEXT
} snug__csv_kind;
snug__csv_kind snug__csv_kind_of(const snug__csv_field *f);

/* ---- files ---- */

typedef struct snug__csv_column {
  const char *name;
  snug__csv_kind kind; /* the widest of its fields */
  const char *why;     /* why it has no numbers; NULL: it has */
} snug__csv_column;

typedef struct snug__csv {
  snug_ctx *ctx;
  const char *path;
  snug__rows_file file;
  snug__arena *arena;
  char separator;
  snug__vec columns;   /* snug__csv_column */
  bool has_names;      /* the first line has the names of the columns */
  int32_t label;       /* column; -1: none */
  snug_dtype features; /* of "x": int64 if all of its columns are whole */
  snug__map classes;   /* of a label of texts: their numbers, in the order of the alphabet */
  snug__vec names;     /* const char *, of the classes */
  snug__vec marks;     /* int64_t: where every step-th row begins */
  int64_t step, rows, end;
  size_t block; /* bytes between two marks at most */
} snug__csv;

/* Open a file and look through it.  label: the name of that column; NULL: one that is called so
 * (label, labels, y, target, class), if there is one.  Must be released in any case; fd stays open
 * until then.  Fails: E_IO, E_FORMAT naming file and line, E_ARGUMENT (no such column), E_MEMORY.
 */
snug_status snug__csv_open(snug__csv *c, snug_ctx *ctx, snug__arena *arena, const char *path,
                           const char *label) SNUG_NODISCARD;
void snug__csv_release(snug__csv *c);

/* In csv_classes.c, for that: a text of the label, and after all of them their numbers, in the
 * order of the alphabet.  Fails: E_FORMAT (too many of them), E_MEMORY, E_LIMIT. */
snug_status snug__csv_add_class(snug__csv *c, const snug__csv_field *f) SNUG_NODISCARD;
snug_status snug__csv_number_classes(snug__csv *c) SNUG_NODISCARD;

/* The fields of its source: x, y, and the columns. */
#define SNUG__CSV_X 0
#define SNUG__CSV_Y 1
#define SNUG__CSV_COLUMNS 2

/* What a field of the source is; rank 0: it cannot be read, and *why tells. */
snug_array snug__csv_array(const snug__csv *c, int32_t field, const char **why);

/* The source; *c must stay. */
snug_source snug__csv_source(snug__csv *c);

#endif
