/* The walk over a folder.  Each folder is read once; what is found is sorted class by class. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "image/list.h"

static bool is_image_name(const char *name) {
  static const char *const ends[] = {".bmp", ".gif", ".jpeg", ".jpg", ".png"};
  size_t n = strlen(name);
  for (size_t i = 0; i < SNUG_COUNT(ends); i++) {
    size_t m = strlen(ends[i]);
    if (n >= m && strcasecmp(name + n - m, ends[i]) == 0) {
      return true;
    }
  }
  return false;
}

typedef enum entry_kind { ENTRY_FILE, ENTRY_FOLDER, ENTRY_LINKED_FOLDER } entry_kind;

static bool is_folder_at(DIR *dir, const char *name, int flags) {
  struct stat st;
  return fstatat(dirfd(dir), name, &st, flags) == 0 && S_ISDIR(st.st_mode);
}

/* Most file systems tell what an entry is; where they do not, or it is a link, it is asked. */
static entry_kind kind_of(DIR *dir, const struct dirent *entry) {
  if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK) {
    return entry->d_type == DT_DIR ? ENTRY_FOLDER : ENTRY_FILE;
  }
  if (!is_folder_at(dir, entry->d_name, 0)) {
    return ENTRY_FILE;
  }
  return is_folder_at(dir, entry->d_name, AT_SYMLINK_NOFOLLOW) ? ENTRY_FOLDER : ENTRY_LINKED_FOLDER;
}

/* "a/b" of "a" and "b"; "b" of "" and "b". */
static snug_status join(snug_ctx *ctx, const char *folder, const char *name,
                        char out[SNUG__PATH_BYTES]) {
  const char *slash = folder[0] && name[0] ? "/" : "";
  int n = snprintf(out, SNUG__PATH_BYTES, "%s%s%s", folder, slash, name);
  if (n >= SNUG__PATH_BYTES) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "a path is too long: %.200s...", out);
  }
  return SNUG_OK;
}

static snug_status cannot_read(const snug__image_list *l, const char *whole, int error) {
  return snug__fail(l->ctx, SNUG_E_IO, "%s: cannot be read: %s", whole, strerror(error));
}

/* What is done with an entry of a folder. */
typedef snug_status (*visit_fn)(snug__image_list *l, uint32_t folder, const char *name,
                                entry_kind kind);

/* The next entry but the two dots; NULL at the end, and with errno if that came too early. */
static const struct dirent *next_entry(DIR *dir) {
  const struct dirent *entry;
  do {
    errno = 0;
    entry = readdir(dir);
  } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
  return entry;
}

static snug_status visit(snug__image_list *l, const char *path, uint32_t folder, visit_fn one) {
  char whole[SNUG__PATH_BYTES];
  snug_status s = SNUG_OK;
  SNUG_TRY(join(l->ctx, snug__list_text(l, l->root), path, whole));
  DIR *dir = opendir(whole);
  if (!dir) {
    return cannot_read(l, whole, errno);
  }
  for (const struct dirent *entry = next_entry(dir); entry; entry = s ? NULL : next_entry(dir)) {
    s = one(l, folder, entry->d_name, kind_of(dir, entry));
  }
  s = s || !errno ? s : cannot_read(l, whole, errno);
  closedir(dir);
  return s;
}

/* ---- files and folders of a class ---- */

static snug_status add_entry(snug__image_list *l, uint32_t folder, const char *name,
                             entry_kind kind) {
  char path[SNUG__PATH_BYTES], whole[SNUG__PATH_BYTES];
  uint32_t unused;
  SNUG_TRY(join(l->ctx, snug__list_folder_path(l, folder), name, path));
  SNUG_TRY(join(l->ctx, snug__list_text(l, l->root), path, whole));
  if (kind == ENTRY_FOLDER) {
    return snug__list_add_folder(l, path, -1, &unused);
  }
  return kind == ENTRY_FILE && is_image_name(name) ? snug__list_add_file(l, folder, name) : SNUG_OK;
}

static snug_status visit_folder(snug__image_list *l, uint32_t folder) {
  char path[SNUG__PATH_BYTES]; /* of its own: texts move when one is added */
  snprintf(path, sizeof path, "%s", snug__list_folder_path(l, folder));
  return visit(l, path, folder, add_entry);
}

/* A folder with all that is under it. */
static snug_status add_tree(snug__image_list *l, uint32_t folder, int32_t label) {
  size_t first_file = l->files.n;
  uint32_t first_below = (uint32_t)l->folders.n;
  SNUG_TRY(visit_folder(l, folder));
  for (uint32_t at = first_below; at < l->folders.n; at++) {
    SNUG_TRY(visit_folder(l, at));
  }
  for (uint32_t at = first_below; at < l->folders.n; at++) {
    snug__list_set_label(l, at, label);
  }
  snug__list_set_label(l, folder, label);
  snug__list_sort_files(l, first_file);
  return SNUG_OK;
}

/* ---- classes ---- */

static snug_status add_class(snug__image_list *l, uint32_t folder, const char *name,
                             entry_kind kind) {
  (void)folder;
  uint32_t unused;
  return kind == ENTRY_FILE || name[0] == '.' ? SNUG_OK
                                              : snug__list_add_folder(l, name, -1, &unused);
}

static snug_status add_classes(snug__image_list *l) {
  SNUG_TRY(visit(l, "", 0, add_class));
  snug__list_sort_folders(l, 0);
  uint32_t n = (uint32_t)l->folders.n;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t name = (uint32_t)(snug__list_folder_path(l, i) - snug__list_text(l, 0));
    SNUG_TRY(snug__vec_push(&l->classes, &name, 1));
  }
  for (uint32_t i = 0; i < n; i++) {
    SNUG_TRY(add_tree(l, i, (int32_t)i));
  }
  return SNUG_OK;
}

static snug_status fill(snug__image_list *l, const char *path, bool labelled) {
  uint32_t whole;
  SNUG_TRY(snug__list_add_text(l, path, &l->root));
  if (!labelled) {
    SNUG_TRY(snug__list_add_folder(l, "", 0, &whole));
    return add_tree(l, whole, 0);
  }
  SNUG_TRY(add_classes(l));
  if (l->classes.n == 0) {
    return snug__fail(l->ctx, SNUG_E_DATA,
                      "%s: has no folders in it; images are in a folder per class, as "
                      "%s/cats/1.jpg, or without labels (labels=none)",
                      path, path);
  }
  return SNUG_OK;
}

snug_status snug__list_folder(snug__image_list *l, const char *path, bool labelled) {
  snug_status s = fill(l, path, labelled);
  if (!s && l->files.n == 0) {
    s = snug__fail(l->ctx, SNUG_E_DATA,
                   "%s: there are no images in it (names that end in .jpg, .jpeg or .png)", path);
  }
  if (s) {
    snug__list_release(l);
  }
  return s;
}
