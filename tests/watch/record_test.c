/* What a watch writes into a recording. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/fault.h"

#include "watch/machine.h"

static snug_recorder *recorder(snug_ctx *ctx) {
  snug_recorder *r = NULL;
  ASSERT_OK(ctx, snug_recorder_open(ctx, test_path("run.snug"), true, &r));
  return r;
}

static snug_recording *recording(snug_ctx *ctx) {
  snug_recording *r = NULL;
  ASSERT_OK(ctx, snug_recording_open(ctx, test_path("run.snug"), &r));
  return r;
}

/* Samples, a maximum between two of them, and one that the end told. */
static void run(snug_ctx *ctx, snug_recorder *to) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.recorder = to;
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  machine_split(100, 10, 10, 6, 3, 1);
  snug_watch *w = machine_watch(ctx, &o);
  snug__watch_look_at(w, 0.0);
  machine_put(101, 100, "child", 2, 30);
  snug__watch_look_at(w, 0.025);
  machine_put(101, 100, "child", 2, 30);
  snug__watch_look_at(w, 0.05);
  for (int i = 2; i < 100; i++) {
    snug__watch_look_at(w, 0.05 * i);
  }
  ASSERT_EQ_INT(w->tape.failed, SNUG_OK);
  snug_watch_destroy(w);
}

TEST(samples_maxima_and_who_was_there) {
  snug_ctx *ctx = test_ctx();
  snug_recorder *to = recorder(ctx);
  double seconds;
  run(ctx, to);
  ASSERT_OK(ctx, snug_recorder_close(to));
  snug_recording *r = recording(ctx);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_TRUE(snug_recording_moments(r) >= 100);
  const snug_moment *first = snug_recording_moment(r, 0);
  ASSERT_EQ_UINT(first->resident, 10 * MIB);
  ASSERT_EQ_UINT(first->anonymous, 6 * MIB);
  ASSERT_EQ_INT(first->processes, 1);
  const snug_moment *peak = snug_recording_moment(r, 1);
  ASSERT_EQ_TEXT(peak->at, "peak");
  ASSERT_EQ_UINT(peak->peak, 40 * MIB);
  ASSERT_EQ_UINT(peak->resident, 40 * MIB);
  const snug_moment *after = snug_recording_moment(r, 2);
  ASSERT_EQ_UINT(after->resident, 12 * MIB);
  ASSERT_EQ_UINT(after->peak, 40 * MIB);
  ASSERT_EQ_INT(after->processes, 2);
  ASSERT_EQ_UINT(snug_recording_pieces(r, &seconds), 2);
  ASSERT_NEAR(seconds, 0.025, 1e-5);
  ASSERT_EQ_TEXT(snug_recording_piece(r, 0)->layer, "child");
  ASSERT_EQ_TEXT(snug_recording_piece(r, 0)->op, "101");
  ASSERT_EQ_TEXT(snug_recording_piece(r, 0)->what, "process");
  snug_recording_destroy(r);
}

TEST(one_that_was_killed_is_readable) {
  snug_ctx *ctx = test_ctx();
  snug_recorder *to = recorder(ctx);
  run(ctx, to);
  snug_recording *r = recording(ctx); /* while nobody has closed it */
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CUT);
  ASSERT_TRUE(snug_recording_moments(r) >= 100);
  snug_recording_destroy(r);
  ASSERT_OK(ctx, snug_recorder_close(to));
}

TEST(a_disk_that_is_full_is_told_and_the_watch_goes_on) {
  snug_ctx *ctx = test_ctx();
  snug_recorder *to = recorder(ctx);
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  struct rlimit before;
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.recorder = to;
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(ctx, &o);
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < 100; i++) {
    machine_put(100, 1, "top", 10 + i, 10 + i);
    ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max}), 0);
    snug__watch_look_at(w, 0.05 * i);
    ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  snug_watch_report_get(w, &r);
  ASSERT_EQ_INT(r.recorded, SNUG_E_IO);
  ASSERT_EQ_UINT(r.peak, 109 * MIB);
  snug_watch_destroy(w);
  ASSERT_OK(ctx, snug_recorder_close(to));
  snug_recording *back = recording(ctx);
  ASSERT_TRUE(snug_recording_moments(back) > 5);
  snug_recording_destroy(back);
}

/* ---- memory ---- */

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  snug_watch *w = NULL;
  o.process = 100;
  SNUG_TRY(snug_recorder_open(ctx, test_path("fault.snug"), true, &o.recorder));
  snug_status s = snug__watch_create_at(ctx, arg, &o, 0.0, &w);
  if (!s) {
    snug__watch_look_at(w, 0.0);
    s = w->tape.failed;
  }
  snug_watch_destroy(w);
  snug_status closed = snug_recorder_close(o.recorder);
  return s ? s : closed;
}

TEST(every_allocation_may_fail) {
  char root[512];
  snprintf(root, sizeof root, "%s", machine_begin());
  machine_put(100, 1, "a", 7, 7);
  test_fault_sweep(scenario, root);
}
