/* Everything that can be read of a `.keras` file, whatever a model needs of it: for files that may
 * be damaged. */
#ifndef SNUG_TESTS_WALK_H
#define SNUG_TESTS_WALK_H

#include <stdbool.h>

#include "snug/snug.h"

typedef struct test_walk {
  int32_t n_groups, n_data, n_texts; /* that were read */
  snug_status first;                 /* failure, and its message */
  char message[1024];
} test_walk;

/* Read the archive or folder at a path; failures in it are noted in *out and the rest is read.
 * False if one of them is neither E_FORMAT nor E_IO nor one of memory, or does not name the file.
 */
bool test_walk_archive(snug_ctx *ctx, const char *path, test_walk *out);

/* The same for an HDF5 file alone. */
bool test_walk_h5(snug_ctx *ctx, const char *path, int fd, test_walk *out);

#endif
