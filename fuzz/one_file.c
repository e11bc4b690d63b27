#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keras_files/walk.h"
#include "one.h"
#include "rules.h"

static void load(const char *path) {
  snug_ctx *ctx = fuzz_begin();
  snug_model *model = NULL;
  fuzz_check(ctx, snug_model_load(ctx, path, NULL, &model), path);
  snug_model_destroy(model);
  fuzz_end(ctx);
}

static void walk(const char *path, int fd) {
  snug_ctx *ctx = fuzz_begin();
  test_walk found;
  if (!(fd < 0 ? test_walk_archive(ctx, path, &found) : test_walk_h5(ctx, path, fd, &found))) {
    fuzz_fail(found.message);
  }
  fuzz_end(ctx);
}

void fuzz_one_file(const uint8_t *data, size_t bytes) {
  char path[64];
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes) {
    fuzz_fail("no file");
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (bytes > 4 && memcmp(data + 1, "HDF", 3) == 0) {
    walk(path, fd);
  } else {
    walk(path, -1);
    load(path);
  }
  close(fd);
}
