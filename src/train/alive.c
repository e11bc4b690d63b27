#include "train/alive.h"

#include "graph/op.h"
#include "train/fit.h"

/* ---- finding ---- */

static int64_t end_of(const snug__run *run) {
  return run->program ? run->base + snug__program_height(run->program) : 0;
}

/* The run of a phase that needs most; NULL: the phase is not there. */
static const snug__run *largest_of(snug__session *s, snug__phase phase) {
  const snug__run *largest = NULL;
  const snug__run *run = NULL;
  for (size_t i = 0; (run = snug__session_run_at(s, i)); i++) {
    bool validates =
        i < 2 * (size_t)SNUG__SLOT_COUNT && i % SNUG__SLOT_COUNT >= SNUG__SLOT_VALIDATION;
    bool is_of_phase = validates == (phase == SNUG__PHASE_VALIDATION);
    if (is_of_phase && end_of(run) > (largest ? end_of(largest) : 0)) {
      largest = run;
    }
  }
  return largest;
}

/* With the sums of pieces, which are gradients. */
static snug_status find_peak(const snug__run *run, snug__peak *peak) {
  SNUG_TRY(snug__plan_peak(run->program->plan, run->program->graph, peak, NULL));
  peak->bytes += run->base;
  peak->by_class[SNUG__CLASS_GRADIENTS] += run->base;
  return SNUG_OK;
}

snug_status snug__alive_find(snug__alive *a, snug__session *s) {
  snug_ctx *ctx = s->model->ctx;
  snug__alive_release(a, ctx);
  for (snug__phase phase = 0; phase < SNUG__PHASES; phase++) {
    const snug__run *run = largest_of(s, phase);
    SNUG_TRY(run ? find_peak(run, &a->highest[phase]) : SNUG_OK);
  }
  const snug__run *run = snug__session_largest(s);
  const snug__plan *plan = run->program->plan;
  SNUG_TRY(find_peak(run, &a->peak));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, plan->n_buffers, &a->holders));
  a->n_holders = plan->n_buffers;
  a->run = run;
  snug__plan_holders(plan, a->peak.position, a->holders);
  return SNUG_OK;
}

void snug__alive_release(snug__alive *a, snug_ctx *ctx) {
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_PLAN, a->holders, a->n_holders);
  *a = (snug__alive){0};
}

/* ---- the walk ---- */

typedef struct walk {
  const snug_model *model;
  snug_memory_visit *visit;
  void *user;
} walk;

static void tell(const walk *w, const char *layer, const char *op, const char *what,
                 uint64_t bytes) {
  const snug_memory_piece piece = {layer, op, what, bytes};
  if (bytes) {
    w->visit(w->user, &piece);
  }
}

static uint64_t tell_variables(const walk *w, snug__kind kind, const char *what) {
  const snug__variables *all = &w->model->variables;
  uint64_t sum = 0;
  for (snug__id i = 0; i < all->list.n; i++) {
    const snug__variable *v = snug__variable_at(all, i);
    snug__type stored = snug__variable_stored(v);
    bool is_here = v->kind == kind && !v->home.is_file;
    uint64_t bytes = is_here ? (uint64_t)snug__type_bytes(&stored) : 0;
    tell(w, v->layer, "", what, bytes);
    sum += bytes;
  }
  return sum;
}

static uint64_t tell_buffer(const walk *w, const snug__graph *g, const snug__buffer *b,
                            snug__id holder) {
  const snug__value *v = holder == SNUG_NONE ? NULL : snug__value_at(g, holder);
  snug__id maker = v ? v->producer : b->node;
  snug__id layer = v ? v->layer : snug__node_at(g, b->node)->layer;
  tell(w, snug__layer_name(g, layer), maker == SNUG_NONE ? "" : snug__node_at(g, maker)->op->name,
       snug__class_text(v ? v->class_ : SNUG__CLASS_SCRATCH), (uint64_t)b->bytes);
  return (uint64_t)b->bytes;
}

/* What is alive in the block at the peak of its step. */
static uint64_t tell_block(const walk *w, const snug__alive *a) {
  const snug__plan *plan = a->run->program->plan;
  uint64_t sum = (uint64_t)a->run->base;
  tell(w, "", "", snug__class_text(SNUG__CLASS_GRADIENTS), sum);
  for (size_t i = 0; i < plan->n_buffers; i++) {
    if (snug__buffer_is_alive(&plan->buffers[i], a->peak.position)) {
      sum += tell_buffer(w, a->run->program->graph, &plan->buffers[i], a->holders[i]);
    }
  }
  return sum;
}

/* The pieces under a name of the account that are known closer, as far as they are among the bytes
 * that it held. */
static uint64_t tell_known(const walk *w, snug__account_name name, uint64_t held, bool at_peak) {
  const snug_model *m = w->model;
  const snug__training *t = m->training;
  const snug__fit *f = t ? t->fit : NULL;
  const char *what = snug__account_text(name);
  if (name == SNUG__MEM_WEIGHTS && snug__place_is_set(m->weights) && held >= m->weights_bytes) {
    return tell_variables(w, SNUG__WEIGHT, what);
  }
  if (name == SNUG__MEM_OPTIMIZER && t && snug__place_is_set(t->state) && held >= t->state_bytes) {
    return tell_variables(w, SNUG__STATE, what);
  }
  bool in_block = name == SNUG__MEM_WORK && at_peak && f && f->alive.run &&
                  snug__place_is_set(f->session.block.at);
  return in_block && held >= (uint64_t)f->session.block_bytes ? tell_block(w, &f->alive) : 0;
}

void snug_memory_walk(const snug_model *m, bool at_peak, snug_memory_visit *visit, void *user) {
  const walk w = {m, visit, user};
  if (!m || !visit) {
    return;
  }
  const snug__account *a = &m->ctx->account;
  for (snug__account_name name = 0; name < SNUG__MEM_COUNT; name++) {
    uint64_t held = at_peak ? a->at_peak[name] : a->current[name];
    tell(&w, "", "", snug__account_text(name), held - tell_known(&w, name, held, at_peak));
  }
}
