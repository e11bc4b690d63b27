/* What is written here is read here; Keras and h5py read it in tests/keras. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keras/archive.h"
#include "keras/h5.h"
#include "keras/h5_write.h"
#include "lib/fault.h"

static int new_file(const char *name) {
  int fd = open(test_path(name), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_TRUE(fd >= 0);
  return fd;
}

static const int64_t two_three[] = {2, 3};
static const float six[] = {0, 1, 2, 3, 4.5f, -1e30f};

static snug_status fill(snug__h5_writer *w) {
  static const uint16_t bfloats[] = {0x3f80, 0xc000, 0x0001};
  static const uint8_t bools[] = {1, 0, 1};
  static const int64_t big[] = {INT64_MAX - 1}, three[] = {3}, none[] = {0, 4};
  SNUG_TRY(snug__h5_write_group(w, "vars", "the model"));
  SNUG_TRY(snug__h5_write_data(w, "layers/dense/vars/0", SNUG_FLOAT32, 2, two_three, six));
  SNUG_TRY(snug__h5_write_data(w, "layers/dense/vars/1", SNUG_BFLOAT16, 1, three, bfloats));
  SNUG_TRY(snug__h5_write_data(w, "layers/dense/vars/2", SNUG_BOOL, 1, three, bools));
  SNUG_TRY(snug__h5_write_group(w, "layers/dense/vars", "d\xc3\xa9nse"));
  SNUG_TRY(snug__h5_write_data(w, "optimizer/vars/0", SNUG_INT64, 0, NULL, big));
  return snug__h5_write_data(w, "optimizer/vars/1", SNUG_FLOAT64, 2, none, NULL);
}

static snug_status write_file(snug_ctx *ctx, int fd, int64_t at, int64_t *bytes) {
  snug__h5_writer *w = NULL;
  SNUG_TRY(snug__h5_writer_open(ctx, fd, at, &w));
  snug_status s = fill(w);
  snug_status closed = snug__h5_writer_close(w, bytes);
  return s ? s : closed;
}

static snug__h5 *open_written(snug_ctx *ctx, const char *name) {
  snug__range range = {.fd = new_file(name)};
  snug__h5 *h5 = NULL;
  ASSERT_OK(ctx, write_file(ctx, range.fd, 0, &range.bytes));
  ASSERT_EQ_INT(lseek(range.fd, 0, SEEK_END), range.bytes);
  ASSERT_OK(ctx, snug__h5_open(ctx, "w.h5", &range, &h5));
  return h5;
}

TEST(values_come_back) {
  snug_ctx *ctx = test_ctx();
  snug__h5 *h5 = open_written(ctx, "w.h5");
  snug__h5_data d;
  float floats[6];
  int64_t whole = 0;
  ASSERT_OK(ctx, snug__h5_data_find(h5, "layers/dense/vars/0", &d));
  ASSERT_EQ_INT(d.dtype, SNUG_FLOAT32);
  ASSERT_EQ_INT(d.rank, 2);
  ASSERT_EQ_INT(d.dim[1], 3);
  ASSERT_OK(ctx, snug__h5_data_read(h5, &d, SNUG_FLOAT32, floats));
  ASSERT_EQ_BYTES(floats, six, sizeof six);
  ASSERT_OK(ctx, snug__h5_data_find(h5, "layers/dense/vars/1", &d));
  ASSERT_EQ_INT(d.dtype, SNUG_BFLOAT16);
  ASSERT_OK(ctx, snug__h5_data_read(h5, &d, SNUG_FLOAT32, floats));
  ASSERT_NEAR(floats[1], -2, 0);
  ASSERT_OK(ctx, snug__h5_data_find(h5, "layers/dense/vars/2", &d));
  ASSERT_EQ_INT(d.dtype, SNUG_BOOL);
  ASSERT_OK(ctx, snug__h5_data_find(h5, "optimizer/vars/0", &d));
  ASSERT_EQ_INT(d.rank, 0);
  ASSERT_OK(ctx, snug__h5_data_read(h5, &d, SNUG_INT64, &whole));
  ASSERT_EQ_INT(whole, INT64_MAX - 1);
  ASSERT_OK(ctx, snug__h5_data_find(h5, "optimizer/vars/1", &d));
  ASSERT_EQ_INT(d.bytes, 0);
  snug__h5_close(h5);
}

TEST(names_and_groups_come_back) {
  snug_ctx *ctx = test_ctx();
  snug__h5 *h5 = open_written(ctx, "w.h5");
  char text[64];
  size_t n = 0;
  ASSERT_OK(ctx, snug__h5_count(h5, "", &n));
  ASSERT_EQ_UINT(n, 3);
  ASSERT_OK(ctx, snug__h5_name(h5, "", 1, text, sizeof text));
  ASSERT_EQ_TEXT(text, "optimizer");
  ASSERT_OK(ctx, snug__h5_texts(h5, "layers/dense/vars", "name", &n));
  ASSERT_EQ_UINT(n, 1);
  ASSERT_OK(ctx, snug__h5_text(h5, "layers/dense/vars", "name", 0, text, sizeof text));
  ASSERT_EQ_TEXT(text, "d\xc3\xa9nse");
  ASSERT_OK(ctx, snug__h5_texts(h5, "layers", "name", &n));
  ASSERT_EQ_UINT(n, 0);
  static const char *const paths[] = {"layers/dense", "layers/dens", "layers/dense/vars/0/0"};
  for (size_t i = 0; i < SNUG_COUNT(paths); i++) {
    bool found = false;
    ASSERT_OK(ctx, snug__h5_has(h5, paths[i], &found));
    ASSERT_EQ_INT(found, i == 0);
  }
  snug__h5_data d;
  ASSERT_STATUS(ctx, snug__h5_data_find(h5, "layers", &d), SNUG_E_FORMAT, "w.h5: layers");
  ASSERT_STATUS(ctx, snug__h5_text(h5, "", "name", 0, text, sizeof text), SNUG_E_FORMAT, "w.h5");
  snug__h5_close(h5);
}

/* More names than one leaf, one node and one level of a tree hold: 8, 256, 8192. */
TEST(large_groups_come_back) {
  enum { N = 9000 };
  snug_ctx *ctx = test_ctx();
  snug__range range = {.fd = new_file("large.h5")};
  snug__h5_writer *w = NULL;
  snug__h5 *h5 = NULL;
  char path[64];
  size_t n = 0;
  ASSERT_OK(ctx, snug__h5_writer_open(ctx, range.fd, 0, &w));
  for (int32_t i = N - 1; i >= 0; i--) { /* so that each goes to the front of the list */
    snprintf(path, sizeof path, "optimizer/vars/%05d", i);
    ASSERT_OK(ctx, snug__h5_write_data(w, path, SNUG_INT32, 0, NULL, &i));
  }
  ASSERT_OK(ctx, snug__h5_writer_close(w, &range.bytes));
  ASSERT_OK(ctx, snug__h5_open(ctx, "large.h5", &range, &h5));
  ASSERT_OK(ctx, snug__h5_count(h5, "optimizer/vars", &n));
  ASSERT_EQ_UINT(n, N);
  for (int32_t i = 0; i < N; i += 997) {
    int32_t value = -1;
    snug__h5_data d;
    snprintf(path, sizeof path, "optimizer/vars/%05d", i);
    ASSERT_OK(ctx, snug__h5_data_find(h5, path, &d));
    ASSERT_OK(ctx, snug__h5_data_read(h5, &d, SNUG_INT32, &value));
    ASSERT_EQ_INT(value, i);
  }
  snug__h5_close(h5);
}

