/* Lines stay slices of the file's text: nothing is copied, and what is written back is what was
 * read. */
#include "csv_pack.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 40 /* of a bad value, in a message */

static const char *const column_names[CSV_COLUMNS] = {"id",        "lower", "upper", "size",
                                                      "alignment", "hint",  "offset"};

/* A walk over the text of one file. */
typedef struct csv_reader {
  csv_problem *problem;
  const char *path;
  const char *at, *end;
  size_t line; /* of `at`, counted from 1 */
} csv_reader;

static csv_slice trim(csv_slice s) {
  while (s.n && isspace((unsigned char)s.text[0])) {
    s.text++;
    s.n--;
  }
  while (s.n && isspace((unsigned char)s.text[s.n - 1])) {
    s.n--;
  }
  return s;
}

static csv_slice unquote(csv_slice s) {
  s = trim(s);
  bool is_quoted = s.n >= 2 && s.text[0] == '"' && s.text[s.n - 1] == '"';
  return is_quoted ? (csv_slice){s.text + 1, s.n - 2} : s;
}

/* The end of the field that starts at text; separators inside quotes do not count. */
static const char *field_end(const char *text, const char *end, bool stop_at_comma) {
  bool is_inside = false;
  for (; text < end; text++) {
    if (*text == '"') {
      is_inside = !is_inside;
    } else if (!is_inside && (*text == '\n' || (stop_at_comma && *text == ','))) {
      break;
    }
  }
  return text;
}

/* Cut the next field off a line; false after the last one. */
static bool next_field(csv_slice *line, csv_slice *field) {
  if (!line->text) {
    return false;
  }
  const char *end = line->text + line->n;
  const char *stop = field_end(line->text, end, true);
  *field = (csv_slice){line->text, (size_t)(stop - line->text)};
  *line = stop < end ? (csv_slice){stop + 1, (size_t)(end - stop - 1)} : (csv_slice){NULL, 0};
  return true;
}

static bool next_line(csv_reader *r, csv_slice *line, size_t *number) {
  while (r->at < r->end) {
    const char *stop = field_end(r->at, r->end, false);
    *line = (csv_slice){r->at, (size_t)(stop - r->at)};
    *number = r->line;
    for (const char *c = r->at; c < stop; c++) {
      r->line += *c == '\n';
    }
    r->line++;
    r->at = stop < r->end ? stop + 1 : stop;
    if (line->n && line->text[line->n - 1] == '\r') {
      line->n--;
    }
    if (trim(*line).n) {
      return true;
    }
  }
  return false;
}

/* A bad value for a message: cut short, without control characters. */
static const char *show(csv_slice s, char *dst) {
  size_t n = s.n < SHOWN_BYTES ? s.n : SHOWN_BYTES;
  for (size_t i = 0; i < n; i++) {
    dst[i] = iscntrl((unsigned char)s.text[i]) ? '?' : s.text[i];
  }
  memcpy(dst + n, s.n > n ? "..." : "", s.n > n ? 4 : 1);
  return dst;
}

static int parse_number(const csv_reader *r, size_t number, csv_column column, csv_slice field,
                        int64_t *out) {
  char shown[SHOWN_BYTES + 4];
  char digits[128];
  char *end;
  csv_slice value = unquote(field);
  bool fits = value.n > 0 && value.n < sizeof digits && !isspace((unsigned char)value.text[0]);
  if (fits) {
    memcpy(digits, value.text, value.n);
    digits[value.n] = '\0';
    errno = 0;
    *out = strtoll(digits, &end, 10);
    fits = *end == '\0';
  }
  if (!fits || errno == ERANGE) {
    return cli_fail(CLI_FAILURE, "%s:%zu: %s is \"%s\", %s", r->path, number, column_names[column],
                    show(value, shown),
                    fits ? "which does not fit into 64 bits" : "not a whole number");
  }
  return CLI_OK;
}

static int find_column(csv_slice name) {
  for (int c = 0; c < CSV_COLUMNS; c++) {
    if (strlen(column_names[c]) == name.n && memcmp(column_names[c], name.text, name.n) == 0) {
      return c;
    }
  }
  return -1;
}

static int read_header(csv_reader *r) {
  csv_problem *p = r->problem;
  csv_slice field;
  size_t number;
  if (!next_line(r, &p->header, &number)) {
    return cli_fail(CLI_FAILURE, "%s: empty; a line with id,lower,upper,size is needed", r->path);
  }
  csv_slice line = p->header;
  while (next_field(&line, &field)) {
    int column = find_column(unquote(field));
    if (column >= 0 && p->place[column] >= 0) {
      return cli_fail(CLI_FAILURE, "%s:%zu: column %s occurs twice", r->path, number,
                      column_names[column]);
    }
    if (column >= 0) {
      p->place[column] = p->n_columns;
    }
    p->n_columns++;
  }
  for (int c = CSV_ID; c <= CSV_SIZE; c++) {
    if (p->place[c] < 0) {
      return cli_fail(CLI_FAILURE, "%s:%zu: column %s is missing; id,lower,upper,size are needed",
                      r->path, number, column_names[c]);
    }
  }
  return CLI_OK;
}

static int64_t *member(snug_pack_item *item, int column) {
  switch (column) {
    case CSV_LOWER:
      return &item->lower;
    case CSV_UPPER:
      return &item->upper;
    case CSV_SIZE:
      return &item->size;
    case CSV_ALIGNMENT:
      return &item->align;
    case CSV_HINT:
      return &item->hint;
    default:
      return NULL;
  }
}

