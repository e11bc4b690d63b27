#include "lib/far.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/ctx.h"
#include "base/thread.h"
#include "device/cpu/cpu.h"

#define RING 1024       /* jobs that are under way at most */
#define SOON_ONE_IN 8   /* of the bursts of jobs that are run before somebody waits */
#define PAUSE_ONE_IN 16 /* of the jobs that have a pause before them */
#define PAUSE_NANOSECONDS 50000
#define PAGE 4096

typedef enum job_kind { LAUNCH, COPY_IN, COPY_OUT, COPY, FILL, ENTER, LEAVE, TIME } job_kind;

typedef struct job {
  job_kind kind;
  const snug__kernel *kernel;
  const void *state;
  const snug__call *call;
  snug__place place, from;
  const void *source; /* of the host */
  void *target;
  int64_t bytes;
  int byte;
  const snug__timed_launch *timed;
} job;

/* Memory of the device: addresses that nobody can read, and where the bytes are. */
typedef struct region {
  struct region *next;
  char *reserved;
  size_t reserved_bytes;
  uintptr_t start;
  int64_t bytes;
  char *storage;
} region;

typedef struct far_queue {
  snug__queue *queue;
  pthread_t thread;
  bool is_running, is_closing, is_hurried;
  pthread_mutex_t mutex; /* of all that follows, and of `regions` */
  pthread_cond_t changed;
  int64_t asked, done; /* jobs */
  job ring[RING];
  region *regions;
  snug__thread_state *before;
  uint64_t random;
} far_queue;

static _Noreturn void stop(const char *what, uintptr_t address) {
  fprintf(stderr, "far: %s: %p\n", what, (void *)address);
  abort();
}

/* ---- memory ---- */

/* Where the bytes of an address are. */
static void *translate(far_queue *f, const void *pointer, const char *what) {
  const uintptr_t address = (uintptr_t)pointer;
  void *at = NULL;
  if (!address) {
    return NULL;
  }
  pthread_mutex_lock(&f->mutex);
  for (const region *r = f->regions; r && !at; r = r->next) {
    at = address >= r->start && address <= r->start + (uintptr_t)r->bytes
             ? r->storage + (address - r->start)
             : NULL;
  }
  pthread_mutex_unlock(&f->mutex);
  if (!at) {
    stop(what, address);
  }
  return at;
}

