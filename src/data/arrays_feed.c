/* How the array of a file feeds a model: held in memory, or by its rows where they lie. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/store_file.h"
#include "data/arrays.h"
#include "data/arrays_file.h"
#include "data/npy.h"

#define PIECE_BYTES 16384
#define SHORT_ROW                                                                                 \
  4096                 /* bytes that are copied in the time that asking the system for them takes \
                        */
#define SHORT_TIMES 16 /* arrays of such rows are small up to so many times as much, */
#define SHORT_PART 4   /* and up to this part of what may be held */

/* ---- where the rows lie ---- */

/* Read the header from an open stream; *header is its bytes. */
static snug_status read_header(snug__stream *s, const snug__array_entry *e, snug__rows *r,
                               int64_t *header) {
  int64_t before = s->left;
  SNUG_TRY(snug__array_header(s, &r->raw, &r->array));
  *header = before - s->left;
  return r->array.dtype == e->array.dtype && r->array.rank == e->array.rank &&
                 memcmp(r->array.shape, e->array.shape, sizeof r->array.shape) == 0
             ? SNUG_OK
             : snug__stream_fail(s, SNUG_E_FORMAT, "was changed while it was being read");
}

/* The rows of a whole file begin behind the header; a gzipped one is unpacked with it. */
static snug_status find_in_file(snug_arrays *a, const snug__array_entry *e, snug__rows *r) {
  snug__stream s;
  snug__file_kind kind = SNUG__FILE_UNKNOWN;
  int64_t header = 0;
  SNUG_TRY(snug__file_kind_find(a->ctx, e->path, &kind));
  SNUG_TRY(snug__stream_open(&s, a->ctx, e->path));
  snug_status status = read_header(&s, e, r, &header);
  snug__stream_close(&s);
  SNUG_TRY(status);
  r->file.fd = open(e->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->file.fd < 0 || snug__rows_file_note(&r->file, r->file.fd)) {
    return snug__path_unreadable(a->ctx, e->path);
  }
  r->packing = kind == SNUG__FILE_GZIP ? SNUG__GZIP : SNUG__NOT_PACKED;
  r->header = header;
  r->from = r->packing ? 0 : header;
  r->end = r->file.size;
  return SNUG_OK;
}

static snug_status read_member_header(const snug__zip *archive, const snug__zip_member *m,
                                      const snug__array_entry *e, snug__rows *r) {
  snug__stream s;
  int64_t header = 0;
  snug_status status = snug__stream_open_member(&s, archive, m, e->name);
  status = status ? status : read_header(&s, e, r, &header);
  snug__stream_close(&s);
  SNUG_TRY(status);
  SNUG_TRY(snug__zip_packed(archive, m, &r->from));
  r->packing = m->method == SNUG__ZIP_STORED ? SNUG__NOT_PACKED : SNUG__DEFLATE;
  r->end = r->from + m->packed;
  r->from += r->packing ? 0 : header;
  r->header = header;
  r->crc = m->crc;
  return SNUG_OK;
}

static snug_status find_in_archive(snug_arrays *a, const snug__array_entry *e, snug__rows *r) {
  snug__zip archive;
  snug__zip_member m;
  SNUG_TRY(snug__arrays_member(a, e, &archive, &m, &r->file.fd));
  SNUG_TRY(read_member_header(&archive, &m, e, r));
  return snug__rows_file_note(&r->file, r->file.fd) ? snug__path_unreadable(a->ctx, e->path)
                                                    : SNUG_OK;
}

/* r->file.fd is -1 or open, whatever comes of it. */
static snug_status find_rows(snug_arrays *a, const snug__array_entry *e, snug__rows *r) {
  *r = (snug__rows){.file = {.fd = -1}, .name = e->name};
  SNUG_TRY(e->member == SNUG__WHOLE_FILE ? find_in_file(a, e, r) : find_in_archive(a, e, r));
  (void)posix_fadvise(r->file.fd, 0, 0, r->packing ? POSIX_FADV_SEQUENTIAL : POSIX_FADV_RANDOM);
  return SNUG_OK;
}

/* ---- a file of unpacked rows ---- */

static snug_status write_all(snug_arrays *a, int fd, const char *bytes, size_t n, int64_t at) {
  while (n > 0) {
    ssize_t written = pwrite(fd, bytes, n, (off_t)at);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      char reason[128];
      return snug__fail(a->ctx, SNUG_E_IO, "unpacking to a file in %s failed: %s",
                        snug__store_folder(a->options.disk_folder),
                        strerror_r(errno, reason, sizeof reason));
    }
    bytes += written;
    at += written;
    n -= (size_t)written;
  }
  return SNUG_OK;
}

