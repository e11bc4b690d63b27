/* `.npz` as numpy.savez writes it: stored members, each with its sizes in 64 bits. */
#include <stdio.h>
#include <string.h>

#include "base/zip_write.h"
#include "data/arrays_file.h"
#include "data/npy_write.h"

/* A name that reading takes: one that leads nowhere else, and there once. */
static snug_status check_name(snug_ctx *ctx, const char *path, const char *const *names,
                              int32_t i) {
  const char *name = names[i] ? names[i] : "";
  bool is_twice = false;
  for (int32_t k = 0; k < i; k++) {
    is_twice = is_twice || strcmp(names[k], name) == 0;
  }
  bool is_good = snug__npz_name_is_good(name) && strlen(name) + strlen(".npy") <= SNUG__NPZ_NAME;
  return !is_twice && is_good
             ? SNUG_OK
             : snug__fail(ctx, SNUG_E_ARGUMENT, "%s: \"%.60s\" %s", path, name,
                          is_twice ? "names two arrays" : "is no name for an array");
}

static snug_status check(snug_ctx *ctx, const char *path, const char *const *names,
                         const snug_array *arrays, int32_t n) {
  if (!names || !arrays || n < 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: there are no arrays to save", path);
  }
  for (int32_t i = 0; i < n; i++) {
    SNUG_TRY(check_name(ctx, path, names, i));
    SNUG_TRY(snug__npy_check(ctx, names[i], &arrays[i]));
  }
  return SNUG_OK;
}

static snug_status give(const void *arg, snug__zip_put *put, void *user) {
  return snug__npy_emit(arg, put, user);
}

static snug_status add_all(snug__zip_writer *w, const char *const *names, const snug_array *arrays,
                           int32_t n) {
  char name[SNUG__NPZ_NAME + 1];
  for (int32_t i = 0; i < n; i++) {
    snug__zip_content content = {give, &arrays[i], snug__npy_bytes(&arrays[i])};
    snprintf(name, sizeof name, "%s.npy", names[i]);
    SNUG_TRY(snug__zip_add(w, name, &content, true));
  }
  return SNUG_OK;
}

static snug_status write_all(snug__replace *r, const char *const *names, const snug_array *arrays,
                             int32_t n) {
  snug__zip_writer w;
  snug__zip_begin(&w, r);
  snug_status s = add_all(&w, names, arrays, n);
  s = s ? s : snug__zip_finish(&w);
  snug__zip_end(&w);
  return s;
}

snug_status snug_npz_save(snug_ctx *ctx, const char *path, const char *const *names,
                          const snug_array *arrays, int32_t n) {
  snug__replace r;
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!path) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "no file to save to was given (NULL)");
  }
  SNUG_TRY(check(ctx, path, names, arrays, n));
  SNUG_TRY(snug__replace_begin(&r, ctx, path));
  return snug__replace_end(&r, write_all(&r, names, arrays, n));
}
