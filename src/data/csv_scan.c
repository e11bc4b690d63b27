/* Looking through a CSV file: its columns, their kinds, the classes of its label, and where rows
 * begin. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/stream.h"

#define BUFFER_BYTES (2 * SNUG__CSV_ROW_BYTES)
#define MOST_COLUMNS 65536
#define NAME_BYTES 256

/* A walk over the file. */
typedef struct scan {
  snug__csv *c;
  char *buffer;
  size_t filled;
  int64_t offset; /* of the buffer in the file */
  int64_t line;   /* of the row at hand, from 1 */
  bool has_begun; /* the first line is over */
  bool collects;  /* the classes of a label of texts; all else is known */
} scan;

static snug_status fail_line(const scan *s, const char *what, long long a, long long b) {
  char text[SNUG_WHY_BYTES];
  snprintf(text, sizeof text, what, a, b);
  return snug__fail(s->c->ctx, SNUG_E_FORMAT, "%s: line %lld: %s", snug__path_shown(s->c->path),
                    (long long)s->line, text);
}

static snug__csv_column *column_at(const snug__csv *c, size_t i) {
  return &SNUG_VEC(&c->columns, snug__csv_column, i);
}

/* ---- the first line ---- */

static snug_status add_column(scan *s, const snug__csv_field *f, bool is_name) {
  snug__csv_column column = {.kind = SNUG__CSV_EMPTY};
  char name[NAME_BYTES];
  if (is_name) {
    snug__csv_text(f, name, sizeof name);
  } else {
    snprintf(name, sizeof name, "%zu", s->c->columns.n);
  }
  SNUG_TRY(snug__arena_text(s->c->arena, name, &column.name));
  return snug__vec_push(&s->c->columns, &column, 1);
}

/* A line with a text in it has the names; one of numbers alone is a row already. */
static snug_status has_names(const scan *s, snug__csv_row row, bool *out) {
  snug__csv_field f;
  bool is_bad;
  *out = false;
  while (snug__csv_next(&row, &f, &is_bad)) {
    if (is_bad) {
      SNUG_TRY(fail_line(s, "a text stands behind a closing quote", 0, 0));
    }
    *out = *out || snug__csv_kind_of(&f) == SNUG__CSV_TEXT;
  }
  return SNUG_OK;
}

static snug_status add_columns(scan *s, snug__csv_row row, bool *are_names) {
  snug__csv_field f;
  bool is_bad;
  SNUG_TRY(has_names(s, row, are_names));
  while (snug__csv_next(&row, &f, &is_bad)) {
    SNUG_TRY(add_column(s, &f, *are_names));
  }
  return SNUG_OK;
}

