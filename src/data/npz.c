/* `.npz`: a zip archive whose members are `.npy` files. */
#include <string.h>
#include <zip.h>

#include "data/arrays_file.h"
#include "data/npy.h"
#include "data/stream.h"

#define MOST_MEMBERS 4096

static snug_status open_archive(snug_ctx *ctx, const char *path, zip_t **out) {
  int code = 0;
  *out = zip_open(path, ZIP_RDONLY, &code);
  if (*out) {
    return SNUG_OK;
  }
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  snug_status status = snug__fail(ctx, SNUG_E_FORMAT, "%s: the archive is damaged or cut: %s",
                                  snug__path_shown(path), zip_error_strerror(&error));
  zip_error_fini(&error);
  return status;
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

static snug_status add_entry(snug_arrays *a, const char *path, uint64_t index, const char *name,
                             snug__array_entry **out) {
  snug__array_entry e = {.path = path, .member = index};
  if (snug__arrays_entry(a, name)) {
    return snug__fail(a->ctx, SNUG_E_FORMAT, "%s: has two arrays of the name %s",
                      snug__path_shown(path), name);
  }
  SNUG_TRY(snug__arena_text(&a->arena, name, &e.name));
  SNUG_TRY(snug__vec_push(&a->entries, &e, 1));
  *out = &SNUG_VEC(&a->entries, snug__array_entry, a->entries.n - 1);
  return SNUG_OK;
}

static snug_status read_header(snug_arrays *a, zip_t *archive, snug__array_entry *e) {
  snug__stream s;
  snug__raw raw;
  snug_status status = snug__stream_open_member(&s, a->ctx, e->path, archive, e->member, e->name);
  status = status ? status : snug__array_header(&s, &raw, &e->array);
  snug__stream_close(&s);
  if (status == SNUG_E_UNSUPPORTED) { /* told if somebody asks for it */
    e->array = (snug_array){.rank = 0};
    return snug__arena_text(&a->arena, a->ctx->message, &e->why);
  }
  return status;
}

/* A member that is no `.npy` (a folder, a note) is left alone. */
static snug_status add_member(snug_arrays *a, const char *path, zip_t *archive, uint64_t index) {
  char name[SNUG__NPZ_NAME + 1];
  const char *member = zip_get_name(archive, index, 0);
  size_t n = member ? strlen(member) : 0;
  snug__array_entry *e = NULL;
  if (!member || !snug__npz_name_is_good(member)) {
    return snug__fail(a->ctx, SNUG_E_FORMAT,
                      "%s: \"%.60s\" is not a name for an array: empty, too long, or a way out of "
                      "the archive",
                      snug__path_shown(path), member ? member : "");
  }
  if (n <= 4 || strcmp(member + n - 4, ".npy") != 0) {
    return SNUG_OK;
  }
  memcpy(name, member, n - 4);
  name[n - 4] = 0;
  SNUG_TRY(add_entry(a, path, index, name, &e));
  return read_header(a, archive, e);
}

static snug_status add_members(snug_arrays *a, const char *path, zip_t *archive) {
  zip_int64_t n = zip_get_num_entries(archive, 0);
  if (n > MOST_MEMBERS) {
    return snug__fail(a->ctx, SNUG_E_FORMAT, "%s: has %lld arrays; %d are possible",
                      snug__path_shown(path), (long long)n, MOST_MEMBERS);
  }
  for (zip_int64_t i = 0; i < n; i++) {
    SNUG_TRY(add_member(a, path, archive, (uint64_t)i));
  }
  return SNUG_OK;
}

snug_status snug__arrays_add_zip(snug_arrays *a, const char *path) {
  zip_t *archive = NULL;
  SNUG_TRY(open_archive(a->ctx, path, &archive));
  snug_status status = add_members(a, path, archive);
  zip_discard(archive);
  return status;
}

snug_status snug__arrays_read_member(snug_arrays *a, snug__array_entry *e) {
  zip_t *archive = NULL;
  snug__stream s;
  SNUG_TRY(open_archive(a->ctx, e->path, &archive));
  snug_status status = snug__stream_open_member(&s, a->ctx, e->path, archive, e->member, e->name);
  status = status ? status : snug__arrays_read_from(&s, e);
  snug__stream_close(&s);
  zip_discard(archive);
  return status;
}
