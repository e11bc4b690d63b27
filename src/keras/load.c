/* snug_model_load and snug_model_load_weights: the archive is opened, and what it holds goes to the
 * parts that know it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "keras/archive.h"
#include "keras/config.h"
#include "keras/describe.h"
#include "keras/json.h"
#include "keras/load_room.h"
#include "keras/state.h"
#include "train/training.h"

#define METADATA_BYTES ((size_t)1 << 20)
#define VERSION_BYTES 64

#define SMALL ((int64_t)64 << 20) /* bytes that raise no suspicion */

/* A weights file may hold, beside the weights, an optimizer's slots and numbers of twice the size,
 * and what HDF5 says of each; what is longer has another purpose.  And nothing is compressed by
 * more than a thousand but what was made for it. */
enum { MOST_SLOTS = 16, MOST_COMPRESSED = 1000 };

static int64_t weight_bytes(const snug_model *m) {
  int64_t bytes = 0;
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    const snug__type *type = &snug__variable_at(&m->variables, (snug__id)i)->type;
    if (!snug__add_i64(bytes, snug__type_bytes(type), &bytes)) {
      return INT64_MAX;
    }
  }
  return bytes;
}

/* ---- the model ---- */

/* The version of Keras that wrote an archive; "" if it does not say, as Keras never asks. */
static void read_version(snug_ctx *ctx, const char *path, const char *text, size_t bytes,
                         char version[VERSION_BYTES]) {
  snug__json *root = NULL;
  if (!snug__json_read(ctx, path, text, bytes, &root)) {
    const char *found = snug__json_text(snug__json_get(root, "keras_version"));
    snprintf(version, VERSION_BYTES, "%s", found ? found : "");
    snug__json_free(root);
  }
}

static snug_status read_metadata(snug__archive *a, snug_ctx *ctx, const char *path,
                                 char version[VERSION_BYTES]) {
  char *text = NULL;
  size_t bytes = 0;
  version[0] = 0;
  if (!snug__archive_has(a, "metadata.json")) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__archive_text(a, "metadata.json", METADATA_BYTES, &text, &bytes));
  read_version(ctx, path, text, bytes, version);
  snug__give(ctx, SNUG__MEM_MODEL, text, bytes + 1);
  return SNUG_OK;
}

static snug_status build(snug__archive *a, snug_ctx *ctx, const char *path,
                         const snug_load_options *options, snug_model **out) {
  char version[VERSION_BYTES];
  char *text = NULL;
  size_t bytes = 0;
  SNUG_TRY(read_metadata(a, ctx, path, version));
  SNUG_TRY(snug__archive_text(a, "config.json", SNUG__JSON_BYTES, &text, &bytes));
  snug_status s = snug__keras_build(ctx, path, text, bytes, version, options, out);
  snug__give(ctx, SNUG__MEM_MODEL, text, bytes + 1);
  return s;
}

/* ---- the weights ---- */

/* Before memory is taken for weights: whether the file can hold them. */
static snug_status check_size(const snug_model *m, const char *path, const snug__range *range) {
  int64_t bytes = weight_bytes(m);
  if (bytes > SMALL && (bytes - SMALL) / MOST_COMPRESSED > range->bytes) {
    return snug__fail(m->ctx, SNUG_E_FORMAT,
                      "%s: the weights of the model have %lld bytes, and those in the file %lld: "
                      "these are weights of another model",
                      path, (long long)bytes, (long long)range->bytes);
  }
  return SNUG_OK;
}

static snug_status find_weights(snug__archive *a, const snug_model *m, const char *path,
                                snug__range *out) {
  int64_t bytes = weight_bytes(m);
  int64_t most = bytes < INT64_MAX / 2 / MOST_SLOTS ? SMALL + MOST_SLOTS * bytes : INT64_MAX;
  if (!snug__archive_has(a, SNUG__KERAS_WEIGHTS)) {
    bool is_split = snug__archive_has(a, "model.weights.json");
    return snug__fail(m->ctx, is_split ? SNUG_E_UNSUPPORTED : SNUG_E_FORMAT,
                      "%s: holds no weights (%s)%s", path, SNUG__KERAS_WEIGHTS,
                      is_split ? ": they are split over several files; save the model in one" : "");
  }
  SNUG_TRY(snug__archive_range(a, SNUG__KERAS_WEIGHTS, most, out));
  return check_size(m, path, out);
}

/* Legacy files name their layers in an attribute, of the root or of a group. */
static snug_status is_legacy(snug__h5 *h5, bool *out) {
  size_t n = 0;
  SNUG_TRY(snug__h5_texts(h5, "", "layer_names", &n));
  SNUG_TRY(snug__h5_has(h5, "model_weights", out));
  *out = *out || n > 0;
  return SNUG_OK;
}

static snug_status read_weights(snug_model *m, snug__h5 *h5) {
  bool legacy = false;
  SNUG_TRY(is_legacy(h5, &legacy));
  return legacy ? snug__keras_read_legacy(m, h5) : snug__keras_read_weights(m, h5);
}

/* The optimizer goes on where it stopped, if the file is of one like it. */
static snug_status read_state(snug_model *m, snug__h5 *h5) {
  bool found = false;
  SNUG_TRY(snug__load_check_room(m, h5));
  SNUG_TRY(snug__keras_read_weights(m, h5));
  return m->training ? snug__keras_read_optimizer(m, h5, &found) : SNUG_OK;
}

