/* The bytes of a backup on their way: to a file, or from one.
 *
 * A walk over a fit names what is kept, piece by piece, and is taken several times: WRITE appends,
 * CHECK reads and compares what must be the same here and there, READ sets the rest.  What bounds
 * what follows is checked before it is used. */
#ifndef SNUG_CALLBACKS_BACKUP_STREAM_H
#define SNUG_CALLBACKS_BACKUP_STREAM_H

#include "base/file.h"

#define SNUG__BACKUP_BUFFER 16384

typedef enum snug__backup_task { SNUG__WRITE, SNUG__CHECK, SNUG__READ } snug__backup_task;

typedef struct snug__backup_stream {
  snug__backup_task task;
  snug_ctx *ctx;
  const char *path;
  snug__replace out;  /* WRITE */
  int fd;             /* CHECK, READ */
  int64_t file_bytes; /* CHECK, READ: of the whole file, which bounds what it can say */
  void *room;         /* READ: for variables that lie in another layout there */
  size_t room_bytes;
  uint64_t sum;
  size_t n, at; /* bytes in the buffer, and the next of them to be read */
  unsigned char buffer[SNUG__BACKUP_BUFFER];
} snug__backup_stream;

/* Reading failed, as errno says; the file is not what was written. */
snug_status snug__backup_fail_io(const snug__backup_stream *s) SNUG_NODISCARD;
snug_status snug__backup_damaged(const snug__backup_stream *s) SNUG_NODISCARD;

/* Write what is left in the buffer. */
snug_status snug__backup_flush(snug__backup_stream *s) SNUG_NODISCARD;

/* Bytes that are kept here and set there. */
snug_status snug__backup_keep(snug__backup_stream *s, void *bytes, size_t n) SNUG_NODISCARD;

/* Append n bytes, in WRITE. */
snug_status snug__backup_put(snug__backup_stream *s, const void *bytes, size_t n) SNUG_NODISCARD;

/* Read n bytes in any task but WRITE; to nowhere if `to` is NULL. */
snug_status snug__backup_get(snug__backup_stream *s, void *to, size_t n) SNUG_NODISCARD;

/* A number that bounds what follows: set already when the file is checked.  Fails: E_FORMAT below
 * 0, E_STATE naming it above `most`. */
snug_status snug__backup_count(snug__backup_stream *s, int64_t *value, int64_t most,
                               const char *what) SNUG_NODISCARD;

/* A number, or a name, that must be the same here and there.  Fails: E_STATE naming it. */
snug_status snug__backup_expect(snug__backup_stream *s, int64_t here,
                                const char *what) SNUG_NODISCARD;
snug_status snug__backup_expect_text(snug__backup_stream *s, const char *here,
                                     const char *what) SNUG_NODISCARD;

/* The sum of all bytes so far. */
snug_status snug__backup_sum(snug__backup_stream *s) SNUG_NODISCARD;

#endif
