#include "base/zip_write.h"

#include <string.h>
#include <zlib.h>

#include "base/bytes.h"

#define MOST_NARROW 0x7fffffff /* sizes up to this stand in the plain fields, as in Python */
#define WIDE 0xffffffffu       /* "see the Zip64 field" */
#define DATE_1980 0x21         /* the first of January */
#define MOST_NAME 512
#define RECORD_BYTES (MOST_NAME + 128) /* room for any record that is written here */
#define MOST_MEMBERS 65534             /* one more would mean Zip64 */
#define UTF8 0x0800                    /* a flag: so is the name */

typedef struct member {
  char name[MOST_NAME];
  int64_t bytes, at; /* at: where its header lies */
  uint32_t crc;
  bool is_wide;
} member;

snug_status snug__zip_begin(snug__zip_writer *w, snug_ctx *ctx, const char *path) {
  w->at = 0;
  snug__vec_init(&w->members, ctx, SNUG__MEM_SCRATCH, sizeof(member), MOST_MEMBERS);
  return snug__replace_begin(&w->file, ctx, path);
}

void snug__zip_abandon(snug__zip_writer *w) {
  snug__vec_release(&w->members);
  snug__replace_abandon(&w->file);
}

static snug_status put_bytes(void *user, const void *bytes, size_t n) {
  snug__zip_writer *w = user;
  w->at += (int64_t)n;
  return snug__replace_write(&w->file, bytes, n);
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
  snug__put(at, (uint64_t)(w->at - directory), 8);
  snug__put(at, (uint64_t)directory, 8);
  snug__put(at, 0x07064b50, 4);
  snug__put(at, 0, 4);
  snug__put(at, (uint64_t)w->at, 8);
  snug__put(at, 1, 4);
}

static snug_status put_end(snug__zip_writer *w, int64_t directory) {
  uint8_t record[RECORD_BYTES], *at = record;
  bool is_wide = w->at > MOST_NARROW;
  if (is_wide) {
    put_end64(&at, w, directory);
  }
  snug__put(&at, 0x06054b50, 4);
  snug__put(&at, 0, 4);
  snug__put(&at, w->members.n, 2);
  snug__put(&at, w->members.n, 2);
  snug__put(&at, (uint64_t)(w->at - directory), 4);
  snug__put(&at, is_wide ? WIDE : (uint64_t)directory, 4);
  snug__put(&at, 0, 2);
  return put_bytes(w, record, (size_t)(at - record));
}

snug_status snug__zip_add(snug__zip_writer *w, const char *name, const snug__zip_content *content,
                          bool wide) {
  member m = {.bytes = content->bytes, .at = w->at};
  m.is_wide = wide || m.bytes > MOST_NARROW || m.at > MOST_NARROW;
  if (strlen(name) >= sizeof m.name) {
    return snug__fail(w->file.ctx, SNUG_E_ARGUMENT,
                      "%s: a member's name has %zu bytes; %d are most", w->file.path, strlen(name),
                      MOST_NAME - 1);
  }
  memcpy(m.name, name, strlen(name));
  SNUG_TRY(content->give(content->arg, add_to_crc, &m.crc));
  SNUG_TRY(put_local(w, &m));
  SNUG_TRY(content->give(content->arg, put_bytes, w));
  return snug__vec_push(&w->members, &m, 1);
}

static snug_status put_directory(snug__zip_writer *w) {
  int64_t directory = w->at;
  for (size_t i = 0; i < w->members.n; i++) {
    SNUG_TRY(put_entry(w, &SNUG_VEC(&w->members, member, i)));
  }
  return put_end(w, directory);
}

snug_status snug__zip_commit(snug__zip_writer *w) {
  snug_status s = put_directory(w);
  s = s ? s : snug__replace_commit(&w->file);
  snug__zip_abandon(w);
  return s;
}
