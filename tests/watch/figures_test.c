/* What /proc says of a process, also when it says nonsense. */
#include "watch/figures.h"

#include <stdio.h>
#include <string.h>

#include "lib/test.h"

TEST(a_process) {
  snug__figures f;
  ASSERT_TRUE(
      snug__figures_parse("Name:\tpython3\nState:\tS\nTgid:\t77\nPid:\t77\nPPid:\t5\n"
                          "VmPeak:\t 9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n",
                          &f));
  ASSERT_EQ_TEXT(f.name, "python3");
  ASSERT_EQ_INT(f.group, 77);
  ASSERT_EQ_INT(f.parent, 5);
  ASSERT_EQ_UINT(f.peak, 2048 << 10);
  ASSERT_EQ_UINT(f.resident, 1024 << 10);
}

TEST(one_that_has_ended_holds_nothing) {
  snug__figures f;
  ASSERT_TRUE(snug__figures_parse("Name:\tx\nState:\tZ (zombie)\nTgid:\t7\nPPid:\t1\n", &f));
  ASSERT_EQ_UINT(f.resident + f.peak, 0);
}

TEST(a_mark_is_never_below_what_is_resident) {
  snug__figures f;
  ASSERT_TRUE(snug__figures_parse("Tgid:\t7\nVmHWM:\t1 kB\nVmRSS:\t4 kB\n", &f));
  ASSERT_EQ_UINT(f.peak, 4096);
}

TEST(names_cannot_steer_a_terminal) {
  snug__figures f;
  ASSERT_TRUE(snug__figures_parse("Name:\t\033[2Jx\177\nTgid:\t7\n", &f));
  ASSERT_EQ_TEXT(f.name, "?[2Jx?");
  ASSERT_TRUE(
      snug__figures_parse("Name:\ta very long name that no kernel has\nTgid:\t7\nPPid:\t6\n", &f));
  ASSERT_EQ_INT(strlen(f.name), SNUG_WATCH_NAME - 1);
  ASSERT_EQ_INT(f.parent, 6);
}

TEST(nonsense) {
  static const char *const none[] = {"",
                                     "\n",
                                     "Name:",
                                     "Tgid:",
                                     "Tgid:\t-5\n",
                                     "Tgid:\t99999999999\n",
                                     "Tgid:\tx\n",
                                     "\n\n\nVmRSS: 5 kB"};
  snug__figures f;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    ASSERT_FALSE(snug__figures_parse(none[i], &f));
  }
  ASSERT_TRUE(snug__figures_parse("Tgid:\t7\nVmRSS:\t99999999999999999999999 kB\n", &f));
  ASSERT_EQ_UINT(f.resident, 0);
}

TEST(any_bytes_are_read_within_their_end) {
  char text[256];
  snug__figures f;
  snug__split s;
  for (int i = 0; i < 2000; i++) {
    size_t n = (size_t)test_random_between(0, sizeof text - 1);
    test_random_bytes(text, n);
    text[n] = '\0';
    (void)snug__figures_parse(text, &f);
    ASSERT_TRUE(memchr(f.name, '\0', sizeof f.name) != NULL);
    (void)snug__split_parse(text, &s);
  }
}

TEST(pages) {
  snug__split s;
  ASSERT_TRUE(
      snug__split_parse("400000-7ffe ---p 0 00:00 0 [rollup]\nRss: 100 kB\nPss: 60 kB\n"
                        "Pss_Dirty: 7 kB\nPss_Anon: 30 kB\nPss_File: 20 kB\nPss_Shmem: 10 kB\n"
                        "Swap: 9 kB\nSwapPss: 4 kB\n",
                        &s));
  ASSERT_EQ_UINT(s.resident, 100 << 10);
  ASSERT_EQ_UINT(s.pss, 60 << 10);
  ASSERT_EQ_UINT(s.anonymous, 30 << 10);
  ASSERT_EQ_UINT(s.file, 20 << 10);
  ASSERT_EQ_UINT(s.shared, 10 << 10);
  ASSERT_EQ_UINT(s.swap, 4 << 10);
  ASSERT_FALSE(snug__split_parse("Rss: 100 kB\n", &s));
}
