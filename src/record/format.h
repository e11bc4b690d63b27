/* How a recording lies in its file; docs/RECORDINGS.md has the same for other readers.
 *
 *   head:   magic (8), version (4), id (8), CRC-32 (4)
 *   frames: kind (1), length of the content (2), check (1), content, CRC-32 (4)
 *
 * Invariants:
 * 1. The four bytes before a content give 0xA5 by exclusive or: a length is known to be good before
 *    it is used, so a file that ends within a frame was cut there, and not damaged before.
 * 2. A CRC-32 is that of all bytes of the file up to it, those of other CRC-32 left out.  A frame
 *    that is lost, doubled or of another recording does not go through.
 * 3. A moment is stored as differences to the moment before it. */
#ifndef SNUG_RECORD_FORMAT_H
#define SNUG_RECORD_FORMAT_H

#include "base/bytes.h"
#include "snug/tools/record.h"

#define SNUG__RECORD_MAGIC "\x89SNUG\r\n\x1a"
#define SNUG__RECORD_MAGIC_BYTES 8
#define SNUG__RECORD_HEAD_BYTES 24
#define SNUG__FRAME_HEAD_BYTES 4
#define SNUG__FRAME_CRC_BYTES 4
#define SNUG__FRAME_CHECK 0xA5

#define SNUG__RECORD_MOST_BYTES (UINT64_C(64) << 20) /* of a file */
#define SNUG__RECORD_MOST_CONTENT 16384              /* of a frame */
#define SNUG__RECORD_MOST_NAME 255
#define SNUG__RECORD_MOST_VALUE 16000 /* of a fact */

typedef enum snug__frame_kind {
  SNUG__FRAME_FACT = 'F',
  SNUG__FRAME_MOMENT = 'M',
  SNUG__FRAME_LOGS = 'L',
  SNUG__FRAME_PEAK = 'P',
  SNUG__FRAME_PIECE = 'C',
  SNUG__FRAME_END = 'E'
} snug__frame_kind;

/* The one list of what a moment may be at; the place is the number in the file. */
#define SNUG__AT_LIST(X) \
  X(sample)              \
  X(epoch_begin)         \
  X(batch_end)           \
  X(epoch_end)           \
  X(validation_begin)    \
  X(validation_end)      \
  X(save_begin)          \
  X(save_end)            \
  X(target)              \
  X(peak)

typedef enum snug__at {
#define SNUG__AT_ENUM(name) SNUG__AT_##name,
  SNUG__AT_LIST(SNUG__AT_ENUM)
#undef SNUG__AT_ENUM
      SNUG__ATS
} snug__at;

/* The one list of a moment's figures, in the order of the file; their types. */
#define SNUG__FIGURE_LIST(X) \
  X(epoch, int64_t)          \
  X(batch, int64_t)          \
  X(resident, uint64_t)      \
  X(peak, uint64_t)          \
  X(held, uint64_t)          \
  X(held_peak, uint64_t)     \
  X(device, uint64_t)        \
  X(device_peak, uint64_t)   \
  X(anonymous, uint64_t)     \
  X(file, uint64_t)          \
  X(shared, uint64_t)        \
  X(processes, uint32_t)

typedef enum snug__figure {
#define SNUG__FIGURE_ENUM(name, type) SNUG__FIGURE_##name,
  SNUG__FIGURE_LIST(SNUG__FIGURE_ENUM)
#undef SNUG__FIGURE_ENUM
      SNUG__FIGURES
} snug__figure;

/* A moment as numbers. */
typedef struct snug__numbers {
  snug__at at;
  uint64_t microseconds;
  uint64_t figures[SNUG__FIGURES]; /* negative ones as their two's complement */
} snug__numbers;

/* Into numbers, and back.  Fails: false if a number is out of its range, or `at` is none. */
bool snug__numbers_of(const snug_moment *m, snug__numbers *out);
bool snug__numbers_moment(const snug__numbers *n, snug_moment *out);

/* Seconds to microseconds: false if that is none that can be kept. */
bool snug__microseconds(double seconds, uint64_t *out);
bool snug__is_microseconds(uint64_t microseconds);

/* A number in seven bits a byte, lowest first; all bytes but the last have the eighth set.  There
 * must be room for SNUG__VARINT_BYTES. */
#define SNUG__VARINT_BYTES 10
void snug__put_varint(uint8_t **at, uint64_t value);
uint64_t snug__get_varint(snug__cursor *c); /* not one: c is over */

/* The most bytes of a moment's content. */
#define SNUG__MOMENT_BYTES (1 + (SNUG__FIGURES + 2) * SNUG__VARINT_BYTES)

/* The differences between two moments: at, a bit for each figure that changed, time, these. */
void snug__put_moment(uint8_t **at, const snug__numbers *before, const snug__numbers *n);
void snug__get_moment(snug__cursor *c, const snug__numbers *before, snug__numbers *out);

/* A text: its length and its bytes. */
void snug__put_text(uint8_t **at, const char *text, size_t n);
const char *snug__get_text(snug__cursor *c, size_t most, size_t *n);

/* Whether the four bytes before a content are good. */
bool snug__is_frame_head(const uint8_t *head);

/* Go on with a CRC-32. */
uint32_t snug__record_crc(uint32_t crc, const uint8_t *bytes, size_t n);

#endif
