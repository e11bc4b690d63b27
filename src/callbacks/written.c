#include "callbacks/written.h"

#include <sys/stat.h>

#include "base/size.h"

struct snug__written_file {
  uint64_t device, inode;
  int64_t bytes, seconds, nanoseconds;
};

snug_status snug__written_take(snug__written *w, snug_ctx *ctx, size_t room) {
  *w = (snug__written){0};
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_CALLBACKS, room, &w->files));
  w->room = room;
  return SNUG_OK;
}

void snug__written_give(snug__written *w, snug_ctx *ctx) {
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_CALLBACKS, w->files, w->room);
  *w = (snug__written){0};
}

static bool look(const char *path, snug__written_file *out) {
  struct stat s;
  if (stat(path, &s) != 0) {
    return false;
  }
  *out = (snug__written_file){.device = (uint64_t)s.st_dev,
                              .inode = (uint64_t)s.st_ino,
                              .bytes = (int64_t)s.st_size,
                              .seconds = (int64_t)s.st_mtim.tv_sec,
                              .nanoseconds = (int64_t)s.st_mtim.tv_nsec};
  return true;
}

static bool is_same(const snug__written_file *a, const snug__written_file *b) {
  return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
         a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

bool snug__written_has(const snug__written *w, const char *path) {
  snug__written_file file;
  bool is_there = look(path, &file);
  for (size_t i = 0; is_there && i < w->n; i++) {
    if (is_same(&w->files[i], &file)) {
      return true;
    }
  }
  return false;
}

void snug__written_add(snug__written *w, const char *path) {
  snug__written_file file;
  if (look(path, &file)) {
    w->files[w->next] = file;
    w->next = (w->next + 1) % w->room;
    w->n += w->n < w->room;
  }
}
