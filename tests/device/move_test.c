/* What moves and picks elements: reorder between all layouts, maxima of what is no number. */
#include <math.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "device/device.h"
#include "device/host.h"
#include "lib/test.h"
#include "ops/ops.h"
#include "ops/pool.h"

#define MOST_ELEMENTS (5 * 5 * 48 * 32)

/* The plain index of the element at a place of the memory of a value, or -1 for padding: from the
 * outermost digit of the tag to the innermost, as layout.h defines it. */
static int64_t index_at(const snug__type *t, int64_t place) {
  snug__blocking b = snug__layout_blocking(t->layout);
  int64_t at[SNUG_MAX_RANK] = {0};
  int64_t value[SNUG_MAX_RANK] = {1, 1, 1, 1, 1, 1};
  for (int32_t i = b.n_blocks - 1; i >= 0; i--) {
    at[b.block_axis[i]] = place % b.block_size[i];
    value[b.block_axis[i]] = b.block_size[i];
    place /= b.block_size[i];
  }
  for (int32_t i = b.rank - 1; i >= 0; i--) {
    int32_t k = b.order[i];
    int64_t blocks = (t->dim[k] + value[k] - 1) / value[k];
    at[k] += place % blocks * value[k];
    place /= blocks;
  }
  int64_t index = 0;
  for (int32_t k = 0; k < t->rank; k++) {
    if (at[k] >= t->dim[k]) {
      return -1;
    }
    index = index * t->dim[k] + at[k];
  }
  return index;
}

static int64_t plain_index_at(const snug__type *t, int64_t place) {
  return t->layout == SNUG__LAYOUT_PLAIN ? place : index_at(t, place);
}

static int64_t stored_count(const snug__type *t) {
  return snug__type_bytes(t) / (int64_t)snug_dtype_bytes(t->dtype);
}

/* Any code of the index that is not zero and fits into the dtype: whole values are compared. */
static void encode(size_t bytes, int64_t index, unsigned char *out) {
  uint64_t code = (uint64_t)index * UINT64_C(0x9E3779B97F4A7C15) | 1;
  memcpy(out, &code, bytes);
}

static void fill(const snug__type *t, unsigned char *data) {
  size_t bytes = snug_dtype_bytes(t->dtype);
  memset(data, 0xFF, (size_t)snug__type_bytes(t));
  for (int64_t i = 0; i < stored_count(t); i++) {
    if (plain_index_at(t, i) >= 0) {
      encode(bytes, plain_index_at(t, i), data + (size_t)i * bytes);
    }
  }
}

static void check(const snug__type *from, const snug__type *to, const unsigned char *data) {
  size_t bytes = snug_dtype_bytes(to->dtype);
  for (int64_t i = 0; i < stored_count(to); i++) {
    unsigned char want[8] = {0};
    if (plain_index_at(to, i) >= 0) {
      encode(bytes, plain_index_at(to, i), want);
    }
    if (memcmp(want, data + (size_t)i * bytes, bytes) != 0) {
      char a[SNUG__TYPE_TEXT_BYTES], b[SNUG__TYPE_TEXT_BYTES];
      test_fail(__FILE__, __LINE__, "%s to %s: element %lld of the memory is wrong",
                snug__type_text(from, a), snug__type_text(to, b), (long long)i);
    }
  }
}

static void run_reorder(const snug__type *from, const snug__type *to, int32_t threads) {
  static unsigned char src[MOST_ELEMENTS * 8], dst[MOST_ELEMENTS * 8 + 1];
  const void *in[] = {src};
  void *out[] = {dst};
  snug__signature sig = {
      &snug__op_reorder, NULL, 1, 1, from, to, snug__host_target(threads, snug__isa_best())};
  snug__call call = {.sig = &sig, .in = in, .out = out};
  snug__choice choice;
  size_t end = (size_t)snug__type_bytes(to);
  ASSERT_TRUE(end < sizeof dst && snug__type_bytes(from) <= (int64_t)sizeof src);
  snug__choose(&snug__cpu, &sig, &choice);
  ASSERT_TRUE(choice.plain.want.in[0] == from->layout && choice.plain.want.out[0] == to->layout);
  fill(from, src);
  memset(dst, 0xCB, end + 1);
  ASSERT_EQ_INT(choice.kernel->run(NULL, &call), SNUG_OK);
  check(from, to, dst);
  ASSERT_EQ_INT(dst[end], 0xCB);
}

