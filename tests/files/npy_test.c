/* `.npy` and IDX files as NumPy and others write them: every dtype, order and version. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files/open.h"
#include "graph/type.h"

/* The files hold 0, 1, 2, ... in the shape [3,2,4]; sign -1: their negatives. */
static void expect_counting(const char *name, snug_dtype dtype, double sign) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_named(ctx, name, &a));
  ASSERT_EQ_UINT(snug_arrays_count(a), 1);
  ASSERT_EQ_TEXT(snug_arrays_name(a, 0), "x");
  ASSERT_NULL(snug_arrays_find(a, "x")->data);
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_TRUE(x == snug_arrays_find(a, "x"));
  ASSERT_EQ_INT(x->dtype, dtype);
  ASSERT_EQ_INT(x->rank, 3);
  ASSERT_TRUE(x->shape[0] == 3 && x->shape[1] == 2 && x->shape[2] == 4);
  for (int64_t i = 0; i < 24; i++) {
    double expected = dtype == SNUG_BOOL ? (double)(i % 2) : sign * (double)i;
    ASSERT_NEAR(snug__element_get(dtype, x->data, i), expected, 0);
  }
  snug_arrays_destroy(a);
}

TEST(every_dtype_is_read) {
  expect_counting("f2.npy", SNUG_FLOAT16, 1);
  expect_counting("f4.npy", SNUG_FLOAT32, 1);
  expect_counting("f8.npy", SNUG_FLOAT64, 1);
  expect_counting("i1.npy", SNUG_INT8, 1);
  expect_counting("i2.npy", SNUG_INT32, 1);
  expect_counting("i4.npy", SNUG_INT32, 1);
  expect_counting("i8.npy", SNUG_INT64, 1);
  expect_counting("u1.npy", SNUG_UINT8, 1);
  expect_counting("u2.npy", SNUG_INT32, 1);
  expect_counting("u4.npy", SNUG_INT64, 1);
  expect_counting("u8.npy", SNUG_INT64, 1);
  expect_counting("b1.npy", SNUG_BOOL, 1);
}

TEST(high_bytes_may_come_first) {
  expect_counting("big_f2.npy", SNUG_FLOAT16, 1);
  expect_counting("big_f4.npy", SNUG_FLOAT32, 1);
  expect_counting("big_f8.npy", SNUG_FLOAT64, 1);
  expect_counting("big_i2.npy", SNUG_INT32, 1);
  expect_counting("big_i4.npy", SNUG_INT32, 1);
  expect_counting("big_i8.npy", SNUG_INT64, 1);
  expect_counting("big_u2.npy", SNUG_INT32, 1);
  expect_counting("big_u4.npy", SNUG_INT64, 1);
  expect_counting("big_u8.npy", SNUG_INT64, 1);
}

TEST(signs_survive_widening) { expect_counting("negative_i2.npy", SNUG_INT32, -1); }

TEST(fortran_order_is_turned) {
  expect_counting("fortran_f4.npy", SNUG_FLOAT32, 1);
  expect_counting("fortran_big_i2.npy", SNUG_INT32, 1);
}

TEST(every_version_is_read) {
  expect_counting("version2.npy", SNUG_FLOAT32, 1);
  expect_counting("version3.npy", SNUG_FLOAT32, 1);
}

TEST(idx_of_every_type_is_read) {
  expect_counting("u1.idx", SNUG_UINT8, 1);
  expect_counting("i1.idx", SNUG_INT8, 1);
  expect_counting("i2.idx", SNUG_INT32, 1);
  expect_counting("i4.idx", SNUG_INT32, 1);
  expect_counting("f4.idx", SNUG_FLOAT32, 1);
  expect_counting("f8.idx", SNUG_FLOAT64, 1);
}

TEST(an_array_without_samples_is_read) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_named(ctx, "empty.npy", &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_TRUE(x->rank == 2 && x->shape[0] == 0 && x->shape[1] == 4 && x->data);
  snug_arrays_destroy(a);
}

static void expect_refused(const char *name, snug_status code, const char *part) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  ASSERT_STATUS(ctx, open_named(ctx, name, &a), code, part);
  ASSERT_HAS(snug_message(ctx), name);
  ASSERT_NULL(a);
}

TEST(what_is_no_number_is_refused_with_the_way_out) {
  expect_refused("objects.npy", SNUG_E_UNSUPPORTED, "pickle");
  expect_refused("texts.npy", SNUG_E_UNSUPPORTED, "'<U3': texts; save numbers");
  expect_refused("bytes.npy", SNUG_E_UNSUPPORTED, "'|S3': texts; save numbers");
  expect_refused("complex.npy", SNUG_E_UNSUPPORTED, "a.real and a.imag");
  expect_refused("dates.npy", SNUG_E_UNSUPPORTED, "a.astype(\"int64\")");
  expect_refused("records.npy", SNUG_E_UNSUPPORTED, "fields");
  expect_refused("scalar.npy", SNUG_E_UNSUPPORTED, "a single number");
  expect_refused("seven_axes.npy", SNUG_E_UNSUPPORTED, "7 axes");
}

