/* A model from a file is compiled once more: as the file says, but for what the caller gives. */
#include <stdio.h>

#include "lib/fault.h"
#include "support.h"
#include "train/training.h"

static const char *const mse[] = {"mse"};
static const char *const mae[] = {"mae"};

static snug_status build(snug_ctx *ctx, snug_model **out) {
  SNUG_TRY(snug_model_create(ctx, NULL, out));
  snug_model_input(*out, "x", SNUG_FLOAT32, (int64_t[]){4}, 1);
  snug_model_add(*out, "Dense", "units=5 name=a");
  snug_model_add(*out, "Dense", "units=2 name=b");
  return snug_model_status(*out);
}

/* Save a model, compiled or not, and load it again. */
static snug_status load(snug_ctx *ctx, const char *path, bool compiled, snug_model **out) {
  snug_model *m = NULL;
  snug_compile_options o = {.struct_size = sizeof o,
                            .optimizer = "sgd(learning_rate=0.125)",
                            .loss = mse,
                            .n_loss = 1,
                            .metrics = mae,
                            .n_metrics = 1};
  snug_status s = build(ctx, &m);
  s = s || !compiled ? s : snug_model_compile(m, &o);
  s = s ? s : snug_model_save(m, path);
  snug_model_destroy(m);
  return s ? s : snug_model_load(ctx, path, NULL, out);
}

static snug_model *loaded(snug_ctx *ctx, bool compiled) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, load(ctx, test_path("m.keras"), compiled, &m));
  return m;
}

TEST(nothing_changes_but_what_is_frozen) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = loaded(ctx, true);
  ASSERT_EQ_UINT(m->training->n_trained, 4);
  ASSERT_OK(ctx, snug_model_set_trainable(m, "a", false));
  ASSERT_OK(ctx, snug_model_recompile(m, NULL));
  ASSERT_EQ_UINT(m->training->n_trained, 2);
  ASSERT_NEAR(snug_model_learning_rate(m), 0.125, 0.0);
  ASSERT_EQ_UINT(snug_model_metrics(m).n, 2);
  ASSERT_EQ_UINT(m->keras->compiles, m->compiles); /* the file's own words are kept */
  snug_model_destroy(m);
}

TEST(what_is_given_stands_before_the_file) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = loaded(ctx, true);
  static const char *const none[] = {""};
  ASSERT_OK(ctx, snug_model_recompile(
                     m, &(snug_compile_options){.struct_size = sizeof(snug_compile_options),
                                                .optimizer = "adam(learning_rate=0.5)"}));
  ASSERT_NEAR(snug_model_learning_rate(m), 0.5, 0.0);
  ASSERT_EQ_TEXT(snug_model_metrics(m).names[1], "mae");
  ASSERT_TRUE(m->keras->compiles != m->compiles); /* the file must say it anew */
  ASSERT_OK(ctx, snug_model_recompile(
                     m, &(snug_compile_options){.struct_size = sizeof(snug_compile_options),
                                                .metrics = none,
                                                .n_metrics = 0}));
  ASSERT_EQ_UINT(snug_model_metrics(m).n, 1);
  ASSERT_NEAR(snug_model_learning_rate(m), 0.125, 0.0);
  ASSERT_OK(ctx,
            snug_model_recompile(
                m, &(snug_compile_options){
                       .struct_size = sizeof(snug_compile_options), .loss = mae, .n_loss = 1}));
  ASSERT_EQ_UINT(snug_model_metrics(m).n, 2);
  snug_model_destroy(m);
}

TEST(a_file_that_is_not_compiled_needs_a_loss) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = loaded(ctx, false);
  ASSERT_OK(ctx, snug_model_recompile(m, NULL));
  ASSERT_NULL(m->training);
  ASSERT_OK(ctx, snug_model_recompile(
                     m, &(snug_compile_options){.struct_size = sizeof(snug_compile_options),
                                                .optimizer = "adam"}));
  ASSERT_NULL(m->training);
  ASSERT_OK(ctx,
            snug_model_recompile(
                m, &(snug_compile_options){
                       .struct_size = sizeof(snug_compile_options), .loss = mse, .n_loss = 1}));
  ASSERT_NOT_NULL(m->training);
  snug_model_destroy(m);
}

TEST(what_cannot_be_leaves_the_model_as_it_was) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = loaded(ctx, true);
  ASSERT_STATUS(
      ctx,
      snug_model_recompile(m, &(snug_compile_options){.struct_size = sizeof(snug_compile_options),
                                                      .optimizer = "adamm"}),
      SNUG_E_ARGUMENT, "adamm");
  ASSERT_NEAR(snug_model_learning_rate(m), 0.125, 0.0);
  snug_model_destroy(m);
  ASSERT_TRUE(snug_model_recompile(NULL, NULL) == SNUG_E_ARGUMENT);
  ASSERT_OK(ctx, build(ctx, &m));
  ASSERT_STATUS(ctx, snug_model_recompile(m, NULL), SNUG_E_STATE, "not from a file");
  snug_model_destroy(m);
}

static snug_status recompile(snug_ctx *ctx, void *path) {
  snug_model *m = NULL;
  snug_status s = load(ctx, path, true, &m);
  s = s ? s
        : snug_model_recompile(m,
                               &(snug_compile_options){.struct_size = sizeof(snug_compile_options),
                                                       .optimizer = "adam"});
  snug_model_destroy(m);
  return s;
}

TEST(every_failure_of_memory) {
  char path[512];
  snprintf(path, sizeof path, "%s", test_path("m.keras"));
  test_fault_sweep_stride(recompile, path, 13);
}
