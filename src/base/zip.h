/* A zip archive, read where it lies: its directory entry by entry, its members as ranges of the
 * file.  Stored members and DEFLATE, Zip64.
 *
 * A library is not used here: libzip keeps a structure per entry, so that a file of 50 MB can make
 * it take 240 MB, and does not tell where a member lies.
 *
 * Invariants:
 * 1. Every number of the archive is held against the size of the file before it is used.
 * 2. Reading takes no memory that grows with the archive.
 * 3. No name of a member is ever opened or written. */
#ifndef SNUG_BASE_ZIP_H
#define SNUG_BASE_ZIP_H

#include <stdbool.h>

#include "base/ctx.h"

#define SNUG__ZIP_NAME_BYTES 512 /* of the longest name that is read, with its NUL */

/* A member as in the directory. */
typedef struct snug__zip_member {
  char name[SNUG__ZIP_NAME_BYTES];
  uint32_t flags, method, crc;
  int64_t header;        /* where its local header lies */
  int64_t packed, bytes; /* in the archive, and unpacked */
} snug__zip_member;

#define SNUG__ZIP_STORED 0 /* a method; the other one that is read is DEFLATE */

typedef struct snug__zip {
  snug_ctx *ctx;
  const char *path; /* for messages */
  int fd;
  int64_t size;                      /* of the file */
  int64_t directory, directory_size; /* where the directory lies */
  uint64_t n_members;
} snug__zip;

/* "<path>: <message>", E_FORMAT. */
#define SNUG__BAD_ZIP(z, ...) \
  snug__fail_within((z)->ctx, snug__fail((z)->ctx, SNUG_E_FORMAT, __VA_ARGS__), "%s", (z)->path)

/* Find the directory of an open file and look at every entry in it.  fd and path stay the caller's
 * and are used as long as *z is.  Fails: E_FORMAT, E_IO, E_MEMORY. */
snug_status snug__zip_open(snug__zip *z, snug_ctx *ctx, const char *path, int fd,
                           int64_t size) SNUG_NODISCARD;

/* The next member behind *at, which begins with 0. */
snug_status snug__zip_next(const snug__zip *z, int64_t *at, snug__zip_member *m,
                           bool *is_there) SNUG_NODISCARD;

/* Find a member; *found false if there is none.  Fails: E_FORMAT (two of them). */
snug_status snug__zip_find(const snug__zip *z, const char *name, snug__zip_member *out,
                           bool *found) SNUG_NODISCARD;

/* Where the member's bytes, of m->packed, lie in the file.  Fails: E_FORMAT (encrypted, another
 * compression, not inside of the archive). */
snug_status snug__zip_packed(const snug__zip *z, const snug__zip_member *m,
                             int64_t *offset) SNUG_NODISCARD;

/* Read bytes of the file.  Fails: E_IO, E_FORMAT (it ends before). */
snug_status snug__zip_read(const snug__zip *z, void *dst, size_t n, int64_t offset) SNUG_NODISCARD;

/* ---- the bytes of a member, in order ---- */

typedef struct snug__unpack snug__unpack;

/* Begin a member; *z and *m must stay.  Owns: *out is the caller's, ended by snug__unpack_close.
 * Fails: E_FORMAT, E_MEMORY. */
snug_status snug__unpack_open(const snug__zip *z, const snug__zip_member *m,
                              snug__unpack **out) SNUG_NODISCARD;
void snug__unpack_close(snug__unpack *u);

/* Read up to n bytes; *got is 0 at the end, where length and checksum were found right.  Fails:
 * E_FORMAT (damaged; longer or shorter than it says), E_IO, E_MEMORY. */
snug_status snug__unpack_read(snug__unpack *u, void *dst, size_t n, size_t *got) SNUG_NODISCARD;

#endif
