/* Rows on their way through a pipe: which, in which order, and what becomes of bad ones. */
#include "data/pipe.h"

#include <string.h>
#include <unistd.h>

#include "data/pipe_parts.h"
#include "lib/fault.h"
#include "pipe/toy.h"

#define BATCHES 7 /* of TOY_ROWS */

static const int32_t workers_tried[] = {-1, 0, 1, 2, 8}; /* 0: auto */

static void expect_each_once(const int64_t *rows, int64_t n) {
  bool seen[TOY_ROWS] = {false};
  ASSERT_EQ_INT(n, TOY_ROWS);
  for (int64_t i = 0; i < n; i++) {
    ASSERT_TRUE(rows[i] >= 0 && rows[i] < TOY_ROWS && !seen[rows[i]]);
    seen[rows[i]] = true;
  }
}

/* Two passes with so many workers. */
typedef struct passes {
  int64_t rows[2][TOY_ROWS];
} passes;

static void run_passes(toy *t, int32_t workers, int32_t prefetch, passes *out) {
  snug_ctx *ctx = test_ctx();
  snug__pipe *p = toy_open(ctx, t, workers, prefetch);
  for (uint64_t k = 0; k < 2; k++) {
    int64_t n = 0;
    ASSERT_OK(ctx, toy_pass(p, t, &(snug__pass){k, 0}, BATCHES, out->rows[k], &n));
    expect_each_once(out->rows[k], n);
  }
  snug__pipe_close(p);
  test_ctx_end(ctx);
}

TEST(the_order_does_not_depend_on_the_workers) {
  passes first, other;
  toy t;
  toy_make(&t);
  t.is_slow = true;
  run_passes(&t, -1, 1, &first);
  ASSERT_TRUE(memcmp(first.rows[0], first.rows[1], sizeof first.rows[0]) != 0);
  for (size_t i = 0; i < sizeof workers_tried / sizeof *workers_tried; i++) {
    for (int32_t prefetch = 0; prefetch <= 9; prefetch += 3) {
      run_passes(&t, workers_tried[i], prefetch, &other);
      ASSERT_EQ_BYTES(&first, &other, sizeof first);
    }
  }
}

TEST(without_shuffling_rows_come_in_their_order) {
  passes got;
  toy t;
  toy_make(&t);
  t.intake.shuffled = false;
  run_passes(&t, 8, 2, &got);
  for (int64_t i = 0; i < TOY_ROWS; i++) {
    ASSERT_EQ_INT(got.rows[0][i], i);
  }
}

TEST(a_part_of_the_rows) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  bool seen[TOY_ROWS] = {false};
  toy_make(&t);
  t.intake.first = 40;
  t.intake.rows = 13;
  snug__pipe *p = toy_open(ctx, &t, 2, 2);
  ASSERT_OK(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, 2, rows, &n));
  ASSERT_EQ_INT(n, 13);
  for (int64_t i = 0; i < n; i++) {
    ASSERT_TRUE(rows[i] >= 40 && !seen[rows[i]]);
    seen[rows[i]] = true;
  }
  snug__pipe_close(p);
}

static void expect_resumed(toy *t) {
  snug_ctx *ctx = test_ctx();
  int64_t whole[TOY_ROWS], rest[TOY_ROWS], n = 0;
  snug__pipe *p = toy_open(ctx, t, 2, 2);
  ASSERT_OK(ctx, toy_pass(p, t, &(snug__pass){3, 0}, BATCHES, whole, &n));
  for (int64_t from = 0; from < BATCHES; from++) {
    ASSERT_OK(ctx, toy_pass(p, t, &(snug__pass){3, from}, BATCHES, rest, &n));
    ASSERT_EQ_INT(n, TOY_ROWS - from * TOY_BATCH);
    ASSERT_EQ_BYTES(rest, whole + from * TOY_BATCH, (size_t)n * sizeof *rest);
  }
  snug__pipe_close(p);
}

TEST(a_pass_can_begin_anywhere) {
  toy t;
  toy_make(&t);
  expect_resumed(&t);
}

TEST(a_pass_over_a_stream_can_begin_anywhere) {
  toy t;
  toy_make_stream(&t);
  t.source.window = 10 * 24;
  expect_resumed(&t);
}

TEST(arrays_in_memory_are_not_read) {
  static const int32_t labels[TOY_ROWS];
  passes got;
  toy t;
  toy_make(&t);
  t.arrays[1].data = labels;
  run_passes(&t, 2, 2, &got);
}

