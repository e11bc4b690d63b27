#include "lib/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/test.h"

static char root[512];

void test_machine_write(const char *name, const char *text) {
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

const char *test_machine(const char *groups) {
  snprintf(root, sizeof root, "%s", test_path("machine"));
  mkdir(root, 0777);
  test_machine_write("proc/self/cgroup", groups);
  return root;
}
