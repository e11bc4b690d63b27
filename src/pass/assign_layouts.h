/* The layout pass: every value gets the layout that the kernels around it work best on, and
 * reorders stand where two of them differ.
 *
 * It walks the nodes in order.  Each is shown the layouts its inputs have and says what it wants:
 * kernels of the heavy ops ask for their own layout, element-wise ops follow their inputs, so one
 * layout runs through from a convolution to whatever cannot take it.  A variable gets the layout of
 * its first reader, forward kernels come first, and all other programs of the model keep it. */
#ifndef SNUG_PASS_ASSIGN_LAYOUTS_H
#define SNUG_PASS_ASSIGN_LAYOUTS_H

#include "device/device.h"
#include "graph/rewrite.h"

/* How the variables of a model lie, by index. */
typedef struct snug__variable_layouts {
  size_t n;
  snug__layout *layout;
  bool *fixed; /* decided: no program may change it */
} snug__variable_layouts;

/* Which of several kernels a node takes. */
typedef struct snug__kernel_rules {
  int64_t most_scratch; /* the first that needs no more bytes, or the one that needs least; 0: the
                           preferred one */
  struct snug__kernel_list *fixed; /* what it names comes first; NULL: nothing */
} snug__kernel_rules;

/* Lay a graph out, by the kernels that the rules choose; nodes then say which.  `variables` says
 * what is decided and receives what this graph decides; graphs start plain, whatever it says.  out
 * is the caller's, also its graph; nothing is owed after a failure. */
snug_status snug__pass_assign_layouts(const snug__graph *g, const snug__device *device,
                                      const snug__kernel_rules *rules,
                                      snug__variable_layouts *variables,
                                      snug__rewrite *out) SNUG_NODISCARD;

#endif
