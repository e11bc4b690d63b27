/* What the files that read the text of a graph share.
 *
 * While a text is read, a value of the graph without a name (NULL) is one whose line has not come:
 * ids may stand in any order as long as a value precedes its readers. */
#ifndef SNUG_GRAPH_READ_H
#define SNUG_GRAPH_READ_H

#include "graph/graph.h"
#include "graph/scan.h"

typedef struct snug__reader {
  snug__scan scan;
  snug__graph *g;
  size_t max_values; /* that a text of this length can hold */
  void *params;      /* room for those of any op */
  size_t params_bytes;
} snug__reader;

/* A value in the text: `%5 float32[2] class=activations @1`. */
typedef struct snug__written {
  snug__id id; /* SNUG_NONE for "_" */
  snug__value value;
  bool has_layer;
} snug__written;

/* `%5`; known: that stands in an earlier line. */
snug_status snug__read_id(snug__reader *r, snug__id *out) SNUG_NODISCARD;
snug_status snug__read_known_id(snug__reader *r, snug__id *out) SNUG_NODISCARD;
bool snug__read_is_defined(const snug__reader *r, snug__id id);

/* What follows a `@`. */
snug_status snug__read_layer(snug__reader *r, snug__id *out) SNUG_NODISCARD;

/* Type and attributes into w->value, in the order in which they are printed. */
snug_status snug__read_value(snug__reader *r, snug__written *w) SNUG_NODISCARD;

/* The elements of a constant from the lines that follow.  Fails: E_FORMAT if the text cannot hold
 * so many (before memory is taken) or one is not of the dtype. */
snug_status snug__read_data(snug__reader *r, const snug__type *type,
                            const void **out) SNUG_NODISCARD;

/* Store a value under its id, which may lie beyond all earlier ones. */
snug_status snug__read_place(snug__reader *r, snug__id id, const snug__value *v) SNUG_NODISCARD;

#endif
