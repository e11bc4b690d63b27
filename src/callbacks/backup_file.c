#include "callbacks/backup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/size.h"
#include "ops/relayout.h"

#define BUFFER_BYTES 16384

typedef enum task { WRITE, CHECK, READ } task;

/* A file on its way in or out. */
typedef struct stream {
  task task;
  snug_ctx *ctx;
  const char *path;
  snug__replace out; /* WRITE */
  int fd;            /* CHECK, READ */
  void *room;        /* READ: for variables that lie in another layout there */
  size_t room_bytes;
  uint64_t sum;
  size_t n, at; /* bytes in the buffer, and the next of them to be read */
  unsigned char buffer[BUFFER_BYTES];
} stream;

/* ---- bytes ---- */

static snug_status fail_io(const stream *s) {
  char reason[128];
  return snug__fail(s->ctx, SNUG_E_IO, "%.300s: reading failed: %s", s->path,
                    strerror_r(errno, reason, sizeof reason));
}

static snug_status damaged(const stream *s) {
  return snug__fail(s->ctx, SNUG_E_FORMAT,
                    "%.300s is damaged; remove the folder to start the training anew", s->path);
}

static void add_to_sum(stream *s, const unsigned char *bytes, size_t n) {
  uint64_t sum = s->sum;
  for (size_t i = 0; i < n; i++) {
    sum = (sum ^ bytes[i]) * 0x100000001b3ull; /* FNV-1a */
  }
  s->sum = sum;
}

static snug_status flush(stream *s) {
  SNUG_TRY(snug__replace_write(&s->out, s->buffer, s->n));
  s->n = 0;
  return SNUG_OK;
}

static snug_status put_bytes(stream *s, const unsigned char *bytes, size_t n) {
  while (n > 0) {
    size_t part = n < BUFFER_BYTES - s->n ? n : BUFFER_BYTES - s->n;
    memcpy(s->buffer + s->n, bytes, part);
    s->n += part;
    bytes += part;
    n -= part;
    SNUG_TRY(s->n == BUFFER_BYTES ? flush(s) : SNUG_OK);
  }
  return SNUG_OK;
}

static snug_status fill_buffer(stream *s) {
  ssize_t got = 0;
  do {
    got = read(s->fd, s->buffer, BUFFER_BYTES);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    return got < 0 ? fail_io(s) : damaged(s);
  }
  s->n = (size_t)got;
  s->at = 0;
  return SNUG_OK;
}

/* Read n bytes; to nowhere if `to` is NULL. */
static snug_status get_bytes(stream *s, unsigned char *to, size_t n) {
  while (n > 0) {
    SNUG_TRY(s->at == s->n ? fill_buffer(s) : SNUG_OK);
    size_t part = n < s->n - s->at ? n : s->n - s->at;
    add_to_sum(s, s->buffer + s->at, part);
    if (to) {
      memcpy(to, s->buffer + s->at, part);
      to += part;
    }
    s->at += part;
    n -= part;
  }
  return SNUG_OK;
}

/* ---- the parts of a walk ---- */

/* Bytes that are kept here and set there. */
static snug_status keep(stream *s, void *bytes, size_t n) {
  if (s->task != WRITE) {
    return get_bytes(s, s->task == READ ? bytes : NULL, n);
  }
  add_to_sum(s, bytes, n);
  return put_bytes(s, bytes, n);
}

