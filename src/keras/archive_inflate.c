/* Unpacking a compressed member, in small pieces, to a file that has no name.  The directory says
 * how many bytes it has: one more is damage or a trap, and ends it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/size.h"
#include "keras/archive_parts.h"
#include "keras/bytes.h"

#define PIECE 65536

typedef struct inflating {
  const snug__archive *a;
  const snug__member *m;
  int fd;
  int64_t from, end; /* of what is still packed */
  int64_t done;      /* bytes unpacked */
  uLong crc;
  z_stream z;
  uint8_t in[PIECE], out[PIECE];
} inflating;

static snug_status open_unnamed(const snug__archive *a, int *out) {
  const char *folder = getenv("TMPDIR");
  char path[4096], reason[128];
  folder = folder && *folder ? folder : "/tmp";
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  int n = snprintf(path, sizeof path, "%s/snug-XXXXXX", folder);
  if (fd < 0 && n > 0 && (size_t)n < sizeof path) { /* a file system without such files */
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
      unlink(path);
    }
  }
  if (fd < 0) {
    return snug__fail(a->ctx, SNUG_E_IO, "%s: no place to unpack it in %s (TMPDIR): %s", a->path,
                      folder, strerror_r(errno, reason, sizeof reason));
  }
  *out = fd;
  return SNUG_OK;
}

static snug_status fill(inflating *i) {
  size_t n = (size_t)snug__min_i64(PIECE, i->end - i->from);
  SNUG_TRY(snug__archive_read(i->a, i->in, n, i->from));
  i->from += (int64_t)n;
  i->z.next_in = i->in;
  i->z.avail_in = (uInt)n;
  return SNUG_OK;
}

static snug_status keep(inflating *i) {
  char reason[128];
  size_t n = PIECE - i->z.avail_out;
  if ((int64_t)n > i->m->bytes - i->done) {
    return SNUG__BAD_ARCHIVE(i->a, "%s unpacks to more than the %lld bytes that it says",
                             i->m->name, (long long)i->m->bytes);
  }
  if (!snug__write_at(i->fd, i->out, n, i->done)) {
    return snug__fail(i->a->ctx, SNUG_E_IO, "%s: %s cannot be unpacked in the folder TMPDIR: %s",
                      i->a->path, i->m->name, strerror_r(errno, reason, sizeof reason));
  }
  i->crc = crc32(i->crc, i->out, (uInt)n);
  i->done += (int64_t)n;
  return SNUG_OK;
}

/* One call of zlib; *ended when the stream is over. */
static snug_status step(inflating *i, bool *ended) {
  if (i->z.avail_in == 0) {
    SNUG_TRY(fill(i));
  }
  i->z.next_out = i->out;
  i->z.avail_out = PIECE;
  int code = inflate(&i->z, Z_NO_FLUSH);
  if (code == Z_MEM_ERROR) {
    return snug__fail(i->a->ctx, SNUG_E_MEMORY, "%s: no memory to unpack %s", i->a->path,
                      i->m->name);
  }
  if (code != Z_OK && code != Z_STREAM_END) {
    return SNUG__BAD_ARCHIVE(i->a, "%s is damaged: it cannot be unpacked", i->m->name);
  }
  *ended = code == Z_STREAM_END;
  return keep(i);
}

static snug_status inflate_all(inflating *i) {
  bool ended = false;
  while (!ended) {
    SNUG_TRY(step(i, &ended));
  }
  if (i->done != i->m->bytes || i->crc != i->m->crc) {
    return SNUG__BAD_ARCHIVE(i->a, "%s is damaged: its %s", i->m->name,
                             i->done != i->m->bytes ? "length is wrong" : "checksum is wrong");
  }
  return SNUG_OK;
}

snug_status snug__archive_inflate(const snug__archive *a, const snug__member *m, int64_t offset,
                                  int *fd) {
  inflating *i = NULL;
  SNUG_TRY(SNUG_NEW(a->ctx, SNUG__MEM_SCRATCH, &i));
  *i = (inflating){.a = a, .m = m, .fd = -1, .from = offset, .end = offset + m->packed};
  snug_status s = open_unnamed(a, &i->fd);
  if (!s && inflateInit2(&i->z, -MAX_WBITS) != Z_OK) {
    s = snug__fail(a->ctx, SNUG_E_MEMORY, "%s: no memory to unpack %s", a->path, m->name);
  }
  if (!s) {
    s = inflate_all(i);
    inflateEnd(&i->z);
  }
  *fd = i->fd;
  if (s && i->fd >= 0) {
    close(i->fd);
  }
  snug__give(a->ctx, SNUG__MEM_SCRATCH, i, sizeof *i);
  return s;
}