static int32_t find_column(const snug__csv *c, const char *name) {
  for (size_t i = 0; i < c->columns.n; i++) {
    if (strcmp(column_at(c, i)->name, name) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}

static snug_status find_label(snug__csv *c, const char *label) {
  static const char *const usual[] = {"label", "labels", "y", "target", "class"};
  c->label = label ? find_column(c, label) : -1;
  if (label && c->label < 0) {
    return snug__fail(c->ctx, SNUG_E_ARGUMENT,
                      "%s: has no column \"%.60s\"; its first is \"%.60s\", its last \"%.60s\"",
                      snug__path_shown(c->path), label, column_at(c, 0)->name,
                      column_at(c, c->columns.n - 1)->name);
  }
  for (size_t i = 0; c->label < 0 && i < SNUG_COUNT(usual); i++) {
    c->label = find_column(c, usual[i]);
  }
  return SNUG_OK;
}

/* ---- rows ---- */

/* Why a column has no numbers, told when it is wanted. */
static snug_status note_why(scan *s, snug__csv_column *column, const snug__csv_field *f) {
  char text[64];
  char why[SNUG_WHY_BYTES];
  if (column->why) {
    return SNUG_OK;
  }
  snug__csv_text(f, text, sizeof text);
  if (f->n == 0) {
    snprintf(why, sizeof why,
             "%s: line %lld: column \"%.60s\" is empty; fill it in, or leave out the line",
             snug__path_shown(s->c->path), (long long)s->line, column->name);
  } else {
    snprintf(why, sizeof why,
             "%s: line %lld: column \"%.60s\" has the text \"%s\"; put a number in its place, or "
             "leave out the column",
             snug__path_shown(s->c->path), (long long)s->line, column->name, text);
  }
  return snug__arena_text(s->c->arena, why, &column->why);
}

static snug_status look_at_field(scan *s, size_t i, const snug__csv_field *f) {
  snug__csv_column *column = column_at(s->c, i);
  snug__csv_kind kind = snug__csv_kind_of(f);
  bool is_label = (int32_t)i == s->c->label;
  if (s->collects) {
    return is_label ? snug__csv_add_class(s->c, f) : SNUG_OK;
  }
  column->kind = kind > column->kind ? kind : column->kind;
  bool is_bad = kind == SNUG__CSV_EMPTY || (kind == SNUG__CSV_TEXT && !is_label);
  return is_bad ? note_why(s, column, f) : SNUG_OK;
}

static snug_status look_at_fields(scan *s, snug__csv_row row) {
  snug__csv_field f;
  bool is_bad;
  size_t n = 0;
  for (; snug__csv_next(&row, &f, &is_bad); n++) {
    if (is_bad) {
      SNUG_TRY(fail_line(s, "a text stands behind a closing quote", 0, 0));
    }
    if (n < s->c->columns.n) {
      SNUG_TRY(look_at_field(s, n, &f));
    }
  }
  return n == s->c->columns.n ? SNUG_OK
                              : fail_line(s, "has %lld fields, the first line has %lld",
                                          (long long)n, (long long)s->c->columns.n);
}

/* Where a row begins, if that is to be remembered; when there are too many places, every other one
 * will do. */
static snug_status mark(snug__csv *c, int64_t offset) {
  int64_t *marks = c->marks.data;
  if (c->rows % c->step != 0) {
    return SNUG_OK;
  }
  if (c->marks.n == SNUG__CSV_MARKS) {
    for (size_t i = 0; i < SNUG__CSV_MARKS / 2; i++) {
      marks[i] = marks[2 * i];
    }
    c->marks.n = SNUG__CSV_MARKS / 2;
    c->step *= 2;
  }
  return snug__vec_push(&c->marks, &offset, 1);
}

static int64_t count_lines(const char *at, const char *end) {
  int64_t n = 0;
  for (; (at = memchr(at, '\n', (size_t)(end - at))); at++) {
    n++;
  }
  return n;
}

static snug_status look_at_first(scan *s, snug__csv_row row, const char *label) {
  s->has_begun = true;
  if (s->collects) {
    return SNUG_OK;
  }
  SNUG_TRY(add_columns(s, row, &s->c->has_names));
  return find_label(s->c, label);
}

/* What the first line is decides whether it is a row as well. */
static snug_status look_at_row(scan *s, const char *at, const char *end, const char *label) {
  snug__csv_row row = snug__csv_row_of(at, end, s->c->separator);
  bool is_first = !s->has_begun;
  if (row.at == row.end) {
    return SNUG_OK; /* an empty line */
  }
  if (is_first) {
    SNUG_TRY(look_at_first(s, row, label));
  }
  if (is_first && s->c->has_names) {
    return SNUG_OK;
  }
  if (!s->collects) {
    SNUG_TRY(mark(s->c, s->offset + (at - s->buffer)));
    s->c->rows++;
  }
  return look_at_fields(s, row);
}

/* ---- the file ---- */

static snug_status fill(scan *s) {
  char why[SNUG_WHY_BYTES];
  int64_t at = s->offset + (int64_t)s->filled;
  size_t n = (size_t)snug__min_i64((int64_t)(BUFFER_BYTES - s->filled), s->c->file.size - at);
  snug_status status = snug__rows_file_read(&s->c->file, s->buffer + s->filled, n, at, why);
  if (status) {
    return snug__fail(s->c->ctx, status, "%s: %s", snug__path_shown(s->c->path), why);
  }
  if (memchr(s->buffer + s->filled, '\0', n)) {
    return fail_line(s, "has a NUL byte behind it: this is no text", 0, 0);
  }
  s->filled += n;
  return SNUG_OK;
}

/* The rows that are whole in the buffer; what is left moves to its front. */
static snug_status look_at_buffer(scan *s, const char *label) {
  bool is_last = s->offset + (int64_t)s->filled == s->c->file.size;
  const char *at = s->buffer;
  const char *end = s->buffer + s->filled;
  const char *next = NULL;
  while (at < end && (next = snug__csv_row_end(at, end, is_last))) {
    if (next - at > SNUG__CSV_ROW_BYTES) {
      SNUG_TRY(fail_line(s, "is longer than %lld bytes", SNUG__CSV_ROW_BYTES, 0));
    }
    SNUG_TRY(look_at_row(s, at, next, label));
    s->line += count_lines(at, next);
    at = next;
  }
  if (at < end && (is_last || end - at > SNUG__CSV_ROW_BYTES)) {
    return fail_line(s, "does not end: a quote in it is not closed", 0, 0);
  }
  s->offset += at - s->buffer;
  s->filled = (size_t)(end - at);
  memmove(s->buffer, at, s->filled);
  return SNUG_OK;
}

static snug_status look_through(scan *s, const char *label) {
  do {
    SNUG_TRY(fill(s));
    if (s->offset == 0 && s->filled >= 3 && memcmp(s->buffer, "\xEF\xBB\xBF", 3) == 0) {
      memmove(s->buffer, s->buffer + 3, s->filled - 3); /* a byte order mark */
      s->filled -= 3;
      s->offset = 3;
    }
    SNUG_TRY(look_at_buffer(s, label));
  } while (s->offset + (int64_t)s->filled < s->c->file.size);
  s->c->end = s->c->file.size;
  return s->c->rows ? SNUG_OK
                    : snug__fail(s->c->ctx, SNUG_E_FORMAT, "%s: has no rows",
                                 snug__path_shown(s->c->path));
}

/* ---- after all rows ---- */

static void find_block(snug__csv *c) {
  const int64_t *marks = c->marks.data;
  for (size_t i = 0; i < c->marks.n; i++) {
    int64_t end = i + 1 < c->marks.n ? marks[i + 1] : c->end;
    c->block = (size_t)snug__max_i64((int64_t)c->block, end - marks[i]);
  }
}

/* A label of texts is looked through once more, so that one of numbers costs nothing. */
static snug_status find_classes(scan *s) {
  snug__csv *c = s->c;
  if (c->label < 0 || column_at(c, (size_t)c->label)->kind != SNUG__CSV_TEXT) {
    return SNUG_OK;
  }
  *s = (scan){.c = c, .buffer = s->buffer, .line = 1, .collects = true};
  SNUG_TRY(look_through(s, NULL));
  return snug__csv_number_classes(c);
}

static snug_status scan_all(snug__csv *c, const char *label) {
  scan s = {.c = c, .line = 1};
  SNUG_TRY(SNUG_NEW_ARRAY(c->ctx, SNUG__MEM_SCRATCH, BUFFER_BYTES, &s.buffer));
  snug_status status = look_through(&s, label);
  status = status ? status : find_classes(&s);
  SNUG_GIVE_ARRAY(c->ctx, SNUG__MEM_SCRATCH, s.buffer, BUFFER_BYTES);
  find_block(c);
  return status;
}

static snug_status open_file(snug__csv *c) {
  int fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  c->file.fd = fd;
  return fd < 0 || snug__rows_file_note(&c->file, fd) ? snug__path_unreadable(c->ctx, c->path)
                                                      : SNUG_OK;
}

snug_status snug__csv_open(snug__csv *c, snug_ctx *ctx, snug__arena *arena, const char *path,
                           const char *label) {
  *c = (snug__csv){.ctx = ctx, .path = path, .arena = arena, .label = -1, .step = 1};
  c->file.fd = -1;
  c->separator = snug__ends_in(path, ".tsv") ? '\t' : ',';
  snug__vec_init(&c->columns, ctx, SNUG__MEM_DATA, sizeof(snug__csv_column), MOST_COLUMNS);
  snug__vec_init(&c->names, ctx, SNUG__MEM_DATA, sizeof(const char *), SNUG__CSV_CLASSES);
  snug__vec_init(&c->marks, ctx, SNUG__MEM_DATA, sizeof(int64_t), SNUG__CSV_MARKS);
  snug__map_init(&c->classes, ctx, SNUG__MEM_DATA);
  SNUG_TRY(open_file(c));
  return scan_all(c, label);
}

void snug__csv_release(snug__csv *c) {
  if (c->file.fd >= 0) {
    close(c->file.fd);
  }
  snug__map_release(&c->classes);
  snug__vec_release(&c->marks);
  snug__vec_release(&c->names);
  snug__vec_release(&c->columns);
}
