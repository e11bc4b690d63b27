/* The most that a tree held, on a made-up machine. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fault.h"
#include "watch/machine.h"

static snug_watch_report report_of(const snug_watch *w) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(w, &r);
  return r;
}

TEST(of_one_process_it_is_the_mark) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  machine_put(100, 1, "top", 12, 70); /* up and down between two looks */
  snug__watch_look_at(w, 0.05);
  machine_put(100, 1, "top", 11, 70);
  snug__watch_look_at(w, 0.10);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_UINT(r.peak, 70 * MIB);
  ASSERT_EQ_UINT(r.peak_least, 70 * MIB);
  ASSERT_EQ_UINT(r.peak_most, 70 * MIB);
  ASSERT_NEAR(r.peak_at, 0.05, 1e-9);
  ASSERT_EQ_INT(r.n_who, 1);
  ASSERT_EQ_TEXT(r.who[0].name, "top");
  ASSERT_EQ_UINT(r.who[0].bytes, 70 * MIB);
  ASSERT_EQ_UINT(r.samples, 3);
  snug_watch_destroy(w);
}

TEST(what_was_reached_before_the_watch_does_not_count) {
  machine_begin();
  machine_put(100, 1, "top", 10, 500);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_UINT(report_of(w).peak, 10 * MIB);
  ASSERT_EQ_UINT(report_of(w).peak_most, 500 * MIB);
  machine_put(100, 1, "top", 10, 501);
  snug__watch_look_at(w, 0.05);
  ASSERT_EQ_UINT(report_of(w).peak, 501 * MIB);
  snug_watch_destroy(w);
}

TEST(a_child_that_held_much_for_a_moment) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  for (int i = 0; i < 5; i++) {
    machine_put(101 + i, 100, "child", 2, i == 3 ? 66 : 2);
  }
  snug__watch_look_at(w, 0.025); /* not a sample */
  for (int i = 0; i < 5; i++) {
    machine_end(101 + i);
  }
  snug__watch_look_at(w, 0.05);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_UINT(r.peak, (10 + 4 * 2 + 66) * MIB);
  ASSERT_EQ_UINT(r.peak_least, 66 * MIB);
  ASSERT_EQ_TEXT(r.who[0].name, "child");
  ASSERT_EQ_INT(r.who[0].process, 104);
  ASSERT_EQ_INT(r.peak_processes, 6);
  snug_watch_destroy(w);
}

TEST(marks_at_different_times_are_bounds_and_not_a_sum) {
  machine_begin();
  machine_put(100, 1, "a", 10, 10);
  machine_put(101, 100, "b", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  machine_put(100, 1, "a", 10, 100);
  snug__watch_look_at(w, 0.05);
  machine_put(100, 1, "a", 10, 100);
  snug__watch_look_at(w, 0.10);
  machine_put(101, 100, "b", 10, 80);
  snug__watch_look_at(w, 0.15);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_UINT(r.peak, 110 * MIB);
  ASSERT_EQ_UINT(r.peak_least, 100 * MIB);
  ASSERT_EQ_UINT(r.peak_most, 180 * MIB);
  snug_watch_destroy(w);
}

TEST(another_program_in_the_same_process_begins_anew) {
  machine_begin();
  machine_put(100, 1, "sh", 300, 300);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  machine_put(100, 1, "python3", 5, 40);
  snug__watch_look_at(w, 0.05);
  ASSERT_EQ_UINT(report_of(w).peak_least, 40 * MIB);
  snug_watch_destroy(w);
}

/* ---- programs that are over soon ---- */

/* A watch of this process's children, so that one of them can come and end. */
static snug_watch *watch_children(uint64_t maximum) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  snug_watch *w = NULL;
  o.maximum = maximum;
  const char *root = machine_begin();
  machine_put((int)getpid(), 1, "self", 5, 5);
  ASSERT_OK(test_ctx(), snug__watch_create_at(test_ctx(), root, &o, 0.0, &w));
  return w;
}