static int check_item(const csv_reader *r, size_t number, const snug_pack_item *item) {
  if (item->lower >= item->upper) {
    return cli_fail(CLI_FAILURE, "%s:%zu: upper is %lld, not above lower, which is %lld", r->path,
                    number, (long long)item->upper, (long long)item->lower);
  }
  if (item->size < 0 || item->align < 1 || item->hint < -1) {
    bool is_size = item->size < 0;
    bool is_align = !is_size && item->align < 1;
    return cli_fail(CLI_FAILURE, "%s:%zu: %s is %lld; at least %d is allowed", r->path, number,
                    is_size    ? "size"
                    : is_align ? "alignment"
                               : "hint",
                    (long long)(is_size    ? item->size
                                : is_align ? item->align
                                           : item->hint),
                    is_size    ? 0
                    : is_align ? 1
                               : -1);
  }
  return CLI_OK;
}

/* Which column stands at a place of the line; -1: one of no meaning. */
static int column_at(const csv_problem *p, int place) {
  for (int c = 0; c < CSV_COLUMNS; c++) {
    if (p->place[c] == place) {
      return c;
    }
  }
  return -1;
}

static int read_item(const csv_reader *r, csv_slice line, size_t number, snug_pack_item *item) {
  csv_slice field;
  int place = 0;
  *item = (snug_pack_item){.align = 1, .hint = -1};
  for (; next_field(&line, &field); place++) {
    int column = column_at(r->problem, place);
    int64_t *out = member(item, column);
    bool is_left_out = column >= CSV_ALIGNMENT && unquote(field).n == 0;
    int code =
        out && !is_left_out ? parse_number(r, number, (csv_column)column, field, out) : CLI_OK;
    if (code) {
      return code;
    }
  }
  if (place != r->problem->n_columns) {
    return cli_fail(CLI_FAILURE, "%s:%zu: %d fields, but the header has %d", r->path, number, place,
                    r->problem->n_columns);
  }
  return check_item(r, number, item);
}

/* Room for as many items as there are lines left. */
static int take_items(const csv_reader *r, const cli_room *room) {
  csv_problem *p = r->problem;
  size_t n = 1;
  for (const char *c = r->at; c < r->end; c++) {
    n += *c == '\n';
  }
  size_t bytes = n * (sizeof *p->items + sizeof *p->lines);
  int code = cli_room_check(room, r->path, bytes);
  if (code) {
    return code;
  }
  p->items = malloc(n * sizeof *p->items);
  p->lines = malloc(n * sizeof *p->lines);
  return p->items && p->lines ? CLI_OK
                              : cli_fail(CLI_NO_FIT, "%s: no memory for %zu bytes", r->path, bytes);
}

static int read_items(csv_reader *r) {
  csv_problem *p = r->problem;
  csv_slice line;
  size_t number;
  while (next_line(r, &line, &number)) {
    int code = read_item(r, line, number, &p->items[p->n]);
    if (code) {
      return code;
    }
    p->lines[p->n++] = line;
  }
  return CLI_OK;
}

static int check_text(csv_reader *r, size_t n) {
  const char *nul = memchr(r->at, '\0', n);
  size_t line = 1;
  if (!nul) {
    return CLI_OK;
  }
  for (const char *c = r->at; c < nul; c++) {
    line += *c == '\n';
  }
  return cli_fail(CLI_FAILURE, "%s:%zu: a NUL byte; this is not a text file", r->path, line);
}

int csv_problem_read(csv_problem *p, const char *path, const cli_room *room) {
  size_t n;
  *p = (csv_problem){0};
  memset(p->place, -1, sizeof p->place);
  int code = cli_file_read(path, room, &p->text, &n);
  if (code) {
    return code;
  }
  csv_reader r = {.problem = p, .path = path, .at = p->text, .end = p->text + n, .line = 1};
  code = check_text(&r, n);
  if (n >= 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
    r.at += 3;
  }
  code = code ? code : read_header(&r);
  code = code ? code : take_items(&r, room);
  return code ? code : read_items(&r);
}

void csv_problem_release(csv_problem *p) {
  free(p->items);
  free(p->lines);
  free(p->text);
  *p = (csv_problem){0};
}

/* Write a line with `last` in the column offset. */
static void write_line(const csv_problem *p, csv_slice line, const char *last, FILE *out) {
  csv_slice field;
  for (int place = 0; next_field(&line, &field); place++) {
    fputs(place ? "," : "", out);
    if (place == p->place[CSV_OFFSET]) {
      fputs(last, out);
    } else {
      fwrite(field.text, 1, field.n, out);
    }
  }
  if (p->place[CSV_OFFSET] < 0) {
    fprintf(out, ",%s", last);
  }
  fputc('\n', out);
}

void csv_problem_write(const csv_problem *p, const int64_t *offsets, FILE *out) {
  char digits[24];
  write_line(p, p->header, column_names[CSV_OFFSET], out);
  for (size_t i = 0; i < p->n; i++) {
    snprintf(digits, sizeof digits, "%lld", (long long)offsets[i]);
    write_line(p, p->lines[i], digits, out);
  }
}

csv_slice csv_problem_id(const csv_problem *p, size_t item) {
  csv_slice line = p->lines[item];
  csv_slice field = {"", 0};
  for (int place = 0; place <= p->place[CSV_ID]; place++) {
    next_field(&line, &field);
  }
  return unquote(field);
}
