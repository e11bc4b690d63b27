/* Numbers in files, little-endian: a cursor that reads them and never runs over its end, and a pen
 * that writes them. */
#ifndef SNUG_BASE_BYTES_H
#define SNUG_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct snug__cursor {
  const uint8_t *at, *end;
  bool over; /* something beyond the end was asked for; all that is read from then on is 0 */
} snug__cursor;

static inline snug__cursor snug__cursor_of(const void *bytes, size_t n) {
  return (snug__cursor){bytes, n ? (const uint8_t *)bytes + n : bytes, false};
}

static inline size_t snug__cursor_left(const snug__cursor *c) { return (size_t)(c->end - c->at); }

/* Move on by n bytes; returns where they begin, or NULL if there are fewer. */
static inline const uint8_t *snug__skip(snug__cursor *c, size_t n) {
  const uint8_t *begin = c->at;
  if (c->over || n > snug__cursor_left(c)) {
    c->over = true;
    return NULL;
  }
  c->at += n;
  return begin;
}

/* A number of 1 to 8 bytes. */
static inline uint64_t snug__get(snug__cursor *c, size_t bytes) {
  const uint8_t *from = snug__skip(c, bytes);
  uint64_t value = 0;
  for (size_t i = 0; from && i < bytes; i++) {
    value |= (uint64_t)from[i] << (8 * i);
  }
  return value;
}

/* Write a number at *at and move it on; there must be room. */
static inline void snug__put(uint8_t **at, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    *(*at)++ = (uint8_t)(value >> (8 * i));
  }
}

/* Read n bytes at an offset of a file.  False with errno; with errno 0 if the file ends before. */
bool snug__read_at(int fd, void *dst, size_t n, int64_t offset);

/* The same by so many threads, where it is long. */
bool snug__read_at_threaded(int32_t threads, int fd, void *dst, size_t n, int64_t offset);

/* Write all of the bytes where a file stands; false with errno. */
bool snug__write_all(int fd, const void *src, size_t n);

/* Write n bytes at an offset of a file.  False with errno. */
bool snug__write_at(int fd, const void *src, size_t n, int64_t offset);

/* The same for a file that is written from front to back, with few bytes of it on the way to the
 * disk at any time.  The kernel keeps these until the disk has them, counts them to the memory of a
 * control group, and where they fill it, kills. */
bool snug__write_out_at(int fd, const void *src, size_t n, int64_t offset);

/* What snug__write_out_at leaves on the way to the disk at most. */
#define SNUG__ON_THE_WAY_BYTES (256 << 10)

#endif
