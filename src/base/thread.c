#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "base/heap.h"
#include "base/process.h"
#include "base/quota.h"

#define STACK_BYTES 131072 /* made resident at the start */
#define STACK_SPARE 16384  /* left alone below that, where a stack is small */

static bool is_bound(void) {
#ifdef _OPENMP
  return omp_get_proc_bind() != omp_proc_bind_false;
#else
  return false;
#endif
}

/* Processors in the calling thread's own mask. */
static int own_processors(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

#ifdef _OPENMP

/* Processors that threads are bound to. */
static int processors_of_places(void) {
  int ids[CPU_SETSIZE];
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int i = 0; i < omp_get_num_places(); i++) {
    int n = omp_get_place_num_procs(i);
    omp_get_place_proc_ids(i, ids);
    for (int k = 0; k < n; k++) {
      CPU_SET((size_t)ids[k], &all);
    }
  }
  return CPU_COUNT(&all);
}

#endif

/* A runtime that binds threads has bound the first one, too, to one place of several. */
static int process_processors(void) {
#ifdef _OPENMP
  if (is_bound() && omp_get_num_places() > 0) {
    return processors_of_places();
  }
#endif
  return own_processors();
}

static int32_t within_quota(int cores) {
  int quota = snug__quota_cores("");
  cores = quota && quota < cores ? quota : cores;
  return cores < 1 ? 1 : cores > SNUG__MAX_THREADS ? SNUG__MAX_THREADS : cores;
}

int32_t snug__cores(void) { return within_quota(process_processors()); }

int32_t snug__machine_cores(void) { return within_quota((int)sysconf(_SC_NPROCESSORS_ONLN)); }

int32_t snug__bound_processors(int32_t threads) {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (!is_bound()) {
    return 0;
  }
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) == 0) {
#pragma omp critical
      CPU_OR(&all, &all, &own);
    }
  }
#else
  (void)threads;
#endif
  return CPU_COUNT(&all);
}

int32_t snug__usable_threads(int32_t threads) {
#ifdef _OPENMP
  int limit = omp_get_max_active_levels() < 1 ? 1 : omp_get_thread_limit();
  threads = threads > limit ? limit : threads;
#endif
  return threads < 1 ? 1 : threads;
}

/* Bytes of the calling thread's stack below `here`; 0 if they are not known. */
static size_t stack_below(const char *here) {
  pthread_attr_t attr;
  void *lowest = NULL;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) {
    return 0;
  }
  int failed = pthread_attr_getstack(&attr, &lowest, &bytes);
  pthread_attr_destroy(&attr);
  return !failed && here > (const char *)lowest ? (size_t)(here - (const char *)lowest) : 0;
}

__attribute__((noinline)) static void touch_stack(void) {
  volatile char here = 0;
  if (stack_below((const char *)&here) > STACK_BYTES + STACK_SPARE) {
    volatile char *room = __builtin_alloca(STACK_BYTES);
    for (size_t i = 0; i < STACK_BYTES; i += 1024) {
      room[i] = here;
    }
  }
}

static void touch_one(void *arg, int64_t i) {
  (void)arg;
  (void)i;
  touch_stack();
}

void snug__workers_start(int32_t threads) { snug__parallel_for(threads, threads, touch_one, NULL); }

/* ---- threads where addresses are limited ---- */

#ifdef _OPENMP

/* What a limit leaves of this many bytes in use. */
static uint64_t left_by(const struct rlimit *limit, uint64_t used) {
  return limit->rlim_cur == RLIM_INFINITY ? UINT64_MAX
         : limit->rlim_cur > used         ? limit->rlim_cur - used
                                          : 0;
}

/* Addresses that the process may still take; UINT64_MAX: there is no limit. */
static uint64_t addresses_left(void) {
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  struct rlimit data = all;
  snug__process now;
  getrlimit(RLIMIT_AS, &all);
  getrlimit(RLIMIT_DATA, &data);
  snug__process_read("", &now);
  uint64_t of_all = left_by(&all, now.mapped);
  uint64_t of_data = left_by(&data, now.data);
  return of_all < of_data ? of_all : of_data;
}