TEST(writer_refuses_what_is_there) {
  snug_ctx *ctx = test_ctx();
  snug__h5_writer *w = NULL;
  int64_t bytes = 0;
  float v = 1;
  ASSERT_OK(ctx, snug__h5_writer_open(ctx, new_file("w.h5"), 0, &w));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/b", SNUG_FLOAT32, 0, NULL, &v));
  ASSERT_STATUS(ctx, snug__h5_write_data(w, "a/b", SNUG_FLOAT32, 0, NULL, &v), SNUG_E_ARGUMENT,
                "a/b");
  ASSERT_STATUS(ctx, snug__h5_write_group(w, "a/b/c", NULL), SNUG_E_ARGUMENT, "a/b is a dataset");
  ASSERT_OK(ctx, snug__h5_writer_close(w, &bytes));
}

static snug_status write_weights(void *ctx, int fd, int64_t at, int64_t *bytes) {
  return write_file(ctx, fd, at, bytes);
}

static snug_status write_archive(snug_ctx *ctx, void *path) {
  const snug__archive_content content = {
      "{\"keras_version\": \"3\"}", "{\"a\": 1}", 8, write_weights, ctx, false};
  snug__replace r;
  SNUG_TRY(snug__replace_begin(&r, ctx, path));
  return snug__replace_end(&r, snug__archive_write(&r, &content));
}

static snug_status read_archive(snug_ctx *ctx, void *path) {
  snug__archive *a = NULL;
  snug__h5 *h5 = NULL;
  snug__range range;
  snug__h5_data d;
  char *text = NULL, name[64];
  size_t n = 0;
  float floats[6];
  SNUG_TRY(snug__archive_open(ctx, path, &a));
  snug_status s = snug__archive_text(a, "config.json", 100, &text, &n);
  s = s ? s : snug__archive_range(a, "model.weights.h5", 1 << 20, &range);
  s = s ? s : snug__h5_open(ctx, path, &range, &h5);
  s = s ? s : snug__h5_data_find(h5, "layers/dense/vars/0", &d);
  s = s ? s : snug__h5_data_read(h5, &d, SNUG_FLOAT32, floats);
  s = s ? s : snug__h5_text(h5, "vars", "name", 0, name, sizeof name);
  if (!s) {
    ASSERT_EQ_TEXT(text, "{\"a\": 1}");
    ASSERT_EQ_BYTES(floats, six, sizeof six);
    ASSERT_EQ_TEXT(name, "the model");
  }
  snug__h5_close(h5);
  snug__give(ctx, SNUG__MEM_MODEL, text, n + 1);
  snug__archive_close(a);
  return s;
}

TEST(archives_come_back) {
  snug_ctx *ctx = test_ctx();
  char path[256];
  snprintf(path, sizeof path, "%s", test_path("m.keras"));
  ASSERT_OK(ctx, write_archive(ctx, path));
  ASSERT_OK(ctx, read_archive(ctx, path));
}

TEST(no_memory_while_writing) {
  char path[256];
  snprintf(path, sizeof path, "%s", test_path("m.keras"));
  test_fault_sweep(write_archive, path);
}

TEST(no_memory_while_reading) {
  char path[256];
  snprintf(path, sizeof path, "%s", test_path("m.keras"));
  ASSERT_OK(test_ctx(), write_archive(test_ctx(), path));
  test_fault_sweep(read_archive, path);
}
