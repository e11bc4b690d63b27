/* Files of real Keras versions and of h5py with all its options (tools/gen_keras_files.py). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "keras/h5.h"
#include "keras_files/walk.h"
#include "lib/fault.h"

typedef struct opened {
  snug_ctx *ctx;
  snug__archive *archive;
  snug__h5 *h5;
} opened;

static const char *data_path(const char *name, const char *ending) {
  static char path[512];
  snprintf(path, sizeof path, "%s/keras/%s%s", SNUG_TEST_DATA, name, ending);
  return path;
}

static opened open_file(const char *name) {
  opened o = {.ctx = test_ctx()};
  snug__range range;
  ASSERT_OK(o.ctx, snug__archive_open(o.ctx, data_path(name, ".keras"), &o.archive));
  ASSERT_OK(o.ctx, snug__archive_range(o.archive, "model.weights.h5", 1 << 20, &range));
  ASSERT_OK(o.ctx, snug__h5_open(o.ctx, name, &range, &o.h5));
  return o;
}

static void close_file(opened *o) {
  snug__h5_close(o->h5);
  snug__archive_close(o->archive);
}

/* A line of NAME.txt: path, dtype, shape, checksum. */
static void check_line(opened *o, char *line) {
  char *rest = NULL, shape[128] = "";
  char *path = strtok_r(line, " ", &rest), *dtype = strtok_r(NULL, " ", &rest);
  char *dims = strtok_r(NULL, " ", &rest), *crc = strtok_r(NULL, " \n", &rest);
  uint8_t values[8192];
  snug__h5_data d;
  ASSERT_OK(o->ctx, snug__h5_data_find(o->h5, path, &d));
  ASSERT_EQ_TEXT(snug_dtype_text(d.dtype), dtype);
  for (int32_t i = 0; i < d.rank; i++) {
    size_t n = strlen(shape);
    snprintf(shape + n, sizeof shape - n, "%s%lld", i ? "," : "", (long long)d.dim[i]);
  }
  ASSERT_EQ_TEXT(d.rank ? shape : "-", dims);
  ASSERT_TRUE((size_t)d.bytes <= sizeof values);
  ASSERT_OK(o->ctx, snug__h5_data_read(o->h5, &d, d.dtype, values));
  ASSERT_EQ_UINT(crc32(0, values, (uInt)d.bytes), strtoul(crc, NULL, 10));
}

static void check_file(const char *name) {
  opened o = open_file(name);
  char line[256];
  int n = 0;
  FILE *text = fopen(data_path(name, ".txt"), "r");
  ASSERT_NOT_NULL(text);
  for (; fgets(line, sizeof line, text); n++) {
    check_line(&o, line);
  }
  fclose(text);
  ASSERT_TRUE(n >= 14);
  close_file(&o);
}

TEST(keras_3_0_5) { check_file("keras-3.0.5"); }
TEST(keras_3_4_1) { check_file("keras-3.4.1"); }
TEST(keras_3_8_0) { check_file("keras-3.8.0"); }
TEST(keras_3_12_0) { check_file("keras-3.12.0"); }
TEST(keras_3_15_1) { check_file("keras-3.15.1"); }
TEST(contiguous) { check_file("earliest"); }
TEST(contiguous_of_latest_format) { check_file("latest"); }
TEST(compact) { check_file("compact"); }
TEST(chunks_in_a_tree) { check_file("chunked"); }
TEST(chunks_of_format_1_8) { check_file("v108-chunked"); }
TEST(chunks_shuffled_and_packed) { check_file("gzip"); }
TEST(chunks_in_an_array) { check_file("latest-chunked"); }
TEST(chunks_packed_in_an_array) { check_file("latest-gzip"); }
TEST(chunk_alone) { check_file("latest-single"); }

static void check_many(const char *name) {
  opened o = open_file(name);
  size_t n = 0;
  char text[64];
  ASSERT_OK(o.ctx, snug__h5_count(o.h5, "many", &n));
  ASSERT_EQ_UINT(n, 40);
  ASSERT_OK(o.ctx,
            snug__h5_text(o.h5, "many/a group with a name 39", "name", 0, text, sizeof text));
  ASSERT_EQ_TEXT(text, "number 39");
  ASSERT_OK(o.ctx, snug__h5_texts(o.h5, "", "layer_names", &n));
  ASSERT_EQ_UINT(n, 2);
  ASSERT_OK(o.ctx, snug__h5_text(o.h5, "", "layer_names", 1, text, sizeof text));
  ASSERT_EQ_TEXT(text, "three");
  ASSERT_STATUS(o.ctx, snug__h5_text(o.h5, "", "layer_names", 1, text, 5), SNUG_E_FORMAT,
                "5 bytes");
  ASSERT_OK(o.ctx, snug__h5_texts(o.h5, "", "list", &n)); /* list0 to list11 */
  ASSERT_EQ_UINT(n, 24);
  ASSERT_OK(o.ctx, snug__h5_text(o.h5, "", "list", 23, text, sizeof text));
  ASSERT_EQ_TEXT(text, "11b");
  close_file(&o);
}

TEST(many_names_in_trees) { check_many("earliest"); }
TEST(many_names_in_heaps) { check_many("latest"); }

