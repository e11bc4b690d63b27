/* snug_model_save: all is written beside, the weights in their place within the archive; then it
 * takes the target's place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/heap.h"
#include "keras/archive.h"
#include "keras/describe.h"
#include "keras/json_print.h"
#include "keras/save.h"
#include "keras/slots.h"
#include "keras/state.h"

#define MOST_BYTES ((size_t)1 << 30)
#define METADATA_BYTES 512
#define WIDE_BYTES \
  ((int64_t)1 << 30) /* from here on sizes stand in 64 bits, to be on the safe side */

static bool ends_in(const char *path, const char *end) {
  size_t n = strlen(path);
  size_t k = strlen(end);
  return n > k && strcmp(path + n - k, end) == 0;
}

/* ---- weights ---- */

/* What is written of a model. */
typedef struct part {
  snug_model *m;
  bool with_slots;
} part;

static snug_status write_weights(void *user, int fd, int64_t at, int64_t *bytes) {
  const part *p = user;
  snug_model *m = p->m;
  snug__h5_writer *w = NULL;
  SNUG_TRY(snug__h5_writer_open(m->ctx, fd, at, &w));
  snug_status s = snug__keras_write_state(m, w, p->with_slots);
  if (s) { /* what closing says is of no interest then, and must not hide s */
    char message[SNUG__MESSAGE_BYTES];
    memcpy(message, m->ctx->message, sizeof message);
    snug_status closed = snug__h5_writer_close(w, bytes);
    (void)closed;
    memcpy(m->ctx->message, message, sizeof message);
    return s;
  }
  return snug__h5_writer_close(w, bytes);
}

/* What cannot be written has no name of its own: the user knows the path. */
static snug_status for_path(const snug__replace *r, snug_status s) {
  char message[SNUG__MESSAGE_BYTES];
  memcpy(message, r->ctx->message, sizeof message);
  return s == SNUG_E_IO && strncmp(message, r->path, strlen(r->path)) != 0
             ? snug__fail(r->ctx, s, "%s: %s", r->path, message)
             : s;
}

/* ---- the archive ---- */

static snug_status print_metadata(const snug_model *m, snug__text *out) {
  struct tm now;
  char date[32];
  time_t seconds = time(NULL);
  const char *version = m->keras->version[0] ? m->keras->version : SNUG__KERAS_VERSION;
  if (!localtime_r(&seconds, &now) || !strftime(date, sizeof date, "%Y-%m-%d@%H:%M:%S", &now)) {
    return snug__fail(m->ctx, SNUG_E_INTERNAL, "there is no date");
  }
  SNUG_TRY(snug__text_add(out, "{\"keras_version\": "));
  SNUG_TRY(snug__json_print_text(version, out));
  return snug__text_add(out, ", \"date_saved\": \"%s\"}", date);
}

static snug_status write_archive(part *p, snug__replace *r, snug__text *config,
                                 snug__text *metadata) {
  snug_model *m = p->m;
  int64_t bytes = 0;
  SNUG_TRY(snug__keras_patched(m, config));
  SNUG_TRY(print_metadata(m, metadata));
  SNUG_TRY(snug__save_bytes(m, &bytes));
  const snug__archive_content content = {.metadata = snug__text_get(metadata),
                                         .config = snug__text_get(config),
                                         .config_bytes = config->chars.n,
                                         .write_weights = write_weights,
                                         .user = p,
                                         .is_wide = bytes > WIDE_BYTES};
  return snug__archive_write(r, &content);
}

static snug_status write_model(part *p, snug__replace *r) {
  snug__text config, metadata;
  snug__text_init(&config, r->ctx, MOST_BYTES);
  snug__text_init(&metadata, r->ctx, METADATA_BYTES);
  snug_status s = write_archive(p, r, &config, &metadata);
  snug__text_release(&metadata);
  snug__text_release(&config);
  return s;
}

snug_status snug__save_into(snug_model *m, const char *path, snug__replace *r, bool with_slots) {
  part p = {m, with_slots};
  bool weights_alone = ends_in(path, ".weights.h5");
  return for_path(r, weights_alone ? write_weights(&p, r->fd, 0, &r->at) : write_model(&p, r));
}

snug_status snug__save_check(snug_ctx *ctx, const char *path) {
  bool is_good = path && (ends_in(path, ".weights.h5") || ends_in(path, ".keras"));
  return is_good ? SNUG_OK
                 : snug__fail(ctx, SNUG_E_ARGUMENT,
                              "%s: a model is saved as name.keras, its weights alone as "
                              "name.weights.h5",
                              path ? path : "(null)");
}

