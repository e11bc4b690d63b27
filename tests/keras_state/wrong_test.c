/* Files of other models, other orders of the optimizer's states, and places that cannot be written.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keras/h5_write.h"
#include "keras/slots.h"
#include "keras_state/support.h"
#include "train/training.h"

/* ---- weights of another model ---- */

static snug_model *dense(snug_ctx *ctx, const char *config, bool normalized) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  snug_model_add(m, "Dense", config);
  if (normalized) {
    snug_model_add(m, "BatchNormalization", NULL);
  }
  ASSERT_OK(ctx, snug_model_status(m));
  return m;
}

static void refuses(const char *saved, bool saved_normalized, const char *part) {
  snug_ctx *ctx = test_ctx();
  snug_model *from = dense(ctx, saved, saved_normalized);
  snug_model *to = dense(ctx, "units=3 name=d", true);
  float before[12], after[12];
  ASSERT_OK(ctx, snug_model_save(from, state_path("other.weights.h5")));
  ASSERT_OK(ctx, snug_model_weight_get(to, "d/kernel", before, sizeof before));
  ASSERT_STATUS(ctx, snug_model_load_weights(to, state_path("other.weights.h5")), SNUG_E_SHAPE,
                part);
  ASSERT_HAS(snug_message(ctx), "other.weights.h5");
  ASSERT_HAS(snug_message(ctx), "weights of another model");
  ASSERT_OK(ctx, snug_model_weight_get(to, "d/kernel", after, sizeof after));
  ASSERT_EQ_BYTES(before, after, sizeof before);
  snug_model_destroy(to);
  snug_model_destroy(from);
  test_ctx_end(ctx);
}

TEST(another_shape) {
  refuses("units=2", true, "layer 'd': 'layers/dense/vars/0' is float32[4,2]");
}
TEST(another_count) { refuses("units=3 use_bias=false", true, "layer 'd' has 2 weights"); }
/* The first layer fits; nothing of it is read before the second is known not to. */
TEST(another_layer) {
  refuses("units=3", false, "layer 'batch_normalization' has 4 weights in the model");
}

/* Keras 2.13 to 2.15 call the layers of a model otherwise. */
TEST(paths_of_keras_2) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = dense(ctx, "units=3 name=d", false);
  snug__h5_writer *w = NULL;
  int64_t bytes = 0;
  const float kernel[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const float bias[3] = {13, 14, 15};
  float found[12];
  const char *path = state_path("old.weights.h5");
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_OK(ctx, snug__h5_writer_open(ctx, fd, 0, &w));
  ASSERT_OK(ctx, snug__h5_write_data(w, "_layer_checkpoint_dependencies/dense/vars/0", SNUG_FLOAT32,
                                     2, (const int64_t[]){4, 3}, kernel));
  ASSERT_OK(ctx, snug__h5_write_data(w, "_layer_checkpoint_dependencies/dense/vars/1", SNUG_FLOAT32,
                                     1, (const int64_t[]){3}, bias));
  ASSERT_OK(ctx, snug__h5_writer_close(w, &bytes));
  close(fd);
  ASSERT_OK(ctx, snug_model_load_weights(m, path));
  ASSERT_OK(ctx, snug_model_weight_get(m, "d/kernel", found, sizeof found));
  ASSERT_EQ_BYTES(found, kernel, sizeof kernel);
  snug_model_destroy(m);
}

TEST(files_of_something_else) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = dense(ctx, "units=3 name=d", false);
  snug__h5_writer *w = NULL;
  int64_t bytes = 0;
  const char *path = state_path("table.weights.h5");
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_OK(ctx, snug__h5_writer_open(ctx, fd, 0, &w));
  ASSERT_OK(ctx, snug__h5_write_data(w, "table", SNUG_INT64, 0, NULL, &bytes));
  ASSERT_OK(ctx, snug__h5_writer_close(w, &bytes));
  close(fd);
  ASSERT_STATUS(ctx, snug_model_load_weights(m, path), SNUG_E_FORMAT,
                "holds no weights of a Keras model");
  snug_model_destroy(m);
}

/* ---- the optimizer ---- */

/* Write the states of m as Keras writes them, in one of the orders, the i-th of a type instead of
 * its own. */
