/* The whole way of an image, by a worker with the memory that was said and no more. */
#include "image/recipe.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/make.h"
#include "image/readers.h"
#include "image/values.h"
#include "lib/mallocs.h"
#include "lib/test.h"

static const snug__image_turn still = {false, 0, 0, 0};

static size_t need_of(const test_file *f) {
  snug__input in = snug__input_of(f->bytes, f->n);
  snug__image_info info;
  snug__why why;
  ASSERT_EQ_INT(snug__image_probe(&in, &info, &why), SNUG_OK);
  return info.decode_bytes;
}

/* A file through a worker of its own; bytes of malloc. */
static void *read_with(const snug__recipe *r, const test_file *f, const snug__image_turn *turn) {
  size_t bytes = snug__worker_bytes(r, need_of(f));
  uint8_t *memory = malloc(bytes), *dst = malloc(snug__recipe_sample_bytes(r));
  snug__image_worker w;
  snug__why why;
  snug_ctx *ctx = test_ctx();
  snug__readers *readers = NULL;
  ASSERT_OK(ctx, snug__readers_create(ctx, 1, &readers));
  snug__jpeg *reader = snug__readers_take(readers);
  memset(memory, 0xA5, bytes);
  ASSERT_EQ_INT(snug__worker_begin(&w, r, memory, bytes, &why), SNUG_OK);
  snug__input in = snug__input_of(f->bytes, f->n);
  snug_status s = snug__worker_read(&w, reader, &in, turn, dst, &why);
  if (s) {
    printf("%s\n", why.text);
  }
  ASSERT_EQ_INT(s, SNUG_OK);
  snug__readers_destroy(readers);
  test_ctx_end(ctx);
  free(memory);
  return dst;
}

static snug__recipe recipe_with(int32_t side, const char *augment) {
  snug_ctx *ctx = test_ctx();
  snug__recipe r = snug__recipe_of(side, side, 3);
  ASSERT_OK(ctx, snug__augment_parse(ctx, augment, &r.augment));
  ASSERT_OK(ctx, snug__recipe_check(ctx, &r));
  return r;
}

TEST(rescaled_and_normalized) {
  test_file f = test_make_png(&(test_png){40, 30, PNG_COLOR_TYPE_RGB, 8, false, false});
  snug__recipe plain = recipe_with(16, ""), r = plain;
  r.scale = 1.0 / 127.5;
  r.offset = -1.0;
  r.mean = (snug_floats){3, {0.1, 0.2, 0.3}};
  r.variance = (snug_floats){3, {4.0, 0.25, 0.0}};
  float *x = read_with(&plain, &f, &still), *y = read_with(&r, &f, &still);
  for (int i = 0; i < 16 * 16 * 3; i++) {
    static const double by[3] = {2.0, 0.5, 1e-7};
    double rescaled = (double)x[i] / 127.5 - 1.0;
    double want = (rescaled - r.mean.v[i % 3]) / by[i % 3];
    ASSERT_NEAR(y[i], want, i % 3 == 2 ? 20.0 : 1e-5); /* 1e-7 makes much of a float's last bit */
  }
  free(x);
  free(y);
  test_file_free(&f);
}

TEST(samples_of_bytes) {
  test_file f = test_make_png(&(test_png){40, 30, PNG_COLOR_TYPE_RGB, 8, false, false});
  snug__recipe plain = recipe_with(16, ""), r = plain;
  r.is_u8 = true;
  ASSERT_EQ_UINT(snug__recipe_sample_bytes(&r), 16 * 16 * 3);
  float *x = read_with(&plain, &f, &still);
  uint8_t *y = read_with(&r, &f, &still);
  for (int i = 0; i < 16 * 16 * 3; i++) {
    ASSERT_NEAR(x[i], y[i], 0.5);
  }
  uint8_t rounded[5];
  snug__values_to_bytes((float[]){-3.0F, 0.5F, 1.5F, 254.6F, 300.0F}, 5, rounded);
  ASSERT_EQ_BYTES(rounded, ((uint8_t[]){0, 0, 2, 255, 255}), 5);
  free(x);
  free(y);
  test_file_free(&f);
}

