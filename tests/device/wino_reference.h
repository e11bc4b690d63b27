/* A 3x3 convolution and its gradients in float64, by plain loops on plain arrays ([n][c][h][w],
 * [o][i][3][3]), and how far Winograd's way in float32 may be away from them. */
#ifndef SNUG_TESTS_DEVICE_WINO_REFERENCE_H
#define SNUG_TESTS_DEVICE_WINO_REFERENCE_H

#include "device/cpu/wino.h"

/* Results, and what the two bounds are multiples of: the same computation through the transforms,
 * on absolute values and on squares. */
typedef struct wino_expected {
  double *exact, *absolute, *squares;
} wino_expected;

void wino_expect_forward(const snug__wino_shape *s, const double *x, const double *w,
                         wino_expected *out);

/* Of the weights; out is [o][i][3][3]. */
void wino_expect_weights(const snug__wino_shape *s, const double *x, const double *dy,
                         wino_expected *out);

#endif
