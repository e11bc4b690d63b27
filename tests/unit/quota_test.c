/* CPU quotas as files of a made-up machine tell them. */
#include "base/quota.h"

#include "lib/machine.h"
#include "lib/test.h"

TEST(no_files_no_quota) { ASSERT_EQ_INT(snug__quota_cores(test_path("nowhere")), 0); }

TEST(unified_groups) {
  const char *root = test_machine("0::/\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
  test_machine_write("sys/fs/cgroup/cpu.max", "max 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
  test_machine_write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 2);
  test_machine_write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 2);
  test_machine_write("sys/fs/cgroup/cpu.max", "1000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 1);
  test_machine_write("sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
  ASSERT_TRUE(snug__quota_cores(root) > 1024);
}

TEST(the_smallest_on_the_way_up_rules) {
  const char *root = test_machine("0::/a.slice/b.scope\n");
  test_machine_write("sys/fs/cgroup/a.slice/b.scope/cpu.max", "800000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 8);
  test_machine_write("sys/fs/cgroup/a.slice/cpu.max", "300000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 3);
  test_machine_write("sys/fs/cgroup/cpu.max", "max 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 3);
}

TEST(groups_of_version_1) {
  const char *root = test_machine("5:memory:/m\n4:cpuset:/s\n3:cpu,cpuacct:/docker/x\n0::/\n");
  test_machine_write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "-1\n");
  test_machine_write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_period_us", "100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
  test_machine_write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "250000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 3);
}

TEST(a_group_that_is_not_visible_here) {
  const char *root = test_machine("3:cpuacct,cpu:/docker/elsewhere\n");
  test_machine_write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  test_machine_write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 2);
}

TEST(damaged_files_are_no_quota) {
  const char *root = test_machine("nonsense\n:\n::\n0::/x\n1:cpux:/\n");
  test_machine_write("sys/fs/cgroup/x/cpu.max", "lots\n");
  test_machine_write("sys/fs/cgroup/cpu.max", "100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
}
