/* `.npz`: a zip archive whose members are `.npy` files. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/zip.h"
#include "data/arrays_file.h"
#include "data/npy.h"
#include "data/stream.h"

#define MOST_MEMBERS 4096

/* *fd is the caller's, -1 if it could not be opened. */
static snug_status open_archive(snug_ctx *ctx, const char *path, snug__zip *out, int *fd) {
  struct stat info;
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe shall not be waited for */
  if (*fd < 0 || fstat(*fd, &info) != 0) {
    return snug__path_unreadable(ctx, path);
  }
  SNUG_TRY(snug__zip_open(out, ctx, snug__path_shown(path), *fd, (int64_t)info.st_size));
  if (out->n_members > MOST_MEMBERS) {
    return snug__fail(ctx, SNUG_E_FORMAT, "%s: has %llu arrays; %d are possible",
                      snug__path_shown(path), (unsigned long long)out->n_members, MOST_MEMBERS);
  }
  return SNUG_OK;
}

static void close_archive(int fd) {
  if (fd >= 0) {
    close(fd);
  }
}

bool snug__npz_name_is_good(const char *name) {
  size_t n = strlen(name);
  bool leads_up = strncmp(name, "../", 3) == 0 || strstr(name, "/../") != NULL;
  for (size_t i = 0; i < n; i++) {
    if ((unsigned char)name[i] < 32 || name[i] == '\\' || name[i] == 127) {
      return false;
    }
  }
  return n >= 1 && n <= SNUG__NPZ_NAME && name[0] != '/' && !leads_up;
}

static snug_status add_entry(snug_arrays *a, const char *path, int64_t at, const char *name,
                             snug__array_entry **out) {
  snug__array_entry e = {.path = path, .member = at};
  if (snug__arrays_entry(a, name)) {
    return snug__fail(a->ctx, SNUG_E_FORMAT, "%s: has two arrays of the name %s",
                      snug__path_shown(path), name);
  }
  SNUG_TRY(snug__arena_text(&a->arena, name, &e.name));
  SNUG_TRY(snug__vec_push(&a->entries, &e, 1));
  *out = &SNUG_VEC(&a->entries, snug__array_entry, a->entries.n - 1);
  return SNUG_OK;
}

static snug_status read_header(snug_arrays *a, const snug__zip *archive, const snug__zip_member *m,
                               snug__array_entry *e) {
  snug__stream s;
  snug__raw raw;
  snug_status status = snug__stream_open_member(&s, archive, m, e->name);
  status = status ? status : snug__array_header(&s, &raw, &e->array);
  snug__stream_close(&s);
  if (status == SNUG_E_UNSUPPORTED) { /* told if somebody asks for it */
    e->array = (snug_array){.rank = 0};
    return snug__arena_text(&a->arena, a->ctx->message, &e->why);
  }
  return status;
}

/* A member that is no `.npy` (a folder, a note) is left alone.  at: of its entry. */
static snug_status add_member(snug_arrays *a, const char *path, const snug__zip *archive,
                              int64_t at, const snug__zip_member *m) {
  char name[SNUG__NPZ_NAME + 1];
  size_t n = strlen(m->name);
  snug__array_entry *e = NULL;
  if (!snug__npz_name_is_good(m->name)) {
    return snug__fail(a->ctx, SNUG_E_FORMAT,
                      "%s: \"%.60s\" is not a name for an array: empty, too long, or a way out of "
                      "the archive",
                      snug__path_shown(path), m->name);
  }
  if (n <= 4 || strcmp(m->name + n - 4, ".npy") != 0) {
    return SNUG_OK;
  }
  memcpy(name, m->name, n - 4);
  name[n - 4] = 0;
  SNUG_TRY(add_entry(a, path, at, name, &e));
  return read_header(a, archive, m, e);
}

static snug_status add_members(snug_arrays *a, const char *path, const snug__zip *archive) {
  snug__zip_member m;
  bool is_there = true;
  for (int64_t at = 0, next = 0; is_there; at = next) {
    SNUG_TRY(snug__zip_next(archive, &next, &m, &is_there));
    if (is_there) {
      SNUG_TRY(add_member(a, path, archive, at, &m));
    }
  }
  return SNUG_OK;
}

snug_status snug__arrays_add_zip(snug_arrays *a, const char *path) {
  snug__zip archive;
  int fd = -1;
  snug_status status = open_archive(a->ctx, path, &archive, &fd);
  status = status ? status : add_members(a, path, &archive);
  close_archive(fd);
  return status;
}

snug_status snug__arrays_member(snug_arrays *a, const snug__array_entry *e, snug__zip *archive,
                                snug__zip_member *m, int *fd) {
  int64_t at = e->member;
  bool is_there = false;
  SNUG_TRY(open_archive(a->ctx, e->path, archive, fd));
  SNUG_TRY(snug__zip_next(archive, &at, m, &is_there));
  return is_there ? SNUG_OK : SNUG__BAD_ZIP(archive, "was changed while it was being read");
}

static snug_status read_member(const snug__zip *archive, const snug__zip_member *m,
                               snug__array_entry *e) {
  snug__stream s;
  snug_status status = snug__stream_open_member(&s, archive, m, e->name);
  status = status ? status : snug__arrays_read_from(&s, e);
  snug__stream_close(&s);
  return status;
}

snug_status snug__arrays_read_member(snug_arrays *a, snug__array_entry *e) {
  snug__zip archive;
  snug__zip_member m;
  int fd = -1;
  snug_status status = snug__arrays_member(a, e, &archive, &m, &fd);
  status = status ? status : read_member(&archive, &m, e);
  close_archive(fd);
  return status;
}
