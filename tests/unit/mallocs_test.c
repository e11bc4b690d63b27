#include "lib/mallocs.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/test.h"

/* Kept where the compiler cannot see that the memory is never used. */
static void *volatile kept;

static void use_each_function(void) {
  kept = malloc(100);
  kept = realloc(kept, 200);
  free(kept);
  kept = calloc(10, 10);
  free(kept);
  kept = aligned_alloc(64, 128);
  free(kept);
  void *p = NULL;
  ASSERT_EQ_INT(posix_memalign(&p, 4096, 10), 0);
  ASSERT_EQ_UINT((uintptr_t)p % 4096, 0);
  kept = p;
  free(kept);
}

static void skip_if_blind(void) {
  if (!test_mallocs_work()) {
    test_skip("the sanitizer has the allocator");
  }
}

TEST(counts_each_function) {
  skip_if_blind();
  test_mallocs_start();
  use_each_function();
  test_mallocs counts = test_mallocs_stop();
  ASSERT_EQ_INT(counts.n_taken, 5);
  ASSERT_EQ_INT(counts.n_freed, 5);
  ASSERT_EQ_INT(counts.bytes, 100 + 200 + 100 + 128 + 10);
}

TEST(counts_nothing_outside) {
  skip_if_blind();
  use_each_function();
  test_mallocs_start();
  test_mallocs counts = test_mallocs_stop();
  use_each_function();
  ASSERT_EQ_INT(counts.n_taken + counts.n_freed, 0);
}

static void *take_on_thread(void *arg) {
  (void)arg;
  free(kept = malloc(1));
  return NULL;
}

TEST(counts_on_other_threads) {
  skip_if_blind();
  pthread_t thread;
  test_mallocs_start();
  ASSERT_EQ_INT(pthread_create(&thread, NULL, take_on_thread, NULL), 0);
  pthread_join(thread, NULL);
  ASSERT_TRUE(test_mallocs_stop().n_taken >= 1); /* the thread's own block, and the start of it */
}
