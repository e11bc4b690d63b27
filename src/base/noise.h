/* Random numbers by element, the same whoever asks for them and how often. */
#ifndef SNUG_BASE_NOISE_H
#define SNUG_BASE_NOISE_H

#include <math.h>

#include "base/philox.h"

/* The numbers of one sample.  Owns nothing; each thread has its own. */
typedef struct snug__noise {
  uint64_t key, sample;
  int64_t block; /* that `words` are of, -1: none yet */
  snug__philox words;
} snug__noise;

/* A key per seed, layer and step, so that sample and element have the whole counter. */
static inline uint64_t snug__noise_key(int64_t seed, int64_t layer, int64_t step) {
  snug__philox k = snug__philox_at((uint64_t)seed, (uint64_t)step, (uint64_t)layer);
  return (uint64_t)k.v[1] << 32 | k.v[0];
}

static inline void snug__noise_block(snug__noise *n, int64_t block) {
  if (block != n->block) {
    n->words = snug__philox_at(n->key, (uint64_t)block, n->sample);
    n->block = block;
  }
}

/* Uniform in [0, 1) of element i. */
static inline double snug__noise_unit(snug__noise *n, int64_t i) {
  snug__noise_block(n, i >> 2);
  return snug__unit(n->words.v[i & 3]);
}

/* Standard normal of element i: two words make the normals of two neighbours (Box and Muller). */
static inline double snug__noise_normal(snug__noise *n, int64_t i) {
  const double two_pi = 6.28318530717958647692;
  snug__noise_block(n, i >> 2);
  double radius = sqrt(-2.0 * log(((double)n->words.v[i & 2] + 1.0) * 0x1p-32));
  double angle = two_pi * snug__unit(n->words.v[(i & 2) + 1]);
  return radius * (i & 1 ? sin(angle) : cos(angle));
}

#endif