static void put_child(int resident, int peak) {
  machine_put((int)getpid() + 1, (int)getpid(), "ls", resident, peak);
}

TEST(the_first_moment_of_a_program_is_no_peak) {
  snug_watch *w = watch_children(0);
  put_child(1, 1); /* it has just begun */
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_UINT(report_of(w).peak, 1 * MIB);
  snug_watch_ended(w, getpid() + 1,
                   2 * MIB); /* no more than what this process has: it may be that */
  snug_watch_report r = report_of(w);
  ASSERT_EQ_UINT(r.peak, 0);
  ASSERT_EQ_UINT(r.peak_least, 1 * MIB);
  ASSERT_EQ_UINT(r.peak_most, 2 * MIB);
  ASSERT_EQ_INT(r.n_who, 0);
  snug_watch_destroy(w);
}

TEST(a_program_that_was_seen_to_run_has_one) {
  for (int i = 0; i < 2; i++) { /* its figures moved, or did not for long enough */
    snug_watch *w = watch_children(0);
    put_child(1, 1);
    snug__watch_look_at(w, 0.0);
    put_child(1 + i, 1 + i);
    snug__watch_look_at(w, i ? 0.025 : 0.2);
    snug_watch_ended(w, getpid() + 1, 3 * MIB);
    ASSERT_EQ_UINT(report_of(w).peak, (uint64_t)(1 + i) * MIB);
    snug_watch_destroy(w);
  }
}

TEST(what_passed_the_maximum_in_its_first_moment_is_told) {
  snug_watch *w = watch_children(MIB / 2);
  put_child(1, 1);
  snug__watch_look_at(w, 0.0);
  snug_watch_ended(w, getpid() + 1, 2 * MIB);
  ASSERT_EQ_UINT(report_of(w).peak, 1 * MIB);
  snug_watch_destroy(w);
}

/* ---- shared pages ---- */

TEST(copies_of_a_process_do_not_count_again) {
  machine_begin();
  machine_put(100, 1, "python3", 1000, 1000);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  for (int i = 1; i <= 8; i++) {
    machine_put(100 + i, 100, "python3", 1010, 1010);
  }
  snug__watch_look_at(w, 0.05);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_UINT(r.peak, 1080 * MIB);
  ASSERT_EQ_UINT(r.peak_most, 9080 * MIB);
  snug_watch_destroy(w);
}

TEST(copies_that_give_themselves_a_name_do_not_either) {
  machine_begin();
  machine_put(100, 1, "python3", 1000, 1000);
  test_machine_write("proc/100/exe", "the same file");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  char from[1024], to[1024];
  snprintf(from, sizeof from, "%s/proc/100/exe", w->tree.root);
  snprintf(to, sizeof to, "%s/proc/101/exe", w->tree.root);
  machine_put(101, 100, "worker", 1000, 1000); /* before it was seen, */
  ASSERT_EQ_INT(link(from, to), 0);
  snug__watch_look_at(w, 0.025);
  machine_put(101, 100, "worker 1", 1001, 1001); /* and while it is */
  snug__watch_look_at(w, 0.05);
  ASSERT_EQ_UINT(report_of(w).peak, 1001 * MIB);
  unlink(to);
  test_machine_write("proc/101/exe", "another one");
  machine_put(101, 100, "tool", 1002, 1002);
  snug__watch_look_at(w, 0.10);
  ASSERT_EQ_UINT(report_of(w).peak, 2002 * MIB);
  snug_watch_destroy(w);
}

TEST(what_has_ended_is_no_sample) {
  machine_begin();
  machine_put(100, 1, "a", 50, 50);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  for (int i = 0; i < 100; i++) {
    snug__watch_look_at(w, 0.05 * i);
  }
  machine_put(100, 1, "a", 0, 0); /* nobody has waited for it */
  snug__watch_look_at(w, 5.0);
  ASSERT_EQ_UINT(report_of(w).low, 50 * MIB);
  snug_watch_destroy(w);
}

