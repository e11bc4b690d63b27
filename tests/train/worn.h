/* A disk that wears out: after a number of calls all fail with EIO. */
#ifndef SNUG_TESTS_TRAIN_WORN_H
#define SNUG_TESTS_TRAIN_WORN_H

#include "base/store.h"

extern const snug__store_calls worn_disk;

/* Let so many calls succeed from now on. */
void worn_after(int calls);

#endif
