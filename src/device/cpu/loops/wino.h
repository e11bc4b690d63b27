/* What the files of this folder that make one instruction set's snug__wino give to each other. */
#ifndef SNUG_DEVICE_CPU_LOOPS_WINO_H
#define SNUG_DEVICE_CPU_LOOPS_WINO_H

#include "device/cpu/loops/isa.h"
#include "device/cpu/wino.h"

extern const snug__wino SNUG_LOOP(wino);

int64_t SNUG_LOOP(wino_data_scratch)(const snug__wino_shape *s, int backward);
void SNUG_LOOP(wino_forward)(const snug__wino_shape *s, const float *x, const float *weights,
                             const snug__wino_finish *finish, float *y, void *scratch);
void SNUG_LOOP(wino_backward_data)(const snug__wino_shape *s, const float *dy, const float *weights,
                                   float *dx, void *scratch);
int64_t SNUG_LOOP(wino_weights_scratch)(const snug__wino_shape *s);
void SNUG_LOOP(wino_backward_weights)(const snug__wino_shape *s, const float *x, const float *dy,
                                      float *dweights, void *scratch);

#endif
