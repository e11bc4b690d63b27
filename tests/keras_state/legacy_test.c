/* Legacy files, as Keras 2 wrote them and keras.applications has them; made here with HDF5 itself.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keras/config.h"
#include "keras_state/support.h"

#define NAME_BYTES 64

/* ---- writing them ---- */

/* A list of texts of a fixed length, as an attribute; an empty one is of floats, as Python has it.
 */
static void write_texts(hid_t at, const char *name, const char *const *texts, hsize_t n) {
  char bytes[16][NAME_BYTES];
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, NAME_BYTES);
  memset(bytes, 0, sizeof bytes);
  for (hsize_t i = 0; i < n; i++) {
    snprintf(bytes[i], NAME_BYTES, "%s", texts[i]);
  }
  hid_t space = H5Screate_simple(1, &n, NULL);
  hid_t attribute =
      H5Acreate2(at, name, n ? type : H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
  if (n) {
    H5Awrite(attribute, type, bytes);
  }
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/* A dataset with its groups, filled with numbers from `first` on. */
static void write_data(hid_t at, const char *path, int rank, const hsize_t *dim, float first) {
  static float data[4096];
  for (int i = 0; i < 4096; i++) {
    data[i] = first + (float)i;
  }
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  hid_t space = H5Screate_simple(rank, dim, NULL);
  hid_t set = H5Dcreate2(at, path, H5T_NATIVE_FLOAT, space, links, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

typedef struct weight {
  const char *name;
  int rank;
  hsize_t dim[4];
} weight;

typedef struct layer {
  const char *name;
  weight weights[8];
} layer;

/* The n-th weight of the file begins with 1000 n. */
static void write_layer(hid_t root, const layer *l, int *count) {
  const char *names[8];
  hsize_t n = 0;
  hid_t group = H5Gcreate2(root, l->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (; l->weights[n].name; n++) {
    const weight *w = &l->weights[n];
    names[n] = w->name;
    write_data(group, w->name, w->rank, w->dim, 1000.0f * (float)(*count)++);
  }
  write_texts(group, "weight_names", names, n);
  H5Gclose(group);
}

static void write_file(const char *path, const char *group, const layer *layers, hsize_t n) {
  const char *names[8];
  int count = 0;
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t root = group ? H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : file;
  for (hsize_t i = 0; i < n; i++) {
    names[i] = layers[i].name;
    write_layer(root, &layers[i], &count);
  }
  if (n > 2) { /* as Keras splits long lists */
    write_texts(root, "layer_names0", names, 2);
    write_texts(root, "layer_names1", names + 2, n - 2);
  } else {
    write_texts(root, "layer_names", names, n);
  }
  if (group) {
    H5Gclose(root);
  }
  H5Fclose(file);
}

/* ---- reading them ---- */

static float first_of(snug_ctx *ctx, snug_model *m, const char *name) {
  static float data[4096];
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &w));
    if (strcmp(w.name, name) == 0) {
      ASSERT_OK(ctx, snug_model_weight_get(m, name, data, w.bytes));
      return data[0];
    }
  }
  test_fail(__FILE__, __LINE__, "there is no weight %s", name);
}

static snug_model *chain(snug_ctx *ctx) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  snug_model_add(m, "Dense", "units=3 name=here");
  snug_model_add(m, "Dropout", "rate=0.5");
  snug_model_add(m, "BatchNormalization", "name=norm");
  ASSERT_OK(ctx, snug_model_status(m));
  return m;
}

#define DENSE(name, rows, columns)              \
  {                                             \
    name, {                                     \
      {name "/kernel:0", 2, {rows, columns}}, { \
        name "/bias:0", 1, { columns }          \
      }                                         \
    }                                           \
  }
#define NORM(name, n)                                                       \
  {                                                                         \
    name, {                                                                 \
      {"gamma:0", 1, {n}}, {"beta:0", 1, {n}}, {"moving_mean:0", 1, {n}}, { \
        "moving_variance:0", 1, { n }                                       \
      }                                                                     \
    }                                                                       \
  }

static void reads_chain(const char *group) {
  static const layer layers[] = {
      {"input_1", {{0}}}, DENSE("d", 4, 3), {"drop", {{0}}}, NORM("bn", 3)};
  snug_ctx *ctx = test_ctx();
  snug_model *m = chain(ctx);
  const char *path = test_path("old.h5");
  write_file(path, group, layers, 4);
  ASSERT_OK(ctx, snug_model_load_weights(m, path));
  ASSERT_NEAR(first_of(ctx, m, "here/kernel"), 0.0, 0.0);
  ASSERT_NEAR(first_of(ctx, m, "here/bias"), 1000.0, 0.0);
  ASSERT_NEAR(first_of(ctx, m, "norm/gamma"), 2000.0, 0.0);
  ASSERT_NEAR(first_of(ctx, m, "norm/moving_variance"), 5000.0, 0.0);
  snug_model_destroy(m);
}

