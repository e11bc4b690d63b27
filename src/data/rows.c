#include "data/rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "data/arrays.h"

/* ---- files ---- */

snug_status snug__rows_file_note(snug__rows_file *f, int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    return SNUG_E_IO;
  }
  *f = (snug__rows_file){fd, (int64_t)info.st_size, info.st_mtim};
  return SNUG_OK;
}

snug_status snug__rows_file_check(const snug__rows_file *f, char *why) {
  struct stat info;
  bool is_there = fstat(f->fd, &info) == 0;
  if (is_there && (int64_t)info.st_size == f->size && info.st_mtim.tv_sec == f->changed.tv_sec &&
      info.st_mtim.tv_nsec == f->changed.tv_nsec) {
    return SNUG_OK;
  }
  snprintf(why, SNUG_WHY_BYTES,
           "was changed while it was being read: it had %lld bytes and has %lld",
           (long long)f->size, is_there ? (long long)info.st_size : 0);
  return SNUG_E_IO;
}

static snug_status fail_read(const snug__rows_file *f, ssize_t got, int64_t offset, char *why) {
  char reason[128];
  int error = errno;
  if (got == 0) {
    SNUG_TRY(snug__rows_file_check(f, why));
  }
  snprintf(why, SNUG_WHY_BYTES, "cannot be read at byte %lld: %s", (long long)offset,
           got == 0 ? "it ends there" : strerror_r(error, reason, sizeof reason));
  return SNUG_E_IO;
}

snug_status snug__rows_file_read(const snug__rows_file *f, void *dst, size_t n, int64_t offset,
                                 char *why) {
  char *at = dst;
  while (n > 0) {
    ssize_t got = pread(f->fd, at, n, (off_t)offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return fail_read(f, got, offset, why);
    }
    at += got;
    offset += got;
    n -= (size_t)got;
  }
  return SNUG_OK;
}

/* ---- rows ---- */

/* Put the array's name and the row before a message. */
static snug_status within(const snug__rows *r, int64_t row, snug_status s, char *why) {
  char text[SNUG_WHY_BYTES];
  if (s) {
    memcpy(text, why, sizeof text);
    snprintf(why, SNUG_WHY_BYTES, "%s: row %lld: %s", r->name, (long long)row, text);
  }
  return s;
}

static snug_status convert(const snug__rows *r, const void *from, void *to, char *why) {
  uint64_t bad = 0;
  if (snug__raw_convert(&r->raw, from, snug__array_row(&r->array), r->array.dtype, to, &bad)) {
    return SNUG_OK;
  }
  snprintf(why, SNUG_WHY_BYTES, "has the value %llu, which int64 does not hold; save it as float64",
           (unsigned long long)bad);
  return SNUG_E_DATA;
}

/* What a thread keeps: asking the system about a file takes as long as reading a small row, so it
 * is done once in a while.  A file that has become shorter is noticed at once. */
typedef struct keeping {
  _Alignas(16) int64_t reads;
} keeping;

#define READS_BETWEEN 64

static snug_status check_at_times(const snug__rows *r, keeping *k, char *why) {
  return k->reads++ % READS_BETWEEN == 0 ? snug__rows_file_check(&r->file, why) : SNUG_OK;
}

static snug_status read_place(const snug__rows *r, keeping *k, int64_t row, void *to, char *why) {
  bool is_plain = snug__raw_is_plain(&r->raw, &r->array);
  int64_t offset = r->from + row * (int64_t)r->row_bytes;
  SNUG_TRY(check_at_times(r, k, why));
  SNUG_TRY(snug__rows_file_read(&r->file, is_plain ? to : k + 1, r->row_bytes, offset, why));
  return is_plain ? SNUG_OK : convert(r, k + 1, to, why);
}

static snug_status read_any(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  (void)pass;
  return to[0] ? within(user, row, read_place(user, scratch, row, to[0], why), why) : SNUG_OK;
}

/* ---- packed ones ---- */

static snug_status read_unpacked(const snug__rows *r, char *scratch, int64_t row, void *to,
                                 char *why) {
  char *raw = scratch + snug__unpacked_scratch();
  bool is_plain = snug__raw_is_plain(&r->raw, &r->array);
  SNUG_TRY(snug__unpacked_read(r, scratch, is_plain ? to : raw, r->row_bytes, why));
  SNUG_TRY(is_plain ? SNUG_OK : convert(r, raw, to, why));
  return row + 1 == r->array.shape[0] ? snug__unpacked_end(r, scratch, why) : SNUG_OK;
}

static snug_status read_next(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                             char *why) {
  (void)pass;
  return within(user, row, read_unpacked(user, scratch, row, to[0], why), why);
}

snug_source snug__rows_source(snug__rows *r) {
  bool is_plain = snug__raw_is_plain(&r->raw, &r->array);
  bool is_packed = r->packing != SNUG__NOT_PACKED;
  r->row_bytes = (size_t)(snug__array_row(&r->array) * r->raw.bytes);
  return (snug_source){.struct_size = sizeof(snug_source),
                       .user = r,
                       .rows = r->array.shape[0],
                       .in_order = is_packed,
                       .scratch = (is_packed ? snug__unpacked_scratch() : sizeof(keeping)) +
                                  (is_plain ? 0 : r->row_bytes),
                       .restart = is_packed ? snug__unpacked_restart : NULL,
                       .read = is_packed ? read_next : read_any};
}
