#include "device/cpu/loops/wino.h"

#ifdef __AVX2__
#include "device/cpu/loops/wino_vec.h"

static int64_t scratch(const snug__wino_shape *s, snug__wino_way way) {
  return way == SNUG__WINO_BACKWARD_WEIGHTS
             ? SNUG_LOOP(wino_weights_scratch)(s)
             : SNUG_LOOP(wino_data_scratch)(s, way == SNUG__WINO_BACKWARD_DATA);
}

const snug__wino SNUG_LOOP(wino) = {LANES, scratch, SNUG_LOOP(wino_forward),
                                    SNUG_LOOP(wino_backward_data),
                                    SNUG_LOOP(wino_backward_weights)};
#else
const snug__wino SNUG_LOOP(wino) = {0};
#endif
