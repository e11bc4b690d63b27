/* Reading a recording, from front to back through one buffer. */
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (32 << 10) /* any frame, and more */
/* More than any recorder writes in years; what is read stays within some hundred MiB. */
#define MOST_MOMENTS ((size_t)1 << 20)
#define MOST_FACTS 4096
#define MOST_TEXTS ((size_t)1 << 18)
#define MOST_VALUES ((size_t)1 << 22)
#define MOST_PIECES ((size_t)1 << 18)
#define SHOWN 300

typedef struct reader {
  snug_recording *r;
  const char *path;
  int fd;
  uint8_t *buffer;
  size_t begin, end; /* of what is in the buffer and not yet used */
  uint64_t at;       /* of begin in the file */
  uint32_t crc;
} reader;

/* ---- bytes ---- */

static const char *shown(const reader *f) {
  size_t n = strlen(f->path);
  return n > SHOWN ? f->path + n - SHOWN : f->path;
}

static snug_status fail_io(const reader *f) {
  char reason[128];
  return snug__fail(f->r->ctx, SNUG_E_IO, "%s: cannot be read: %s", shown(f),
                    strerror_r(errno, reason, sizeof reason));
}

static size_t left(const reader *f) { return f->end - f->begin; }

/* Have n bytes in the buffer, or all that are left of the file.  Fails: E_IO. */
static snug_status fill(reader *f, size_t n) {
  if (left(f) < n && f->begin) {
    memmove(f->buffer, f->buffer + f->begin, left(f));
    f->end -= f->begin;
    f->begin = 0;
  }
  while (left(f) < n) {
    ssize_t got = read(f->fd, f->buffer + f->end, BUFFER_BYTES - f->end);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail_io(f);
    }
    if (got == 0) {
      break;
    }
    f->end += (size_t)got;
  }
  return SNUG_OK;
}

static const uint8_t *here(const reader *f) { return f->buffer + f->begin; }

static void pass(reader *f, size_t n) {
  f->begin += n;
  f->at += n;
}

/* ---- the head ---- */

static snug_status check_version(const reader *f, uint64_t version) {
  if (version > SNUG_RECORD_VERSION) {
    return snug__fail(f->r->ctx, SNUG_E_DATA,
                      "%s: recorded by a newer Snug (version %llu; this one reads up to %d)",
                      shown(f), (unsigned long long)version, SNUG_RECORD_VERSION);
  }
  return version ? SNUG_OK
                 : snug__fail(f->r->ctx, SNUG_E_DATA, "%s: there is no version 0", shown(f));
}

static snug_status check_magic(const reader *f) {
  size_t n = left(f) < SNUG__RECORD_MAGIC_BYTES ? left(f) : SNUG__RECORD_MAGIC_BYTES;
  if (n == 0 || memcmp(here(f), SNUG__RECORD_MAGIC, n) != 0) {
    return snug__fail(f->r->ctx, SNUG_E_DATA, "%s: not a recording%s", shown(f),
                      n ? "" : ", the file is empty");
  }
  return left(f) < SNUG__RECORD_HEAD_BYTES
             ? snug__fail(f->r->ctx, SNUG_E_DATA,
                          "%s: a recording that was cut before its first frame", shown(f))
             : SNUG_OK;
}

static snug_status read_head(reader *f) {
  SNUG_TRY(fill(f, SNUG__RECORD_HEAD_BYTES));
  SNUG_TRY(check_magic(f));
  snug__cursor c = snug__cursor_of(here(f), SNUG__RECORD_HEAD_BYTES);
  snug__skip(&c, SNUG__RECORD_MAGIC_BYTES);
  uint64_t version = snug__get(&c, 4);
  uint64_t id = snug__get(&c, 8);
  f->crc = snug__record_crc(0, here(f), SNUG__RECORD_HEAD_BYTES - SNUG__FRAME_CRC_BYTES);
  if (snug__get(&c, 4) != f->crc) {
    return snug__fail(f->r->ctx, SNUG_E_DATA, "%s: the head of the recording is damaged", shown(f));
  }
  SNUG_TRY(check_version(f, version));
  pass(f, SNUG__RECORD_HEAD_BYTES);
  return snug__recording_set_id(f->r, id);
}

/* ---- frames ---- */

/* The content of the next frame: *whole false where the file ends before, *good false where it is
 * not as it was written. */
static snug_status next_frame(reader *f, uint8_t *kind, snug__cursor *content, bool *whole,
                              bool *good) {
  *good = true;
  SNUG_TRY(fill(f, SNUG__FRAME_HEAD_BYTES));
  *whole = left(f) >= SNUG__FRAME_HEAD_BYTES;
  if (!*whole || !(*good = snug__is_frame_head(here(f)))) {
    return SNUG_OK;
  }
  size_t n = SNUG__FRAME_HEAD_BYTES + (size_t)(here(f)[1] | here(f)[2] << 8);
  SNUG_TRY(fill(f, n + SNUG__FRAME_CRC_BYTES));
  *whole = left(f) >= n + SNUG__FRAME_CRC_BYTES;
  if (!*whole) {
    return SNUG_OK;
  }
  snug__cursor stored = snug__cursor_of(here(f) + n, SNUG__FRAME_CRC_BYTES);
  f->crc = snug__record_crc(f->crc, here(f), n);
  *good = snug__get(&stored, SNUG__FRAME_CRC_BYTES) == f->crc;
  *kind = here(f)[0];
  *content = snug__cursor_of(here(f) + SNUG__FRAME_HEAD_BYTES, n - SNUG__FRAME_HEAD_BYTES);
  return SNUG_OK;
}

