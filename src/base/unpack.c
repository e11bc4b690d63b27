/* The bytes of a member in order, stored or unpacked in small pieces.  The directory says how many
 * there are: one more is damage or a trap, and ends it. */
#include <string.h>
#include <zlib.h>

#include "base/size.h"
#include "base/zip.h"

#define PIECE 16384

struct snug__unpack {
  const snug__zip *z;
  const snug__zip_member *m;
  int64_t from, end; /* of what is still packed */
  int64_t done;      /* bytes that were given */
  uLong crc;
  bool is_deflated, ended;
  z_stream stream;
  uint8_t in[PIECE];
};

static snug_status fail_memory(const snug__unpack *u) {
  return snug__fail(u->z->ctx, SNUG_E_MEMORY, "%s: no memory to unpack %s", u->z->path, u->m->name);
}

snug_status snug__unpack_open(const snug__zip *z, const snug__zip_member *m, snug__unpack **out) {
  snug__unpack *u = NULL;
  int64_t from = 0;
  *out = NULL;
  SNUG_TRY(snug__zip_packed(z, m, &from));
  SNUG_TRY(SNUG_NEW(z->ctx, SNUG__MEM_SCRATCH, &u));
  u->z = z;
  u->m = m;
  u->from = from;
  u->end = from + m->packed;
  if (m->method != SNUG__ZIP_STORED && inflateInit2(&u->stream, -MAX_WBITS) != Z_OK) {
    snug_status s = fail_memory(u);
    snug__give(z->ctx, SNUG__MEM_SCRATCH, u, sizeof *u);
    return s;
  }
  u->is_deflated = m->method != SNUG__ZIP_STORED;
  *out = u;
  return SNUG_OK;
}

void snug__unpack_close(snug__unpack *u) {
  if (!u) {
    return;
  }
  if (u->is_deflated) {
    inflateEnd(&u->stream);
  }
  snug__give(u->z->ctx, SNUG__MEM_SCRATCH, u, sizeof *u);
}

static snug_status read_stored(snug__unpack *u, void *dst, size_t n, size_t *got) {
  *got = (size_t)snug__min_i64((int64_t)n, u->end - u->from);
  SNUG_TRY(snug__zip_read(u->z, dst, *got, u->from));
  u->from += (int64_t)*got;
  u->ended = u->from == u->end;
  return SNUG_OK;
}

static snug_status fill(snug__unpack *u) {
  size_t n = (size_t)snug__min_i64(PIECE, u->end - u->from);
  SNUG_TRY(snug__zip_read(u->z, u->in, n, u->from));
  u->from += (int64_t)n;
  u->stream.next_in = u->in;
  u->stream.avail_in = (uInt)n;
  return SNUG_OK;
}

static snug_status inflate_some(snug__unpack *u, void *dst, size_t n, size_t *got) {
  if (u->stream.avail_in == 0) {
    SNUG_TRY(fill(u));
  }
  u->stream.next_out = dst;
  u->stream.avail_out = (uInt)n;
  int code = inflate(&u->stream, Z_NO_FLUSH);
  if (code == Z_MEM_ERROR) {
    return fail_memory(u);
  }
  if (code != Z_OK && code != Z_STREAM_END) {
    return SNUG__BAD_ZIP(u->z, "%s is damaged: it cannot be unpacked", u->m->name);
  }
  u->ended = code == Z_STREAM_END;
  *got = n - u->stream.avail_out;
  return SNUG_OK;
}

static snug_status check_end(const snug__unpack *u) {
  if (u->done == u->m->bytes && u->crc == u->m->crc) {
    return SNUG_OK;
  }
  return SNUG__BAD_ZIP(u->z, "%s is damaged: its %s is wrong", u->m->name,
                       u->done != u->m->bytes ? "length" : "checksum");
}

static snug_status take(snug__unpack *u, const void *dst, size_t got) {
  if ((int64_t)got > u->m->bytes - u->done) {
    return SNUG__BAD_ZIP(u->z, "%s unpacks to more than the %lld bytes that it says", u->m->name,
                         (long long)u->m->bytes);
  }
  u->done += (int64_t)got;
  u->crc = crc32(u->crc, dst, (uInt)got);
  return u->ended ? check_end(u) : SNUG_OK;
}

snug_status snug__unpack_read(snug__unpack *u, void *dst, size_t n, size_t *got) {
  *got = 0;
  n = n < INT32_MAX ? n : INT32_MAX;
  while (!u->ended && *got == 0) { /* a call of zlib may take without giving */
    SNUG_TRY(u->is_deflated ? inflate_some(u, dst, n, got) : read_stored(u, dst, n, got));
    SNUG_TRY(take(u, dst, *got));
  }
  return SNUG_OK;
}
