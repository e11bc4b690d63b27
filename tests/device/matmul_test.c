/* Products of matrices against the reference: odd sizes, batches, either factor transposed. */
#include "ops/matmul.h"
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
      .on_base = true};
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
