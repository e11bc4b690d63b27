/* Writing an archive as Keras does: three stored members, the weights written in their place. */
#include <string.h>

#include "keras/archive.h"

typedef struct text {
  const char *bytes;
  size_t n;
} text;

static snug_status give_text(const void *arg, snug__zip_put *put, void *user) {
  const text *t = arg;
  return put(user, t->bytes, t->n);
}

static snug_status add_text(snug__zip_writer *w, const char *name, text t) {
  snug__zip_content content = {give_text, &t, (int64_t)t.n};
  return snug__zip_add(w, name, &content, false);
}

static snug_status add_all(snug__zip_writer *w, const snug__archive_content *c) {
  SNUG_TRY(add_text(w, "metadata.json", (text){c->metadata, strlen(c->metadata)}));
  SNUG_TRY(add_text(w, "config.json", (text){c->config, c->config_bytes}));
  SNUG_TRY(snug__zip_add_written(w, "model.weights.h5", c->write_weights, c->user, c->is_wide));
  return snug__zip_finish(w);
}

snug_status snug__archive_write(snug__replace *file, const snug__archive_content *content) {
  snug__zip_writer w;
  snug__zip_begin(&w, file);
  snug_status s = add_all(&w, content);
  snug__zip_end(&w);
  return s;
}
