#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keras/archive.h"
#include "lib/fault.h"
#include "support.h"

enum { ROWS = 3, IN = 4, OUT = 2 };

static snug_model *make(snug_ctx *ctx, uint64_t seed, int units) {
  char config[64];
  snug_model_options options = SNUG_INIT(snug_model_options);
  snug_model *m = NULL;
  options.seed = seed;
  ASSERT_OK(ctx, snug_model_create(ctx, &options, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, (int64_t[]){IN}, 1);
  snprintf(config, sizeof config, "units=%d name=a activation=relu", units);
  x = snug_model_layer(m, "Dense", config, &x, 1);
  x = snug_model_layer(m, "Dense", "units=2 name=b", &x, 1);
  ASSERT_OK(ctx, snug_model_outputs(m, &x, 1));
  return m;
}

static void predict(snug_ctx *ctx, snug_model *m, float out[ROWS * OUT]) {
  static const float rows[ROWS * IN] = {1, 2, 3, 4, -1, 0.5f, 2, 0, 3, -2, 1, 1};
  const snug_array x = {rows, SNUG_FLOAT32, 2, {ROWS, IN}};
  const snug_data data = {sizeof data, &x, 1, NULL, 0, NULL};
  void *outs[] = {out};
  ASSERT_OK(ctx, snug_predict(m, &data, 0, outs, 1));
}

static void save(snug_ctx *ctx, const char *path, bool compiled) {
  snug_model *m = make(ctx, 1, 5);
  static const char *const loss[] = {"mse"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = "sgd(learning_rate=0.125, momentum=0.5)";
  o.loss = loss;
  o.n_loss = 1;
  if (compiled) {
    ASSERT_OK(ctx, snug_model_compile(m, &o));
  }
  ASSERT_OK(ctx, snug_model_save(m, path));
  snug_model_destroy(m);
}

TEST(a_model_comes_back_from_its_file) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("m.keras");
  float here[ROWS * OUT];
  float there[ROWS * OUT];
  snug_model *m = make(ctx, 1, 5);
  predict(ctx, m, here);
  snug_model_destroy(m);
  save(ctx, path, true);
  ASSERT_OK(ctx, snug_model_load(ctx, path, NULL, &m));
  predict(ctx, m, there);
  ASSERT_EQ_BYTES(here, there, sizeof here);
  ASSERT_NEAR(snug_model_learning_rate(m), 0.125, 0.0);
  ASSERT_EQ_UINT(m->keras->compiles, 1);
  snug_model_destroy(m);
}

TEST(how_it_is_compiled_may_be_left_out) {
  snug_ctx *ctx = test_ctx();
  snug_load_options o = SNUG_INIT(snug_load_options);
  const char *path = test_path("m.keras");
  snug_model *m = NULL;
  o.no_compile = true;
  save(ctx, path, true);
  ASSERT_OK(ctx, snug_model_load(ctx, path, &o, &m));
  ASSERT_EQ_UINT(snug_model_metrics(m).n, 0);
  snug_model_destroy(m);
}

TEST(weights_alone_come_from_both_kinds_of_file) {
  snug_ctx *ctx = test_ctx();
  const char *paths[] = {test_path("m.keras"), test_path("m.weights.h5")};
  float here[ROWS * OUT];
  snug_model *m = make(ctx, 1, 5);
  predict(ctx, m, here);
  snug_model_destroy(m);
  for (size_t i = 0; i < SNUG_COUNT(paths); i++) {
    float there[ROWS * OUT];
    save(ctx, paths[i], false);
    m = make(ctx, 2, 5);
    predict(ctx, m, there);
    ASSERT_TRUE(memcmp(here, there, sizeof here) != 0);
    ASSERT_OK(ctx, snug_model_load_weights(m, paths[i]));
    predict(ctx, m, there);
    ASSERT_EQ_BYTES(here, there, sizeof here);
    snug_model_destroy(m);
  }
}

TEST(weights_of_another_model_change_nothing) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("m.weights.h5");
  float before[ROWS * OUT];
  float after[ROWS * OUT];
  snug_model *m = make(ctx, 2, 6);
  predict(ctx, m, before);
  save(ctx, path, false);
  ASSERT_STATUS(ctx, snug_model_load_weights(m, path), SNUG_E_SHAPE, path);
  predict(ctx, m, after);
  ASSERT_EQ_BYTES(before, after, sizeof before);
  snug_model_destroy(m);
}

