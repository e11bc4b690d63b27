/* Every request for memory of a save and of a load fails once. */
#include <stdio.h>
#include <sys/stat.h>

#include "keras_state/support.h"
#include "lib/fault.h"

typedef struct files {
  const char *old, *new;
} files;

static snug_status make(snug_ctx *ctx, snug_model **m) {
  SNUG_TRY(state_build(ctx, true, 3, m));
  SNUG_TRY(state_compile(*m, "adam"));
  return snug_model_set_learning_rate(*m, 0.5); /* makes the optimizer's state */
}

static snug_status save(snug_ctx *ctx, void *arg) {
  const files *f = arg;
  snug_model *m = NULL;
  snug_status s = make(ctx, &m);
  s = s ? s : snug_model_save(m, f->new);
  s = s ? s : snug_model_save(m, f->new); /* described already */
  snug_model_destroy(m);
  return s;
}

TEST(saving) {
  files f = {NULL, test_path("new.keras")};
  test_fault_sweep_stride(save, &f, 7);
  ASSERT_EQ_INT(state_count_files(f.new), 1);
}

TEST(saving_weights) {
  files f = {NULL, test_path("new.weights.h5")};
  test_fault_sweep_stride(save, &f, 11);
  ASSERT_EQ_INT(state_count_files(f.new), 1);
}

static snug_status load(snug_ctx *ctx, void *arg) {
  const files *f = arg;
  snug_model *m = NULL;
  snug_status s = snug_model_load(ctx, f->old, NULL, &m);
  s = s ? s : snug_model_load_weights(m, f->old);
  snug_model_destroy(m);
  return s;
}

TEST(loading) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  files f = {test_path("old.keras"), NULL};
  ASSERT_OK(ctx, make(ctx, &m));
  ASSERT_OK(ctx, snug_model_save(m, f.old));
  snug_model_destroy(m);
  test_fault_sweep_stride(load, &f, 11);
}
