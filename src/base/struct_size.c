#include "base/struct_size.h"

#include <string.h>

/* No header will ever add this many bytes: a size beyond that was not set. */
#define MOST_ADDED 65536

static size_t size_of(const void *given) {
  size_t bytes;
  memcpy(&bytes, given, sizeof bytes);
  return bytes;
}

/* A struct has one more member than its size, and the alignment of that. */
static bool is_possible(size_t size, size_t bytes) {
  return size >= 2 * sizeof(size_t) && size % sizeof(size_t) == 0 && size <= bytes + MOST_ADDED;
}

snug_status snug__struct_check(snug_ctx *ctx, const char *name, const void *to, size_t bytes) {
  if (is_possible(size_of(to), bytes)) {
    return SNUG_OK;
  }
  return !ctx ? SNUG_E_ARGUMENT
              : snug__fail(ctx, SNUG_E_ARGUMENT,
                           "%s: struct_size is %zu, and this library (%s) has %zu bytes there: "
                           "initialize it with SNUG_INIT(%s), or set .struct_size to its sizeof",
                           name, size_of(to), snug_version(), bytes, name);
}

snug_status snug__struct_whole(snug_ctx *ctx, const char *name, const void *of, size_t bytes) {
  SNUG_TRY(snug__struct_check(ctx, name, of, bytes));
  return size_of(of) >= bytes ? SNUG_OK
         : !ctx               ? SNUG_E_ARGUMENT
                              : snug__fail(ctx, SNUG_E_ARGUMENT,
                                           "%s: the program has %zu bytes there, and this library (%s) needs "
                                                         "%zu: compile the program with its headers",
                                           name, size_of(of), snug_version(), bytes);
}

static bool is_zero(const unsigned char *from, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (from[i]) {
      return false;
    }
  }
  return true;
}

snug_status snug__struct_read(snug_ctx *ctx, const char *name, const void *from, void *to,
                              size_t bytes) {
  memset(to, 0, bytes);
  if (from) {
    SNUG_TRY(snug__struct_check(ctx, name, from, bytes));
    size_t given = size_of(from);
    if (given > bytes && !is_zero((const unsigned char *)from + bytes, given - bytes)) {
      return !ctx ? SNUG_E_ARGUMENT
                  : snug__fail(ctx, SNUG_E_ARGUMENT,
                               "%s: the program has %zu bytes there, this library (%s) knows %zu, "
                               "and a member behind those is set: the program was compiled with "
                               "headers of a newer version; install that, or leave the member 0",
                               name, given, snug_version(), bytes);
    }
    memcpy(to, from, given < bytes ? given : bytes);
  }
  memcpy(to, &bytes, sizeof bytes);
  return SNUG_OK;
}

void snug__struct_write(const void *from, void *to, size_t bytes) {
  if (to && is_possible(size_of(to), bytes)) {
    size_t given = size_of(to), both = given < bytes ? given : bytes;
    memcpy((unsigned char *)to + sizeof given, (const unsigned char *)from + sizeof given,
           both - sizeof given);
  }
}
