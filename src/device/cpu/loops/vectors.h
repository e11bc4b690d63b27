/* Eight floats and eight doubles at once, for sums: a compiler may not change their order, so the
 * order is written down.  On narrower machines they are several registers. */
#ifndef SNUG_DEVICE_CPU_LOOPS_VECTORS_H
#define SNUG_DEVICE_CPU_LOOPS_VECTORS_H

#include <stdint.h>
#include <string.h>

#define SNUG_WIDE 8

typedef float snug_float8 __attribute__((vector_size(32)));
typedef double snug_double8 __attribute__((vector_size(64)));
typedef int64_t snug_long8 __attribute__((vector_size(64)));

/* Eight floats from p on, which need not be aligned, as doubles. */
#define SNUG_WIDEN(p, to)                                  \
  do {                                                     \
    snug_float8 floats_;                                   \
    memcpy(&floats_, (p), sizeof floats_);                 \
    (to) = __builtin_convertvector(floats_, snug_double8); \
  } while (0)

/* Their sum, in pairs. */
static inline double snug_add_up(const snug_double8 *v) {
  return (((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3])) + (((*v)[4] + (*v)[5]) + ((*v)[6] + (*v)[7]));
}

#endif
