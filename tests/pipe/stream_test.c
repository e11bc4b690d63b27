/* Sources that are read from front to back. */
#include <string.h>

#include "pipe/toy.h"

#define BATCHES 7
#define SAMPLE 24 /* bytes in the window: three floats, a label, a row number */

static void run(toy *t, int32_t workers, uint64_t pass, int64_t *rows) {
  snug_ctx *ctx = test_ctx();
  int64_t n = 0;
  bool seen[TOY_ROWS] = {false};
  snug__pipe *p = toy_open(ctx, t, workers, 2);
  ASSERT_OK(ctx, toy_pass(p, t, &(snug__pass){pass, 0}, BATCHES, rows, &n));
  ASSERT_EQ_INT(n, TOY_ROWS);
  for (int64_t i = 0; i < n; i++) {
    ASSERT_FALSE(seen[rows[i]]);
    seen[rows[i]] = true;
  }
  snug__pipe_close(p);
}

TEST(in_order) {
  toy t;
  int64_t rows[TOY_ROWS];
  toy_make_stream(&t);
  t.intake.shuffled = false;
  run(&t, 8, 0, rows);
  for (int64_t i = 0; i < TOY_ROWS; i++) {
    ASSERT_EQ_INT(rows[i], i);
  }
}

TEST(shuffled_in_a_window) {
  toy t;
  int64_t rows[TOY_ROWS], again[TOY_ROWS], other[TOY_ROWS];
  int64_t moved = 0;
  toy_make_stream(&t);
  t.source.window = 10 * SAMPLE;
  run(&t, 1, 0, rows);
  run(&t, -1, 0, again);
  run(&t, 8, 1, other);
  ASSERT_EQ_BYTES(rows, again, sizeof rows);
  ASSERT_TRUE(memcmp(rows, other, sizeof rows) != 0);
  for (int64_t i = 0; i < TOY_ROWS; i++) {
    ASSERT_TRUE(rows[i] < i + 10); /* nothing comes before it is in the window */
    moved += rows[i] != i;
  }
  ASSERT_TRUE(moved > TOY_ROWS / 2);
}

/* A window for all rows is a perfect shuffle, and holds no more than the rows. */
TEST(a_window_is_not_larger_than_the_data) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS];
  snug_data_report report = {0};
  toy_make_stream(&t);
  run(&t, 1, 0, rows);
  snug__pipe *p = toy_open(ctx, &t, 1, 1);
  snug__pipe_report(p, &report);
  ASSERT_TRUE(report.window >= TOY_ROWS * SAMPLE && report.window <= TOY_ROWS * SAMPLE + 128);
  snug__pipe_close(p);
}

TEST(of_unknown_length_it_begins_again) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[10 * TOY_BATCH], n = 0;
  toy_make_stream(&t);
  t.source.rows = t.intake.rows = SNUG_ROWS_UNKNOWN;
  t.length = 11;
  t.intake.shuffled = false;
  snug__pipe *p = toy_open(ctx, &t, 1, 2);
  ASSERT_OK(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, 5, rows, &n));
  ASSERT_OK(ctx, toy_pass(p, &t, &(snug__pass){1, 5}, 10, rows + n, &n)); /* goes on */
  for (int64_t i = 0; i < 10 * TOY_BATCH; i++) {
    ASSERT_EQ_INT(rows[i], i % 11);
  }
  snug__pipe_close(p);
}

TEST(an_end_that_comes_too_early_is_told) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  toy_make_stream(&t);
  t.source.rows = t.intake.rows = SNUG_ROWS_UNKNOWN;
  t.source.restart = NULL;
  t.length = 20;
  t.intake.shuffled = false;
  snug__pipe *p = toy_open(ctx, &t, 1, 2);
  ASSERT_STATUS(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, 5, rows, &n), SNUG_E_DATA,
                "toy: ended after 20 samples, and more are needed");
  ASSERT_EQ_INT(n, 16);
  snug__pipe_close(p);
}

/* What is in the window when the source ends is handed out first. */
TEST(a_window_is_emptied_at_the_end) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  bool seen[TOY_ROWS] = {false};
  toy_make_stream(&t);
  t.source.rows = t.intake.rows = SNUG_ROWS_UNKNOWN;
  t.source.restart = NULL;
  t.source.window = 15 * SAMPLE;
  t.length = 20;
  snug__pipe *p = toy_open(ctx, &t, 1, 2);
  ASSERT_STATUS(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, 5, rows, &n), SNUG_E_DATA,
                "toy: ended after 20 samples, and more are needed");
  ASSERT_EQ_INT(n, 16);
  for (int64_t i = 0; i < n; i++) {
    ASSERT_TRUE(rows[i] < 20 && !seen[rows[i]]);
    seen[rows[i]] = true;
  }
  snug__pipe_close(p);
}

TEST(what_can_be_read_once_is_not_read_twice) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  toy_make_stream(&t);
  t.source.restart = NULL;
  snug__pipe *p = toy_open(ctx, &t, 1, 2);
  ASSERT_OK(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, BATCHES, rows, &n));
  ASSERT_STATUS(ctx, toy_pass(p, &t, &(snug__pass){1, 0}, BATCHES, rows, &n), SNUG_E_DATA,
                "toy: can be read once");
  snug__pipe_close(p);
}

TEST(a_bad_row_ends_it) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  toy_make_stream(&t);
  t.intake.shuffled = false;
  t.n_bad = 1;
  t.bad[0] = 12;
  snug__pipe *p = toy_open(ctx, &t, 1, 3);
  ASSERT_STATUS(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, BATCHES, rows, &n), SNUG_E_FORMAT,
                "toy: row 12 is broken");
  ASSERT_EQ_INT(n, 8);
  snug__pipe_close(p);
}