static void write_file(const char *path, const char *content) {
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  ASSERT_TRUE(fputs(content, f) >= 0);
  ASSERT_EQ_INT(fclose(f), 0);
}

TEST(files_that_are_no_models) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("m.keras");
  snug_model *m = make(ctx, 1, 5);
  snug_model *out = m;
  ASSERT_STATUS(ctx, snug_model_load(ctx, test_path("none.keras"), NULL, &out), SNUG_E_IO,
                "none.keras");
  ASSERT_NULL(out);
  write_file(path, "not a zip");
  ASSERT_STATUS(ctx, snug_model_load(ctx, path, NULL, &out), SNUG_E_FORMAT, path);
  ASSERT_STATUS(ctx, snug_model_load_weights(m, path), SNUG_E_FORMAT, path);
  ASSERT_STATUS(ctx, snug_model_load_weights(m, test_path("none.h5")), SNUG_E_IO, "none.h5");
  write_file(test_path("m.h5"), "not HDF5");
  ASSERT_STATUS(ctx, snug_model_load_weights(m, test_path("m.h5")), SNUG_E_FORMAT, "m.h5");
  write_file(path, "\x89HDF\r\n\x1a\n");
  ASSERT_STATUS(ctx, snug_model_load(ctx, path, NULL, &out), SNUG_E_UNSUPPORTED,
                "is HDF5, not a .keras file");
  ASSERT_STATUS(ctx, snug_model_load(ctx, NULL, NULL, &out), SNUG_E_ARGUMENT, "path");
  ASSERT_STATUS(ctx, snug_model_load_weights(m, NULL), SNUG_E_ARGUMENT, "path");
  snug_model_destroy(m);
}

/* A folder with these members, as an archive unpacks to. */
static const char *folder(const char *config, const char *weights) {
  static char json[CONFIG_BYTES];
  char path[512];
  const char *at = test_path("folder.keras");
  ASSERT_TRUE(mkdir(at, 0700) == 0 || errno == EEXIST);
  snprintf(path, sizeof path, "%s/config.json", at);
  write_file(path, config_text(json, "%s", config));
  snprintf(path, sizeof path, "%s/model.weights.h5", at);
  unlink(path);
  if (weights) {
    write_file(path, weights);
  }
  return at;
}

#define WIDE(units) SEQUENTIAL("s", INPUT("x", "[null, 100000]") "," DENSE("a", units, "")) END

TEST(a_config_without_its_weights) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  ASSERT_STATUS(ctx, snug_model_load(ctx, folder(WIDE(2), NULL), NULL, &m), SNUG_E_FORMAT,
                "holds no weights");
  ASSERT_STATUS(ctx, snug_model_load(ctx, folder(WIDE(2), "x"), NULL, &m), SNUG_E_FORMAT,
                "folder.keras");
  ASSERT_STATUS(ctx, snug_model_load(ctx, folder(WIDE(1000000), "x"), NULL, &m), SNUG_E_FORMAT,
                "400004000000 bytes, and those in the file 1");
  ASSERT_NULL(m);
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  snug_status s = snug_model_load(ctx, arg, NULL, &m);
  snug_model_destroy(m);
  return s;
}

TEST(every_failure_of_memory) {
  char path[512];
  snug_ctx *ctx = test_ctx();
  snprintf(path, sizeof path, "%s", test_path("m.keras"));
  save(ctx, path, true);
  test_fault_sweep_stride(scenario, path, 13);
}
