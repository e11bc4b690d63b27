/* `.npz` as numpy.savez writes it: stored members, each with its sizes in 64 bits, then the
 * directory.  Times are those of the year 1980, so that the same arrays give the same bytes. */
#include <string.h>
#include <zlib.h>

#include "data/arrays_file.h"
#include "data/npy_write.h"

#define RECORD_BYTES 256 /* room for any record that is written here */
#define WIDE 0xFFFFFFFFu
#define DATE_1980 0x21 /* the first of January */
#define ZIP64 45       /* version that is needed to read it */

typedef struct member {
  int64_t at; /* where its header lies */
  uint32_t crc;
} member;

typedef struct writer {
  snug__replace file;
  int64_t at; /* bytes written so far */
  const char *const *names;
  const snug_array *arrays;
  member *members;
  int32_t n;
} writer;

static void put(unsigned char **at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) {
    *(*at)++ = (unsigned char)(value >> (8 * i));
  }
}

static void put_name(unsigned char **at, const char *name) {
  memcpy(*at, name, strlen(name));
  memcpy(*at + strlen(name), ".npy", 4);
  *at += strlen(name) + 4;
}

static snug_status write_bytes(void *user, const void *bytes, size_t n) {
  writer *w = user;
  w->at += (int64_t)n;
  return snug__replace_write(&w->file, bytes, n);
}

static snug_status add_to_crc(void *user, const void *bytes, size_t n) {
  uint32_t *crc = user;
  *crc = (uint32_t)crc32_z(*crc, bytes, n);
  return SNUG_OK;
}

/* Version, flags (names are UTF-8), method, time, date, checksum, sizes, lengths: in both headers
 * the same. */
static void put_common(unsigned char **at, const writer *w, int32_t i, size_t extra) {
  put(at, ZIP64, 2);
  put(at, 0x0800, 2);
  put(at, 0, 2);
  put(at, 0, 2);
  put(at, DATE_1980, 2);
  put(at, w->members[i].crc, 4);
  put(at, WIDE, 4);
  put(at, WIDE, 4);
  put(at, strlen(w->names[i]) + 4, 2);
  put(at, extra, 2);
}

static void put_sizes(unsigned char **at, const writer *w, int32_t i, uint64_t extra) {
  uint64_t bytes = (uint64_t)snug__npy_bytes(&w->arrays[i]);
  put(at, 1, 2);
  put(at, extra, 2);
  put(at, bytes, 8);
  put(at, bytes, 8);
}

static snug_status write_member(writer *w, int32_t i) {
  unsigned char record[RECORD_BYTES];
  unsigned char *at = record;
  w->members[i] = (member){.at = w->at};
  SNUG_TRY(snug__npy_emit(&w->arrays[i], add_to_crc, &w->members[i].crc));
  put(&at, 0x04034B50, 4);
  put_common(&at, w, i, 20);
  put_name(&at, w->names[i]);
  put_sizes(&at, w, i, 16);
  SNUG_TRY(write_bytes(w, record, (size_t)(at - record)));
  return snug__npy_emit(&w->arrays[i], write_bytes, w);
}

static snug_status write_entry(writer *w, int32_t i) {
  unsigned char record[RECORD_BYTES];
  unsigned char *at = record;
  put(&at, 0x02014B50, 4);
  put(&at, 3u << 8 | ZIP64, 2); /* made on Unix */
  put_common(&at, w, i, 28);
  put(&at, 0, 6); /* no comment, first disk, attributes */
  put(&at, 0600u << 16, 4);
  put(&at, WIDE, 4);
  put_name(&at, w->names[i]);
  put_sizes(&at, w, i, 24);
  put(&at, (uint64_t)w->members[i].at, 8);
  return write_bytes(w, record, (size_t)(at - record));
}

static snug_status write_end(writer *w, int64_t directory) {
  unsigned char record[RECORD_BYTES];
  unsigned char *at = record;
  int64_t end = w->at;
  put(&at, 0x06064B50, 4);
  put(&at, 44, 8);
  put(&at, ZIP64, 2);
  put(&at, ZIP64, 2);
  put(&at, 0, 8);
  put(&at, (uint64_t)w->n, 8);
  put(&at, (uint64_t)w->n, 8);
  put(&at, (uint64_t)(end - directory), 8);
  put(&at, (uint64_t)directory, 8);
  put(&at, 0x07064B50, 4);
  put(&at, 0, 4);
  put(&at, (uint64_t)end, 8);
  put(&at, 1, 4);
  put(&at, 0x06054B50, 4);
  put(&at, 0, 4);
  put(&at, 0xFFFF, 2);
  put(&at, 0xFFFF, 2);
  put(&at, WIDE, 4);
  put(&at, WIDE, 4);
  put(&at, 0, 2);
  return write_bytes(w, record, (size_t)(at - record));
}

static snug_status write_all(writer *w) {
  for (int32_t i = 0; i < w->n; i++) {
    SNUG_TRY(write_member(w, i));
  }
  int64_t directory = w->at;
  for (int32_t i = 0; i < w->n; i++) {
    SNUG_TRY(write_entry(w, i));
  }
  return write_end(w, directory);
}

/* A name that reading takes: one that leads nowhere else, and there once. */
static snug_status check_name(snug_ctx *ctx, const char *path, const char *const *names,
                              int32_t i) {
  const char *name = names[i] ? names[i] : "";
  bool is_twice = false;
  for (int32_t k = 0; k < i; k++) {
    is_twice = is_twice || strcmp(names[k], name) == 0;
  }
  bool is_good = snug__npz_name_is_good(name) && strlen(name) + strlen(".npy") <= SNUG__NPZ_NAME;
  return !is_twice && is_good
             ? SNUG_OK
             : snug__fail(ctx, SNUG_E_ARGUMENT, "%s: \"%.60s\" %s", path, name,
                          is_twice ? "names two arrays" : "is no name for an array");
}

static snug_status check(snug_ctx *ctx, const char *path, const char *const *names,
                         const snug_array *arrays, int32_t n) {
  if (!names || !arrays || n < 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: there are no arrays to save", path);
  }
  for (int32_t i = 0; i < n; i++) {
    SNUG_TRY(check_name(ctx, path, names, i));
    SNUG_TRY(snug__npy_check(ctx, names[i], &arrays[i]));
  }
  return SNUG_OK;
}

static snug_status save(writer *w, snug_ctx *ctx, const char *path) {
  SNUG_TRY(snug__replace_begin(&w->file, ctx, path));
  snug_status status = write_all(w);
  if (status) {
    snug__replace_abandon(&w->file);
    return status;
  }
  return snug__replace_commit(&w->file);
}

snug_status snug_npz_save(snug_ctx *ctx, const char *path, const char *const *names,
                          const snug_array *arrays, int32_t n) {
  writer w = {.names = names, .arrays = arrays, .n = n};
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!path) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "no file to save to was given (NULL)");
  }
  SNUG_TRY(check(ctx, path, names, arrays, n));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &w.members));
  snug_status status = save(&w, ctx, path);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, w.members, n);
  return status;
}
