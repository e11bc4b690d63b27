#include "base/zip_write.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/size.h"

#define MOST_NARROW 0x7fffffff /* sizes up to this stand in the plain fields, as in Python */
#define WIDE 0xffffffffu       /* "see the Zip64 field" */
#define DATE_1980 0x21         /* the first of January */
#define MOST_NAME 512
#define RECORD_BYTES (MOST_NAME + 128) /* room for any record that is written here */
#define MOST_MEMBERS 65534             /* one more would mean Zip64 */
#define UTF8 0x0800                    /* a flag: so is the name */
#define LOCAL_BYTES 30                 /* of a header before its name */
#define LOCAL_WIDE 20                  /* and behind it, if it is wide */
#define PIECE 16384                    /* bytes that are read back at a time */

typedef struct member {
  char name[MOST_NAME];
  int64_t bytes, at; /* at: where its header lies */
  uint32_t crc;
  bool is_wide;
} member;

void snug__zip_begin(snug__zip_writer *w, snug__replace *file) {
  w->file = file;
  snug__vec_init(&w->members, file->ctx, SNUG__MEM_SCRATCH, sizeof(member), MOST_MEMBERS);
}

void snug__zip_end(snug__zip_writer *w) { snug__vec_release(&w->members); }

static snug_status put_bytes(void *user, const void *bytes, size_t n) {
  return snug__replace_write(((snug__zip_writer *)user)->file, bytes, n);
}

static snug_status add_to_crc(void *user, const void *bytes, size_t n) {
  uint32_t *crc = user;
  *crc = (uint32_t)crc32_z(*crc, bytes, n);
  return SNUG_OK;
}

static uint64_t flags_of(const member *m) {
  for (const char *c = m->name; *c; c++) {
    if ((unsigned char)*c > 127) {
      return UTF8;
    }
  }
  return 0;
}

/* Version, flags, method, time, date, checksum, sizes and lengths: the same in both headers. */
static void put_common(uint8_t **at, const member *m, size_t extra) {
  snug__put(at, m->is_wide ? 45 : 20, 2);
  snug__put(at, flags_of(m), 2);
  snug__put(at, 0, 2 + 2);
  snug__put(at, DATE_1980, 2);
  snug__put(at, m->crc, 4);
  snug__put(at, m->is_wide ? WIDE : (uint64_t)m->bytes, 4);
  snug__put(at, m->is_wide ? WIDE : (uint64_t)m->bytes, 4);
  snug__put(at, strlen(m->name), 2);
  snug__put(at, m->is_wide ? extra + 4 : 0, 2);
}

/* The name, and the field for what does not fit in 32 bits: of `extra` bytes. */
static void put_name(uint8_t **at, const member *m, size_t extra) {
  memcpy(*at, m->name, strlen(m->name));
  *at += strlen(m->name);
  if (m->is_wide) {
    snug__put(at, 1, 2);
    snug__put(at, extra, 2);
    snug__put(at, (uint64_t)m->bytes, 8);
    snug__put(at, (uint64_t)m->bytes, 8);
  }
}

static snug_status put_local(snug__zip_writer *w, const member *m) {
  uint8_t record[RECORD_BYTES], *at = record;
  snug__put(&at, 0x04034b50, 4);
  put_common(&at, m, 16);
  put_name(&at, m, 16);
  return put_bytes(w, record, (size_t)(at - record));
}

static snug_status put_entry(snug__zip_writer *w, const member *m) {
  uint8_t record[RECORD_BYTES], *at = record;
  snug__put(&at, 0x02014b50, 4);
  snug__put(&at, 3u << 8 | (m->is_wide ? 45 : 20), 2); /* made on Unix */
  put_common(&at, m, 24);
  snug__put(&at, 0, 6); /* no comment, first disk, attributes */
  snug__put(&at, 0600u << 16, 4);
  snug__put(&at, m->is_wide ? WIDE : (uint64_t)m->at, 4);
  put_name(&at, m, 24);
  if (m->is_wide) {
    snug__put(&at, (uint64_t)m->at, 8);
  }
  return put_bytes(w, record, (size_t)(at - record));
}

