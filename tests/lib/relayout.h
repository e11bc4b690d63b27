/* Values from row-major order into a layout and back, element by element: an oracle for what the
 * library does faster. */
#ifndef SNUG_TESTS_RELAYOUT_H
#define SNUG_TESTS_RELAYOUT_H

#include "graph/type.h"

/* Where the element of a row-major index is stored, counted in elements. */
int64_t test_relayout_place(const snug__type *t, int64_t index);

/* plain -> stored; what the layout adds becomes zero. */
void test_relayout_to(const snug__type *t, const void *plain, void *stored);

/* stored -> plain.  False if what the layout adds is not all zero. */
bool test_relayout_from(const snug__type *t, const void *stored, void *plain);

#endif
