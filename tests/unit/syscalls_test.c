#include "lib/syscalls.h"

#include <pthread.h>
#include <sys/mman.h>

#include "lib/test.h"

#define PAGE 4096

static bool is_in_order(void *arg) {
  volatile int sum = 0;
  test_syscalls_start();
  for (int i = 0; i < 1000; i++) {
    sum += i;
  }
  test_syscalls_stop();
  return arg == NULL && sum > 0;
}

/* A call each of the kinds, whose results must be those of the real calls. */
static bool map_a_page(void) {
  char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || p[PAGE - 1] != 0) {
    return false;
  }
  p[0] = 1;
  bool good = madvise(p, PAGE, MADV_DONTNEED) == 0 && p[0] == 0;
  p = mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
  return good && p != MAP_FAILED && mprotect(p, PAGE, PROT_READ) == 0 && munmap(p, 2 * PAGE) == 0;
}

static bool maps_a_page(void *arg) {
  (void)arg;
  test_syscalls_start();
  bool good = map_a_page();
  test_syscalls_stop();
  return good;
}

static pthread_barrier_t barrier;

static void *map_on_thread(void *good) {
  pthread_barrier_wait(&barrier); /* started: the filter is put on a thread that exists */
  pthread_barrier_wait(&barrier);
  *(bool *)good = map_a_page();
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier); /* the end of a thread is a madvise too: not before the stop */
  return NULL;
}

static bool maps_on_another_thread(void *arg) {
  (void)arg;
  pthread_t thread;
  bool good = false;
  pthread_barrier_init(&barrier, NULL, 2);
  if (pthread_create(&thread, NULL, map_on_thread, &good) != 0) {
    return false;
  }
  pthread_barrier_wait(&barrier);
  test_syscalls_start();
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  test_syscalls_stop();
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
  return good;
}

static void run_or_skip(bool (*work)(void *arg), test_syscalls *out) {
  if (!test_syscalls_run(work, NULL, out)) {
    test_skip("no seccomp filter here");
  }
}

TEST(counts_nothing_where_nothing_is_asked) {
  test_syscalls counts;
  run_or_skip(is_in_order, &counts);
  ASSERT_EQ_INT(test_syscalls_sum(&counts), 0);
}

static void check_one_of_each(const test_syscalls *counts) {
  ASSERT_EQ_INT(counts->n_mmap, 1);
  ASSERT_EQ_INT(counts->n_madvise, 1);
  ASSERT_EQ_INT(counts->n_mremap, 1);
  ASSERT_EQ_INT(counts->n_mprotect, 1);
  ASSERT_EQ_INT(counts->n_munmap, 1);
  ASSERT_EQ_INT(test_syscalls_sum(counts), 5);
}

TEST(counts_and_performs_each_call) {
  test_syscalls counts;
  run_or_skip(maps_a_page, &counts);
  check_one_of_each(&counts);
}

TEST(counts_on_other_threads) {
  test_syscalls counts;
  run_or_skip(maps_on_another_thread, &counts);
  check_one_of_each(&counts);
}
