/* Bytes of a gzipped file or a deflated member from front to back.  All that zlib keeps lies in the
 * scratch of the thread that reads, so any number of them can be under way. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/size.h"
#include "data/rows.h"

#define PIECE (16u << 10)
#define ZLIB_BYTES                                                               \
  (64u << 10) /* inflate keeps 32 KiB of what it gave, and some 10 KiB of tables \
               */

typedef struct cursor {
  z_stream z;
  int64_t at; /* of the next packed byte in the file */
  bool ended;
  uint32_t crc;
  size_t used; /* of memory */
  unsigned char in[PIECE];
  _Alignas(16) unsigned char memory[ZLIB_BYTES];
} cursor;

size_t snug__unpacked_scratch(void) { return sizeof(cursor); }

static void *take(void *user, unsigned n, unsigned bytes) {
  cursor *c = user;
  size_t whole = 0;
  if (!snug__mul_size(n, bytes, &whole) || whole > ZLIB_BYTES - c->used) {
    return Z_NULL;
  }
  void *piece = c->memory + c->used;
  c->used += (whole + 15) / 16 * 16;
  return piece;
}

/* All of it goes at once, when the pass begins again. */
static void give(void *user, void *piece) {
  (void)user;
  (void)piece;
}

static snug_status fail_damaged(const cursor *c, char *why) {
  snprintf(why, SNUG_WHY_BYTES, "%s: the file is damaged",
           c->z.msg ? c->z.msg : "ends in the middle of what is packed");
  return SNUG_E_FORMAT;
}

static snug_status fill_input(const snug__rows *r, cursor *c, char *why) {
  size_t n = (size_t)snug__min_i64(PIECE, r->end - c->at);
  SNUG_TRY(snug__rows_file_check(&r->file, why));
  SNUG_TRY(snug__rows_file_read(&r->file, c->in, n, c->at, why));
  c->at += (int64_t)n;
  c->z.next_in = c->in;
  c->z.avail_in = (uInt)n;
  return SNUG_OK;
}

/* A gzipped file may be several, one behind the other. */
static void end_member(const snug__rows *r, cursor *c) {
  bool has_more = c->z.avail_in > 0 || c->at < r->end;
  if (r->packing == SNUG__GZIP && has_more) {
    inflateReset(&c->z);
  } else {
    c->ended = true;
  }
}

/* Up to n bytes; *got is 0 at the end.  When all packed bytes are taken in, some that they stand
 * for may still be to come. */
static snug_status unpack(const snug__rows *r, cursor *c, void *dst, size_t n, size_t *got,
                          char *why) {
  c->z.next_out = dst;
  c->z.avail_out = (uInt)n;
  while (c->z.avail_out == (uInt)n && !c->ended) {
    SNUG_TRY(c->z.avail_in || c->at == r->end ? SNUG_OK : fill_input(r, c, why));
    int code = inflate(&c->z, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      end_member(r, c);
    } else if (code != Z_OK) {
      return fail_damaged(c, why);
    }
  }
  *got = n - c->z.avail_out;
  c->crc = r->packing == SNUG__DEFLATE ? (uint32_t)crc32(c->crc, dst, (uInt)*got) : 0;
  return SNUG_OK;
}

snug_status snug__unpacked_read(const snug__rows *r, void *scratch, void *dst, size_t n,
                                char *why) {
  char *at = dst;
  while (n > 0) {
    size_t got = 0;
    SNUG_TRY(unpack(r, scratch, at, n < INT32_MAX ? n : INT32_MAX, &got, why));
    if (got == 0) {
      snprintf(why, SNUG_WHY_BYTES, "ends too early, by %zu bytes", n);
      return SNUG_E_FORMAT;
    }
    at += got;
    n -= got;
  }
  return SNUG_OK;
}

snug_status snug__unpacked_end(const snug__rows *r, void *scratch, char *why) {
  const cursor *c = scratch;
  char more;
  size_t got = 0;
  SNUG_TRY(unpack(r, scratch, &more, 1, &got, why));
  if (got > 0 || (r->packing == SNUG__DEFLATE && c->crc != r->crc)) {
    snprintf(why, SNUG_WHY_BYTES, "%s",
             got ? "goes on behind the end of its array" : "has another checksum: it is damaged");
    return SNUG_E_FORMAT;
  }
  return SNUG_OK;
}

static snug_status skip(const snug__rows *r, void *scratch, int64_t n, char *why) {
  char piece[1024];
  for (int64_t left = n, now; left > 0; left -= now) {
    now = snug__min_i64(left, (int64_t)sizeof piece);
    SNUG_TRY(snug__unpacked_read(r, scratch, piece, (size_t)now, why));
  }
  return SNUG_OK;
}

snug_status snug__unpacked_restart(void *rows, void *scratch, uint64_t pass, char *why) {
  const snug__rows *r = rows;
  cursor *c = scratch;
  (void)pass;
  memset(&c->z, 0, sizeof c->z);
  c->z.zalloc = take;
  c->z.zfree = give;
  c->z.opaque = c;
  c->at = r->from;
  c->ended = false;
  c->crc = 0;
  c->used = 0;
  int bits = r->packing == SNUG__GZIP ? MAX_WBITS + 16 : -MAX_WBITS;
  if (inflateInit2(&c->z, bits) != Z_OK) {
    snprintf(why, SNUG_WHY_BYTES, "no memory to unpack it");
    return SNUG_E_MEMORY;
  }
  return skip(r, scratch, r->header, why);
}
