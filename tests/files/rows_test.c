/* Arrays whose rows are read where they lie, beside the same arrays read whole. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/arrays.h"
#include "files/open.h"
#include "lib/fault.h"

/* Nothing is read whole that need not be. */
static const snug_arrays_options in_places = {sizeof in_places, -1, 1, false, NULL};
static const snug_arrays_options on_disk = {sizeof on_disk, -1, 1, true, NULL};

static snug_model *model_for(snug_ctx *ctx, const int64_t *shape, int32_t rank) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "a", SNUG_FLOAT32, shape, rank);
  snug_model_add(m, "Dense", "units=3");
  return m;
}

typedef struct opened {
  snug_ctx *ctx;
  snug_model *m;
  snug_arrays *a;
  snug_data data;
  char *scratch;
} opened;

static void begin(opened *o, const char *path, const snug_arrays_options *options,
                  const int64_t *shape, int32_t rank, bool with_labels) {
  *o = (opened){.ctx = test_ctx(), .data = SNUG_INIT(snug_data)};
  o->m = model_for(o->ctx, shape, rank);
  ASSERT_OK(o->ctx, snug_arrays_open_with(o->ctx, &path, 1, options, &o->a));
  ASSERT_OK(o->ctx, snug_arrays_data(o->a, o->m, SNUG_PART_TEST, with_labels, &o->data));
  o->scratch = o->data.source ? calloc(1, o->data.source->scratch + 1) : NULL;
}

static void end(opened *o) {
  free(o->scratch);
  snug_model_destroy(o->m);
  snug_arrays_destroy(o->a);
  test_ctx_end(o->ctx);
}

static snug_status read_row(opened *o, int64_t row, void *const *to, char *why) {
  const snug_source *s = o->data.source;
  return s->read(s->user, o->scratch, row, 0, to, why);
}

/* All rows of the first input, in an order that is not theirs if that can be. */
static void expect_rows(opened *o, const snug_array *whole, bool in_order) {
  const snug_source *s = o->data.source;
  size_t bytes = snug__array_row_bytes(whole);
  char why[SNUG_WHY_BYTES] = "", *row = malloc(bytes);
  ASSERT_NOT_NULL(s);
  ASSERT_NULL(o->data.x[0].data);
  ASSERT_EQ_INT(s->rows, whole->shape[0]);
  ASSERT_EQ_INT(s->in_order, in_order);
  ASSERT_EQ_INT(o->data.x[0].dtype, whole->dtype);
  for (int pass = 0; pass < 2; pass++) {
    ASSERT_EQ_INT(in_order ? s->restart(s->user, o->scratch, 0, why) : SNUG_OK, SNUG_OK);
    for (int64_t i = 0; i < whole->shape[0]; i++) {
      int64_t at = in_order ? i : whole->shape[0] - 1 - i;
      void *to[3] = {row, NULL, NULL};
      ASSERT_EQ_INT(read_row(o, at, to, why), SNUG_OK);
      ASSERT_EQ_BYTES(row, (const char *)whole->data + (size_t)at * bytes, bytes);
    }
  }
  free(row);
}

static void expect_same(const char *path, const char *name, const snug_arrays_options *options,
                        bool in_order) {
  opened o;
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *whole = NULL;
  ASSERT_OK(ctx, open_path(ctx, path, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, name, &whole));
  begin(&o, path, options, whole->shape + 1, whole->rank - 1, false);
  expect_rows(&o, whole, in_order);
  end(&o);
  snug_arrays_destroy(a);
  test_ctx_end(ctx);
}

TEST(every_dtype) {
  static const char *const names[] = {
      "f2.npy",     "f4.npy",     "f8.npy",     "i1.npy",       "i2.npy",      "i4.npy",
      "i8.npy",     "u1.npy",     "u2.npy",     "u4.npy",       "u8.npy",      "b1.npy",
      "big_f2.npy", "big_f4.npy", "big_f8.npy", "big_i2.npy",   "big_i4.npy",  "big_i8.npy",
      "big_u2.npy", "big_u4.npy", "big_u8.npy", "u1.idx",       "i1.idx",      "i2.idx",
      "i4.idx",     "f4.idx",     "f8.idx",     "version2.npy", "version3.npy"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    expect_same(data_path(names[i]), "x", &in_places, false);
  }
}

