#include "keras_files/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "lib/test.h"

#define MOST_MEMBERS 8

typedef struct placed {
  uint64_t header, packed;
  uint32_t crc;
} placed;

static void *compress_data(const test_member *m, uint64_t *packed) {
  size_t room = compressBound((uLong)m->bytes) + 64;
  z_stream z = {.next_in = (Bytef *)(uintptr_t)m->data, .avail_in = (uInt)m->bytes};
  uint8_t *out = malloc(room);
  ASSERT_NOT_NULL(out);
  ASSERT_EQ_INT(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_out = out;
  z.avail_out = (uInt)room;
  ASSERT_EQ_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
  *packed = z.total_out;
  deflateEnd(&z);
  return out;
}

/* Version to lengths, as both headers have them. */
static void put_common(uint8_t **at, const test_member *m, const placed *p, size_t name,
                       size_t extra) {
  uint64_t bytes = m->bytes + (uint64_t)m->bytes_off, packed = p->packed + (uint64_t)m->packed_off;
  snug__put(at, 20, 2);
  snug__put(at, m->flags, 2);
  snug__put(at, (m->deflate ? 8 : 0) + m->method, 2);
  snug__put(at, 0, 4);
  snug__put(at, p->crc + m->crc_off, 4);
  snug__put(at, m->zip64 ? UINT32_MAX : packed, 4);
  snug__put(at, m->zip64 ? UINT32_MAX : bytes, 4);
  snug__put(at, name, 2);
  snug__put(at, extra, 2);
}

static void put_wide(uint8_t **at, const test_member *m, const placed *p, bool with_place) {
  if (m->zip64) {
    snug__put(at, 0x7777, 2); /* a field of somebody else */
    snug__put(at, 1, 2);
    snug__put(at, 0, 1);
    snug__put(at, 1, 2);
    snug__put(at, with_place ? 24 : 16, 2);
    snug__put(at, m->bytes + (uint64_t)m->bytes_off, 8);
    snug__put(at, p->packed + (uint64_t)m->packed_off, 8);
    if (with_place) {
      snug__put(at, p->header + (uint64_t)m->header_off, 8);
    }
  }
}

static void put_member(FILE *f, const test_member *m, placed *p) {
  uint8_t header[1024], *at = header;
  const char *name = m->local_name ? m->local_name : m->name;
  void *packed = m->deflate ? compress_data(m, &p->packed) : NULL;
  p->packed = m->deflate ? p->packed : m->bytes;
  p->header = (uint64_t)ftell(f);
  p->crc = (uint32_t)crc32(0, m->data, (uInt)m->bytes);
  snug__put(&at, 0x04034b50, 4);
  put_common(&at, m, p, strlen(name), m->zip64 ? 25 : 0);
  memcpy(at, name, strlen(name));
  at += strlen(name);
  put_wide(&at, m, p, false);
  fwrite(header, 1, (size_t)(at - header), f);
  fwrite(m->deflate ? packed : m->data, 1, p->packed, f);
  free(packed);
}

static void put_entry(FILE *f, const test_member *m, const placed *p) {
  uint8_t entry[1024], *at = entry;
  snug__put(&at, 0x02014b50, 4);
  snug__put(&at, 20, 2);
  put_common(&at, m, p, strlen(m->name), m->zip64 ? 33 : 0);
  snug__put(&at, 0, 8);
  snug__put(&at, 0, 2);
  snug__put(&at, m->zip64 ? UINT32_MAX : p->header + (uint64_t)m->header_off, 4);
  memcpy(at, m->name, strlen(m->name));
  at += strlen(m->name);
  put_wide(&at, m, p, true);
  fwrite(entry, 1, (size_t)(at - entry), f);
}

static void put_end64(uint8_t **at, uint64_t n, uint64_t size, uint64_t offset, uint64_t here) {
  snug__put(at, 0x06064b50, 4);
  snug__put(at, 44, 8);
  snug__put(at, 45, 4);
  snug__put(at, 0, 8);
  snug__put(at, n, 8);
  snug__put(at, n, 8);
  snug__put(at, size, 8);
  snug__put(at, offset, 8);
  snug__put(at, 0x07064b50, 4);
  snug__put(at, 0, 4);
  snug__put(at, here, 8);
  snug__put(at, 1, 4);
}

static void put_end(FILE *f, const test_zip *how, size_t n_members, uint64_t directory) {
  uint8_t end[256], *at = end;
  const char *comment = how->comment ? how->comment : "";
  uint64_t here = (uint64_t)ftell(f), n = n_members + (uint64_t)how->n_off;
  uint64_t size = here - directory + (uint64_t)how->size_off;
  uint64_t offset = directory + (uint64_t)how->offset_off;
  if (how->zip64) {
    put_end64(&at, n, size, offset, here);
  }
  snug__put(&at, 0x06054b50, 4);
  snug__put(&at, 0, 4);
  snug__put(&at, how->zip64 ? 0xffff : n, 2);
  snug__put(&at, how->zip64 ? 0xffff : n, 2);
  snug__put(&at, how->zip64 ? UINT32_MAX : size, 4);
  snug__put(&at, how->zip64 ? UINT32_MAX : offset, 4);
  snug__put(&at, strlen(comment), 2);
  fwrite(end, 1, (size_t)(at - end), f);
  fputs(comment, f);
}

void test_zip_write(const char *path, const test_zip *how, const test_member *m, size_t n) {
  static const test_zip honest = {0};
  placed places[MOST_MEMBERS] = {{0}};
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  ASSERT_TRUE(n <= MOST_MEMBERS);
  how = how ? how : &honest;
  fputs(how->before ? how->before : "", f);
  for (size_t i = 0; i < n; i++) {
    put_member(f, &m[i], &places[i]);
  }
  uint64_t directory = (uint64_t)ftell(f);
  for (size_t i = 0; i < n; i++) {
    put_entry(f, &m[i], &places[i]);
  }
  put_end(f, how, n, directory);
  ASSERT_EQ_INT(fclose(f), 0);
}
