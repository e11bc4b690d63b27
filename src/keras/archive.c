/* Reading: an archive through its directory, a folder by the names that are asked for. */
#include "keras/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/reserve.h"
#include "base/size.h"
#include "base/vec.h"
#include "base/zip.h"

#define MOST_OPENED 16
#define PIECE 65536

/* A member of a folder, or one that was unpacked. */
typedef struct opened {
  char name[SNUG__ZIP_NAME_BYTES];
  snug__range range;
} opened;

struct snug__archive {
  snug_ctx *ctx;
  char *path;
  int fd; /* of the archive or the folder */
  bool is_folder;
  snug__zip zip;      /* of the archive */
  snug__vec opened;   /* opened: members that have a file of their own */
  uint64_t in_memory; /* bytes of those that lie in memory */
};

static snug_status fail_io(const snug__archive *a, const char *what) {
  char reason[128];
  int code = errno;
  return snug__fail(a->ctx, SNUG_E_IO, "%s: %s: %s", a->path, what,
                    strerror_r(code, reason, sizeof reason));
}

static snug_status open_path(snug__archive *a) {
  struct stat stat;
  a->fd = open(a->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe shall not be waited for */
  if (a->fd < 0 || fstat(a->fd, &stat) != 0) {
    return fail_io(a, "cannot be opened");
  }
  a->is_folder = S_ISDIR(stat.st_mode);
  if (!a->is_folder && !S_ISREG(stat.st_mode)) {
    return snug__fail(a->ctx, SNUG_E_IO, "%s: is no file", a->path);
  }
  return a->is_folder ? SNUG_OK : snug__zip_open(&a->zip, a->ctx, a->path, a->fd, stat.st_size);
}

snug_status snug__archive_open(snug_ctx *ctx, const char *path, snug__archive **out) {
  snug__archive *a = NULL;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_SCRATCH, &a));
  a->ctx = ctx;
  a->fd = -1;
  snug__vec_init(&a->opened, ctx, SNUG__MEM_SCRATCH, sizeof(opened), MOST_OPENED);
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, strlen(path) + 1, &a->path);
  if (!s) {
    memcpy(a->path, path, strlen(path) + 1);
    s = open_path(a);
  }
  if (s) {
    snug__archive_close(a);
    return s;
  }
  *out = a;
  return SNUG_OK;
}

void snug__archive_close(snug__archive *a) {
  if (!a) {
    return;
  }
  for (size_t i = 0; i < a->opened.n; i++) {
    close(SNUG_VEC(&a->opened, opened, i).range.fd);
  }
  snug__vec_release(&a->opened);
  snug__gate_give_beside(&a->ctx->account.gate, a->in_memory);
  if (a->fd >= 0) {
    close(a->fd);
  }
  if (a->path) {
    SNUG_GIVE_ARRAY(a->ctx, SNUG__MEM_SCRATCH, a->path, strlen(a->path) + 1);
  }
  snug__give(a->ctx, SNUG__MEM_SCRATCH, a, sizeof *a);
}

bool snug__archive_has(const snug__archive *a, const char *member) {
  snug__zip_member m;
  bool found = false;
  if (a->is_folder) {
    return faccessat(a->fd, member, F_OK, 0) == 0;
  }
  return snug__zip_find(&a->zip, member, &m, &found) == SNUG_OK && found;
}

int64_t snug__archive_bytes(const snug__archive *a, const char *member) {
  struct stat stat;
  snug__zip_member m;
  bool found = false;
  if (a->is_folder) {
    return fstatat(a->fd, member, &stat, 0) == 0 ? stat.st_size : 0;
  }
  return snug__zip_find(&a->zip, member, &m, &found) == SNUG_OK && found ? m.bytes : 0;
}

/* People zip the folder instead of the files in it. */
static snug_status fail_missing(const snug__archive *a, const char *member) {
  return SNUG__BAD_ZIP(a,
                       "there is no %s in it; a model's archive holds config.json, "
                       "metadata.json and model.weights.h5 themselves, in no folder",
                       member);
}