TEST(intakes_take_turns) {
  snug_ctx *ctx = test_ctx();
  toy a, b;
  int64_t rows[TOY_ROWS], n = 0;
  snug__pipe *p = NULL;
  toy_make(&a);
  toy_make(&b);
  b.intake.rows = 11;
  b.intake.first = 5;
  const snug__intake *both[] = {&a.intake, &b.intake};
  ASSERT_OK(ctx, snug__pipe_open(ctx, both, 2, 0, &p));
  for (uint64_t k = 0; k < 3; k++) {
    ASSERT_OK(ctx, toy_pass(p, &a, &(snug__pass){k, 0}, 3, rows, &n));
    ASSERT_EQ_INT(n, 24);
    ASSERT_OK(ctx, toy_pass(p, &b, &(snug__pass){SNUG_NOT_TRAINING, 0}, 2, rows, &n));
    ASSERT_EQ_INT(n, 11);
  }
  snug__pipe_close(p);
}

/* ---- bad rows ---- */

/* The message, and how many rows came before it, whatever the workers. */
static void expect_failure(toy *t, snug_status code, const char *message) {
  int64_t before = -1;
  t->is_slow = true;
  for (size_t i = 0; i < sizeof workers_tried / sizeof *workers_tried; i++) {
    snug_ctx *ctx = test_ctx();
    int64_t rows[TOY_ROWS], n = 0;
    snug__pipe *p = toy_open(ctx, t, workers_tried[i], 3);
    ASSERT_STATUS(ctx, toy_pass(p, t, &(snug__pass){0, 0}, BATCHES, rows, &n), code, message);
    ASSERT_EQ_TEXT(snug_message(ctx), message);
    before = before < 0 ? n : before;
    ASSERT_EQ_INT(n, before);
    snug__pipe_close(p);
  }
}

TEST(the_first_bad_row_in_the_order_is_told) {
  toy t;
  toy_make(&t);
  t.intake.shuffled = false;
  t.n_bad = 3;
  t.bad[0] = 31;
  t.bad[1] = 29;
  t.bad[2] = 45;
  expect_failure(&t, SNUG_E_FORMAT, "toy: row 29 is broken");
}

TEST(nan_is_told_with_its_row) {
  toy t;
  toy_make(&t);
  t.nan_row = 17;
  expect_failure(&t, SNUG_E_DATA,
                 "toy: x[0] 'a': sample 17, element 1 is nan; remove or replace it");
}

TEST(a_label_out_of_range_is_told_with_its_row) {
  toy t;
  toy_make(&t);
  t.label_row = 18;
  expect_failure(&t, SNUG_E_DATA,
                 "toy: y[0] 'b': sample 18 has the label 9; the output has 7 classes, so labels "
                 "are 0 to 6");
}

TEST(bad_rows_can_be_skipped) {
  int64_t rows[TOY_ROWS], n = 0;
  toy t;
  toy_make(&t);
  t.source.skip_bad = true;
  t.intake.shuffled = false;
  t.n_bad = 3;
  t.bad[0] = 20;
  t.bad[1] = 21;
  t.bad[2] = TOY_ROWS - 1;
  for (size_t i = 0; i < sizeof workers_tried / sizeof *workers_tried; i++) {
    snug_ctx *ctx = test_ctx();
    snug_data_report report = SNUG_INIT(snug_data_report);
    snug__pipe *p = toy_open(ctx, &t, workers_tried[i], 3);
    ASSERT_OK(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, BATCHES, rows, &n));
    ASSERT_EQ_INT(rows[20], 22); /* the next good one */
    ASSERT_EQ_INT(rows[21], 22);
    ASSERT_EQ_INT(rows[TOY_ROWS - 1], 0);
    snug__pipe_report(p, &report);
    ASSERT_EQ_INT(report.skipped, 3);
    ASSERT_EQ_TEXT(report.first_skipped, "row 20 is broken");
    snug__pipe_close(p);
  }
}

TEST(if_all_rows_are_bad_it_fails) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  toy_make(&t);
  t.source.skip_bad = true;
  t.intake.rows = 2;
  t.intake.shuffled = false;
  t.n_bad = 2;
  t.bad[1] = 1;
  snug__pipe *p = toy_open(ctx, &t, 2, 2);
  ASSERT_STATUS(ctx, toy_pass(p, &t, &(snug__pass){0, 0}, 1, rows, &n), SNUG_E_DATA,
                "row 1 is broken");
  snug__pipe_close(p);
}

/* ---- memory ---- */

