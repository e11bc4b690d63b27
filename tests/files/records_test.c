/* Records: in a file at any place, from standard input in their order. */
#include "data/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/open.h"
#include "lib/fault.h"

#define ROWS 20

/* A head and so many bytes of records: x is float32[2] of row and -row, y int32 of row. */
static size_t make(char *out, const char *head, size_t cut) {
  size_t n = (size_t)sprintf(out, "%s", head);
  for (int32_t i = 0; i < ROWS; i++) {
    float x[2] = {(float)i, -(float)i};
    memcpy(out + n, x, 8);
    memcpy(out + n + 8, &i, 4);
    n += 12;
  }
  return n - cut;
}

static const char head[] = "snug-records 1\nx float32 2\ny int32\n\n";
static const char head_with_rows[] = "snug-records 1\nrows 20\nx float32 2\ny int32\n\n";
static const char head_with_more[] = "snug-records 1\nrows 21\nx float32 2\ny int32\n\n";

static snug_arrays_options in_places = {sizeof in_places, -1, 1, false, NULL, NULL};

typedef struct opened {
  snug_ctx *ctx;
  snug_model *m;
  snug_arrays *a;
  snug_data data;
  char *scratch;
} opened;

static void begin(opened *o, const char *path) {
  *o = (opened){.ctx = test_ctx(), .data = SNUG_INIT(snug_data)};
  ASSERT_OK(o->ctx, snug_model_create(o->ctx, NULL, &o->m));
  snug_model_input(o->m, "in", SNUG_FLOAT32, (const int64_t[]){2}, 1);
  snug_model_add(o->m, "Dense", "units=2");
  ASSERT_OK(o->ctx, snug_arrays_open_with(o->ctx, &path, 1, &in_places, &o->a));
  ASSERT_OK(o->ctx, snug_arrays_data(o->a, o->m, SNUG_PART_TRAIN, true, &o->data));
  o->scratch = calloc(1, o->data.source->scratch);
}

static void end(opened *o) {
  free(o->scratch);
  snug_model_destroy(o->m);
  snug_arrays_destroy(o->a);
}

static snug_status read_row(opened *o, int64_t row, float *x, int32_t *y, char *why) {
  void *to[2] = {x, y};
  return o->data.source->read(o->data.source->user, o->scratch, row, 0, to, why);
}

static void expect_row(opened *o, int64_t row) {
  char why[SNUG_WHY_BYTES] = "";
  float x[2];
  int32_t y = -1;
  ASSERT_EQ_INT(read_row(o, row, x, &y, why), SNUG_OK);
  ASSERT_TRUE(x[0] == (float)row && x[1] == -(float)row && y == row);
}

/* Let standard input have these bytes, and end. */
static void feed_input(const char *bytes, size_t n) {
  int ends[2];
  ASSERT_EQ_INT(pipe(ends), 0);
  ASSERT_EQ_INT(write(ends[1], bytes, n), n);
  close(ends[1]);
  ASSERT_EQ_INT(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  close(ends[0]);
}

TEST(a_file_is_read_anywhere) {
  opened o;
  char bytes[1024];
  const char *path = test_path("r.bin");
  spill(path, bytes, make(bytes, head, 0));
  begin(&o, path);
  ASSERT_EQ_INT(o.data.source->rows, ROWS);
  ASSERT_FALSE(o.data.source->in_order);
  for (int64_t row = ROWS - 1; row >= 0; row--) {
    expect_row(&o, row);
  }
  end(&o);
}

TEST(standard_input_is_read_in_its_order) {
  opened o;
  char bytes[1024], why[SNUG_WHY_BYTES] = "";
  feed_input(bytes, make(bytes, head, 0));
  begin(&o, "-");
  ASSERT_EQ_INT(o.data.source->rows, SNUG_ROWS_UNKNOWN);
  ASSERT_TRUE(o.data.source->in_order);
  for (int64_t row = 0; row < ROWS; row++) {
    expect_row(&o, row);
  }
  float x[2];
  int32_t y;
  ASSERT_EQ_INT(read_row(&o, ROWS, x, &y, why), SNUG_E_STOPPED);
  end(&o);
}

TEST(a_number_of_rows_that_was_said) {
  opened o;
  char bytes[1024];
  feed_input(bytes, make(bytes, head_with_rows, 0));
  begin(&o, "-");
  ASSERT_EQ_INT(o.data.source->rows, ROWS);
  ASSERT_EQ_INT(o.data.x[0].shape[0], ROWS);
  end(&o);
}

TEST(an_end_in_the_middle_of_a_record) {
  opened o;
  char bytes[1024], why[SNUG_WHY_BYTES] = "";
  float x[2];
  int32_t y;
  feed_input(bytes, make(bytes, head, 5));
  begin(&o, "-");
  for (int64_t row = 0; row < ROWS - 1; row++) {
    expect_row(&o, row);
  }
  ASSERT_EQ_INT(read_row(&o, ROWS - 1, x, &y, why), SNUG_E_FORMAT);
  ASSERT_EQ_TEXT(why, "ends in the middle of record 19: 7 of its 12 bytes");
  end(&o);
}

TEST(files_of_another_length_are_refused) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  char bytes[1024];
  const char *path = test_path("r.bin");
  spill(path, bytes, make(bytes, head, 5));
  ASSERT_STATUS(ctx, snug_arrays_open(ctx, &path, 1, &a), SNUG_E_FORMAT,
                "r.bin: has 235 bytes behind its head, which are not 20 records of 12 bytes");
  spill(path, bytes, make(bytes, head_with_more, 0));
  ASSERT_STATUS(ctx, snug_arrays_open(ctx, &path, 1, &a), SNUG_E_FORMAT, "not 21 records");
}