TEST(what_lies_elsewhere_is_refused) {
  static const char *const files[] = {"earliest", "latest"};
  for (size_t i = 0; i < 2; i++) {
    opened o = open_file(files[i]);
    snug__h5_data d;
    ASSERT_STATUS(o.ctx, snug__h5_data_find(o.h5, "soft", &d), SNUG_E_FORMAT, "soft is a link");
    ASSERT_STATUS(o.ctx, snug__h5_data_find(o.h5, "elsewhere/x", &d), SNUG_E_FORMAT,
                  "elsewhere is a link");
    ASSERT_STATUS(o.ctx, snug__h5_data_find(o.h5, "outside", &d), SNUG_E_FORMAT,
                  "outside lies in another file");
    bool found = true;
    ASSERT_STATUS(o.ctx, snug__h5_has(o.h5, "soft/name", &found), SNUG_E_FORMAT, "soft is a link");
    ASSERT_FALSE(found);
    close_file(&o);
  }
}

TEST(values_are_converted) {
  opened o = open_file("earliest");
  snug__h5_data d;
  double real[105];
  float single[105];
  int64_t whole[105];
  uint8_t byte[105];
  uint16_t half[105];
  ASSERT_OK(o.ctx, snug__h5_data_find(o.h5, "values/big_f8", &d));
  ASSERT_TRUE(d.big_endian);
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_FLOAT32, single));
  ASSERT_NEAR(single[0], -40.25, 0);
  ASSERT_NEAR(single[1], -3.25, 0);
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_FLOAT64, real));
  ASSERT_NEAR(real[104], 104 * 37 % 101 - 40.25, 0);
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_INT64, whole));
  ASSERT_EQ_INT(whole[0], -40);
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_UINT8, byte));
  ASSERT_EQ_INT(byte[0], 0); /* the nearest that the type has */
  ASSERT_EQ_INT(byte[2], 33);
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_FLOAT16, half));
  ASSERT_EQ_INT(half[1], 0xc280);
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_BFLOAT16, half));
  ASSERT_EQ_INT(half[1], 0xc050);
  ASSERT_OK(o.ctx, snug__h5_data_find(o.h5, "values/bool", &d));
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_FLOAT64, real));
  ASSERT_NEAR(real[0] + real[2], 1, 0);
  ASSERT_OK(o.ctx, snug__h5_data_find(o.h5, "values/i8", &d));
  ASSERT_OK(o.ctx, snug__h5_data_read(o.h5, &d, SNUG_BOOL, byte));
  ASSERT_EQ_INT(byte[0], 1);
  close_file(&o);
}

static snug_status walk(snug_ctx *ctx, void *path) {
  test_walk w;
  ASSERT_TRUE(test_walk_archive(ctx, path, &w));
  /* The walk meets links on purpose: these failures are not what the sweep is about. */
  return w.first == SNUG_E_FORMAT ? SNUG_OK : w.first;
}

static void sweep(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s", data_path(name, ".keras"));
  test_fault_sweep_stride(walk, path, 7);
}

TEST(no_memory_in_old_file) { sweep("gzip"); }
TEST(no_memory_in_new_file) { sweep("latest"); }

/* What is unpacked goes to a file: memory does not grow with it. */
TEST(memory_is_bounded) {
  snug_ctx *ctx = test_ctx();
  test_walk w;
  ASSERT_TRUE(test_walk_archive(ctx, data_path("earliest", ".keras"), &w));
  ASSERT_EQ_INT(w.n_data, 14); /* of no elements: one; of another file: one */
  ASSERT_TRUE(w.n_groups >= 44);
  snug_memory_info memory = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &memory);
  ASSERT_TRUE(memory.peak < 300000);
}

static void unzip(const char *name, const char *folder) {
  snug_ctx *ctx = test_ctx();
  static const char *const members[] = {"config.json", "metadata.json", "model.weights.h5"};
  snug__archive *a = NULL;
  ASSERT_EQ_INT(mkdir(folder, 0700), 0);
  ASSERT_OK(ctx, snug__archive_open(ctx, data_path(name, ".keras"), &a));
  for (size_t i = 0; i < 3; i++) {
    char path[512], *text = NULL;
    size_t n = 0;
    ASSERT_OK(ctx, snug__archive_text(a, members[i], 1 << 20, &text, &n));
    snprintf(path, sizeof path, "%s/%s", folder, members[i]);
    FILE *f = fopen(path, "w");
    ASSERT_EQ_UINT(fwrite(text, 1, n, f), n);
    fclose(f);
    snug__give(ctx, SNUG__MEM_MODEL, text, n + 1);
  }
  snug__archive_close(a);
}

TEST(folders_are_read) {
  snug_ctx *ctx = test_ctx();
  const char *folder = test_path("model");
  snug__archive *a = NULL;
  snug__range range, again;
  test_walk w;
  unzip("keras-3.15.1", folder);
  ASSERT_TRUE(test_walk_archive(ctx, folder, &w));
  ASSERT_EQ_INT(w.first, SNUG_OK);
  ASSERT_EQ_INT(w.n_data, 16);
  ASSERT_OK(ctx, snug__archive_open(ctx, folder, &a));
  ASSERT_TRUE(snug__archive_has(a, "config.json"));
  ASSERT_FALSE(snug__archive_has(a, "model.weights.npz"));
  ASSERT_STATUS(ctx, snug__archive_range(a, "other", 10, &range), SNUG_E_FORMAT,
                "there is no other");
  ASSERT_STATUS(ctx, snug__archive_range(a, "config.json", 10, &range), SNUG_E_FORMAT,
                "at most 10 are read");
  ASSERT_STATUS(ctx, snug__archive_range(a, "..", 10, &range), SNUG_E_FORMAT, "is no file");
  ASSERT_OK(ctx, snug__archive_range(a, "model.weights.h5", 1 << 20, &range));
  ASSERT_OK(ctx, snug__archive_range(a, "model.weights.h5", 1 << 20, &again));
  ASSERT_EQ_INT(range.fd, again.fd);
  snug__archive_close(a);
}
