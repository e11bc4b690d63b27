/* Writing an archive as Python's zipfile does: three stored members, then the directory.  Times are
 * those of the year 1980, so that the same model gives the same bytes. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/size.h"
#include "keras/archive.h"
#include "keras/bytes.h"

#define PIECE 65536
#define N_MEMBERS 3
#define MOST_NARROW 0x7fffffff /* sizes up to this stand in the plain fields, as in Python */
#define DATE_1980 0x21         /* the first of January */
#define HEADER_ROOM 256        /* for any header or directory entry that is written here */

/* A member: text, or a part of a file. */
typedef struct written {
  const char *name;
  const void *text;
  int fd;
  int64_t bytes, header;
  uint32_t crc;
} written;

typedef struct writing {
  snug__replace file;
  written member[N_MEMBERS];
  int64_t at; /* bytes written so far */
  uint8_t piece[PIECE];
} writing;

static bool is_wide(const written *m) { return m->bytes > MOST_NARROW; }

static snug_status put_bytes(writing *w, const void *bytes, size_t n) {
  w->at += (int64_t)n;
  return snug__replace_write(&w->file, bytes, n);
}

/* Version, flags, method, time, date, checksum, sizes and lengths: the same in both headers. */
static void put_common(uint8_t **at, const written *m, size_t extra) {
  snug__put(at, is_wide(m) ? 45 : 20, 2);
  snug__put(at, 0, 2);
  snug__put(at, 0, 2);
  snug__put(at, 0, 2);
  snug__put(at, DATE_1980, 2);
  snug__put(at, m->crc, 4);
  snug__put(at, is_wide(m) ? UINT32_MAX : (uint64_t)m->bytes, 4);
  snug__put(at, is_wide(m) ? UINT32_MAX : (uint64_t)m->bytes, 4);
  snug__put(at, strlen(m->name), 2);
  snug__put(at, extra, 2);
}

static void put_name(uint8_t **at, const written *m) {
  memcpy(*at, m->name, strlen(m->name));
  *at += strlen(m->name);
  if (is_wide(m)) {
    snug__put(at, 1, 2);
    snug__put(at, 16, 2);
    snug__put(at, (uint64_t)m->bytes, 8);
    snug__put(at, (uint64_t)m->bytes, 8);
  }
}

static snug_status put_local(writing *w, written *m) {
  uint8_t header[HEADER_ROOM], *at = header;
  m->header = w->at;
  snug__put(&at, 0x04034b50u, 4);
  put_common(&at, m, is_wide(m) ? 20 : 0);
  put_name(&at, m);
  return put_bytes(w, header, (size_t)(at - header));
}

/* The weights are the last member, so every header begins within 2 GiB. */
static snug_status put_entry(writing *w, const written *m) {
  uint8_t entry[HEADER_ROOM], *at = entry;
  snug__put(&at, 0x02014b50u, 4);
  snug__put(&at, (3u << 8) | (is_wide(m) ? 45 : 20), 2); /* made on Unix */
  put_common(&at, m, is_wide(m) ? 20 : 0);
  snug__put(&at, 0, 2 + 2);
  snug__put(&at, 0, 2);
  snug__put(&at, 0600u << 16, 4);
  snug__put(&at, (uint64_t)m->header, 4);
  put_name(&at, m);
  return put_bytes(w, entry, (size_t)(at - entry));
}

static void put_end64(uint8_t **at, int64_t directory, int64_t size, int64_t end) {
  snug__put(at, 0x06064b50u, 4);
  snug__put(at, 44, 8);
  snug__put(at, 45, 2);
  snug__put(at, 45, 2);
  snug__put(at, 0, 8);
  snug__put(at, N_MEMBERS, 8);
  snug__put(at, N_MEMBERS, 8);
  snug__put(at, (uint64_t)size, 8);
  snug__put(at, (uint64_t)directory, 8);
  snug__put(at, 0x07064b50u, 4);
  snug__put(at, 0, 4);
  snug__put(at, (uint64_t)end, 8);
  snug__put(at, 1, 4);
}

static snug_status put_end(writing *w, int64_t directory) {
  uint8_t end[HEADER_ROOM], *at = end;
  int64_t size = w->at - directory;
  bool wide = directory > MOST_NARROW;
  if (wide) {
    put_end64(&at, directory, size, w->at);
  }
  snug__put(&at, 0x06054b50u, 4);
  snug__put(&at, 0, 4);
  snug__put(&at, N_MEMBERS, 2);
  snug__put(&at, N_MEMBERS, 2);
  snug__put(&at, (uint64_t)size, 4);
  snug__put(&at, wide ? UINT32_MAX : (uint64_t)directory, 4);
  snug__put(&at, 0, 2);
  return put_bytes(w, end, (size_t)(at - end));
}

static snug_status read_piece(writing *w, const written *m, int64_t from, size_t n) {
  char reason[128];
  if (snug__read_at(m->fd, w->piece, n, from)) {
    return SNUG_OK;
  }
  return snug__fail(w->file.ctx, SNUG_E_IO, "%s: the weights cannot be read back: %s", w->file.path,
                    errno ? strerror_r(errno, reason, sizeof reason) : "they end early");
}

/* Go through the bytes of a member: for its checksum, which stands before them, or to write them.
 */
static snug_status walk_file(writing *w, written *m, bool writes) {
  for (int64_t from = 0; from < m->bytes; from += PIECE) {
    size_t n = (size_t)snug__min_i64(PIECE, m->bytes - from);
    SNUG_TRY(read_piece(w, m, from, n));
    if (writes) {
      SNUG_TRY(put_bytes(w, w->piece, n));
    } else {
      m->crc = (uint32_t)crc32(m->crc, w->piece, (uInt)n);
    }
  }
  return SNUG_OK;
}

static snug_status put_member(writing *w, written *m) {
  if (m->text) {
    m->crc = (uint32_t)crc32(0, m->text, (uInt)m->bytes);
    SNUG_TRY(put_local(w, m));
    return put_bytes(w, m->text, (size_t)m->bytes);
  }
  SNUG_TRY(walk_file(w, m, false));
  SNUG_TRY(put_local(w, m));
  return walk_file(w, m, true);
}

static snug_status put_all(writing *w) {
  for (int i = 0; i < N_MEMBERS; i++) {
    SNUG_TRY(put_member(w, &w->member[i]));
  }
  int64_t directory = w->at;
  for (int i = 0; i < N_MEMBERS; i++) {
    SNUG_TRY(put_entry(w, &w->member[i]));
  }
  return put_end(w, directory);
}

snug_status snug__archive_write(snug_ctx *ctx, const char *path,
                                const snug__archive_content *content) {
  writing *w = NULL;
  if (content->config_bytes > MOST_NARROW / 2) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "%s: a config of %zu bytes is not written", path,
                      content->config_bytes);
  }
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_SCRATCH, &w));
  w->member[0] = (written){.name = "metadata.json", .text = content->metadata, .fd = -1};
  w->member[0].bytes = (int64_t)strlen(content->metadata);
  w->member[1] = (written){.name = "config.json", .text = content->config, .fd = -1};
  w->member[1].bytes = (int64_t)content->config_bytes;
  w->member[2] = (written){.name = "model.weights.h5", .fd = content->weights_fd};
  w->member[2].bytes = content->weights_bytes;
  snug_status s = snug__replace_begin(&w->file, ctx, path);
  if (!s) {
    s = put_all(w);
    s = s ? s : snug__replace_commit(&w->file);
    snug__replace_abandon(&w->file);
  }
  snug__give(ctx, SNUG__MEM_SCRATCH, w, sizeof *w);
  return s;
}