TEST(heads_that_are_wrong) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"snug-records 2\nx float32\n\n", "begin with the line \"snug-records 1\""},
      {"snug-records 10\nx float32\n\n", "begin with the line \"snug-records 1\""},
      {"snug-records 1\nx float33\n\n",
       "line 2 of its head: \"x float33\": a line is: name, dtype"},
      {"snug-records 1\nx float32 0\n\n", "a shape is"},
      {"snug-records 1\nx float32 1 2 3 4 5 6\n\n", "a shape is"},
      {"snug-records 1\nx float32 9999999999 9999999999\n\n", "more than 1 GiB"},
      {"snug-records 1\nrows -3\nx float32\n\n", "rows is a number"},
      {"snug-records 1\n\n", "names no array"},
      {"snug-records 1\nx float32\nx float32\n\n", "two arrays of the name x"},
      {"snug-records 1\nx float32\n", "the head does not end"},
  };
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("r.bin");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snug_arrays *a = NULL;
    spill(path, cases[i].text, strlen(cases[i].text));
    ASSERT_STATUS(ctx, snug_arrays_open(ctx, &path, 1, &a), SNUG_E_FORMAT, cases[i].message);
  }
}

TEST(a_stream_is_not_held) {
  opened o;
  char bytes[1024];
  const snug_array *array = NULL;
  feed_input(bytes, make(bytes, head, 0));
  begin(&o, "-");
  ASSERT_STATUS(o.ctx, snug_arrays_get(o.a, "x", &array), SNUG_E_ARGUMENT,
                "-: x: is a stream, which cannot be held whole");
  end(&o);
}

/* Whoever reads ahead of a writer that is silent lets go of it. */
TEST(a_reader_that_waits_can_be_ended) {
  snug_ctx *ctx = test_ctx();
  int ends[2];
  snug_arrays *a = NULL;
  snug_model *m = NULL;
  snug_data data = SNUG_INIT(snug_data);
  char bytes[1024];
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  const char *path = "-", *loss = "mse";
  how.loss = &loss;
  how.n_loss = 1;
  ASSERT_EQ_INT(pipe(ends), 0);
  size_t n = make(bytes, "snug-records 1\nx float32 2\ny float32\n\n", 0);
  memset(bytes + 39, 0, n - 39);
  ASSERT_EQ_INT(write(ends[1], bytes, n), n);
  ASSERT_EQ_INT(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "in", SNUG_FLOAT32, (const int64_t[]){2}, 1);
  snug_model_add(m, "Dense", "units=1");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  ASSERT_OK(ctx, snug_arrays_open(ctx, &path, 1, &a));
  ASSERT_OK(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data));
  snug_fit_options o = {
      .struct_size = sizeof o, .batch_size = 5, .steps_per_epoch = 3, .no_shuffle = true};
  ASSERT_OK(ctx, snug_fit(m, &data, &o, NULL)); /* the fourth batch was there; the fifth is not */
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}
