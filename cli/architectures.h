/* A few classic networks for a first try, built with the public calls.  Images are fed as bytes:
 * each begins with a layer that brings 0 .. 255 to 0 .. 1. */
#ifndef SNUG_CLI_ARCHITECTURES_H
#define SNUG_CLI_ARCHITECTURES_H

#include "snug/tools.h"

/* What is built: the shape of a sample, and the classes to tell apart (1: yes or no). */
typedef struct architecture_size {
  int64_t shape[SNUG_MAX_RANK];
  int32_t rank;
  int64_t classes;
} architecture_size;

typedef struct architecture {
  const char *name, *says;
  architecture_size size; /* by default */
  bool takes_any;         /* another shape may have another number of axes */
  int64_t multiple;       /* height and width must be multiples of this */
  void (*build)(snug_model *m, const architecture_size *size);
} architecture;

extern const architecture architectures[];
extern const size_t n_architectures;

/* The one of a name, or NULL. */
const architecture *architecture_find(const char *name);

#endif