static snug_status fail_most(const snug__archive *a, const char *member, int64_t bytes,
                             int64_t most) {
  return SNUG__BAD_ZIP(a, "%s has %lld bytes; at most %lld are read", member, (long long)bytes,
                       (long long)most);
}

static snug_status keep_open(snug__archive *a, const char *member, int fd, int64_t bytes,
                             snug__range *out) {
  opened o = {.range = {fd, 0, bytes}};
  snprintf(o.name, sizeof o.name, "%s", member);
  snug_status s = snug__vec_push(&a->opened, &o, 1);
  if (s) {
    close(fd);
    return s;
  }
  *out = o.range;
  return SNUG_OK;
}

static snug_status open_in_folder(snug__archive *a, const char *member, snug__range *out) {
  struct stat stat;
  int fd = openat(a->fd, member, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return errno == ENOENT ? fail_missing(a, member) : fail_io(a, member);
  }
  if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
    close(fd);
    return SNUG__BAD_ZIP(a, "%s in it is no file", member);
  }
  return keep_open(a, member, fd, stat.st_size, out);
}

static const char *folder_to_unpack(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

/* A file in the folder of the archive, if that is on a disk; -1: not there. */
static int open_beside(const snug__archive *a) {
  const char *end = strrchr(a->path, '/');
  char folder[PATH_MAX];
  int n = end ? (int)(end - a->path) + (end == a->path) : 0;
  snprintf(folder, sizeof folder, "%.*s", end ? n : 1, end ? a->path : ".");
  int fd = n < PATH_MAX ? snug__open_nameless(folder) : -1;
  if (fd >= 0 && snug__memory_file_system(fd)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* What lies in memory is held, though not in this process: it has to fit beside the rest. */
static snug_status take_memory(snug__archive *a, const snug__zip_member *m) {
  if (!snug__gate_take_beside(&a->ctx->account.gate, (uint64_t)m->bytes)) {
    return snug__fail(
        a->ctx, SNUG_E_LIMIT,
        "%s: %s is compressed, and %s (TMPDIR), where its %lld bytes would be unpacked, "
        "lies in memory: this process may hold %llu bytes in all. Set TMPDIR to a "
        "folder on a disk",
        a->path, m->name, folder_to_unpack(), (long long)m->bytes,
        (unsigned long long)a->ctx->account.gate.most);
  }
  a->in_memory += (uint64_t)m->bytes;
  return SNUG_OK;
}

/* A file without a name that the member is unpacked to: in the folder that is there for that, or
 * next to the archive, if that folder lies in memory and this one does not. */
static snug_status open_unnamed(snug__archive *a, const snug__zip_member *m, int *out) {
  char reason[128];
  *out = -1;
  int fd = snug__open_nameless(folder_to_unpack());
  if (fd < 0) {
    return snug__fail(a->ctx, SNUG_E_IO, "%s: no place to unpack it in %s (TMPDIR): %s", a->path,
                      folder_to_unpack(), strerror_r(errno, reason, sizeof reason));
  }
  if (snug__memory_file_system(fd)) {
    int beside = open_beside(a);
    snug_status s = beside >= 0 ? SNUG_OK : take_memory(a, m);
    if (s || beside >= 0) {
      close(fd);
      fd = beside;
    }
    SNUG_TRY(s);
  }
  *out = fd;
  return SNUG_OK;
}

static snug_status copy_out(const snug__archive *a, const char *member, snug__unpack *from,
                            int fd) {
  uint8_t piece[PIECE];
  char reason[128];
  size_t got = 1;
  for (int64_t at = 0; got > 0; at += (int64_t)got) {
    SNUG_TRY(snug__unpack_read(from, piece, sizeof piece, &got));
    if (!snug__write_at(fd, piece, got, at)) {
      return snug__fail(a->ctx, SNUG_E_IO, "%s: %s cannot be unpacked in the folder TMPDIR: %s",
                        a->path, member, strerror_r(errno, reason, sizeof reason));
    }
  }
  return SNUG_OK;
}

/* Unpack a compressed member to a file without a name. */
static snug_status unpack(snug__archive *a, const snug__zip_member *m, int *fd) {
  snug__unpack *from = NULL;
  SNUG_TRY(open_unnamed(a, m, fd));
  snug_status s = snug__unpack_open(&a->zip, m, &from);
  s = s ? s : copy_out(a, m->name, from, *fd);
  snug__unpack_close(from);
  if (s) {
    close(*fd);
  }
  return s;
}

static snug_status open_in_archive(snug__archive *a, const char *member, int64_t most,
                                   snug__range *out, snug__zip_member *m) {
  bool found = false;
  int64_t offset = 0;
  int fd = -1;
  SNUG_TRY(snug__zip_find(&a->zip, member, m, &found));
  if (!found) {
    return fail_missing(a, member);
  }
  if (m->bytes > most) {
    return fail_most(a, member, m->bytes, most);
  }
  SNUG_TRY(snug__zip_packed(&a->zip, m, &offset));
  if (m->method == SNUG__ZIP_STORED) {
    *out = (snug__range){a->fd, offset, m->bytes};
    return SNUG_OK;
  }
  SNUG_TRY(unpack(a, m, &fd));
  return keep_open(a, member, fd, m->bytes, out);
}

/* m: what the directory says of the member; without a name if it was not asked. */
static snug_status find_range(snug__archive *a, const char *member, int64_t most, snug__range *out,
                              snug__zip_member *m) {
  m->name[0] = 0;
  for (size_t i = 0; i < a->opened.n; i++) {
    const opened *o = &SNUG_VEC(&a->opened, opened, i);
    if (strcmp(o->name, member) == 0) {
      *out = o->range;
      return out->bytes > most ? fail_most(a, member, out->bytes, most) : SNUG_OK;
    }
  }
  if (!a->is_folder) {
    return open_in_archive(a, member, most, out, m);
  }
  SNUG_TRY(open_in_folder(a, member, out));
  return out->bytes > most ? fail_most(a, member, out->bytes, most) : SNUG_OK;
}

snug_status snug__archive_range(snug__archive *a, const char *member, int64_t most,
                                snug__range *out) {
  snug__zip_member m;
  return find_range(a, member, most, out, &m);
}

static snug_status read_text(const snug__archive *a, const char *member, const snug__range *range,
                             const snug__zip_member *m, char *text) {
  errno = 0;
  if (!snug__read_at(range->fd, text, (size_t)range->bytes, range->offset)) {
    return errno ? fail_io(a, member) : SNUG__BAD_ZIP(a, "%s ends early", member);
  }
  bool is_stored = m->name[0] && m->method == SNUG__ZIP_STORED;
  if (is_stored && crc32(0, (const Bytef *)text, (uInt)range->bytes) != m->crc) {
    return SNUG__BAD_ZIP(a, "%s is damaged: its checksum is wrong", member);
  }
  return SNUG_OK;
}

snug_status snug__archive_text(snug__archive *a, const char *member, size_t most, char **text,
                               size_t *bytes) {
  snug__range range = {.fd = -1};
  snug__zip_member m;
  *text = NULL;
  *bytes = 0;
  int64_t limit = most < UINT32_MAX ? (int64_t)most : UINT32_MAX; /* what crc32 takes at once */
  SNUG_TRY(find_range(a, member, limit, &range, &m));
  size_t n = (size_t)range.bytes;
  SNUG_TRY(SNUG_NEW_ARRAY(a->ctx, SNUG__MEM_MODEL, n + 1, text));
  snug_status s = read_text(a, member, &range, &m, *text);
  if (s) {
    SNUG_GIVE_ARRAY(a->ctx, SNUG__MEM_MODEL, *text, n + 1);
    *text = NULL;
    return s;
  }
  *bytes = n;
  return SNUG_OK;
}
