#include "train/kept.h"

#include <string.h>

#include "base/number.h"
#include "base/size.h"
#include "train/fit_memory.h"
#include "train/fit_plan.h"
#include "train/lower.h"

static snug_status refuse_damaged(const snug__fit *f) {
  return snug__fail(f->model->ctx, SNUG_E_FORMAT,
                    "the backup is damaged: its plan is none of this model; remove the folder to "
                    "start the training anew");
}

/* ---- whether it is a plan ---- */

static bool may_wait(const snug__fit *f, snug__policy k) {
  return k <= SNUG__WAITING_BESIDE && (!snug__is_waiting(k) || f->options.allow_disk);
}

/* What is recomputed must have a recipe, and views go with what they look at or are kept. */
static bool is_closed(const snug__recipes *r, const snug__policy *policy, const bool *closed) {
  for (snug__id v = 0; v < r->g->values.n; v++) {
    bool is_view = snug__value_at(r->g, v)->view_of != SNUG_NONE;
    if (snug__is_recomputed(policy[v]) != closed[v] && !(is_view && policy[v] == SNUG__KEPT)) {
      return false;
    }
  }
  return true;
}

static snug_status check_recipes(const snug__fit *f, const snug__graph *g, bool *remade) {
  const snug__policy *policy = f->plan.choice.policy;
  snug__recipes recipes;
  bool good = true;
  for (snug__id v = 0; v < g->values.n; v++) {
    good = good && may_wait(f, policy[v]);
    remade[v] = snug__is_recomputed(policy[v]);
  }
  snug_status s = snug__recipes_init(&recipes, g, snug__model_device(f->model));
  if (!s && good) {
    snug__recipes_close(&recipes, remade);
    good = is_closed(&recipes, policy, remade);
  }
  snug__recipes_release(&recipes);
  return s ? s : good ? SNUG_OK : refuse_damaged(f);
}

static snug_status check_values(const snug__fit *f, const snug__graph *g) {
  bool *remade = NULL;
  if (f->plan.choice.n_values != g->values.n) {
    return refuse_damaged(f);
  }
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &remade));
  snug_status s = check_recipes(f, g, remade);
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, remade, g->values.n);
  return s;
}

static snug_status check_policy(const snug__fit *f) {
  snug__graph *graph = NULL;
  snug__step step;
  if (!f->plan.choice.policy) {
    return SNUG_OK;
  }
  snug_status s = snug__fit_lower(f, &f->plan.choice, &graph, &step);
  s = s ? s : check_values(f, graph);
  snug__graph_destroy(graph);
  return s;
}

static snug_status check(snug__fit *f) {
  if (f->plan.choice.slots && !f->options.allow_disk) {
    return refuse_damaged(f);
  }
  SNUG_TRY(snug__fit_fix_window(f, f->kept.window));
  return snug__feed_window(&f->train) == f->kept.window ? check_policy(f) : refuse_damaged(f);
}

/* ---- making it ---- */

static snug_status check_kernels(const snug__fit *f) {
  uint64_t kernels = 0;
  SNUG_TRY(snug__fit_kernels_key(f, &kernels));
  return kernels == f->kept.kernels
             ? SNUG_OK
             : snug__fail(f->model->ctx, SNUG_E_STATE,
                          "the backup is of a fit that ran other kernels than there are here "
                          "(another version of Snug or oneDNN); end it with those, or let it go on "
                          "with these (replan of snug_fit_options), or remove the folder "
                          "to start anew");
}

snug_status snug__kept_take(snug__fit *f) {
  const snug_memory_report *r = &f->history->memory;
  SNUG_TRY(check(f));
  SNUG_TRY(SNUG_NEW_ARRAY(f->model->ctx, SNUG__MEM_PLAN, 1, &f->plan.points));
  f->plan.n_points = f->plan.room = 1;
  SNUG_TRY(snug__fit_make_session(f, &f->plan.choice));
  SNUG_TRY(check_kernels(f));
  f->plan.points[0] = (snug_plan_point){
      .block = r->block,
      .process = r->process,
      .micro_batch = f->plan.choice.micro ? snug__min_i64(f->plan.choice.micro, f->train.batch)
                                          : f->train.batch};
  return SNUG_OK;
}

/* A line that took the plan before takes it again, unless more is measured than the same process
 * differs by from run to run: so much is part of the plan's reserve. */
void snug__kept_judge(snug__fit *f) {
  snug_memory_report *r = &f->history->memory;
  uint64_t line = f->options.memory;
  bool took_it = f->kept.line && line >= f->kept.line;
  uint64_t most = line + (took_it ? SNUG__MARGIN_BYTES : 0);
  f->plan.chosen = line && snug__fit_bare_process(r) > most;
  if (line && !f->plan.chosen && r->process > line) {
    r->reserve -= r->process - line;
    r->process = line;
  }
}

uint64_t snug__kept_line(const snug__fit *f) {
  uint64_t before = f->kept.line;
  uint64_t now = f->options.memory;
  return !before || (now && now < before) ? now : before;
}

snug_status snug__kept_refuse(const snug__fit *f) {
  const snug_memory_report *r = &f->history->memory;
  char line[SNUG__NUMBER_BYTES];
  char need[SNUG__NUMBER_BYTES];
  return snug__fail(f->model->ctx, SNUG_E_LIMIT,
                    "fit: the line is %s (%llu bytes), and the plan of the backup needs %s (%llu); "
                    "give that line, or let another plan be made, with other results "
                    "(replan of snug_fit_options)",
                    snug__print_bytes(r->line, line), (unsigned long long)r->line,
                    snug__print_bytes(f->plan.least, need), (unsigned long long)f->plan.least);
}