/* A number that bounds what follows: set already when the file is checked. */
static snug_status keep_count(stream *s, int64_t *value, int64_t most, const char *what) {
  if (s->task == WRITE) {
    return keep(s, value, sizeof *value);
  }
  int64_t there = 0;
  SNUG_TRY(get_bytes(s, (unsigned char *)&there, sizeof there));
  if (there < 0) {
    return damaged(s);
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

/* A number that must be the same here and there. */
static snug_status expect(stream *s, int64_t here, const char *what) {
  int64_t there = here;
  if (s->task == WRITE) {
    return keep(s, &there, sizeof there);
  }
  SNUG_TRY(get_bytes(s, (unsigned char *)&there, sizeof there));
  return there == here ? SNUG_OK
                       : snug__fail(s->ctx, SNUG_E_STATE,
                                    "%.300s is the backup of another fit: %s is %lld there and "
                                    "%lld here; remove the folder to start anew",
                                    s->path, what, (long long)there, (long long)here);
}

/* A name that must be the same here and there. */
static snug_status expect_text(stream *s, const char *here, const char *what) {
  int64_t n = (int64_t)strlen(here);
  int64_t length = n;
  bool same = true;
  SNUG_TRY(s->task == WRITE ? keep(s, &length, sizeof length)
                            : get_bytes(s, (unsigned char *)&length, sizeof length));
  same = length == n;
  for (int64_t i = 0; same && i < n; i++) {
    char there = here[i];
    SNUG_TRY(s->task == WRITE ? keep(s, &there, 1) : get_bytes(s, (unsigned char *)&there, 1));
    same = there == here[i];
  }
  return same ? SNUG_OK
              : snug__fail(s->ctx, SNUG_E_STATE,
                           "%.300s is the backup of another fit: %s '%s' is not what it has there; "
                           "remove the folder to start anew",
                           s->path, what, here);
}

/* ---- the walk ---- */

static snug_status walk_options(stream *s, const snug__fit *f) {
  const snug_fit_options *o = &f->options;
  const snug__feed *v = &f->validation;
  SNUG_TRY(expect_text(s, "snug backup", "the kind of file"));
  SNUG_TRY(expect(s, 1, "its version"));
  SNUG_TRY(expect(s, f->train.rows, "the number of samples"));
  SNUG_TRY(expect(s, f->train.batch, "batch_size"));
  SNUG_TRY(expect(s, f->steps, "the number of steps"));
  SNUG_TRY(expect(s, f->train.shuffled, "shuffle"));
  SNUG_TRY(expect(s, o->initial_epoch, "initial_epoch"));
  SNUG_TRY(expect(s, f->has_validation ? v->rows : 0, "the number of samples to validate with"));
  SNUG_TRY(expect(s, f->has_validation ? v->batch : 0, "validation_batch_size"));
  SNUG_TRY(expect(s, o->validation_steps, "validation_steps"));
  return expect(s, o->validation_freq, "validation_freq");
}

static snug_status walk_position(stream *s, snug__fit *f) {
  int64_t epochs = f->history->room;
  int64_t done = f->at.epoch - f->options.initial_epoch;
  int64_t stopped = f->at.stopped;
  snug__position p = f->at;
  SNUG_TRY(keep_count(s, &done, epochs, "the number of epochs"));
  SNUG_TRY(keep_count(s, &p.step, f->steps, "the next step"));
  SNUG_TRY(keep_count(s, &p.batch, snug__feed_batches(&f->train), "the next batch"));
  SNUG_TRY(keep_count(s, &stopped, 1, "whether it has stopped"));
  SNUG_TRY(keep(s, &p.pass, sizeof p.pass));
  SNUG_TRY(keep(s, &f->model->training->passes, sizeof f->model->training->passes));
  SNUG_TRY(keep(s, &f->model->seed, sizeof f->model->seed));
  p.epoch = f->options.initial_epoch + done;
  p.stopped = stopped != 0;
  if (s->task == READ) {
    f->at = p;
  }
  return SNUG_OK;
}

static snug_status walk_history(stream *s, snug_history *h) {
  int64_t epochs = h->epochs;
  SNUG_TRY(expect(s, (int64_t)h->n, "the number of values in the logs"));
  for (size_t i = 0; i < h->n; i++) {
    SNUG_TRY(expect_text(s, h->names[i], "the value"));
  }
  SNUG_TRY(keep_count(s, &epochs, h->room, "the number of epochs"));
  SNUG_TRY(keep(s, h->values, (size_t)epochs * h->n * sizeof *h->values));
  if (s->task == READ) {
    h->epochs = epochs;
  }
  return SNUG_OK;
}

static snug_status walk_callbacks(stream *s, const snug__fit *f) {
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    const snug_callback *c = &f->options.callbacks[i];
    size_t bytes = 0;
    void *state = c->state ? c->state(c->user, &bytes) : NULL;
    if (state && bytes) {
      SNUG_TRY(expect(s, (int64_t)bytes, "what a callback remembers, in bytes,"));
      SNUG_TRY(keep(s, state, bytes));
    }
  }
  return expect(s, -1, "what further callbacks remember, in bytes,");
}

/* The layout in which a variable lies there.  Fails: E_FORMAT for one that is not for its rank. */
static snug_status walk_layout(stream *s, const snug__variable *v, snug__type *there) {
  char text[16] = "";
  _Static_assert(sizeof "oihw16i16o" <= sizeof text, "room for every name of a layout");
  memcpy(text, snug__layout_text(v->layout), strlen(snug__layout_text(v->layout)));
  if (s->task == WRITE) {
    SNUG_TRY(keep(s, text, sizeof text));
  } else {
    SNUG_TRY(get_bytes(s, (unsigned char *)text, sizeof text));
  }
  text[sizeof text - 1] = 0;
  snug__layout layout = snug__layout_find(text);
  if (layout == SNUG__LAYOUT_COUNT || !snug__layout_is_for(layout, v->type.rank)) {
    return damaged(s);
  }
  *there = snug__type_in(v->type, layout);
  return snug__type_is_valid(there) ? SNUG_OK : damaged(s);
}

/* The bytes as they lie; those of another machine may lie in another layout. */
static snug_status walk_values(stream *s, const snug__variable *v) {
  snug__type here = snug__variable_stored(v);
  snug__type there = here;
  SNUG_TRY(walk_layout(s, v, &there));
  size_t bytes = (size_t)snug__type_bytes(&there);
  SNUG_TRY(s->task == WRITE ? snug__variable_fetch(v) : SNUG_OK);
  if (there.layout == here.layout) {
    SNUG_TRY(keep(s, v->data, bytes));
    return s->task == READ ? snug__variable_put(v) : SNUG_OK;
  }
  s->room_bytes = bytes > s->room_bytes ? bytes : s->room_bytes;
  SNUG_TRY(keep(s, s->room, bytes));
  if (s->task == READ) {
    snug__relayout(&there, s->room, &here, v->data);
    return snug__variable_put(v);
  }
  return SNUG_OK;
}

static snug_status walk_variable(stream *s, const snug__variable *v) {
  char what[3 * SNUG__NAME_BYTES];
  SNUG_TRY(expect_text(s, v->name, "the variable"));
  snprintf(what, sizeof what, "the shape or dtype of %s", v->name);
  SNUG_TRY(expect(s, v->type.dtype, what));
  SNUG_TRY(expect(s, v->type.rank, what));
  for (int32_t i = 0; i < v->type.rank; i++) {
    SNUG_TRY(expect(s, v->type.dim[i], what));
  }
  return walk_values(s, v);
}

static snug_status walk_variables(stream *s, const snug_model *m) {
  SNUG_TRY(expect(s, (int64_t)m->variables.list.n, "the number of variables"));
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    SNUG_TRY(walk_variable(s, snug__variable_at(&m->variables, i)));
  }
  return SNUG_OK;
}

