#include "train/session.h"

#include "base/size.h"
#include "base/store.h"
#include "train/lower.h"
#include "train/micro_batches.h"
#include "train/slots.h"

static bool is_validation(snug__slot slot) { return slot >= SNUG__SLOT_VALIDATION; }

/* ---- runs ---- */

/* Lower a step as its choice says.  Where a batch of another size is laid out in another way than
 * the one that the choice was made for, it is lowered as ever; *chosen tells. */
static snug_status lower_chosen(snug_model *m, const snug__session_spec *spec, snug__graph **graph,
                                snug__step *step, bool *chosen) {
  bool trains = step->kind == SNUG__STEP_TRAIN || step->kind == SNUG__STEP_TRAIN_MICRO_BATCH;
  const snug__step_choice *choice = &spec->choice;
  const snug__kernel_rules rules = {choice->most_scratch, spec->kernels};
  *chosen = choice->policy && trains;
  if (!*chosen) {
    return snug__step_lower(m, &rules, graph, step);
  }
  SNUG_TRY(snug__step_assign_layouts(m, &rules, graph, step));
  *chosen = (*graph)->values.n == choice->n_values;
  return snug__step_recompute(m, graph, step, *chosen ? choice->policy : NULL);
}

static snug_status make_run(snug__session *s, snug__step_kind kind, int64_t rows, bool weighted,
                            const snug__session_spec *spec, snug__run *run) {
  snug__graph *graph = NULL;
  bool chosen = false;
  SNUG_TRY(snug__step_build(s->model, kind, rows, weighted, &graph, &run->step));
  snug_status status = lower_chosen(s->model, spec, &graph, &run->step, &chosen);
  if (status) {
    snug__graph_destroy(graph);
    return status;
  }
  SNUG_TRY(snug__program_create(graph, snug__model_device(s->model),
                                chosen ? &snug__candidate_plan : spec->plan, &run->program));
  s->file_bytes = snug__max_i64(s->file_bytes, snug__program_file(run->program));
  s->constants_bytes += snug__program_constants(run->program);
  s->staging_bytes = snug__max_i64(s->staging_bytes, snug__program_staging(run->program));
  return snug__program_visit(run->program, snug__slots_find, s->model);
}

static snug_status add_run(snug__session *s, snug__slot slot, const snug__session_spec *spec) {
  bool tests = is_validation(slot) || spec->main_kind == SNUG__STEP_TEST;
  bool weighted = is_validation(slot) ? spec->validation_weighted : spec->weighted;
  int64_t rows = spec->batch[slot];
  if (!spec->in_micro_batches[slot]) {
    return make_run(s, is_validation(slot) ? SNUG__STEP_TEST : spec->main_kind, rows, weighted,
                    spec, &s->runs[slot]);
  }
  SNUG_TRY(make_run(s, tests ? SNUG__STEP_TEST_MICRO_BATCH : SNUG__STEP_TRAIN_MICRO_BATCH, rows,
                    weighted, spec, &s->runs[slot]));
  if (!snug__step_counts(s->model, &s->runs[slot].step)) {
    return SNUG_OK;
  }
  return make_run(s, tests ? SNUG__STEP_TEST_DIVISORS : SNUG__STEP_TRAIN_DIVISORS, rows, weighted,
                  spec, &s->counts[slot]);
}

snug__run *snug__session_run_at(snug__session *s, size_t i) {
  if (i < SNUG__SLOT_COUNT) {
    return &s->runs[i];
  }
  i -= SNUG__SLOT_COUNT;
  return i < SNUG__SLOT_COUNT ? &s->counts[i] : i == SNUG__SLOT_COUNT ? &s->update : NULL;
}

/* ---- micro-batches ---- */

static bool any_in_micro_batches(const snug__session_spec *spec) {
  return spec->in_micro_batches[SNUG__SLOT_MAIN] || spec->in_micro_batches[SNUG__SLOT_VALIDATION];
}

/* Before the runs are made. */
static snug_status open_micro_batches(snug__session *s, const snug__session_spec *spec) {
  bool trains = spec->in_micro_batches[SNUG__SLOT_MAIN];
  if (!any_in_micro_batches(spec)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__micro_batches_check(s->model, spec->allow_batch_statistics || !trains));
  return SNUG_NEW_ARRAY(s->model->ctx, SNUG__MEM_PROGRAM, s->model->outputs.n, &s->divisors);
}

/* After that: the update, and the place of the sums. */
static snug_status close_micro_batches(snug__session *s, const snug__session_spec *spec) {
  if (!spec->in_micro_batches[SNUG__SLOT_MAIN] || spec->main_kind != SNUG__STEP_TRAIN) {
    return SNUG_OK;
  }
  SNUG_TRY(
      SNUG_NEW_ARRAY(s->model->ctx, SNUG__MEM_PROGRAM, s->model->training->n_trained, &s->sums));
  s->sums_bytes = snug__micro_batches_place_sums(s->model, s->sums);
  for (unsigned i = 0; i < SNUG__SLOT_SIZES; i++) {
    s->runs[SNUG__SLOT_MAIN + i].base = s->sums_bytes;
  }
  s->update.base = s->sums_bytes;
  return make_run(s, SNUG__STEP_UPDATE, 0, false, spec, &s->update);
}

bool snug__session_in_micro_batches(const snug__session *s, snug__slot slot) {
  snug__step_kind kind = s->runs[slot].step.kind;
  return kind == SNUG__STEP_TRAIN_MICRO_BATCH || kind == SNUG__STEP_TEST_MICRO_BATCH;
}

