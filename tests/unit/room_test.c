/* What may be held, as files of a made-up machine tell it. */
#include "base/room.h"

#include <stdio.h>

#include "lib/machine.h"
#include "lib/test.h"

#define MIB 1048576ull

static const char *const status_text =
    "Name:\tsnug\nVmSize:\t  307200 kB\nVmHWM:\t  51200 kB\nVmRSS:\t  40960 kB\n"
    "RssAnon:\t  30720 kB\nRssFile:\t  10240 kB\nRssShmem:\t  0 kB\nVmData:\t  102400 kB\n"
    "VmPTE:\t  0 kB\nThreads:\t2\n";

/* A process of 40 MiB, 30 of them anonymous, on a machine with 4096 MiB to spare. */
static const char *begin(const char *groups) {
  const char *root = test_machine(groups);
  test_machine_write("proc/self/status", status_text);
  test_machine_write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable:    4194304 kB\n");
  return root;
}

static void expect(const char *root, uint64_t mib, const char *who) {
  snug_available room = SNUG_INIT(snug_available);
  ASSERT_TRUE(snug__room_find(root, &room));
  ASSERT_HAS(room.who, who);
  ASSERT_EQ_UINT(room.bytes, mib * MIB);
}

TEST(a_machine_that_tells_nothing) {
  snug_available room = SNUG_INIT(snug_available);
  ASSERT_FALSE(snug__room_find(test_path("nowhere"), &room));
  const char *root = test_machine("0::/\n");
  test_machine_write("proc/meminfo", "MemTotal: 8 kB\nMemAvailable: lots\n");
  test_machine_write("sys/fs/cgroup/memory.max", "max\n");
  ASSERT_FALSE(snug__room_find(root, &room));
}

TEST(free_memory_and_what_is_held) {
  expect(begin("0::/\n"), 4096 + 40, "MemAvailable: 4.00 GiB, and 40.0 MiB held already");
}

TEST(a_unified_group) {
  const char *root = begin("0::/a.slice/b.scope\n");
  test_machine_write("sys/fs/cgroup/a.slice/b.scope/memory.max", "1073741824\n");
  expect(root, 1024, "/sys/fs/cgroup/a.slice/b.scope: 1.00 GiB");
  test_machine_write("sys/fs/cgroup/a.slice/memory.max", "536870912\n");
  expect(root, 512, "/sys/fs/cgroup/a.slice: 512 MiB");
  test_machine_write("sys/fs/cgroup/a.slice/b.scope/memory.high", "268435456\n");
  expect(root, 256, "b.scope: 256 MiB");
  test_machine_write("sys/fs/cgroup/a.slice/b.scope/memory.high", "max\n");
  expect(root, 512, "a.slice: 512 MiB");
}

