/* Texts of files end up on terminals and in pages: control characters and what is not UTF-8 become
 * question marks on the way in. */
#include "record/recording.h"

static bool continues(char c) { return ((uint8_t)c & 0xC0) == 0x80; }

/* The length of the character of two to four bytes that begins the text; 0: it is none, or one that
 * steers a terminal. */
static size_t character(const char *text, size_t n) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  uint8_t first = (uint8_t)text[0];
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC0 || first > 0xF7 || length > n) {
    return 0;
  }
  uint32_t code = first & (0x7FU >> length);
  for (size_t i = 1; i < length; i++) {
    if (!continues(text[i])) {
      return 0;
    }
    code = code << 6 | ((uint8_t)text[i] & 0x3FU);
  }
  bool is_surrogate = code >= 0xD800 && code < 0xE000;
  bool steers = code < 0xA0 || (code >= 0x202A && code <= 0x202E) ||
                (code >= 0x2066 && code <= 0x2069); /* C1, and turning the direction of writing */
  return code < least[length] || code > 0x10FFFF || is_surrogate || steers ? 0 : length;
}

void snug__harmless(char *out, const char *text, size_t n) {
  size_t i = 0;
  while (i < n) {
    uint8_t byte = (uint8_t)text[i];
    bool is_plain = (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t';
    size_t length = byte < 0x80 ? (size_t)is_plain : character(text + i, n - i);
    *out++ = length ? text[i++] : '?';
    for (size_t k = 1; k < length; k++) {
      *out++ = text[i++];
    }
    i += length == 0;
  }
  *out = 0;
}