static void reorder_all(snug__type t) {
  for (snug__layout a = 0; a < SNUG__LAYOUT_COUNT; a++) {
    for (snug__layout b = 0; b < SNUG__LAYOUT_COUNT; b++) {
      if (snug__layout_is_for(a, t.rank) && snug__layout_is_for(b, t.rank)) {
        snug__type from = snug__type_in(t, a);
        snug__type to = snug__type_in(t, b);
        run_reorder(&from, &to, 1);
        run_reorder(&from, &to, -3);
      }
    }
  }
}

TEST(reorder_images) {
  static const int64_t shapes[][4] = {{2, 3, 5, 16}, {2, 3, 3, 20}, {1, 4, 4, 3},  {2, 1, 1, 40},
                                      {1, 5, 7, 1},  {2, 0, 3, 8},  {1, 17, 2, 33}};
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    reorder_all(snug__type_of(SNUG_FLOAT32, 4, shapes[i]));
  }
}

TEST(reorder_kernels) {
  static const int64_t shapes[][4] = {{3, 3, 16, 32}, {1, 1, 20, 10}, {2, 3, 40, 24},
                                      {3, 1, 3, 17},  {5, 5, 33, 1},  {1, 1, 7, 48}};
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    reorder_all(snug__type_of(SNUG_FLOAT32, 4, shapes[i]));
  }
}

TEST(reorder_matrices) {
  static const int64_t shapes[][2] = {{32, 48}, {20, 10}, {1, 100}, {17, 33}, {0, 16}, {64, 64}};
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    reorder_all(snug__type_of(SNUG_FLOAT32, 2, shapes[i]));
  }
}

TEST(reorder_dtypes) {
  static const int64_t dim[] = {1, 2, 9, 20};
  for (snug_dtype d = 1; d < SNUG_DTYPE_COUNT; d++) {
    reorder_all(snug__type_of(d, 4, dim));
    reorder_all(snug__type_of(d, 2, dim + 2));
  }
}

/* Windows with NaN, infinities and zeros of both signs: the same bits and places as the reference.
 */
TEST(max_pool_of_special_values) {
  static const float values[] = {NAN, -INFINITY, INFINITY, 0.0f, -0.0f, 1.0f, -1.0f};
  static const int64_t x_dim[] = {1, 9, 8, 21}, y_dim[] = {1, 5, 4, 21};
  snug__pool2d_params p;
  memset(&p, 0, sizeof p);
  p.pool_size = (snug_ints){.n = 2, .v = {3, 3}};
  p.strides = (snug_ints){.n = 2, .v = {2, 2}};
  p.padding = SNUG__PADDING_SAME;
  snug__type in = snug__type_of(SNUG_FLOAT32, 4, x_dim);
  snug__type out[] = {snug__type_of(SNUG_FLOAT32, 4, y_dim), snug__type_of(SNUG_UINT8, 4, y_dim)};
  static float x[9 * 8 * 21], y[2][5 * 4 * 21];
  static uint8_t at[2][5 * 4 * 21];
  for (size_t i = 0; i < SNUG_COUNT(x); i++) {
    x[i] = values[test_random_between(0, SNUG_COUNT(values) - 1)];
  }
  for (snug__isa isa = 0; isa <= snug__isa_best(); isa++) {
    snug__signature sig = {&snug__op_max_pool2d, &p, 1, 2, &in, out, snug__host_target(1, isa)};
    snug__call a = {.sig = &sig, .in = (const void *[]){x}, .out = (void *[]){y[0], at[0]}};
    snug__call b = {.sig = &sig, .in = (const void *[]){x}, .out = (void *[]){y[1], at[1]}};
    snug__choice choice;
    snug__choose(&snug__cpu, &sig, &choice);
    ASSERT_EQ_INT(sig.op->reference(&a), SNUG_OK);
    ASSERT_EQ_INT(choice.kernel->run(NULL, &b), SNUG_OK);
    ASSERT_EQ_BYTES(y[0], y[1], sizeof y[0]);
    ASSERT_EQ_BYTES(at[0], at[1], sizeof at[0]);
  }
}
