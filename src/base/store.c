#include "base/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/store_file.h"
#include "base/thread.h"

#define RING 64                /* transfers under way at most */
#define CHUNK (512 << 10)      /* bytes that a worker moves at a time */
#define STACK_BYTES (64 << 10) /* of a worker, with what the C library keeps for a thread */

typedef struct transfer {
  char *memory;
  int64_t offset, bytes;
  int64_t given;  /* bytes that a worker has taken on */
  int32_t moving; /* workers that are at it */
  bool is_write;
} transfer;

typedef struct chunk {
  transfer *of;
  char *memory;
  int64_t offset, bytes;
} chunk;

typedef struct worker {
  snug__store *store;
  pthread_t thread;
  bool is_running;
  char *buffer; /* CHUNK bytes, aligned for the disk */
} worker;

struct snug__store {
  snug_ctx *ctx;
  snug__store_calls calls;
  char folder[304];
  int fd;
  bool is_direct;
  void *memory; /* buffers and stacks */
  worker workers[SNUG__STORE_THREADS];
  pthread_mutex_t mutex; /* of all below */
  pthread_cond_t has_work, has_ended;
  transfer ring[RING]; /* ticket t is at t % RING */
  int64_t asked;       /* the last ticket */
  int64_t next;        /* the first that has bytes no worker has taken on, or asked + 1 */
  int error;           /* errno of the first failure, 0 if there was none */
  bool failed_writing;
  bool is_closing;
};

/* ---- moving ---- */

/* Where to go on after a call that moved this many bytes; direct calls end at whole pages. */
static int64_t progress(const snug__store *s, ssize_t moved) {
  return s->is_direct ? (int64_t)moved / SNUG__STORE_ALIGN * SNUG__STORE_ALIGN : (int64_t)moved;
}

/* Move all bytes between a buffer and the file; the errno of a failure, or 0. */
static int move_all(const snug__store *s, bool is_write, char *buffer, int64_t bytes,
                    int64_t offset) {
  for (int64_t at = 0; at < bytes;) {
    size_t n = (size_t)(bytes - at);
    ssize_t moved = is_write ? s->calls.write(s->fd, buffer + at, n, (off_t)(offset + at))
                             : s->calls.read(s->fd, buffer + at, n, (off_t)(offset + at));
    if (moved < 0 && errno == EINTR) {
      continue;
    }
    if (moved < 0) {
      return errno;
    }
    if (progress(s, moved) == 0) {
      return EIO;
    }
    at += progress(s, moved);
  }
  return 0;
}

static int move_chunk(const snug__store *s, char *buffer, const chunk *c, bool is_write) {
  int64_t whole = snug__round_up(c->bytes, SNUG__STORE_ALIGN);
  if (is_write) {
    memcpy(buffer, c->memory, (size_t)c->bytes);
  }
  int error = move_all(s, is_write, buffer, whole, c->offset);
  if (!is_write && !error) {
    memcpy(c->memory, buffer, (size_t)c->bytes);
  }
  if (!s->is_direct) {
    (void)posix_fadvise(s->fd, (off_t)c->offset, (off_t)whole, POSIX_FADV_DONTNEED);
  }
  return error;
}

/* ---- the workers ---- */

static bool is_over(const transfer *t) { return t->given == t->bytes && t->moving == 0; }

/* The next chunk that is not taken; false if there is none.  After a failure all are taken
 * on and none is moved. */
static bool take_chunk(snug__store *s, chunk *out) {
  while (s->next <= s->asked) {
    transfer *t = &s->ring[s->next % RING];
    if (s->error) {
      t->given = t->bytes;
      pthread_cond_signal(&s->has_ended);
    }
    if (t->given < t->bytes) {
      *out = (chunk){t, t->memory + t->given, t->offset + t->given,
                     snug__min_i64(CHUNK, t->bytes - t->given)};
      t->given += out->bytes;
      t->moving++;
      return true;
    }
    s->next++;
  }
  return false;
}

static void end_chunk(snug__store *s, const chunk *c, int error) {
  c->of->moving--;
  if (error && !s->error) {
    s->error = error;
    s->failed_writing = c->of->is_write;
  }
  if (is_over(c->of)) {
    pthread_cond_signal(&s->has_ended);
  }
}

static void *work(void *arg) {
  worker *w = arg;
  snug__store *s = w->store;
  pthread_mutex_lock(&s->mutex);
  while (!s->is_closing) {
    chunk c;
    if (!take_chunk(s, &c)) {
      pthread_cond_wait(&s->has_work, &s->mutex);
      continue;
    }
    bool is_write = c.of->is_write;
    pthread_mutex_unlock(&s->mutex);
    int error = move_chunk(s, w->buffer, &c, is_write);
    pthread_mutex_lock(&s->mutex);
    end_chunk(s, &c, error);
  }
  pthread_mutex_unlock(&s->mutex);
  return NULL;
}

static snug_status start_workers(snug__store *s, char *stacks) {
  int error = 0;
  char reason[128];
  for (int i = 0; i < SNUG__STORE_THREADS && !error; i++) {
    worker *w = &s->workers[i];
    error = snug__thread_start(&w->thread, stacks + (size_t)i * STACK_BYTES, STACK_BYTES, work, w);
    w->is_running = !error;
  }
  return error ? snug__fail(s->ctx, SNUG_E_MEMORY, "offload: no thread can be started: %s",
                            strerror_r(error, reason, sizeof reason))
               : SNUG_OK;
}

