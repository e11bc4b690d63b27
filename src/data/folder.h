/* Images as data: the files of a folder or of a list, decoded and changed as they are read.
 *
 * All headers are looked at when it is opened, so what a worker needs for the largest file is known
 * before anything is decoded, and a file that is no image is reported at once. */
#ifndef SNUG_DATA_FOLDER_H
#define SNUG_DATA_FOLDER_H

#include "image/images.h"
#include "snug/files.h"

/* Rows of a folder: all of them, or what is held back. */
typedef struct snug__folder_part {
  snug__images images; /* what its source reads */
  int64_t rows;        /* 0: there are none */
  snug_source source;
} snug__folder_part;

typedef struct snug__folder {
  snug_ctx *ctx;
  const char *path;
  snug__image_list list;
  snug__readers *readers;
  snug__folder_part train, validation;
  snug__image_times times; /* if they are wanted */
} snug__folder;

/* Open a folder of images, or a list of them (a file).  Must be released in any case.  Fails:
 * E_ARGUMENT (an option), E_IO, E_DATA (no classes, no images; names the first file that is none,
 * unless such are skipped), E_MEMORY, E_LIMIT. */
snug_status snug__folder_open(snug__folder *f, snug_ctx *ctx, const char *path, bool is_list,
                              const snug_image_options *options) SNUG_NODISCARD;
void snug__folder_release(snug__folder *f);

/* The fields of a source of images. */
#define SNUG__FOLDER_X 0
#define SNUG__FOLDER_Y 1
#define SNUG__FOLDER_FIELDS 2

/* What a field is; rank 0: there are no labels. */
snug_array snug__folder_array(const snug__folder *f, const snug__folder_part *part, int32_t field);

#endif
