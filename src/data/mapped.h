/* Data with a function of the caller's that is applied to every sample: as a source, whatever they
 * are, since a sample must have a place of its own to be changed in. */
#ifndef SNUG_DATA_MAPPED_H
#define SNUG_DATA_MAPPED_H

#include "snug/data.h"

typedef struct snug__mapped {
  snug_source source;
  const snug_data *data;
} snug__mapped;

/* The source over data that have a map; *m must stay where it is as long as that is used. */
const snug_source *snug__mapped_source(snug__mapped *m, const snug_data *data);

#endif
