/* The images of a list as rows: what a source of them needs before the first row, and the row.
 *
 *   snug__list_folder, snug__list_shuffle, snug__list_subset    which rows there are
 *   snug__images_survey                                         what decoding them needs
 *   snug__readers_create                                        as many as there will be threads
 *   snug__images_read                                           a row, on any thread
 */
#ifndef SNUG_IMAGE_IMAGES_H
#define SNUG_IMAGE_IMAGES_H

#include "image/list.h"
#include "image/readers.h"
#include "image/recipe.h"

/* ---- the headers of all files ---- */

#define SNUG__SURVEY_BAD 8

typedef struct snug__survey {
  size_t decode_bytes; /* the most that one of them needs */
  int64_t largest;     /* the file that does, as its place in the list; -1: none can be decoded */
  int64_t n_jpeg, n_png;
  int64_t n_whole;                   /* of them, those that do not come row by row */
  int32_t least_height, least_width; /* of the images, */
  int32_t most_height, most_width;   /* each by itself */
  int64_t n_bad;                     /* that cannot be decoded, as far as headers tell */
  int64_t bad[SNUG__SURVEY_BAD];     /* the first of them, as places in the list */
} snug__survey;

/* Look at the headers of n files from `first` on, with this many threads; files that are bad are
 * counted.  The result does not depend on the number of threads.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__images_survey(const snug__image_list *l, int64_t first, int64_t n,
                                int32_t threads, snug__survey *out) SNUG_NODISCARD;

/* Say what is wrong with a file of the list, path first, as far as its header shows; "" if nothing
 * is. */
void snug__images_trouble(const snug__image_list *l, int64_t i, char *out, size_t bytes);

/* ---- rows ---- */

/* Only read, by any number of threads. */
typedef struct snug__images {
  const snug__image_list *list;
  int64_t first; /* row 0, as its place in the list */
  snug__recipe recipe;
  snug__label_mode labels;
  uint64_t seed;       /* of augmentation */
  size_t decode_bytes; /* that files may need; one that needs more is refused */
  snug__readers *readers;
  snug__image_times *times; /* NULL: not requested */
} snug__images;

/* What each thread has for reading; it needs no preparation. */
size_t snug__images_scratch(const snug__images *im);

#define SNUG__NO_EPOCH UINT64_MAX /* not training: nothing is augmented */

/* Read a row: the image (recipe's sample_bytes) and its label (as snug__label_write has it); either
 * may be NULL.  Fails: as snug__worker_read does; `why` gets path and text. */
snug_status snug__images_read(const snug__images *im, void *scratch, int64_t row, uint64_t epoch,
                              void *image, void *label, char *why, size_t bytes) SNUG_NODISCARD;

#endif
