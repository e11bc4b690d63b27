/* Tables: what a file holds, its rows in any order, and what is wrong with bad ones. */
#include "data/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/open.h"
#include "graph/type.h"
#include "lib/fault.h"

static const snug_arrays_options in_places = {sizeof in_places, -1, 1, false, NULL, NULL};

static snug_status open_text(snug_ctx *ctx, const char *text, const snug_arrays_options *options,
                             snug_arrays **out) {
  static const char *path; /* one per test, and each has a process of its own */
  path = path ? path : test_path("t.csv");
  spill(path, text, strlen(text));
  return snug_arrays_open_with(ctx, &path, 1, options, out);
}

/* The values of an array, rows after rows: "1 2 3". */
static void expect_array(snug_arrays *a, const char *name, snug_dtype dtype, const char *values) {
  const snug_array *array = NULL;
  char text[512] = "";
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug_arrays_get(a, name, &array));
  ASSERT_EQ_INT(array->dtype, dtype);
  int64_t n = array->shape[0] * (array->rank > 1 ? array->shape[1] : 1);
  for (int64_t i = 0; i < n; i++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%g", i ? " " : "",
             snug__element_get(dtype, array->data, i));
  }
  ASSERT_EQ_TEXT(text, values);
}

TEST(names_features_and_the_label) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  ASSERT_OK(ctx, open_text(ctx, "a,b,label\n1,2.5,0\n3,-4e1,2\n", NULL, &a));
  expect_array(a, "x", SNUG_FLOAT32, "1 2.5 3 -40");
  expect_array(a, "y", SNUG_INT64, "0 2");
  expect_array(a, "a", SNUG_INT64, "1 3");
  expect_array(a, "b", SNUG_FLOAT32, "2.5 -40");
  expect_array(a, "label", SNUG_INT64, "0 2");
  snug_arrays_destroy(a);
}

TEST(whole_numbers_stay_whole) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_text(ctx, "a,b\n123456789012345678,+2\n-3,4\n", NULL, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_EQ_INT(x->dtype, SNUG_INT64);
  ASSERT_EQ_INT(((const int64_t *)x->data)[0], 123456789012345678);
  ASSERT_EQ_INT(((const int64_t *)x->data)[1], 2);
  ASSERT_NULL(snug_arrays_find(a, "y"));
  snug_arrays_destroy(a);
}

TEST(a_label_by_name_and_of_texts) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_arrays_options o = {.struct_size = sizeof o, .label = "kind"};
  ASSERT_OK(ctx, open_text(ctx, "kind,a\ndog,1\ncat,2\n\"dog\",3\n7,4\n", &o, &a));
  expect_array(a, "x", SNUG_INT64, "1 2 3 4");
  expect_array(a, "y", SNUG_INT64, "2 1 2 0");
  ASSERT_EQ_TEXT(snug_arrays_class(a, 1), "cat");
  ASSERT_NULL(snug_arrays_class(a, 3));
  snug_arrays_destroy(a);
  o.label = "none";
  ASSERT_STATUS(ctx, open_text(ctx, "kind,a\ndog,1\n", &o, &a), SNUG_E_ARGUMENT,
                "t.csv: has no column \"none\"; its first is \"kind\", its last \"a\"");
}

TEST(quotes_line_ends_blanks_and_marks) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  ASSERT_OK(ctx, open_text(ctx,
                           "\xEF\xBB\xBF\"a, or \"\"b\"\"\", \"two\nlines\" ,label\r\n"
                           "\"1\", 2 , \"x,\"\"y\"\"\nz\"\r\n"
                           "\r\n\n"
                           "3,\t4,u",
                           NULL, &a));
  expect_array(a, "a, or \"b\"", SNUG_INT64, "1 3");
  expect_array(a, "two\nlines", SNUG_INT64, "2 4");
  expect_array(a, "y", SNUG_INT64, "1 0");
  snug_arrays_destroy(a);
}

TEST(without_names) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  ASSERT_OK(ctx, open_text(ctx, "1,2\n3,4\n",
                           &(snug_arrays_options){.struct_size = sizeof(snug_arrays_options),
                                                  .label = "1"},
                           &a));
  expect_array(a, "x", SNUG_INT64, "1 3");
  expect_array(a, "y", SNUG_INT64, "2 4");
  snug_arrays_destroy(a);
}

TEST(tabs) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const char *path = test_path("t.tsv"), *text = "a\tb\n1\t2\n";
  spill(path, text, strlen(text));
  ASSERT_OK(ctx, snug_arrays_open(ctx, &path, 1, &a));
  expect_array(a, "x", SNUG_INT64, "1 2");
  snug_arrays_destroy(a);
}

/* ---- bad ones ---- */

static void expect_bad(const char *text, const char *message) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  ASSERT_STATUS(ctx, open_text(ctx, text, NULL, &a), SNUG_E_FORMAT, message);
  ASSERT_NULL(a);
}

TEST(ragged_rows) {
  expect_bad("a,b\n1,2\n\n3\n", "t.csv: line 4: has 1 fields, the first line has 2");
  expect_bad("a,b\n1,2\n3,4,5\n", "t.csv: line 3: has 3 fields, the first line has 2");
}

TEST(quotes_that_are_wrong) {
  expect_bad("a,b\n1,2\n3,\"4\n5,6\n", "t.csv: line 3: does not end: a quote in it is not closed");
  expect_bad("a,b\n1,\"2\"x\n", "t.csv: line 2: a text stands behind a closing quote");
}

