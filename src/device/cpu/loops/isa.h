/* For the files of this folder: each is compiled once per instruction set, with SNUG_ISA its name.
 *
 * A file gives kernels by the names in ../kernels.def:  const snug__kernel SNUG_LOOP(add) = {...};
 * Everything else in it is static, but for a loop that is no kernel (words.c). */
#ifndef SNUG_DEVICE_CPU_LOOPS_ISA_H
#define SNUG_DEVICE_CPU_LOOPS_ISA_H

#include "device/device.h"

#define SNUG_ISA_JOIN_(name, isa) snug__loop_##name##_##isa
#define SNUG_ISA_JOIN(name, isa) SNUG_ISA_JOIN_(name, isa)
#define SNUG_LOOP(name) SNUG_ISA_JOIN(name, SNUG_ISA)

#endif
