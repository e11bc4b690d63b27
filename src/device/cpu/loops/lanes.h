/* Channels side by side in a register of the instruction set, and fewer of them at the end of a
 * pixel: what is not there reads as zero and is not written. */
#ifndef SNUG_DEVICE_CPU_LOOPS_LANES_H
#define SNUG_DEVICE_CPU_LOOPS_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(SNUG_ISA_avx512)
#define LANES 16
#elif defined(SNUG_ISA_avx2)
#define LANES 8
#else
#define LANES 4
#endif

typedef float lanes __attribute__((vector_size(LANES * 4)));
typedef int32_t int_lanes __attribute__((vector_size(LANES * 4)));
typedef uint8_t byte_lanes __attribute__((vector_size(LANES)));

/* As they lie in memory: of any alignment. */
typedef float loose_lanes __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef uint8_t loose_bytes __attribute__((vector_size(LANES), aligned(1), may_alias));

static inline lanes lanes_load(const float *p, int64_t n) {
  lanes v = {0};
  if (n >= LANES) {
    return *(const loose_lanes *)p;
  }
  memcpy(&v, p, (size_t)n * sizeof *p);
  return v;
}

static inline void lanes_store(float *p, lanes v, int64_t n) {
  if (n >= LANES) {
    *(loose_lanes *)p = v;
  } else {
    memcpy(p, &v, (size_t)n * sizeof *p);
  }
}

static inline int_lanes lanes_load_bytes(const uint8_t *p, int64_t n) {
  byte_lanes v = {0};
  if (n >= LANES) {
    v = *(const loose_bytes *)p;
  } else {
    memcpy(&v, p, (size_t)n);
  }
  return __builtin_convertvector(v, int_lanes);
}

static inline void lanes_store_bytes(uint8_t *p, int_lanes v, int64_t n) {
  byte_lanes b = __builtin_convertvector(v, byte_lanes);
  if (n >= LANES) {
    *(loose_bytes *)p = b;
  } else {
    memcpy(p, &b, (size_t)n);
  }
}

/* Lanes of a where the mask is set (all bits of a lane, as comparisons give it), else of b. */
static inline lanes lanes_pick(int_lanes mask, lanes a, lanes b) {
  return (lanes)((mask & (int_lanes)a) | (~mask & (int_lanes)b));
}

static inline int_lanes lanes_pick_int(int_lanes mask, int_lanes a, int_lanes b) {
  return (mask & a) | (~mask & b);
}

#endif