TEST(no_rows) {
  expect_bad("a,b\n", "t.csv: has no rows");
  expect_bad("", "t.csv: has no rows");
  expect_bad("\n\n", "t.csv: has no rows");
}

TEST(a_file_that_is_no_text) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const char *path = test_path("t.csv");
  spill(path, "a,b\n1,\0\n", 8);
  ASSERT_STATUS(ctx, snug_arrays_open(ctx, &path, 1, &a), SNUG_E_FORMAT, "NUL");
}

/* Told if somebody wants it. */
TEST(columns_without_numbers) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *array = NULL;
  ASSERT_OK(ctx, open_text(ctx, "a,city,age\n1,Oslo,3\n2,Rome,\n", NULL, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "a", &array));
  ASSERT_STATUS(ctx, snug_arrays_get(a, "city", &array), SNUG_E_UNSUPPORTED,
                "t.csv: line 2: column \"city\" has the text \"Oslo\"; put a number");
  ASSERT_STATUS(ctx, snug_arrays_get(a, "age", &array), SNUG_E_UNSUPPORTED,
                "t.csv: line 3: column \"age\" is empty");
  ASSERT_STATUS(ctx, snug_arrays_get(a, "x", &array), SNUG_E_UNSUPPORTED, "column \"city\"");
  snug_arrays_destroy(a);
}

TEST(a_line_without_end) {
  size_t n = 3 * SNUG__CSV_ROW_BYTES;
  char *text = malloc(n + 1);
  memset(text, '1', n);
  text[n] = 0;
  expect_bad(text, "t.csv: line 1: ");
  free(text);
}

/* ---- many rows ---- */

#define ROWS 200000 /* so many that not all places are remembered */

TEST(any_row_of_a_long_table) {
  snug_ctx *ctx = test_ctx();
  snug__csv c;
  snug__arena arena;
  const char *path = test_path("long.csv");
  FILE *f = fopen(path, "w");
  fputs("a,b,label\n", f);
  for (int i = 0; i < ROWS; i++) {
    fprintf(f, i % 10 == 7 ? "%d,\"%d\",%d\n\n" : "%d,%d.5,%d\n", i, i * 3, i % 5);
  }
  fclose(f);
  snug__arena_init(&arena, ctx, SNUG__MEM_DATA);
  ASSERT_OK(ctx, snug__csv_open(&c, ctx, &arena, path, NULL));
  ASSERT_EQ_INT(c.rows, ROWS);
  ASSERT_EQ_INT(c.step, 4);
  ASSERT_TRUE(c.marks.capacity <= SNUG__CSV_MARKS);
  snug_source s = snug__csv_source(&c);
  ASSERT_TRUE(s.scratch < 1024);
  char *scratch = calloc(1, s.scratch), why[SNUG_WHY_BYTES] = "";
  for (int64_t i = 0; i < 5000; i++) {
    int64_t row = i < 4000 ? i * 7919 % ROWS : ROWS - 5000 + i;
    float x[2];
    int64_t y = -1;
    void *to[5] = {x, &y, NULL, NULL, NULL};
    ASSERT_EQ_INT(s.read(s.user, scratch, row, 0, to, why), SNUG_OK);
    ASSERT_NEAR(x[0], (double)row, 0);
    ASSERT_NEAR(x[1], (float)((double)row * 3 + (row % 10 == 7 ? 0.0 : 0.5)), 0);
    ASSERT_EQ_INT(y, row % 5);
  }
  ASSERT_EQ_INT(truncate(path, 100), 0);
  float x[2];
  void *to[5] = {x, NULL, NULL, NULL, NULL};
  ASSERT_EQ_INT(s.read(s.user, scratch, 5, 0, to, why), SNUG_E_IO);
  ASSERT_HAS(why, "was changed while it was being read");
  free(scratch);
  snug__csv_release(&c);
  snug__arena_release(&arena);
}

TEST(rows_feed_a_model) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_model *m = NULL;
  snug_data data = SNUG_INIT(snug_data);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "in", SNUG_FLOAT32, (const int64_t[]){2}, 1);
  snug_model_add(m, "Dense", "units=2");
  ASSERT_OK(ctx, open_text(ctx, "a,b,label\n1,2,0\n3,4,1\n5,6,1\n", &in_places, &a));
  ASSERT_OK(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data));
  ASSERT_NULL(data.x[0].data);
  ASSERT_NULL(data.y[0].data);
  ASSERT_EQ_INT(data.source->rows, 3);
  char *scratch = calloc(1, data.source->scratch), why[SNUG_WHY_BYTES] = "";
  int64_t x[2], y;
  void *to[2] = {x, &y};
  ASSERT_EQ_INT(data.source->read(data.source->user, scratch, 2, 0, to, why), SNUG_OK);
  ASSERT_TRUE(x[0] == 5 && x[1] == 6 && y == 1);
  free(scratch);
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}

static snug_status read_all(snug_ctx *ctx, void *arg) {
  snug_arrays *a = NULL;
  const snug_array *array = NULL;
  snug_status s = open_text(ctx, arg, NULL, &a);
  s = s ? s : snug_arrays_get(a, "x", &array);
  s = s ? s : snug_arrays_get(a, "y", &array);
  snug_arrays_destroy(a);
  return s;
}

TEST(without_memory) {
  char text[] = "a,b,label\n1,2,p\n3,4,q\n5,6,r\n";
  test_fault_sweep(read_all, text);
}
