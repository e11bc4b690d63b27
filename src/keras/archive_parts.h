/* What the files of archive share. */
#ifndef SNUG_KERAS_ARCHIVE_PARTS_H
#define SNUG_KERAS_ARCHIVE_PARTS_H

#include "base/vec.h"
#include "keras/archive.h"

#define SNUG__MEMBER_BYTES 512 /* of the longest name that is read, with its NUL */

/* A member as the central directory tells it. */
typedef struct snug__member {
  char name[SNUG__MEMBER_BYTES];
  uint32_t flags, method, crc;
  int64_t header;        /* where its local header lies */
  int64_t packed, bytes; /* in the archive, and unpacked */
} snug__member;

struct snug__archive {
  snug_ctx *ctx;
  char *path;
  int fd; /* of the archive or the folder */
  bool is_folder;
  int64_t size;                      /* of the archive */
  int64_t directory, directory_size; /* of the archive: where the central directory lies */
  uint64_t n_members;
  snug__vec opened; /* snug__opened: members that have a file of their own */
};

/* A member of a folder, or one that was unpacked. */
typedef struct snug__opened {
  char name[SNUG__MEMBER_BYTES];
  snug__range range;
} snug__opened;

/* "<path>: <message>", E_FORMAT. */
#define SNUG__BAD_ARCHIVE(a, ...) \
  snug__fail_within((a)->ctx, snug__fail((a)->ctx, SNUG_E_FORMAT, __VA_ARGS__), "%s", (a)->path)

/* Read bytes of the archive.  Fails: E_IO, E_FORMAT (it ends before). */
snug_status snug__archive_read(const snug__archive *a, void *dst, size_t n,
                               int64_t offset) SNUG_NODISCARD;

/* Find the central directory and look at every member in it.  Fails: E_FORMAT. */
snug_status snug__archive_scan(snug__archive *a) SNUG_NODISCARD;

/* Find a member; *found false if there is none.  Fails: E_FORMAT (two of them). */
snug_status snug__archive_find(const snug__archive *a, const char *name, snug__member *out,
                               bool *found) SNUG_NODISCARD;

/* The member's bytes as they lie in the archive.  Fails: E_FORMAT. */
snug_status snug__archive_packed(const snug__archive *a, const snug__member *m,
                                 int64_t *offset) SNUG_NODISCARD;

/* Unpack a compressed member, whose bytes begin at an offset, to a file without a name.  Fails:
 * E_FORMAT, E_IO, E_MEMORY. */
snug_status snug__archive_inflate(const snug__archive *a, const snug__member *m, int64_t offset,
                                  int *fd) SNUG_NODISCARD;

#endif