TEST(stored_members) { expect_same(data_path("plain.npz"), "x", &in_places, false); }

TEST(packed_ones_from_front_to_back) {
  expect_same(data_path("images.idx.gz"), "x", &in_places, true);
  expect_same(data_path("deflated.npz"), "x", &in_places, true);
}

TEST(packed_ones_in_a_file) {
  expect_same(data_path("images.idx.gz"), "x", &on_disk, false);
  expect_same(data_path("deflated.npz"), "x", &on_disk, false);
}

TEST(inputs_and_labels_of_one_archive) {
  opened o;
  char why[SNUG_WHY_BYTES] = "";
  uint8_t x[4];
  int64_t y = -1;
  void *to[2] = {x, &y};
  begin(&o, data_path("plain.npz"), &in_places, (const int64_t[]){4}, 1, true);
  for (int64_t row = 5; row >= 0; row--) {
    ASSERT_EQ_INT(read_row(&o, row, to, why), SNUG_OK);
    ASSERT_EQ_INT(x[0], row * 4);
    ASSERT_EQ_INT(y, row % 3);
  }
  end(&o);
}

TEST(small_arrays_and_packed_ones_that_fit_are_held) {
  opened o;
  begin(&o, data_path("plain.npz"), NULL, (const int64_t[]){4}, 1, true);
  ASSERT_NOT_NULL(o.data.x[0].data);
  ASSERT_NULL(o.data.source);
  end(&o);
  begin(&o, data_path("deflated.npz"),
        &(snug_arrays_options){sizeof(snug_arrays_options), -1, 8000, false, NULL},
        (const int64_t[]){40}, 1, true);
  ASSERT_NOT_NULL(o.data.x[0].data);
  ASSERT_NULL(o.data.source);
  end(&o);
}

/* Whether an array of 2 MiB is held, in rows of so many bytes. */
static bool is_held(int64_t row, int64_t hold) {
  opened o;
  const char *path = test_path("2.npy");
  const int64_t floats = row / (int64_t)sizeof(float);
  void *zeros = calloc(1, 2 << 20);
  snug_ctx *ctx = test_ctx();
  snug_array a = {zeros, SNUG_FLOAT32, 2, {(2 << 20) / row, floats}};
  ASSERT_OK(ctx, snug_npy_save(ctx, path, &a));
  free(zeros);
  begin(&o, path, &(snug_arrays_options){.struct_size = sizeof(snug_arrays_options), .hold = hold},
        &floats, 1, false);
  bool held = o.data.x[0].data != NULL;
  end(&o);
  return held;
}

TEST(short_rows_are_rather_held) {
  ASSERT_TRUE(is_held(2048, 0));
  ASSERT_FALSE(is_held(4096, 0));
  ASSERT_TRUE(is_held(2048, 8 << 20));
  ASSERT_FALSE(is_held(2048, 4 << 20));
}

TEST(fortran_order_is_held_or_refused) {
  opened o;
  const char *path = data_path("fortran_f4.npy");
  const int64_t shape[] = {2, 4};
  begin(&o, path, &(snug_arrays_options){sizeof(snug_arrays_options), -1, 0, false, NULL}, shape, 2,
        false);
  ASSERT_NOT_NULL(o.data.x[0].data);
  end(&o);
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_for(ctx, shape, 2);
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  ASSERT_OK(ctx, snug_arrays_open_with(ctx, &path, 1, &in_places, &a));
  ASSERT_STATUS(ctx, snug_arrays_data(a, m, SNUG_PART_TEST, false, &data), SNUG_E_LIMIT,
                "fortran_f4.npy: x: is in Fortran order, so all of its 96 bytes");
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}

