#include "keras_state/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keras/archive.h"
#include "train/training.h"

#define IMAGES 12
#define PIXELS (8 * 8 * 3)

snug_status state_build(snug_ctx *ctx, bool is_graph, uint64_t seed, snug_model **out) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  o.seed = seed;
  SNUG_TRY(snug_model_create(ctx, &o, out));
  snug_model *m = *out;
  snug_tensor x = snug_model_input(m, "image", SNUG_FLOAT32, (const int64_t[]){8, 8, 3}, 3);
  x = snug_model_layer(m, "Conv2D", "filters=16 kernel_size=3 padding=same", &x, 1);
  x = snug_model_layer(m, "BatchNormalization", "momentum=0.9", &x, 1);
  snug_tensor y = snug_model_layer(
      m, "Conv2D", "name=second filters=16 kernel_size=3 padding=same activation=relu", &x, 1);
  y = is_graph ? snug_model_layer(m, "Add", NULL, (const snug_tensor[]){x, y}, 2) : y;
  y = snug_model_layer(m, "GlobalAveragePooling2D", NULL, &y, 1);
  snug_model_layer(m, "Dense", "units=3 activation=softmax kernel_regularizer=l2(0.01)", &y, 1);
  return snug_model_status(m);
}

snug_model *state_model(snug_ctx *ctx, bool is_graph) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, state_build(ctx, is_graph, 5, &m));
  return m;
}

snug_status state_compile(snug_model *m, const char *optimizer) {
  static const char *const loss = "sparse_categorical_crossentropy";
  static const char *const metrics[] = {"accuracy"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = optimizer;
  o.loss = &loss;
  o.n_loss = 1;
  o.metrics = metrics;
  o.n_metrics = 1;
  return snug_model_compile(m, &o);
}

snug_status state_fit(snug_model *m, int64_t epochs) {
  static float x[IMAGES * PIXELS];
  static int32_t y[IMAGES];
  for (int i = 0; i < IMAGES * PIXELS; i++) {
    x[i] = (float)(i * 7919 % 101) / 101.0f;
  }
  for (int i = 0; i < IMAGES; i++) {
    y[i] = i % 3;
  }
  const snug_array xs = {.data = x, .dtype = SNUG_FLOAT32, .rank = 4, .shape = {IMAGES, 8, 8, 3}};
  const snug_array ys = {.data = y, .dtype = SNUG_INT32, .rank = 1, .shape = {IMAGES}};
  const snug_data data = {.struct_size = sizeof data, .x = &xs, .n_x = 1, .y = &ys, .n_y = 1};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = 4;
  o.epochs = epochs;
  o.no_shuffle = true;
  return snug_fit(m, &data, &o, NULL);
}

snug_model *state_saved(snug_ctx *ctx, snug_model *m, const char *path) {
  snug_model *back = NULL;
  ASSERT_OK(ctx, snug_model_save(m, path));
  ASSERT_OK(ctx, snug_model_load(ctx, path, NULL, &back));
  return back;
}

/* ---- comparing ---- */

/* A schedule sets the rate before each step; what the last one left is not kept. */
static bool is_kept(const snug_model *m, const snug__variable *v) {
  bool is_scheduled = m->training && m->training->optimizer.schedule.kind;
  return v->kind == SNUG__WEIGHT ||
         (strncmp(v->name, "optimizer/", 10) == 0 &&
          !(is_scheduled && strcmp(v->name, "optimizer/learning_rate") == 0));
}

/* The bytes of a variable, or NULL. */
static const void *bytes_of(const snug_model *m, const snug__variable *v) {
  void *bytes = NULL;
  return snug__place_is_set(v->place) && !snug__variable_read(&m->variables, v, &bytes) ? bytes
                                                                                        : NULL;
}

static bool is_same_variable(const snug_model *one, const snug__variable *a,
                             const snug_model *other) {
  snug__id id = snug__variables_find(&other->variables, a->name);
  const snug__variable *b = id == SNUG_NONE ? NULL : snug__variable_at(&other->variables, id);
  if (!b || a->layout != b->layout || !snug__type_equal(&a->type, &b->type)) {
    return false;
  }
  snug__type stored = snug__variable_stored(a);
  const void *here = bytes_of(one, a);
  const void *there = bytes_of(other, b);
  return here && there && memcmp(here, there, (size_t)snug__type_bytes(&stored)) == 0;
}

static const char *first_difference(const snug_model *a, const snug_model *b) {
  for (snug__id i = 0; i < a->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&a->variables, i);
    if (is_kept(a, v) && !is_same_variable(a, v, b)) {
      return v->name;
    }
  }
  return NULL;
}

bool state_is_same(const snug_model *a, const snug_model *b) { return !first_difference(a, b); }

void state_assert_same(const snug_model *a, const snug_model *b) {
  const char *name = first_difference(a, b);
  ASSERT_EQ_TEXT(name ? name : "nothing differs", "nothing differs");
}

/* ---- files ---- */

const char *state_path(const char *name) {
  static struct { const char *name, *path; } known[16];
  int i = 0;
  while (known[i].name && strcmp(known[i].name, name) != 0) {
    i++;
  }
  if (!known[i].name) {
    known[i].name = name;
    known[i].path = test_path(name);
  }
  return known[i].path;
}

char *state_member(snug_ctx *ctx, const char *path, const char *member, size_t *bytes) {
  snug__archive *a = NULL;
  snug__range range;
  ASSERT_OK(ctx, snug__archive_open(ctx, path, &a));
  ASSERT_OK(ctx, snug__archive_range(a, member, INT64_MAX, &range));
  char *out = calloc((size_t)range.bytes + 1, 1);
  ASSERT_NOT_NULL(out);
  ASSERT_EQ_INT(pread(range.fd, out, (size_t)range.bytes, range.offset), range.bytes);
  *bytes = (size_t)range.bytes;
  snug__archive_close(a);
  return out;
}

int state_count_files(const char *path) {
  char folder[4096];
  int n = 0;
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  DIR *d = opendir(folder);
  ASSERT_NOT_NULL(d);
  for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
    n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  }
  closedir(d);
  return n;
}

/* A file that is the weights. */
static snug_status copy_weights(void *from, int fd, int64_t at, int64_t *bytes) {
  char piece[4096];
  ssize_t n = 0;
  for (*bytes = 0; (n = pread(*(const int *)from, piece, sizeof piece, *bytes)) > 0; *bytes += n) {
    ASSERT_EQ_INT(pwrite(fd, piece, (size_t)n, at + *bytes), n);
  }
  return SNUG_OK;
}

void state_write_archive(snug_ctx *ctx, const char *path, const char *version, const char *config,
                         const char *weights_path) {
  char metadata[256];
  snug__replace r;
  snprintf(metadata, sizeof metadata, "{\"keras_version\": \"%s\"}", version);
  int fd = open(weights_path, O_RDONLY | O_CLOEXEC);
  ASSERT_TRUE(fd >= 0);
  const snug__archive_content content = {.metadata = metadata,
                                         .config = config,
                                         .config_bytes = strlen(config),
                                         .write_weights = copy_weights,
                                         .user = &fd};
  ASSERT_OK(ctx, snug__replace_begin(&r, ctx, path));
  ASSERT_OK(ctx, snug__replace_end(&r, snug__archive_write(&r, &content)));
  close(fd);
}
