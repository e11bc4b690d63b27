#include "base/groups.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define TEXT_BYTES 4096

bool snug__read_start(const char *path, char *text, size_t bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, bytes - 1);
  if (fd >= 0) {
    close(fd);
  }
  text[n < 0 ? 0 : n] = '\0';
  return n > 0;
}

bool snug__group_read(const char *group, const char *name, char *text, size_t bytes) {
  char path[2 * PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", group, name);
  return snug__read_start(path, text, bytes);
}

/* The number at the start of a text. */
static uint64_t number_at(const char *text) {
  char *end = NULL;
  text += strspn(text, " \t");
  bool is_number = *text >= '0' && *text <= '9';
  unsigned long long value = is_number ? strtoull(text, &end, 10) : SNUG__NO_NUMBER;
  return value < SNUG__NO_NUMBER ? value : SNUG__NO_NUMBER;
}

uint64_t snug__number_of(const char *text, const char *name, uint64_t otherwise) {
  size_t n = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, n) == 0) {
      return number_at(line + n);
    }
  }
  return otherwise;
}

uint64_t snug__group_number(const char *group, const char *name, uint64_t otherwise) {
  char text[64];
  return snug__group_read(group, name, text, sizeof text) ? number_at(text) : otherwise;
}

bool snug__group_is_alone(const char *group) {
  char text[64];
  struct stat folder;
  if (stat(group, &folder) != 0 || folder.st_nlink > 2) {
    return false;
  }
  bool has_text = snug__group_read(group, "cgroup.procs", text, sizeof text);
  const char *end = has_text ? strchr(text, '\n') : NULL;
  return end && end > text && end[1] == '\0';
}

/* What a walk looks for. */
typedef struct search {
  const char *root, *controller;
  snug__group_visit *visit;
  void *arg;
} search;

static void visit_upwards(const search *s, char *group, size_t mount, bool unified) {
  for (;;) {
    s->visit(s->arg, group, unified);
    char *slash = strrchr(group, '/');
    if (!slash || (size_t)(slash - group) < mount) {
      return;
    }
    *slash = '\0';
  }
}

/* Whether a comma-separated list has a word. */
static bool has_word(const char *list, size_t n, const char *word) {
  size_t length = strlen(word);
  for (size_t i = 0; i + length <= n; i++) {
    bool begins = i == 0 || list[i - 1] == ',';
    bool ends = i + length == n || list[i + length] == ',';
    if (begins && ends && memcmp(list + i, word, length) == 0) {
      return true;
    }
  }
  return false;
}

/* A line "number:controllers:path"; the unified groups have no controllers there. */
static void walk_line(const search *s, const char *line, size_t n) {
  char group[PATH_BYTES];
  const char *list = memchr(line, ':', n);
  const char *path = list ? memchr(list + 1, ':', n - (size_t)(list + 1 - line)) : NULL;
  if (!path) {
    return;
  }
  bool unified = path == list + 1;
  if (!unified && !has_word(list + 1, (size_t)(path - list - 1), s->controller)) {
    return;
  }
  int mount = snprintf(group, sizeof group, "%s/sys/fs/cgroup%s%s", s->root, unified ? "" : "/",
                       unified ? "" : s->controller);
  if (mount < 0 || (size_t)mount + n >= sizeof group) {
    return;
  }
  size_t length = n - (size_t)(path + 1 - line);
  length = length == 1 ? 0 : length; /* "/" is the mount itself */
  memcpy(group + mount, path + 1, length);
  group[(size_t)mount + length] = '\0';
  visit_upwards(s, group, (size_t)mount, unified);
}

void snug__groups_walk(const char *root, const char *controller, snug__group_visit *visit,
                       void *arg) {
  snug__groups_walk_of(root, "self", controller, visit, arg);
}

void snug__groups_walk_of(const char *root, const char *process, const char *controller,
                          snug__group_visit *visit, void *arg) {
  const search s = {root, controller, visit, arg};
  char path[PATH_BYTES];
  char text[TEXT_BYTES];
  snprintf(path, sizeof path, "%s/proc/%s/cgroup", root, process);
  if (!snug__read_start(path, text, sizeof text)) {
    return;
  }
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n");
    walk_line(&s, line, n);
    line += n + (line[n] == '\n');
  }
}
