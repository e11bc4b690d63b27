/* snug_new_file: a replacement in storage of the caller's. */
#include "base/file.h"
#include "snug/tools/log.h"

static snug__replace *replacement_of(snug_new_file *f) {
  _Static_assert(sizeof(snug__replace) <= sizeof f->room, "room for it");
  return (snug__replace *)(void *)f->room;
}

snug_status snug_new_file_begin(snug_new_file *f, snug_ctx *ctx, const char *path) {
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!f || !path || !path[0]) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "a new file: it needs a path");
  }
  return snug__replace_begin(replacement_of(f), ctx, path);
}

snug_status snug_new_file_write(snug_new_file *f, const void *bytes, size_t n) {
  return f ? snug__replace_write(replacement_of(f), bytes, n) : SNUG_E_ARGUMENT;
}

snug_status snug_new_file_end(snug_new_file *f, bool replaces) {
  if (!f) {
    return SNUG_E_ARGUMENT;
  }
  replacement_of(f)->keeps_old = !replaces;
  return snug__replace_commit(replacement_of(f));
}

void snug_new_file_drop(snug_new_file *f) {
  if (f) {
    snug__replace_abandon(replacement_of(f));
  }
}