/* This ends building, so that what is described stays true. */
snug_status snug__save_ready(snug_model *m) {
  SNUG_TRY(snug__model_finish(m));
  SNUG_TRY(snug__model_commit_weights(m));
  return m->keras ? SNUG_OK : snug__keras_describe(m);
}

snug_status snug_model_save(snug_model *m, const char *path) {
  snug__replace r;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__save_check(m->ctx, path));
  SNUG_TRY(snug__save_ready(m));
  SNUG_TRY(snug__replace_begin(&r, m->ctx, path));
  return snug__replace_end(&r, snug__save_into(m, path, &r, true));
}

/* ---- how much it will be ---- */

/* Of a file besides its values: a header for each, a group with its tree and its heap for each
 * place. */
#define BYTES_PER_VALUE 1024
#define BYTES_PER_PLACE 8192
#define BYTES_AROUND 65536

static snug_status add_slots(const snug_model *m, int64_t *bytes) {
  snug__vec list;
  snug__vec_init(&list, m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_slot), UINT32_MAX);
  snug_status s = snug__keras_slots_list(m, snug__keras_slots_are_old(m->keras->version), &list);
  for (size_t i = 0; i < list.n && !s; i++) {
    *bytes += snug__type_bytes(&SNUG_VEC(&list, snug__keras_slot, i).type) + BYTES_PER_VALUE;
  }
  snug__vec_release(&list);
  return s;
}

snug_status snug__save_bytes(const snug_model *m, int64_t *bytes) {
  *bytes = BYTES_AROUND + 2 * (int64_t)m->keras->config_bytes +
           (int64_t)m->keras->places.n * BYTES_PER_PLACE;
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    *bytes += snug__type_bytes(&snug__variable_at(&m->variables, i)->type) + BYTES_PER_VALUE;
  }
  return m->training ? add_slots(m, bytes) : SNUG_OK;
}

/* ---- saving while a fit runs ---- */

/* What a rehearsal does not see: states that are not made yet (a node and its path in the writer,
 * an entry in the list), a config that grows by some digits, and the archive's buffer. */
#define BYTES_PER_STATE 1024
#define BYTES_OF_ARCHIVE ((size_t)256 << 10)

static snug_status rehearse(snug_model *m, snug__text *config) {
  int64_t bytes = 0;
  int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    char reason[128];
    return snug__fail(m->ctx, SNUG_E_IO, "/dev/null: cannot be written: %s",
                      strerror_r(errno, reason, sizeof reason));
  }
  snug_status s = snug__keras_patched(m, config);
  s = s ? s : write_weights(&(part){m, true}, fd, 0, &bytes);
  close(fd);
  return s;
}

/* States number at most five to a trained weight. */
static size_t unseen_bytes(const snug_model *m, const snug__text *config) {
  size_t states = m->training ? 5 * m->training->n_trained + 3 : 0;
  return BYTES_OF_ARCHIVE + 2 * config->chars.capacity + states * BYTES_PER_STATE;
}

snug_status snug__save_room_take(snug_model *m, snug__save_room *room) {
  snug_scope scope;
  snug__text config;
  *room = (snug__save_room){0};
  SNUG_TRY(snug__save_ready(m));
  snug__text_init(&config, m->ctx, MOST_BYTES);
  snug_scope_begin(m->ctx, &scope);
  snug_status s = snug__save_bytes(m, &room->file_bytes);
  s = s ? s : rehearse(m, &config);
  size_t unseen = unseen_bytes(m, &config);
  snug__text_release(&config);
  snug_status ended = snug_scope_end(m->ctx, &scope);
  s = s ? s : ended;
  SNUG_TRY(s);
  size_t bytes = (size_t)(scope.peak - scope.start) + unseen;
  SNUG_TRY(snug__take(m->ctx, SNUG__MEM_CALLBACKS, bytes, &room->block));
  room->bytes = bytes;
  return SNUG_OK;
}

void snug__save_room_release(snug_model *m, snug__save_room *room) {
  snug__give(m->ctx, SNUG__MEM_CALLBACKS, room->block, room->bytes);
  room->block = NULL;
  room->bytes = 0;
}

snug_status snug__save_in_room(snug_model *m, const char *path, snug__save_room *room) {
  size_t bytes = room->bytes;
  snug__save_room_release(m, room);
  snug_status s = snug_model_save(m, path);
  if (!bytes) {
    return s;
  }
  snug__heap_trim(); /* what the save left free would be resident beside the room */
  snug_status taken = snug__take(m->ctx, SNUG__MEM_CALLBACKS, bytes, &room->block);
  room->bytes = taken ? 0 : bytes;
  return s ? s : taken;
}
