#include "train/process_figure.h"

#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/timings.h"
#include "train/fit_memory.h"

#define SPARE (UINT64_C(128) << 10) /* the same process differs by less from run to run, */
/* and one that is not Snug's alone by more: the pages of the search's code stay with it */
#define HOST_SPARE (UINT64_C(256) << 10)
#define HOST_PART 512

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

/* ---- policy it ---- */

static uint64_t spare_of(const snug__fit *f, uint64_t measured) {
  const uint64_t part = measured / HOST_PART;
  return f->model->ctx->whole_process ? SPARE : part > HOST_SPARE ? part : HOST_SPARE;
}

uint64_t snug__process_restate(snug_memory_report *r, uint64_t before) {
  const uint64_t bare = snug__fit_bare_process(r);
  const uint64_t stated = r->process && before > bare ? before : bare;
  r->reserve = r->reserve - (r->process - bare) + (stated - bare);
  r->process = stated;
  return stated;
}

/* Let the report say the figure in the place of the margin, and with the spare of other runs as far
 * as a line leaves room for it: a run in which less was measured states a line that one with more
 * accepts. */
static void tell(snug_memory_report *r, uint64_t figure, uint64_t spare) {
  const uint64_t bare = snug__fit_bare_process(r);
  const uint64_t needed = figure > bare ? figure : bare;
  const uint64_t left = r->line >= needed ? r->line - needed : spare;
  snug__process_restate(r, needed + (left < spare ? left : spare));
}

/* The figure that was kept stands if no more was measured, and not much less: that is room which a
 * line does not use.  Where a little more was measured, it is that for now. */
static snug_status find(snug__timings *t, const snug__fit *f, uint64_t key, uint64_t *out) {
  const uint64_t measured = snug__fit_bare_process(&f->history->memory);
  const uint64_t spare = spare_of(f, measured);
  double value = 0.0;
  if (snug__timings_find(t, key, &value)) {
    const uint64_t kept = (uint64_t)value;
    *out = kept > measured ? kept : measured;
    if (measured <= kept + spare && kept <= measured + 3 * spare) {
      return SNUG_OK;
    }
  }
  *out = measured + spare;
  snug_status s = snug__timings_add(t, key, (double)*out);
  return s == SNUG_E_OVERFLOW ? SNUG_OK : s; /* the file is full: it is not kept */
}

snug_status snug__process_figure(snug__fit *f, uint64_t *out) {
  snug__timings t;
  *out = 0;
  if (!f->history->memory.process) {
    return SNUG_OK; /* the system tells nothing */
  }
  SNUG_TRY(snug__timings_open(&t, f->model->ctx));
  snug_status s = find(&t, f, key_of(f), out);
  snug__timings_close(&t);
  tell(&f->history->memory, *out, spare_of(f, *out));
  return s;
}
