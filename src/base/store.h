/* The store: a file in which bytes wait that memory has no room for, written and read beside other
 * work.
 *
 * The file has no name and is gone with the store; all of it is reserved when it is opened, so a
 * full disk is reported then, not later.  Two threads move the bytes in chunks, each through a
 * buffer of its own: one copies while the other is at the disk.  The page cache is left out where
 * the file system allows that, for its pages would count in a container; elsewhere they are let go
 * at once.
 *
 * Invariants:
 * 1. Nothing is allocated between open and close.  Buffers and the stacks of the threads come from
 *    the account: snug__store_cost is what open takes, to the byte.
 * 2. Transfers begin in the order in which they were asked for.  The memory of one belongs to the
 *    store until it was waited for.
 * 3. After the first failure nothing is moved any more, and every wait returns that failure. */
#ifndef SNUG_BASE_STORE_H
#define SNUG_BASE_STORE_H

#include <sys/types.h>

#include "base/ctx.h"

#define SNUG__STORE_ALIGN 4096 /* of places in the file */
#define SNUG__STORE_THREADS 2

typedef struct snug__store snug__store;

/* The calls that move bytes, so that tests can have them fail. */
typedef struct snug__store_calls {
  ssize_t (*read)(int fd, void *to, size_t bytes, off_t offset);
  ssize_t (*write)(int fd, const void *from, size_t bytes, off_t offset);
} snug__store_calls;

typedef struct snug__store_options {
  const char *folder;             /* NULL: TMPDIR, or /tmp */
  int64_t bytes;                  /* of the file */
  const snug__store_calls *calls; /* NULL: pread and pwrite */
} snug__store_options;

/* Open a store.  Owns: *out is the caller's.  Fails: E_IO naming the folder: it cannot be written,
 * it is memory itself (tmpfs), it has no room (with the bytes that are free); E_MEMORY, E_LIMIT. */
snug_status snug__store_open(snug_ctx *ctx, const snug__store_options *options,
                             snug__store **out) SNUG_NODISCARD;

/* Whether a store of this many bytes could be opened there now.  Fails as open does, but for
 * memory.
 */
snug_status snug__store_check(snug_ctx *ctx, const char *folder, int64_t bytes) SNUG_NODISCARD;

/* Wait for what is being moved, drop what is not, and end it.  NULL is allowed. */
void snug__store_close(snug__store *s);

/* Bytes that open takes from the allocator. */
int64_t snug__store_cost(void);

/* Begin to move bytes to or from a place in the file, a multiple of SNUG__STORE_ALIGN.  Returns the
 * ticket to wait for, above 0.  Blocks while too many transfers are under way. */
int64_t snug__store_write(snug__store *s, const void *from, int64_t offset, int64_t bytes);
int64_t snug__store_read(snug__store *s, void *to, int64_t offset, int64_t bytes);

/* Wait until a transfer is over; a ticket of 0 always is.  Fails: E_IO, without a message: see
 * snug__store_fail. */
snug_status snug__store_wait(snug__store *s, int64_t ticket) SNUG_NODISCARD;

/* Wait until no transfer is under way, whatever came of them. */
void snug__store_settle(snug__store *s);

/* Raise the failure that a wait returned; `where` begins the message. */
snug_status snug__store_fail(const snug__store *s, const char *where) SNUG_NODISCARD;

/* Seconds that a byte takes to be written and to be read, and for how long either keeps a processor
 * busy: so much is lost to what is computed beside it. */
typedef struct snug__store_rate {
  double write, read, busy;
} snug__store_rate;

/* The rate of a folder (as in the options): from the file of timings (base/timings.h), else
 * measured and kept there, so that the same folder has the same rate.  Fails: as open does. */
snug_status snug__store_rate_of(snug_ctx *ctx, const char *folder,
                                snug__store_rate *out) SNUG_NODISCARD;

/* The same measured anew, with a file of some MiB. */
snug_status snug__store_measure(snug_ctx *ctx, const char *folder,
                                snug__store_rate *out) SNUG_NODISCARD;

#endif
