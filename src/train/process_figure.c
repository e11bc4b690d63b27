#include "train/process_figure.h"

#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/timings.h"
#include "train/fit_memory.h"

#define SPARE (UINT64_C(256) << 10) /* the same process differs by less from run to run, */
#define HOST_PART 256               /* and one that is not Snug's alone by less than such a part */
#define GRAIN (UINT64_C(64) << 10)

/* ---- what decides it ---- */

static uint64_t add_program(uint64_t key) {
  char path[SNUG__PATH_BYTES];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? snug__key_add(key, path, (size_t)n) : key;
}

static uint64_t add_node(uint64_t key, const snug__graph *g, const snug__node *node) {
  key = snug__key_add(key, node->op->name, strlen(node->op->name));
  key = snug__key_add(key, &node->kernel, sizeof node->kernel);
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE) {
      const snug__type *t = snug__type_at(g, node->out[k]);
      key = snug__key_add(key, t->dim, (size_t)t->rank * sizeof *t->dim);
    }
  }
  return key;
}

static uint64_t add_run(uint64_t key, const snug__run *run) {
  const snug__graph *g = run->program->graph;
  for (snug__id id = 0; id < g->nodes.n; id++) {
    key = add_node(key, g, snug__node_at(g, id));
  }
  return key;
}

/* Another process may have the same key by chance: then the figure is off, and that is noticed. */
static uint64_t key_of(const snug__fit *f) {
  const snug_ctx *ctx = f->model->ctx;
  const uint64_t figures[] = {ctx->whole_process,
                              (uint64_t)ctx->threads,
                              (uint64_t)ctx->isa,
                              ctx->prealloc.idle,
                              ctx->account.current[SNUG__MEM_DATA],
                              ctx->account.current[SNUG__MEM_CALLBACKS],
                              f->model->weights_bytes,
                              f->model->training->state_bytes,
                              (uint64_t)f->session.block_bytes,
                              (uint64_t)f->session.file_bytes};
  uint64_t key = snug__key_add(SNUG__KEY_START, "process", sizeof "process");
  snug__run *run = NULL;
  key = snug__key_add(add_program(key), figures, sizeof figures);
  for (size_t i = 0; (run = snug__session_run_at((snug__session *)&f->session, i)); i++) {
    key = run->program ? add_run(key, run) : key;
  }
  return key;
}

/* ---- keeping it ---- */

static uint64_t spare_of(const snug__fit *f, uint64_t measured) {
  const uint64_t part = f->model->ctx->whole_process ? 0 : measured / HOST_PART;
  return part > SPARE ? part : SPARE;
}

static uint64_t round_up(const snug__fit *f, uint64_t measured) {
  return (measured + spare_of(f, measured) + GRAIN - 1) / GRAIN * GRAIN;
}

/* Let the report say the figure in the place of the margin: it is what a line is held against.
 * Where as much was measured, nothing is added. */
static void tell(snug_memory_report *r, uint64_t figure) {
  uint64_t bare = snug__fit_bare_process(r);
  uint64_t told = figure > bare ? figure : bare;
  if (figure) {
    r->reserve = r->reserve - (r->process - bare) + (told - bare);
    r->process = told;
  }
}

/* Whether a kept figure still stands for what was measured: it is no less, so that what stays under
 * a line by the figure does so by what was measured, and not much more: that is room which a line
 * does not use. */
static bool stands(const snug__fit *f, uint64_t kept, uint64_t measured) {
  return measured <= kept && kept < round_up(f, measured) + spare_of(f, measured);
}

static snug_status find(snug__timings *t, snug__fit *f, uint64_t key) {
  uint64_t measured = snug__fit_bare_process(&f->history->memory);
  double kept = 0.0;
  f->pick.process = round_up(f, measured);
  if (snug__timings_find(t, key, &kept) && stands(f, (uint64_t)kept, measured)) {
    f->pick.process = (uint64_t)kept;
    return SNUG_OK;
  }
  snug_status s = snug__timings_add(t, key, (double)f->pick.process);
  return s == SNUG_E_OVERFLOW ? SNUG_OK : s; /* the file is full: it is not kept */
}

snug_status snug__process_figure(snug__fit *f) {
  snug__timings t;
  f->pick.process = 0;
  if (!f->history->memory.process) {
    return SNUG_OK; /* the system tells nothing */
  }
  SNUG_TRY(snug__timings_open(&t, f->model->ctx));
  snug_status s = find(&t, f, key_of(f));
  snug__timings_close(&t);
  tell(&f->history->memory, f->pick.process);
  return s;
}

void snug__process_figure_tell(snug__fit *f) { tell(&f->history->memory, f->pick.process); }
