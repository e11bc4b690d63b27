#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/left_over.h"
#include "snug/tools/log.h"

static snug_status fail_io(const snug_log_file *f, const char *what) {
  char reason[128];
  int code = errno;
  return snug__fail(f->ctx, SNUG_E_IO, "%.300s: %s: %s", f->path, what,
                    strerror_r(code, reason, sizeof reason));
}

/* Whether it was there is known for sure: a file that is there is never taken for a new one. */
static int open_path(snug_log_file *f) {
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC;
  int fd = open(f->path, flags);
  if (fd >= 0 || errno != ENOENT) {
    return fd;
  }
  fd = open(f->path, flags | O_CREAT | O_EXCL, 0666);
  f->is_new = fd >= 0;
  return fd >= 0 || errno != EEXIST ? fd : open(f->path, flags | O_CREAT, 0666);
}

static snug_status look_and_lock(snug_log_file *f) {
  struct stat file;
  if (fstat(f->fd, &file) != 0) {
    return fail_io(f, "cannot be read");
  }
  f->is_regular = S_ISREG(file.st_mode);
  f->length = f->is_regular ? file.st_size : 0;
  return f->is_regular ? snug__lock(f->ctx, f->fd, f->path) : SNUG_OK;
}

snug_status snug_log_file_open(snug_log_file *f, snug_ctx *ctx, const char *path) {
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!f || !path || !path[0]) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "a log: it needs a path");
  }
  *f = (snug_log_file){.ctx = ctx, .path = path};
  f->fd = open_path(f);
  if (f->fd < 0) {
    return fail_io(f, "cannot be written");
  }
  f->is_open = true;
  snug_status s = look_and_lock(f);
  if (s) {
    close(f->fd);
    f->is_open = false;
  }
  return s;
}

snug_status snug_log_file_cut(snug_log_file *f, int64_t length) {
  if (f->is_regular && ftruncate(f->fd, length) != 0) {
    return fail_io(f, "cannot be cut");
  }
  f->length = length;
  f->is_torn = false;
  return SNUG_OK;
}

snug_status snug_log_file_write(snug_log_file *f, const void *bytes, size_t n) {
  if (f->is_torn && snug_log_file_cut(f, f->length)) {
    return fail_io(f, "writing failed before, within a line, which cannot be taken back");
  }
  if (snug__write_all(f->fd, bytes, n)) {
    f->length += (int64_t)n;
    return SNUG_OK;
  }
  snug_status s = fail_io(f, "writing failed");
  f->is_torn = f->is_regular && ftruncate(f->fd, f->length) != 0;
  return s;
}

snug_status snug_log_file_close(snug_log_file *f) {
  if (!f || !f->is_open) {
    return SNUG_OK;
  }
  f->is_open = false;
  if (f->is_new && f->is_regular && f->length == 0) {
    unlink(f->path);
  }
  return close(f->fd) != 0 ? fail_io(f, "writing failed") : SNUG_OK;
}
