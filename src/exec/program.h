/* A program: a graph, its plan, and a prepared kernel per node.  Made before step 1; running it
 * allocates nothing.
 *
 * The program does not own the memory it works in.  The block is shared by all programs of a model,
 * one after the other, and is bound by snug__program_bind; weights and states are bound through the
 * table of variables.
 *
 * Invariants:
 * 1. After bind, every pointer of every call is set; run only calls kernels.
 * 2. Between two runs nothing in the block is alive but what the caller reads (outputs) and fills
 * (inputs). */
#ifndef SNUG_EXEC_PROGRAM_H
#define SNUG_EXEC_PROGRAM_H

#include "device/device.h"
#include "plan/plan.h"

typedef struct snug__item {
  snug__id node;
  int64_t position; /* in the plan's order */
  const snug__kernel *kernel;
  void *state;
  snug__signature sig;
  snug__call call;
  const void **in;
  void **out;
} snug__item;

/* An item that works on variables which live in a file: it visits them in a window, into which they
 * are read before it, and from which they are written after it. */
#define SNUG__MOST_VISITED 4

typedef struct snug__visited {
  int32_t in; /* of the item */
  int64_t offset, bytes;
  int64_t ticket; /* of the transfer under way */
} snug__visited;

typedef struct snug__visit {
  size_t item;
  int32_t window;
  int32_t n;
  snug__visited list[SNUG__MOST_VISITED];
} snug__visit;

typedef struct snug__program {
  snug_ctx *ctx;
  const snug__device *device;
  snug__graph *graph; /* owned */
  snug__plan *plan;
  snug__arena arena; /* types and pointers of the calls */
  snug__item *items; /* in the order of execution; views have none */
  size_t n_items, n_prepared, room;
  char *block;               /* bound, not owned */
  struct snug__store *store; /* where values wait; set before bind if snug__program_file is above 0,
                                not owned */
  struct snug__store *home; /* of variables that live in a file; set before run if there are visits,
                               not owned */
  snug__visit *visits;      /* in the order of execution, in the arena */
  size_t n_visits;
  snug__fault fault;
  bool poison; /* fill buffers with a pattern when they die: a test of the plan */
} snug__program;

/* Make a program of a graph, which it then owns (also when this fails).  options may be NULL.
 * Fails: E_UNSUPPORTED naming an op without a kernel, E_MEMORY, as plan and prepare do. */
snug_status snug__program_create(snug__graph *graph, const snug__device *device,
                                 const snug__plan_options *options,
                                 snug__program **out) SNUG_NODISCARD;
void snug__program_destroy(snug__program *p);

/* Bytes of the block it needs. */
static inline int64_t snug__program_height(const snug__program *p) { return p->plan->height; }

/* Bytes of the file it needs for values that wait there; 0: none. */
int64_t snug__program_file(const snug__program *p);

/* Tell a program which of its variables live in a file; find: false for the others.  Once, before
 * bind.  Fails: E_MEMORY, E_INTERNAL for one that two items work on. */
typedef bool snug__find_home(void *arg, snug__id variable, int64_t *offset, int32_t *window);
snug_status snug__program_visit(snug__program *p, snug__find_home *find, void *arg) SNUG_NODISCARD;

/* Where a variable's bytes are. */
typedef void *snug__locate(void *arg, snug__id variable);

/* Set all pointers.  Allocates nothing.  Fails: E_INTERNAL for a variable without memory. */
snug_status snug__program_bind(snug__program *p, void *block, snug__locate *locate,
                               void *arg) SNUG_NODISCARD;

/* Run all items, denormals flushed on this thread (on the others see snug__workers_begin).  Fails:
 * E_DATA naming layer, op, element and value, E_IO naming layer and folder; what was written until
 * then stays written. */
snug_status snug__program_run(snug__program *p) SNUG_NODISCARD;

/* Make the code of its kernels resident, which would otherwise come page by page with the first
 * run. */
void snug__program_touch(const snug__program *p);

/* The memory of a value in the bound block (inputs to fill, outputs to read); NULL if it is not in
 * the block. */
void *snug__program_data(const snug__program *p, snug__id value);

#endif
