#include "base/quota.h"

#include <stdlib.h>

#include "base/groups.h"

#define MOST_CORES (1 << 20)

/* "max 100000", "-1": no quota, 0. */
static int32_t cores_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) {
    return 0;
  }
  long long cores = quota / period + (quota % period != 0);
  return (int32_t)(cores < MOST_CORES ? cores : MOST_CORES);
}

static int32_t group_cores(const char *group, bool unified) {
  char quota[64];
  char period[64];
  char *end = quota;
  if (!snug__group_read(group, unified ? "cpu.max" : "cpu.cfs_quota_us", quota, sizeof quota)) {
    return 0;
  }
  long long most = strtoll(quota, &end, 10);
  if (unified) {
    return cores_of(end == quota ? 0 : most, strtoll(end, NULL, 10));
  }
  return snug__group_read(group, "cpu.cfs_period_us", period, sizeof period)
             ? cores_of(most, strtoll(period, NULL, 10))
             : 0;
}

static void keep_least(void *arg, const char *group, bool unified) {
  int32_t *least = arg;
  int32_t cores = group_cores(group, unified);
  *least = cores && (!*least || cores < *least) ? cores : *least;
}

int32_t snug__quota_cores(const char *root) {
  int32_t least = 0;
  snug__groups_walk(root, "cpu", keep_least, &least);
  return least;
}
