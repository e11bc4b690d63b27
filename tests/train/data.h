/* Small made-up data sets for tests of training. */
#ifndef SNUG_TESTS_TRAIN_DATA_H
#define SNUG_TESTS_TRAIN_DATA_H

#include "lib/test.h"

/* n samples of a shape (without batch), values in [-1, 1), labels 0 .. classes-1 that depend on
 * them; static storage is not used: free with toy_free. */
typedef struct toy {
  float *x;
  int32_t *y;
  float *weight;
  snug_array x_array, y_array, weight_array;
  snug_data data;
} toy;

void toy_make(toy *t, int64_t n, const int64_t *shape, int32_t rank, int32_t classes);
void toy_free(toy *t);

/* Compile with one loss and "accuracy". */
snug_status compile_with(snug_model *m, const char *optimizer, const char *loss);

#endif