TEST(pages_are_counted_when_there_is_a_new_maximum) {
  machine_begin();
  machine_put(100, 1, "a", 100, 100);
  machine_split(100, 100, 60, 50, 9, 1);
  machine_put(101, 100, "b", 100, 100);
  machine_split(101, 100, 60, 40, 12, 8);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  snug_watch_report r = report_of(w);
  ASSERT_TRUE(r.has_split);
  ASSERT_EQ_UINT(r.peak, 120 * MIB);
  ASSERT_EQ_UINT(r.peak_least, 120 * MIB);
  ASSERT_EQ_UINT(r.anonymous, 90 * MIB);
  ASSERT_EQ_UINT(r.file, 21 * MIB);
  ASSERT_EQ_UINT(r.shared, 9 * MIB);
  machine_split(101, 100, 90, 90, 0, 0); /* no maximum, no need */
  snug__watch_look_at(w, 0.05);
  ASSERT_EQ_UINT(report_of(w).peak, 120 * MIB);
  snug__watch_look_at(w, 2.0); /* but while pages are shared, now and then */
  ASSERT_EQ_UINT(report_of(w).peak, 150 * MIB);
  snug_watch_destroy(w);
}

TEST(reading_pages_keeps_to_its_share) {
  machine_begin();
  machine_put(100, 1, "a", 1, 1);
  machine_split(100, 1, 1, 1, 0, 0);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  w->splits.spent = 0.1; /* as if it had been that dear */
  machine_put(100, 1, "a", 2, 2);
  machine_split(100, 2, 2, 2, 0, 0);
  snug__watch_look_at(w, 1.0);
  ASSERT_EQ_UINT(report_of(w).anonymous, 1 * MIB);
  snug__watch_look_at(w, 16.1); /* half a percent of that, and what is free */
  ASSERT_EQ_UINT(report_of(w).anonymous, 2 * MIB);
  snug_watch_destroy(w);
}

TEST(looking_keeps_to_its_share) {
  machine_begin();
  machine_put(100, 1, "a", 1, 1);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  ASSERT_NEAR(snug__watch_look_at(w, 0.0), 0.025, 1e-6);
  ASSERT_NEAR(snug__watch_look_at(w, 0.01), 0.015, 1e-6); /* too early */
  w->credit = -0.008;
  double wait = snug__watch_look_at(w, 0.025);
  ASSERT_TRUE(wait > 0.9 && wait < 1.5);
  snug_watch_destroy(w);
}

TEST(pages_that_may_not_be_read_are_told) {
  if (geteuid() != 0) {
    test_skip("only root can become another user");
  }
  char path[1024];
  snprintf(path, sizeof path, "%s/proc/100/smaps_rollup", machine_begin());
  machine_put(100, 1, "sudo", 5, 5);
  machine_split(100, 5, 5, 5, 0, 0);
  ASSERT_EQ_INT(chmod(path, 0), 0);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  ASSERT_EQ_INT(seteuid(65534), 0);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(seteuid(0), 0);
  snug_watch_report r = report_of(w);
  if (r.has_split) {
    snug_watch_destroy(w);
    test_skip("another user may not enter the folder of this test");
  }
  ASSERT_EQ_UINT(r.unsplit, 1);
  ASSERT_EQ_UINT(r.peak, 5 * MIB);
  snug_watch_destroy(w);
}

/* ---- the maximum ---- */

static bool is_exceeded(const snug_watch *w) {
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  snug_watch_get(w, &now);
  return now.exceeded;
}

TEST(a_maximum_that_is_passed_for_a_moment_is_passed) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.maximum = 50 * MIB;
  machine_begin();
  machine_put(100, 1, "a", 50, 50);
  snug_watch *w = machine_watch(test_ctx(), &o);
  snug__watch_look_at(w, 0.0);
  ASSERT_FALSE(is_exceeded(w));
  machine_put(100, 1, "a", 5, 51);
  snug__watch_look_at(w, 0.05);
  ASSERT_TRUE(is_exceeded(w));
  snug_watch_destroy(w);
}

