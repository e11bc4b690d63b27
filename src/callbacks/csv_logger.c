/* CSVLogger: a line per epoch, as Python's csv module writes it in its "excel" dialect. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/number.h"
#include "callbacks/callback.h"
#include "snug/tools/log.h"
#include "snug/tools/report.h"

#define MOST_NAMES 1024

typedef struct options {
  char separator[SNUG__NAME_BYTES];
  bool append;
} options;

/* What a backup keeps; the names of the columns lie behind it, each ended by NUL. */
typedef struct memory {
  int64_t length;    /* of the file; what is behind that is of epochs that will be recomputed */
  int64_t n_columns; /* 0: the first epoch is not over */
} memory;

typedef struct csv_logger {
  snug__caller base;
  options o;
  snug_log_file file;
  bool is_cut; /* to where this fit begins */
  memory *m;
  size_t memory_bytes;
  char *row; /* a line in the making */
  size_t n_row, row_bytes;
} csv_logger;

static const snug__field fields[] = {
    SNUG_FIELD(options, separator, TEXT, "','"), SNUG_FIELD(options, append, BOOL, "false"), {0}};

/* ---- the file ---- */

static snug_status write_row(csv_logger *c) {
  size_t n = c->n_row;
  c->n_row = 0;
  SNUG_TRY(snug_log_file_write(&c->file, c->row, n));
  c->m->length = c->file.length;
  return SNUG_OK;
}

/* ---- rows ---- */

static void put(csv_logger *c, char letter) {
  if (c->n_row < c->row_bytes) { /* always: see prepare */
    c->row[c->n_row++] = letter;
  }
}

/* A field, in quotes where it must be. */
static void add_field(csv_logger *c, const char *text) {
  bool quoted = text[strcspn(text, "\"\r\n")] || strchr(text, c->o.separator[0]);
  if (c->n_row) {
    put(c, c->o.separator[0]);
  }
  if (quoted) {
    put(c, '"');
  }
  for (; *text; text++) {
    if (*text == '"') {
      put(c, '"');
    }
    put(c, *text);
  }
  if (quoted) {
    put(c, '"');
  }
}

static void end_row(csv_logger *c) {
  put(c, '\r');
  put(c, '\n');
}

static const char *columns(const csv_logger *c) { return (const char *)(c->m + 1); }

static bool is_memory(const char *name) { return strcmp(name, SNUG_PEAK_MEMORY) == 0; }

/* Insertion sort of the names that Keras knows too; there are a handful. */
static size_t sorted_names(const snug_logs *logs, const char **out) {
  size_t n = 0;
  for (size_t i = 0; i < logs->n; i++) {
    if (is_memory(logs->names[i])) {
      continue;
    }
    size_t k = n++;
    for (; k > 0 && strcmp(out[k - 1], logs->names[i]) > 0; k--) {
      out[k] = out[k - 1];
    }
    out[k] = logs->names[i];
  }
  return n;
}

/* The columns are the names of the first epoch, sorted; where none of them is of a validation, each
 * comes again with val_.  The memory of the process, which Keras does not have, stands behind them
 * all, so that its columns are Keras's up to there.  There is room: see prepare. */
static void settle_columns(csv_logger *c, const snug_logs *logs) {
  const char *names[MOST_NAMES];
  char *at = (char *)(c->m + 1);
  size_t n = sorted_names(logs, names);
  bool has_memory = n < logs->n;
  bool validated = false;
  for (size_t i = 0; i < n; i++) {
    validated = validated || strncmp(names[i], "val_", 4) == 0;
  }
  for (size_t i = 0; i < (validated ? n : 2 * n); i++) {
    at += 1 + snprintf(at, strlen(names[i % n]) + 5, "%s%s", i < n ? "" : "val_", names[i % n]);
  }
  if (has_memory) {
    memcpy(at, SNUG_PEAK_MEMORY, sizeof SNUG_PEAK_MEMORY);
  }
  c->m->n_columns = (int64_t)((validated ? n : 2 * n) + has_memory);
}

static void make_header(csv_logger *c) {
  const char *name = columns(c);
  c->n_row = 0;
  add_field(c, "epoch");
  for (int64_t i = 0; i < c->m->n_columns; i++, name += strlen(name) + 1) {
    add_field(c, name);
  }
  end_row(c);
}

static snug_status write_epoch(csv_logger *c, int64_t epoch, const snug_logs *logs) {
  const char *name = columns(c);
  char number[SNUG__NUMBER_BYTES];
  snprintf(number, sizeof number, "%lld", (long long)epoch);
  add_field(c, number);
  for (int64_t i = 0; i < c->m->n_columns; i++, name += strlen(name) + 1) {
    double value = 0.0;
    bool is_there = snug__logs_find(logs, name, &value);
    add_field(c, is_there ? snug__print_repr(value, number) : "NA");
  }
  end_row(c);
  return write_row(c);
}

/* ---- going on ---- */

static bool begins_with_row(const csv_logger *c) {
  char piece[256];
  size_t at = 0;
  int fd = open(c->base.target.path, O_RDONLY | O_CLOEXEC);
  bool same = fd >= 0;
  while (same && at < c->n_row) {
    size_t n = c->n_row - at < sizeof piece ? c->n_row - at : sizeof piece;
    same = snug__read_at(fd, piece, n, (int64_t)at) && memcmp(piece, c->row + at, n) == 0;
    at += n;
  }
  if (fd >= 0) {
    close(fd);
  }
  return same;
}

