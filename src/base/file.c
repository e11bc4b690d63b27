#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/left_over.h"
#include "base/reserve.h"

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

const char *snug__folder_of(const char *path, char *out) {
  const char *slash = strrchr(path, '/');
  int n = slash == path ? 1 : slash ? (int)(slash - path) : 0;
  snprintf(out, SNUG__PATH_BYTES, "%.*s", n ? n : 1, n ? path : ".");
  return out;
}

/* The length of the folder part of the path, with its last slash; 0 if there is none. */
static int folder_length(const snug__replace *r) {
  const char *slash = strrchr(r->path, '/');
  return slash ? (int)(slash - r->path) + 1 : 0;
}

/* Whoever removes what killed processes left may have taken a file for such a one before it was
 * locked: then it has no name any more. */
static bool is_held(int fd) {
  struct stat file;
  flock(fd, LOCK_EX); /* where that is not possible, it is not possible for the others either */
  return fstat(fd, &file) == 0 && file.st_nlink > 0;
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
    int fd = open(r->writing, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 ? is_held(fd) : errno != EEXIST) {
      return fd;
    }
    if (fd >= 0) {
      close(fd);
    }
  }
  return -1;
}

static int open_itself(snug__replace *r) {
  memcpy(r->writing, r->path, sizeof r->writing);
  return open(r->path, O_WRONLY | O_CLOEXEC);
}

/* In a folder such as /tmp, a file of somebody else's cannot be replaced; nor can one that is a
 * mount of its own, as containers have them. */
static bool can_be_replaced(const snug__replace *r, const struct stat *target) {
  char folder[SNUG__PATH_BYTES];
  struct stat at, new;
  bool is_known = fstat(r->fd, &new) == 0 && stat(snug__folder_of(r->path, folder), &at) == 0;
  uid_t self = geteuid();
  bool is_kept = is_known && (at.st_mode & S_ISVTX) && self != 0 && self != target->st_uid &&
                 self != at.st_uid;
  bool is_mounted = is_known && new.st_dev != target->st_dev;
  errno = is_mounted ? EBUSY : EPERM;
  return !is_kept && !is_mounted;
}

static snug_status take_over(snug__replace *r, const struct stat *target) {
  if (!can_be_replaced(r, target)) {
    return fail_io(r, "cannot be replaced");
  }
  return fchmod(r->fd, target->st_mode & 07777) != 0 ? fail_io(r, "its permissions cannot be kept")
                                                     : SNUG_OK;
}

snug_status snug__replace_begin(snug__replace *r, snug_ctx *ctx, const char *path) {
  struct stat target;
  char folder[SNUG__PATH_BYTES];
  *r = (snug__replace){.ctx = ctx, .fd = -1};
  SNUG_TRY(set_path(r, path));
  bool exists = stat(r->path, &target) == 0;
  if (!exists && errno == ENAMETOOLONG) {
    return fail_io(r, "cannot be written");
  }
  bool is_file = !exists || S_ISREG(target.st_mode);
  if (is_file) {
    snug__remove_left_over(snug__folder_of(r->path, folder));
  }
  r->fd = is_file ? open_beside(r) : open_itself(r);
  if (r->fd < 0) {
    return fail_io(r, "cannot be written");
  }
  snug_status status = exists && is_file ? take_over(r, &target) : SNUG_OK;
  if (status) {
    snug__replace_abandon(r);
  }
  return status;
}

snug_status snug__replace_write(snug__replace *r, const void *bytes, size_t n) {
  bool is_written =
      is_direct(r) ? snug__write_all(r->fd, bytes, n) : snug__write_out_at(r->fd, bytes, n, r->at);
  r->at += is_written ? (int64_t)n : 0;
  return is_written ? SNUG_OK : fail_io(r, "writing failed");
}

void snug__replace_restart(snug__replace *r) {
  r->at = 0;
  r->is_cut = true;
}

/* ---- room ---- */

snug_status snug__replace_reserve(snug__replace *r, int64_t bytes) {
  char what[96];
  if (is_direct(r)) {
    return SNUG_OK;
  }
  r->is_cut = true;
  errno = snug__reserve_room(r->fd, bytes);
  snprintf(what, sizeof what, "there is no room for %lld bytes", (long long)bytes);
  return errno ? fail_io(r, what) : SNUG_OK;
}

snug_status snug__replace_rehearse(snug_ctx *ctx, const char *path, int64_t bytes) {
  snug__replace r;
  SNUG_TRY(snug__replace_begin(&r, ctx, path));
  snug_status s = snug__replace_reserve(&r, bytes);
  snug__replace_abandon(&r);
  return s;
}

/* ---- the end ---- */

/* A name is on the disk only when its folder is. */
static snug_status sync_folder(snug__replace *r) {
  char folder[SNUG__PATH_BYTES];
  int fd = open(snug__folder_of(r->path, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool good = fd >= 0 && fsync(fd) == 0;
  snug_status status = good ? SNUG_OK : fail_io(r, "its folder cannot be synced");
  if (fd >= 0) {
    close(fd);
  }
  return status;
}

/* A call that the file system has not. */
static bool is_lacking(int code) {
  return code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EMLINK || code == EINVAL;
}

/* In the place of nothing: a link is not made where a file is.  Not every file system has links, or
 * a renaming that replaces nothing; there a file that appears in this moment would be replaced. */
static bool put_new(const snug__replace *r) {
  struct stat target;
  if (link(r->writing, r->path) == 0) {
    unlink(r->writing);
    return true;
  }
  if (!is_lacking(errno)) {
    return false;
  }
  if (renameat2(AT_FDCWD, r->writing, AT_FDCWD, r->path, RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (!is_lacking(errno)) {
    return false;
  }
  if (lstat(r->path, &target) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(r->writing, r->path) == 0;
}

static bool put_in_place(const snug__replace *r) {
  return r->keeps_old ? put_new(r) : rename(r->writing, r->path) == 0;
}

/* The file is closed last: until then its lock keeps others from removing it.  What close could say
 * was said when it was synced. */
static snug_status sync_and_rename(snug__replace *r) {
  if (r->is_cut && ftruncate(r->fd, r->at) != 0) {
    return fail_io(r, "cannot be cut");
  }
  if (fsync(r->fd) != 0) {
    return fail_io(r, "writing failed");
  }
  return put_in_place(r) ? SNUG_OK : fail_io(r, "cannot be replaced");
}

static snug_status close_direct(snug__replace *r) {
  int fd = r->fd;
  r->fd = -1;
  return close(fd) != 0 ? fail_io(r, "writing failed") : SNUG_OK;
}

snug_status snug__replace_commit(snug__replace *r) {
  if (is_direct(r)) {
    return close_direct(r);
  }
  snug_status status = sync_and_rename(r);
  if (!status) {
    status = sync_folder(r);
    r->writing[0] = 0;
  }
  snug__replace_abandon(r);
  return status;
}

void snug__replace_abandon(snug__replace *r) {
  if (r->writing[0] && !is_direct(r)) {
    unlink(r->writing);
  }
  if (r->fd >= 0) {
    close(r->fd);
    r->fd = -1;
  }
  r->writing[0] = 0;
}

snug_status snug__replace_end(snug__replace *r, snug_status written) {
  if (written) {
    snug__replace_abandon(r);
    return written;
  }
  return snug__replace_commit(r);
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
