/* All passes in their order: a graph as grad/ left it in, one that is ready to be planned out. */
#ifndef SNUG_PASS_PASSES_H
#define SNUG_PASS_PASSES_H

#include "pass/assign_layouts.h"
#include "pass/offload.h"

/* What is left out, for tests and comparisons. */
typedef struct snug__pass_options {
  const snug__device *device;   /* NULL: the processor */
  bool no_fuse;                 /* every op stays for itself */
  bool no_recompute;            /* everything that the backward reads is kept from the forward */
  const snug__offload *offload; /* what waits in a file; NULL: nothing */
  snug__kernel_rules kernels;
} snug__pass_options;

/* Take over the result of a pass: *graph becomes the new one, and the n values ids[] what they are
 * in it, SNUG_NONE if they are gone.  The rewrite is released. */
void snug__pass_accept(snug__rewrite *r, snug__graph **graph, snug__id *ids, size_t n);

/* Replace *graph by its final form (also when this fails it is the caller's).  The n values ids[]
 * follow: each becomes what it is in the new graph, SNUG_NONE if it is gone.  options may be NULL.
 */
snug_status snug__pass_all(snug__graph **graph, const snug__pass_options *options,
                           snug__variable_layouts *variables, snug__id *ids,
                           size_t n) SNUG_NODISCARD;

#endif
