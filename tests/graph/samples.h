/* Graphs that several tests of this folder take. */
#ifndef SNUG_TESTS_GRAPH_SAMPLES_H
#define SNUG_TESTS_GRAPH_SAMPLES_H

#include "graph/op.h"

/* One training step of a small classifier by hand, with all that a text can have: layers,
 * constants, a view, inputs left out, an output not wanted and one wanted late, written states. */
snug_status sample_step(snug_ctx *ctx, snug__graph **out);

/* The text of a graph; must be released with free. */
char *sample_text(const snug__graph *g);

#endif
