#include "base/process.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ctx.h"
#include "base/groups.h"

#define PATH_BYTES 4096
#define TEXT_BYTES 4096
#define STAT_BYTES 8192

/* The lines of /proc/self/status that are wanted. */
static const struct {
  const char *name;
  size_t offset;
  uint64_t unit;
} lines[] = {
    {"VmHWM:", offsetof(snug__process, peak), 1024},
    {"VmRSS:", offsetof(snug__process, resident), 1024},
    {"RssAnon:", offsetof(snug__process, anonymous), 1024},
    {"RssFile:", offsetof(snug__process, file), 1024},
    {"RssShmem:", offsetof(snug__process, shared), 1024},
    {"VmPTE:", offsetof(snug__process, tables), 1024},
    {"VmSize:", offsetof(snug__process, mapped), 1024},
    {"VmData:", offsetof(snug__process, data), 1024},
    {"Threads:", offsetof(snug__process, threads), 1},
};

static void take_line(const char *line, snug__process *out) {
  for (size_t i = 0; i < SNUG_COUNT(lines); i++) {
    size_t n = strlen(lines[i].name);
    if (strncmp(line, lines[i].name, n) == 0) {
      uint64_t value = strtoull(line + n, NULL, 10) * lines[i].unit;
      memcpy((char *)out + lines[i].offset, &value, sizeof value);
    }
  }
}

/* ---- what control groups tell ---- */

/* The kernel's memory of a group, page tables included; NO_NUMBER if it is not reported. */
static uint64_t kernel_of(const char *group, bool unified) {
  char stat[STAT_BYTES] = "";
  if (!unified) {
    return snug__group_number(group, "memory.kmem.usage_in_bytes", SNUG__NO_NUMBER);
  }
  snug__group_read(group, "memory.stat", stat, sizeof stat);
  return snug__number_of(stat, "kernel ", SNUG__NO_NUMBER);
}

static void look_at_group(void *arg, const char *group, bool unified) {
  snug__process *p = arg;
  uint64_t kernel =
      p->kernel || !snug__group_is_alone(group) ? SNUG__NO_NUMBER : kernel_of(group, unified);
  if (kernel < SNUG__NO_NUMBER && kernel > p->tables) {
    p->kernel = kernel - p->tables;
  }
}

bool snug__process_read(const char *root, snug__process *out) {
  char path[PATH_BYTES];
  char text[TEXT_BYTES];
  *out = (snug__process){0};
  snprintf(path, sizeof path, "%s/proc/self/status", root);
  if (!snug__read_start(path, text, sizeof text)) {
    return false;
  }
  for (const char *line = text; *line;) {
    take_line(line, out);
    size_t n = strcspn(line, "\n");
    line += n + (line[n] == '\n');
  }
  return true;
}

void snug__process_ask_groups(const char *root, snug__process *p) {
  p->kernel = 0;
  snug__groups_walk(root, "memory", look_at_group, p);
}

bool snug__process_reset_peak(void) {
  int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  bool ok = fd >= 0 && write(fd, "5", 1) == 1;
  if (fd >= 0) {
    close(fd);
  }
  return ok;
}
