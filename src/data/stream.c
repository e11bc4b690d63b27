#include "data/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/size.h"
#include "data/records.h"

#define SHOWN 300
#define DEFLATE_MOST 1032 /* bytes that one byte of DEFLATE can become */
#define READ_MOST (1u << 30)

const char *snug__path_shown(const char *path) {
  size_t n = strlen(path);
  return n > SHOWN ? path + n - SHOWN : path;
}

snug_status snug__path_unreadable(snug_ctx *ctx, const char *path) {
  char reason[128];
  int code = errno;
  return snug__fail(ctx, SNUG_E_IO, "%s: cannot be read: %s", snug__path_shown(path),
                    strerror_r(code, reason, sizeof reason));
}

snug_status snug__stream_within(const snug__stream *s, snug_status code) {
  return s->member
             ? snug__fail_within(s->ctx, code, "%s: %.200s", snug__path_shown(s->file), s->member)
             : snug__fail_within(s->ctx, code, "%s", snug__path_shown(s->file));
}

static snug_status fail_io(const snug__stream *s, const char *what) {
  char reason[128];
  int code = errno;
  return snug__stream_fail(s, SNUG_E_IO, "%s: %s", what, strerror_r(code, reason, sizeof reason));
}

snug__file_kind snug__file_kind_of(const unsigned char *first, size_t n) {
  if (n >= 6 && memcmp(first, "\x93NUMPY", 6) == 0) {
    return SNUG__FILE_NPY;
  }
  if (n >= 4 && (memcmp(first, "PK\3\4", 4) == 0 || memcmp(first, "PK\5\6", 4) == 0)) {
    return SNUG__FILE_ZIP;
  }
  if (n >= 2 && first[0] == 0x1F && first[1] == 0x8B) {
    return SNUG__FILE_GZIP;
  }
  if (n >= 6 && memcmp(first, SNUG__RECORDS_MAGIC, 6) == 0) {
    return SNUG__FILE_RECORDS;
  }
  return n >= 4 && first[0] == 0 && first[1] == 0 && first[2] >= 8 && first[2] <= 14
             ? SNUG__FILE_IDX
             : SNUG__FILE_UNKNOWN;
}