TEST(a_number_beyond_int64_is_refused_when_it_is_read) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  ASSERT_OK(ctx, open_named(ctx, "too_large_u8.npy", &a));
  ASSERT_STATUS(ctx, snug_arrays_get(a, "x", &x), SNUG_E_DATA, "9223372036854775808");
  ASSERT_NULL(x);
  ASSERT_NULL(snug_arrays_find(a, "x")->data);
  snug_arrays_destroy(a);
}

/* A `.npy` file of a header and so many bytes of elements. */
static snug_status open_header(snug_ctx *ctx, const char *path, const char *dictionary,
                               size_t elements) {
  unsigned char bytes[4096] = "\x93NUMPY\1";
  size_t n = strlen(dictionary);
  bytes[8] = (unsigned char)(n & 0xFF);
  bytes[9] = (unsigned char)(n >> 8);
  memcpy(bytes + 10, dictionary, n);
  spill(path, bytes, 10 + n + elements);
  return read_whole(ctx, path);
}

TEST(headers_are_read_as_python_would) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("header.npy");
  ASSERT_OK(ctx, open_header(ctx, path,
                             "{\"shape\":(2L,3L),\"descr\":\"|u1\",\"fortran_order\":False}\n", 6));
  ASSERT_OK(ctx, open_header(ctx, path,
                             " { 'fortran_order' : True , 'shape' : ( 6 , ) ,'descr':'?'} ", 6));
}

TEST(headers_that_lie_are_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("header.npy");
#define HEADER(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }\n"
  static const struct {
    const char *text, *part;
  } bad[] = {
      {HEADER("(3,)"), "its header says 12 bytes, the file has 8"},
      {HEADER("(1,)"), "has 4 bytes more"},
      {HEADER("(9223372036854775807, 9223372036854775807)"), "no memory can hold"},
      {HEADER("(4611686018427387904,)"), "no memory can hold"},
      {HEADER("(-1,)"), "not expected"},
      {HEADER("(99999999999999999999,)"), "not expected"},
      {HEADER("(2"), "not expected"},
      {HEADER("2"), "not expected"},
      {HEADER("(2 3)"), "not expected"},
      {"{'descr': '<f4', 'shape': (2,), }", "not one of NumPy"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "repeated key"},
      {"{'descr': '<f4', 'other': 1}", "unknown or repeated key \"other\""},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", "\"Maybe"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}", "not expected"},
      {"{'descr: ", "not expected"},
      {"[1, 2]", "\"[1, 2]\""},
      {"", "not expected"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ASSERT_STATUS(ctx, open_header(ctx, path, bad[i].text, 8), SNUG_E_FORMAT, bad[i].part);
    ASSERT_HAS(snug_message(ctx), "header.npy");
  }
}

TEST(dtypes_that_do_not_exist_are_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("header.npy");
  static const char *const bad[] = {"<f16", "<f3", "<i16", "f", "", "<", "<f4x", "<f-4", "<V2"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[128];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}", bad[i]);
    ASSERT_STATUS(ctx, open_header(ctx, path, text, 8), SNUG_E_UNSUPPORTED, bad[i]);
  }
}

TEST(a_header_of_4_gib_is_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("long.npy");
  spill(path, "\x93NUMPY\2\0\xFF\xFF\xFF\xFF{", 13);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "4294967295 bytes");
  spill(path, "\x93NUMPY\4\0\1\0{", 11);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "format 1 to 3");
}

TEST(an_idx_file_that_lies_is_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("lie.idx");
  spill(path, "\0\0\x08\2\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFx", 13);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "no memory can hold");
  spill(path, "\0\0\x08\1\0\0\0\2x", 9);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "says 2 bytes, the file has 1");
  spill(path, "\0\0\x0A\1\0\0\0\1x", 9);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_FORMAT, "nor IDX");
  spill(path, "\0\0\x08\x09\0\0\0\1x", 9);
  ASSERT_STATUS(ctx, read_whole(ctx, path), SNUG_E_UNSUPPORTED, "9 axes");
}

TEST(what_is_no_file_of_arrays_is_refused) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const char *path = test_path("some.dat");
  spill(path, "a,b\n1,2\n", 8);
  ASSERT_STATUS(ctx, open_path(ctx, path, &a), SNUG_E_FORMAT, "neither NumPy's");
  spill(path, "", 0);
  ASSERT_STATUS(ctx, open_path(ctx, path, &a), SNUG_E_FORMAT, "ends too early");
  ASSERT_STATUS(ctx, open_path(ctx, "/no/such.npy", &a), SNUG_E_IO, "No such file");
  ASSERT_STATUS(ctx, open_path(ctx, "/dev/null", &a), SNUG_E_IO, "is not a file");
  const char *pipe = test_path("pipe");
  ASSERT_EQ_INT(mkfifo(pipe, 0600), 0);
  ASSERT_STATUS(ctx, open_path(ctx, pipe, &a), SNUG_E_IO, "is not a file");
  ASSERT_STATUS(ctx, snug_arrays_open(ctx, NULL, 0, &a), SNUG_E_ARGUMENT, "no file");
  const char *none[] = {NULL};
  ASSERT_STATUS(ctx, snug_arrays_open(ctx, none, 1, &a), SNUG_E_ARGUMENT, "NULL");
}