/* ---- opening and closing ---- */

#define MEMORY_BYTES (SNUG__STORE_ALIGN + SNUG__STORE_THREADS * (CHUNK + STACK_BYTES))

int64_t snug__store_cost(void) { return (int64_t)sizeof(snug__store) + MEMORY_BYTES; }

static snug_status start(snug__store *s, int64_t bytes) {
  SNUG_TRY(snug__take(s->ctx, SNUG__MEM_WORK, MEMORY_BYTES, &s->memory));
  char *aligned = s->memory;
  aligned += SNUG__STORE_ALIGN - (uintptr_t)aligned % SNUG__STORE_ALIGN;
  for (int i = 0; i < SNUG__STORE_THREADS; i++) {
    s->workers[i].store = s;
    s->workers[i].buffer = aligned + (size_t)i * CHUNK;
  }
  SNUG_TRY(snug__store_file(s->ctx, s->folder, bytes, &s->fd));
  s->is_direct = snug__store_file_direct(s->fd, aligned);
  return start_workers(s, aligned + (size_t)SNUG__STORE_THREADS * CHUNK);
}

snug_status snug__store_open(snug_ctx *ctx, const snug__store_options *o, snug__store **out) {
  static const snug__store_calls system = {pread, pwrite};
  snug__store *s = NULL;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_WORK, &s));
  *s = (snug__store){.ctx = ctx, .fd = -1, .next = 1};
  s->calls = o->calls ? *o->calls : system;
  snprintf(s->folder, sizeof s->folder, "%s", snug__store_folder(o->folder));
  pthread_mutex_init(&s->mutex, NULL);
  pthread_cond_init(&s->has_work, NULL);
  pthread_cond_init(&s->has_ended, NULL);
  snug_status status =
      start(s, snug__round_up(snug__max_i64(o->bytes, SNUG__STORE_ALIGN), SNUG__STORE_ALIGN));
  if (status) {
    snug__store_close(s);
    return status;
  }
  *out = s;
  return SNUG_OK;
}

static void stop_workers(snug__store *s) {
  pthread_mutex_lock(&s->mutex);
  s->is_closing = true;
  pthread_cond_broadcast(&s->has_work);
  pthread_mutex_unlock(&s->mutex);
  for (int i = 0; i < SNUG__STORE_THREADS; i++) {
    if (s->workers[i].is_running) {
      pthread_join(s->workers[i].thread, NULL);
    }
  }
}

void snug__store_close(snug__store *s) {
  if (!s) {
    return;
  }
  stop_workers(s);
  if (s->fd >= 0) {
    close(s->fd);
  }
  pthread_cond_destroy(&s->has_ended);
  pthread_cond_destroy(&s->has_work);
  pthread_mutex_destroy(&s->mutex);
  snug__give(s->ctx, SNUG__MEM_WORK, s->memory, MEMORY_BYTES);
  snug__give(s->ctx, SNUG__MEM_WORK, s, sizeof *s);
}

/* ---- asking and waiting ---- */

/* Whether a ticket's transfer is over; the place of an older one has been given to another. */
static bool ticket_is_over(const snug__store *s, int64_t ticket) {
  return ticket <= s->asked - RING || ticket > s->asked || is_over(&s->ring[ticket % RING]);
}

static void wait_for(snug__store *s, int64_t ticket) {
  while (ticket > 0 && !ticket_is_over(s, ticket)) {
    pthread_cond_wait(&s->has_ended, &s->mutex);
  }
}

static int64_t ask(snug__store *s, const transfer *t) {
  pthread_mutex_lock(&s->mutex);
  wait_for(s, s->asked + 1 - RING);
  int64_t ticket = ++s->asked;
  s->ring[ticket % RING] = *t;
  pthread_cond_broadcast(&s->has_work);
  pthread_mutex_unlock(&s->mutex);
  return ticket;
}

int64_t snug__store_write(snug__store *s, const void *from, int64_t offset, int64_t bytes) {
  transfer t = {(char *)(uintptr_t)from, offset, bytes, 0, 0, true};
  return ask(s, &t);
}

int64_t snug__store_read(snug__store *s, void *to, int64_t offset, int64_t bytes) {
  transfer t = {to, offset, bytes, 0, 0, false};
  return ask(s, &t);
}

snug_status snug__store_wait(snug__store *s, int64_t ticket) {
  pthread_mutex_lock(&s->mutex);
  wait_for(s, ticket);
  int error = s->error;
  pthread_mutex_unlock(&s->mutex);
  return error ? SNUG_E_IO : SNUG_OK;
}

void snug__store_settle(snug__store *s) {
  pthread_mutex_lock(&s->mutex);
  for (int64_t i = 0; i < RING; i++) {
    wait_for(s, s->asked - i);
  }
  pthread_mutex_unlock(&s->mutex);
}

snug_status snug__store_fail(const snug__store *s, const char *where) {
  char reason[128];
  return snug__fail(s->ctx, SNUG_E_IO, "%s: %s the file in %s failed: %s", where,
                    s->failed_writing ? "writing" : "reading", s->folder,
                    strerror_r(s->error, reason, sizeof reason));
}
