/* Looking at data: every sample once, and how fast they come. */
#ifndef SNUG_CLI_LOOK_H
#define SNUG_CLI_LOOK_H

#include "cli.h"

#define LOOK_SHOWN 5       /* bad samples that are named */
#define LOOK_CLASSES 10000 /* that are counted */

/* What an array was found to hold. */
typedef struct look_array {
  const char *name;
  const snug_array *array;
  double least, most;
  int64_t *counts; /* of class numbers, LOOK_CLASSES of them; NULL: not counted */
  int64_t classes; /* one more than the largest; 0: it has none */
} look_array;

#define LOOK_PARTS 5 /* of reading */
#define LOOK_STAGES (3 + LOOK_PARTS)

/* A part of the way of samples, and how long it took for so many. */
typedef struct look_stage {
  const char *name;
  int64_t samples;
  double seconds;
  bool is_part; /* of the one before that is none */
} look_stage;

typedef struct look {
  const snug_data *data;
  int64_t samples; /* that were looked at */
  uint64_t bytes;  /* of one */
  look_array *arrays;
  int64_t bad;
  char why[LOOK_SHOWN][SNUG_WHY_BYTES];
  look_stage stages[LOOK_STAGES];
  int32_t n_stages;
} look;

/* How to look at data. */
typedef struct look_how {
  const snug_arrays *arrays; /* whose stages are told */
  const char *const *names;  /* of the arrays of the data */
  int64_t most;              /* samples; 0: all */
  double seconds;            /* then for so long at some in no order */
  uint64_t pass;             /* as snug_source.read has it */
} look_how;

/* Must be released in any case.  Reports; returns 0 or an exit code. */
int look_at(look *l, const snug_data *data, const look_how *how);
void look_release(look *l);

#endif