TEST(arrays_of_different_lengths_are_told) {
  snug_ctx *ctx = test_ctx();
  static const float values[12];
  const char *paths[] = {test_path("x.npy"), test_path("y.npy")};
  snug_model *m = model_for(ctx, (const int64_t[]){2}, 1);
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  ASSERT_OK(ctx, snug_npy_save(ctx, paths[0], &(snug_array){values, SNUG_FLOAT32, 2, {6, 2}}));
  ASSERT_OK(ctx, snug_npy_save(ctx, paths[1], &(snug_array){values, SNUG_FLOAT32, 1, {5}}));
  ASSERT_OK(ctx, snug_arrays_open_with(ctx, paths, 2, &in_places, &a));
  ASSERT_STATUS(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data), SNUG_E_SHAPE,
                "y.npy: y has 5 samples, the first array has 6");
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}

/* ---- files that are not what they were ---- */

static const char *copy_of(const char *name) {
  size_t n = 0;
  unsigned char *bytes = slurp(data_path(name), &n);
  const char *path = test_path(name);
  spill(path, bytes, n);
  free(bytes);
  return path;
}

TEST(a_file_that_shrinks_is_told) {
  opened o;
  char why[SNUG_WHY_BYTES] = "";
  float row[8];
  void *to[1] = {row};
  const char *path = copy_of("f4.npy");
  begin(&o, path, &in_places, (const int64_t[]){2, 4}, 2, false);
  ASSERT_EQ_INT(read_row(&o, 2, to, why), SNUG_OK);
  ASSERT_EQ_INT(truncate(path, 140), 0);
  ASSERT_EQ_INT(read_row(&o, 2, to, why), SNUG_E_IO);
  ASSERT_EQ_TEXT(why,
                 "x: row 2: was changed while it was being read: it had 224 bytes and has 140");
  end(&o);
}

TEST(a_file_that_is_written_to_is_told) {
  opened o;
  char why[SNUG_WHY_BYTES] = "";
  float row[8];
  void *to[1] = {row};
  const char *path = copy_of("f4.npy");
  begin(&o, path, &in_places, (const int64_t[]){2, 4}, 2, false);
  struct timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ_INT(utimensat(AT_FDCWD, path, times, 0), 0);
  ASSERT_EQ_INT(read_row(&o, 0, to, why), SNUG_E_IO);
  ASSERT_HAS(why, "was changed while it was being read");
  end(&o);
}

TEST(a_number_that_no_dtype_holds_is_told_with_its_row) {
  opened o;
  char why[SNUG_WHY_BYTES] = "";
  int64_t value;
  void *to[1] = {&value};
  begin(&o, data_path("too_large_u8.npy"), &in_places, (const int64_t[]){1}, 1, false);
  ASSERT_EQ_INT(read_row(&o, 0, to, why), SNUG_OK);
  ASSERT_EQ_INT(read_row(&o, 1, to, why), SNUG_E_DATA);
  ASSERT_EQ_TEXT(why,
                 "x: row 1: has the value 9223372036854775808, which int64 does not hold; save it "
                 "as float64");
  end(&o);
}

/* ---- memory ---- */

static snug_status open_all(snug_ctx *ctx, void *arg) {
  const snug_arrays_options *options = arg;
  const char *path = data_path("deflated.npz");
  snug_model *m = NULL;
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  snug_status s = snug_model_create(ctx, NULL, &m);
  if (!s) {
    snug_model_input(m, "a", SNUG_FLOAT32, (const int64_t[]){40}, 1);
    snug_model_add(m, "Dense", "units=3");
  }
  s = s ? s : snug_arrays_open_with(ctx, &path, 1, options, &a);
  s = s ? s : snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data);
  snug_arrays_destroy(a);
  snug_model_destroy(m);
  return s;
}

TEST(without_memory) {
  snug_arrays_options streamed = in_places, spilled = on_disk;
  test_fault_sweep(open_all, &streamed);
  test_fault_sweep(open_all, &spilled);
}
