/* What was parsed prints as a text that parses to the same. */
#include <string.h>

#include "lib/test.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "model/train_cases.h"

typedef snug_status again(snug_ctx *ctx, const char *text, snug__text *out);

static snug_status loss_again(snug_ctx *ctx, const char *text, snug__text *out) {
  snug__loss l;
  SNUG_TRY(snug__loss_parse(ctx, text, &l));
  return snug__loss_print(&l, out);
}

static snug_status metric_again(snug_ctx *ctx, const char *text, snug__text *out) {
  snug__metric m;
  SNUG_TRY(snug__metric_parse(ctx, text, &m));
  return snug__metric_print(&m, out);
}

static snug_status optimizer_again(snug_ctx *ctx, const char *text, snug__text *out) {
  snug__optimizer o;
  SNUG_TRY(snug__optimizer_parse(ctx, text, &o));
  return snug__optimizer_print(&o, out);
}

static void twice(snug_ctx *ctx, const char *text, again *f, const char *expected) {
  snug__text first, second;
  snug__text_init(&first, ctx, 4096);
  snug__text_init(&second, ctx, 4096);
  ASSERT_OK(ctx, f(ctx, text, &first));
  ASSERT_OK(ctx, f(ctx, snug__text_get(&first), &second));
  ASSERT_EQ_TEXT(snug__text_get(&first), snug__text_get(&second));
  if (expected) {
    ASSERT_EQ_TEXT(snug__text_get(&first), expected);
  }
  snug__text_release(&first);
  snug__text_release(&second);
}

TEST(reads_back) {
  snug_ctx *ctx = test_ctx();
  for (const batch_case *c = loss_cases; c->text; c++) {
    twice(ctx, c->text, loss_again, NULL);
  }
  for (const batch_case *c = metric_cases; c->text; c++) {
    twice(ctx, c->text, metric_again, NULL);
  }
  for (const optimizer_case *c = optimizer_cases; c->text; c++) {
    twice(ctx, c->text, optimizer_again, NULL);
  }
  twice(ctx, "mse", loss_again, "mean_squared_error()");
  twice(ctx, "acc", metric_again, "accuracy(name=\"acc\")");
  twice(ctx, "SGD(learning_rate=0.5)", optimizer_again, "SGD(learning_rate=0.5)");
}
