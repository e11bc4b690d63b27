/* What control groups tell of a tree, both versions, on a made-up machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/machine.h"

static snug_watch_group group_of(const snug_watch *w) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(w, &r);
  return r.group;
}

static void put_v1(const char *path, const char *limit, const char *peak, const char *control) {
  static const char *const names[] = {"memory.usage_in_bytes", "memory.limit_in_bytes",
                                      "memory.max_usage_in_bytes", "memory.oom_control"};
  const char *texts[] = {"4096\n", limit, peak, control};
  for (int i = 0; i < 4; i++) {
    char name[512];
    snprintf(name, sizeof name, "sys/fs/cgroup/memory/%s%s", path, names[i]);
    test_machine_write(name, texts[i]);
  }
}

static void put_v2(const char *path, const char *limit, const char *peak, const char *events) {
  static const char *const names[] = {"memory.current", "memory.max", "memory.peak",
                                      "memory.events"};
  const char *texts[] = {"4096\n", limit, peak, events};
  for (int i = 0; i < 4; i++) {
    char name[512];
    snprintf(name, sizeof name, "sys/fs/cgroup/%s%s", path, names[i]);
    test_machine_write(name, texts[i]);
  }
}

static const char none_v1[] = "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n";

TEST(version_1) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/100/cgroup", "9:cpu:/\n4:memory:/box\n0::/\n");
  put_v1("box/", "1048576\n", "1000000\n", none_v1);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  snug_watch_group g = group_of(w);
  ASSERT_EQ_TEXT(g.path, "/sys/fs/cgroup/memory/box");
  ASSERT_EQ_UINT(g.limit, 1048576);
  ASSERT_EQ_UINT(g.peak, 1000000);
  ASSERT_FALSE(g.peak_is_new);
  ASSERT_EQ_UINT(g.kills, 0); /* the two were before */
  put_v1("box/", "1048576\n", "1048576\n", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  snug_watch_ended(w, 100, 0);
  g = group_of(w);
  ASSERT_TRUE(g.peak_is_new);
  ASSERT_EQ_UINT(g.peak, 1048576);
  ASSERT_EQ_UINT(g.kills, 1);
  snug_watch_destroy(w);
}

/* What has lost its memory is about to be shown in the root. */
TEST(who_is_ending_has_no_group) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/100/statm", "0 0 0 0 0 0 0\n");
  test_machine_write("proc/100/cgroup", "4:memory:/\n0::/\n");
  put_v1("", "9223372036854771712\n", "777777777\n", none_v1);
  put_v1("box/", "1048576\n", "1000000\n", none_v1);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_TEXT(group_of(w).path, "");
  ASSERT_EQ_UINT(group_of(w).peak, SNUG_WATCH_UNTOLD);
  machine_put(101, 100, "b", 5, 5); /* that it is in the root is told of who lives */
  test_machine_write("proc/101/cgroup", "4:memory:/\n0::/\n");
  snug__watch_look_at(w, 0.1);
  ASSERT_EQ_TEXT(group_of(w).path, "/sys/fs/cgroup/memory");
  snug_watch_destroy(w);
}

TEST(version_2_and_the_group_around_it) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/100/cgroup", "0::/pod/box\n");
  put_v2("pod/", "2097152\n", "2000000\n", "low 0\noom 1\noom_kill 1\n");
  put_v2("pod/box/", "max\n", "77\n", "low 0\noom 0\noom_kill 0\noom_group_kill 0\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  put_v2("pod/box/", "max\n", "78\n", "low 0\noom 0\noom_kill 4\noom_group_kill 0\n");
  put_v2("pod/", "2097152\n", "2097152\n", "low 0\noom 1\noom_kill 5\n");
  snug__watch_look_at(w, 1.0);
  snug_watch_group g = group_of(w);
  ASSERT_EQ_TEXT(g.path, "/sys/fs/cgroup/pod");
  ASSERT_EQ_UINT(g.limit, 2097152);
  ASSERT_EQ_UINT(g.peak, 2097152);
  ASSERT_EQ_UINT(g.kills, 4);
  snug_watch_destroy(w);
}

TEST(an_older_kernel_tells_no_peak) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/100/cgroup", "0::/\n");
  test_machine_write("sys/fs/cgroup/memory.current", "4096\n");
  test_machine_write("sys/fs/cgroup/memory.max", "8192\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  snug_watch_group g = group_of(w);
  ASSERT_EQ_UINT(g.limit, 8192);
  ASSERT_EQ_UINT(g.peak, SNUG_WATCH_UNTOLD);
  ASSERT_EQ_UINT(g.kills, SNUG_WATCH_UNTOLD);
  ASSERT_FALSE(g.peak_is_new);
  snug_watch_destroy(w);
}