/* ---- the session ---- */

static snug_status make_runs(snug__session *s, const snug__session_spec *spec) {
  SNUG_TRY(open_micro_batches(s, spec));
  for (snug__slot slot = 0; slot < SNUG__SLOT_COUNT; slot++) {
    SNUG_TRY(spec->batch[slot] > 0 ? add_run(s, slot, spec) : SNUG_OK);
  }
  return close_micro_batches(s, spec);
}

static int64_t end_of(const snug__run *run) {
  return run->program ? run->base + snug__program_height(run->program) : 0;
}

/* Training alone looks at the slots; others leave them where they would be. */
static void decide_slots(snug_model *m, const snug__session_spec *spec) {
  if (spec->main_kind == SNUG__STEP_TRAIN) {
    m->training->slots_folder = spec->disk_folder;
    snug__slots_decide(m, spec->choice.slots);
  }
}

snug_status snug__session_init(snug__session *s, snug_model *m, const snug__session_spec *spec) {
  *s = (snug__session){.model = m,
                       .has_state = spec->main_kind != SNUG__STEP_PREDICT,
                       .disk_folder = spec->disk_folder};
  SNUG_TRY(snug__settle_layouts(m, spec->main_kind));
  decide_slots(m, spec);
  snug_status status = make_runs(s, spec);
  if (status) {
    snug__session_release(s);
    return status;
  }
  s->block_bytes = end_of(snug__session_largest(s));
  return SNUG_OK;
}

void snug__session_release(snug__session *s) {
  snug_ctx *ctx = s->model->ctx;
  snug__run *run = NULL;
  snug__store_close(s->store); /* first: it may still be moving bytes of the block */
  for (size_t i = 0; (run = snug__session_run_at(s, i)); i++) {
    snug__program_destroy(run->program);
  }
  snug__block_give(&ctx->queue, &s->block);
  if (snug__place_is_set(s->constants)) {
    ctx->queue.device->give(&ctx->queue, SNUG__MEM_PROGRAM, s->constants, s->constants_bytes);
  }
  snug__give(ctx, SNUG__MEM_PROGRAM, s->staging, (size_t)s->staging_bytes);
  if (s->has_entered) {
    snug__queue_leave(&ctx->queue);
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_PROGRAM, s->divisors, s->model->outputs.n);
  if (s->sums) {
    SNUG_GIVE_ARRAY(ctx, SNUG__MEM_PROGRAM, s->sums, s->model->training->n_trained);
  }
  *s = (snug__session){.model = s->model};
}

int64_t snug__session_cost(const snug__session *s) {
  return snug__block_cost(s->block_bytes) + (s->has_state ? snug__training_cost(s->model) : 0) +
         (s->file_bytes ? snug__store_cost() : 0) + s->constants_bytes + s->staging_bytes +
         snug__queue_enter_cost(&s->model->ctx->queue);
}

static snug_status open_store(snug__session *s) {
  snug__store_options o = {.folder = s->disk_folder, .bytes = s->file_bytes};
  return s->file_bytes ? snug__store_open(s->model->ctx, &o, &s->store) : SNUG_OK;
}

/* A snug__locate: behind the variables of the model come the sums. */
static snug__place locate(void *session, snug__id variable) {
  const snug__session *s = session;
  size_t n = s->model->variables.list.n;
  return variable < n ? snug__training_locate(s->model, variable)
                      : snug__place_after(s->block.at, s->sums[variable - n]);
}

/* What programs need beside their block where the host cannot look into it. */
static snug_status take_beside(snug__session *s) {
  snug__queue *q = &s->model->ctx->queue;
  if (s->constants_bytes) {
    SNUG_TRY(q->device->take(q, SNUG__MEM_PROGRAM, s->constants_bytes, &s->constants));
  }
  return s->staging_bytes
             ? snug__take(s->model->ctx, SNUG__MEM_PROGRAM, (size_t)s->staging_bytes, &s->staging)
             : SNUG_OK;
}

snug_status snug__session_commit(snug__session *s) {
  snug__queue *q = &s->model->ctx->queue;
  snug__bound memory = {0};
  snug__run *run = NULL;
  SNUG_TRY(s->has_state ? snug__training_commit(s->model) : SNUG_OK);
  SNUG_TRY(snug__block_take(q, s->block_bytes, &s->block));
  SNUG_TRY(take_beside(s));
  SNUG_TRY(open_store(s));
  memory.constants = s->constants;
  memory.staging = s->staging;
  for (size_t i = 0; (run = snug__session_run_at(s, i)); i++) {
    if (run->program) {
      run->program->store = s->store;
      run->program->home = s->model->training ? s->model->training->store : NULL;
      memory.block = snug__place_after(s->block.at, run->base);
      SNUG_TRY(snug__program_bind(run->program, &memory, locate, s));
      memory.constants = snug__place_after(memory.constants, snug__program_constants(run->program));
    }
  }
  SNUG_TRY(snug__queue_enter(q));
  s->has_entered = true;
  return SNUG_OK;
}

const snug__run *snug__session_run(const snug__session *s, snug__slot slot, int64_t rows) {
  while (s->runs[slot].step.batch != rows) {
    slot++;
  }
  return &s->runs[slot];
}

const snug__run *snug__session_largest(const snug__session *s) {
  const snug__run *largest = &s->runs[SNUG__SLOT_MAIN];
  const snug__run *run = NULL;
  for (size_t i = 0; (run = snug__session_run_at((snug__session *)s, i)); i++) {
    largest = end_of(run) > end_of(largest) ? run : largest;
  }
  return largest;
}