/* The last number is the sum of all bytes before it. */
static snug_status walk_sum(stream *s) {
  uint64_t here = s->sum;
  uint64_t there = here;
  if (s->task == WRITE) {
    return keep(s, &there, sizeof there);
  }
  SNUG_TRY(get_bytes(s, (unsigned char *)&there, sizeof there));
  return there == here ? SNUG_OK : damaged(s);
}

static snug_status walk(stream *s, snug__fit *f) {
  s->sum = 0xcbf29ce484222325ull;
  SNUG_TRY(walk_options(s, f));
  SNUG_TRY(walk_history(s, f->history));
  SNUG_TRY(walk_position(s, f));
  SNUG_TRY(walk_callbacks(s, f));
  SNUG_TRY(walk_variables(s, f->model));
  return walk_sum(s);
}

/* ---- files ---- */

snug_status snug__backup_write(const char *path, snug__fit *f) {
  stream s = {.task = WRITE, .ctx = f->model->ctx, .path = path, .fd = -1};
  SNUG_TRY(snug__replace_begin(&s.out, s.ctx, path));
  snug_status status = walk(&s, f);
  status = status ? status : flush(&s);
  if (status) {
    snug__replace_abandon(&s.out);
    return status;
  }
  return snug__replace_commit(&s.out);
}

static snug_status read_again(stream *s, snug__fit *f) {
  if (lseek(s->fd, 0, SEEK_SET) != 0) {
    return fail_io(s);
  }
  s->task = READ;
  s->n = s->at = 0;
  return walk(s, f);
}

static snug_status check_and_read(stream *s, snug__fit *f) {
  SNUG_TRY(walk(s, f));
  SNUG_TRY(snug__take(s->ctx, SNUG__MEM_CALLBACKS, s->room_bytes, &s->room));
  snug_status status = read_again(s, f);
  snug__give(s->ctx, SNUG__MEM_CALLBACKS, s->room, s->room_bytes);
  return status;
}

snug_status snug__backup_read(const char *path, snug__fit *f, bool *found) {
  stream s = {.task = CHECK, .ctx = f->model->ctx, .path = path};
  s.fd = open(path, O_RDONLY | O_CLOEXEC);
  *found = s.fd >= 0;
  if (s.fd < 0) {
    return errno == ENOENT || errno == ENOTDIR ? SNUG_OK : fail_io(&s);
  }
  snug_status status = check_and_read(&s, f);
  close(s.fd);
  return status;
}
