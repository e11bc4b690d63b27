#include "train/session.h"

#include "base/size.h"
#include "base/store.h"
#include "base/thread.h"
#include "train/lower.h"

static const snug__device *device_of(const snug_model *m) {
  return m->pass && m->pass->device ? m->pass->device : &snug__cpu;
}

static snug_status add_run(snug__session *s, snug__slot slot, const snug__session_spec *spec) {
  bool validation = slot == SNUG__SLOT_VALIDATION || slot == SNUG__SLOT_VALIDATION_REST;
  snug__run *run = &s->runs[slot];
  snug__graph *graph = NULL;
  SNUG_TRY(snug__step_build(
      s->model, validation ? SNUG__STEP_TEST : spec->main_kind, spec->batch[slot],
      validation ? spec->validation_weighted : spec->weighted, &graph, &run->step));
  snug_status status = snug__step_lower(s->model, &graph, &run->step);
  if (status) {
    snug__graph_destroy(graph);
    return status;
  }
  SNUG_TRY(snug__program_create(graph, device_of(s->model), spec->plan, &run->program));
  s->block_bytes = snug__max_i64(s->block_bytes, snug__program_height(run->program));
  s->file_bytes = snug__max_i64(s->file_bytes, snug__program_file(run->program));
  return SNUG_OK;
}

snug_status snug__session_init(snug__session *s, snug_model *m, const snug__session_spec *spec) {
  *s = (snug__session){.model = m,
                       .has_state = spec->main_kind != SNUG__STEP_PREDICT,
                       .disk_folder = spec->disk_folder};
  SNUG_TRY(snug__settle_layouts(m, spec->main_kind));
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_PROGRAM, m->ctx->threads, &s->modes));
  for (snug__slot slot = 0; slot < SNUG__SLOT_COUNT; slot++) {
    snug_status status = spec->batch[slot] > 0 ? add_run(s, slot, spec) : SNUG_OK;
    if (status) {
      snug__session_release(s);
      return status;
    }
  }
  return SNUG_OK;
}

void snug__session_release(snug__session *s) {
  snug__store_close(s->store); /* first: it may still be moving bytes of the block */
  for (snug__slot slot = 0; slot < SNUG__SLOT_COUNT; slot++) {
    snug__program_destroy(s->runs[slot].program);
  }
  snug__cpu.give(s->model->ctx, s->block, s->block_bytes);
  if (s->is_flushing) {
    snug__workers_restore(s->model->ctx->threads, s->modes);
  }
  SNUG_GIVE_ARRAY(s->model->ctx, SNUG__MEM_PROGRAM, s->modes, s->model->ctx->threads);
  *s = (snug__session){.model = s->model};
}

int64_t snug__session_cost(const snug__session *s) {
  return snug__cpu.block_cost(s->block_bytes) + (s->has_state ? snug__training_cost(s->model) : 0) +
         (s->file_bytes ? snug__store_cost() : 0);
}

static snug_status open_store(snug__session *s) {
  snug__store_options o = {.folder = s->disk_folder, .bytes = s->file_bytes};
  return s->file_bytes ? snug__store_open(s->model->ctx, &o, &s->store) : SNUG_OK;
}

snug_status snug__session_commit(snug__session *s) {
  SNUG_TRY(s->has_state ? snug__training_commit(s->model) : SNUG_OK);
  SNUG_TRY(snug__cpu.take(s->model->ctx, s->block_bytes, &s->block));
  SNUG_TRY(open_store(s));
  for (snug__slot slot = 0; slot < SNUG__SLOT_COUNT; slot++) {
    snug__program *p = s->runs[slot].program;
    if (p) {
      p->store = s->store;
      SNUG_TRY(snug__program_bind(p, s->block, snug__training_locate, s->model));
    }
  }
  snug__workers_flush(s->model->ctx->threads, s->modes);
  s->is_flushing = true;
  return SNUG_OK;
}

const snug__run *snug__session_run(const snug__session *s, snug__slot slot, int64_t rows) {
  return &s->runs[s->runs[slot].step.batch == rows ? slot : slot + 1];
}

const snug__run *snug__session_largest(const snug__session *s) {
  const snug__run *largest = NULL;
  for (snug__slot slot = 0; slot < SNUG__SLOT_COUNT; slot++) {
    const snug__run *run = &s->runs[slot];
    if (run->program &&
        (!largest || snug__program_height(run->program) > snug__program_height(largest->program))) {
      largest = run;
    }
  }
  return largest;
}
