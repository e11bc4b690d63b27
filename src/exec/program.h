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

/* A value that the host fills or reads, where it cannot do so in place: it does so in staging
 * memory, which is copied before the run, or after it. */
typedef struct snug__staged {
  snug__id value;
  bool is_input;
  int64_t at; /* in the staging memory */
  int64_t bytes;
} snug__staged;

typedef struct snug__program {
  snug_ctx *ctx;
  const snug__device *device; /* whose kernels it has */
  snug__graph *graph;         /* owned */
  snug__plan *plan;
  snug__arena arena; /* types and pointers of the calls */
  snug__item *items; /* in the order of execution; views have none */
  size_t n_items, n_prepared, room;
  snug__place block;    /* bound, not owned */
  char *staging;        /* likewise; NULL: the memory of the device is the host's */
  snug__staged *staged; /* in the arena */
  size_t n_staged;
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
typedef snug__place snug__locate(void *arg, snug__id variable);

/* The memory that a program works in, by space: its block and its constants on the device, and
 * staging memory of the host. */
typedef struct snug__bound {
  snug__place block;
  snug__place constants; /* of snug__program_constants bytes */
  void *staging;         /* of snug__program_staging bytes */
} snug__bound;

/* Bytes of constants on the device, and of staging memory; 0 where its memory is the host's. */
int64_t snug__program_constants(const snug__program *p);
int64_t snug__program_staging(const snug__program *p);

/* Set all pointers, and copy the constants to the device.  Allocates nothing.  Fails: E_INTERNAL
 * for a variable without memory. */
snug_status snug__program_bind(snug__program *p, const snug__bound *memory, snug__locate *locate,
                               void *arg) SNUG_NODISCARD;

/* Put all items into the queue, with the copies of what was filled and will be read, and wait: this
 * is the one place of a step where faults come back.  Fails: E_DATA naming layer, op, element and
 * value, E_IO naming layer and folder; what was written until then stays written. */
snug_status snug__program_run(snug__program *p) SNUG_NODISCARD;

/* Make the code of its kernels resident, which would otherwise come page by page with the first
 * run. */
void snug__program_touch(const snug__program *p);

/* The memory of the host in which a value is filled before a run (inputs), or read after it
 * (outputs); NULL if it is neither. */
void *snug__program_data(const snug__program *p, snug__id value);

#endif
