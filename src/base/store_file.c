#include "base/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/reserve.h"
#include "base/store.h"

const char *snug__store_folder(const char *given) {
  const char *folder = given && given[0] ? given : getenv("TMPDIR");
  return folder && folder[0] ? folder : "/tmp";
}

static snug_status fail(snug_ctx *ctx, const char *folder, const char *what, int code) {
  char reason[128];
  return snug__fail(ctx, SNUG_E_IO, "offload: %.300s: %s: %s", folder, what,
                    strerror_r(code, reason, sizeof reason));
}

/* What lies in memory itself makes no room there. */
static snug_status check_kind(snug_ctx *ctx, const char *folder, int fd) {
  const char *name = snug__memory_file_system(fd);
  return name ? snug__fail(ctx, SNUG_E_IO,
                           "offload: %.300s lies in memory (%s): what waits there saves none; give "
                           "a folder on a disk, by option or TMPDIR",
                           folder, name)
              : SNUG_OK;
}

/* Bytes that are free where the file lies. */
static int64_t room_at(int fd) {
  struct statfs fs;
  int64_t room = INT64_MAX; /* where nobody can tell, reserving does */
  return fstatfs(fd, &fs) == 0 &&
                 !__builtin_mul_overflow((int64_t)fs.f_bavail, (int64_t)fs.f_bsize, &room)
             ? room
             : INT64_MAX;
}

static snug_status reserve_all(snug_ctx *ctx, const char *folder, int64_t bytes, int fd) {
  int64_t room = room_at(fd);
  int code = snug__reserve_room(fd, bytes);
  char reason[128];
  return code ? snug__fail(ctx, SNUG_E_IO,
                           "offload: %.300s has no room for a file of %lld bytes: %s; %lld are "
                           "free there: free some, give another folder, or train without the disk",
                           folder, (long long)bytes, strerror_r(code, reason, sizeof reason),
                           (long long)room)
              : SNUG_OK;
}

snug_status snug__store_file(snug_ctx *ctx, const char *folder, int64_t bytes, int *out) {
  int fd = snug__open_nameless(folder);
  *out = -1;
  if (fd < 0) {
    return fail(ctx, folder, "no file can be made there", errno);
  }
  snug_status s = check_kind(ctx, folder, fd);
  s = s ? s : reserve_all(ctx, folder, bytes, fd);
  if (s) {
    close(fd);
    return s;
  }
  *out = fd;
  return SNUG_OK;
}

bool snug__store_file_direct(int fd, const void *page) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_DIRECT) != 0) {
    return false;
  }
  if (pwrite(fd, page, SNUG__STORE_ALIGN, 0) == SNUG__STORE_ALIGN) {
    return true;
  }
  fcntl(fd, F_SETFL, flags);
  return false;
}

snug_status snug__store_check(snug_ctx *ctx, const char *folder, int64_t bytes) {
  int fd = -1;
  SNUG_TRY(snug__store_file(ctx, snug__store_folder(folder), bytes, &fd));
  close(fd);
  return SNUG_OK;
}