static void write_states(snug_ctx *ctx, snug_model *m, bool is_old, size_t odd, size_t leave_out,
                         const char *path) {
  snug__h5_writer *w = NULL;
  snug__vec list;
  int64_t bytes = 0;
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_OK(ctx, snug__h5_writer_open(ctx, fd, 0, &w));
  ASSERT_OK(ctx, snug__h5_write_group(w, "vars", "m"));
  ASSERT_OK(ctx, snug__h5_write_group(w, "layers/dense/vars", "d"));
  for (int i = 0; i < 2; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, (snug__id)i);
    const char *name = i ? "layers/dense/vars/1" : "layers/dense/vars/0";
    ASSERT_OK(ctx, snug__h5_write_data(w, name, v->type.dtype, v->type.rank, v->type.dim,
                                       snug__place_pointer(v->place)));
  }
  snug__vec_init(&list, ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_slot), 1000);
  ASSERT_OK(ctx, snug__keras_slots_list(m, is_old, &list));
  for (size_t i = 0; i + leave_out < list.n; i++) {
    char name[64];
    const snug__keras_slot *slot = &SNUG_VEC(&list, snug__keras_slot, i);
    const snug__variable *v = snug__variable_at(&m->variables, slot->variable);
    const int64_t dim[] = {1};
    snprintf(name, sizeof name, "optimizer/vars/%zu", i);
    ASSERT_OK(ctx, i == odd ? snug__h5_write_data(w, name, SNUG_FLOAT32, 1, dim,
                                                  snug__place_pointer(v->place))
                            : snug__h5_write_data(w, name, v->type.dtype, v->type.rank, v->type.dim,
                                                  snug__place_pointer(v->place)));
  }
  snug__vec_release(&list);
  ASSERT_OK(ctx, snug__h5_writer_close(w, &bytes));
  close(fd);
}

static snug_status fit_dense(snug_model *m) {
  static const float x[8] = {1, 2, 3, 4, 4, 3, 2, 1};
  static const float y[6] = {1, 0, 1, 0, 1, 0};
  const snug_array xs = {.data = x, .dtype = SNUG_FLOAT32, .rank = 2, .shape = {2, 4}};
  const snug_array ys = {.data = y, .dtype = SNUG_FLOAT32, .rank = 2, .shape = {2, 3}};
  const snug_data data = {.struct_size = sizeof data, .x = &xs, .n_x = 1, .y = &ys, .n_y = 1};
  return snug_fit(m, &data, NULL, NULL);
}

static snug_model *trained_dense(snug_ctx *ctx, const char *optimizer) {
  static const char *const loss = "mse";
  snug_model *m = dense(ctx, "units=3 name=d", false);
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = optimizer;
  o.loss = &loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_compile(m, &o));
  ASSERT_OK(ctx, fit_dense(m));
  return m;
}

/* An archive of a trained model with its states in an order, said to be of a version. */
static snug_model *saved_as(snug_ctx *ctx, const char *optimizer, const char *version, bool is_old,
                            size_t odd, size_t leave_out) {
  snug_model *m = trained_dense(ctx, optimizer);
  size_t n = 0;
  char path[512];
  snprintf(path, sizeof path, "%s", state_path("plain.keras"));
  ASSERT_OK(ctx, snug_model_save(m, path));
  char *config = state_member(ctx, path, "config.json", &n);
  write_states(ctx, m, is_old, odd, leave_out, state_path("states.h5"));
  state_write_archive(ctx, state_path("made.keras"), version, config, state_path("states.h5"));
  free(config);
  return m;
}

static void reads_order(const char *optimizer, const char *version, bool is_old) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = saved_as(ctx, optimizer, version, is_old, SIZE_MAX, 0);
  snug_model *back = NULL;
  ASSERT_OK(ctx, snug_model_load(ctx, state_path("made.keras"), NULL, &back));
  state_assert_same(m, back);
  ASSERT_OK(ctx,
            snug_model_save(back, state_path("again.keras"))); /* in the order of its version */
  snug_model *again = NULL;
  ASSERT_OK(ctx, snug_model_load(ctx, state_path("again.keras"), NULL, &again));
  state_assert_same(m, again);
  snug_model_destroy(again);
  snug_model_destroy(back);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(orders_of_nadam) {
  reads_order("nadam", "3.9.2", true);
  reads_order("nadam", "3.10.0", false);
  reads_order("nadam", "3.10.0", true); /* the shapes tell */
  reads_order("nadam", "", true);
  reads_order("nadam", "3.8.0", false);
}

TEST(orders_of_averages_beside_sums) {
  reads_order("adam(use_ema=true, gradient_accumulation_steps=2)", "3.9.0", true);
  reads_order("adam(use_ema=true, gradient_accumulation_steps=2)", "3.12.0", false);
  reads_order("adam(use_ema=true, gradient_accumulation_steps=2)", "3.12.0", true);
}

