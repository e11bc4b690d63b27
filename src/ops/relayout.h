/* A value copied from one layout into another. */
#ifndef SNUG_OPS_RELAYOUT_H
#define SNUG_OPS_RELAYOUT_H

#include "graph/type.h"

/* The types differ in their layouts at most.  What the layout of `to` adds is set to zero; what
 * that of `from` added is not read. */
void snug__relayout_threaded(const snug__type *from, const void *src, const snug__type *to,
                             void *dst, int32_t threads);

static inline void snug__relayout(const snug__type *from, const void *src, const snug__type *to,
                                  void *dst) {
  snug__relayout_threaded(from, src, to, dst, 1);
}

/* n elements alone, from number `first` on in row-major order: out of a value in its layout to
 * `plain`, where they lie side by side, or from there into the value. */
void snug__relayout_out(const snug__type *t, const void *value, int64_t first, int64_t n,
                        void *plain);
void snug__relayout_in(const snug__type *t, void *value, int64_t first, int64_t n,
                       const void *plain);

#endif
