#include "record/format.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#define MOST_MICROSECONDS (UINT64_C(1) << 53) /* a double holds each of them */

static const char *const at_texts[] = {
#define AT_TEXT(name) #name,
    SNUG__AT_LIST(AT_TEXT)
#undef AT_TEXT
};

uint32_t snug__record_crc(uint32_t crc, const uint8_t *bytes, size_t n) {
  return (uint32_t)crc32_z(crc, bytes, n);
}

bool snug__is_frame_head(const uint8_t *head) {
  return (head[0] ^ head[1] ^ head[2] ^ head[3]) == SNUG__FRAME_CHECK &&
         (head[1] | head[2] << 8) <= SNUG__RECORD_MOST_CONTENT;
}

/* ---- time ---- */

bool snug__is_microseconds(uint64_t microseconds) { return microseconds <= MOST_MICROSECONDS; }

bool snug__microseconds(double seconds, uint64_t *out) {
  double rounded = nearbyint(seconds * 1e6);
  if (!(rounded >= 0.0 && rounded <= (double)MOST_MICROSECONDS)) {
    return false;
  }
  *out = (uint64_t)rounded;
  return true;
}

/* ---- moments and numbers ---- */

static bool find_at(const char *text, snug__at *out) {
  for (snug__at at = 0; text && at < SNUG__ATS; at++) {
    if (strcmp(text, at_texts[at]) == 0) {
      *out = at;
      return true;
    }
  }
  return false;
}

bool snug__numbers_of(const snug_moment *m, snug__numbers *out) {
  if (!find_at(m->at, &out->at) || !snug__microseconds(m->seconds, &out->microseconds)) {
    return false;
  }
#define TO_FIGURE(name, type) out->figures[SNUG__FIGURE_##name] = (uint64_t)m->name;
  SNUG__FIGURE_LIST(TO_FIGURE)
#undef TO_FIGURE
  return true;
}

bool snug__numbers_moment(const snug__numbers *n, snug_moment *out) {
  if (n->at >= SNUG__ATS || !snug__is_microseconds(n->microseconds) ||
      n->figures[SNUG__FIGURE_processes] > UINT32_MAX) {
    return false;
  }
  *out = (snug_moment){.struct_size = sizeof(snug_moment),
                       .seconds = (double)n->microseconds / 1e6,
                       .at = at_texts[n->at]};
#define FROM_FIGURE(name, type) out->name = (type)n->figures[SNUG__FIGURE_##name];
  SNUG__FIGURE_LIST(FROM_FIGURE)
#undef FROM_FIGURE
  return true;
}

/* ---- numbers and bytes ---- */

void snug__put_varint(uint8_t **at, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    *(*at)++ = (uint8_t)(value | 0x80);
  }
  *(*at)++ = (uint8_t)value;
}

uint64_t snug__get_varint(snug__cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t byte = snug__get(c, 1);
    value |= (byte & 0x7F) << shift;
    if (shift == 63 && byte > 1) { /* more than 64 bits */
      break;
    }
    if (byte < 0x80) {
      return value;
    }
  }
  c->over = true;
  return 0;
}

/* Small numbers of both signs become small ones: 0, -1, 1, -2, ... */
static void put_difference(uint8_t **at, uint64_t from, uint64_t to) {
  uint64_t difference = to - from;
  snug__put_varint(at, difference >> 63 ? ~(difference << 1) : difference << 1);
}

static uint64_t get_difference(snug__cursor *c, uint64_t from) {
  uint64_t folded = snug__get_varint(c);
  return from + (folded & 1 ? ~(folded >> 1) : folded >> 1);
}

void snug__put_moment(uint8_t **at, const snug__numbers *before, const snug__numbers *n) {
  uint64_t changed = 0;
  for (size_t i = 0; i < SNUG__FIGURES; i++) {
    changed |= (uint64_t)(n->figures[i] != before->figures[i]) << i;
  }
  *(*at)++ = (uint8_t)n->at;
  snug__put_varint(at, changed);
  put_difference(at, before->microseconds, n->microseconds);
  for (size_t i = 0; i < SNUG__FIGURES; i++) {
    if (changed >> i & 1) {
      put_difference(at, before->figures[i], n->figures[i]);
    }
  }
}

void snug__get_moment(snug__cursor *c, const snug__numbers *before, snug__numbers *out) {
  *out = *before;
  out->at = (snug__at)snug__get(c, 1);
  uint64_t changed = snug__get_varint(c);
  out->microseconds = get_difference(c, before->microseconds);
  c->over = c->over || changed >> SNUG__FIGURES;
  for (size_t i = 0; i < SNUG__FIGURES; i++) {
    if (changed >> i & 1) {
      out->figures[i] = get_difference(c, before->figures[i]);
    }
  }
}

void snug__put_text(uint8_t **at, const char *text, size_t n) {
  snug__put_varint(at, n);
  memcpy(*at, text, n);
  *at += n;
}

const char *snug__get_text(snug__cursor *c, size_t most, size_t *n) {
  uint64_t length = snug__get_varint(c);
  *n = length <= most ? (size_t)length : 0;
  c->over = c->over || length > most;
  return (const char *)snug__skip(c, *n);
}
