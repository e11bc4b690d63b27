#include "record/fit_facts.h"

#include "record/recorder.h"

static snug_status tell_fit(snug_recorder *r, const snug__fit *f) {
  const snug_fit_options *o = &f->options;
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {{"fit.epochs", o->epochs},
                 {"fit.initial_epoch", o->initial_epoch},
                 {"fit.steps", f->steps},
                 {"fit.batch_size", o->batch_size},
                 {"fit.threads", f->model->ctx->threads}};
  for (size_t i = 0; i < SNUG_COUNT(numbers); i++) {
    SNUG_TRY(snug__recorder_number(r, numbers[i].name, (uint64_t)numbers[i].value));
  }
  return SNUG_OK;
}

static snug_status tell_plan(snug_recorder *r, const snug_memory_report *m) {
  const struct {
    const char *name;
    uint64_t bytes;
  } parts[] = {{"plan.process", m->process},
               {"plan.planned", m->planned},
               {"plan.line", m->line},
               {"plan.weights", m->weights},
               {"plan.gradients", m->gradients},
               {"plan.optimizer", m->optimizer},
               {"plan.activations", m->activations},
               {"plan.scratch", m->scratch},
               {"plan.data", m->data},
               {"plan.callbacks", m->callbacks},
               {"plan.runtime", m->runtime},
               {"plan.block", m->block},
               {"plan.code", m->code},
               {"plan.outside", m->outside},
               {"plan.tables", m->tables},
               {"plan.reserve", m->reserve},
               {"plan.idle", m->idle}};
  for (size_t i = 0; i < SNUG_COUNT(parts); i++) {
    if (parts[i].bytes) {
      SNUG_TRY(snug__recorder_number(r, parts[i].name, parts[i].bytes));
    }
  }
  return SNUG_OK;
}

/* The step that needs the most, and what runs in it then. */
static snug_status tell_moment(snug_recorder *r, const snug__alive *a) {
  const snug__program *program = a->run ? a->run->program : NULL;
  if (!program || a->peak.position >= (int64_t)program->plan->n_nodes) {
    return SNUG_OK;
  }
  const snug__node *node = snug__node_at(program->graph, program->plan->order[a->peak.position]);
  bool validates =
      a->highest[SNUG__PHASE_VALIDATION].bytes > a->highest[SNUG__PHASE_TRAINING].bytes;
  SNUG_TRY(snug_recorder_fact(r, "plan.peak_step", validates ? "validation" : "training"));
  SNUG_TRY(snug_recorder_fact(r, "plan.peak_pass", node->backward ? "backward" : "forward"));
  SNUG_TRY(snug_recorder_fact(r, "plan.peak_layer", snug__layer_name(program->graph, node->layer)));
  return snug_recorder_fact(r, "plan.peak_op", node->op->name);
}

static snug_status tell_point(snug_recorder *r, const snug__planned *plan) {
  if (plan->chosen >= plan->n_points) {
    return SNUG_OK;
  }
  const snug_plan_point *p = &plan->points[plan->chosen];
  if (p->seconds > 0.0) {
    SNUG_TRY(snug__recorder_real(r, "plan.step_seconds", p->seconds));
  }
  SNUG_TRY(snug__recorder_number(r, "plan.micro_batch", (uint64_t)p->micro_batch));
  SNUG_TRY(snug__recorder_number(r, "plan.recomputed", (uint64_t)p->recomputed));
  return snug__recorder_number(r, "plan.on_disk", p->on_disk);
}

snug_status snug__record_fit(snug_recorder *r, const snug__fit *f, bool is_resumed) {
  SNUG_TRY(snug_recorder_fact(r, "run.kind", "fit"));
  SNUG_TRY(snug__recorder_now(r, is_resumed ? "run.resumed" : "run.began"));
  SNUG_TRY(snug_recorder_machine(r));
  SNUG_TRY(tell_fit(r, f));
  SNUG_TRY(tell_plan(r, &f->history->memory));
  SNUG_TRY(tell_moment(r, &f->alive));
  return tell_point(r, &f->plan);
}
