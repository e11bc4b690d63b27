/* The plan of whole training steps: updates as early as they can be, little memory lost, large
 * networks in little time. */
#include <string.h>

#include "device/cpu/cpu.h"
#include "exec/program.h"
#include "graph/op.h"
#include "lib/models.h"
#include "ops/ops.h"
#include "train/lower.h"
#include "train/nets.h"
#include "train/step.h"

static snug__program *plan_step(snug_ctx *ctx, snug_model *m, int64_t batch,
                                const snug__plan_options *o) {
  snug__graph *g = NULL;
  snug__program *p = NULL;
  snug__step step;
  ASSERT_OK(ctx, snug__step_build(m, SNUG__STEP_TRAIN, batch, false, &g, &step));
  ASSERT_OK(ctx, snug__step_lower(m, NULL, &g, &step));
  ASSERT_OK(ctx, snug__program_create(g, &snug__cpu, o, &p));
  return p;
}

/* A gradient in the layout that its update wants, beside the one that it was made in. */
static bool is_copy(const snug__graph *g, const snug__value *v) {
  return v->producer != SNUG_NONE && snug__node_at(g, v->producer)->op == &snug__op_reorder;
}

/* Bytes of all gradients of weights, and the most of them alive at one position. */
static void gradient_bytes(const snug__program *p, int64_t *all, int64_t *most) {
  *all = *most = 0;
  for (size_t position = 0; position < p->plan->n_nodes; position++) {
    int64_t alive = 0;
    for (snug__id v = 0; v < p->graph->values.n; v++) {
      const snug__value *value = snug__value_at(p->graph, v);
      if (value->class_ == SNUG__CLASS_GRADIENTS && value->view_of == SNUG_NONE &&
          !is_copy(p->graph, value)) {
        int64_t bytes = snug__type_bytes(&value->type);
        *all += position == 0 ? bytes : 0;
        alive += p->plan->first[v] <= (int64_t)position && (int64_t)position < p->plan->end[v]
                     ? bytes
                     : 0;
      }
    }
    *most = alive > *most ? alive : *most;
  }
}

TEST(updates_run_as_soon_as_a_gradient_is_complete) {
  snug_ctx *ctx = test_ctx();
  const net *resnet = &nets[2];
  snug_model *m = net_model(ctx, resnet, "sgd");
  const snug__plan_options creation = {SNUG__ORDER_CREATION, false, false};
  snug__program *early = plan_step(ctx, m, 2, NULL);
  snug__program *late = plan_step(ctx, m, 2, &creation);
  int64_t all = 0, most = 0, most_late = 0;
  gradient_bytes(late, &all, &most_late);
  gradient_bytes(early, &all, &most);
  ASSERT_EQ_INT(most_late, all); /* in the order of creation the updates come last */
  ASSERT_TRUE(most < all / 4);
  ASSERT_TRUE(early->plan->height < late->plan->height);
  snug__program_destroy(early);
  snug__program_destroy(late);
  snug_model_destroy(m);
}

/* Something needs the gradients together: then they are. */
TEST(global_clipping_keeps_gradients_together) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[0], "sgd(global_clipnorm=1.0)");
  snug__program *p = plan_step(ctx, m, 2, NULL);
  int64_t all = 0, most = 0;
  gradient_bytes(p, &all, &most);
  ASSERT_EQ_INT(most, all);
  snug__program_destroy(p);
  snug_model_destroy(m);
}

/* Frozen layers at the bottom keep no activations: nothing of theirs is alive when the backward
 * begins. */
TEST(frozen_layers_cost_nothing) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[1], "sgd");
  snug__program *all = plan_step(ctx, m, 8, NULL);
  ASSERT_OK(ctx, snug_model_set_trainable(m, "*", false));
  ASSERT_OK(ctx, snug_model_set_trainable(m, "dense", true));
  ASSERT_OK(ctx, compile_with(m, "sgd", "sparse_categorical_crossentropy"));
  snug__program *head = plan_step(ctx, m, 8, NULL);
  ASSERT_TRUE(head->graph->nodes.n < all->graph->nodes.n);
  for (snug__id i = 0; i < head->graph->nodes.n; i++) {
    ASSERT_NULL(strstr(snug__node_at(head->graph, i)->op->name, "conv2d_bwd"));
    ASSERT_NULL(strstr(snug__node_at(head->graph, i)->op->name, "max_pool2d_bwd"));
  }
  ASSERT_TRUE(head->plan->height < all->plan->height);
  snug__program_destroy(all);
  snug__program_destroy(head);
  snug_model_destroy(m);
}

TEST(a_network_of_1000_layers_is_packed_within_half_a_percent) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  ASSERT_OK(
      ctx, test_net_residual(m, &(test_net){.size = 16, .classes = 10, .width = 8, .depth = 1000}));
  ASSERT_OK(ctx, compile_with(m, "adam", "sparse_categorical_crossentropy"));
  snug__program *p = plan_step(ctx, m, 4, NULL);
  ASSERT_TRUE(p->plan->n_buffers >=
              (SNUG_HAS_ONEDNN ? 10000 : 8000)); /* its kernels have scratch */
  ASSERT_TRUE((double)p->plan->height <= 1.005 * (double)p->plan->load);
  snug__program_destroy(p);
  snug_model_destroy(m);
}