/* The steps of a list one after the other on the resized image are what a worker makes. */
TEST(augmented_in_order) {
  test_file f =
      test_make_jpeg(&(test_jpeg){.width = 60, .height = 50, .components = 3, .h = 2, .v = 2});
  snug__recipe plain = recipe_with(24, ""),
               r = recipe_with(24, "rotation=0.2,flip,translation=0.1,zoom=0.2,contrast=0.5");
  for (uint64_t sample = 0; sample < 8; sample++) {
    snug__image_turn turn = {true, 11, 3, sample};
    float *x = read_with(&plain, &f, &turn), *y = read_with(&r, &f, &turn);
    float *spare = malloc(24 * 24 * 3 * sizeof *spare);
    snug__canvas c = {24, 24, 3, x, spare};
    snug__augment_run(&r.augment, 11, 3, sample, &c);
    ASSERT_EQ_BYTES(c.pixels, y, 24 * 24 * 3 * sizeof *y);
    float *z = read_with(&r, &f, &still), *w = read_with(&plain, &f, &still);
    ASSERT_EQ_BYTES(z, w, 24 * 24 * 3 * sizeof *z); /* nothing is augmented for evaluation */
    free(x), free(y), free(z), free(w), free(spare);
  }
  test_file_free(&f);
}

TEST(crops_have_the_size_of_the_sample) {
  test_file f = test_make_png(&(test_png){32, 32, PNG_COLOR_TYPE_RGB, 8, false, false});
  snug__recipe r = recipe_with(32, "zoom=[0,0],crop=8x12");
  int32_t shape[3];
  snug__recipe_shape(&r, shape);
  ASSERT_EQ_INT(shape[0], 8);
  ASSERT_EQ_INT(shape[1], 12);
  ASSERT_EQ_UINT(snug__recipe_sample_bytes(&r), 8 * 12 * 3 * sizeof(float));
  bool moved = false;
  for (uint64_t sample = 0; sample < 8; sample++) {
    snug__image_turn turn = {true, 1, 0, sample};
    float *x = read_with(&r, &f, &turn);
    int found = 0;
    for (int32_t at = 0; at < 25 * 21 && !found; at++) { /* it is a piece of the image */
      int32_t top = at / 21, left = at % 21;
      found = 1;
      for (int32_t i = 0; found && i < 8 * 12 * 3; i++) {
        int32_t p = i / 3;
        found = x[i] == (float)test_pixel(left + p % 12, top + p / 12, i % 3);
      }
      moved = moved || (found && (top || left));
    }
    ASSERT_TRUE(found);
    free(x);
  }
  ASSERT_TRUE(moved);
  snug__recipe direct = recipe_with(8, "");
  direct.load.width = 12;
  direct.load.aspect = SNUG__CROP;
  float *x = read_with(&r, &f, &still), *y = read_with(&direct, &f, &still);
  ASSERT_EQ_BYTES(x, y, 8 * 12 * 3 * sizeof *x);
  free(x), free(y);
  test_file_free(&f);
}

TEST(recipes_that_do_not_fit) {
  snug_ctx *ctx = test_ctx();
  snug__recipe r = snug__recipe_of(16, 16, 2);
  ASSERT_STATUS(ctx, snug__recipe_check(ctx, &r), SNUG_E_ARGUMENT, "1, 3 or 4 channels, not 2");
  r = snug__recipe_of(16, 20000, 3);
  ASSERT_STATUS(ctx, snug__recipe_check(ctx, &r), SNUG_E_ARGUMENT, "cannot be resized to 16x20000");
  r = snug__recipe_of(16, 16, 3);
  ASSERT_OK(ctx, snug__augment_parse(ctx, "crop=17x2", &r.augment));
  ASSERT_STATUS(ctx, snug__recipe_check(ctx, &r), SNUG_E_ARGUMENT,
                "crop=17x2 is larger than the image, which is 16x16");
  r = snug__recipe_of(16, 16, 3);
  r.mean.n = 1;
  ASSERT_STATUS(ctx, snug__recipe_check(ctx, &r), SNUG_E_ARGUMENT,
                "1 means and 0 variances for 3 channels");
  r.mean.n = r.variance.n = 3;
  r.variance.v[1] = -2.0;
  ASSERT_STATUS(ctx, snug__recipe_check(ctx, &r), SNUG_E_ARGUMENT, "a variance of -2");
  r = snug__recipe_of(16, 16, 3);
  r.is_u8 = true;
  r.scale = 0.5;
  ASSERT_STATUS(ctx, snug__recipe_check(ctx, &r), SNUG_E_ARGUMENT, "cannot be rescaled");
  snug__image_worker w;
  snug__why why;
  char few[100];
  ASSERT_EQ_INT(snug__worker_begin(&w, &r, few, sizeof few, &why), SNUG_E_MEMORY);
  ASSERT_HAS(why.text, "100 bytes are too few");
}

