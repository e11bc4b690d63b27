#include "watch/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

#define LIBRARY "libnvidia-ml.so.1"
#define EVERY 0.25
#define SELDOM 2.0
#define SHARE 0.005
#define AT_ONCE 0.05 /* seconds that may be spent before any share has come together */
#define MOST_PROCESSES 256
#define STACK_BYTES (1u << 20) /* the library is not ours: more than it was seen to use */
#define STACK_ALIGN 4096u
#define UNTOLD (~0ull)

/* ---- opening ---- */

static void say(snug__gpu *g, const char *what, int code) {
  snprintf(g->why, sizeof g->why, code ? "%s (code %d)" : "%s", what, code);
}

/* A function of the library, under the first of its names that is there. */
static void *find(const snug__gpu *g, const char *const names[]) {
  void *found = NULL;
  for (size_t i = 0; names[i] && !found; i++) {
    found = dlsym(g->library, names[i]);
  }
  return found;
}

/* ISO C has no way from an object's address to a function's; POSIX makes this one work. */
#define FUNCTION(g, to, ...)                                        \
  do {                                                              \
    void *address = find((g), (const char *[]){__VA_ARGS__, NULL}); \
    memcpy(&(to), &address, sizeof address);                        \
  } while (0)

static void open_devices(snug__gpu *g) {
  int (*count)(unsigned *) = NULL;
  int (*handle)(unsigned, void **) = NULL;
  unsigned n = 0;
  FUNCTION(g, count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  FUNCTION(g, handle, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
  FUNCTION(g, g->compute, "nvmlDeviceGetComputeRunningProcesses_v3",
           "nvmlDeviceGetComputeRunningProcesses_v2");
  FUNCTION(g, g->graphics, "nvmlDeviceGetGraphicsRunningProcesses_v3",
           "nvmlDeviceGetGraphicsRunningProcesses_v2");
  if (!count || !handle || !g->compute) {
    say(g, "the driver's " LIBRARY " is too old", 0);
    return;
  }
  int code = count(&n);
  for (unsigned i = 0; !code && i < n && g->n < SNUG__GPU_MOST; i++) {
    g->n += handle(i, &g->devices[g->n]) == 0;
  }
  if (g->n == 0) {
    say(g, code ? "the driver does not tell its devices" : "there is no device", code);
  }
}

static void open_library(snug__gpu *g) {
  int (*init)(void) = NULL;
  g->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!g->library) {
    say(g, "there is no NVIDIA driver (" LIBRARY ")", 0);
    return;
  }
  FUNCTION(g, init, "nvmlInit_v2", "nvmlInit");
  int code = init ? init() : -1;
  if (code) {
    say(g, "the NVIDIA driver does not answer", code);
    return;
  }
  open_devices(g);
}

static void *work(void *arg) {
  snug__gpu *g = arg;
  open_library(g);
  atomic_store(&g->is_open, true);
  return NULL;
}

snug_status snug__gpu_init(snug__gpu *g, snug_ctx *ctx, double now) {
  *g = (snug__gpu){.ctx = ctx, .next = now};
  SNUG_TRY(snug__take(ctx, SNUG__MEM_WATCH, STACK_ALIGN + STACK_BYTES, &g->stack));
  g->is_asked = true;
  return SNUG_OK;
}

static void begin_opening(snug__gpu *g) {
  char *stack = g->stack;
  stack += STACK_ALIGN - (uintptr_t)stack % STACK_ALIGN;
  int error = snug__thread_start(&g->thread, stack, STACK_BYTES, work, g);
  g->is_opening = !error;
  if (error) {
    say(g, "no thread can be started to ask the driver", error);
    atomic_store(&g->is_open, true);
  }
}

/* ---- the end ---- */

void snug__gpu_settle(snug__gpu *g) {
  if (g->is_opening) {
    pthread_join(g->thread, NULL);
    g->is_opening = false;
  }
}

void snug__gpu_release(snug__gpu *g) {
  int (*end)(void) = NULL;
  snug__gpu_settle(g);
  if (g->library) {
    FUNCTION(g, end, "nvmlShutdown");
    if (end) {
      end();
    }
    dlclose(g->library);
    g->library = NULL;
  }
  if (g->stack) {
    snug__give(g->ctx, SNUG__MEM_WATCH, g->stack, STACK_ALIGN + STACK_BYTES);
    g->stack = NULL;
  }
}

/* ---- asking ---- */

static bool is_member(const snug__tree *t, unsigned process) {
  for (size_t i = 0; i < t->n; i++) {
    if ((unsigned)t->list[i].process == process) {
      return true;
    }
  }
  return false;
}

/* Whether anybody has this number here: in a container the driver may tell those of the host. */
static bool is_here(const snug__tree *t, unsigned process) {
  char path[SNUG__TREE_ROOT + 32];
  snprintf(path, sizeof path, "%s/proc/%u", t->root, process);
  return access(path, F_OK) == 0;
}

static bool has_process(const snug__gpu_process *list, unsigned n, unsigned process) {
  for (unsigned i = 0; i < n; i++) {
    if (list[i].process == process) {
      return true;
    }
  }
  return false;
}

/* Behind the n that are there, those of another list; a process may stand in both. */
static unsigned append(snug__gpu_list *ask, void *device, snug__gpu_process *list, unsigned n) {
  unsigned more = MOST_PROCESSES - n;
  unsigned all = n;
  if (!ask || ask(device, &more, list + n) != 0) {
    return n;
  }
  for (unsigned i = n; i < n + more && i < MOST_PROCESSES; i++) {
    if (!has_process(list, n, list[i].process)) {
      list[all++] = list[i];
    }
  }
  return all;
}

static uint64_t held_on(snug__gpu *g, const snug__tree *t, void *device) {
  snug__gpu_process list[MOST_PROCESSES];
  uint64_t sum = 0;
  unsigned n = append(g->compute, device, list, 0);
  n = append(g->graphics, device, list, n);
  for (unsigned i = 0; i < n; i++) {
    bool is_ours = is_member(t, list[i].process);
    sum += is_ours && list[i].bytes != UNTOLD ? list[i].bytes : 0;
    g->is_foreign = g->is_foreign || (!is_ours && !is_here(t, list[i].process));
  }
  return sum;
}

/* The library is there, and has devices. */
static bool is_ready(snug__gpu *g) {
  if (!atomic_load(&g->is_open)) {
    if (!g->is_opening) {
      begin_opening(g);
    }
    return false;
  }
  g->is_asked = g->n > 0;
  return g->is_asked;
}

static void ask(snug__gpu *g, const snug__tree *t, double seconds) {
  g->now = 0;
  for (uint32_t i = 0; i < g->n; i++) {
    g->now += held_on(g, t, g->devices[i]);
  }
  g->peak_at = g->now > g->peak ? seconds : g->peak_at;
  g->peak = g->now > g->peak ? g->now : g->peak;
}

void snug__gpu_look(snug__gpu *g, const snug__tree *t, double now, double seconds) {
  if (!g->is_asked || now < g->next || !is_ready(g)) {
    return;
  }
  double before = snug__seconds(CLOCK_THREAD_CPUTIME_ID);
  ask(g, t, seconds);
  g->spent += snug__seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  g->next = now + (g->spent > AT_ONCE + SHARE * seconds ? SELDOM : EVERY);
}

void snug__gpu_tell(const snug__gpu *g, snug_watch_report *out) {
  const char *why = g->why;
  if (!g->is_asked && !g->is_open) {
    why = "not asked for";
  } else if (!g->is_open) {
    why = "the driver has not answered yet";
  } else if (g->n && g->peak == 0 && g->is_foreign) {
    why = "the driver reports process ids that do not exist here, as in a container";
  }
  snprintf(out->device_why, sizeof out->device_why, "%s", why);
  if (g->is_open) {
    out->devices = g->n;
    out->device = g->now;
    out->device_peak = g->peak;
    out->device_peak_at = g->peak_at;
  }
}