static snug_status check_size(const reader *f) {
  return f->at > SNUG__RECORD_MOST_BYTES
             ? snug__fail(f->r->ctx, SNUG_E_DATA,
                          "%s: larger than the %llu bytes that a recording may have", shown(f),
                          (unsigned long long)SNUG__RECORD_MOST_BYTES)
             : SNUG_OK;
}

/* Nothing may lie behind the end. */
static snug_status read_end(reader *f) {
  SNUG_TRY(fill(f, 1));
  f->r->end = left(f) ? SNUG_RECORDING_DAMAGED : SNUG_RECORDING_CLOSED;
  return SNUG_OK;
}

static snug_status read_frames(reader *f) {
  uint8_t kind = 0;
  snug__cursor content = {0};
  bool whole = true;
  bool good = true;
  while (kind != SNUG__FRAME_END) {
    SNUG_TRY(check_size(f));
    SNUG_TRY(next_frame(f, &kind, &content, &whole, &good));
    if (whole && good) {
      SNUG_TRY(snug__recording_take(f->r, kind, content, &good));
    }
    if (!whole || !good) {
      f->r->end = good ? SNUG_RECORDING_CUT : SNUG_RECORDING_DAMAGED;
      return SNUG_OK;
    }
    pass(f, snug__cursor_left(&content) + SNUG__FRAME_HEAD_BYTES + SNUG__FRAME_CRC_BYTES);
  }
  return read_end(f);
}

/* ---- the whole ---- */

static snug_status read_file(reader *f) {
  SNUG_TRY(read_head(f));
  snug_status s = read_frames(f);
  if (s == SNUG_E_OVERFLOW) { /* of a list */
    return snug__fail(f->r->ctx, SNUG_E_DATA, "%s: it says more than any recording does", shown(f));
  }
  snug__recording_settle(f->r);
  f->r->at_byte = f->at;
  return s;
}

static snug_status open_file(reader *f) {
  snug_ctx *ctx = f->r->ctx;
  f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
  if (f->fd < 0) {
    return fail_io(f);
  }
  snug_status s = snug__take(ctx, SNUG__MEM_SCRATCH, BUFFER_BYTES, (void **)&f->buffer);
  s = s ? s : read_file(f);
  snug__give(ctx, SNUG__MEM_SCRATCH, f->buffer, BUFFER_BYTES);
  close(f->fd);
  return s;
}

static void init(snug_recording *r, snug_ctx *ctx) {
  r->ctx = ctx;
  snug__arena_init(&r->texts, ctx, SNUG__MEM_HISTORY);
  snug__map_init(&r->interned, ctx, SNUG__MEM_HISTORY);
  snug__map_init(&r->fact_names, ctx, SNUG__MEM_HISTORY);
  snug__vec_init(&r->text_list, ctx, SNUG__MEM_HISTORY, sizeof(const char *), MOST_TEXTS);
  snug__vec_init(&r->facts, ctx, SNUG__MEM_HISTORY, sizeof(snug__fact), MOST_FACTS);
  snug__vec_init(&r->moments, ctx, SNUG__MEM_HISTORY, sizeof(snug_moment), MOST_MOMENTS);
  snug__vec_init(&r->epochs, ctx, SNUG__MEM_HISTORY, sizeof(snug__epoch), MOST_MOMENTS);
  snug__vec_init(&r->names, ctx, SNUG__MEM_HISTORY, sizeof(const char *), MOST_VALUES);
  snug__vec_init(&r->values, ctx, SNUG__MEM_HISTORY, sizeof(double), MOST_VALUES);
  snug__vec_init(&r->pieces, ctx, SNUG__MEM_HISTORY, sizeof(snug_memory_piece), MOST_PIECES);
}

snug_status snug_recording_open(snug_ctx *ctx, const char *path, snug_recording **out) {
  snug_recording *r = NULL;
  if (!ctx || !out) {
    return ctx ? snug__fail(ctx, SNUG_E_ARGUMENT, "a recording: there is no place for it")
               : SNUG_E_ARGUMENT;
  }
  *out = NULL;
  if (!path || !path[0]) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "a recording: it needs a path");
  }
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_HISTORY, &r));
  init(r, ctx);
  reader f = {.r = r, .path = path, .fd = -1};
  snug_status s = open_file(&f);
  if (s) {
    snug_recording_destroy(r);
    return s;
  }
  *out = r;
  return SNUG_OK;
}

void snug_recording_destroy(snug_recording *r) {
  if (!r) {
    return;
  }
  snug__vec *lists[] = {&r->text_list, &r->facts,  &r->moments, &r->epochs,
                        &r->names,     &r->values, &r->pieces};
  for (size_t i = 0; i < SNUG_COUNT(lists); i++) {
    snug__vec_release(lists[i]);
  }
  snug__map_release(&r->interned);
  snug__map_release(&r->fact_names);
  snug__arena_release(&r->texts);
  snug__give(r->ctx, SNUG__MEM_HISTORY, r, sizeof *r);
}
