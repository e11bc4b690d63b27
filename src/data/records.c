#include "data/records.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/size.h"
#include "data/arrays.h"
#include "data/stream.h"

#define LINE_BYTES 512
#define MOST_FIELDS 256
#define MOST_RECORD (INT64_C(1) << 30)
#define WAIT_MS 100      /* after which a reader looks whether it is still wanted */
#define PATIENCE_MS 2000 /* after which the caller is told that it waits */

/* ---- bytes in order ---- */

/* Told once: who knows that it waits, knows that it may wait again. */
static void note_waiting(snug__records *r, int waited_ms) {
  if (waited_ms >= PATIENCE_MS && !r->has_told) {
    r->has_told = true;
    snug__note(r->ctx, "%s has given nothing for %d seconds: waiting for it",
               r->is_input ? "standard input" : snug__path_shown(r->path), PATIENCE_MS / 1000);
  }
}

/* Wait until a stream has bytes, or has ended, or nobody wants them. */
static bool wait_for(snug__records *r) {
  struct pollfd p = {.fd = r->file.fd, .events = POLLIN};
  int n = 0;
  for (int waited = 0; !atomic_load(&r->is_cancelled) && n == 0; waited += WAIT_MS) {
    note_waiting(r, waited);
    n = poll(&p, 1, WAIT_MS);
    n = n < 0 && errno == EINTR ? 0 : n;
  }
  return n > 0;
}

/* Up to n bytes; *got is less at the end alone. */
static snug_status read_bytes(snug__records *r, char *dst, size_t n, size_t *got, char *why) {
  char reason[128];
  for (*got = 0; *got < n;) {
    if (!wait_for(r)) {
      snprintf(why, SNUG_WHY_BYTES, "is not read any further");
      return SNUG_E_STOPPED;
    }
    ssize_t now = read(r->file.fd, dst + *got, n - *got);
    if (now == 0) {
      return SNUG_OK;
    }
    if (now < 0 && errno != EINTR && errno != EAGAIN) {
      snprintf(why, SNUG_WHY_BYTES, "cannot be read: %s", strerror_r(errno, reason, sizeof reason));
      return SNUG_E_IO;
    }
    *got += now > 0 ? (size_t)now : 0;
  }
  return SNUG_OK;
}

/* ---- the head ---- */

typedef struct head {
  snug__records *r;
  snug__arena *arena;
  int line;
  char text[LINE_BYTES];
} head;

static snug_status fail_head(const head *h, const char *what) {
  return snug__fail(h->r->ctx, SNUG_E_FORMAT, "%s: line %d of its head: \"%.60s\": %s",
                    snug__path_shown(h->r->path), h->line, h->text, what);
}

/* A byte at a time: what comes behind the head is not ours to take. */
static snug_status read_line(head *h) {
  char why[SNUG_WHY_BYTES] = "";
  size_t n = 0;
  h->line++;
  for (size_t got = 1; n + 1 < sizeof h->text; n++) {
    h->text[n] = '\0';
    snug_status s = read_bytes(h->r, &h->text[n], 1, &got, why);
    if (s) {
      return snug__fail(h->r->ctx, s, "%s: %s", snug__path_shown(h->r->path), why);
    }
    if (got == 0 || h->text[n] == '\0') {
      return fail_head(h, "the head does not end; an empty line ends it");
    }
    h->r->start++;
    if (h->text[n] == '\n') {
      h->text[n] = '\0';
      return SNUG_OK;
    }
  }
  h->text[n] = '\0';
  return fail_head(h, "is too long");
}

/* The next word of a line; "" at its end. */
static const char *next_word(char **at) {
  *at += strspn(*at, " ");
  char *word = *at;
  *at += strcspn(*at, " ");
  if (**at) {
    *(*at)++ = '\0';
  }
  return word;
}

static snug_dtype dtype_of(const char *word) {
  for (int i = 1; i < SNUG_DTYPE_COUNT; i++) {
    if (strcmp(snug_dtype_text((snug_dtype)i), word) == 0) {
      return (snug_dtype)i;
    }
  }
  return SNUG_NO_DTYPE;
}

static bool read_count(const char *word, int64_t *out) {
  return snug__read_int(&word, out) && *word == '\0' && *out >= 1;
}

static snug_status read_shape(const head *h, char *at, snug_array *a) {
  for (const char *word = next_word(&at); *word; word = next_word(&at)) {
    if (a->rank == SNUG_MAX_RANK || !read_count(word, &a->shape[a->rank])) {
      return fail_head(h, "a shape is up to 5 numbers of 1 or more");
    }
    a->rank++;
  }
  return SNUG_OK;
}

static snug_status add_field(head *h, const char *name, char *at) {
  snug__record_field f = {.array = {.rank = 1}, .at = h->r->bytes};
  f.array.dtype = dtype_of(next_word(&at));
  if (f.array.dtype == SNUG_NO_DTYPE) {
    return fail_head(h, "a line is: name, dtype (float32, int64, uint8, ...), shape of a sample");
  }
  SNUG_TRY(read_shape(h, at, &f.array));
  f.array.shape[0] = 1;
  snug__type t = snug__type_of(f.array.dtype, f.array.rank, f.array.shape);
  if (!snug__type_is_valid(&t) || snug__type_bytes(&t) > MOST_RECORD - (int64_t)h->r->bytes) {
    return fail_head(h, "a record has more than 1 GiB");
  }
  f.bytes = snug__array_row_bytes(&f.array);
  h->r->bytes += f.bytes;
  SNUG_TRY(snug__arena_text(h->arena, name, &f.name));
  return snug__vec_push(&h->r->fields, &f, 1);
}

