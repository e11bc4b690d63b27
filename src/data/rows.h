/* Rows of an array where they lie in a file: anywhere with pread, or unpacked from front to back.
 * Both are sources of one field. */
#ifndef SNUG_DATA_ROWS_H
#define SNUG_DATA_ROWS_H

#include <sys/stat.h>

#include "base/arena.h"
#include "data/raw.h"

/* A file as it was when it was opened. */
typedef struct snug__rows_file {
  int fd;
  int64_t size;
  struct timespec changed;
} snug__rows_file;

/* What is packed, and how. */
typedef enum snug__packing { SNUG__NOT_PACKED, SNUG__GZIP, SNUG__DEFLATE } snug__packing;

typedef struct snug__rows {
  snug__rows_file file;
  const char *name; /* of the array, for messages */
  snug__packing packing;
  int64_t from, end; /* of the array's bytes in the file, header included if they are packed */
  int64_t header;    /* packed: bytes before the first row, once unpacked */
  uint32_t crc;      /* of SNUG__DEFLATE: of all that is unpacked */
  snug__raw raw;
  snug_array array; /* dtype and shape */
  size_t row_bytes; /* in the file */
} snug__rows;

/* Remember how a file is; fd is open.  Fails: E_IO, without a message. */
snug_status snug__rows_file_note(snug__rows_file *f, int fd) SNUG_NODISCARD;

/* Whether it is still so.  Fails: E_IO with a message in `why`. */
snug_status snug__rows_file_check(const snug__rows_file *f, char *why) SNUG_NODISCARD;

/* Read bytes of a file.  Fails: E_IO (also if it ends before) with a message in `why`. */
snug_status snug__rows_file_read(const snug__rows_file *f, void *dst, size_t n, int64_t offset,
                                 char *why) SNUG_NODISCARD;

/* The source over rows, which must stay; all of *r is set but row_bytes. */
snug_source snug__rows_source(snug__rows *r);

/* The same for packed ones (unpacked.c): what it needs per thread, and its functions. */
size_t snug__unpacked_scratch(void);
snug_status snug__unpacked_restart(void *rows, void *scratch, uint64_t pass, char *why);

/* The next n bytes.  Fails: E_FORMAT, E_IO. */
snug_status snug__unpacked_read(const snug__rows *r, void *scratch, void *dst, size_t n,
                                char *why) SNUG_NODISCARD;

/* See that nothing is left, and that it has the checksum it should have. */
snug_status snug__unpacked_end(const snug__rows *r, void *scratch, char *why) SNUG_NODISCARD;

#endif