static snug_status read_range(snug_model *m, const char *path, const snug__range *range,
                              snug_status (*read)(snug_model *m, snug__h5 *h5)) {
  snug__h5 *h5 = NULL;
  SNUG_TRY(snug__h5_open(m->ctx, path, range, &h5));
  snug_status s = read(m, h5);
  snug__h5_close(h5);
  return s;
}

/* ---- files of HDF5 ---- */

static const char signature[] = "\x89HDF\r\n\x1a\n";

/* Open a file that is HDF5 by its name or its first bytes; range->fd is -1 if it is not. */
static snug_status open_h5(snug_ctx *ctx, const char *path, snug__range *range) {
  char reason[128];
  char begin[sizeof signature - 1];
  struct stat stat;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  range->fd = -1;
  if (fd < 0 || fstat(fd, &stat) != 0) {
    snug_status s = snug__fail(ctx, SNUG_E_IO, "%s: cannot be opened: %s", path,
                               strerror_r(errno, reason, sizeof reason));
    return fd < 0 ? s : (close(fd), s);
  }
  bool has_signature = S_ISREG(stat.st_mode) &&
                       pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                       memcmp(begin, signature, sizeof begin) == 0;
  if (!has_signature && !(S_ISREG(stat.st_mode) && snug__ends_in(path, ".h5"))) {
    close(fd);
    return SNUG_OK;
  }
  *range = (snug__range){fd, 0, stat.st_size};
  return SNUG_OK;
}

/* Keras once kept whole models in HDF5; what they are made of is in another form there. */
static snug_status refuse_h5(snug_ctx *ctx, const char *path) {
  snug__range range;
  SNUG_TRY(open_h5(ctx, path, &range));
  if (range.fd < 0) {
    return SNUG_OK;
  }
  close(range.fd);
  return snug__fail(
      ctx, SNUG_E_UNSUPPORTED,
      "%s: is HDF5, not a .keras file: its weights can be loaded into a model that is "
      "there, or save the model as .keras with Keras",
      path);
}

/* ---- load ---- */

/* All weights will come from the file, or be set: what they start with need not be drawn. */
static void forget_initial_values(snug_model *m) {
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug__variable_at(&m->variables, (snug__id)i)->initial =
        (snug__initializer){SNUG__INIT_CONSTANT, 0.0, 0.0, NULL};
  }
}

static snug_status load(snug__archive *a, snug_ctx *ctx, const char *path,
                        const snug_load_options *options, snug_model **out) {
  snug__range range;
  bool has_weights = !options->no_weights;
  SNUG_TRY(build(a, ctx, path, options, out));
  SNUG_TRY(snug__load_check_weights(a, *out, path, options));
  if (has_weights) {
    SNUG_TRY(find_weights(a, *out, path, &range));
  }
  forget_initial_values(*out);
  SNUG_TRY(options->no_compile ? SNUG_OK : snug__keras_try_compile(*out, path));
  return has_weights ? read_range(*out, path, &range, read_state) : SNUG_OK;
}

snug_status snug_model_load(snug_ctx *ctx, const char *path, const snug_load_options *options,
                            snug_model **out) {
  snug_load_options o;
  snug__archive *a = NULL;
  snug_model *m = NULL;
  if (out) {
    *out = NULL;
  }
  if (!ctx || !path || !out) {
    return ctx ? snug__fail(ctx, SNUG_E_ARGUMENT, "load: there is no %s", path ? "out" : "path")
               : SNUG_E_ARGUMENT;
  }
  SNUG_TRY(SNUG__READ(ctx, snug_load_options, options, &o));
  SNUG_TRY(refuse_h5(ctx, path));
  SNUG_TRY(snug__archive_open(ctx, path, &a));
  snug__gate *gate = &ctx->account.gate;
  uint64_t before = snug__gate_tighten(gate, o.memory);
  snug_status s = load(a, ctx, path, &o, &m);
  s = s == SNUG_E_LIMIT && gate->refused ? snug__load_fail_early(a, ctx, path, &o, gate->refused)
                                         : s;
  snug__gate_set(gate, before);
  snug__archive_close(a);
  if (s) {
    snug_model_destroy(m);
    return s;
  }
  *out = m;
  return SNUG_OK;
}

/* ---- load weights ---- */

static snug_status load_from_archive(snug_model *m, const char *path) {
  snug__archive *a = NULL;
  snug__range range;
  SNUG_TRY(snug__archive_open(m->ctx, path, &a));
  snug_status s = find_weights(a, m, path, &range);
  s = s ? s : read_range(m, path, &range, read_weights);
  snug__archive_close(a);
  return s;
}

snug_status snug_model_load_weights(snug_model *m, const char *path) {
  snug__range range;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!path) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "load weights: there is no path");
  }
  SNUG_TRY(snug__model_finish(m));
  SNUG_TRY(snug__model_commit_weights(m)); /* ends building: what is described now stays true */
  SNUG_TRY(m->keras ? SNUG_OK : snug__keras_describe(m));
  SNUG_TRY(open_h5(m->ctx, path, &range));
  if (range.fd < 0) {
    return load_from_archive(m, path);
  }
  snug_status s = read_range(m, path, &range, read_weights);
  close(range.fd);
  return s;
}
