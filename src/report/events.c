#include "report/events.h"

#include <string.h>

#define MOST_TAG 1023
#define MOST_MESSAGE (MOST_TAG + 64)

uint32_t snug__crc32c(const void *bytes, size_t n) {
  const uint8_t *at = bytes;
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < n; i++) {
    crc ^= at[i];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ (crc & 1u ? 0x82F63B78u : 0u);
    }
  }
  return ~crc;
}

static uint32_t masked(const void *bytes, size_t n) {
  uint32_t crc = snug__crc32c(bytes, n);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

/* ---- messages ---- */

typedef struct message {
  uint8_t bytes[MOST_MESSAGE];
  size_t n;
} message;

static void add_little(message *m, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    m->bytes[m->n++] = (uint8_t)(value >> (8 * i));
  }
}

static void add_varint(message *m, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    m->bytes[m->n++] = (uint8_t)(value | 0x80);
  }
  m->bytes[m->n++] = (uint8_t)value;
}

/* A field's number and how its value is written: 0 varint, 1 eight bytes, 2 with a length, 5 four
 * bytes. */
static void add_key(message *m, unsigned field, unsigned kind) { add_varint(m, field << 3 | kind); }

static void add_bytes(message *m, unsigned field, const void *bytes, size_t n) {
  add_key(m, field, 2);
  add_varint(m, n);
  memcpy(m->bytes + m->n, bytes, n);
  m->n += n;
}

static void add_wall_time(message *m, double wall_time) {
  uint64_t bits;
  memcpy(&bits, &wall_time, sizeof bits);
  add_key(m, 1, 1);
  add_little(m, bits, 8);
}

/* ---- records ---- */

static snug_status flush(snug__events *e) {
  size_t n = e->n;
  e->n = 0;
  return n ? snug__replace_write(&e->file, e->bytes, n) : SNUG_OK;
}

static void push(snug__events *e, const message *m) {
  memcpy(e->bytes + e->n, m->bytes, m->n);
  e->n += m->n;
}

static snug_status add_record(snug__events *e, const message *event) {
  message head = {.n = 0}, tail = {.n = 0};
  add_little(&head, event->n, 8);
  add_little(&head, masked(head.bytes, 8), 4);
  add_little(&tail, masked(event->bytes, event->n), 4);
  if (e->n + head.n + event->n + tail.n > sizeof e->bytes) {
    SNUG_TRY(flush(e));
  }
  push(e, &head);
  push(e, event);
  push(e, &tail);
  return SNUG_OK;
}

snug_status snug__events_begin(snug__events *e, snug_ctx *ctx, const char *path, double wall_time) {
  static const char version[] = "brain.Event:2";
  message event = {.n = 0};
  e->n = 0;
  SNUG_TRY(snug__make_folders(ctx, path));
  SNUG_TRY(snug__replace_begin(&e->file, ctx, path));
  add_wall_time(&event, wall_time);
  add_bytes(&event, 3, version, sizeof version - 1);
  return add_record(e, &event); /* into the room, which is empty: it cannot fail */
}

snug_status snug__events_scalar(snug__events *e, const char *tag, int64_t step, double wall_time,
                                double value) {
  message event = {.n = 0}, scalar = {.n = 0}, summary = {.n = 0};
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  size_t n = strlen(tag);
  add_bytes(&scalar, 1, tag, n < MOST_TAG ? n : MOST_TAG);
  add_key(&scalar, 2, 5);
  add_little(&scalar, bits, 4);
  add_bytes(&summary, 1, scalar.bytes, scalar.n);
  add_wall_time(&event, wall_time);
  add_key(&event, 2, 0);
  add_varint(&event, (uint64_t)step);
  add_bytes(&event, 5, summary.bytes, summary.n);
  return add_record(e, &event);
}

snug_status snug__events_end(snug__events *e) {
  snug_status s = flush(e);
  s = s ? s : snug__replace_commit(&e->file);
  snug__replace_abandon(&e->file);
  return s;
}

void snug__events_abandon(snug__events *e) { snug__replace_abandon(&e->file); }