static void put_end64(uint8_t **at, const snug__zip_writer *w, int64_t directory) {
  snug__put(at, 0x06064b50, 4);
  snug__put(at, 44, 8);
  snug__put(at, 45, 2);
  snug__put(at, 45, 2);
  snug__put(at, 0, 8);
  snug__put(at, w->members.n, 8);
  snug__put(at, w->members.n, 8);
  snug__put(at, (uint64_t)(w->file->at - directory), 8);
  snug__put(at, (uint64_t)directory, 8);
  snug__put(at, 0x07064b50, 4);
  snug__put(at, 0, 4);
  snug__put(at, (uint64_t)w->file->at, 8);
  snug__put(at, 1, 4);
}

static snug_status put_end(snug__zip_writer *w, int64_t directory) {
  uint8_t record[RECORD_BYTES], *at = record;
  bool is_wide = w->file->at > MOST_NARROW;
  if (is_wide) {
    put_end64(&at, w, directory);
  }
  snug__put(&at, 0x06054b50, 4);
  snug__put(&at, 0, 4);
  snug__put(&at, w->members.n, 2);
  snug__put(&at, w->members.n, 2);
  snug__put(&at, (uint64_t)(w->file->at - directory), 4);
  snug__put(&at, is_wide ? WIDE : (uint64_t)directory, 4);
  snug__put(&at, 0, 2);
  return put_bytes(w, record, (size_t)(at - record));
}

static snug_status check_name(const snug__zip_writer *w, const char *name) {
  return strlen(name) < MOST_NAME ? SNUG_OK
                                  : snug__fail(w->file->ctx, SNUG_E_ARGUMENT,
                                               "%s: a member's name has %zu bytes; %d are most",
                                               w->file->path, strlen(name), MOST_NAME - 1);
}

snug_status snug__zip_add(snug__zip_writer *w, const char *name, const snug__zip_content *content,
                          bool wide) {
  member m = {.bytes = content->bytes, .at = w->file->at};
  m.is_wide = wide || m.bytes > MOST_NARROW || m.at > MOST_NARROW;
  SNUG_TRY(check_name(w, name));
  memcpy(m.name, name, strlen(name));
  SNUG_TRY(content->give(content->arg, add_to_crc, &m.crc));
  SNUG_TRY(put_local(w, &m));
  SNUG_TRY(content->give(content->arg, put_bytes, w));
  return snug__vec_push(&w->members, &m, 1);
}

/* The checksum of what was written to the file itself. */
static snug_status read_crc(const snug__zip_writer *w, int64_t at, member *m) {
  uint8_t piece[PIECE];
  char reason[128];
  for (int64_t done = 0; done < m->bytes; done += PIECE) {
    size_t n = (size_t)snug__min_i64(PIECE, m->bytes - done);
    if (!snug__read_at(w->file->fd, piece, n, at + done)) {
      return snug__fail(w->file->ctx, SNUG_E_IO, "%s: what was written cannot be read back: %s",
                        w->file->path,
                        errno ? strerror_r(errno, reason, sizeof reason) : "it ends early");
    }
    SNUG_TRY(add_to_crc(&m->crc, piece, n));
  }
  return SNUG_OK;
}

/* The header, which tells size and checksum, is written behind the content and precedes it. */
snug_status snug__zip_add_written(snug__zip_writer *w, const char *name, snug__zip_write *write,
                                  void *user, bool wide) {
  member m = {.at = w->file->at, .is_wide = wide || w->file->at > MOST_NARROW};
  SNUG_TRY(check_name(w, name));
  memcpy(m.name, name, strlen(name));
  int64_t content = m.at + LOCAL_BYTES + (int64_t)strlen(name) + (m.is_wide ? LOCAL_WIDE : 0);
  SNUG_TRY(write(user, w->file->fd, content, &m.bytes));
  if (m.bytes > MOST_NARROW && !m.is_wide) {
    return snug__fail(w->file->ctx, SNUG_E_OVERFLOW, "%s: %s has %lld bytes, more than it said",
                      w->file->path, name, (long long)m.bytes);
  }
  SNUG_TRY(read_crc(w, content, &m));
  SNUG_TRY(put_local(w, &m));
  w->file->at = content + m.bytes;
  return snug__vec_push(&w->members, &m, 1);
}

snug_status snug__zip_finish(snug__zip_writer *w) {
  int64_t directory = w->file->at;
  for (size_t i = 0; i < w->members.n; i++) {
    SNUG_TRY(put_entry(w, &SNUG_VEC(&w->members, member, i)));
  }
  return put_end(w, directory);
}
