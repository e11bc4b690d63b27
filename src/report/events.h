/* Event files of TensorBoard: a row of records, each a small message of protocol buffers with its
 * length and checksums.  One scalar per record. */
#ifndef SNUG_REPORT_EVENTS_H
#define SNUG_REPORT_EVENTS_H

#include "base/file.h"

#define SNUG__EVENTS_ROOM 8192

typedef struct snug__events {
  snug__replace file;
  uint8_t bytes[SNUG__EVENTS_ROOM]; /* not written yet */
  size_t n;
} snug__events;

/* Begin a file; what lies in its place stays until the end.  Folders are made.  Fails: E_IO; there
 * is then nothing to abandon. */
snug_status snug__events_begin(snug__events *e, snug_ctx *ctx, const char *path,
                               double wall_time) SNUG_NODISCARD;

/* Append a scalar.  Tags longer than 1023 bytes are cut.  Fails: E_IO. */
snug_status snug__events_scalar(snug__events *e, const char *tag, int64_t step, double wall_time,
                                double value) SNUG_NODISCARD;

snug_status snug__events_end(snug__events *e) SNUG_NODISCARD;
void snug__events_abandon(snug__events *e);

/* CRC-32C (Castagnoli), as the records have it, before it is masked. */
uint32_t snug__crc32c(const void *bytes, size_t n);

#endif
