/* The figures of this process. */
#include "base/process.h"

#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"
#include "lib/machine.h"
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

/* ---- what control groups tell of the kernel's memory ---- */

/* A process with 100 KiB of page tables. */
static const char *machine(const char *groups) {
  const char *root = test_machine(groups);
  test_machine_write("proc/self/status", "VmRSS:\t  4096 kB\nVmPTE:\t  100 kB\nThreads:\t2\n");
  return root;
}

static uint64_t kernel_of(const char *root) {
  snug__process p;
  ASSERT_TRUE(snug__process_read(root, &p));
  ASSERT_EQ_UINT(p.tables, 100 * 1024);
  snug__process_ask_groups(root, &p);
  return p.kernel;
}

TEST(a_group_of_version_1_tells_what_the_kernel_keeps) {
  const char *root = machine("4:memory:/a/b\n0::/\n");
  ASSERT_EQ_UINT(kernel_of(root), 0);
  test_machine_write("sys/fs/cgroup/memory/a/b/memory.kmem.usage_in_bytes", "163840\n");
  ASSERT_EQ_UINT(kernel_of(root), 0); /* others may be in it */
  test_machine_write("sys/fs/cgroup/memory/a/b/cgroup.procs", "17\n18\n");
  ASSERT_EQ_UINT(kernel_of(root), 0);
  test_machine_write("sys/fs/cgroup/memory/a/b/cgroup.procs", "17\n");
  ASSERT_EQ_UINT(kernel_of(root), 163840 - 102400);
  test_machine_write("sys/fs/cgroup/memory/a/b/memory.kmem.usage_in_bytes",
                     "1000\n"); /* no sense */
  ASSERT_EQ_UINT(kernel_of(root), 0);
  test_machine_write("sys/fs/cgroup/memory/a/b/memory.kmem.usage_in_bytes", "lots\n");
  ASSERT_EQ_UINT(kernel_of(root), 0);
}

TEST(a_unified_group_tells_it_too) {
  const char *root = machine("0::/x.scope\n");
  test_machine_write("sys/fs/cgroup/x.scope/cgroup.procs", "1\n");
  test_machine_write("sys/fs/cgroup/x.scope/memory.stat", "anon 5\nfile 7\nkernel_stack 32768\n");
  ASSERT_EQ_UINT(kernel_of(root), 0); /* of older kernels, which do not add it up */
  test_machine_write("sys/fs/cgroup/x.scope/memory.stat", "anon 5\nkernel 204800\npagetables 9\n");
  ASSERT_EQ_UINT(kernel_of(root), 102400);
}

TEST(the_innermost_group_counts) {
  const char *root = machine("4:memory:/a/b\n");
  test_machine_write("sys/fs/cgroup/memory/a/b/cgroup.procs", "1\n");
  test_machine_write("sys/fs/cgroup/memory/a/b/memory.kmem.usage_in_bytes", "112400");
  test_machine_write("sys/fs/cgroup/memory/a/cgroup.procs", "1\n");
  test_machine_write("sys/fs/cgroup/memory/a/memory.kmem.usage_in_bytes", "999999");
  ASSERT_EQ_UINT(kernel_of(root), 10000);
}

TEST(no_file_no_figures) {
  snug__process p;
  memset(&p, 1, sizeof p);
  ASSERT_FALSE(snug__process_read(test_path("nowhere"), &p));
  ASSERT_EQ_UINT(p.resident + p.peak + p.threads, 0);
}