static snug_status unpack_rows(snug_arrays *a, const snug__rows *r, char *scratch, int fd,
                               char *why) {
  int64_t bytes = r->array.shape[0] * snug__array_row(&r->array) * r->raw.bytes;
  char piece[PIECE_BYTES];
  SNUG_TRY(snug__unpacked_restart((void *)(uintptr_t)r, scratch, 0, why));
  for (int64_t at = 0, n; at < bytes; at += n) {
    n = snug__min_i64(PIECE_BYTES, bytes - at);
    SNUG_TRY(snug__unpacked_read(r, scratch, piece, (size_t)n, why));
    SNUG_TRY(write_all(a, fd, piece, (size_t)n, at));
  }
  return snug__unpacked_end(r, scratch, why);
}

static snug_status unpack_with(snug_arrays *a, const snug__array_entry *e, const snug__rows *r,
                               int fd) {
  char why[SNUG_WHY_BYTES] = "";
  char *scratch = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(a->ctx, SNUG__MEM_SCRATCH, snug__unpacked_scratch(), &scratch));
  snug_status s = unpack_rows(a, r, scratch, fd, why);
  SNUG_GIVE_ARRAY(a->ctx, SNUG__MEM_SCRATCH, scratch, snug__unpacked_scratch());
  return s && why[0] ? snug__fail(a->ctx, s, "%s: %s: %s", snug__path_shown(e->path), e->name, why)
                     : s;
}

/* The rows lie in the new file from now on. */
static snug_status spill(snug_arrays *a, const snug__array_entry *e, snug__rows *r) {
  int64_t bytes = r->array.shape[0] * snug__array_row(&r->array) * r->raw.bytes;
  int fd = -1;
  SNUG_TRY(snug__store_file(a->ctx, snug__store_folder(a->options.disk_folder), bytes, &fd));
  snug_status s = unpack_with(a, e, r, fd);
  close(r->file.fd);
  r->file.fd = fd;
  r->packing = SNUG__NOT_PACKED;
  r->from = 0;
  SNUG_TRY(s);
  return snug__rows_file_note(&r->file, fd) ? snug__path_unreadable(a->ctx, e->path) : SNUG_OK;
}

/* ---- feeding ---- */

static snug_status refuse_fortran(snug_arrays *a, const snug__array_entry *e) {
  return snug__fail(a->ctx, SNUG_E_LIMIT,
                    "%s: %s: is in Fortran order, so all of its %lld bytes would have to be held; "
                    "save it with numpy.ascontiguousarray, and its rows are read where they lie",
                    snug__path_shown(e->path), e->name, (long long)snug__array_bytes(&e->array));
}

static snug_status make_source(snug_arrays *a, snug__array_entry *e, const snug__rows *found) {
  void *rows = NULL;
  void *source = NULL;
  SNUG_TRY(snug__arena_take(&a->arena, sizeof(snug__rows), &rows));
  SNUG_TRY(snug__arena_take(&a->arena, sizeof(snug_source), &source));
  memcpy(rows, found, sizeof *found);
  e->rows = rows;
  e->source = source;
  *e->source = snug__rows_source(e->rows);
  e->n_fields = 1;
  return SNUG_OK;
}

/* Rows that were found become a source, or the whole array is read. */
static snug_status choose(snug_arrays *a, snug__array_entry *e, snug__rows *r, bool *is_held) {
  bool may_hold = (int64_t)snug__array_bytes(&e->array) <= a->options.hold;
  bool is_fortran = r->raw.is_fortran && r->array.rank > 1;
  *is_held = (is_fortran || r->packing) && may_hold;
  if (*is_held) {
    return SNUG_OK;
  }
  if (is_fortran) {
    SNUG_TRY(refuse_fortran(a, e));
  }
  if (r->packing && a->options.allow_disk) {
    SNUG_TRY(spill(a, e, r));
  }
  return make_source(a, e, r);
}

static bool is_small(const snug_arrays *a, const snug_array *array) {
  int64_t bytes = (int64_t)snug__array_bytes(array);
  bool has_short_rows = snug__array_row_bytes(array) < SHORT_ROW;
  return bytes <= a->options.small || (has_short_rows && bytes / SHORT_TIMES <= a->options.small &&
                                       bytes <= a->options.hold / SHORT_PART);
}

snug_status snug__arrays_feed(snug_arrays *a, snug__array_entry *e) {
  snug__rows found;
  bool is_held = true;
  bool is_stream = e->source && (e->source->in_order || e->is_live);
  if (e->why || e->array.data || (is_small(a, &e->array) && !is_stream)) {
    return snug__arrays_read(a, e);
  }
  if (e->source) {
    return SNUG_OK;
  }
  snug_status s = find_rows(a, e, &found);
  s = s ? s : choose(a, e, &found, &is_held);
  if (found.file.fd >= 0 && (s || is_held)) {
    close(found.file.fd);
  }
  return s || !is_held ? s : snug__arrays_read(a, e);
}
