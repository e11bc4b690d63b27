#include "base/thread.h"

#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/quota.h"

int32_t snug__cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return 1;
  }
  int cores = CPU_COUNT(&set);
  int quota = snug__quota_cores("");
  cores = quota && quota < cores ? quota : cores;
  return cores < 1 ? 1 : cores > SNUG__MAX_THREADS ? SNUG__MAX_THREADS : cores;
}

int32_t snug__usable_threads(int32_t threads) {
#ifdef _OPENMP
  int limit = omp_get_max_active_levels() < 1 ? 1 : omp_get_thread_limit();
  threads = threads > limit ? limit : threads;
#endif
  return threads < 1 ? 1 : threads;
}

void snug__parallel_for(int32_t threads, int64_t n, void (*body)(void *arg, int64_t i), void *arg) {
  threads = threads < 0 ? -threads : threads;
  if (threads <= 1 || n <= 1) {
    for (int64_t i = 0; i < n; i++) {
      body(arg, i);
    }
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
  for (int64_t i = 0; i < n; i++) {
    body(arg, i);
  }
}
