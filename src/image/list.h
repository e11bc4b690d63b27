/* Which images there are, with their labels: of a folder with a folder per class, as
 * image_dataset_from_directory finds them, or of a list.
 *
 * A file costs its name and 8 bytes.  Order and labels are Keras's: classes and files sorted by
 * bytes, folders in a class one after the other, names that end in .bmp .gif .jpeg .jpg .png in
 * either case (of which Snug decodes JPEG and PNG: others are reported when headers are read). */
#ifndef SNUG_IMAGE_LIST_H
#define SNUG_IMAGE_LIST_H

#include "base/file.h"
#include "base/vec.h"

/* A folder has a path, relative to the root ("" for the root itself), and the label of its files; a
 * file has a name and its folder. */
typedef struct snug__list_entry {
  uint32_t text; /* where it is in texts */
  int32_t of;
} snug__list_entry;

typedef struct snug__image_list {
  snug_ctx *ctx;
  snug__vec texts;   /* char: all names, each with its NUL */
  snug__vec folders; /* snug__list_entry */
  snug__vec files;   /* snug__list_entry */
  snug__vec classes; /* uint32_t: where their names are in texts */
  uint32_t root;     /* folder that all paths are relative to */
} snug__image_list;

void snug__list_init(snug__image_list *l, snug_ctx *ctx);
void snug__list_release(snug__image_list *l);

/* Find the images under a folder; `labelled`: its folders are the classes, hidden ones left out.
 * Folders in a class are looked into, links to folders are not.  Fails: E_IO; E_DATA (no classes,
 * no images); E_OVERFLOW (a path or all names too long); E_MEMORY, E_LIMIT; the list is empty then.
 */
snug_status snug__list_folder(snug__image_list *l, const char *path, bool labelled) SNUG_NODISCARD;

/* Read a list: lines `path label`, the label behind the last blank, paths relative to the list.
 * Labels are class numbers if all of them are whole numbers, else names of classes, which are
 * sorted.  Empty lines and such that begin with # are left out.  Fails: as above, and E_DATA with
 * the line of a label that is missing, negative or too large. */
snug_status snug__list_read(snug__image_list *l, const char *path) SNUG_NODISCARD;

static inline int64_t snug__list_count(const snug__image_list *l) { return (int64_t)l->files.n; }
static inline int64_t snug__list_classes(const snug__image_list *l) {
  return (int64_t)l->classes.n;
}

/* The class of a file; 0 where there are no classes. */
int32_t snug__list_label(const snug__image_list *l, int64_t i);
const char *snug__list_class(const snug__image_list *l, int64_t label);

/* The path of a file.  Any number of threads may ask. */
void snug__list_path(const snug__image_list *l, int64_t i, char out[SNUG__PATH_BYTES]);

/* ---- order and split ---- */

/* Shuffle as Keras does before it splits: numpy.random.RandomState(seed).shuffle. */
void snug__list_shuffle(snug__image_list *l, uint32_t seed);

typedef enum snug__subset { SNUG__SUBSET_ALL, SNUG__TRAINING, SNUG__VALIDATION } snug__subset;

/* The files of a subset, as places in the list: the last int(split * n) are for validation.  So
 * with the same seed (or unshuffled in both) each has the files that it has in Keras.  Fails:
 * E_ARGUMENT (split outside of 0 and 1), E_DATA (one of the subsets would be empty). */
snug_status snug__list_subset(const snug__image_list *l, double split, snug__subset subset,
                              int64_t *first, int64_t *n) SNUG_NODISCARD;

/* ---- labels ---- */

/* inferred and int are the same: one int32.  categorical: a float per class; binary: one float, of
 * two classes; none: no labels. */
typedef enum snug__label_mode {
  SNUG__LABEL_INFERRED,
  SNUG__LABEL_INT,
  SNUG__LABEL_CATEGORICAL,
  SNUG__LABEL_BINARY,
  SNUG__LABEL_NONE
} snug__label_mode;

extern const char *const snug__label_names[]; /* by number, NULL at the end */

/* See that there are classes for a mode.  Fails: E_DATA. */
snug_status snug__label_check(const snug__image_list *l, snug__label_mode mode) SNUG_NODISCARD;

/* Write the label of a file as its mode has it: int32_t, or floats. */
void snug__label_write(const snug__image_list *l, int64_t i, snug__label_mode mode, void *dst);

/* ---- for the two that fill a list ---- */

#define SNUG__CLASSES_MAX ((size_t)1 << 20)

/* Add a text, a folder or a file; numbers are their places.  Fails: E_OVERFLOW, E_MEMORY, E_LIMIT.
 */
snug_status snug__list_add_text(snug__image_list *l, const char *text,
                                uint32_t *out) SNUG_NODISCARD;
snug_status snug__list_add_folder(snug__image_list *l, const char *path, int32_t label,
                                  uint32_t *out) SNUG_NODISCARD;
snug_status snug__list_add_file(snug__image_list *l, uint32_t folder,
                                const char *name) SNUG_NODISCARD;
const char *snug__list_text(const snug__image_list *l, uint32_t at);
const char *snug__list_folder_path(const snug__image_list *l, uint32_t folder);
void snug__list_set_label(snug__image_list *l, uint32_t folder, int32_t label);

/* Sort folders or files from a place on, by path. */
void snug__list_sort_folders(snug__image_list *l, size_t from);
void snug__list_sort_files(snug__image_list *l, size_t from);

#endif
