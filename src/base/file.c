#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TRIES 1000 /* names of temporary files that others left behind */
#define SHOWN 300       /* bytes of a path in a message: its end tells most */

static snug_status fail_io(snug__replace *r, const char *what) {
  char reason[128];
  int code = errno;
  size_t n = strlen(r->path);
  return snug__fail(r->ctx, SNUG_E_IO, "%s%s: %s: %s", n > SHOWN ? "…" : "",
                    n > SHOWN ? r->path + n - SHOWN : r->path, what,
                    strerror_r(code, reason, sizeof reason));
}

static bool is_direct(const snug__replace *r) { return strcmp(r->path, r->writing) == 0; }

/* The target, with a link followed; a link to nowhere is replaced itself. */
static snug_status set_path(snug__replace *r, const char *path) {
  _Static_assert(sizeof r->path >= 4096, "realpath writes up to PATH_MAX bytes");
  if (!realpath(path, r->path)) {
    if (strlen(path) >= sizeof r->path) {
      snprintf(r->path, sizeof r->path, "%s", path);
      errno = ENAMETOOLONG;
      return fail_io(r, "cannot be written");
    }
    snprintf(r->path, sizeof r->path, "%s", path);
  }
  return SNUG_OK;
}

/* The length of the folder part of the path, with its last slash; 0 if there is none. */
static int folder_length(const snug__replace *r) {
  const char *slash = strrchr(r->path, '/');
  return slash ? (int)(slash - r->path) + 1 : 0;
}

/* A short name of its own, since the name of the target may be as long as names can be. */
static int open_beside(snug__replace *r) {
  for (int i = 0; i < MOST_TRIES; i++) {
    int n = snprintf(r->writing, sizeof r->writing, "%.*s.snug-%ld-%d.tmp", folder_length(r),
                     r->path, (long)getpid(), i);
    if (n < 0 || (size_t)n >= sizeof r->writing) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int fd = open(r->writing, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) {
      return fd;
    }
  }
  return -1;
}

static int open_itself(snug__replace *r) {
  memcpy(r->writing, r->path, sizeof r->writing);
  return open(r->path, O_WRONLY | O_CLOEXEC);
}

snug_status snug__replace_begin(snug__replace *r, snug_ctx *ctx, const char *path) {
  struct stat target;
  *r = (snug__replace){.ctx = ctx, .fd = -1};
  SNUG_TRY(set_path(r, path));
  bool exists = stat(r->path, &target) == 0;
  r->fd = exists && !S_ISREG(target.st_mode) ? open_itself(r) : open_beside(r);
  if (r->fd < 0) {
    return fail_io(r, "cannot be written");
  }
  if (exists && !is_direct(r) && fchmod(r->fd, target.st_mode & 07777) != 0) {
    snug_status status = fail_io(r, "its permissions cannot be kept");
    snug__replace_abandon(r);
    return status;
  }
  return SNUG_OK;
}

snug_status snug__replace_write(snug__replace *r, const void *bytes, size_t n) {
  const char *at = bytes;
  while (n > 0) {
    ssize_t wrote = write(r->fd, at, n);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote <= 0) {
      return fail_io(r, "writing failed");
    }
    at += wrote;
    n -= (size_t)wrote;
  }
  return SNUG_OK;
}

/* A name is on the disk only when its folder is. */
static snug_status sync_folder(snug__replace *r) {
  int n = folder_length(r);
  char folder[SNUG__PATH_BYTES];
  snprintf(folder, sizeof folder, "%.*s", n ? n : 1, n ? r->path : ".");
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = fd >= 0 && fsync(fd) == 0;
  snug_status status = good ? SNUG_OK : fail_io(r, "its folder cannot be synced");
  if (fd >= 0) {
    close(fd);
  }
  return status;
}

static snug_status close_and_rename(snug__replace *r) {
  if (!is_direct(r) && fsync(r->fd) != 0) {
    return fail_io(r, "writing failed");
  }
  int fd = r->fd;
  r->fd = -1;
  if (close(fd) != 0) {
    return fail_io(r, "writing failed");
  }
  if (!is_direct(r) && rename(r->writing, r->path) != 0) {
    return fail_io(r, "cannot be replaced");
  }
  return SNUG_OK;
}

snug_status snug__replace_commit(snug__replace *r) {
  snug_status status = close_and_rename(r);
  if (status) {
    snug__replace_abandon(r);
    return status;
  }
  status = is_direct(r) ? SNUG_OK : sync_folder(r);
  r->writing[0] = 0;
  return status;
}

void snug__replace_abandon(snug__replace *r) {
  if (r->fd >= 0) {
    close(r->fd);
    r->fd = -1;
  }
  if (r->writing[0] && !is_direct(r)) {
    unlink(r->writing);
  }
  r->writing[0] = 0;
}

snug_status snug__make_folders(snug_ctx *ctx, const char *path) {
  char folder[SNUG__PATH_BYTES];
  char reason[128];
  for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
    size_t n = (size_t)(slash - path);
    if (n >= sizeof folder) {
      return snug__fail(ctx, SNUG_E_IO, "%.300s...: the path is too long", path);
    }
    memcpy(folder, path, n);
    folder[n] = 0;
    if (n > 0 && mkdir(folder, 0777) != 0 && errno != EEXIST) {
      return snug__fail(ctx, SNUG_E_IO, "%.300s: the folder cannot be made: %s", folder,
                        strerror_r(errno, reason, sizeof reason));
    }
  }
  return SNUG_OK;
}

int snug__open_nameless(const char *folder) {
  char name[SNUG__PATH_BYTES];
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return fd;
  }
  int n = snprintf(name, sizeof name, "%s/.snug-XXXXXX", folder);
  if (n < 0 || (size_t)n >= sizeof name) {
    errno = ENAMETOOLONG;
    return -1;
  }
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0) {
    unlink(name);
  }
  return fd;
}