TEST(a_process_that_is_put_into_another_group) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/100/cgroup", "4:memory:/\n");
  put_v1("", "9223372036854771712\n", "5\n", none_v1);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  ASSERT_EQ_UINT(group_of(w).limit, SNUG_WATCH_UNTOLD);
  put_v1("jail/", "65536\n", "5\n", none_v1);
  test_machine_write("proc/100/cgroup", "4:memory:/jail\n");
  snug__watch_look_at(w, 0.1);
  put_v1("jail/", "65536\n", "65536\n", "oom_kill 3\n");
  snug__watch_look_at(w, 1.0);
  ASSERT_EQ_TEXT(group_of(w).path, "/sys/fs/cgroup/memory/jail");
  ASSERT_EQ_UINT(group_of(w).kills, 1);
  snug_watch_destroy(w);
}

TEST(nonsense_in_the_files_is_not_told) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/100/cgroup", "4:memory\n::::\n\n4:memory:/../../..\n4:memory:/box\n");
  put_v1("box/", "many\n", "-5\n", "oom_kill x\n");
  test_machine_write("proc/vmstat", "oom_kill\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  snug_watch_group g = group_of(w);
  ASSERT_EQ_UINT(g.limit, SNUG_WATCH_UNTOLD);
  ASSERT_EQ_UINT(g.peak, SNUG_WATCH_UNTOLD);
  ASSERT_EQ_UINT(g.kills, SNUG_WATCH_UNTOLD);
  snug_watch_destroy(w);
}

TEST(without_groups_the_machine_counts) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  test_machine_write("proc/vmstat", "nr_free_pages 5\noom_kill 7\npgfault 9\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  test_machine_write("proc/vmstat", "nr_free_pages 5\noom_kill 8\npgfault 9\n");
  snug_watch_ended(w, 100, 0);
  snug_watch_report_get(w, &r);
  ASSERT_EQ_UINT(r.machine_kills, 1);
  ASSERT_EQ_TEXT(r.group.path, "");
  snug_watch_destroy(w);
}

TEST(a_machine_that_does_not_count_is_told) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug_watch_report_get(w, &r);
  ASSERT_EQ_UINT(r.machine_kills, SNUG_WATCH_UNTOLD);
  snug_watch_destroy(w);
}

/* One process or two of 60 MiB each under a limit, and what their pages are. */
static snug_watch_above above(int processes, const char *limit, int pss, int anonymous, int swap) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  char text[512];
  machine_begin();
  put_v1("box/", limit, "1000000\n", none_v1);
  test_machine_write("sys/fs/cgroup/memory/box/memory.stat",
                     "cache 1\nrss 2\ntotal_cache 7340032\ntotal_rss 3\n");
  for (int i = 0; i < processes; i++) {
    machine_put(100 + i, i ? 100 : 1, i ? "b" : "a", 60 - i, 60 - i);
    if (pss) {
      snprintf(text, sizeof text,
               "Rss: %d kB\nPss: %d kB\nPss_Anon: %d kB\nPss_File: %d kB\nSwapPss: %d kB\n",
               60 << 10, pss << 10, anonymous << 10, (pss - anonymous) << 10, swap << 10);
      char path[64];
      snprintf(path, sizeof path, "proc/%d/smaps_rollup", 100 + i);
      test_machine_write(path, text);
    }
  }
  test_machine_write("proc/100/cgroup", "4:memory:/box\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  snug_watch_report_get(w, &r);
  ASSERT_EQ_UINT(r.group.cache, 7 * MIB);
  ASSERT_EQ_UINT(r.above_bytes, r.above ? r.peak - r.group.limit : 0);
  snug_watch_destroy(w);
  return r.above;
}

TEST(why_a_peak_is_above_its_limit) {
  ASSERT_EQ_INT(above(1, "67108864\n", 60, 30, 0), SNUG_WATCH_NOT_ABOVE);
  ASSERT_EQ_INT(above(1, "41943040\n", 60, 30, 0), SNUG_WATCH_ABOVE_FILES);
  ASSERT_EQ_INT(above(1, "41943040\n", 60, 55, 10), SNUG_WATCH_ABOVE_SWAP);
  ASSERT_EQ_INT(above(1, "41943040\n", 60, 55, 0), SNUG_WATCH_ABOVE_OTHERS);
  ASSERT_EQ_INT(above(1, "41943040\n", 0, 0, 0), SNUG_WATCH_ABOVE_OTHERS);
  ASSERT_EQ_INT(above(2, "67108864\n", 0, 0, 0), SNUG_WATCH_ABOVE_SHARED);
}

TEST(more_groups_than_are_kept) {
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  for (int i = 0; i < 40; i++) {
    char name[64], text[64];
    snprintf(name, sizeof name, "g%d/", i);
    put_v1(name, "65536\n", "5\n", none_v1);
    machine_put(101 + i, 100, "b", 1, 1);
    snprintf(name, sizeof name, "proc/%d/cgroup", 101 + i);
    snprintf(text, sizeof text, "4:memory:/g%d\n", i);
    test_machine_write(name, text);
  }
  for (int i = 0; i < 8; i++) { /* a few at each look */
    snug__watch_look_at(w, 0.05 * i);
  }
  ASSERT_EQ_UINT(w->groups.n, SNUG__GROUPS_MOST);
  snug_watch_destroy(w);
}
