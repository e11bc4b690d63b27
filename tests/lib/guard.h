/* A guarded allocator: a snug_allocator that distrusts its caller.
 *
 * Every block has guard bands before and after it; new memory is filled with 0xA5 and freed memory
 * with 0xDD; resizing always moves; the old size is compared with the true one.  What is wrong is
 * noted (the first finding is kept) and reported by test_guard_finish, together with what was not
 * given back.  Under AddressSanitizer the bands are poisoned too, so that reading them stops the
 * test. */
#ifndef SNUG_TESTS_GUARD_H
#define SNUG_TESTS_GUARD_H

#include <stdbool.h>

#include "snug/context.h"

typedef struct test_guard {
  snug_allocator allocator;       /* read-only: hand this to snug_options */
  struct test_guard_block *first; /* read-only: live blocks, newest first */
  size_t n_live;                  /* read-only */
  int64_t n_requests;             /* read-only: calls that asked for memory */
  int64_t n_refused;              /* read-only: of these, refused by the two below */
  int64_t fail_at;                /* set by the caller: refuse this request; -1: none */
  bool fail_later_too;            /* set by the caller: and every later one */
  char problem[512];              /* read-only: "" while nothing is wrong */
} test_guard;

/* Make an empty allocator, in place; it must not be moved. */
void test_guard_init(test_guard *g);

/* Check every live block, free what is left and return the first problem ("" if there was none).
 * A block that is left is a problem. */
const char *test_guard_finish(test_guard *g);

/* As finish, for a test that failed already: nothing is checked. */
void test_guard_drop(test_guard *g);

#endif
