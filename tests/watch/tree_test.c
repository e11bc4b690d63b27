/* Who belongs to a tree, on a made-up machine. */
#include <stdio.h>
#include <string.h>

#include "watch/machine.h"

static uint32_t alive(const snug_watch *w) {
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  snug_watch_get(w, &now);
  return now.processes;
}

static uint64_t resident(const snug_watch *w) {
  snug_watch_now now = SNUG_INIT(snug_watch_now);
  snug_watch_get(w, &now);
  return now.resident;
}

TEST(those_who_are_there_at_the_start) {
  machine_begin();
  machine_put(90, 102, "grandchild", 4, 4); /* stands before its parents */
  machine_put(100, 1, "top", 10, 10);
  machine_put(102, 100, "child", 5, 5);
  machine_put(103, 1, "another", 50, 50);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(alive(w), 3);
  ASSERT_EQ_UINT(resident(w), 19 * MIB);
  snug_watch_destroy(w);
}

TEST(those_who_come_are_found_by_their_number) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  machine_put(110, 100, "child", 5, 5);
  machine_put(111, 110, "its child", 3, 3);
  machine_put(112, 1, "another", 9, 9);
  snug__watch_look_at(w, 0.025); /* between two samples */
  ASSERT_EQ_INT(alive(w), 3);
  ASSERT_EQ_UINT(resident(w), 18 * MIB);
  machine_end(110); /* its child stays, whoever adopts it */
  machine_put(111, 1, "its child", 3, 3);
  snug__watch_look_at(w, 0.05);
  ASSERT_EQ_INT(alive(w), 2);
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(w, &r);
  ASSERT_EQ_UINT(r.processes, 3);
  ASSERT_EQ_INT(r.most_processes, 3);
  ASSERT_EQ_INT(r.left, 2);
  snug_watch_destroy(w);
}

TEST(a_number_may_be_given_before_its_process_is_there) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  machine_last(120);
  snug__watch_look_at(w, 0.0);
  machine_put(115, 100, "late", 5, 5);
  snug__watch_look_at(w, 0.025);
  ASSERT_EQ_INT(alive(w), 2);
  snug_watch_destroy(w);
}

TEST(numbers_begin_anew) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  machine_last(32767);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  machine_put(40, 100, "child", 5, 5);
  machine_last(301);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(alive(w), 2);
  snug_watch_destroy(w);
}

TEST(where_the_last_number_is_not_told_all_are_listed) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  test_machine_write("proc/loadavg", "0.10 0.20 0.30 1/200 0\n"); /* as some sandboxes say */
  snug_watch *w = machine_watch(test_ctx(), NULL);
  machine_put(40, 100, "child", 5, 5);
  test_machine_write("proc/loadavg", "nothing");
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(alive(w), 2);
  snug_watch_destroy(w);
}

TEST(one_that_slipped_through_is_found_later) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  machine_last(200);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  machine_put(150, 100, "restored", 5, 5); /* a number that was chosen, not given */
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(alive(w), 1);
  snug__watch_look_at(w, 6.0);
  ASSERT_EQ_INT(alive(w), 2);
  snug_watch_destroy(w);
}

TEST(threads_are_not_processes) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  test_machine_write("proc/101/status",
                     "Name:\ttop\nTgid:\t100\nPid:\t101\nPPid:\t1\nVmRSS: 10240 kB\n");
  test_machine_write("proc/102/status",
                     "Name:\tx\nTgid:\t100\nPid:\t102\nPPid:\t100\nVmRSS: 9 kB\n");
  machine_last(102);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(alive(w), 1);
  snug_watch_destroy(w);
}

TEST(damaged_files_are_nobody) {
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  test_machine_write("proc/101/status", "");
  test_machine_write("proc/102/status", "PPid:\t100\n");
  test_machine_write("proc/103/status/x", "a folder");
  machine_last(103);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_INT(alive(w), 1);
  test_machine_write("proc/100/status", "what is this");
  test_machine_write("proc/100/statm", "or this");
  snug__watch_look_at(w, 0.05);
  ASSERT_EQ_INT(alive(w), 0);
  snug_watch_destroy(w);
}

TEST(a_tree_that_is_too_large_is_told) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  machine_begin();
  machine_put(100, 1, "top", 10, 10);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  for (int i = 0; i < SNUG__TREE_MOST + 9; i++) {
    machine_put(101 + i, 100, "many", 1, 1);
  }
  snug__watch_look_at(w, 0.0);
  snug_watch_report_get(w, &r);
  ASSERT_EQ_INT(alive(w), SNUG__TREE_MOST);
  ASSERT_EQ_UINT(r.untold, 10);
  ASSERT_EQ_INT(r.n_who, SNUG_WATCH_WHO);
  ASSERT_EQ_UINT(r.peak, (10 + SNUG__TREE_MOST - 1) * MIB);
  ASSERT_EQ_UINT(r.who[0].bytes, 10 * MIB);
  ASSERT_EQ_UINT(r.peak_others, (SNUG__TREE_MOST - SNUG_WATCH_WHO) * MIB);
  snug_watch_destroy(w);
}
