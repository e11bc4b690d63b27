#include "record/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/left_over.h"

static snug_status fail_io(const snug__frames *f, const char *what) {
  char reason[128];
  return snug__fail(f->ctx, SNUG_E_IO, "%s: %s: %s", f->shown, what,
                    strerror_r(errno, reason, sizeof reason));
}

/* ---- the head ---- */

/* A number that no other recording has. */
static uint64_t new_id(void) {
  uint64_t id = 0;
  if (getrandom(&id, sizeof id, GRND_NONBLOCK) != sizeof id) {
    id = (uint64_t)(snug__seconds(CLOCK_REALTIME) * 1e9) ^ (uint64_t)getpid() << 48;
  }
  return id;
}

static void make_head(snug__frames *f, uint8_t head[SNUG__RECORD_HEAD_BYTES]) {
  uint8_t *at = head + SNUG__RECORD_MAGIC_BYTES;
  memcpy(head, SNUG__RECORD_MAGIC, SNUG__RECORD_MAGIC_BYTES);
  snug__put(&at, SNUG_RECORD_VERSION, 4);
  snug__put(&at, new_id(), 8);
  f->crc = snug__record_crc(0, head, (size_t)(at - head));
  snug__put(&at, f->crc, 4);
}

/* ---- opening ---- */

static snug_status close_with(snug__frames *f, snug_status s) {
  close(f->fd);
  f->fd = -1;
  return s;
}

static snug_status write_head(snug__frames *f, const uint8_t *head) {
  if (snug__write_all(f->fd, head, SNUG__RECORD_HEAD_BYTES)) {
    f->length = SNUG__RECORD_HEAD_BYTES;
    return SNUG_OK;
  }
  return close_with(f, fail_io(f, "writing failed"));
}

/* No other run writes it from now on. */
static snug_status hold(snug__frames *f) {
  snug_status s = snug__lock(f->ctx, f->fd, f->shown);
  return s ? close_with(f, s) : SNUG_OK;
}

/* A file that was not there; one whose head could not be written is not left behind.  What is no
 * file, such as a pipe, is there and is written to. */
static snug_status open_new(snug__frames *f, const char *path, bool is_file, const uint8_t *head) {
  int flags = is_file ? O_CREAT | O_EXCL : 0;
  f->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
  if (f->fd < 0) {
    return errno == EEXIST ? snug__fail(f->ctx, SNUG_E_IO,
                                        "%s: there is such a file; take another name, or say that "
                                        "it is to be replaced (replace of snug_fit_record)",
                                        f->shown)
                           : fail_io(f, "cannot be written");
  }
  if (is_file) {
    SNUG_TRY(hold(f));
  }
  snug_status s = write_head(f, head);
  if (s && is_file) {
    unlink(path);
  }
  return s;
}

/* Whether another run writes a file that is there. */
static snug_status check_free(snug__frames *f, const char *path) {
  f->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (f->fd < 0) {
    return SNUG_OK; /* it is replaced, not read */
  }
  SNUG_TRY(hold(f));
  return close_with(f, SNUG_OK);
}

/* In the place of another: whoever still reads that one keeps it. */
static snug_status open_instead(snug__frames *f, const char *path, const uint8_t *head) {
  snug__replace r;
  SNUG_TRY(check_free(f, path));
  SNUG_TRY(snug__replace_begin(&r, f->ctx, path));
  snug_status s = snug__replace_write(&r, head, SNUG__RECORD_HEAD_BYTES);
  if (s) {
    snug__replace_abandon(&r);
    return s;
  }
  SNUG_TRY(snug__replace_commit(&r));
  f->length = SNUG__RECORD_HEAD_BYTES;
  f->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  return f->fd < 0 ? fail_io(f, "cannot be written") : hold(f);
}

static void init(snug__frames *f, snug_ctx *ctx, const char *path) {
  size_t n = strlen(path);
  size_t most = sizeof f->shown - sizeof "…";
  *f = (snug__frames){.ctx = ctx, .fd = -1};
  snprintf(f->shown, sizeof f->shown, "%s%s", n > most ? "…" : "",
           n > most ? path + n - most : path);
}

snug_status snug__frames_open(snug__frames *f, snug_ctx *ctx, const char *path, bool replace) {
  uint8_t head[SNUG__RECORD_HEAD_BYTES];
  struct stat there;
  init(f, ctx, path);
  make_head(f, head);
  bool exists = stat(path, &there) == 0;
  bool is_file = !exists || S_ISREG(there.st_mode);
  return exists && is_file && replace ? open_instead(f, path, head)
                                      : open_new(f, path, is_file, head);
}

/* ---- going on ---- */

static snug_status read_head(snug__frames *f) {
  uint8_t head[SNUG__RECORD_HEAD_BYTES];
  size_t magic = SNUG__RECORD_MAGIC_BYTES;
  size_t covered = sizeof head - SNUG__FRAME_CRC_BYTES;
  bool is_read = snug__read_at(f->fd, head, sizeof head, 0);
  snug__cursor c = snug__cursor_of(head + magic, sizeof head - magic);
  uint64_t version = is_read ? snug__get(&c, 4) : 0;
  snug__skip(&c, 8);
  f->crc = is_read ? snug__record_crc(0, head, covered) : 0;
  if (!is_read || memcmp(head, SNUG__RECORD_MAGIC, magic) != 0 || version != SNUG_RECORD_VERSION ||
      snug__get(&c, 4) != f->crc) {
    return snug__fail(f->ctx, SNUG_E_DATA,
                      "%s: not a recording that could go on; take another name, or remove it",
                      f->shown);
  }
  f->length = sizeof head;
  return SNUG_OK;
}

