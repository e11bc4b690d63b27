#include "base/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/statfs.h>

#define TMPFS 0x01021994L /* as linux/magic.h has them */
#define RAMFS 0x858458f6L

const char *snug__memory_file_system(int fd) {
  struct statfs fs;
  if (fstatfs(fd, &fs) != 0) {
    return NULL;
  }
  return (long)fs.f_type == TMPFS ? "tmpfs" : (long)fs.f_type == RAMFS ? "ramfs" : NULL;
}

/* What cannot succeed is not tried: it would fill the disk first, for everybody, or raise a signal.
 */
static int check_room(int fd, int64_t bytes) {
  struct rlimit limit;
  struct statfs fs;
  int64_t room = INT64_MAX;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && (uint64_t)bytes > (uint64_t)limit.rlim_cur) {
    return EFBIG;
  }
  bool is_told = fstatfs(fd, &fs) == 0 && fs.f_blocks > 0 &&
                 !__builtin_mul_overflow((int64_t)fs.f_bavail, (int64_t)fs.f_bsize, &room);
  return is_told && bytes > room ? ENOSPC : 0; /* where nobody can tell, reserving does */
}

int snug__reserve_room(int fd, int64_t bytes) {
  int code = check_room(fd, bytes);
  if (code || bytes == 0 || snug__memory_file_system(fd)) {
    return code;
  }
  do {
    code = posix_fallocate(fd, 0, bytes);
  } while (code == EINTR);
  return code;
}