TEST(weights_alone) { reads_chain(NULL); }
TEST(of_a_whole_model) { reads_chain("model_weights"); }

static void refuses(const layer *layers, hsize_t n, const char *part) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = chain(ctx);
  const char *path = test_path("old.h5");
  float before = first_of(ctx, m, "here/kernel");
  write_file(path, NULL, layers, n);
  ASSERT_STATUS(ctx, snug_model_load_weights(m, path), SNUG_E_SHAPE, part);
  ASSERT_HAS(snug_message(ctx), "old.h5");
  ASSERT_NEAR(first_of(ctx, m, "here/kernel"), before, 0.0);
  snug_model_destroy(m);
}

TEST(another_shape) {
  static const layer layers[] = {DENSE("d", 4, 3), NORM("bn", 2)};
  refuses(layers, 2, "layer 'norm': 'bn/gamma:0' is float32[2]");
}

TEST(another_number_of_weights) {
  static const layer layers[] = {DENSE("d", 4, 3), DENSE("e", 3, 3)};
  refuses(layers, 2, "layer 'norm' has 4 weights in the model, and the file has 2");
}

TEST(fewer_layers) {
  static const layer layers[] = {DENSE("d", 4, 3)};
  refuses(layers, 1, "the file has fewer");
}

TEST(more_layers) {
  static const layer layers[] = {DENSE("d", 4, 3), NORM("bn", 3), DENSE("e", 3, 3)};
  refuses(layers, 3, "the file has more");
}

/* A nested model is one layer: its trainable weights first, then the others.  What is frozen counts
 * among the others. */
static const char nested[] =
    "{\"module\": \"keras\", \"class_name\": \"Sequential\", \"config\": {\"name\": \"m\", "
    "\"layers\": [{\"module\": \"keras.layers\", \"class_name\": \"InputLayer\", \"config\": "
    "{\"batch_shape\": [null, 2], \"dtype\": \"float32\", \"name\": \"x\"}}, {\"module\": "
    "\"keras\", \"class_name\": \"Sequential\", \"config\": {\"name\": \"inner\", \"layers\": "
    "[{\"module\": \"keras.layers\", \"class_name\": \"InputLayer\", \"config\": "
    "{\"batch_shape\": [null, 2], \"dtype\": \"float32\", \"name\": \"y\"}}, {\"module\": "
    "\"keras.layers\", \"class_name\": \"BatchNormalization\", \"config\": {\"name\": \"n\"}}, "
    "{\"module\": \"keras.layers\", \"class_name\": \"Dense\", \"config\": {\"name\": \"d\", "
    "\"units\": 2}}]}}]}}";

static void reads_nested(const char *frozen, const char *const names[6]) {
  static const layer layers[] = {{"inner",
                                  {{"a", 1, {2}},
                                   {"b", 1, {2}},
                                   {"c", 2, {2, 2}},
                                   {"d", 1, {2}},
                                   {"e", 1, {2}},
                                   {"f", 1, {2}}}}};
  static const layer others[] = {{"inner",
                                  {{"a", 2, {2, 2}},
                                   {"b", 1, {2}},
                                   {"c", 1, {2}},
                                   {"d", 1, {2}},
                                   {"e", 1, {2}},
                                   {"f", 1, {2}}}}};
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  const char *path = test_path("old.h5");
  ASSERT_OK(ctx, snug__keras_build(ctx, "m.keras", nested, strlen(nested), "", NULL, &m));
  if (frozen) {
    ASSERT_OK(ctx, snug_model_set_trainable(m, frozen, false));
  }
  write_file(path, NULL, frozen ? others : layers, 1);
  ASSERT_OK(ctx, snug_model_load_weights(m, path));
  for (int i = 0; i < 6; i++) {
    ASSERT_NEAR(first_of(ctx, m, names[i]), 1000.0 * i, 0.0);
  }
  snug_model_destroy(m);
}

TEST(nested_models) {
  static const char *const names[] = {"inner/n/gamma",       "inner/n/beta",
                                      "inner/d/kernel",      "inner/d/bias",
                                      "inner/n/moving_mean", "inner/n/moving_variance"};
  reads_nested(NULL, names);
}

TEST(nested_models_with_frozen_layers) {
  static const char *const names[] = {"inner/d/kernel",      "inner/d/bias",
                                      "inner/n/gamma",       "inner/n/beta",
                                      "inner/n/moving_mean", "inner/n/moving_variance"};
  reads_nested("inner/n", names);
}