/* Failures come with the image, and the worker goes on behind them. */
TEST(a_worker_outlives_bad_files) {
  test_file good = test_make_jpeg(&(test_jpeg){.width = 60, .height = 50, .components = 3});
  snug__recipe r = recipe_with(24, "flip,zoom=0.1");
  size_t bytes = snug__worker_bytes(&r, need_of(&good));
  uint8_t *memory = malloc(bytes);
  float *first = malloc(snug__recipe_sample_bytes(&r)), *x = malloc(snug__recipe_sample_bytes(&r));
  snug__image_worker w;
  snug__why why;
  snug_ctx *ctx = test_ctx();
  snug__readers *readers = NULL;
  ASSERT_OK(ctx, snug__readers_create(ctx, 1, &readers));
  snug__jpeg *reader = snug__readers_take(readers);
  snug__image_turn turn = {true, 1, 1, 1};
  ASSERT_EQ_INT(snug__worker_begin(&w, &r, memory, bytes, &why), SNUG_OK);
  for (size_t n = 0; n < good.n; n += 97) {
    snug__input cut = snug__input_of(good.bytes, n), in = snug__input_of(good.bytes, good.n);
    ASSERT_EQ_INT(snug__worker_read(&w, reader, &cut, &turn, x, &why), SNUG_E_FORMAT);
    ASSERT_EQ_INT(snug__worker_read(&w, reader, &in, &turn, n ? x : first, &why), SNUG_OK);
    ASSERT_EQ_BYTES(n ? x : first, first, snug__recipe_sample_bytes(&r));
  }
  snug__readers_destroy(readers);
  test_ctx_end(ctx);
  free(memory), free(first), free(x);
  test_file_free(&good);
}

TEST(reading_allocates_nothing) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer has an allocator of its own");
  }
  test_file f =
      test_make_jpeg(&(test_jpeg){.width = 60, .height = 50, .components = 3, .h = 2, .v = 2});
  snug__recipe r =
      recipe_with(24, "flip,rotation=0.1,zoom=0.1,contrast=0.1,brightness=0.1,crop=20x20");
  size_t bytes = snug__worker_bytes(&r, need_of(&f));
  uint8_t *memory = malloc(bytes);
  void *dst = malloc(snug__recipe_sample_bytes(&r));
  snug__image_worker w;
  snug__why why;
  snug_ctx *ctx = test_ctx();
  snug__readers *readers = NULL;
  ASSERT_OK(ctx, snug__readers_create(ctx, 1, &readers));
  snug__jpeg *reader = snug__readers_take(readers);
  snug_status s = snug__worker_begin(&w, &r, memory, bytes, &why);
  test_mallocs_start();
  for (uint64_t i = 0; !s && i < 10; i++) {
    snug__input in = snug__input_of(f.bytes, f.n);
    snug__image_turn turn = {i % 2 == 0, 1, 1, i};
    s = snug__worker_read(&w, reader, &in, &turn, dst, &why);
  }
  test_mallocs m = test_mallocs_stop();
  ASSERT_EQ_INT(s, SNUG_OK);
  ASSERT_EQ_INT(m.n_taken, 0);
  snug__readers_destroy(readers);
  test_ctx_end(ctx);
  free(memory), free(dst);
  test_file_free(&f);
}
