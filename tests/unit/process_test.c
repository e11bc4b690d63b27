/* The figures of this process. */
#include "base/process.h"

#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"
#include "lib/test.h"

#define MIB 1048576ull

TEST(figures_follow_what_is_touched) {
  snug__process before, mapped, touched, after;
  const size_t bytes = 64 * MIB;
  ASSERT_TRUE(snug__process_read("", &before));
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_TRUE(p != MAP_FAILED);
  ASSERT_TRUE(snug__process_read("", &mapped));
  memset(p, 1, bytes);
  ASSERT_TRUE(snug__process_read("", &touched));
  munmap(p, bytes);
  ASSERT_TRUE(snug__process_read("", &after));
  ASSERT_TRUE(mapped.mapped >= before.mapped + bytes);
  ASSERT_TRUE(mapped.resident < before.resident + MIB);
  ASSERT_TRUE(touched.anonymous >= mapped.anonymous + bytes - MIB);
  ASSERT_TRUE(touched.tables >= mapped.tables + bytes / 1024);
  ASSERT_TRUE(after.resident < touched.resident - bytes + MIB);
  ASSERT_TRUE(after.peak >= touched.resident - MIB);
  if (snug__process_reset_peak()) {
    ASSERT_TRUE(snug__process_read("", &after));
    ASSERT_TRUE(after.peak < touched.resident - bytes / 2);
  }
}

TEST(threads_and_their_stacks_are_there_at_once) {
  snug__process before, started, again;
  ASSERT_TRUE(snug__process_read("", &before));
  snug__workers_start(3);
  ASSERT_TRUE(snug__process_read("", &started));
  snug__workers_start(3);
  ASSERT_TRUE(snug__process_read("", &again));
#ifdef _OPENMP
  ASSERT_TRUE(started.threads >= 3);
#endif
  ASSERT_TRUE(again.resident <= started.resident + MIB / 4);
}

TEST(no_file_no_figures) {
  snug__process p;
  memset(&p, 1, sizeof p);
  ASSERT_FALSE(snug__process_read(test_path("nowhere"), &p));
  ASSERT_EQ_UINT(p.resident + p.peak + p.threads, 0);
}
