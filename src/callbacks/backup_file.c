#include "callbacks/backup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"
#include "base/timings.h"
#include "callbacks/backup_callbacks.h"
#include "callbacks/backup_stream.h"
#include "ops/relayout.h"

typedef snug__backup_stream stream;

/* ---- the walk ---- */

/* Another order of the samples leaves no place in the middle of an epoch: it begins again. */
static snug_status walk_position(stream *s, snug__fit *f, const snug__backup_head *head) {
  const bool begins_again = head->change.order;
  const int64_t steps = begins_again ? INT64_MAX : f->steps;
  const int64_t batches = begins_again ? INT64_MAX : snug__feed_batches(&f->train);
  int64_t epochs = f->history->room;
  int64_t done = f->at.epoch - f->options.initial_epoch;
  int64_t stopped = f->at.stopped;
  snug__position p = f->at;
  SNUG_TRY(snug__backup_expect(s, f->options.initial_epoch, "initial_epoch"));
  SNUG_TRY(snug__backup_count(s, &done, epochs, "the number of epochs"));
  SNUG_TRY(snug__backup_count(s, &p.step, steps, "the next step"));
  SNUG_TRY(snug__backup_count(s, &p.batch, batches, "the next batch"));
  SNUG_TRY(snug__backup_count(s, &stopped, 1, "whether it has stopped"));
  SNUG_TRY(snug__backup_keep(s, &p.pass, sizeof p.pass));
  SNUG_TRY(snug__backup_keep(s, &f->model->training->passes, sizeof f->model->training->passes));
  p.epoch = f->options.initial_epoch + done;
  p.stopped = stopped != 0;
  p.step = begins_again ? 0 : p.step;
  p.batch = begins_again ? 0 : p.batch;
  if (s->task == SNUG__READ) {
    f->at = p;
  }
  return SNUG_OK;
}

static snug_status walk_history(stream *s, snug_history *h) {
  int64_t epochs = h->epochs;
  SNUG_TRY(snug__backup_expect(s, (int64_t)h->n, "the number of values in the logs"));
  for (size_t i = 0; i < h->n; i++) {
    SNUG_TRY(snug__backup_expect_text(s, h->names[i], "the value"));
  }
  SNUG_TRY(snug__backup_count(s, &epochs, h->room, "the number of epochs"));
  SNUG_TRY(snug__backup_keep(s, h->values, (size_t)epochs * h->n * sizeof *h->values));
  if (s->task == SNUG__READ) {
    h->epochs = epochs;
  }
  return SNUG_OK;
}

/* The layout in which a variable lies there.  Fails: E_FORMAT for one that is not for its rank. */
static snug_status walk_layout(stream *s, const snug__variable *v, snug__type *there) {
  char text[16] = "";
  _Static_assert(sizeof "oihw16i16o" <= sizeof text, "room for every name of a layout");
  memcpy(text, snug__layout_text(v->layout), strlen(snug__layout_text(v->layout)));
  if (s->task == SNUG__WRITE) {
    SNUG_TRY(snug__backup_keep(s, text, sizeof text));
  } else {
    SNUG_TRY(snug__backup_get(s, (unsigned char *)text, sizeof text));
  }
  text[sizeof text - 1] = 0;
  snug__layout layout = snug__layout_find(text);
  if (layout == SNUG__LAYOUT_COUNT || !snug__layout_is_for(layout, v->type.rank)) {
    return snug__backup_damaged(s);
  }
  *there = snug__type_in(v->type, layout);
  return snug__type_is_valid(there) ? SNUG_OK : snug__backup_damaged(s);
}

/* The bytes as they lie; those of another machine may lie in another layout. */
static snug_status walk_values(stream *s, const snug__variables *all, const snug__variable *v,
                               bool stays) {
  snug__type here = snug__variable_stored(v);
  snug__type there = here;
  SNUG_TRY(walk_layout(s, v, &there));
  size_t bytes = (size_t)snug__type_bytes(&there);
  void *bytes_here = snug__variable_host(all, v);
  if (s->task == SNUG__WRITE) {
    SNUG_TRY(snug__variable_read(all, v, &bytes_here));
  }
  if (stays && s->task != SNUG__WRITE) {
    return snug__backup_get(s, NULL, bytes);
  }
  if (there.layout == here.layout) {
    SNUG_TRY(snug__backup_keep(s, bytes_here, bytes));
    return s->task == SNUG__READ ? snug__variable_write(all, v) : SNUG_OK;
  }
  s->room_bytes = bytes > s->room_bytes ? bytes : s->room_bytes;
  SNUG_TRY(snug__backup_keep(s, s->room, bytes));
  if (s->task == SNUG__READ) {
    snug__relayout(&there, s->room, &here, bytes_here);
    return snug__variable_write(all, v);
  }
  return SNUG_OK;
}

/* A learning rate that was given anew is not read. */
static snug_status walk_variable(stream *s, const snug__variables *all, const snug__variable *v,
                                 const snug__backup_head *head) {
  bool stays = head->change.rate && strcmp(v->name, "optimizer/learning_rate") == 0;
  char what[3 * SNUG__NAME_BYTES];
  SNUG_TRY(snug__backup_expect_text(s, v->name, "the variable"));
  snprintf(what, sizeof what, "the shape or dtype of %s", v->name);
  SNUG_TRY(snug__backup_expect(s, v->type.dtype, what));
  SNUG_TRY(snug__backup_expect(s, v->type.rank, what));
  for (int32_t i = 0; i < v->type.rank; i++) {
    SNUG_TRY(snug__backup_expect(s, v->type.dim[i], what));
  }
  return walk_values(s, all, v, stays);
}

