/* What is written here, read by the HDF5 library. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keras/h5_write.h"
#include "lib/test.h"

#define N_MANY 9000 /* so many that the tree of the group has three levels */

static const int64_t two_three[] = {2, 3};
static const float six[] = {0, 1, 2, 3, 4.5f, -1e30f};

static void write_file(snug_ctx *ctx, const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  const int64_t three[] = {3};
  const uint16_t halves[] = {1, 2, 0x3f80};
  const uint8_t bools[] = {1, 0, 1};
  const double real = -2.5;
  int64_t bytes = 0;
  char name[64];
  snug__h5_writer *w = NULL;
  ASSERT_OK(ctx, snug__h5_writer_open(ctx, fd, 0, &w));
  ASSERT_OK(ctx, snug__h5_write_group(w, "vars", "the model"));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/float32", SNUG_FLOAT32, 2, two_three, six));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/float64", SNUG_FLOAT64, 0, NULL, &real));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/float16", SNUG_FLOAT16, 1, three, halves));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/bfloat16", SNUG_BFLOAT16, 1, three, halves));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/bool", SNUG_BOOL, 1, three, bools));
  ASSERT_OK(ctx, snug__h5_write_data(w, "a/uint8", SNUG_UINT8, 1, three, bools));
  for (int32_t i = N_MANY - 1; i >= 0; i--) {
    snprintf(name, sizeof name, "many/%05d", i);
    ASSERT_OK(ctx, snug__h5_write_data(w, name, SNUG_INT32, 0, NULL, &i));
  }
  for (int32_t i = 0; i < 300; i++) { /* more texts than one heap holds */
    snprintf(name, sizeof name, "groups/a%d", i);
    ASSERT_OK(ctx, snug__h5_write_group(w, name, name));
  }
  ASSERT_OK(ctx, snug__h5_writer_close(w, &bytes));
  close(fd);
}

static hid_t open_written(void) {
  write_file(test_ctx(), test_path("w.h5"));
  hid_t file = H5Fopen(test_path("w.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_TRUE(file >= 0);
  return file;
}

static void read_as(hid_t file, const char *path, hid_t type, void *out) {
  hid_t data = H5Dopen2(file, path, H5P_DEFAULT);
  ASSERT_TRUE(data >= 0);
  ASSERT_TRUE(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
  H5Dclose(data);
}

static void check_text(hid_t file, const char *path, const char *name, const char *expected) {
  hid_t attribute = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_TRUE(attribute >= 0);
  hid_t type = H5Aget_type(attribute);
  char *text = NULL;
  ASSERT_TRUE(H5Tis_variable_str(type) > 0);
  ASSERT_EQ_INT(H5Tget_cset(type), H5T_CSET_UTF8);
  ASSERT_TRUE(H5Aread(attribute, type, &text) >= 0);
  ASSERT_EQ_TEXT(text, expected);
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(attribute);
}

TEST(values_are_read_by_hdf5) {
  hid_t file = open_written();
  float floats[6];
  double real = 0;
  int bytes[3];
  read_as(file, "a/float32", H5T_NATIVE_FLOAT, floats);
  ASSERT_EQ_BYTES(floats, six, sizeof six);
  read_as(file, "a/float64", H5T_NATIVE_DOUBLE, &real);
  ASSERT_NEAR(real, -2.5, 0);
  read_as(file, "a/float16", H5T_NATIVE_FLOAT, floats);
  ASSERT_NEAR(floats[2], 1.875, 0);
  read_as(file, "a/uint8", H5T_NATIVE_INT, bytes);
  ASSERT_EQ_INT(bytes[0] + 2 * bytes[1] + 4 * bytes[2], 5);
  check_text(file, "a/bfloat16", "dtype", "bfloat16");
  check_text(file, "vars", "name", "the model");
  check_text(file, "groups/a299", "name", "groups/a299");
  H5Fclose(file);
}

TEST(types_are_those_of_h5py) {
  hid_t file = open_written();
  hid_t data = H5Dopen2(file, "a/bfloat16", H5P_DEFAULT), type = H5Dget_type(data);
  ASSERT_EQ_INT(H5Tget_class(type), H5T_OPAQUE);
  ASSERT_EQ_UINT(H5Tget_size(type), 2);
  H5Tclose(type);
  H5Dclose(data);
  data = H5Dopen2(file, "a/bool", H5P_DEFAULT);
  type = H5Dget_type(data);
  signed char value = 0;
  ASSERT_EQ_INT(H5Tget_class(type), H5T_ENUM);
  ASSERT_TRUE(H5Tenum_valueof(type, "TRUE", &value) >= 0);
  ASSERT_EQ_INT(value, 1);
  H5Tclose(type);
  H5Dclose(data);
  data = H5Dopen2(file, "a/float32", H5P_DEFAULT);
  type = H5Dget_type(data);
  ASSERT_TRUE(H5Tequal(type, H5T_IEEE_F32LE) > 0);
  H5Tclose(type);
  H5Dclose(data);
  H5Fclose(file);
}

TEST(large_groups_are_read_by_hdf5) {
  hid_t file = open_written(), group = H5Gopen2(file, "many", H5P_DEFAULT);
  H5G_info_t info;
  ASSERT_TRUE(H5Gget_info(group, &info) >= 0);
  ASSERT_EQ_UINT(info.nlinks, N_MANY);
  for (int i = 0; i < N_MANY; i++) { /* each is found by its name, through the keys of the tree */
    char name[64];
    int value = -1;
    snprintf(name, sizeof name, "%05d", i);
    ASSERT_TRUE(H5Lexists(group, name, H5P_DEFAULT) > 0);
    if (i % 100 == 0) {
      read_as(group, name, H5T_NATIVE_INT, &value);
      ASSERT_EQ_INT(value, i);
    }
  }
  ASSERT_TRUE(H5Lexists(group, "09000", H5P_DEFAULT) == 0);
  H5Gclose(group);
  H5Fclose(file);
}

/* Others go on with the file: HDF5 adds to groups that were written here. */
TEST(hdf5_can_add_to_the_file) {
  H5Fclose(open_written());
  hid_t file = H5Fopen(test_path("w.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
  char name[64];
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "vars/new%d", i);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_TRUE(group >= 0);
    H5Gclose(group);
  }
  ASSERT_TRUE(H5Ldelete(file, "many/00500", H5P_DEFAULT) >= 0);
  ASSERT_TRUE(H5Fclose(file) >= 0);
  file = H5Fopen(test_path("w.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  float floats[6];
  read_as(file, "a/float32", H5T_NATIVE_FLOAT, floats);
  ASSERT_EQ_BYTES(floats, six, sizeof six);
  ASSERT_TRUE(H5Lexists(file, "vars/new99", H5P_DEFAULT) > 0);
  H5Fclose(file);
}
