#include "exec/timer.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/ctx.h"
#include "base/size.h"
#include "base/thread.h"

#define MOST_RUNS 8
#define ENOUGH_SECONDS 3e-3 /* of runs that were not disturbed, */
#define FEW_SECONDS 1e-3    /* of so many of them, */
#define FEW_RUNS 2
#define PLENTY_SECONDS 1e-2     /* and of all, */
#define BUSY_SECONDS 1e-1       /* if not one of them was undisturbed */
#define LARGE_BLOCK (4 << 20)   /* from there on a block that is too small is doubled */
#define BEYOND_CACHE (64 << 20) /* values of so many bytes drive themselves out */
#define LINE 64

/* The call's memory: where its values lie in the block. */
typedef struct bound {
  const void *in[SNUG__MAX_IN];
  void *out[SNUG__MAX_OUT];
  snug__call call;
  snug__fault fault;
} bound;

static int64_t room_of(const snug__type *type) {
  return type->dtype ? snug__round_up(snug__type_bytes(type), SNUG__BLOCK_ALIGN) : 0;
}

int64_t snug__trial_bytes(const snug__trial *trial) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < trial->sig.n_in; i++) {
    bytes += room_of(&trial->sig.in[i]);
  }
  for (int32_t k = 0; k < trial->sig.n_out; k++) {
    bytes += trial->sig.op->writes[k] ? 0 : room_of(&trial->sig.out[k]);
  }
  return bytes;
}

/* Making pages takes longer than most calls. */
static int64_t grown(const snug__timer *t, int64_t bytes) {
  const int64_t twice = snug__min_i64(2 * t->block_bytes, t->most_bytes);
  return bytes < LARGE_BLOCK ? bytes : snug__max_i64(bytes, twice);
}

static snug_status need_block(snug__timer *t, int64_t bytes) {
  if (bytes <= t->block_bytes) {
    return SNUG_OK;
  }
  bytes = grown(t, bytes);
  t->device->give(t->ctx, t->block, t->block_bytes);
  t->block = NULL;
  t->block_bytes = 0;
  SNUG_TRY(t->device->take(t->ctx, bytes, (void **)&t->block));
  t->block_bytes = bytes;
  return SNUG_OK;
}

void snug__timer_release(snug__timer *t) {
  t->device->give(t->ctx, t->block, t->block_bytes);
  t->block = NULL;
  t->block_bytes = 0;
}

static void bind(const snug__timer *t, const snug__trial *trial, bound *b) {
  const snug__signature *sig = &trial->sig;
  char *at = t->block;
  for (int32_t i = 0; i < sig->n_in; i++) {
    b->in[i] = sig->in[i].dtype ? at : NULL;
    at += room_of(&sig->in[i]);
  }
  memset(t->block, 0, (size_t)(at - t->block));
  for (int32_t k = 0; k < sig->n_out; k++) {
    const int32_t written = sig->op->writes[k] - 1;
    const bool is_new = written < 0;
    b->out[k] = !sig->out[k].dtype ? NULL : is_new ? at : (void *)(uintptr_t)b->in[written];
    at += is_new ? room_of(&sig->out[k]) : 0;
  }
  b->fault = (snug__fault){0};
  b->call = (snug__call){.sig = sig, .in = b->in, .out = b->out, .scratch = at, .fault = &b->fault};
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

/* Drive values out of the cache. */
static void evict_far(const snug__trial *trial, const bound *b) {
#ifdef __x86_64__
  if (snug__trial_bytes(trial) > BEYOND_CACHE) {
    return;
  }
  void (*flush)(const char *, int64_t) = can_flush_at_once() ? flush_at_once : flush_in_turn;
  for (int32_t i = 0; i < trial->sig.n_in; i++) {
    if (b->in[i] && trial->far_in >> i & 1) {
      flush(b->in[i], snug__type_bytes(&trial->sig.in[i]));
    }
  }
  for (int32_t k = 0; k < trial->sig.n_out; k++) {
    if (b->out[k] && trial->far_out >> k & 1) {
      flush(b->out[k], snug__type_bytes(&trial->sig.out[k]));
    }
  }
  _mm_mfence();
#else
  (void)trial;
  (void)b;
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
static double run_once(const snug__trial *trial, const void *state, const bound *b) {
  evict_far(trial, b);
  snug__parallel_for(trial->sig.threads, trial->sig.threads, nothing, NULL);
  const int32_t threads = trial->sig.threads;
  double start = now(threads);
  return trial->kernel->run(state, &b->call) ? -1.0 : now(threads) - start;
}

static bool is_enough(double calm, int32_t n_calm) {
  return calm >= ENOUGH_SECONDS || (n_calm >= FEW_RUNS && calm >= FEW_SECONDS);
}

/* The shortest run.  One in which others ran as well tells little, and neither does the first,
 * unless warming is a small part of it. */
static double run_all(const snug__trial *trial, const void *state, const bound *b) {
  double best = INFINITY, calm = 0.0, all = 0.0;
  int32_t n_calm = 0;
  for (int32_t i = 0;
       i < MOST_RUNS && !is_enough(calm, n_calm) && all < (n_calm ? PLENTY_SECONDS : BUSY_SECONDS);
       i++) {
    const long before = disturbances();
    const double seconds = run_once(trial, state, b);
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

static snug_status time_prepared(snug__timer *t, const snug__trial *trial, const void *state,
                                 int64_t scratch, double *seconds) {
  const int64_t bytes = snug__trial_bytes(trial) + scratch;
  bound b;
  if (bytes > t->most_bytes) {
    return SNUG_OK;
  }
  snug_status s = need_block(t, bytes);
  if (s) {
    return s == SNUG_E_LIMIT ? SNUG_OK : s;
  }
  bind(t, trial, &b);
  *seconds = run_all(trial, state, &b);
  return SNUG_OK;
}

snug_status snug__timer_run(snug__timer *t, const snug__trial *trial, double *seconds) {
  snug__needs needs = {0};
  void *state = NULL;
  *seconds = -1.0;
  if (snug__trial_bytes(trial) > t->most_bytes) {
    return SNUG_OK;
  }
  snug_status s = trial->kernel->prepare(t->ctx, &trial->sig, &needs, &state);
  if (s) {
    return s == SNUG_E_UNSUPPORTED ? SNUG_OK : s;
  }
  s = time_prepared(t, trial, state, needs.scratch_bytes, seconds);
  if (trial->kernel->release) {
    trial->kernel->release(t->ctx, state);
  }
  return s;
}
