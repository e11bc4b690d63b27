#include "base/quota.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define TEXT_BYTES 4096
#define MOST_CORES (1 << 20)

/* The beginning of a small file as text; false if it cannot be read. */
static bool read_text(const char *path, char *text, size_t bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, bytes - 1);
  if (fd >= 0) {
    close(fd);
  }
  text[n < 0 ? 0 : n] = '\0';
  return n > 0;
}

static bool read_group(const char *group, const char *name, char *text, size_t bytes) {
  char path[2 * PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", group, name);
  return read_text(path, text, bytes);
}

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
  if (!read_group(group, unified ? "cpu.max" : "cpu.cfs_quota_us", quota, sizeof quota)) {
    return 0;
  }
  long long most = strtoll(quota, &end, 10);
  if (unified) {
    return cores_of(end == quota ? 0 : most, strtoll(end, NULL, 10));
  }
  return read_group(group, "cpu.cfs_period_us", period, sizeof period)
             ? cores_of(most, strtoll(period, NULL, 10))
             : 0;
}

/* From the group up to where groups are mounted; what is not visible here counts as none. */
static int32_t least_cores(char *group, size_t mount, bool unified) {
  int32_t least = 0;
  for (;;) {
    int32_t cores = group_cores(group, unified);
    least = cores && (!least || cores < least) ? cores : least;
    char *slash = strrchr(group, '/');
    if (!slash || (size_t)(slash - group) < mount) {
      return least;
    }
    *slash = '\0';
  }
}

/* Whether a comma-separated list has the word "cpu". */
static bool names_cpu(const char *list, size_t n) {
  for (size_t i = 0; i + 3 <= n; i++) {
    bool begins = i == 0 || list[i - 1] == ',';
    bool ends = i + 3 == n || list[i + 3] == ',';
    if (begins && ends && memcmp(list + i, "cpu", 3) == 0) {
      return true;
    }
  }
  return false;
}

/* A line "number:controllers:path"; the unified groups have no controllers there. */
static int32_t line_cores(const char *root, const char *line, size_t n) {
  char group[PATH_BYTES];
  const char *list = memchr(line, ':', n);
  const char *path = list ? memchr(list + 1, ':', n - (size_t)(list + 1 - line)) : NULL;
  if (!path) {
    return 0;
  }
  bool unified = path == list + 1;
  if (!unified && !names_cpu(list + 1, (size_t)(path - list - 1))) {
    return 0;
  }
  int mount = snprintf(group, sizeof group, "%s/sys/fs/cgroup%s", root, unified ? "" : "/cpu");
  if (mount < 0 || (size_t)mount + n >= sizeof group) {
    return 0;
  }
  size_t length = n - (size_t)(path + 1 - line);
  length = length == 1 ? 0 : length; /* "/" is the mount itself */
  memcpy(group + mount, path + 1, length);
  group[(size_t)mount + length] = '\0';
  return least_cores(group, (size_t)mount, unified);
}

int32_t snug__quota_cores(const char *root) {
  char path[PATH_BYTES];
  char text[TEXT_BYTES];
  int32_t least = 0;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  if (!read_text(path, text, sizeof text)) {
    return 0;
  }
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n");
    int32_t cores = line_cores(root, line, n);
    least = cores && (!least || cores < least) ? cores : least;
    line += n + (line[n] == '\n');
  }
  return least;
}
