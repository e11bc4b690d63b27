#include "train/data.h"

#include <stdlib.h>
#include <string.h>

static int32_t label_of(const float *x, int64_t row, int32_t classes) {
  double sum = 0.0;
  for (int64_t i = 0; i < row; i++) {
    sum += (double)x[i] * (i % 3 == 0 ? 1.0 : -0.5);
  }
  int32_t label = (int32_t)((sum + 2.0) * 0.25 * classes);
  return label < 0 ? 0 : label >= classes ? classes - 1 : label;
}

void toy_make(toy *t, int64_t n, const int64_t *shape, int32_t rank, int32_t classes) {
  int64_t row = 1;
  memset(t, 0, sizeof *t);
  t->x_array = (snug_array){.dtype = SNUG_FLOAT32, .rank = rank + 1, .shape = {n}};
  for (int32_t i = 0; i < rank; i++) {
    t->x_array.shape[i + 1] = shape[i];
    row *= shape[i];
  }
  t->x = malloc((size_t)(n * row) * sizeof *t->x);
  t->y = malloc((size_t)n * sizeof *t->y);
  t->weight = malloc((size_t)n * sizeof *t->weight);
  ASSERT_TRUE(t->x && t->y && t->weight);
  for (int64_t i = 0; i < n * row; i++) {
    uint64_t h = (uint64_t)(i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    t->x[i] = (float)((double)(h >> 40) * 0x1p-23 - 1.0);
  }
  for (int64_t i = 0; i < n; i++) {
    t->y[i] = label_of(t->x + i * row, row, classes);
    t->weight[i] = 0.5f + (float)(i % 4) * 0.25f;
  }
  t->x_array.data = t->x;
  t->y_array = (snug_array){t->y, SNUG_INT32, 1, {n}};
  t->weight_array = (snug_array){t->weight, SNUG_FLOAT32, 1, {n}};
  t->data = (snug_data){sizeof(snug_data), &t->x_array, 1, &t->y_array, 1, NULL};
}

void toy_free(toy *t) {
  free(t->x);
  free(t->y);
  free(t->weight);
}

snug_status compile_with(snug_model *m, const char *optimizer, const char *loss) {
  const char *const metrics[] = {"accuracy"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = optimizer;
  o.loss = &loss;
  o.n_loss = 1;
  o.metrics = metrics;
  o.n_metrics = 1;
  return snug_model_compile(m, &o);
}
