/* Writing an archive as Keras does: three stored members, the weights streamed from their file. */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/size.h"
#include "base/zip_write.h"
#include "keras/archive.h"

#define PIECE 65536

typedef struct text {
  const char *bytes;
  size_t n;
} text;

static snug_status give_text(const void *arg, snug__zip_put *put, void *user) {
  const text *t = arg;
  return put(user, t->bytes, t->n);
}

/* A part of a file, from its beginning. */
typedef struct part {
  snug_ctx *ctx;
  const char *path; /* of the archive, for messages */
  int fd;
  int64_t bytes;
} part;

static snug_status give_part(const void *arg, snug__zip_put *put, void *user) {
  const part *p = arg;
  uint8_t piece[PIECE];
  char reason[128];
  for (int64_t at = 0; at < p->bytes; at += PIECE) {
    size_t n = (size_t)snug__min_i64(PIECE, p->bytes - at);
    if (!snug__read_at(p->fd, piece, n, at)) {
      return snug__fail(p->ctx, SNUG_E_IO, "%s: the weights cannot be read back: %s", p->path,
                        errno ? strerror_r(errno, reason, sizeof reason) : "they end early");
    }
    SNUG_TRY(put(user, piece, n));
  }
  return SNUG_OK;
}

static snug_status add_text(snug__zip_writer *w, const char *name, text t) {
  snug__zip_content content = {give_text, &t, (int64_t)t.n};
  return snug__zip_add(w, name, &content, false);
}

static snug_status add_all(snug__zip_writer *w, const snug__archive_content *c) {
  part weights = {w->file.ctx, w->file.path, c->weights_fd, c->weights_bytes};
  snug__zip_content content = {give_part, &weights, c->weights_bytes};
  SNUG_TRY(add_text(w, "metadata.json", (text){c->metadata, strlen(c->metadata)}));
  SNUG_TRY(add_text(w, "config.json", (text){c->config, c->config_bytes}));
  return snug__zip_add(w, "model.weights.h5", &content, false);
}

snug_status snug__archive_write(snug_ctx *ctx, const char *path,
                                const snug__archive_content *content) {
  snug__zip_writer *w = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_SCRATCH, &w));
  snug_status s = snug__zip_begin(w, ctx, path);
  if (!s) {
    s = add_all(w, content);
    s = s ? s : snug__zip_commit(w);
    snug__zip_abandon(w);
  }
  snug__give(ctx, SNUG__MEM_SCRATCH, w, sizeof *w);
  return s;
}