TEST(nothing_is_allocated_after_it_was_opened) {
  snug_ctx *ctx = test_ctx();
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  toy t;
  int64_t rows[TOY_ROWS], n = 0;
  toy_make(&t);
  snug_memory_get(ctx, &before);
  uint64_t held = before.current;
  snug__pipe *p = toy_open(ctx, &t, 4, 3);
  snug_memory_get(ctx, &before);
  for (uint64_t k = 0; k < 4; k++) {
    ASSERT_OK(ctx, toy_pass(p, &t, &(snug__pass){k, 0}, BATCHES, rows, &n));
  }
  snug_memory_get(ctx, &after);
  ASSERT_EQ_UINT(after.allocations, before.allocations);
  snug_data_report report = SNUG_INIT(snug_data_report);
  snug__pipe_report(p, &report);
  ASSERT_EQ_UINT(report.batches + report.window + report.workers, before.current - held);
  ASSERT_EQ_INT(report.n_workers, 4);
  ASSERT_EQ_INT(report.prefetch, 3);
  snug__pipe_close(p);
}

/* What is chosen for batches of 4 MiB and scratch of 1 MiB, and for small ones beside them. */
static snug_data_report chosen_in(uint64_t share) {
  snug_ctx *ctx = test_ctx_with(&(snug_options){.struct_size = sizeof(snug_options), .threads = 8});
  toy t, small;
  toy_make(&t);
  toy_make(&small);
  const snug__intake *in[] = {&small.intake, &t.intake};
  snug__pipe *p = NULL;
  snug_data_report report = SNUG_INIT(snug_data_report);
  t.arrays[0].shape[1] = 1 << 17;
  t.source.scratch = 1 << 20;
  ASSERT_OK(ctx, snug__pipe_open(ctx, in, 2, share, &p));
  snug__pipe_report(p, &report);
  snug__pipe_close(p);
  return report;
}

TEST(a_share_bounds_what_is_chosen) {
  static const int mib[] = {1, 5, 9, 14, 100, 0};
  static const int ahead[] = {1, 1, 2, 3, 4, 4};
  static const int workers[] = {1, 4, 8, 8, 8, 8};
  for (size_t i = 0; i < sizeof mib / sizeof *mib; i++) {
    snug_data_report report = chosen_in((uint64_t)mib[i] << 20);
    ASSERT_EQ_INT(report.prefetch, ahead[i]);
    ASSERT_EQ_INT(report.n_workers, workers[i]);
  }
}

/* Reading from the lowest page of a stack fails. */
TEST(stacks_are_guarded) {
  snug_ctx *ctx = test_ctx();
  toy t;
  int ends[2];
  toy_make(&t);
  snug__pipe *p = toy_open(ctx, &t, 2, 2);
  ASSERT_EQ_INT(pipe(ends), 0);
  for (int i = 0; i < 2 && sysconf(_SC_PAGESIZE) == SNUG__PIPE_GUARD; i++) {
    ASSERT_EQ_INT(write(ends[1], p->workers[i].stack + SNUG__PIPE_GUARD - 1, 1), -1);
    ASSERT_EQ_INT(write(ends[1], p->workers[i].stack + SNUG__PIPE_GUARD, 1), 1);
  }
  snug__pipe_close(p);
  close(ends[0]);
  close(ends[1]);
}

static snug_status open_and_read(snug_ctx *ctx, void *arg) {
  toy *t = arg;
  const snug__intake *in = &t->intake;
  snug__pipe *p = NULL;
  int64_t rows[TOY_ROWS], n = 0;
  snug_status s = snug__pipe_open(ctx, &in, 1, 0, &p);
  s = s ? s : toy_pass(p, t, &(snug__pass){0, 0}, BATCHES, rows, &n);
  snug__pipe_close(p);
  return s;
}

TEST(without_memory) {
  toy t;
  toy_make(&t);
  test_fault_sweep(open_and_read, &t);
}

/* Batches that are too large for any memory. */
TEST(sizes_that_overflow_are_refused) {
  snug_ctx *ctx = test_ctx();
  toy t;
  toy_make(&t);
  const snug__intake *in = &t.intake;
  snug__pipe *p = NULL;
  t.arrays[0].shape[1] = INT64_C(1) << 50;
  t.intake.batch = 1 << 20;
  ASSERT_STATUS(ctx, snug__pipe_open(ctx, &in, 1, 0, &p), SNUG_E_OVERFLOW, "more than can be held");
  ASSERT_NULL(p);
}
