/* Bytes in order, from a file, a gzipped file or a member of a zip archive: what the readers of
 * array files read from. */
#ifndef SNUG_DATA_STREAM_H
#define SNUG_DATA_STREAM_H

#include <stdbool.h>

#include "base/zip.h"

struct gzFile_s;

typedef struct snug__stream {
  snug_ctx *ctx;
  const char *file, *member; /* for messages; member is NULL where the file itself is read */
  int64_t left;  /* bytes that are still to come; of a gzipped file: that can come at most */
  bool is_exact; /* `left` is a fact, not a bound */
  /* private: one of them is open */
  int fd;
  struct gzFile_s *gz;
  snug__unpack *unpack;
} snug__stream;

/* The first bytes of a file decide. */
typedef enum snug__file_kind {
  SNUG__FILE_UNKNOWN,
  SNUG__FILE_NPY,
  SNUG__FILE_ZIP,
  SNUG__FILE_GZIP,
  SNUG__FILE_IDX,
  SNUG__FILE_RECORDS,
  SNUG__FILE_TABLE, /* text, known by its name alone */
  SNUG__FILE_LIST,  /* likewise: of images */
  SNUG__FILE_FOLDER
} snug__file_kind;

#define SNUG__MAGIC_BYTES 6
snug__file_kind snug__file_kind_of(const unsigned char *first, size_t n);

/* Look at a file and, if its bytes do not tell, at its name.  Fails: E_IO. */
snug_status snug__file_kind_find(snug_ctx *ctx, const char *path,
                                 snug__file_kind *out) SNUG_NODISCARD;

/* Open a file, unpacking it if it is gzipped; the text must live as long as the stream.  Fails:
 * E_IO; there is then nothing to close. */
snug_status snug__stream_open(snug__stream *s, snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Open a member of an archive; both must stay.  `member` names it in messages.  Fails: E_FORMAT
 * (damaged, encrypted, another compression than DEFLATE), E_MEMORY. */
snug_status snug__stream_open_member(snug__stream *s, const snug__zip *archive,
                                     const snug__zip_member *m, const char *member) SNUG_NODISCARD;
void snug__stream_close(snug__stream *s);

/* Read exactly n bytes.  Fails: E_FORMAT (the file ends before, or is damaged), E_IO. */
snug_status snug__stream_read(snug__stream *s, void *dst, size_t n) SNUG_NODISCARD;

/* See that nothing is left, and that what was unpacked has the checksum it should have. */
snug_status snug__stream_end(snug__stream *s) SNUG_NODISCARD;

/* Raise a failure that names the file and the member. */
#define snug__stream_fail(s, code, ...) \
  (snug__fail_at((s)->ctx, __FILE__, __LINE__, __VA_ARGS__), snug__stream_within((s), (code)))
snug_status snug__stream_within(const snug__stream *s, snug_status code);

/* The end of a path, which says most: a message has room for that much. */
const char *snug__path_shown(const char *path);

/* The failure of a file that cannot be opened or asked about, as errno says; returns E_IO. */
snug_status snug__path_unreadable(snug_ctx *ctx, const char *path);

#endif