static snug_status walk_variables(stream *s, const snug_model *m, const snug__backup_head *head) {
  SNUG_TRY(snug__backup_expect(s, (int64_t)m->variables.list.n, "the number of variables"));
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    SNUG_TRY(walk_variable(s, &m->variables, snug__variable_at(&m->variables, i), head));
  }
  return SNUG_OK;
}

static snug_status walk(stream *s, snug__fit *f, const snug__backup_head *head) {
  s->sum = SNUG__KEY_START;
  SNUG_TRY(snug__backup_head_walk(s, f, head));
  SNUG_TRY(walk_history(s, f->history));
  SNUG_TRY(walk_position(s, f, head));
  SNUG_TRY(snug__backup_callbacks(s, f));
  SNUG_TRY(walk_variables(s, f->model, head));
  return snug__backup_sum(s);
}

/* ---- files ---- */

/* Of the head but for its settings and choices, and of a variable but for its values. */
#define BYTES_AROUND 65536
#define BYTES_PER_VARIABLE 1024

int64_t snug__backup_bytes(const snug__fit *f, const snug__backup_head *head) {
  const snug__variables *v = &f->model->variables;
  const snug_history *h = f->history;
  int64_t bytes = BYTES_AROUND + (int64_t)(head->settings.bytes + f->plan.choice.n_values) +
                  h->room * (int64_t)(h->n * sizeof *h->values) + snug__backup_callbacks_bytes(f);
  for (snug__id i = 0; i < v->list.n; i++) {
    snug__type stored = snug__variable_stored(snug__variable_at(v, i));
    bytes += snug__type_bytes(&stored) + BYTES_PER_VARIABLE;
  }
  return bytes;
}

snug_status snug__backup_write(const char *path, snug__fit *f, const snug__backup_head *head) {
  stream s = {.task = SNUG__WRITE, .ctx = f->model->ctx, .path = path, .fd = -1};
  SNUG_TRY(snug__replace_begin(&s.out, s.ctx, path));
  snug_status status = walk(&s, f, head);
  status = status ? status : snug__backup_flush(&s);
  if (status) {
    snug__replace_abandon(&s.out);
    return status;
  }
  return snug__replace_commit(&s.out);
}

/* found: whether there is a file; it is open then. */
static snug_status open_file(stream *s, bool *found) {
  struct stat info;
  s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *found = s->fd >= 0;
  if (s->fd < 0) {
    return errno == ENOENT || errno == ENOTDIR ? SNUG_OK : snug__backup_fail_io(s);
  }
  s->file_bytes = fstat(s->fd, &info) == 0 && S_ISREG(info.st_mode) ? (int64_t)info.st_size : 0;
  return SNUG_OK;
}

static snug_status read_again(stream *s, snug__fit *f, const snug__backup_head *head) {
  if (lseek(s->fd, 0, SEEK_SET) != 0) {
    return snug__backup_fail_io(s);
  }
  s->task = SNUG__READ;
  s->n = s->at = 0;
  return walk(s, f, head);
}

/* Before the first step the block is free, and it was planned; it has room for any gradient. */
static snug_status check_and_read(stream *s, snug__fit *f, const snug__backup_head *head) {
  SNUG_TRY(walk(s, f, head));
  s->room = snug__device_host(&s->ctx->queue, f->session.block.at);
  if (s->room && s->room_bytes <= (size_t)f->session.block_bytes) {
    return read_again(s, f, head);
  }
  SNUG_TRY(snug__take(s->ctx, SNUG__MEM_CALLBACKS, s->room_bytes, &s->room));
  snug_status status = read_again(s, f, head);
  snug__give(s->ctx, SNUG__MEM_CALLBACKS, s->room, s->room_bytes);
  return status;
}

snug_status snug__backup_plan(const char *path, snug__fit *f, snug__backup_head *head) {
  stream s = {.task = SNUG__CHECK, .ctx = f->model->ctx, .path = path, .sum = SNUG__KEY_START};
  bool found = false;
  SNUG_TRY(open_file(&s, &found));
  snug_status status = found ? snug__backup_head_read(&s, f, head) : SNUG_OK;
  if (found) {
    close(s.fd);
  }
  return status;
}

snug_status snug__backup_names(const char *path, snug_ctx *ctx, const char *output, bool *out) {
  stream s = {.task = SNUG__CHECK, .ctx = ctx, .path = path};
  bool found = false;
  *out = false;
  SNUG_TRY(open_file(&s, &found));
  snug_status status = found ? snug__backup_head_names(&s, output, out) : SNUG_OK;
  if (found) {
    close(s.fd);
  }
  return status;
}

snug_status snug__backup_read(const char *path, snug__fit *f, const snug__backup_head *head,
                              bool *found) {
  stream s = {.task = SNUG__CHECK, .ctx = f->model->ctx, .path = path};
  SNUG_TRY(open_file(&s, found));
  if (!*found) {
    return SNUG_OK;
  }
  snug_status status = check_and_read(&s, f, head);
  close(s.fd);
  return status;
}
