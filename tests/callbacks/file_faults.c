/* See file_faults.h.  As a library that is preloaded it takes its orders from the environment:
 *
 * FILE_FAULTS_FOLDER   the folder, an absolute path without links
 * FILE_FAULTS_AT       the number of the call that fails, from 1; 0: none
 * FILE_FAULTS_LATER    set: all later ones fail too
 * FILE_FAULTS_ERROR    the errno
 * FILE_FAULTS_REPORT   a file that gets a line at the end: calls made, and which of them failed */
#include "callbacks/file_faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  char folder[4096];
  size_t n;
  long at, seen;
  bool later;
  int error;
  const char *lacks;
  const char *report;
  char failed[32];
  bool is_on;
} f;

void file_faults_begin(const char *folder, long at, int error, bool later) {
  f.is_on = false;
  snprintf(f.folder, sizeof f.folder, "%s", folder);
  f.n = strlen(f.folder);
  f.at = at;
  f.seen = 0;
  f.later = later;
  f.error = error;
  f.failed[0] = '\0';
  f.lacks = NULL;
  f.is_on = true;
}

void file_faults_lack(const char *folder, const char *calls, int error) {
  file_faults_begin(folder, 0, error, false);
  f.lacks = calls;
}

long file_faults_end(const char **failed) {
  f.is_on = false;
  if (failed) {
    *failed = f.failed[0] ? f.failed : "-";
  }
  return f.seen;
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("FILE_FAULTS_FOLDER"), *at = getenv("FILE_FAULTS_AT");
  const char *error = getenv("FILE_FAULTS_ERROR");
  if (!folder || !at) {
    return;
  }
  f.report = getenv("FILE_FAULTS_REPORT");
  file_faults_begin(folder, strtol(at, NULL, 10), error ? (int)strtol(error, NULL, 10) : ENOSPC,
                    getenv("FILE_FAULTS_LATER") != NULL);
}

__attribute__((destructor)) static void end(void) {
  char line[128];
  if (!f.is_on || !f.report) {
    return;
  }
  f.is_on = false;
  int n = snprintf(line, sizeof line, "%ld %s\n", f.seen, f.failed[0] ? f.failed : "-");
  int fd = (int)syscall(SYS_openat, AT_FDCWD, f.report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd >= 0) {
    (void)!syscall(SYS_write, fd, line, (size_t)n);
    syscall(SYS_close, fd);
  }
}

/* ---- what counts ---- */

static bool is_inside(const char *path) {
  return strncmp(path, f.folder, f.n) == 0 && (path[f.n] == '/' || path[f.n] == '\0');
}

static bool is_ours(int folder, const char *path) {
  char whole[8192], link[64];
  if (!f.is_on || !path) {
    return false;
  }
  if (path[0] == '/') {
    return is_inside(path);
  }
  snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
  ssize_t n = readlink(link, whole, 4096);
  if (n <= 0) {
    return false;
  }
  snprintf(whole + n, sizeof whole - (size_t)n, "/%s", path);
  return is_inside(whole);
}

static bool is_our_file(int fd) {
  char link[64], path[4096];
  int kept = errno;
  if (!f.is_on) {
    return false;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  errno = kept;
  path[n > 0 ? n : 0] = '\0';
  return n > 0 && is_inside(path);
}

/* Count a call; true if it is to fail. */
static bool fails(const char *call) {
  long now = __atomic_add_fetch(&f.seen, 1, __ATOMIC_SEQ_CST);
  bool is_due = f.at && (now == f.at || (f.later && now > f.at));
  is_due = is_due || (f.lacks && strstr(f.lacks, call));
  if (!is_due) {
    return false;
  }
  if (!f.failed[0]) {
    snprintf(f.failed, sizeof f.failed, "%s", call);
  }
  errno = f.error;
  return true;
}

#pragma GCC visibility push(default) /* these stand before those of the C library */

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* ---- the calls ---- */

static bool opens_to_write(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_DIRECTORY));
}

