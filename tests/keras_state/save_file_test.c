/* The save that a training ends with: rehearsed, its room reserved, and never without a place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "keras/save.h"
#include "keras_state/support.h"

static snug_model *compiled(snug_ctx *ctx) {
  const char *const loss[] = {"mse"};
  snug_model *m = NULL;
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){50}, 1);
  snug_model_add(m, "Dense", "units=40");
  snug_model_add(m, "Dense", "units=3");
  o.optimizer = "adam";
  o.loss = loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  return m;
}

static void train(snug_model *m) {
  float x[8 * 50] = {1}, y[8 * 3] = {0};
  snug_array xs = {x, SNUG_FLOAT32, 2, {8, 50}}, ys = {y, SNUG_FLOAT32, 2, {8, 3}};
  snug_data data = {sizeof data, &xs, 1, &ys, 1, NULL};
  ASSERT_OK(m->ctx, snug_fit(m, &data, NULL, NULL));
}

static snug_model *make_model(snug_ctx *ctx) {
  snug_model *m = compiled(ctx);
  train(m);
  return m;
}

static void expect_saved(snug_model *m, const char *path) {
  snug_model *found = NULL;
  ASSERT_OK(m->ctx, snug_model_load(m->ctx, path, NULL, &found));
  ASSERT_TRUE(state_is_same(m, found));
  snug_model_destroy(found);
}

static int64_t bytes_of(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? info.st_size : -1;
}

TEST(the_model_is_saved_as_ever) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = make_model(ctx);
  snug_save_file f = {.struct_size = sizeof f, .path = test_path("m.keras")};
  ASSERT_OK(ctx, snug_save_file_begin(&f, m));
  ASSERT_EQ_INT(bytes_of(f.path), -1);
  ASSERT_OK(ctx, snug_save_file_end(&f));
  ASSERT_EQ_TEXT(f.saved, f.path);
  expect_saved(m, f.path);
  ASSERT_EQ_INT(state_count_files(f.path), 1);
  snug_save_file_drop(&f);
  expect_saved(m, f.path);
  snug_model_destroy(m);
}

TEST(what_is_dropped_leaves_the_old_file_alone) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = make_model(ctx);
  snug_save_file f = {.struct_size = sizeof f, .path = test_path("m.keras")};
  ASSERT_OK(ctx, snug_model_save(m, f.path));
  ASSERT_OK(ctx, snug_save_file_begin(&f, m));
  snug_save_file_drop(&f);
  expect_saved(m, f.path);
  ASSERT_EQ_INT(state_count_files(f.path), 1);
  ASSERT_STATUS(ctx, snug_save_file_end(&f), SNUG_E_STATE, "was not begun");
  snug_model_destroy(m);
}

/* What is reserved is enough: for weights and slots, of both forms. */
TEST(the_room_is_enough) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = compiled(ctx);
  const char *const paths[] = {test_path("m.keras"), test_path("m.weights.h5")};
  int64_t before = 0, after = 0;
  ASSERT_OK(ctx, snug__save_ready(m));
  ASSERT_OK(ctx, snug__save_bytes(m, &before));
  train(m);
  ASSERT_OK(ctx, snug__save_bytes(m, &after));
  for (size_t i = 0; i < 2; i++) {
    ASSERT_OK(ctx, snug_model_save(m, paths[i]));
    ASSERT_TRUE(bytes_of(paths[i]) <= before && bytes_of(paths[i]) <= after);
  }
  snug_model_destroy(m);
}

TEST(what_cannot_be_saved_is_told_at_the_beginning) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = make_model(ctx);
  char name[300];
  memset(name, 'n', 250);
  memcpy(name + 250, ".keras", sizeof ".keras");
  const struct {
    const char *path;
    snug_status status;
    const char *part;
  } bad[] = {{"m.txt", SNUG_E_ARGUMENT, "name.weights.h5"},
             {"/no/such/folder/m.keras", SNUG_E_IO, "No such file or directory"},
             {"/proc/m.keras", SNUG_E_IO, "/proc/m.keras: cannot be written"},
             {test_path(name), SNUG_E_IO, "File name too long"}};
  for (size_t i = 0; i < SNUG_COUNT(bad); i++) {
    snug_save_file f = {.struct_size = sizeof f, .path = bad[i].path};
    ASSERT_STATUS(ctx, snug_save_file_begin(&f, m), bad[i].status, bad[i].part);
    snug_save_file_drop(&f);
  }
  ASSERT_EQ_INT(snug_save_file_begin(NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_save_file_end(NULL), SNUG_E_ARGUMENT);
  snug_save_file_drop(NULL);
  snug_model_destroy(m);
}

/* The folder is gone: the next one that takes a file has it. */
TEST(a_path_that_fails_at_the_end_has_another_place) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = make_model(ctx);
  char path[600];
  const char *gone = test_path("gone"), *there = test_path("there");
  ASSERT_TRUE(mkdir(gone, 0700) == 0 && mkdir(there, 0700) == 0);
  snprintf(path, sizeof path, "%s/m.keras", gone);
  const char *const folders[] = {"/no/such/folder", "", there, "/"};
  snug_save_file f = {.struct_size = sizeof f, .path = path, .instead = folders, .n_instead = 4};
  ASSERT_OK(ctx, snug_save_file_begin(&f, m));
  char command[700];
  snprintf(command, sizeof command, "rm -r '%s'", gone);
  ASSERT_EQ_INT(system(command), 0);
  snug_status s = snug_save_file_end(&f);
  ASSERT_STATUS(ctx, s, SNUG_E_IO, "m.keras: cannot be replaced: No such file or directory; the");
  ASSERT_HAS(snug_message(ctx), f.saved);
  ASSERT_HAS(f.saved, there);
  expect_saved(m, f.saved);
  snug_model_destroy(m);
}

TEST(without_a_path_a_place_is_found) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = make_model(ctx);
  const char *there = test_path("there");
  ASSERT_EQ_INT(mkdir(there, 0700), 0);
  const char *const folders[] = {there};
  snug_save_file f = {.struct_size = sizeof f, .instead = folders, .n_instead = 1}, g = f;
  ASSERT_OK(ctx, snug_save_file_begin(&f, m));
  ASSERT_OK(ctx, snug_save_file_end(&f));
  ASSERT_OK(ctx, snug_save_file_begin(&g, m));
  ASSERT_OK(ctx, snug_save_file_end(&g));
  ASSERT_TRUE(strcmp(f.saved, g.saved) != 0);
  expect_saved(m, f.saved);
  expect_saved(m, g.saved);
  snug_model_destroy(m);
}
