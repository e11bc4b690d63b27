#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>

#include "lib/test.h"

#define N 10000

static atomic_int seen[N];

static void mark(void *arg, int64_t i) {
  (void)arg;
  atomic_fetch_add(&seen[i], 1);
}

static void check_each_once(int32_t threads, int64_t n) {
  for (int64_t i = 0; i < N; i++) {
    atomic_store(&seen[i], 0);
  }
  snug__parallel_for(threads, n, mark, NULL);
  for (int64_t i = 0; i < N; i++) {
    ASSERT_EQ_INT(atomic_load(&seen[i]), i < n);
  }
}

TEST(each_item_once) {
  static const int32_t threads[] = {1, 2, 7};
  static const int64_t sizes[] = {0, 1, 2, 6, 7, 8, N};
  for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      check_each_once(threads[t], sizes[s]);
    }
  }
}

static void note_thread(void *arg, int64_t i) { ((pthread_t *)arg)[i] = pthread_self(); }

TEST(one_thread_is_the_calling_one) {
  pthread_t who[3];
  snug__parallel_for(1, 3, note_thread, who);
  for (int i = 0; i < 3; i++) {
    ASSERT_TRUE(pthread_equal(who[i], pthread_self()));
  }
}

TEST(cores_are_at_least_one) {
  ASSERT_TRUE(snug__cores() >= 1);
  ASSERT_TRUE(snug__cores() <= SNUG__MAX_THREADS);
}
