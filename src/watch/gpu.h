/* Memory on GPUs, by process, as NVIDIA's management library tells it.
 *
 * The library comes with the driver; it is opened when it is first asked, and where there is none
 * the figures are not told.  It is asked four times a second, and every two seconds while that has
 * cost more than half a percent of a core: an answer may take long while a program begins to use
 * the device.  What the library takes is its own: it has no allocator to be given. */
#ifndef SNUG_WATCH_GPU_H
#define SNUG_WATCH_GPU_H

#include "watch/tree.h"

#define SNUG__GPU_MOST 32

/* A process on a device, as the library writes it. */
typedef struct snug__gpu_process {
  unsigned process;
  unsigned long long bytes; /* all ones: not told */
  unsigned instance, compute_instance;
} snug__gpu_process;

typedef int snug__gpu_list(void *device, unsigned *n, snug__gpu_process *list);

typedef struct snug__gpu {
  bool is_asked; /* false: nobody wants to know */
  bool is_open;
  void *library;
  snug__gpu_list *compute, *graphics;
  void *devices[SNUG__GPU_MOST];
  uint32_t n;
  double next;  /* when to ask again */
  double spent; /* seconds of processor time */
  uint64_t now, peak;
  double peak_at;
  bool is_foreign; /* there were processes on a device whose numbers nobody has here */
  char why[SNUG_WATCH_WHY];
} snug__gpu;

/* Ask, if it is time: what the members of a tree hold. */
void snug__gpu_look(snug__gpu *g, const snug__tree *t, double now, double seconds);

void snug__gpu_release(snug__gpu *g);

/* What there is to tell. */
void snug__gpu_tell(const snug__gpu *g, snug_watch_report *out);

#endif