/* A file that another has put in the place of the log is not cut. */
static snug_status check_header(csv_logger *c) {
  if (c->m->n_columns == 0 || c->file.length == 0 || c->o.append) {
    return SNUG_OK;
  }
  make_header(c);
  return begins_with_row(c)
             ? SNUG_OK
             : snug__fail(c->base.ctx, SNUG_E_STATE,
                          "CSVLogger: %.300s is not the log that the backup goes on with: it does "
                          "not begin with \"%.*s\"; move it away",
                          c->base.target.path, (int)(c->n_row < 300 ? c->n_row - 2 : 300), c->row);
}

/* Bring the file to the length that a backup knows of, or to what its options say. */
static snug_status set_length(csv_logger *c) {
  SNUG_TRY(check_header(c));
  bool goes_on = c->m->n_columns > 0 && c->file.length >= c->m->length;
  c->m->length = goes_on ? c->m->length : c->o.append ? c->file.length : 0;
  c->is_cut = true;
  return snug_log_file_cut(&c->file, c->m->length);
}

/* ---- hooks ---- */

/* Room for the names of all columns that there can be, and for a row of them: nothing is allocated
 * later. */
static snug_status prepare(void *user) {
  csv_logger *c = user;
  const snug_history *h = c->base.model->training->fit->history;
  size_t names = 0;
  for (size_t i = 0; i < h->n; i++) {
    names += 2 * strlen(h->names[i]) + sizeof "val_" + 1;
  }
  if (h->n > MOST_NAMES) {
    return snug__fail(c->base.ctx, SNUG_E_ARGUMENT, "CSVLogger: %zu values are more than %d", h->n,
                      MOST_NAMES);
  }
  c->memory_bytes = sizeof *c->m + names;
  c->row_bytes = 2 * names + (2 * h->n + 1) * (2 * SNUG__NUMBER_BYTES);
  c->n_row = 0;
  SNUG_TRY(snug__take(c->base.ctx, SNUG__MEM_CALLBACKS, c->memory_bytes, (void **)&c->m));
  snug_status s = snug__take(c->base.ctx, SNUG__MEM_CALLBACKS, c->row_bytes, (void **)&c->row);
  if (s) {
    snug__give(c->base.ctx, SNUG__MEM_CALLBACKS, c->m, c->memory_bytes);
  }
  return s;
}

/* The file is opened before step 1; what it holds stays until the first epoch begins: only then it
 * is known whether a backup goes on. */
static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  csv_logger *c = user;
  (void)epochs;
  (void)steps;
  *c->m = (memory){0};
  c->is_cut = false;
  c->base.unwritten[0] = 0;
  return snug__go_on(&c->base, snug_log_file_open(&c->file, c->base.ctx, c->base.target.path));
}

static bool train_end(void *user, const snug_logs *logs) {
  csv_logger *c = user;
  (void)logs;
  snug__cannot_write(&c->base, snug_log_file_close(&c->file));
  return true;
}

/* The file is open still where the fit failed. */
static void close_all(void *user) {
  csv_logger *c = user;
  snug_status closed = snug_log_file_close(&c->file);
  (void)closed;
  snug__give(c->base.ctx, SNUG__MEM_CALLBACKS, c->row, c->row_bytes);
  snug__give(c->base.ctx, SNUG__MEM_CALLBACKS, c->m, c->memory_bytes);
  c->m = NULL;
}

static void *state(void *user, size_t *bytes) {
  const csv_logger *c = user;
  *bytes = c->memory_bytes;
  return c->m;
}

static bool epoch_begin(void *user, int64_t epoch) {
  csv_logger *c = user;
  (void)epoch;
  return snug__go_on(&c->base, c->is_cut ? SNUG_OK : set_length(c));
}

static snug_status log_epoch(csv_logger *c, int64_t epoch, const snug_logs *logs) {
  if (c->m->n_columns == 0) {
    settle_columns(c, logs);
  }
  if (c->m->length == 0) {
    make_header(c);
    SNUG_TRY(write_row(c));
  }
  c->n_row = 0;
  return write_epoch(c, epoch, logs);
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  csv_logger *c = user;
  snug__cannot_write(&c->base, log_epoch(c, epoch, logs));
  return true;
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  csv_logger *c = self;
  (void)config;
  if (strlen(c->o.separator) != 1) {
    return snug__fail(c->base.ctx, SNUG_E_ARGUMENT,
                      "CSVLogger: separator='%s'; it must be one character", c->o.separator);
  }
  out->prepare = prepare;
  out->close = close_all;
  out->state = state;
  out->train_begin = train_begin;
  out->epoch_begin = epoch_begin;
  out->epoch_end = epoch_end;
  out->train_end = train_end;
  return SNUG_OK;
}

const snug__callback_class snug__csv_logger = {.name = "CSVLogger",
                                               .bytes = sizeof(csv_logger),
                                               .fields = fields,
                                               .options = offsetof(csv_logger, o),
                                               .needs_path = true,
                                               .create = create};
