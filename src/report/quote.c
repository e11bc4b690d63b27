/* Texts of unknown origin, made harmless for where they go. */
#include <string.h>

#include "report/out.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

typedef struct character {
  const char *text;
  size_t bytes;  /* of the text that it takes, also where it is bad */
  uint32_t code; /* U+FFFD where that is not UTF-8 */
  bool is_good;
} character;

/* Not UTF-8: cut, in too long a form, a surrogate, or beyond the last one. */
static character next_character(const char *text, size_t n) {
  static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)text;
  const character bad = {text, 1, 0xFFFD, false};
  if (at[0] < 0x80) {
    return (character){text, 1, at[0], true};
  }
  size_t bytes = (at[0] & 0xE0u) == 0xC0u ? 2 : (at[0] & 0xF0u) == 0xE0u ? 3 : 4;
  if (at[0] < 0xC0 || at[0] >= 0xF8 || bytes > n) {
    return bad;
  }
  uint32_t code = at[0] & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; i++) {
    if ((at[i] & 0xC0u) != 0x80u) {
      return bad;
    }
    code = code << 6 | (at[i] & 0x3Fu);
  }
  bool is_good = code >= lowest[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_good ? (character){text, bytes, code, true} : bad;
}

/* Controls of both sets, line ends, and what turns the direction of the text behind it. */
static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

static void put_plain(const snug__out *o, const character *c) {
  if (c->is_good) {
    o->sink(o->user, c->text, c->bytes);
  } else {
    snug__out_text(o, REPLACED);
  }
}

/* Commands may have several lines; here they have one. */
static bool is_blank(uint32_t code) { return code == '\n' || code == '\t'; }

static void put_terminal(const snug__out *o, const character *c) {
  if (is_blank(c->code)) {
    snug__out_text(o, " ");
  } else if (is_control(c->code)) {
    snug__out_text(o, REPLACED);
  } else {
    put_plain(o, c);
  }
}

static void put_ascii(const snug__out *o, const character *c) {
  bool is_odd = c->code < 0x20 || c->code > 0x7E;
  o->sink(o->user, is_blank(c->code) ? " " : is_odd ? "?" : c->text, 1);
}

static void put_html(const snug__out *o, const character *c) {
  static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
  static const char letters[] = "<>&\"'";
  const char *found = c->code && c->code < 0x80 ? strchr(letters, (int)c->code) : NULL;
  if (found) {
    snug__out_text(o, names[found - letters]);
  } else {
    put_terminal(o, c);
  }
}

static void put_json(const snug__out *o, const character *c) {
  if (c->code == '"' || c->code == '\\') {
    snug__out_format(o, "\\%c", (int)c->code);
  } else if (!c->is_good || c->code < 0x20 || c->code == 0x7F) {
    snug__out_format(o, "\\u%04x", (unsigned)c->code);
  } else {
    put_plain(o, c);
  }
}

static void put_csv(const snug__out *o, const character *c) {
  bool is_odd = (c->code < 0x20 && !strchr("\t\r\n", (int)c->code)) || c->code == 0x7F;
  snug__out_text(o, c->code == '"' ? "\"" : "");
  if (is_odd || c->code == 0) {
    snug__out_text(o, REPLACED);
  } else {
    put_plain(o, c);
  }
}

/* What stands around the whole. */
static void put_edge(const snug__out *o, snug_quoting how, const char *text, size_t n, bool begin) {
  if (how == SNUG_QUOTE_JSON || how == SNUG_QUOTE_CSV) {
    snug__out_text(o, "\"");
  }
  if (begin && how == SNUG_QUOTE_CSV && n && text[0] && strchr("=+-@\t\r", text[0])) {
    snug__out_text(o, "'");
  }
}

void snug_quote(snug_sink *sink, void *user, snug_quoting how, const char *text, size_t n) {
  static void (*const ways[])(const snug__out *, const character *) = {put_terminal, put_ascii,
                                                                       put_html, put_json, put_csv};
  snug__out o = {sink, user};
  if (!sink || (size_t)how >= sizeof ways / sizeof *ways) {
    return;
  }
  n = text ? n : 0;
  put_edge(&o, how, text, n, true);
  for (size_t i = 0; i < n;) {
    character c = next_character(text + i, n - i);
    ways[how](&o, &c);
    i += c.bytes;
  }
  put_edge(&o, how, text, n, false);
}

/* ---- into room of the caller's ---- */

typedef struct room {
  char *dst;
  size_t n, bytes;
} room;

/* Whole pieces only, which are whole characters. */
static void fill(void *user, const char *text, size_t n) {
  room *r = user;
  if (r->n + n < r->bytes) {
    memcpy(r->dst + r->n, text, n);
    r->n += n;
  } else {
    r->bytes = r->n; /* nothing shorter comes behind what was cut */
  }
}

const char *snug__quote_into(char *dst, size_t bytes, snug_quoting how, const char *text) {
  room r = {dst, 0, bytes};
  snug_quote(fill, &r, how, text, text ? strlen(text) : 0);
  dst[r.n] = '\0';
  return dst;
}
