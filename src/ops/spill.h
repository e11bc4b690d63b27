/* Parameters of the ops that let a value wait in a file: see spill.c and pass/offload.h. */
#ifndef SNUG_OPS_SPILL_H
#define SNUG_OPS_SPILL_H

#include "base/store.h"
#include "ops/ops.h"

typedef struct snug__spill_params {
  int64_t offset; /* in the file, a multiple of SNUG__STORE_ALIGN */
} snug__spill_params;

typedef struct snug__fetch_params {
  int64_t offset;
  snug_ints shape; /* of the value that waits there */
  int32_t dtype;   /* snug_dtype */
} snug__fetch_params;

/* Seconds of a step whose nodes run in an order and take so long each (those of this file: 0), the
 * disk working beside them, one transfer after the other.  Fails: E_MEMORY. */
snug_status snug__spill_seconds(const snug__graph *g, const snug__id *order, const double *seconds,
                                const snug__store_rate *rate, double *out) SNUG_NODISCARD;

/* Bytes of the file that the spills of a graph reach to. */
int64_t snug__spill_bytes(const snug__graph *g);

#endif
