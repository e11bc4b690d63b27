#include "base/bytes.h"

#include <errno.h>
#include <unistd.h>

bool snug__read_at(int fd, void *dst, size_t n, int64_t offset) {
  uint8_t *at = dst;
  while (n > 0) {
    ssize_t got = pread(fd, at, n, (off_t)offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      errno = got < 0 ? errno : 0;
      return false;
    }
    at += got;
    offset += got;
    n -= (size_t)got;
  }
  return true;
}

bool snug__write_at(int fd, const void *src, size_t n, int64_t offset) {
  const uint8_t *at = src;
  while (n > 0) {
    ssize_t put = pwrite(fd, at, n, (off_t)offset);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      errno = put < 0 ? errno : EIO;
      return false;
    }
    at += put;
    offset += put;
    n -= (size_t)put;
  }
  return true;
}

bool snug__write_all(int fd, const void *src, size_t n) {
  const uint8_t *at = src;
  while (n > 0) {
    ssize_t put = write(fd, at, n);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put <= 0) {
      errno = put < 0 ? errno : EIO;
      return false;
    }
    at += put;
    n -= (size_t)put;
  }
  return true;
}
