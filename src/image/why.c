#include "image/why.h"

#include <stdarg.h>
#include <stdio.h>

snug_status snug__why_say(snug__why *why, snug_status code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why->text, sizeof why->text, format, args);
  va_end(args);
  return code;
}
