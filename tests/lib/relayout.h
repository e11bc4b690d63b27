/* Values from row-major order into a layout and back, element by element: an oracle for what the
 * library does faster. */
#ifndef SNUG_TESTS_RELAYOUT_H
#define SNUG_TESTS_RELAYOUT_H

#include "graph/type.h"

/* plain -> stored; what the layout adds becomes zero. */
void test_relayout_to(const snug__type *t, const void *plain, void *stored);

/* stored -> plain.  False if what the layout adds is not all zero. */
bool test_relayout_from(const snug__type *t, const void *stored, void *plain);

#endif
