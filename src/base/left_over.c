#include "base/left_over.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define ENTRY_BYTES 4096   /* of a folder that are read at a time */
#define MOST_ENTRIES 10000 /* of a folder that are looked at */

/* ---- what is left ---- */

static const char *skip_number(const char *at) {
  while (isdigit((unsigned char)*at)) {
    at++;
  }
  return at;
}

/* ".snug-PID-N.tmp" */
static bool is_temporary(const char *name) {
  static const char start[] = ".snug-";
  if (strncmp(name, start, sizeof start - 1) != 0) {
    return false;
  }
  const char *pid = name + sizeof start - 1;
  const char *dash = skip_number(pid);
  const char *end = *dash == '-' ? skip_number(dash + 1) : dash;
  return dash > pid && end > dash + 1 && strcmp(end, ".tmp") == 0;
}

/* The lock tells, and not the number in the name, which another process may have by now. */
static void remove_if_left(int folder, const char *name) {
  struct stat file;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    return;
  }
  bool is_ours = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid();
  if (is_ours && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    unlinkat(folder, name, 0);
  }
  close(fd);
}

/* readdir would take memory. */
void snug__remove_left_over(const char *path) {
  _Alignas(struct dirent64) char entries[ENTRY_BYTES];
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ssize_t n = 0;
  int seen = 0;
  while (folder >= 0 && seen < MOST_ENTRIES && (n = getdents64(folder, entries, ENTRY_BYTES)) > 0) {
    for (ssize_t at = 0; at < n; seen++) {
      const struct dirent64 *e = (const struct dirent64 *)(const void *)(entries + at);
      if (is_temporary(e->d_name)) {
        remove_if_left(folder, e->d_name);
      }
      at += e->d_reclen;
    }
  }
  if (folder >= 0) {
    close(folder);
  }
}

/* ---- locks ---- */

/* "1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678 0 EOF"; the device may be another one there, as file
 * systems that lie on others have it. */
static long holder_in(const char *line, ino_t file) {
  long pid = 0;
  unsigned long inode = 0;
  bool is_lock =
      sscanf(line, "%*d: FLOCK %*s WRITE %ld %*x:%*x:%lu", &pid, &inode) == 2 && inode == file;
  return is_lock ? pid : 0;
}

/* Who holds the lock of an open file; 0 if nobody can tell. */
static long find_holder(int fd) {
  char line[256];
  struct stat file;
  long pid = 0;
  FILE *locks = fstat(fd, &file) == 0 ? fopen("/proc/locks", "re") : NULL;
  while (locks && !pid && fgets(line, sizeof line, locks)) {
    pid = holder_in(line, file.st_ino);
  }
  if (locks) {
    fclose(locks);
  }
  return pid;
}

snug_status snug__lock(snug_ctx *ctx, int fd, const char *shown) {
  char who[48] = "another process";
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return SNUG_OK;
  }
  long pid = find_holder(fd);
  if (pid > 0) {
    snprintf(who, sizeof who, "process %ld", pid);
  }
  return snug__fail(ctx, SNUG_E_STATE,
                    "%.300s is in use by %s, which writes to it; take another name, or wait until "
                    "that has ended",
                    shown, who);
}