TEST(a_group_of_version_1) {
  const char *root = begin("4:memory:/docker/x\n1:cpu:/\n0::/\n");
  test_machine_write("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "9223372036854771712");
  expect(root, 4096 + 40, "MemAvailable");
  test_machine_write("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "536870912\n");
  expect(root, 512, "/sys/fs/cgroup/memory/docker/x: 512 MiB");
  test_machine_write("sys/fs/cgroup/memory/memory.limit_in_bytes", "104857600\n");
  expect(root, 100, "/sys/fs/cgroup/memory: 100 MiB");
}

/* 200 MiB are in the group: 120 of them pages of files, 30 this process's, beside what the kernel
 * keeps for its two threads. */
TEST(what_others_hold_is_gone) {
  const char *root = begin("0::/g\n");
  test_machine_write("sys/fs/cgroup/g/memory.max", "536870912\n");
  test_machine_write("sys/fs/cgroup/g/memory.current", "209780736\n");
  test_machine_write("sys/fs/cgroup/g/memory.stat",
                     "anon 83886080\nfile 125829120\ninactive_anon 83886080\n"
                     "inactive_file 104857600\nactive_file 20971520\n");
  expect(root, 512 - 50, "g: 512 MiB, others hold 50.0 MiB");
  root = begin("4:memory:/g\n");
  test_machine_write("sys/fs/cgroup/memory/g/memory.limit_in_bytes", "536870912\n");
  test_machine_write("sys/fs/cgroup/memory/g/memory.usage_in_bytes", "209780736\n");
  test_machine_write("sys/fs/cgroup/memory/g/memory.stat",
                     "inactive_file 1\nactive_file 1\ntotal_inactive_file 104857600\n"
                     "total_active_file 20971520\n");
  expect(root, 512 - 50, "memory/g: 512 MiB, others hold 50.0 MiB");
}

/* What the kernel keeps for many threads is the process's own, and nobody else's. */
TEST(threads_of_its_own_are_no_others) {
  const char *root = begin("0::/g\n");
  test_machine_write("proc/self/status",
                     "VmRSS:\t40960 kB\nRssAnon:\t30720 kB\nRssFile:\t10240 kB\nThreads:\t40\n");
  test_machine_write("sys/fs/cgroup/g/memory.max", "536870912\n");
  test_machine_write("sys/fs/cgroup/g/memory.current", "32440320\n"); /* 30 MiB and 960 KiB */
  expect(root, 512, "g: 512 MiB");
}

/* Nobody else is in the group, whatever it is charged for; but files in memory stay when whoever
 * wrote them is gone. */
TEST(alone_in_a_group) {
  const char *root = begin("0::/g\n");
  test_machine_write("sys/fs/cgroup/g/memory.max", "536870912\n");
  test_machine_write("sys/fs/cgroup/g/memory.current", "83951616\n");
  test_machine_write("sys/fs/cgroup/g/cgroup.procs", "4711\n");
  test_machine_write("sys/fs/cgroup/g/memory.stat", "anon 31457280\nshmem 0\n");
  expect(root, 512, "g: 512 MiB");
  test_machine_write("sys/fs/cgroup/g/memory.stat", "anon 31457280\nshmem 41943040\n");
  expect(root, 512 - 40, "g: 512 MiB, others hold 40.0 MiB");
  test_machine_write("sys/fs/cgroup/g/cgroup.procs", "4711\n4712\n");
  expect(root, 512 - 50, "g: 512 MiB, others hold 50.0 MiB");
}

TEST(limits_of_addresses) {
  const char *root = begin("0::/\n");
  test_machine_write("proc/self/limits",
                     "Limit                     Soft Limit           Hard Limit           Units\n"
                     "Max data size             unlimited            unlimited            bytes\n"
                     "Max address space         1073741824           unlimited            bytes\n");
  expect(root, 1024 - 260, "RLIMIT_AS: 1.00 GiB, 260 MiB of it mapped and not resident");
  test_machine_write("proc/self/limits",
                     "Max data size             268435456            unlimited            bytes\n"
                     "Max address space         unlimited            unlimited            bytes\n");
  expect(root, 256 - 60, "RLIMIT_DATA: 256 MiB, 60.0 MiB of it mapped");
}

TEST(a_limit_below_what_is_there_leaves_nothing) {
  const char *root = begin("0::/\n");
  test_machine_write("sys/fs/cgroup/memory.max", "0\n");
  expect(root, 0, "cgroup");
}

TEST(this_machine) {
  snug_ctx *ctx = test_ctx();
  snug_available room = SNUG_INIT(snug_available);
  snug_memory_process process = SNUG_INIT(snug_memory_process);
  ASSERT_OK(ctx, snug_memory_available(ctx, &room));
  snug_memory_process_get(&process);
  ASSERT_TRUE(process.resident > MIB / 2 && process.peak >= process.resident);
  ASSERT_TRUE(room.bytes > 0);
  ASSERT_EQ_INT(snug_memory_available(ctx, NULL), SNUG_E_ARGUMENT);
}
