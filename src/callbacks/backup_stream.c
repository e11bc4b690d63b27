#include "callbacks/backup_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- bytes ---- */

snug_status snug__backup_fail_io(const snug__backup_stream *s) {
  char reason[128];
  return snug__fail(s->ctx, SNUG_E_IO, "%.300s: reading failed: %s", s->path,
                    strerror_r(errno, reason, sizeof reason));
}

snug_status snug__backup_damaged(const snug__backup_stream *s) {
  return snug__fail(s->ctx, SNUG_E_FORMAT,
                    "%.300s is damaged; remove the folder to start the training anew", s->path);
}

static void add_to_sum(snug__backup_stream *s, const unsigned char *bytes, size_t n) {
  uint64_t sum = s->sum;
  for (size_t i = 0; i < n; i++) {
    sum = (sum ^ bytes[i]) * 0x100000001b3ull; /* FNV-1a */
  }
  s->sum = sum;
}

snug_status snug__backup_flush(snug__backup_stream *s) {
  SNUG_TRY(snug__replace_write(&s->out, s->buffer, s->n));
  s->n = 0;
  return SNUG_OK;
}

static snug_status put_bytes(snug__backup_stream *s, const unsigned char *bytes, size_t n) {
  while (n > 0) {
    size_t part = n < SNUG__BACKUP_BUFFER - s->n ? n : SNUG__BACKUP_BUFFER - s->n;
    memcpy(s->buffer + s->n, bytes, part);
    s->n += part;
    bytes += part;
    n -= part;
    if (s->n == SNUG__BACKUP_BUFFER) {
      SNUG_TRY(snug__backup_flush(s));
    }
  }
  return SNUG_OK;
}

static snug_status fill_buffer(snug__backup_stream *s) {
  ssize_t got = 0;
  do {
    got = read(s->fd, s->buffer, SNUG__BACKUP_BUFFER);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    return got < 0 ? snug__backup_fail_io(s) : snug__backup_damaged(s);
  }
  s->n = (size_t)got;
  s->at = 0;
  return SNUG_OK;
}

snug_status snug__backup_get(snug__backup_stream *s, void *to, size_t n) {
  unsigned char *at = to;
  while (n > 0) {
    if (s->at == s->n) {
      SNUG_TRY(fill_buffer(s));
    }
    size_t part = n < s->n - s->at ? n : s->n - s->at;
    add_to_sum(s, s->buffer + s->at, part);
    if (at) {
      memcpy(at, s->buffer + s->at, part);
      at += part;
    }
    s->at += part;
    n -= part;
  }
  return SNUG_OK;
}

/* ---- the parts of a walk ---- */

snug_status snug__backup_put(snug__backup_stream *s, const void *bytes, size_t n) {
  add_to_sum(s, bytes, n);
  return put_bytes(s, bytes, n);
}

snug_status snug__backup_keep(snug__backup_stream *s, void *bytes, size_t n) {
  return s->task == SNUG__WRITE ? snug__backup_put(s, bytes, n)
                                : snug__backup_get(s, s->task == SNUG__READ ? bytes : NULL, n);
}

snug_status snug__backup_count(snug__backup_stream *s, int64_t *value, int64_t most,
                               const char *what) {
  if (s->task == SNUG__WRITE) {
    return snug__backup_keep(s, value, sizeof *value);
  }
  int64_t there = 0;
  SNUG_TRY(snug__backup_get(s, &there, sizeof there));
  if (there < 0) {
    return snug__backup_damaged(s);
  }
  if (there > most) {
    return snug__fail(s->ctx, SNUG_E_STATE,
                      "%.300s is the backup of another fit: %s is %lld there and at most %lld "
                      "here; remove the folder to start anew",
                      s->path, what, (long long)there, (long long)most);
  }
  *value = there;
  return SNUG_OK;
}

snug_status snug__backup_expect(snug__backup_stream *s, int64_t here, const char *what) {
  int64_t there = here;
  if (s->task == SNUG__WRITE) {
    return snug__backup_keep(s, &there, sizeof there);
  }
  SNUG_TRY(snug__backup_get(s, &there, sizeof there));
  return there == here ? SNUG_OK
                       : snug__fail(s->ctx, SNUG_E_STATE,
                                    "%.300s is the backup of another fit: %s is %lld there and "
                                    "%lld here; remove the folder to start anew",
                                    s->path, what, (long long)there, (long long)here);
}

snug_status snug__backup_expect_text(snug__backup_stream *s, const char *here, const char *what) {
  int64_t n = (int64_t)strlen(here);
  int64_t length = n;
  bool same = true;
  SNUG_TRY(s->task == SNUG__WRITE ? snug__backup_keep(s, &length, sizeof length)
                                  : snug__backup_get(s, &length, sizeof length));
  same = length == n;
  for (int64_t i = 0; same && i < n; i++) {
    char there = here[i];
    SNUG_TRY(s->task == SNUG__WRITE ? snug__backup_keep(s, &there, 1)
                                    : snug__backup_get(s, &there, 1));
    same = there == here[i];
  }
  return same ? SNUG_OK
              : snug__fail(s->ctx, SNUG_E_STATE,
                           "%.300s is the backup of another fit: %s '%s' is not what it has there; "
                           "remove the folder to start anew",
                           s->path, what, here);
}

snug_status snug__backup_sum(snug__backup_stream *s) {
  uint64_t here = s->sum;
  uint64_t there = here;
  if (s->task == SNUG__WRITE) {
    return snug__backup_keep(s, &there, sizeof there);
  }
  SNUG_TRY(snug__backup_get(s, &there, sizeof there));
  return there == here ? SNUG_OK : snug__backup_damaged(s);
}
