/* Memory on GPUs, by process, as NVIDIA's management library reports it.
 *
 * The library comes with the driver; where there is none there are no figures.  Opening it
 * takes up to seconds (a driver that sleeps is woken), so a thread of its own does that, from the
 * first look on, and the other figures go on meanwhile.  It is asked four times a second, and every
 * two seconds while that has cost more than half a percent of a core: an answer may take long while
 * a program begins to use the device.  What the library takes is its own: it has no allocator to be
 * given. */
#ifndef SNUG_WATCH_GPU_H
#define SNUG_WATCH_GPU_H

#include <pthread.h>
#include <stdatomic.h>

#include "watch/tree.h"

#define SNUG__GPU_MOST 32

/* A process on a device, as the library writes it. */
typedef struct snug__gpu_process {
  unsigned process;
  unsigned long long bytes; /* all ones: not reported */
  unsigned instance, compute_instance;
} snug__gpu_process;

typedef int snug__gpu_list(void *device, unsigned *n, snug__gpu_process *list);

typedef struct snug__gpu {
  snug_ctx *ctx;
  bool is_asked;       /* false: not requested */
  bool is_opening;     /* there is a thread */
  atomic_bool is_open; /* the members below up to `why` are the thread's before that */
  pthread_t thread;
  void *stack;
  void *library;
  snug__gpu_list *compute, *graphics;
  void *devices[SNUG__GPU_MOST];
  uint32_t n;
  char why[SNUG_WATCH_WHY];
  double next;  /* when to ask again */
  double spent; /* seconds of processor time */
  uint64_t now, peak;
  double peak_at;
  bool is_foreign; /* there were processes on a device whose ids do not exist here */
} snug__gpu;

/* Take what asking needs.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__gpu_init(snug__gpu *g, snug_ctx *ctx, double now) SNUG_NODISCARD;

/* Ask, if it is time: what the members of a tree hold. */
void snug__gpu_look(snug__gpu *g, const snug__tree *t, double now, double seconds);

/* Wait until the library is open, if that has begun. */
void snug__gpu_settle(snug__gpu *g);

void snug__gpu_release(snug__gpu *g);

/* What there is to tell. */
void snug__gpu_tell(const snug__gpu *g, snug_watch_report *out);

#endif
