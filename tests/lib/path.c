/* A folder of its own for a test that writes files, made when first asked for. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/runner.h"

#define MAX_PATHS 16

static char folder[256];
static char paths[MAX_PATHS][512];
static int n_paths;

static void make_folder(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/snug-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) {
    test_fail(__FILE__, __LINE__, "no folder for files at %s: %s", folder, strerror(errno));
  }
}

const char *test_path(const char *name) {
  if (!folder[0]) {
    make_folder();
  }
  if (n_paths == MAX_PATHS) {
    test_fail(__FILE__, __LINE__, "more than %d paths in one test", MAX_PATHS);
  }
  char *path = paths[n_paths++];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)info;
  (void)kind;
  (void)at;
  return remove(path);
}

void test_path_forget(void) {
  if (folder[0]) {
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  }
  folder[0] = 0;
  n_paths = 0;
}