TEST(pages_that_are_shared_do_not_pass_a_maximum) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.maximum = 150 * MIB;
  machine_begin();
  machine_put(100, 1, "a", 100, 100);
  machine_split(100, 100, 50, 50, 0, 0);
  machine_put(101, 100, "b", 100, 100);
  machine_split(101, 100, 50, 50, 0, 0);
  snug_watch *w = machine_watch(test_ctx(), &o);
  w->splits.spent = 1.0; /* there is nothing left to read pages with, and still they are read */
  snug__watch_look_at(w, 0.0);
  ASSERT_FALSE(is_exceeded(w));
  machine_put(100, 1, "a", 160, 160);
  machine_split(100, 160, 110, 110, 0, 0);
  snug__watch_look_at(w, 1.0);
  ASSERT_TRUE(is_exceeded(w));
  snug_watch_destroy(w);
}

/* ---- bad calls ---- */

TEST(bad_options) {
  snug_ctx *ctx = test_ctx();
  snug_watch *w = NULL;
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.process = -1;
  ASSERT_STATUS(ctx, snug_watch_create(ctx, &o, &w), SNUG_E_ARGUMENT, "no process -1");
  o.process = INT32_MAX;
  ASSERT_STATUS(ctx, snug_watch_create(ctx, &o, &w), SNUG_E_ARGUMENT, "2147483647");
  o.process = 0;
  o.interval = -1.0;
  ASSERT_STATUS(ctx, snug_watch_create(ctx, &o, &w), SNUG_E_ARGUMENT, "interval is -1");
  o.interval = 1e9;
  ASSERT_STATUS(ctx, snug_watch_create(ctx, &o, &w), SNUG_E_ARGUMENT, "interval");
  ASSERT_STATUS(ctx, snug__watch_create_at(ctx, test_path("nowhere"), NULL, 0.0, &w),
                SNUG_E_UNSUPPORTED, "cannot be read");
  ASSERT_NULL(w);
  ASSERT_EQ_INT(snug_watch_create(NULL, NULL, &w), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_watch_create(ctx, NULL, NULL), SNUG_E_ARGUMENT);
}

TEST(nothing_asked_of_nothing) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  r.peak = r.samples = now.peak = 1;
  snug_watch_destroy(NULL);
  snug_watch_ended(NULL, 1, 1);
  snug_watch_report_get(NULL, &r);
  snug_watch_report_get(NULL, NULL);
  snug_watch_get(NULL, &now);
  snug_watch_get(NULL, NULL);
  ASSERT_EQ_UINT(r.peak + r.samples + now.peak, 0);
  ASSERT_EQ_UINT(snug_watch_signal(NULL, 0), 0);
  ASSERT_TRUE(snug_watch_look(NULL) == 0.0);
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  snug_watch *w = NULL;
  o.process = 100;
  snug_status s = snug__watch_create_at(ctx, arg, &o, 0.0, &w);
  if (!s) {
    snug__watch_look_at(w, 0.0);
    s = report_of(w).peak == 7 * MIB ? SNUG_OK : SNUG_E_INTERNAL;
  }
  snug_watch_destroy(w);
  return s;
}

TEST(every_allocation_may_fail) {
  char root[512];
  snprintf(root, sizeof root, "%s", machine_begin());
  machine_put(100, 1, "a", 7, 7);
  test_fault_sweep(scenario, root);
}

TEST(no_memory_is_taken_after_the_start) {
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  snug_ctx *ctx = test_ctx();
  machine_begin();
  machine_put(100, 1, "a", 7, 7);
  machine_split(100, 7, 7, 7, 0, 0);
  snug_watch *w = machine_watch(ctx, NULL);
  snug_memory_get(ctx, &before);
  for (int i = 0; i < 200; i++) {
    machine_put(101 + i, 100, "b", 7, 7);
    snug__watch_look_at(w, 0.5 * i);
  }
  snug_memory_get(ctx, &after);
  ASSERT_EQ_UINT(after.allocations, before.allocations);
  snug_watch_destroy(w);
}
