/* Whatever is recomputed in the backward instead of being kept, no bit of a training changes:
 * weights, slots and metrics after two steps, with dead buffers overwritten, in several orders. */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "exec/program.h"
#include "pass/passes.h"
#include "pass/recompute.h"
#include "train/fit.h"
#include "train/nets.h"

#define STEPS 2

/* A fit that keeps everything, and its variables as they were at the start. */
typedef struct lab {
  snug_ctx *ctx;
  snug_model *model;
  toy data;
  snug__fit fit;
  snug__recipes recipes;
  char *start, *right, *got;
  size_t bytes;
} lab;

/* ---- variables ---- */

static size_t move_variables(const snug_model *m, char *store, bool out) {
  size_t at = 0;
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__type stored = snug__variable_stored(snug__variable_at(&m->variables, i));
    size_t bytes = (size_t)snug__type_bytes(&stored);
    char *place = snug__place_pointer(snug__training_locate((void *)(uintptr_t)m, i));
    if (store) {
      memcpy(out ? store + at : place, out ? place : store + at, bytes);
    }
    at += bytes;
  }
  return at;
}

static char *variables_of(const lab *l) {
  char *copy = malloc(l->bytes + 1);
  ASSERT_NOT_NULL(copy);
  move_variables(l->model, copy, true);
  return copy;
}

/* ---- runs ---- */

static void run_steps(lab *l, const snug__run *run) {
  move_variables(l->model, l->start, false);
  for (int64_t i = 0; i < STEPS; i++) {
    snug__feed_fill(&l->fit.train, i, 0, run);
    ASSERT_OK(l->ctx, snug__training_set_rate(l->model));
    ASSERT_OK(l->ctx, snug__program_run(run->program));
  }
}

static void open_lab(lab *l, const net *n, const char *optimizer) {
  static const snug__pass_options keep = {.no_recompute = true};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  l->ctx = test_ctx();
  l->model = net_model(l->ctx, n, optimizer);
  l->model->pass = &keep;
  net_data(n, &l->data);
  o.batch_size = n->batch;
  ASSERT_OK(l->ctx, snug__fit_open(&l->fit, l->model, &l->data.data, &o));
  ASSERT_OK(l->ctx, snug__session_commit(&l->fit.session));
  const snug__run *run = &l->fit.session.runs[SNUG__SLOT_MAIN];
  ASSERT_OK(l->ctx, snug__recipes_init(&l->recipes, run->program->graph, &snug__cpu));
  l->bytes = move_variables(l->model, NULL, true);
  l->start = variables_of(l);
  run_steps(l, run);
  l->right = variables_of(l);
}

static void close_lab(lab *l) {
  free(l->start);
  free(l->right);
  snug__recipes_release(&l->recipes);
  snug__fit_close(&l->fit, SNUG_OK, NULL);
  snug_model_destroy(l->model);
  toy_free(&l->data);
}

static void follow(const snug__rewrite *r, snug__id *ids, const snug__id *old, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ids[i] = snug__rewritten(r, old[i]);
  }
}

/* Two steps with this choice under this plan; the bytes of the block. */
static int64_t check_choice(lab *l, bool *remade, snug__plan_options plan) {
  const snug__run *kept = &l->fit.session.runs[SNUG__SLOT_MAIN];
  const snug__recomputing what = {.remade = remade};
  snug__id x[1], y[1];
  snug__run run = {.step = kept->step};
  snug__rewrite r;
  snug__block block;
  snug__recipes_close(&l->recipes, remade);
  ASSERT_OK(l->ctx, snug__pass_recompute(&l->recipes, &what, &r));
  ASSERT_OK(l->ctx, snug__graph_verify(r.to));
  follow(&r, x, kept->step.x, 1);
  follow(&r, y, kept->step.y, 1);
  run.step.x = x;
  run.step.y = y;
  snug__graph *made = r.to;
  r.to = NULL;
  snug__rewrite_release(&r);
  ASSERT_OK(l->ctx, snug__program_create(made, &snug__cpu, &plan, &run.program));
  int64_t height = snug__program_height(run.program);
  ASSERT_OK(l->ctx, snug__block_take(&l->ctx->queue, height, &block));
  ASSERT_OK(l->ctx, snug__program_bind(run.program, &(snug__bound){.block = block.at},
                                       snug__training_locate, l->model));
  run.program->poison = true;
  run_steps(l, &run);
  l->got = variables_of(l);
  ASSERT_EQ_BYTES(l->got, l->right, l->bytes);
  free(l->got);
  snug__program_destroy(run.program);
  snug__block_give(&l->ctx->queue, &block);
  return height;
}

static void choose(const lab *l, bool *remade, double part) {
  for (snug__id v = 0; v < l->recipes.g->values.n; v++) {
    remade[v] = test_random_unit() < part;
  }
}

/* large: to be packed takes long, so most choices are not; what is dead is overwritten all the
 * same. */
static void check_net(const net *n, const char *optimizer, bool large, int tries) {
  static const snug__order_kind orders[] = {SNUG__ORDER_PEAK, SNUG__ORDER_CREATION,
                                            SNUG__ORDER_REVERSED};
  lab l;
  open_lab(&l, n, optimizer);
  bool *remade = calloc(l.recipes.g->values.n, sizeof *remade);
  ASSERT_NOT_NULL(remade);
  int64_t none = check_choice(&l, remade, (snug__plan_options){0});
  ASSERT_EQ_INT(none, snug__program_height(l.fit.session.runs[SNUG__SLOT_MAIN].program));
  for (size_t i = 0; i < SNUG_COUNT(orders); i++) {
    choose(&l, remade, 1.0);
    check_choice(&l, remade, (snug__plan_options){orders[i], false, large});
  }
  ASSERT_OK(l.ctx, snug__recipes_cheap(&l.recipes, remade));
  ASSERT_TRUE(check_choice(&l, remade, (snug__plan_options){0}) <= none);
  for (int i = 0; i < tries; i++) {
    choose(&l, remade, (i + 1.0) / (tries + 1.0));
    check_choice(&l, remade,
                 (snug__plan_options){orders[(size_t)i % SNUG_COUNT(orders)], i % 2 > 0, large});
  }
  free(remade);
  close_lab(&l);
}

TEST(any_choice_of_a_perceptron_gives_the_same_bits) { check_net(&nets[0], "adam", false, 20); }

TEST(any_choice_of_a_small_convolutional_network_gives_the_same_bits) {
  check_net(&nets[1], "sgd(momentum=0.9)", false, 12);
}

TEST(any_choice_of_a_residual_network_gives_the_same_bits) { check_net(&nets[2], "adam", true, 2); }

TEST(any_choice_of_a_mobile_network_gives_the_same_bits) {
  check_net(&nets[3], "sgd(global_clipnorm=1.0)", true, 2);
}