static mode_t mode_of(int flags, va_list args) {
  return (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                                           \
  int name(const char *path, int flags, ...) {                               \
    va_list args;                                                            \
    va_start(args, flags);                                                   \
    mode_t mode = mode_of(flags, args);                                      \
    va_end(args);                                                            \
    if (is_ours(AT_FDCWD, path) && opens_to_write(flags) && fails("open")) { \
      return -1;                                                             \
    }                                                                        \
    return REAL(int, name, const char *, int, ...)(path, flags, mode);       \
  }

#define OPENAT(name)                                                                \
  int name(int folder, const char *path, int flags, ...) {                          \
    va_list args;                                                                   \
    va_start(args, flags);                                                          \
    mode_t mode = mode_of(flags, args);                                             \
    va_end(args);                                                                   \
    if (is_ours(folder, path) && opens_to_write(flags) && fails("open")) {          \
      return -1;                                                                    \
    }                                                                               \
    return REAL(int, name, int, const char *, int, ...)(folder, path, flags, mode); \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* Half of it is written first, as on a disk that becomes full. */
ssize_t write(int fd, const void *bytes, size_t n) {
  ssize_t (*real)(int, const void *, size_t) = REAL(ssize_t, write, int, const void *, size_t);
  if (!is_our_file(fd) || !fails("write")) {
    return real(fd, bytes, n);
  }
  if (n > 1 && f.error == ENOSPC) {
    (void)!real(fd, bytes, n / 2);
    errno = f.error;
  }
  return -1;
}

#define PWRITE(name)                                            \
  ssize_t name(int fd, const void *bytes, size_t n, off_t at) { \
    ssize_t (*real)(int, const void *, size_t, off_t) =         \
        REAL(ssize_t, name, int, const void *, size_t, off_t);  \
    if (!is_our_file(fd) || !fails("pwrite")) {                 \
      return real(fd, bytes, n, at);                            \
    }                                                           \
    if (n > 1 && f.error == ENOSPC) {                           \
      (void)!real(fd, bytes, n / 2, at);                        \
      errno = f.error;                                          \
    }                                                           \
    return -1;                                                  \
  }

PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t read(int fd, void *to, size_t n) {
  return is_our_file(fd) && fails("read") ? -1
                                          : REAL(ssize_t, read, int, void *, size_t)(fd, to, n);
}

#define PREAD(name)                                                              \
  ssize_t name(int fd, void *to, size_t n, off_t at) {                           \
    return is_our_file(fd) && fails("pread")                                     \
               ? -1                                                              \
               : REAL(ssize_t, name, int, void *, size_t, off_t)(fd, to, n, at); \
  }

PREAD(pread)
PREAD(pread64)

#define OF_FILE(name, shown, params, args, ...)                                      \
  int name params {                                                                  \
    return is_our_file(fd) && fails(shown) ? -1 : REAL(int, name, __VA_ARGS__) args; \
  }

OF_FILE(fsync, "fsync", (int fd), (fd), int)
OF_FILE(fdatasync, "fsync", (int fd), (fd), int)
OF_FILE(ftruncate, "ftruncate", (int fd, off_t n), (fd, n), int, off_t)
OF_FILE(ftruncate64, "ftruncate", (int fd, off_t n), (fd, n), int, off_t)
OF_FILE(fchmod, "fchmod", (int fd, mode_t mode), (fd, mode), int, mode_t)
OF_FILE(flock, "flock", (int fd, int how), (fd, how), int, int)

/* The file is closed all the same, as it is by the system. */
int close(int fd) {
  bool is_bad = is_our_file(fd) && fails("close");
  int code = REAL(int, close, int)(fd);
  errno = is_bad ? f.error : errno;
  return is_bad ? -1 : code;
}

#define FALLOCATE(name)                                                                           \
  int name(int fd, off_t at, off_t n) {                                                           \
    return is_our_file(fd) && fails("fallocate") ? f.error                                        \
                                                 : REAL(int, name, int, off_t, off_t)(fd, at, n); \
  }

FALLOCATE(posix_fallocate)
FALLOCATE(posix_fallocate64)

int rename(const char *from, const char *to) {
  return is_ours(AT_FDCWD, to) && fails("rename")
             ? -1
             : REAL(int, rename, const char *, const char *)(from, to);
}

int link(const char *from, const char *to) {
  return is_ours(AT_FDCWD, to) && fails("link")
             ? -1
             : REAL(int, link, const char *, const char *)(from, to);
}

int renameat2(int from_folder, const char *from, int folder, const char *to, unsigned flags) {
  return is_ours(folder, to) && fails("place")
             ? -1
             : REAL(int, renameat2, int, const char *, int, const char *, unsigned)(
                   from_folder, from, folder, to, flags);
}

int unlink(const char *path) {
  return is_ours(AT_FDCWD, path) && fails("unlink") ? -1 : REAL(int, unlink, const char *)(path);
}

int unlinkat(int folder, const char *path, int flags) {
  return is_ours(folder, path) && fails("unlink")
             ? -1
             : REAL(int, unlinkat, int, const char *, int)(folder, path, flags);
}

int rmdir(const char *path) {
  return is_ours(AT_FDCWD, path) && fails("rmdir") ? -1 : REAL(int, rmdir, const char *)(path);
}

int mkdir(const char *path, mode_t mode) {
  return is_ours(AT_FDCWD, path) && fails("mkdir")
             ? -1
             : REAL(int, mkdir, const char *, mode_t)(path, mode);
}

#pragma GCC visibility pop
