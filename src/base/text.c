#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void snug__text_init(snug__text *t, snug_ctx *ctx, size_t max_bytes) {
  snug__vec_init(&t->chars, ctx, SNUG__MEM_SCRATCH, 1, max_bytes);
}

void snug__text_release(snug__text *t) { snug__vec_release(&t->chars); }

snug_status snug__text_add(snug__text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0) {
    return snug__fail(t->chars.ctx, SNUG_E_INTERNAL, "a text could not be formatted");
  }
  SNUG_TRY(snug__vec_reserve(&t->chars, (size_t)n + 1));
  va_start(args, format);
  vsnprintf((char *)t->chars.data + t->chars.n, (size_t)n + 1, format, args);
  va_end(args);
  t->chars.n += (size_t)n;
  return SNUG_OK;
}

const char *snug__text_get(const snug__text *t) { return t->chars.n ? t->chars.data : ""; }

bool snug__ends_in(const char *text, const char *end) {
  size_t n = strlen(text);
  size_t m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}
