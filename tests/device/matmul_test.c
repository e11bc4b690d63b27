/* Products of matrices against the reference: odd sizes, batches, either factor transposed. */
#include "ops/matmul.h"
#include <math.h>
#include <string.h>
#include "device/host.h"

#include "base/ctx.h"
#include "device/trial.h"
#include "lib/test.h"

static snug__type matrices(int64_t batch, int64_t rows, int64_t columns, bool transposed) {
  const int64_t dim[] = {batch, transposed ? columns : rows, transposed ? rows : columns};
  return batch ? snug__type_of(SNUG_FLOAT32, 3, dim) : snug__type_of(SNUG_FLOAT32, 2, dim + 1);
}

static void try_product(const char *name, int64_t batch, int64_t m, int64_t n, int64_t k,
                        snug__matmul_params p) {
  trial t = {
      .name = name,
      .sig = {.op = &snug__op_matmul, .params = &p, .n_in = 2, .n_out = 1},
      .plain_in = {matrices(batch, m, k, p.transpose_a), matrices(batch, k, n, p.transpose_b)},
      .plain_out = matrices(batch, m, n, false),
      .terms = (double)k,
      .on_base = strcmp(name, "matmul") == 0};
  trial_run(&t);
}

static const snug__matmul_params both[] = {
    {false, false}, {true, false}, {false, true}, {true, true}};

TEST(loop) {
  static const int64_t sizes[][4] = {{0, 32, 64, 100}, {0, 1, 1, 1},     {0, 7, 33, 129},
                                     {0, 100, 10, 32}, {0, 97, 31, 257}, {3, 9, 17, 5},
                                     {2, 200, 65, 40}};
  for (size_t i = 0; i < SNUG_COUNT(sizes) * SNUG_COUNT(both); i++) {
    const int64_t *s = sizes[i / SNUG_COUNT(both)];
    try_product("matmul", s[0], s[1], s[2], s[3], both[i % SNUG_COUNT(both)]);
  }
}

/* The three products of a Dense layer with large weights. */
TEST(dnn) {
  static const int64_t sizes[][3] = {{32, 300, 256}, {7, 1000, 70}, {1, 260, 257}};
  for (size_t i = 0; i < SNUG_COUNT(sizes); i++) {
    int64_t rows = sizes[i][0], from = sizes[i][1], to = sizes[i][2];
    try_product("dnn_matmul", 0, rows, to, from, both[0]);
    try_product("dnn_matmul", 0, from, to, rows, both[1]);
    try_product("dnn_matmul", 0, rows, from, to, both[2]);
  }
}

/* The layout in which a product of a Dense layer wants the kernel, or has its gradient. */
static snug__layout kernel_layout(snug__type a, snug__type b, snug__type out,
                                  snug__matmul_params p) {
  snug__type in[] = {a, b};
  snug__signature sig = {
      &snug__op_matmul, &p, 2, 1, in, &out, snug__host_target(2, snug__isa_best())};
  snug__layouts want = {0};
  ASSERT_TRUE(trial_kernel(&sig, "dnn_matmul")->fits(&sig, &want));
  return p.transpose_a ? want.out[0] : want.in[1];
}

/* A second copy of the kernel could be larger than all activations. */
TEST(one_layout_serves_a_kernel_its_gradient_and_the_gradient_of_the_data) {
  snug__type x = matrices(0, 16, 1000, false), kernel = matrices(0, 1000, 260, false),
             y = matrices(0, 16, 260, false);
  if (SNUG_HAS_ONEDNN && snug__isa_best() >= SNUG__ISA_AVX512) {
    snug__layout layout = kernel_layout(x, kernel, y, both[0]);
    ASSERT_EQ_INT(kernel_layout(x, y, kernel, both[1]), layout);
    ASSERT_EQ_INT(kernel_layout(y, kernel, x, both[2]), layout);
  }
}

static void try_epilogue(const char *name, snug__matmul_epilogue_params p, const int64_t *size) {
  snug__matmul_epilogue_params linear = p;
  linear.epilogue = (snug__epilogue){SNUG__LINEAR, INFINITY};
  trial t = {.name = name,
             .sig = {.op = &snug__op_matmul_epilogue, .params = &p, .n_in = 3, .n_out = 1},
             .plain_in = {matrices(0, size[0], size[2], p.product.transpose_a),
                          matrices(0, size[2], size[1], p.product.transpose_b),
                          snug__type_of(SNUG_FLOAT32, 1, size + 1)},
             .plain_out = matrices(0, size[0], size[1], false),
             .linear = &linear,
             .terms = (double)size[2],
             .on_base = strcmp(name, "matmul_epilogue") == 0};
  trial_run(&t);
}

TEST(epilogues) {
  static const snug__epilogue epilogues[] = {
      {SNUG__LINEAR, INFINITY}, {SNUG__RELU, INFINITY}, {SNUG__RELU, 0.3}, {SNUG__SWISH, INFINITY}};
  static const int64_t small[] = {33, 70, 130}, large[] = {33, 270, 260};
  for (size_t i = 0; i < SNUG_COUNT(epilogues); i++) {
    for (size_t k = 0; k < SNUG_COUNT(both); k++) {
      try_epilogue("matmul_epilogue", (snug__matmul_epilogue_params){both[k], epilogues[i]}, small);
    }
    try_epilogue("dnn_matmul_epilogue", (snug__matmul_epilogue_params){both[0], epilogues[i]},
                 large);
  }
}
