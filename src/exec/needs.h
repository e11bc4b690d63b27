/* What the kernels of a graph need, without making a program of it.  Nodes of the same signature
 * are asked once, also across graphs: a search tries many that are alike. */
#ifndef SNUG_EXEC_NEEDS_H
#define SNUG_EXEC_NEEDS_H

#include "device/device.h"

typedef struct snug__needs_table {
  snug_ctx *ctx;
  const snug__device *device;
  snug__arena arena;
  struct snug__needs_entry **slots; /* by hash, chained */
} snug__needs_table;

/* Owns: ended by snug__needs_release.  Fails: E_MEMORY; nothing is owed then. */
snug_status snug__needs_open(snug__needs_table *t, snug_ctx *ctx,
                             const snug__device *device) SNUG_NODISCARD;
void snug__needs_release(snug__needs_table *t);

/* The needs of a call.  Fails: E_UNSUPPORTED if there is no kernel, E_MEMORY, as prepare does. */
snug_status snug__needs_of(snug__needs_table *t, const snug__signature *sig,
                           snug__needs *out) SNUG_NODISCARD;

/* The needs of all nodes of a graph, one each; of views none. */
snug_status snug__needs_of_graph(snug__needs_table *t, const snug__graph *g,
                                 snug__needs *out) SNUG_NODISCARD;

#endif