/* Waits until all have been tried. */
static void *wait_for(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

/* How many threads there can be at a time beside this one, up to `most`, with this many bytes to
 * spare.
 */
static int32_t try_threads(int32_t most, size_t spare) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t made[SNUG__MAX_THREADS];
  int32_t n = 0;
  pthread_mutex_lock(&lock);
  bool has_room = true;
  while (n < most && has_room && pthread_create(&made[n], NULL, wait_for, &lock) == 0) {
    has_room = snug__heap_has(spare);
    n++;
  }
  pthread_mutex_unlock(&lock);
  for (int32_t i = 0; i < n; i++) {
    pthread_join(made[i], NULL);
  }
  return has_room ? n : n - 1;
}

/* Each thread that calls has workers of its own. */
static _Thread_local int32_t started = 1;

/* Stacks get half of what is left: the rest is for what the threads are to work on. */
int32_t snug__startable_threads(int32_t threads) {
  uint64_t left = threads > started && threads <= SNUG__MAX_THREADS ? addresses_left() : UINT64_MAX;
  if (left < UINT64_MAX) {
    started += try_threads(threads - started, (size_t)(left / 2 + 1));
    snug__workers_start(started);
    threads = started;
  }
  return threads;
}

#else

int32_t snug__startable_threads(int32_t threads) { return threads; }

#endif

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

int snug__thread_start(pthread_t *out, void *stack, size_t bytes, void *(*work)(void *),
                       void *arg) {
  pthread_attr_t attr;
  sigset_t all, before;
  int error = pthread_attr_init(&attr);
  if (error) {
    return error;
  }
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  error = pthread_attr_setstack(&attr, stack, bytes);
  error = error ? error : pthread_create(out, &attr, work, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return error;
}

#ifdef __SSE__

#define FLUSH_RESULTS 0x8000u  /* FTZ of MXCSR */
#define FLUSH_OPERANDS 0x0040u /* DAZ; every x86 with 64 bits has it */

uint32_t snug__flush_denormals(void) {
  uint32_t before = _mm_getcsr();
  _mm_setcsr(before | FLUSH_RESULTS | FLUSH_OPERANDS);
  return before;
}

void snug__float_mode_set(uint32_t mode) { _mm_setcsr(mode); }

#elif defined(__aarch64__)

#define FLUSH_BOTH (1ull << 24) /* FZ of FPCR */

uint32_t snug__flush_denormals(void) {
  uint64_t before = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  __asm__ volatile("msr fpcr, %0" : : "r"(before | FLUSH_BOTH));
  return (uint32_t)before;
}

void snug__float_mode_set(uint32_t mode) {
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)mode));
}

#else

uint32_t snug__flush_denormals(void) { return 0; }
void snug__float_mode_set(uint32_t mode) { (void)mode; }

#endif

/* ---- time slices ---- */

#define RESET_ON_FORK 1u
#define SLICE 100000 /* nanoseconds: the least that Linux takes */

/* struct sched_attr of the kernel, as far as it is wanted. */
typedef struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
} attributes;

/* A thread that is scheduled in another way than most is left alone.  Returns what it was. */
static uint32_t set_slice(uint32_t nanoseconds) {
  attributes a = {0};
  if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) || a.policy != SCHED_OTHER || a.runtime == 0 ||
      a.runtime > UINT32_MAX) {
    return 0;
  }
  uint32_t before = (uint32_t)a.runtime;
  a.size = sizeof a;
  a.flags &= RESET_ON_FORK; /* the others ask for more than it has */
  a.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &a, 0) ? 0 : before;
}

static void begin_thread(snug__thread_state *before, bool is_caller, bool is_alone) {
  before->float_mode = is_caller ? 0 : snug__flush_denormals();
  before->slice = is_alone ? 0 : set_slice(SLICE);
}

static void end_thread(const snug__thread_state *before, bool is_caller) {
  if (!is_caller) {
    snug__float_mode_set(before->float_mode);
  }
  if (before->slice) {
    set_slice(before->slice);
  }
}

void snug__workers_begin(int32_t threads, snug__thread_state *before) {
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    int i = omp_get_thread_num();
    begin_thread(&before[i], i == 0, threads <= 1);
  }
#else
  (void)threads;
  begin_thread(&before[0], true, true);
#endif
}

void snug__workers_end(int32_t threads, const snug__thread_state *before) {
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    int i = omp_get_thread_num();
    end_thread(&before[i], i == 0);
  }
#else
  (void)threads;
  end_thread(&before[0], true);
#endif
}
