/* snug_model_save: the weights go to a file without a name, in the folder of the target; then the
 * archive is written around them and takes the target's place. */
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

static bool ends_in(const char *path, const char *end) {
  size_t n = strlen(path);
  size_t k = strlen(end);
  return n > k && strcmp(path + n - k, end) == 0;
}

/* ---- a file without a name ---- */

static snug_status fail_file(snug_ctx *ctx, const char *path) {
  char reason[128];
  int code = errno;
  return snug__fail(ctx, SNUG_E_IO, "%s: cannot be written: %s", path,
                    strerror_r(code, reason, sizeof reason));
}

static snug_status open_beside(snug_ctx *ctx, const char *path, int *fd) {
  char folder[SNUG__PATH_BYTES];
  const char *slash = strrchr(path, '/');
  int n = slash == path ? 1 : slash ? (int)(slash - path) : 0;
  snprintf(folder, sizeof folder, "%.*s", n ? n : 1, n ? path : ".");
  *fd = snug__open_nameless(folder);
  return *fd < 0 ? fail_file(ctx, path) : SNUG_OK;
}

/* ---- weights ---- */

static snug_status write_weights(snug_model *m, int fd, int64_t *bytes) {
  snug__h5_writer *w = NULL;
  SNUG_TRY(snug__h5_writer_open(m->ctx, fd, &w));
  snug_status s = snug__keras_write_state(m, w);
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
static snug_status for_path(snug_ctx *ctx, const char *path, snug_status s) {
  char message[SNUG__MESSAGE_BYTES];
  memcpy(message, ctx->message, sizeof message);
  return s == SNUG_E_IO ? snug__fail(ctx, s, "%s: %s", path, message) : s;
}

static snug_status save_weights(snug_model *m, const char *path) {
  snug__replace r;
  int64_t bytes = 0;
  SNUG_TRY(snug__replace_begin(&r, m->ctx, path));
  snug_status s = for_path(m->ctx, path, write_weights(m, r.fd, &bytes));
  if (s) {
    snug__replace_abandon(&r);
    return s;
  }
  return snug__replace_commit(&r);
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

static snug_status save_archive(snug_model *m, const char *path, int fd, snug__text *config,
                                snug__text *metadata) {
  snug__archive_content content = {.weights_fd = fd};
  SNUG_TRY(snug__keras_patched(m, config));
  SNUG_TRY(print_metadata(m, metadata));
  SNUG_TRY(for_path(m->ctx, path, write_weights(m, fd, &content.weights_bytes)));
  content.metadata = snug__text_get(metadata);
  content.config = snug__text_get(config);
  content.config_bytes = config->chars.n;
  return snug__archive_write(m->ctx, path, &content);
}

static snug_status save_model(snug_model *m, const char *path) {
  snug__text config, metadata;
  int fd = -1;
  SNUG_TRY(open_beside(m->ctx, path, &fd));
  snug__text_init(&config, m->ctx, MOST_BYTES);
  snug__text_init(&metadata, m->ctx, METADATA_BYTES);
  snug_status s = save_archive(m, path, fd, &config, &metadata);
  snug__text_release(&metadata);
  snug__text_release(&config);
  close(fd);
  return s;
}

/* A model with a record and its weights; this ends building, so that what is described stays true.
 */
static snug_status make_ready(snug_model *m) {
  SNUG_TRY(snug__model_finish(m));
  SNUG_TRY(snug__model_commit_weights(m));
  return m->keras ? SNUG_OK : snug__keras_describe(m);
}

snug_status snug_model_save(snug_model *m, const char *path) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  bool is_weights = path && ends_in(path, ".weights.h5");
  if (!path || (!is_weights && !ends_in(path, ".keras"))) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "%s: a model is saved as name.keras, its weights alone as name.weights.h5",
                      path ? path : "(null)");
  }
  SNUG_TRY(make_ready(m));
  return is_weights ? save_weights(m, path) : save_model(m, path);
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
    return fail_file(m->ctx, "/dev/null");
  }
  snug_status s = snug__keras_patched(m, config);
  s = s ? s : write_weights(m, fd, &bytes);
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
  SNUG_TRY(make_ready(m));
  snug__text_init(&config, m->ctx, MOST_BYTES);
  snug_scope_begin(m->ctx, &scope);
  snug_status s = rehearse(m, &config);
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
  *room = (snug__save_room){0};
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
