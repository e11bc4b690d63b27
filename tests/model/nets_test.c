/* Whole networks: weights, shapes, graphs, and a forward pass that is sane. */
#include "lib/models.h"

#include <math.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/fault.h"
#include "lib/interpret.h"
#include "model/model.h"

typedef snug_status (*build_net)(snug_model *m, const test_net *n);

static snug_model *build(snug_ctx *ctx, build_net net, test_net n) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  ASSERT_OK(ctx, net(m, &n));
  return m;
}

static uint64_t count_parameters(const snug_model *m, bool trained_only) {
  uint64_t n = 0;
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    ASSERT_TRUE(snug_model_weight_info(m, i, &w) == SNUG_OK);
    n += !trained_only || w.trainable ? w.bytes / sizeof(float) : 0;
  }
  return n;
}

/* Run the forward at a batch size and look at the probabilities. */
static void check_forward(snug_ctx *ctx, snug_model *m, int64_t batch, bool training) {
  snug__build b;
  test_interpreter run;
  snug__id in = SNUG_NONE;
  snug__id out = SNUG_NONE;
  ASSERT_OK(ctx, snug__model_commit_weights(m));
  ASSERT_OK(ctx, snug__build_open(&b, ctx, &m->variables, training, SNUG_FLOAT32));
  ASSERT_OK(ctx, snug__model_emit(m, &b, batch, &in, &out, NULL));
  ASSERT_OK(ctx, snug__graph_verify(b.g));
  test_interpret_init(&run, b.g);
  for (snug__id id = 0; id < b.g->values.n; id++) {
    const snug__value *v = snug__value_at(b.g, id);
    if (v->kind == SNUG__WEIGHT && v->view_of == SNUG_NONE) {
      memcpy(test_interpret_data(&run, id),
             snug__place_pointer(snug__variable_at(&m->variables, v->variable)->place),
             (size_t)snug__type_bytes(&v->type));
    }
  }
  for (int64_t i = 0; i < snug__type_count(snug__type_at(b.g, in)); i++) {
    test_interpret_set(&run, in, i, 2 * test_random_unit() - 1);
  }
  ASSERT_OK(ctx, test_interpret_run(&run));
  int64_t classes = snug__type_at(b.g, out)->dim[1];
  for (int64_t sample = 0; sample < batch; sample++) {
    double total = 0;
    for (int64_t k = 0; k < classes; k++) {
      total += test_interpret_get(&run, out, sample * classes + k);
    }
    ASSERT_NEAR(total, 1, 1e-5);
  }
  test_interpret_release(&run);
  snug__build_close(&b);
}

static void check_net(build_net net, test_net n) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = build(ctx, net, n);
  check_forward(ctx, m, 2, false);
  check_forward(ctx, m, 3, true);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(small_nets_run) {
  check_net(test_net_vgg, (test_net){16, 10, 4, 3});
  check_net(test_net_resnet, (test_net){8, 10, 4, 14});
  check_net(test_net_mobilenet_v2, (test_net){8, 10, 4, 1});
  check_net(test_net_residual, (test_net){8, 10, 4, 20});
}

/* Parameters as Keras counts them for the same layers. */
TEST(parameters_are_counted) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = build(ctx, test_net_resnet, (test_net){32, 10, 64, 50});
  ASSERT_EQ_UINT(count_parameters(m, false), 23573962);
  ASSERT_EQ_UINT(count_parameters(m, true), 23520842);
  snug_model_destroy(m);
  m = build(ctx, test_net_mobilenet_v2, (test_net){32, 1000, 32, 1});
  ASSERT_EQ_UINT(count_parameters(m, false), 3538984);
  ASSERT_EQ_UINT(count_parameters(m, true), 3504872);
  snug_model_destroy(m);
}

TEST(thousands_of_layers) {
  const int64_t depths[] = {1000, 6000};
  for (size_t i = 0; i < SNUG_COUNT(depths); i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = build(ctx, test_net_residual, (test_net){4, 10, 2, depths[i]});
    snug__build b;
    snug__id in = SNUG_NONE;
    snug__id out = SNUG_NONE;
    ASSERT_OK(ctx, snug__build_open(&b, ctx, &m->variables, true, SNUG_FLOAT32));
    ASSERT_OK(ctx, snug__model_emit(m, &b, 1, &in, &out, NULL));
    ASSERT_TRUE(b.g->nodes.n > (size_t)depths[i]);
    snug__build_close(&b);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

static snug_status tiny_resnet(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  (void)arg;
  SNUG_TRY(snug_model_create(ctx, NULL, &m));
  snug_status s = test_net_resnet(m, &(const test_net){8, 3, 2, 14});
  s = s ? s : snug__model_commit_weights(m);
  snug_model_destroy(m);
  return s;
}

TEST(memory_may_fail_anywhere) { test_fault_sweep(tiny_resnet, NULL); }
