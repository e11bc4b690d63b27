#include "device/cpu/time.h"

#include <math.h>
#include <sys/resource.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/thread.h"
#include "device/host.h"

#define MOST_RUNS 8
#define ENOUGH_SECONDS 3e-3 /* of runs that were not disturbed, */
#define FEW_SECONDS 1e-3    /* of so many of them, */
#define FEW_RUNS 2
#define PLENTY_SECONDS 1e-2     /* and of all, */
#define BUSY_SECONDS 1e-1       /* if not one of them was undisturbed */
#define BEYOND_CACHE (64 << 20) /* values of so many bytes drive themselves out */
#define LINE 64

static int64_t bytes_of(const snug__signature *sig) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < sig->n_in; i++) {
    bytes += sig->in[i].dtype ? snug__type_bytes(&sig->in[i]) : 0;
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    bytes += sig->out[k].dtype && !sig->op->writes[k] ? snug__type_bytes(&sig->out[k]) : 0;
  }
  return bytes;
}

#ifdef __x86_64__
/* Lines leave one after the other, which can take longer than the call that is timed. */
static void flush_in_turn(const char *at, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += LINE) {
    _mm_clflush(at + i);
  }
}

__attribute__((target("clflushopt"))) static void flush_at_once(const char *at, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += LINE) {
    _mm_clflushopt((void *)(uintptr_t)(at + i));
  }
}

static bool can_flush_at_once(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_CLFLUSHOPT);
}
#endif

/* Drive the cold values out of the cache. */
static void evict(const snug__timed_launch *t) {
#ifdef __x86_64__
  const snug__call *c = t->call;
  if (bytes_of(c->sig) > BEYOND_CACHE) {
    return;
  }
  void (*flush)(const char *, int64_t) = can_flush_at_once() ? flush_at_once : flush_in_turn;
  for (int32_t i = 0; i < c->sig->n_in; i++) {
    if (c->in[i] && t->cold_in >> i & 1) {
      flush(c->in[i], snug__type_bytes(&c->sig->in[i]));
    }
  }
  for (int32_t k = 0; k < c->sig->n_out; k++) {
    if (c->out[k] && t->cold_out >> k & 1) {
      flush(c->out[k], snug__type_bytes(&c->sig->out[k]));
    }
  }
  _mm_mfence();
#else
  (void)t;
  (void)bytes_of;
#endif
}

/* A single thread can count its own time, and leave out what others were given meanwhile. */
static double now(int32_t threads) {
  return snug__seconds(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

static void nothing(void *arg, int64_t i) {
  (void)arg;
  (void)i;
}

/* How often the process had to leave a processor to others. */
static long disturbances(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_nivcsw : 0;
}

/* One run; negative if the call refuses its data.  In a step the threads come from the call before;
 * here they may have gone to sleep. */
static double run_once(const snug__timed_launch *t) {
  const int32_t threads = snug__threads(t->call->sig);
  evict(t);
  snug__parallel_for(threads, threads, nothing, NULL);
  double start = now(threads);
  return t->kernel->run(t->state, t->call) ? -1.0 : now(threads) - start;
}

static bool is_enough(double calm, int32_t n_calm) {
  return calm >= ENOUGH_SECONDS || (n_calm >= FEW_RUNS && calm >= FEW_SECONDS);
}

/* The shortest run.  One in which others ran as well tells little, and neither does the first,
 * unless warming is a small part of it. */
double snug__cpu_time(snug__queue *q, const snug__timed_launch *launch) {
  double best = INFINITY, calm = 0.0, all = 0.0;
  int32_t n_calm = 0;
  (void)q;
  for (int32_t i = 0;
       i < MOST_RUNS && !is_enough(calm, n_calm) && all < (n_calm ? PLENTY_SECONDS : BUSY_SECONDS);
       i++) {
    const long before = disturbances();
    const double seconds = run_once(launch);
    if (seconds < 0.0) {
      return -1.0;
    }
    best = fmin(best, seconds);
    all += seconds;
    if (disturbances() == before && (i > 0 || seconds >= ENOUGH_SECONDS)) {
      calm += seconds;
      n_calm++;
    }
  }
  return best;
}
