#include "image/values.h"

#include <math.h>

#define EPSILON 1e-7F /* keras.config.epsilon() */

void snug__values_rescale(float *x, size_t n, double scale, double offset) {
  float a = (float)scale, b = (float)offset;
  for (size_t i = 0; i < n; i++) {
    x[i] = x[i] * a + b;
  }
}

void snug__values_normalize(float *x, size_t n, int32_t channels, const double *mean,
                            const double *variance) {
  for (int32_t c = 0; c < channels; c++) {
    float from = (float)mean[c];
    float by = fmaxf(sqrtf((float)variance[c]), EPSILON);
    for (size_t i = (size_t)c; i < n; i += (size_t)channels) {
      x[i] = (x[i] - from) / by;
    }
  }
}

void snug__values_to_bytes(const float *x, size_t n, uint8_t *dst) {
  for (size_t i = 0; i < n; i++) {
    float whole = rintf(x[i]);
    dst[i] = (uint8_t)(whole > 0.0F ? whole < 255.0F ? whole : 255.0F : 0.0F);
  }
}

void snug__values_one_hot(int64_t label, float *dst, size_t n) {
  for (size_t i = 0; i < n; i++) {
    dst[i] = (uint64_t)label == i ? 1.0F : 0.0F;
  }
}