/* Open a file that can be read; the length goes to s->left. */
static snug_status open_file(snug__stream *s) {
  struct stat info;
  s->fd = open(s->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
  if (s->fd < 0 || fstat(s->fd, &info) != 0) {
    return fail_io(s, "cannot be read");
  }
  if (!S_ISREG(info.st_mode)) {
    return snug__stream_fail(s, SNUG_E_IO, "is not a file");
  }
  s->left = (int64_t)info.st_size;
  s->is_exact = true;
  return SNUG_OK;
}

static snug_status first_bytes(snug__stream *s, snug__file_kind *out) {
  unsigned char first[SNUG__MAGIC_BYTES];
  ssize_t n = pread(s->fd, first, sizeof first, 0);
  if (n < 0) {
    return fail_io(s, "cannot be read");
  }
  *out = snug__file_kind_of(first, (size_t)n);
  return SNUG_OK;
}

static snug__file_kind kind_by_name(const char *path) {
  static const struct {
    const char *ending;
    snug__file_kind kind;
  } kinds[] = {{".csv", SNUG__FILE_TABLE}, {".tsv", SNUG__FILE_TABLE}, {".txt", SNUG__FILE_LIST}};
  size_t n = strlen(path);
  for (size_t i = 0; n > 4 && i < SNUG_COUNT(kinds); i++) {
    if (strcmp(path + n - 4, kinds[i].ending) == 0) {
      return kinds[i].kind;
    }
  }
  return SNUG__FILE_UNKNOWN;
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

snug_status snug__file_kind_find(snug_ctx *ctx, const char *path, snug__file_kind *out) {
  snug__stream s = {.ctx = ctx, .file = path, .fd = -1};
  if (is_folder(path)) {
    *out = SNUG__FILE_FOLDER;
    return SNUG_OK;
  }
  snug_status status = open_file(&s);
  status = status ? status : first_bytes(&s, out);
  snug__stream_close(&s);
  if (!status && *out == SNUG__FILE_UNKNOWN) {
    *out = kind_by_name(path);
  }
  return status;
}

/* What a number of compressed bytes can become at most. */
static int64_t unpacked_most(int64_t packed) {
  int64_t most = INT64_MAX;
  return snug__mul_i64(packed, DEFLATE_MOST, &most) ? most : INT64_MAX;
}

static snug_status unpack(snug__stream *s) {
  s->gz = gzdopen(s->fd, "rb");
  if (!s->gz) {
    return snug__fail(s->ctx, SNUG_E_MEMORY, "%s: no memory to unpack it",
                      snug__path_shown(s->file));
  }
  s->fd = -1; /* gz closes it */
  s->left = unpacked_most(s->left);
  s->is_exact = false;
  return SNUG_OK;
}

snug_status snug__stream_open(snug__stream *s, snug_ctx *ctx, const char *path) {
  snug__file_kind kind = SNUG__FILE_UNKNOWN;
  *s = (snug__stream){.ctx = ctx, .file = path, .fd = -1};
  snug_status status = open_file(s);
  status = status ? status : first_bytes(s, &kind);
  status = status || kind != SNUG__FILE_GZIP ? status : unpack(s);
  if (status) {
    snug__stream_close(s);
  }
  return status;
}

/* A member may not claim to be larger than its bytes in the file can become. */
snug_status snug__stream_open_member(snug__stream *s, const snug__zip *archive,
                                     const snug__zip_member *m, const char *member) {
  *s = (snug__stream){.ctx = archive->ctx, .file = archive->path, .member = member, .fd = -1};
  if (m->bytes > unpacked_most(m->packed)) {
    return snug__stream_fail(s, SNUG_E_FORMAT,
                             "the archive says %lld bytes, of %lld in the file: it is damaged",
                             (long long)m->bytes, (long long)m->packed);
  }
  s->left = m->bytes;
  s->is_exact = true;
  return snug__unpack_open(archive, m, &s->unpack);
}

void snug__stream_close(snug__stream *s) {
  snug__unpack_close(s->unpack);
  if (s->gz) {
    gzclose(s->gz);
  }
  if (s->fd >= 0) {
    close(s->fd);
  }
  s->unpack = NULL;
  s->gz = NULL;
  s->fd = -1;
}

static const char *gz_reason(snug__stream *s) {
  int code = Z_OK;
  const char *text = gzerror(s->gz, &code);
  return code == Z_BUF_ERROR ? "ends in the middle" : text;
}

/* The end of a gzipped file, where its checksum stands, may be missing behind whole data. */
static bool is_gz_cut(snug__stream *s) {
  int code = Z_OK;
  if (s->gz) {
    gzerror(s->gz, &code);
  }
  return code != Z_OK;
}

static snug_status read_file(snug__stream *s, void *dst, size_t n, size_t *got) {
  ssize_t r;
  do {
    r = read(s->fd, dst, n);
  } while (r < 0 && errno == EINTR);
  *got = r < 0 ? 0 : (size_t)r;
  return r < 0 ? fail_io(s, "cannot be read") : SNUG_OK;
}

static snug_status read_gz(snug__stream *s, void *dst, size_t n, size_t *got) {
  int r = gzread(s->gz, dst, (unsigned)n);
  *got = r < 0 ? 0 : (size_t)r;
  return r < 0 || (r == 0 && is_gz_cut(s))
             ? snug__stream_fail(s, SNUG_E_FORMAT, "%s: the file is damaged", gz_reason(s))
             : SNUG_OK;
}

/* Up to n bytes; *got is 0 at the end. */
static snug_status read_some(snug__stream *s, void *dst, size_t n, size_t *got) {
  n = n < READ_MOST ? n : READ_MOST;
  if (s->unpack) {
    return snug__unpack_read(s->unpack, dst, n, got);
  }
  return s->gz ? read_gz(s, dst, n, got) : read_file(s, dst, n, got);
}

snug_status snug__stream_read(snug__stream *s, void *dst, size_t n) {
  char *at = dst;
  if (s->is_exact && (uint64_t)s->left < n) {
    return snug__stream_fail(s, SNUG_E_FORMAT, "ends too early: %lld bytes where %zu are needed",
                             (long long)s->left, n);
  }
  while (n > 0) {
    size_t got = 0;
    SNUG_TRY(read_some(s, at, n, &got));
    if (got == 0) {
      return snug__stream_fail(s, SNUG_E_FORMAT, "ends too early, by %zu bytes", n);
    }
    at += got;
    n -= got;
    s->left -= (int64_t)got;
  }
  return SNUG_OK;
}

snug_status snug__stream_end(snug__stream *s) {
  char more;
  size_t got = 0;
  SNUG_TRY(read_some(s, &more, 1, &got));
  return got == 0 ? SNUG_OK
                  : snug__stream_fail(s, SNUG_E_FORMAT, "goes on behind the end of its array");
}