TEST(versions_have_orders) {
  ASSERT_TRUE(snug__keras_slots_are_old("3.9.2"));
  ASSERT_TRUE(snug__keras_slots_are_old("2.15.0"));
  ASSERT_FALSE(snug__keras_slots_are_old("3.10.0"));
  ASSERT_FALSE(snug__keras_slots_are_old("4.0"));
  ASSERT_FALSE(snug__keras_slots_are_old(""));
  ASSERT_FALSE(snug__keras_slots_are_old("new"));
}

/* As Keras: another number of states is no failure, and the optimizer starts anew. */
TEST(another_number_of_states_starts_anew) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = saved_as(ctx, "adam", "3.12.0", false, SIZE_MAX, 1);
  snug_model *back = NULL;
  ASSERT_OK(ctx, snug_model_load(ctx, state_path("made.keras"), NULL, &back));
  ASSERT_NOT_NULL(back->training);
  ASSERT_FALSE(snug__place_is_set(back->training->state));
  snug_model_destroy(back);
  snug_model_destroy(m);
}

TEST(states_of_another_shape) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = saved_as(ctx, "adam", "3.12.0", false, 3, 0);
  snug_model *back = NULL;
  ASSERT_STATUS(ctx, snug_model_load(ctx, state_path("made.keras"), NULL, &back), SNUG_E_SHAPE,
                "'optimizer/vars/3' is float32[1]");
  ASSERT_NULL(back);
  snug_model_destroy(m);
}

static void refuses_step(int64_t iteration, float rate) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = trained_dense(ctx, "SGD");
  snug_model *back = NULL;
  size_t n = 0;
  ASSERT_OK(ctx, snug_model_save(m, state_path("plain.keras")));
  char *config = state_member(ctx, state_path("plain.keras"), "config.json", &n);
  snug__id at = snug__variables_find(&m->variables, "optimizer/iteration");
  *(int64_t *)snug__place_pointer(snug__variable_at(&m->variables, at)->place) = iteration;
  at = snug__variables_find(&m->variables, "optimizer/learning_rate");
  *(float *)snug__place_pointer(snug__variable_at(&m->variables, at)->place) = rate;
  write_states(ctx, m, false, SIZE_MAX, 0, state_path("states.h5"));
  state_write_archive(ctx, state_path("made.keras"), "3.12.0", config, state_path("states.h5"));
  ASSERT_STATUS(ctx, snug_model_load(ctx, state_path("made.keras"), NULL, &back), SNUG_E_FORMAT,
                "the optimizer's state has");
  free(config);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

TEST(steps_that_cannot_be) {
  refuses_step(-1, 0.5f);
  refuses_step(INT64_MAX, 0.5f);
  refuses_step(3, -0.5f);
  refuses_step(3, (float)NAN);
}

/* ---- places ---- */

TEST(names_of_files) {
  static const char *const names[] = {"model.h5", "model", ".keras", "model.keras.zip", ""};
  snug_ctx *ctx = test_ctx();
  snug_model *m = dense(ctx, "units=3", false);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    ASSERT_STATUS(ctx, snug_model_save(m, names[i]), SNUG_E_ARGUMENT, "name.keras");
  }
  ASSERT_STATUS(ctx, snug_model_save(m, NULL), SNUG_E_ARGUMENT, "name.keras");
  ASSERT_EQ_INT(snug_model_save(NULL, "a.keras"), SNUG_E_ARGUMENT);
  snug_model_destroy(m);
}

TEST(folders_that_are_not_there) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = dense(ctx, "units=3", false);
  ASSERT_STATUS(ctx, snug_model_save(m, state_path("none/model.keras")), SNUG_E_IO, "model.keras");
  ASSERT_STATUS(ctx, snug_model_save(m, state_path("none/a.weights.h5")), SNUG_E_IO,
                "a.weights.h5");
  snug_model_destroy(m);
}

TEST(what_keras_has_not) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = dense(ctx, "units=3 name=a/b", false);
  ASSERT_STATUS(ctx, snug_model_save(m, state_path("m.keras")), SNUG_E_UNSUPPORTED, "a/b");
  snug_model_destroy(m);
  m = dense(ctx, "units=3 activation=leaky_relu(0.1)", false);
  ASSERT_STATUS(ctx, snug_model_save(m, state_path("m.keras")), SNUG_E_UNSUPPORTED, "LeakyReLU");
  ASSERT_EQ_INT(state_count_files(state_path("m.keras")), 0);
  snug_model_destroy(m);
}
