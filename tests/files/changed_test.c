/* Files that change while they are trained on: the fit ends with their name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "files/open.h"

#define ROWS 2000

static snug_model *make_model(snug_ctx *ctx) {
  const char *loss = "mse";
  snug_compile_options how = {
      .struct_size = sizeof how, .optimizer = "sgd", .loss = &loss, .n_loss = 1};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "in", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  snug_model_add(m, "Dense", "units=1 kernel_initializer=zeros");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}

/* What is done to the file after the first batch. */
typedef struct change {
  const char *path;
  bool shrinks; /* or it is written to */
} change;

static bool change_file(void *user, int64_t batch, const snug_logs *logs) {
  const change *c = user;
  (void)logs;
  if (batch == 0 && c->shrinks) {
    ASSERT_EQ_INT(truncate(c->path, 200), 0);
  } else if (batch == 0) {
    FILE *f = fopen(c->path, "ab");
    ASSERT_NOT_NULL(f);
    fputs("1,2,3,4,5\n", f);
    ASSERT_EQ_INT(fclose(f), 0);
  }
  return true;
}

static void expect_told(const char *const *paths, int32_t n, bool shrinks) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  snug_history *h = NULL;
  change does = {paths[0], shrinks};
  snug_callback changes = {.struct_size = sizeof changes, .user = &does, .batch_end = change_file};
  snug_fit_options o = {.struct_size = sizeof o,
                        .batch_size = 10,
                        .epochs = 3,
                        .callbacks = &changes,
                        .n_callbacks = 1};
  snug_arrays_options in_places = {
      .struct_size = sizeof in_places, .small = -1, .hold = 1, .label = n == 1 ? "y" : NULL};
  snug_model *m = make_model(ctx);
  ASSERT_OK(ctx, snug_arrays_open_with(ctx, paths, n, &in_places, &a));
  ASSERT_OK(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data));
  ASSERT_STATUS(ctx, snug_fit(m, &data, &o, &h), SNUG_E_IO, strrchr(paths[0], '/') + 1);
  ASSERT_HAS(snug_message(ctx), "was changed while it was being read");
  snug_arrays_destroy(a);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

static const char *labels_path(void) {
  snug_ctx *ctx = test_ctx();
  static const float zeros[ROWS];
  const char *path = test_path("y.npy");
  ASSERT_OK(ctx, snug_npy_save(ctx, path, &(snug_array){zeros, SNUG_FLOAT32, 1, {ROWS}}));
  return path;
}

TEST(an_array) {
  snug_ctx *ctx = test_ctx();
  static const float zeros[ROWS * 4];
  const char *paths[] = {test_path("x.npy"), labels_path()};
  for (int shrinks = 0; shrinks < 2; shrinks++) {
    snug_array x = {zeros, SNUG_FLOAT32, 2, {ROWS, 4}};
    ASSERT_OK(ctx, snug_npy_save(ctx, paths[0], &x));
    expect_told(paths, 2, shrinks);
  }
}

TEST(a_gzipped_file) {
  const char *paths[] = {test_path("x.idx.gz"), labels_path()};
  static unsigned char bytes[12 + ROWS * 4];
  const unsigned char head[] = {0, 0, 8, 2, 0, 0, ROWS >> 8, ROWS & 255, 0, 0, 0, 4};
  memcpy(bytes, head, sizeof head);
  for (size_t i = sizeof head; i < sizeof bytes; i++) {
    bytes[i] = (unsigned char)(i * i >> 7); /* hard to pack */
  }
  for (int shrinks = 0; shrinks < 2; shrinks++) {
    gzFile gz = gzopen(paths[0], "wb");
    ASSERT_EQ_INT(gzwrite(gz, bytes, sizeof bytes), sizeof bytes);
    ASSERT_EQ_INT(gzclose(gz), Z_OK);
    expect_told(paths, 2, shrinks);
  }
}

TEST(a_table) {
  const char *path = test_path("t.csv");
  for (int shrinks = 0; shrinks < 2; shrinks++) {
    FILE *f = fopen(path, "w");
    ASSERT_NOT_NULL(f);
    fputs("a,b,c,d,y\n", f);
    for (int i = 0; i < ROWS; i++) {
      fprintf(f, "%d,0.5,1,2,0\n", i);
    }
    ASSERT_EQ_INT(fclose(f), 0);
    expect_told(&path, 1, shrinks);
  }
}

TEST(records) {
  const char *path = test_path("r.bin");
  static const char zeros[ROWS * 20];
  for (int shrinks = 0; shrinks < 2; shrinks++) {
    FILE *f = fopen(path, "wb");
    ASSERT_NOT_NULL(f);
    fputs("snug-records 1\nx float32 4\ny float32\n\n", f);
    fwrite(zeros, 1, sizeof zeros, f);
    ASSERT_EQ_INT(fclose(f), 0);
    expect_told(&path, 1, shrinks);
  }
}
