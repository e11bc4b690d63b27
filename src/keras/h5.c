/* The superblock, bytes, and paths. */
#include "keras/h5.h"

#include <errno.h>
#include <string.h>

#include "base/size.h"
#include "keras/h5_file.h"

#define SUPERBLOCK_BYTES 96
#define LEAST_BUDGET ((int64_t)64 << 20) /* bytes of structure that any file may take */
#define BUDGET_PER_BYTE 16               /* and how often a large one may be read over */
#define READ_COST 256                    /* of one read, beside its bytes */

bool snug__h5_inside(const snug__h5 *h5, uint64_t address, uint64_t n) {
  uint64_t end = (uint64_t)h5->range.bytes - h5->base;
  return address <= end && n <= end - address;
}

snug_status snug__h5_read_data(snug__h5 *h5, void *dst, size_t n, uint64_t address) {
  char reason[128];
  if (!snug__h5_inside(h5, address, n)) {
    return SNUG__BAD_H5(h5, "is damaged: it refers to bytes %llu to %llu of %lld",
                        (unsigned long long)address, (unsigned long long)(address + n),
                        (long long)h5->range.bytes);
  }
  if (snug__read_at_threaded(h5->ctx->threads, h5->range.fd, dst, n,
                             h5->range.offset + (int64_t)h5->base + (int64_t)address)) {
    return SNUG_OK;
  }
  return snug__fail(h5->ctx, SNUG_E_IO, "%s: cannot be read: %s", h5->file,
                    errno ? strerror_r(errno, reason, sizeof reason) : "it became shorter");
}

snug_status snug__h5_read(snug__h5 *h5, void *dst, size_t n, uint64_t address) {
  h5->budget -= (int64_t)n + READ_COST;
  if (h5->budget < 0) {
    return SNUG__BAD_H5(h5, "is damaged: its parts refer to each other without an end");
  }
  return snug__h5_read_data(h5, dst, n, address);
}

/* Up to version 1 the root is a symbol table entry, behind the sizes of trees. */
static uint64_t read_old_superblock(snug__cursor *c, uint64_t version, uint64_t *base,
                                    uint64_t *end) {
  snug__skip(c, 1 + 4 + 4 + (version == 1 ? 4 : 0));
  *base = snug__get(c, 8);
  snug__skip(c, 8);
  *end = snug__get(c, 8);
  snug__skip(c, 8 + 8);
  return snug__get(c, 8);
}

static uint64_t read_new_superblock(snug__cursor *c, uint64_t *base, uint64_t *end) {
  snug__skip(c, 1);
  *base = snug__get(c, 8);
  snug__skip(c, 8);
  *end = snug__get(c, 8);
  return snug__get(c, 8);
}

static snug_status read_superblock(snug__h5 *h5) {
  static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  uint8_t bytes[SUPERBLOCK_BYTES] = {0};
  size_t n = (size_t)snug__min_i64(sizeof bytes, h5->range.bytes);
  SNUG_TRY(snug__h5_read(h5, bytes, n, 0));
  if (memcmp(bytes, signature, sizeof signature) != 0) {
    return SNUG__BAD_H5(h5, "is not an HDF5 file");
  }
  snug__cursor c = snug__cursor_of(bytes + 8, n > 8 ? n - 8 : 0);
  uint64_t version = snug__get(&c, 1), end = 0, base = 0;
  snug__skip(&c, version < 2 ? 4 : 0);
  uint64_t offset_size = snug__get(&c, 1), length_size = snug__get(&c, 1);
  if (version > 3 || offset_size != 8 || length_size != 8) {
    return SNUG__BAD_H5(h5,
                        "is HDF5 of version %llu with addresses of %llu bytes; save it with h5py",
                        (unsigned long long)version, (unsigned long long)offset_size);
  }
  h5->root = version < 2 ? read_old_superblock(&c, version, &base, &end)
                         : read_new_superblock(&c, &base, &end);
  if (c.over || base != 0) {
    return SNUG__BAD_H5(h5, "is not an HDF5 file that begins at its start");
  }
  if (end > (uint64_t)h5->range.bytes) {
    return SNUG__BAD_H5(h5, "is cut off: it has %lld of %llu bytes", (long long)h5->range.bytes,
                        (unsigned long long)end);
  }
  return SNUG_OK;
}

static int64_t budget_of(int64_t bytes) {
  int64_t most = INT64_MAX / BUDGET_PER_BYTE - LEAST_BUDGET;
  return LEAST_BUDGET + snug__min_i64(bytes, most) * BUDGET_PER_BYTE;
}

