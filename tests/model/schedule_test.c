#include "model/schedule.h"

#include "lib/test.h"
#include "model/train_cases.h"

TEST(equals_keras) {
  snug_ctx *ctx = test_ctx();
  for (const schedule_case *c = schedule_cases; c->text; c++) {
    snug__schedule s;
    ASSERT_OK(ctx, snug__schedule_parse(ctx, c->text, &s));
    for (int i = 0; schedule_steps[i] >= 0; i++) {
      double rate = snug__schedule_rate(&s, schedule_steps[i]);
      if (!(rate - c->rates[i] <= 1e-6 && c->rates[i] - rate <= 1e-6)) {
        test_fail(__FILE__, __LINE__, "%s at step %lld: %.9g, Keras %.9g", c->text,
                  (long long)schedule_steps[i], rate, c->rates[i]);
      }
    }
  }
}

TEST(names_what_is_wrong) {
  snug_ctx *ctx = test_ctx();
  snug__schedule s;
  ASSERT_STATUS(ctx, snug__schedule_parse(ctx, "LinearDecay", &s), SNUG_E_ARGUMENT,
                "CosineDecayRestarts");
  ASSERT_STATUS(ctx, snug__schedule_parse(ctx, "CosineDecay(decay_steps=1)", &s), SNUG_E_ARGUMENT,
                "initial_learning_rate must be given");
  ASSERT_STATUS(
      ctx, snug__schedule_parse(ctx, "CosineDecay(initial_learning_rate=1, decay_steps=0)", &s),
      SNUG_E_ARGUMENT, "above 0");
  ASSERT_STATUS(
      ctx, snug__schedule_parse(ctx, "PiecewiseConstantDecay(boundaries=[1,2], values=[1,2])", &s),
      SNUG_E_ARGUMENT, "one more value");
  ASSERT_STATUS(ctx, snug__schedule_parse(ctx, "CosineDecay(decay_steps=1", &s), SNUG_E_ARGUMENT,
                "'(decay_steps=1' behind the name: expected (key=value");
}