static snug_status take_line(head *h) {
  char copy[LINE_BYTES];
  char *at = copy;
  memcpy(copy, h->text, sizeof copy);
  const char *name = next_word(&at);
  if (strcmp(name, "rows") != 0) {
    return add_field(h, name, at);
  }
  return read_count(next_word(&at), &h->r->rows) ? SNUG_OK
                                                 : fail_head(h, "rows is a number of 1 or more");
}

static snug_status read_head(head *h) {
  SNUG_TRY(read_line(h));
  size_t n = strlen(SNUG__RECORDS_MAGIC) - 1; /* without its line break */
  if (strncmp(h->text, SNUG__RECORDS_MAGIC, n) != 0 || h->text[n]) {
    return fail_head(h, "records begin with the line \"snug-records 1\"");
  }
  SNUG_TRY(read_line(h));
  while (h->text[0]) {
    SNUG_TRY(take_line(h));
    SNUG_TRY(read_line(h));
  }
  return h->r->fields.n ? SNUG_OK : fail_head(h, "the head names no array");
}

/* ---- opening ---- */

/* A file tells how many records there are. */
static snug_status count_rows(snug__records *r) {
  int64_t bytes = r->file.size - r->start;
  int64_t there = bytes / (int64_t)r->bytes;
  if (!r->is_file) {
    return SNUG_OK;
  }
  if (bytes % (int64_t)r->bytes || (r->rows >= 0 && r->rows != there)) {
    return snug__fail(r->ctx, SNUG_E_FORMAT,
                      "%s: has %lld bytes behind its head, which are not %lld records of %zu bytes",
                      snug__path_shown(r->path), (long long)bytes,
                      (long long)(r->rows >= 0 ? r->rows : there + 1), r->bytes);
  }
  r->rows = there;
  return SNUG_OK;
}

static void set_rows(snug__records *r) {
  for (size_t i = 0; i < r->fields.n; i++) {
    SNUG_VEC(&r->fields, snug__record_field, i).array.shape[0] = r->rows < 0 ? 0 : r->rows;
  }
}

static snug_status open_file(snug__records *r) {
  struct stat info;
  r->is_input = strcmp(r->path, SNUG__STANDARD_INPUT) == 0;
  int fd =
      r->is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(r->path, O_RDONLY | O_CLOEXEC);
  r->file.fd = fd;
  if (fd < 0 || fstat(fd, &info) != 0 || snug__rows_file_note(&r->file, fd)) {
    return snug__path_unreadable(r->ctx, r->path);
  }
  off_t at = S_ISREG(info.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
  r->is_file = at >= 0;
  r->start = r->is_file ? (int64_t)at : 0;
  return SNUG_OK;
}

snug_status snug__records_open(snug__records *r, snug_ctx *ctx, snug__arena *arena,
                               const char *path) {
  *r = (snug__records){.ctx = ctx, .path = path, .rows = SNUG_ROWS_UNKNOWN};
  r->file.fd = -1;
  snug__vec_init(&r->fields, ctx, SNUG__MEM_DATA, sizeof(snug__record_field), MOST_FIELDS);
  SNUG_TRY(open_file(r));
  head h = {.r = r, .arena = arena};
  SNUG_TRY(read_head(&h));
  SNUG_TRY(count_rows(r));
  set_rows(r);
  return SNUG_OK;
}

void snug__records_release(snug__records *r) {
  if (r->file.fd >= 0) {
    close(r->file.fd);
  }
  snug__vec_release(&r->fields);
}

/* ---- records ---- */

static void hand_out(const snug__records *r, const char *record, void *const *to) {
  for (size_t i = 0; i < r->fields.n; i++) {
    const snug__record_field *f = &SNUG_VEC(&r->fields, snug__record_field, i);
    if (to[i]) {
      memcpy(to[i], record + f->at, f->bytes);
    }
  }
}

static snug_status read_any(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  snug__records *r = user;
  (void)pass;
  SNUG_TRY(snug__rows_file_check(&r->file, why));
  SNUG_TRY(
      snug__rows_file_read(&r->file, scratch, r->bytes, r->start + row * (int64_t)r->bytes, why));
  hand_out(r, scratch, to);
  return SNUG_OK;
}

/* The end is a failure in the middle of a record alone; elsewhere it depends on what was said. */
static snug_status read_next(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                             char *why) {
  snug__records *r = user;
  size_t got = 0;
  (void)row;
  (void)pass;
  SNUG_TRY(read_bytes(r, scratch, r->bytes, &got, why));
  if (got == 0) {
    return SNUG_E_STOPPED;
  }
  if (got < r->bytes) {
    snprintf(why, SNUG_WHY_BYTES, "ends in the middle of record %lld: %zu of its %zu bytes",
             (long long)r->next, got, r->bytes);
    return SNUG_E_FORMAT;
  }
  r->next++;
  hand_out(r, scratch, to);
  return SNUG_OK;
}

static void cancel(void *user) {
  snug__records *r = user;
  atomic_store(&r->is_cancelled, true);
}

snug_source snug__records_source(snug__records *r) {
  return (snug_source){.struct_size = sizeof(snug_source),
                       .user = r,
                       .rows = r->rows,
                       .in_order = !r->is_file,
                       .scratch = r->bytes,
                       .read = r->is_file ? read_any : read_next,
                       .cancel = r->is_file ? NULL : cancel};
}