snug_status snug__h5_open(snug_ctx *ctx, const char *file, const snug__range *range,
                          snug__h5 **out) {
  snug__h5 *h5 = NULL;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_SCRATCH, &h5));
  h5->ctx = ctx;
  h5->range = *range;
  h5->budget = budget_of(range->bytes);
  snug__h5_object_init(h5);
  snug__h5_groups_init(h5);
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, strlen(file) + 1, &h5->file);
  if (!s) {
    memcpy(h5->file, file, strlen(file) + 1);
    s = read_superblock(h5);
  }
  if (s) {
    snug__h5_close(h5);
    return s;
  }
  *out = h5;
  return SNUG_OK;
}

static void give_room(snug__h5 *h5) {
  snug__give(h5->ctx, SNUG__MEM_SCRATCH, h5->room, h5->room_bytes);
  h5->room = NULL;
  h5->room_bytes = 0;
}

snug_status snug__h5_room(snug__h5 *h5, size_t bytes, void **out) {
  *out = h5->room;
  if (h5->room && bytes <= h5->room_bytes) {
    return SNUG_OK;
  }
  give_room(h5);
  SNUG_TRY(snug__take(h5->ctx, SNUG__MEM_SCRATCH, bytes, &h5->room));
  h5->room_bytes = bytes;
  *out = h5->room;
  return SNUG_OK;
}

void snug__h5_close(snug__h5 *h5) {
  if (!h5) {
    return;
  }
  give_room(h5);
  snug__h5_groups_release(h5);
  snug__h5_object_release(h5);
  if (h5->file) {
    SNUG_GIVE_ARRAY(h5->ctx, SNUG__MEM_SCRATCH, h5->file, strlen(h5->file) + 1);
  }
  snug__give(h5->ctx, SNUG__MEM_SCRATCH, h5, sizeof *h5);
}

const char *snug__h5_file(const snug__h5 *h5) { return h5->file; }

static const snug__h5_link *find_link(const snug__h5_group *g, const char *name, size_t n) {
  for (size_t i = 0; i < g->links.n; i++) {
    const snug__h5_link *l = &SNUG_VEC(&g->links, snug__h5_link, i);
    if (strncmp(l->name, name, n) == 0 && !l->name[n]) {
      return l;
    }
  }
  return NULL;
}

snug_status snug__h5_resolve(snug__h5 *h5, const char *path, uint64_t *address, bool *found) {
  uint64_t at = h5->root;
  *found = false;
  while (*path) {
    const snug__h5_group *g = NULL;
    size_t n = strcspn(path, "/");
    if (n > 0) {
      SNUG_TRY(snug__h5_group_at(h5, at, &g));
      const snug__h5_link *l = find_link(g, path, n);
      if (!l) {
        return SNUG_OK;
      }
      if (l->address == SNUG__H5_NOWHERE) {
        return SNUG__BAD_H5(h5, "%s is a link to another place; such links are not followed",
                            l->name);
      }
      at = l->address;
    }
    path += n + (path[n] == '/');
  }
  *address = at;
  *found = true;
  return SNUG_OK;
}

snug_status snug__h5_has(snug__h5 *h5, const char *path, bool *out) {
  uint64_t address = 0;
  *out = false;
  return snug__h5_resolve(h5, path, &address, out);
}

static snug_status find_group(snug__h5 *h5, const char *path, const snug__h5_group **out) {
  uint64_t address = 0;
  bool found = false;
  SNUG_TRY(snug__h5_resolve(h5, path, &address, &found));
  if (!found) {
    return SNUG__BAD_H5(h5, "there is no group %s", path);
  }
  return snug__h5_group_at(h5, address, out);
}

snug_status snug__h5_count(snug__h5 *h5, const char *group, size_t *n) {
  const snug__h5_group *g = NULL;
  SNUG_TRY(find_group(h5, group, &g));
  *n = g->links.n;
  return SNUG_OK;
}

snug_status snug__h5_name(snug__h5 *h5, const char *group, size_t i, char *out, size_t bytes) {
  const snug__h5_group *g = NULL;
  SNUG_TRY(find_group(h5, group, &g));
  const char *name = i < g->links.n ? SNUG_VEC(&g->links, snug__h5_link, i).name : NULL;
  if (!name || strlen(name) >= bytes) {
    return SNUG__BAD_H5(h5, "group %s: no name %zu of less than %zu bytes", group, i, bytes);
  }
  memcpy(out, name, strlen(name) + 1);
  return SNUG_OK;
}