/* The next frame into f->frame; false where there is none. */
static bool read_frame(snug__frames *f, size_t *content, uint32_t *crc) {
  const uint8_t *head = f->frame;
  if (!snug__read_at(f->fd, f->frame, SNUG__FRAME_HEAD_BYTES, (int64_t)f->length) ||
      !snug__is_frame_head(head)) {
    return false;
  }
  size_t n = (size_t)(head[1] | head[2] << 8);
  int64_t at = (int64_t)f->length + SNUG__FRAME_HEAD_BYTES;
  uint8_t *rest = f->frame + SNUG__FRAME_HEAD_BYTES;
  if (!snug__read_at(f->fd, rest, n + SNUG__FRAME_CRC_BYTES, at)) {
    return false;
  }
  snug__cursor stored = snug__cursor_of(rest + n, SNUG__FRAME_CRC_BYTES);
  *content = n;
  *crc = snug__record_crc(f->crc, f->frame, SNUG__FRAME_HEAD_BYTES + n);
  return snug__get(&stored, SNUG__FRAME_CRC_BYTES) == *crc && head[0] != SNUG__FRAME_END;
}

static snug_status find_end(snug__frames *f, snug__frame_visit *visit, void *user) {
  size_t n = 0;
  uint32_t crc = 0;
  SNUG_TRY(read_head(f));
  while (read_frame(f, &n, &crc)) {
    visit(user, f->frame[0], snug__cursor_of(f->frame + SNUG__FRAME_HEAD_BYTES, n));
    f->crc = crc;
    f->length += SNUG__FRAME_HEAD_BYTES + n + SNUG__FRAME_CRC_BYTES;
  }
  return ftruncate(f->fd, (off_t)f->length) != 0 ? fail_io(f, "cannot be cut") : SNUG_OK;
}

snug_status snug__frames_resume(snug__frames *f, snug_ctx *ctx, const char *path,
                                snug__frame_visit *visit, void *user) {
  init(f, ctx, path);
  f->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
  if (f->fd < 0) {
    return fail_io(f, "cannot be written");
  }
  SNUG_TRY(hold(f));
  snug_status s = find_end(f, visit, user);
  return s ? close_with(f, s) : SNUG_OK;
}

/* ---- frames ---- */

uint8_t *snug__frame_begin(snug__frames *f) { return f->frame + SNUG__FRAME_HEAD_BYTES; }

static snug_status check_room(const snug__frames *f, size_t bytes) {
  if (f->is_torn) {
    return snug__fail(f->ctx, SNUG_E_IO, "%s: writing failed before, within a frame", f->shown);
  }
  if (bytes > SNUG__RECORD_MOST_BYTES - f->length) {
    return snug__fail(f->ctx, SNUG_E_OVERFLOW, "%s: a recording may not be larger than %llu bytes",
                      f->shown, (unsigned long long)SNUG__RECORD_MOST_BYTES);
  }
  return SNUG_OK;
}

/* What was written of a frame is taken back, so that whole ones can follow. */
static snug_status write_frame(snug__frames *f, size_t bytes) {
  if (snug__write_all(f->fd, f->frame, bytes)) {
    f->length += bytes;
    return SNUG_OK;
  }
  snug_status s = fail_io(f, "writing failed");
  f->is_torn = ftruncate(f->fd, (off_t)f->length) != 0;
  return s;
}

snug_status snug__frame_end(snug__frames *f, snug__frame_kind kind, const uint8_t *end) {
  uint8_t *head = f->frame;
  size_t content = (size_t)(end - f->frame) - SNUG__FRAME_HEAD_BYTES;
  size_t bytes = content + SNUG__FRAME_HEAD_BYTES + SNUG__FRAME_CRC_BYTES;
  SNUG_TRY(check_room(f, bytes));
  snug__put(&head, kind, 1);
  snug__put(&head, content, 2);
  snug__put(&head, (uint64_t)(SNUG__FRAME_CHECK ^ f->frame[0] ^ f->frame[1] ^ f->frame[2]), 1);
  uint32_t crc = snug__record_crc(f->crc, f->frame, content + SNUG__FRAME_HEAD_BYTES);
  uint8_t *at = f->frame + SNUG__FRAME_HEAD_BYTES + content;
  snug__put(&at, crc, SNUG__FRAME_CRC_BYTES);
  SNUG_TRY(write_frame(f, bytes));
  f->crc = crc;
  return SNUG_OK;
}

snug_status snug__frames_close(snug__frames *f) {
  int fd = f->fd;
  f->fd = -1;
  return fd >= 0 && close(fd) != 0 ? fail_io(f, "writing failed") : SNUG_OK;
}
