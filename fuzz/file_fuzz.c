/* Any bytes as a `.keras` file, or as the HDF5 file in one: everything in it is read, as far as it
 * can be. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "keras_files/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  char path[64];
  test_walk walk;
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  snug_ctx *ctx = fuzz_ctx();
  if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes) {
    fuzz_fail("no file");
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  bool good = data && bytes > 4 && memcmp(data + 1, "HDF", 3) == 0
                  ? test_walk_h5(ctx, path, fd, &walk)
                  : test_walk_archive(ctx, path, &walk);
  if (!good) {
    fuzz_fail(walk.message);
  }
  close(fd);
  fuzz_end(ctx);
  return 0;
}
