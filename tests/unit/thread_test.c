#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/ctx.h"
#include "base/process.h"
#include "lib/mallocs.h"
#include "lib/syscalls.h"
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

static void run_often(int32_t threads) {
  for (int i = 0; i < 100; i++) {
    snug__parallel_for(threads, 100, mark, NULL);
  }
}

TEST(a_warm_loop_takes_no_memory) {
  if (!test_mallocs_work()) {
    test_skip("the sanitizer has the allocator");
  }
  run_often(2);
  test_mallocs_start();
  run_often(2);
  test_mallocs counts = test_mallocs_stop();
  ASSERT_EQ_INT(counts.n_taken, 0);
  ASSERT_EQ_INT(counts.n_freed, 0);
}

static bool run_counted(void *arg) {
  (void)arg;
  run_often(2);
  test_syscalls_start();
  run_often(2);
  test_syscalls_stop();
  return true;
}

TEST(a_warm_loop_makes_no_memory_calls) {
  test_syscalls counts;
  if (!test_syscalls_run(run_counted, NULL, &counts)) {
    test_skip("no seccomp filter here");
  }
  ASSERT_EQ_INT(test_syscalls_sum(&counts), 0);
}

/* ---- where addresses are limited ---- */

/* In a child: how many of four threads can be made with so many bytes of addresses to spare. */
static int startable_within(uint64_t spare) {
  int status = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    snug__process now;
    snug__process_read("", &now);
    struct rlimit limit = {now.mapped + spare, RLIM_INFINITY};
    _exit(setrlimit(RLIMIT_AS, &limit) == 0 ? snug__startable_threads(4) : 99);
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(threads_that_have_no_room_are_not_made) {
  if (!test_mallocs_work()) {
    test_skip("the sanitizer wants more addresses than it may have");
  }
  ASSERT_EQ_INT(snug__startable_threads(4), 4); /* no limit: nothing is tried */
#ifdef _OPENMP
  ASSERT_EQ_INT(startable_within(2 << 20), 1); /* a stack is some MiB */
#endif
#ifdef _OPENMP
  struct rlimit stack;
  getrlimit(RLIMIT_STACK, &stack);
  if (stack.rlim_cur == 8 << 20) { /* half of it stays free */
    ASSERT_EQ_INT(startable_within(40 << 20), 3);
  }
#endif
  ASSERT_EQ_INT(startable_within(UINT64_C(1) << 32), 4);
}

/* ---- time slices ---- */

#define TEAM 3

/* As sched_getattr tells it, in nanoseconds; 0 on kernels before Linux 6.12. */
static void note_slice(void *arg, int64_t i) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } a = {0};
  ((uint64_t *)arg)[i] = syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) ? 0 : a.runtime;
}

TEST(threads_that_compute_have_short_slices_and_then_those_of_before) {
  snug__thread_state saved[TEAM], inner[TEAM];
  uint64_t before[TEAM], within[TEAM], after[TEAM];
  snug__parallel_for(TEAM, TEAM, note_slice, before);
  if (before[0] == 0) {
    test_skip("Linux before 6.12 has no slices to set");
  }
  snug__workers_begin(TEAM, saved);
  snug__workers_begin(TEAM, inner); /* an evaluation in a callback of a fit */
  snug__workers_end(TEAM, inner);
  snug__parallel_for(TEAM, TEAM, note_slice, within);
  snug__workers_end(TEAM, saved);
  snug__parallel_for(TEAM, TEAM, note_slice, after);
  ASSERT_EQ_BYTES(before, after, sizeof before);
  if (snug__usable_threads(TEAM) == TEAM) {
    for (int i = 0; i < TEAM; i++) {
      ASSERT_EQ_UINT(within[i], 100000);
    }
  }
  snug__workers_begin(1, saved); /* nobody waits for it */
  note_slice(within, 0);
  snug__workers_end(1, saved);
  ASSERT_EQ_UINT(within[0], before[0]);
}

/* ---- zeros ---- */

/* Memory that was used before, as an allocator of the caller's may give it. */
static void *used_before(void *arg, void *ptr, size_t old_bytes, size_t new_bytes) {
  (void)arg;
  (void)old_bytes;
  if (!new_bytes) {
    free(ptr);
    return NULL;
  }
  void *p = realloc(ptr, new_bytes);
  if (p && !ptr) {
    memset(p, 0xA5, new_bytes);
  }
  return p;
}

TEST(memory_of_any_size_is_zeroed_by_any_number_of_threads) {
  static const size_t chunk = (size_t)4 << 20;
  const size_t sizes[] = {1, chunk - 1, chunk, chunk + 1, 3 * chunk + 7};
  const snug_allocator dirty = {NULL, used_before};
  for (int32_t threads = 1; threads <= 3; threads++) {
    snug_options o = SNUG_INIT(snug_options);
    o.threads = threads;
    o.allocator = &dirty;
    snug_ctx *ctx = test_ctx_with(&o);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
      unsigned char *p = NULL;
      ASSERT_OK(ctx, snug__take(ctx, SNUG__MEM_WORK, sizes[k], (void **)&p));
      ASSERT_TRUE(p[0] == 0 && memcmp(p, p + 1, sizes[k] - 1) == 0);
      snug__give(ctx, SNUG__MEM_WORK, p, sizes[k]);
    }
    test_ctx_end(ctx);
  }
}

/* ---- reading by several threads ---- */

#define LONG (((size_t)5 << 19) + 3)

TEST(threads_read_what_one_reads) {
  static unsigned char written[LONG], read[LONG];
  const char *path = test_path("long");
  for (size_t i = 0; i < LONG; i++) {
    written[i] = (unsigned char)(i * 2654435761u >> 13);
  }
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_TRUE(fd >= 0 && snug__write_at(fd, written, LONG, 5));
  for (int32_t threads = 1; threads <= 3; threads++) {
    memset(read, 0, LONG);
    ASSERT_TRUE(snug__read_at_threaded(threads, fd, read, LONG, 5));
    ASSERT_EQ_BYTES(read, written, LONG);
    ASSERT_TRUE(snug__read_at_threaded(threads, fd, read, 0, 5));
    ASSERT_TRUE(!snug__read_at_threaded(threads, fd, read, LONG, 6));
    ASSERT_EQ_INT(errno, 0); /* it ends before */
  }
  close(fd);
  ASSERT_TRUE(!snug__read_at_threaded(2, fd, read, LONG, 5));
  ASSERT_EQ_INT(errno, EBADF);
}