/* The address has the alignment of the bytes, and a page of nothing behind it. */
static snug_status take(snug__queue *q, snug__account_name name, int64_t bytes, snug__place *out) {
  far_queue *f = q->own;
  snug__place storage;
  SNUG_TRY(snug__cpu.take(q, name, bytes, &storage));
  region *r = calloc(1, sizeof *r);
  if (!r) {
    abort();
  }
  r->reserved_bytes = (size_t)bytes + 3 * PAGE;
  r->reserved =
      mmap(NULL, r->reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (r->reserved == MAP_FAILED) {
    abort();
  }
  r->storage = snug__place_pointer(storage);
  r->start = (uintptr_t)r->reserved + (uintptr_t)r->storage % PAGE;
  r->bytes = bytes;
  *out = (snug__place){r->start};
  pthread_mutex_lock(&f->mutex);
  r->next = f->regions;
  f->regions = r;
  pthread_mutex_unlock(&f->mutex);
  return SNUG_OK;
}

static void give(snug__queue *q, snug__account_name name, snug__place place, int64_t bytes) {
  far_queue *f = q->own;
  pthread_mutex_lock(&f->mutex);
  region **at = &f->regions;
  while (*at && (*at)->start != place.device_address) {
    at = &(*at)->next;
  }
  region *r = *at;
  if (!r || r->bytes != bytes) {
    stop("memory that was never taken, or is of another size, is given back", place.device_address);
  }
  *at = r->next;
  pthread_mutex_unlock(&f->mutex);
  snug__cpu.give(q, name, snug__place_of_pointer(r->storage), bytes);
  munmap(r->reserved, r->reserved_bytes);
  free(r);
}

/* ---- jobs ---- */

/* The call as it is where the bytes are. */
typedef struct near {
  const void *in[SNUG__MAX_IN];
  void *out[SNUG__MAX_OUT];
  snug__call call;
} near;

static void come_near(far_queue *f, const snug__call *call, near *n) {
  n->call = *call;
  for (int32_t i = 0; i < call->sig->n_in; i++) {
    n->in[i] = translate(f, call->in[i], "an input that is not in the memory of the device");
  }
  for (int32_t k = 0; k < call->sig->n_out; k++) {
    n->out[k] = translate(f, call->out[k], "an output that is not in the memory of the device");
  }
  n->call.in = n->in;
  n->call.out = n->out;
  n->call.scratch = translate(f, call->scratch, "scratch that is not in the memory of the device");
}

static void run_kernel(far_queue *f, const job *j) {
  near n;
  come_near(f, j->call, &n);
  f->queue->failed = j->kernel->run(j->state, &n.call);
  f->queue->call = f->queue->failed ? j->call : NULL;
}

static void time_kernel(far_queue *f, const job *j) {
  snug__timed_launch timed = *j->timed;
  near n;
  come_near(f, timed.call, &n);
  timed.call = &n.call;
  *(double *)j->target = snug__cpu.time(f->queue, &timed);
}

static void run_copy(far_queue *f, const job *j) {
  static const char what[] = "a copy that is not in the memory of the device";
  const void *device = (const void *)j->place.device_address;
  if (j->kind == COPY_IN) {
    memcpy(translate(f, device, what), j->source, (size_t)j->bytes);
  } else if (j->kind == COPY_OUT) {
    memcpy(j->target, translate(f, device, what), (size_t)j->bytes);
  } else if (j->kind == COPY) {
    memcpy(translate(f, device, what), translate(f, (const void *)j->from.device_address, what),
           (size_t)j->bytes);
  } else {
    memset(translate(f, device, what), j->byte, (size_t)j->bytes);
  }
}

/* Denormals are a matter of the thread that runs kernels, and of its workers. */
static void enter_or_leave(far_queue *f, bool enters) {
  const int32_t threads = f->queue->ctx->threads;
  static _Thread_local uint32_t mode;
  if (enters) {
    mode = snug__flush_denormals();
    snug__workers_begin(threads, f->before);
  } else {
    snug__workers_end(threads, f->before);
    snug__float_mode_set(mode);
  }
}

static void run_job(far_queue *f, const job *j) {
  if (j->kind == ENTER || j->kind == LEAVE) {
    enter_or_leave(f, j->kind == ENTER);
  } else if (f->queue->failed) {
    return; /* nothing runs after a failure until somebody has waited */
  } else if (j->kind == LAUNCH) {
    run_kernel(f, j);
  } else if (j->kind == TIME) {
    time_kernel(f, j);
  } else {
    run_copy(f, j);
  }
}

/* ---- the thread ---- */

static uint64_t next_random(far_queue *f) {
  f->random ^= f->random << 13;
  f->random ^= f->random >> 7;
  f->random ^= f->random << 17;
  return f->random;
}

static void pause_a_little(void) {
  nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOSECONDS}, NULL);
}

static bool may_run(far_queue *f) {
  return f->is_closing || f->is_hurried || f->asked - f->done >= RING / 2;
}

static void *work(void *arg) {
  far_queue *f = arg;
  pthread_mutex_lock(&f->mutex);
  for (;;) {
    while (f->done == f->asked && !f->is_closing) {
      pthread_cond_wait(&f->changed, &f->mutex);
    }
    if (f->done == f->asked) {
      break;
    }
    const bool soon = next_random(f) % SOON_ONE_IN == 0;
    while (!soon && !may_run(f)) {
      pthread_cond_wait(&f->changed, &f->mutex);
    }
    const bool pauses = next_random(f) % PAUSE_ONE_IN == 0;
    const job j = f->ring[f->done % RING];
    pthread_mutex_unlock(&f->mutex);
    if (pauses) {
      pause_a_little();
    }
    run_job(f, &j);
    pthread_mutex_lock(&f->mutex);
    f->done++;
    f->is_hurried = f->is_hurried && f->done < f->asked;
    pthread_cond_broadcast(&f->changed);
  }
  pthread_mutex_unlock(&f->mutex);
  return NULL;
}

static int64_t put(snug__queue *q, const job *j) {
  far_queue *f = q->own;
  pthread_mutex_lock(&f->mutex);
  if (!f->is_running) {
    if (pthread_create(&f->thread, NULL, work, f)) {
      abort();
    }
    f->is_running = true;
  }
  while (f->asked - f->done == RING) {
    pthread_cond_wait(&f->changed, &f->mutex);
  }
  f->ring[f->asked++ % RING] = *j;
  const int64_t number = f->asked;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->mutex);
  return number;
}

static void wait(snug__queue *q, int64_t event) {
  far_queue *f = q->own;
  pthread_mutex_lock(&f->mutex);
  while (f->done < event) {
    f->is_hurried = true;
    pthread_cond_broadcast(&f->changed);
    pthread_cond_wait(&f->changed, &f->mutex);
  }
  pthread_mutex_unlock(&f->mutex);
}

