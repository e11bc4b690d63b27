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
  snug_data_report report = SNUG_INIT(snug_data_report);
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

/* ---- the window and the line ---- */

#define MIB ((uint64_t)1 << 20)
#define WIDE_FLOATS (1 << 18) /* a sample of 1 MiB: few of them fill the window */
#define WIDE_ROWS 100
#define WIDE_BATCH 4

static snug_status read_wide(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                             char *why) {
  (void)user, (void)scratch, (void)pass, (void)why;
  for (int64_t i = 0; i < WIDE_FLOATS; i++) {
    ((float *)to[0])[i] = (float)row;
  }
  return SNUG_OK;
}

static snug_status restart_wide(void *user, void *scratch, uint64_t pass, char *why) {
  (void)user, (void)scratch, (void)pass, (void)why;
  return SNUG_OK;
}

/* The order of a pass over so many rows where buffers may take `share`, and what is told of it. */
static void draw_wide(uint64_t share, int64_t window, int64_t n, int64_t rows[WIDE_ROWS],
                      snug_data_report *report) {
  snug_ctx *ctx = test_ctx();
  snug__pipe *p = NULL;
  snug__ready ready;
  snug_source source = {.struct_size = sizeof source,
                        .rows = n,
                        .in_order = true,
                        .restart = restart_wide,
                        .read = read_wide,
                        .window = window,
                        .prefetch = 1};
  snug_array array = {NULL, SNUG_FLOAT32, 2, {n, WIDE_FLOATS}};
  snug__demand demand = {.what = "x[0] 'a'",
                         .feeds = snug__type_of(SNUG_FLOAT32, 2, (const int64_t[]){1, WIDE_FLOATS}),
                         .hint = ""};
  snug__intake intake = {.source = &source,
                         .arrays = &array,
                         .demands = &demand,
                         .n = 1,
                         .rows = n,
                         .batch = WIDE_BATCH,
                         .shuffled = true,
                         .seed = 5};
  const snug__intake *in = &intake;
  *report = (snug_data_report){.struct_size = sizeof(snug_data_report), .held = 0};
  ASSERT_OK(ctx, snug__pipe_open(ctx, &in, 1, share, &p));
  snug__pipe_report(p, report);
  snug__pipe_start(p, in, &(snug__pass){0, 0});
  for (int64_t i = 0; i < n; i += WIDE_BATCH) {
    ASSERT_OK(ctx, snug__pipe_take(p, &ready));
    memcpy(rows + i, ready.row, WIDE_BATCH * sizeof *rows);
    snug__pipe_give(p);
  }
  snug__pipe_close(p);
  test_ctx_end(ctx);
}

/* From the bound on, 64 MiB, and without a line the order is one; below it is one for all shares
 * down to the next half, and that it is another is told. */
TEST(the_order_follows_the_line_below_the_bound_alone) {
  int64_t first[WIDE_ROWS], cut[WIDE_ROWS], other[WIDE_ROWS];
  snug_data_report r = SNUG_INIT(snug_data_report);
  static const uint64_t above[] = {64 * MIB, 65 * MIB, 500 * MIB, UINT64_C(1) << 40};
  static const uint64_t below[] = {64 * MIB - 1, 50 * MIB, 32 * MIB};
  draw_wide(0, 0, WIDE_ROWS, first, &r);
  ASSERT_TRUE(!r.window_cut);
  ASSERT_EQ_INT(r.window_samples, 63); /* each has its number beside it */
  for (size_t i = 0; i < SNUG_COUNT(above); i++) {
    draw_wide(above[i], 0, WIDE_ROWS, other, &r);
    ASSERT_EQ_BYTES(other, first, sizeof first);
    ASSERT_TRUE(!r.window_cut);
  }
  draw_wide(below[0], 0, WIDE_ROWS, cut, &r);
  ASSERT_TRUE(memcmp(cut, first, sizeof first) != 0);
  for (size_t i = 0; i < SNUG_COUNT(below); i++) {
    draw_wide(below[i], 0, WIDE_ROWS, other, &r);
    ASSERT_EQ_BYTES(other, cut, sizeof cut);
    ASSERT_TRUE(r.window_cut);
    ASSERT_EQ_INT(r.window_samples, 31);
  }
}

/* A window that the caller gave is what it is, whatever the line. */
TEST(a_given_window_is_not_cut) {
  int64_t first[WIDE_ROWS], other[WIDE_ROWS];
  snug_data_report r = SNUG_INIT(snug_data_report);
  draw_wide(0, (int64_t)(20 * MIB), WIDE_ROWS, first, &r);
  ASSERT_EQ_INT(r.window_samples, 19);
  draw_wide(8 * MIB, (int64_t)(20 * MIB), WIDE_ROWS, other, &r);
  ASSERT_EQ_BYTES(other, first, sizeof first);
  ASSERT_TRUE(!r.window_cut);
}

/* Data that fit into the smaller window, too, have the order of data that can be read anywhere. */
TEST(a_cut_window_that_holds_all_data_changes_no_order) {
  int64_t first[WIDE_ROWS], other[WIDE_ROWS];
  const int64_t n = 28;
  snug_data_report r = SNUG_INIT(snug_data_report);
  draw_wide(0, 0, n, first, &r);
  draw_wide(40 * MIB, 0, n, other, &r);
  ASSERT_EQ_BYTES(other, first, (size_t)n * sizeof *first);
  ASSERT_TRUE(!r.window_cut);
  ASSERT_EQ_INT(r.window_samples, 0);
}
