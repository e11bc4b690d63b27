#include "keras_files/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "keras/h5.h"

#define MOST_ITEMS 400
#define MOST_DEPTH 8
#define MOST_BYTES (1 << 20)

typedef struct walking {
  snug_ctx *ctx;
  snug__h5 *h5;
  const char *path;
  test_walk *out;
  int32_t n_items;
  bool good;
} walking;

static bool note(walking *w, snug_status s) {
  if (s && !w->out->first) {
    w->out->first = s;
    snprintf(w->out->message, sizeof w->out->message, "%s", snug_message(w->ctx));
  }
  w->good = w->good &&
            (!s || s == SNUG_E_FORMAT || s == SNUG_E_IO || s == SNUG_E_MEMORY || s == SNUG_E_LIMIT);
  return !s;
}

static void read_data(walking *w, const snug__h5_data *d) {
  size_t n = d->bytes <= MOST_BYTES ? (size_t)d->bytes / snug_dtype_bytes(d->dtype) : 0;
  void *values = calloc(n + 1, 8);
  if (n == 0 || !values) {
    free(values);
    return;
  }
  w->out->n_data += note(w, snug__h5_data_read(w->h5, d, d->dtype, values));
  note(w, snug__h5_data_read(w->h5, d, SNUG_FLOAT32, values));
  note(w, snug__h5_data_read(w->h5, d, SNUG_INT32, values));
  free(values);
}

static void read_texts(walking *w, const char *path) {
  static const char *const names[] = {"name", "layer_names", "list3", "weight_names"};
  char text[256];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    size_t n = 0;
    note(w, snug__h5_texts(w->h5, path, names[k], &n));
    for (size_t i = 0; i < n && i < 4; i++) {
      w->out->n_texts += note(w, snug__h5_text(w->h5, path, names[k], i, text, sizeof text));
    }
  }
}

static void walk_group(walking *w, const char *path, int depth) {
  char name[256], below[2048];
  snug__h5_data d;
  size_t n = 0;
  read_texts(w, path);
  if (!note(w, snug__h5_count(w->h5, path, &n))) {
    return;
  }
  w->out->n_groups++;
  for (size_t i = 0; i < n && w->n_items++ < MOST_ITEMS; i++) {
    if (!note(w, snug__h5_name(w->h5, path, i, name, sizeof name))) {
      continue;
    }
    snprintf(below, sizeof below, "%s%s%s", path, *path ? "/" : "", name);
    if (snug__h5_data_find(w->h5, below, &d) == SNUG_OK) {
      read_data(w, &d);
    } else if (strstr(snug_message(w->ctx), "is no dataset") && depth < MOST_DEPTH) {
      walk_group(w, below, depth + 1);
    } else {
      note(w, SNUG_E_FORMAT);
    }
  }
}

static void walk_text(walking *w, snug__archive *a, const char *member) {
  char *text = NULL;
  size_t n = 0;
  if (note(w, snug__archive_text(a, member, MOST_BYTES, &text, &n))) {
    w->good = w->good && strlen(text) <= n;
    snug__give(w->ctx, SNUG__MEM_MODEL, text, n + 1);
  }
}

static void walk_h5(walking *w, const char *path, const snug__range *range) {
  if (note(w, snug__h5_open(w->ctx, path, range, &w->h5))) {
    walk_group(w, "", 0);
    snug__h5_close(w->h5);
  }
}

bool test_walk_h5(snug_ctx *ctx, const char *path, int fd, test_walk *out) {
  walking w = {.ctx = ctx, .path = path, .out = out, .good = true};
  snug__range range = {fd, 0, lseek(fd, 0, SEEK_END)};
  *out = (test_walk){.first = SNUG_OK};
  walk_h5(&w, path, &range);
  return w.good;
}

bool test_walk_archive(snug_ctx *ctx, const char *path, test_walk *out) {
  walking w = {.ctx = ctx, .path = path, .out = out, .good = true};
  snug__archive *a = NULL;
  snug__range range;
  *out = (test_walk){.first = SNUG_OK};
  if (!note(&w, snug__archive_open(ctx, path, &a))) {
    return w.good;
  }
  walk_text(&w, a, "config.json");
  walk_text(&w, a, "metadata.json");
  if (note(&w, snug__archive_range(a, "model.weights.h5", (int64_t)64 << 20, &range))) {
    walk_h5(&w, path, &range);
  }
  snug__archive_close(a);
  return w.good;
}
