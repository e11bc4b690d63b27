/* libFuzzer over configs.  Mutations work on whole JSON values, since most changes of single bytes
 * end in the first pages of the parser: a value takes the place of another, or becomes one of those
 * below. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed);

static const char *const odd[] = {"0",
                                  "-1",
                                  "1",
                                  "2",
                                  "1e308",
                                  "-0.5",
                                  "null",
                                  "true",
                                  "false",
                                  "[]",
                                  "{}",
                                  "\"\"",
                                  "NaN",
                                  "[[0]]",
                                  "65536",
                                  "2147483648",
                                  "9223372036854775807",
                                  "[null, 3]",
                                  "\"relu\"",
                                  "\"float16\"",
                                  "\"same\"",
                                  "Infinity"};

typedef struct span {
  size_t at, bytes;
} span;

/* The end of the value at `at`: a text, a bracket with all in it, or a word. */
static size_t value_end(const uint8_t *text, size_t n, size_t at) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = at; i < n; i++) {
    uint8_t c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      depth++;
    } else if (c == ']' || c == '}') {
      depth -= depth > 0;
    } else if (depth == 0 && (c == ',' || c == ' ' || c == ':')) {
      return i;
    }
    if (!quoted && depth == 0 && (c == '"' || c == ']' || c == '}') && i > at) {
      return i + 1;
    }
  }
  return n;
}

/* Some value of the text: from a random place on, the next that follows a colon or stands in a
 * list. */
static span pick(const uint8_t *text, size_t n, unsigned *seed) {
  size_t start = n ? (size_t)rand_r(seed) % n : 0;
  for (size_t k = 0; k + 2 < n; k++) {
    size_t i = (start + k) % (n - 1);
    if (text[i] == ':' || text[i] == '[' || text[i] == ',') {
      size_t at = i + 1 + (text[i + 1] == ' ');
      size_t end = at < n ? value_end(text, n, at) : at;
      if (end > at) {
        return (span){at, end - at};
      }
    }
  }
  return (span){0, n};
}

static size_t replace(uint8_t *text, size_t n, size_t most, span old, const void *value,
                      size_t bytes) {
  if (n - old.bytes + bytes > most) {
    return n;
  }
  memmove(text + old.at + bytes, text + old.at + old.bytes, n - old.at - old.bytes);
  memcpy(text + old.at, value, bytes);
  return n - old.bytes + bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed) {
  static uint8_t value[1 << 16];
  for (int times = 1 + rand_r(&seed) % 3; times > 0; times--) {
    span old = pick(data, bytes, &seed), other = pick(data, bytes, &seed);
    const char *word = odd[(size_t)rand_r(&seed) % (sizeof odd / sizeof *odd)];
    switch (rand_r(&seed) % 5) {
      case 0:
        bytes = LLVMFuzzerMutate(data, bytes, most);
        break;
      case 1:
        bytes = replace(data, bytes, most, old, "null", 4);
        break;
      case 2:
        bytes = replace(data, bytes, most, old, word, strlen(word));
        break;
      default:
        if (other.bytes <= sizeof value) {
          memcpy(value, data + other.at, other.bytes);
          bytes = replace(data, bytes, most, old, value, other.bytes);
        }
    }
  }
  return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_one_config(data, bytes);
  return 0;
}
