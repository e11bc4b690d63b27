/* Frames on their way into a file: each is made whole in memory and then written at once. */
#ifndef SNUG_RECORD_FRAME_H
#define SNUG_RECORD_FRAME_H

#include "base/ctx.h"
#include "record/format.h"

#define SNUG__FRAME_BYTES \
  (SNUG__FRAME_HEAD_BYTES + SNUG__RECORD_MOST_CONTENT + SNUG__FRAME_CRC_BYTES)
#define SNUG__SHOWN_PATH 304

typedef struct snug__frames {
  snug_ctx *ctx;
  int fd;                       /* -1: not open */
  uint64_t length;              /* of the file, in whole frames */
  uint32_t crc;                 /* of all that, CRCs left out */
  bool is_torn;                 /* half a frame is at its end and cannot be taken back */
  char shown[SNUG__SHOWN_PATH]; /* the path, for messages */
  uint8_t frame[SNUG__FRAME_BYTES];
} snug__frames;

/* Make the file, with its head.  Fails: E_IO; nothing is open then. */
snug_status snug__frames_open(snug__frames *f, snug_ctx *ctx, const char *path,
                              bool replace) SNUG_NODISCARD;

/* Look at each whole frame of a file, up to its end or to the first that is not as it was written.
 */
typedef void snug__frame_visit(void *user, uint8_t kind, snug__cursor content);

/* Open a file that is there, to go on behind its last whole frame; what lies behind that, and the
 * end of a recording, is cut off.  Fails: E_IO, E_DATA (not a recording of this version); it is
 * then as it was. */
snug_status snug__frames_resume(snug__frames *f, snug_ctx *ctx, const char *path,
                                snug__frame_visit *visit, void *user) SNUG_NODISCARD;

/* Where the content of the next frame is to be put; there is room for SNUG__RECORD_MOST_CONTENT. */
uint8_t *snug__frame_begin(snug__frames *f);

/* Write the frame whose content ends at `end`.  Fails: E_IO, E_OVERFLOW; the file ends in whole
 * frames as before, so the next may be tried. */
snug_status snug__frame_end(snug__frames *f, snug__frame_kind kind,
                            const uint8_t *end) SNUG_NODISCARD;

/* Close the file.  Fails: E_IO; it is closed all the same. */
snug_status snug__frames_close(snug__frames *f) SNUG_NODISCARD;

#endif
