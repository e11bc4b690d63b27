#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/size.h"
#include "base/thread.h"

#define PART ((size_t)1 << 20) /* that a thread reads at a time */
#define WINDOW \
  (SNUG__ON_THE_WAY_BYTES / 2) /* one is filled while the one before goes to the disk */

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

typedef struct parts {
  int fd;
  char *dst;
  size_t bytes;
  int64_t offset;
  _Atomic bool failed;
  _Atomic int code; /* errno of one that failed */
} parts;

static void read_part(void *arg, int64_t i) {
  parts *p = arg;
  size_t begin = (size_t)i * PART;
  size_t left = p->bytes - begin;
  if (!snug__read_at(p->fd, p->dst + begin, left < PART ? left : PART,
                     p->offset + (int64_t)begin)) {
    p->code = errno;
    p->failed = true;
  }
}

bool snug__read_at_threaded(int32_t threads, int fd, void *dst, size_t n, int64_t offset) {
  parts p = {.fd = fd, .dst = dst, .bytes = n, .offset = offset};
  snug__parallel_for(threads, (int64_t)((n + PART - 1) / PART), read_part, &p);
  errno = p.code;
  return !p.failed;
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

/* A window of the file is full: let it go to the disk, and wait until the one before is there. What
 * fails here is told when the file is synced. */
static void send_window(int fd, int64_t end) {
  unsigned wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  (void)sync_file_range(fd, end - WINDOW, WINDOW, SYNC_FILE_RANGE_WRITE);
  if (end > WINDOW) {
    (void)sync_file_range(fd, end - 2 * WINDOW, WINDOW, wait);
  }
}

bool snug__write_out_at(int fd, const void *src, size_t n, int64_t offset) {
  const uint8_t *at = src;
  while (n > 0) {
    int64_t left = WINDOW - offset % WINDOW;
    size_t some = (size_t)snug__min_i64(left, (int64_t)n);
    if (!snug__write_at(fd, at, some, offset)) {
      return false;
    }
    at += some;
    offset += (int64_t)some;
    n -= some;
    if (offset % WINDOW == 0) {
      send_window(fd, offset);
    }
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
