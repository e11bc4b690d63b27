/* CPU quotas as files of a made-up machine tell them. */
#include "base/quota.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/test.h"

static char root[512];

static void write_file(const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
    *at = '\0';
    mkdir(path, 0777);
    *at = '/';
  }
  FILE *file = fopen(path, "w");
  ASSERT_NOT_NULL(file);
  fputs(text, file);
  fclose(file);
}

static void begin(const char *groups) {
  snprintf(root, sizeof root, "%s", test_path("machine"));
  mkdir(root, 0777);
  write_file("proc/self/cgroup", groups);
}

TEST(no_files_no_quota) {
  snprintf(root, sizeof root, "%s", test_path("nowhere"));
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
}

TEST(unified_groups) {
  begin("0::/\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
  write_file("sys/fs/cgroup/cpu.max", "max 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
  write_file("sys/fs/cgroup/cpu.max", "200000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 2);
  write_file("sys/fs/cgroup/cpu.max", "150000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 2);
  write_file("sys/fs/cgroup/cpu.max", "1000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 1);
  write_file("sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
  ASSERT_TRUE(snug__quota_cores(root) > 1024);
}

TEST(the_smallest_on_the_way_up_rules) {
  begin("0::/a.slice/b.scope\n");
  write_file("sys/fs/cgroup/a.slice/b.scope/cpu.max", "800000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 8);
  write_file("sys/fs/cgroup/a.slice/cpu.max", "300000 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 3);
  write_file("sys/fs/cgroup/cpu.max", "max 100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 3);
}

TEST(groups_of_version_1) {
  begin("5:memory:/m\n4:cpuset:/s\n3:cpu,cpuacct:/docker/x\n0::/\n");
  write_file("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "-1\n");
  write_file("sys/fs/cgroup/cpu/docker/x/cpu.cfs_period_us", "100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
  write_file("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "250000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 3);
}

TEST(a_group_that_is_not_visible_here) {
  begin("3:cpuacct,cpu:/docker/elsewhere\n");
  write_file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  write_file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 2);
}

TEST(damaged_files_are_no_quota) {
  begin("nonsense\n:\n::\n0::/x\n1:cpux:/\n");
  write_file("sys/fs/cgroup/x/cpu.max", "lots\n");
  write_file("sys/fs/cgroup/cpu.max", "100000\n");
  ASSERT_EQ_INT(snug__quota_cores(root), 0);
}
