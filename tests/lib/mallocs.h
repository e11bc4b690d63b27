/* Count what the whole process asks the C library's allocator for, on every thread, libraries
 * included: the test executables define malloc and its family over glibc's own. */
#ifndef SNUG_TESTS_MALLOCS_H
#define SNUG_TESTS_MALLOCS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct test_mallocs {
  int64_t n_taken; /* malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign */
  int64_t n_freed; /* free and realloc of a block */
  int64_t bytes;   /* asked for, in all */
  int64_t held;    /* of blocks taken since the start (less those freed), at the end */
  int64_t most;    /* and at most */
} test_mallocs;

/* Whether this build counts: sanitizers bring an allocator of their own. */
bool test_mallocs_work(void);

/* Count from here, and stop and read. */
void test_mallocs_start(void);
test_mallocs test_mallocs_stop(void);

#endif
