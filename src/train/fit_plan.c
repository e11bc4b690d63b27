#include "train/fit_plan.h"

#include <string.h>

#include "base/size.h"
#include "train/calibrate.h"
#include "train/fit_memory.h"
#include "train/kept.h"
#include "train/lower.h"
#include "train/micro_batches.h"
#include "train/process_figure.h"
#include "train/slots.h"

/* ---- the target ---- */

snug_status snug__fit_lower(const snug__fit *f, const snug__step_choice *choice,
                            snug__graph **graph, snug__step *step) {
  bool weighted = f->train.data->sample_weight || f->train.class_weight;
  bool is_micro = choice->micro && choice->micro < f->train.batch;
  const snug__kernel_rules rules = {choice->most_scratch, snug__fit_rules(f->model).fixed};
  SNUG_TRY(snug__step_build(f->model, is_micro ? SNUG__STEP_TRAIN_MICRO_BATCH : SNUG__STEP_TRAIN,
                            is_micro ? choice->micro : f->train.batch, weighted, graph, step));
  return snug__step_assign_layouts(f->model, &rules, graph, step);
}

static snug_status lower(void *user, int64_t micro_batch, int64_t most_scratch,
                         snug__lowered *out) {
  const snug__fit *f = user;
  const snug__step_choice choice = {.micro = micro_batch, .most_scratch = most_scratch};
  snug__step step;
  snug__step *kept = NULL;
  *out =
      (snug__lowered){.beside = micro_batch ? snug__micro_batches_place_sums(f->model, NULL) : 0};
  out->repeats = micro_batch ? (double)snug__ceil_div(f->train.batch, micro_batch) : 1.0;
  SNUG_TRY(snug__fit_lower(f, &choice, &out->graph, &step));
  SNUG_TRY(snug__arena_take(&out->graph->arena, sizeof *kept, (void **)&kept));
  *kept = step;
  out->step = kept;
  return SNUG_OK;
}

static snug_status time_nodes(void *user, const snug__lowered *lowered, bool is_guess, int64_t room,
                              double *seconds, double *again) {
  const snug__fit *f = user;
  const snug__step *step = lowered->step;
  if (is_guess) {
    snug__guess_seconds(f->model, step, lowered->graph, seconds, again);
    return SNUG_OK;
  }
  snug_status s = snug__calibrate(f->model, step->kind, step, lowered->graph, room, seconds, again,
                                  f->model->training->note);
  snug__fit_forget(f->model); /* what was timed is not what runs */
  return s;
}

static void release_session(void *user) {
  snug__fit *f = user;
  snug__session_release(&f->session);
  snug__fit_forget(f->model);
}

static snug_status make_session(void *user, const snug__step_choice *choice,
                                snug_memory_report *memory, uint64_t *process) {
  snug__fit *f = user;
  SNUG_TRY(snug__fit_make_session(f, choice));
  *process = 0;
  if (f->options.memory || choice->policy) { /* without a line, the usual plan is not judged */
    SNUG_TRY(snug__process_figure(f, process));
    const uint64_t stated = f->history->memory.process;
    SNUG_TRY(snug__fit_memory(f, &f->history->memory)); /* looking it up took memory, too */
    snug__process_restate(&f->history->memory, stated);
  }
  *memory = f->history->memory;
  return SNUG_OK;
}

/* ---- the question ---- */

static bool is_word(const char *word) {
  static const char *const words[] = {"auto", "none", "full", "activations"};
  for (size_t i = 0; i < SNUG_COUNT(words); i++) {
    if (strcmp(word, words[i]) == 0) {
      return true;
    }
  }
  return false;
}

static snug_status check_names(const snug_model *m, const char *list) {
  for (const char *word = list; *word;) {
    size_t n = strcspn(word, ",");
    char name[SNUG__NAME_BYTES] = "";
    memcpy(name, word, n < sizeof name - 1 ? n : sizeof name - 1);
    if (!snug__model_find_layer(m, name)) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                        "recompute: \"%s\" is no layer of the model; auto, none, activations, full "
                        "and names of layers are known",
                        name);
    }
    word += n + (word[n] == ',');
  }
  return SNUG_OK;
}

/* That a batch cannot be split is an answer, not a failure. */
static snug_status find_split(const snug__fit *f, bool *out) {
  snug_status s = snug__micro_batches_check(f->model, f->options.allow_batch_statistics);
  *out = s == SNUG_OK;
  return s == SNUG_E_UNSUPPORTED ? SNUG_OK : s;
}

static snug_status look(void *user, snug__question *q) {
  snug__fit *f = user;
  const snug_fit_options *options = q->options;
  q->may_save_scratch = !f->has_kernels;
  SNUG_TRY(options->recompute && !is_word(options->recompute)
               ? check_names(f->model, options->recompute)
               : SNUG_OK);
  SNUG_TRY(find_split(f, &q->may_split));
  if (options->allow_disk) {
    q->slots_saved = snug__slots_saved(f->model, &q->slots_bytes);
    SNUG_TRY(snug__store_rate_of(q->ctx, options->disk_folder, &q->disk));
  }
  return SNUG_OK;
}

static snug__question ask(snug__fit *f) {
  return (snug__question){.ctx = f->model->ctx,
                          .target = {.user = f,
                                     .device = snug__model_device(f->model),
                                     .look = look,
                                     .lower = lower,
                                     .time = time_nodes,
                                     .make = make_session,
                                     .release = release_session},
                          .batch = f->train.batch,
                          .line = f->options.memory,
                          .available = f->model->ctx->available,
                          .options = &f->options};
}

/* ---- the answer ---- */

static snug_status take_kept(snug__fit *f) {
  SNUG_TRY(snug__kept_take(f));
  snug__kept_judge(f);
  f->plan.least = f->history->memory.process;
  f->plan.points[0].process = f->history->memory.process;
  return SNUG_OK;
}

/* What the search held is gone: what the plan itself holds is counted, and the process is stated as
 * it was, unless the search came to more. */
static snug_status measure_again(snug__fit *f) {
  snug__planned *p = &f->plan;
  const uint64_t before = p->memory.process;
  SNUG_TRY(snug__fit_memory(f, &p->memory));
  const uint64_t now = snug__process_restate(&p->memory, before);
  const size_t at = p->chosen < p->n_points ? p->chosen : p->n_points - 1;
  if (now != before) {
    p->least = at + 1 == p->n_points ? now : p->least;
    p->points[at].process = now;
  }
  return SNUG_OK;
}

static snug_status choose(snug__fit *f) {
  const snug__question q = ask(f);
  SNUG_TRY(snug__planning_choose(&q, &f->plan));
  SNUG_TRY(f->plan.is_usual ? SNUG_OK : measure_again(f));
  f->history->memory = f->plan.memory;
  return f->keeper ? snug__fit_kernels_key(f, &f->kept.kernels) : SNUG_OK;
}

snug_status snug__fit_plan(snug__fit *f) {
  SNUG_TRY(f->keeper ? f->keeper->plan(f->keeper->user, f) : SNUG_OK);
  return f->kept.is_kept ? take_kept(f) : choose(f);
}

bool snug__fit_is_planned(const snug__fit *f) {
  uint64_t available = f->model->ctx->available;
  bool exceeds = available && !f->options.memory && f->history->memory.process > available;
  return f->plan.chosen < f->plan.n_points && !exceeds;
}
