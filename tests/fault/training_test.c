/* Loss, metrics and optimizer are emitted while any request for memory may fail. */
#include "grad/grad.h"
#include "lib/fault.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "ops/matmul.h"
#include "ops/support.h"

static snug_status add_weight(snug__variables *variables, snug__id *out) {
  const int64_t shape[] = {3, 4};
  snug__variable v = {.name = "w",
                      .layer = "dense",
                      .type = snug__type_of(SNUG_FLOAT32, 2, shape),
                      .kind = SNUG__WEIGHT,
                      .class_ = SNUG__CLASS_WEIGHTS,
                      .trainable = true,
                      .regularizer = {0.1, 0.1},
                      .constraint = {.kind = SNUG__CONSTRAINT_NON_NEG}};
  return snug__variables_add(variables, &v, out);
}

static snug_status emit_loss(snug__build *b, snug__id w, snug__id *t, snug__id *y, snug__id *loss) {
  const int64_t shape[] = {2, 3};
  snug__matmul_params plain = {false, false};
  snug__loss l;
  snug__id x = SNUG_NONE;
  snug__id value = SNUG_NONE;
  snug__id term = SNUG_NONE;
  SNUG_TRY(snug__graph_input(b->g, "x", snug__type_of(SNUG_FLOAT32, 2, shape), &x));
  SNUG_TRY(snug__build_variable(b, w, &value));
  SNUG_TRY(SNUG_EMIT(b->g, matmul, &plain, y, x, value));
  SNUG_TRY(snug__loss_parse(b->ctx, "crossentropy(from_logits=true)", &l));
  snug__type target;
  SNUG_TRY(snug__loss_target(b->ctx, &l, snug__type_at(b->g, *y), &target));
  SNUG_TRY(snug__graph_input(b->g, "t", target, t));
  SNUG_TRY(snug__loss_emit(b, &l, *t, *y, SNUG_NONE, SNUG_NONE, loss));
  SNUG_TRY(snug__regularizer_emit(b, w, &term));
  return SNUG_EMIT(b->g, add, NULL, loss, *loss, term);
}

static snug_status emit_step(snug__build *b, const char *optimizer) {
  snug__optimizer o;
  snug__metric m;
  snug__id w = SNUG_NONE;
  snug__id t = SNUG_NONE;
  snug__id y = SNUG_NONE;
  snug__id loss = SNUG_NONE;
  snug__id value = SNUG_NONE;
  snug__id gradient = SNUG_NONE;
  SNUG_TRY(add_weight(b->variables, &w));
  SNUG_TRY(emit_loss(b, w, &t, &y, &loss));
  SNUG_TRY(snug__build_variable(b, w, &value));
  SNUG_TRY(snug__grad_append(b->g, loss, &value, 1, &gradient));
  SNUG_TRY(snug__optimizer_parse(b->ctx, optimizer, &o));
  SNUG_TRY(snug__optimizer_emit(b, &o, &w, &gradient, 1));
  SNUG_TRY(snug__metric_parse(b->ctx, "accuracy", &m));
  SNUG_TRY(snug__metric_emit(b, &m, "accuracy", t, y, SNUG_NONE, SNUG_NONE));
  return snug__metric_track(b, "loss", loss, SNUG_NONE, 2.0);
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug__variables variables;
  snug__build b;
  snug__variables_init(&variables, ctx);
  snug_status s = snug__build_open(&b, ctx, &variables, true, SNUG_FLOAT32);
  s = s ? s : emit_step(&b, arg);
  s = s ? s : snug__graph_verify(b.g);
  snug__build_close(&b);
  snug__variables_release(&variables);
  return s;
}

TEST(emitting_a_step) {
  char optimizers[][80] = {"nadam(global_clipnorm=1, gradient_accumulation_steps=2, use_ema=true)",
                           "muon(clipnorm=1)", "lamb"};
  for (size_t i = 0; i < sizeof optimizers / sizeof optimizers[0]; i++) {
    test_fault_sweep(scenario, optimizers[i]);
  }
}