static int64_t record(snug__queue *q) {
  far_queue *f = q->own;
  pthread_mutex_lock(&f->mutex);
  const int64_t event = f->asked;
  pthread_mutex_unlock(&f->mutex);
  return event;
}

/* ---- the queue ---- */

static snug_status open_queue(snug__queue *q) {
  far_queue *f = calloc(1, sizeof *f);
  const char *seed = getenv("SNUG_TEST_SEED");
  if (!f) {
    return SNUG_E_MEMORY;
  }
  f->queue = q;
  f->random = UINT64_C(0x9E3779B97F4A7C15) ^ (seed ? strtoull(seed, NULL, 0) : 0);
  pthread_mutex_init(&f->mutex, NULL);
  pthread_cond_init(&f->changed, NULL);
  q->own = f;
  return SNUG_OK;
}

static void close_queue(snug__queue *q) {
  far_queue *f = q->own;
  pthread_mutex_lock(&f->mutex);
  f->is_closing = true;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->mutex);
  if (f->is_running) {
    pthread_join(f->thread, NULL);
  }
  if (f->regions) {
    stop("memory is left over", f->regions->start);
  }
  pthread_cond_destroy(&f->changed);
  pthread_mutex_destroy(&f->mutex);
  free(f);
}

static int64_t enter_cost(const snug__queue *q) { return snug__cpu.enter_cost(q); }

static snug_status enter(snug__queue *q) {
  far_queue *f = q->own;
  SNUG_TRY(SNUG_NEW_ARRAY(q->ctx, SNUG__MEM_PROGRAM, q->ctx->threads, &f->before));
  put(q, &(job){.kind = ENTER});
  return SNUG_OK;
}

static void leave(snug__queue *q) {
  far_queue *f = q->own;
  wait(q, put(q, &(job){.kind = LEAVE}));
  SNUG_GIVE_ARRAY(q->ctx, SNUG__MEM_PROGRAM, f->before, q->ctx->threads);
  f->before = NULL;
}

static uint32_t begin(snug__queue *q) {
  (void)q;
  return 0;
}

static void end(snug__queue *q, uint32_t begun) {
  (void)q;
  (void)begun;
}

static snug_status launch(snug__queue *q, const snug__kernel *kernel, const void *state,
                          const snug__call *call) {
  put(q, &(job){.kind = LAUNCH, .kernel = kernel, .state = state, .call = call});
  return SNUG_OK;
}

static void copy_in(snug__queue *q, snug__place to, const void *from, int64_t bytes) {
  put(q, &(job){.kind = COPY_IN, .place = to, .source = from, .bytes = bytes});
}

static void copy_out(snug__queue *q, void *to, snug__place from, int64_t bytes) {
  put(q, &(job){.kind = COPY_OUT, .place = from, .target = to, .bytes = bytes});
}

static void copy(snug__queue *q, snug__place to, snug__place from, int64_t bytes) {
  put(q, &(job){.kind = COPY, .place = to, .from = from, .bytes = bytes});
}

static void fill(snug__queue *q, snug__place to, int byte, int64_t bytes) {
  put(q, &(job){.kind = FILL, .place = to, .byte = byte, .bytes = bytes});
}

static double time_launch(snug__queue *q, const snug__timed_launch *launched) {
  double seconds = -1.0;
  wait(q, put(q, &(job){.kind = TIME, .timed = launched, .target = &seconds}));
  return seconds;
}

/* ---- what is the processor's ---- */

static snug__target target(const snug_ctx *ctx) { return snug__cpu.target(ctx); }

static void target_text(snug__target t, char out[SNUG__TARGET_TEXT_BYTES]) {
  snug__cpu.target_text(t, out);
}

static const snug__kernel *kernel(const snug__op *op, snug__target t, int32_t i) {
  return snug__cpu.kernel(op, t, i);
}

static void forget(void) { snug__cpu.forget(); }

const snug__device test_far = {.name = "far",
                               .target = target,
                               .target_text = target_text,
                               .kernel = kernel,
                               .forget = forget,
                               .take = take,
                               .give = give,
                               .open = open_queue,
                               .close = close_queue,
                               .enter_cost = enter_cost,
                               .enter = enter,
                               .leave = leave,
                               .begin = begin,
                               .end = end,
                               .launch = launch,
                               .copy_in = copy_in,
                               .copy_out = copy_out,
                               .copy = copy,
                               .fill = fill,
                               .record = record,
                               .wait = wait,
                               .time = time_launch};
