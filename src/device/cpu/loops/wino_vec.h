/* Vectors of one channel block: all that differs between the instruction sets. */
#ifndef SNUG_DEVICE_CPU_LOOPS_WINO_VEC_H
#define SNUG_DEVICE_CPU_LOOPS_WINO_VEC_H
#include <stdint.h>

#ifdef __AVX2__

#include <immintrin.h>

#ifdef __AVX512F__
#define LANES 16 /* channels in a block */
#define WIDE 4   /* blocks of output channels that a product computes at once */
#else
#define LANES 8
#define WIDE 2
#endif

#define INLINE static inline __attribute__((always_inline))

typedef float vec __attribute__((vector_size(LANES * 4)));
/* As it lies in memory: of any alignment, and an element of an array of float. */
typedef float loose_vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

/* The lines that a write (1) or a read (0) will want soon.  The place need not exist. */
INLINE void fetch(const float *from, int64_t offset, int write) {
  const void *p = (const void *)((uintptr_t)from + (uintptr_t)(offset * (int64_t)sizeof(float)));
  write ? __builtin_prefetch(p, 1) : __builtin_prefetch(p, 0);
}

INLINE vec load(const float *p) { return *(const loose_vec *)p; }

INLINE void store(float *p, vec v) { *(loose_vec *)p = v; }

/* stream: past the cache, to an address that is a multiple of the vector. */
#ifdef __AVX512F__
INLINE void stream(float *p, vec v) { _mm512_stream_ps(p, (__m512)v); }

INLINE vec all(float f) { return (vec)_mm512_set1_ps(f); }

/* a * b + c */
INLINE vec mad(vec a, vec b, vec c) {
  return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

/* NaN stays NaN: the second operand is what comes out then. */
INLINE vec clip(vec v, vec low, vec high) {
  return (vec)_mm512_min_ps((__m512)high, _mm512_max_ps((__m512)low, (__m512)v));
}
#else
INLINE void stream(float *p, vec v) { _mm256_stream_ps(p, (__m256)v); }

INLINE vec all(float f) { return (vec)_mm256_set1_ps(f); }

INLINE vec mad(vec a, vec b, vec c) {
  return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

INLINE vec clip(vec v, vec low, vec high) {
  return (vec)_mm256_min_ps((__m256)high, _mm256_max_ps((__m256)low, (__m256)v));
}
#endif

#endif
#endif
