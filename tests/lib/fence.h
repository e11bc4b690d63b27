/* Memory between two fences: bytes on both sides that nobody may touch, aligned as a program's
 * values are.  Under AddressSanitizer reading them stops the test too. */
#ifndef SNUG_TESTS_FENCE_H
#define SNUG_TESTS_FENCE_H

#include <stddef.h>

/* New memory, every byte of it `fill`. */
void *test_fence_new(size_t bytes, int fill);

/* Fails the test, naming `what`, if something beside the memory was written. */
void test_fence_check(const void *data, size_t bytes, const char *what);

void test_fence_free(void *data, size_t bytes); /* NULL is fine */

#endif
