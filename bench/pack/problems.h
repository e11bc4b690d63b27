/* Packing problems made by rule from a seed: the bench, the tests and the command that writes them
 * as CSV use the same ones. */
#ifndef SNUG_BENCH_PROBLEMS_H
#define SNUG_BENCH_PROBLEMS_H

#include <stddef.h>
#include <stdint.h>

#include "snug/tools/pack.h"

#define PROBLEM_STEPS 1000
#define PROBLEM_BYTES (INT64_C(1) << 20)

/* splitmix64: a state of one word, the same numbers everywhere. */
static inline uint64_t problem_next(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A number in [0, n). */
static inline int64_t problem_below(uint64_t *state, int64_t n) {
  return (int64_t)(problem_next(state) % (uint64_t)n);
}

static inline double problem_unit(uint64_t *state) {
  return (double)(problem_next(state) >> 11) * 0x1p-53;
}

/* A rectangle drawn with a probability in proportion to its area. */
static inline size_t problem_by_area(const snug_pack_item *items, size_t n, uint64_t *state) {
  int64_t at = problem_below(state, PROBLEM_STEPS * PROBLEM_BYTES);
  for (size_t i = 0; i + 1 < n; i++) {
    at -= (items[i].upper - items[i].lower) * items[i].size;
    if (at < 0) {
      return i;
    }
  }
  return n - 1;
}

/* Guillotine cuts: one rectangle of PROBLEM_STEPS x PROBLEM_BYTES; as long as there are fewer than
 * n, one of them (drawn by area) is cut in two at a random place: along time with probability p
 * (two lifespans alike, sizes that add up), across it otherwise.  There is no slack anywhere, so
 * the least height is PROBLEM_BYTES.  The order of the buffers is shuffled. */
static inline void problem_guillotine(size_t n, double p, uint64_t seed, snug_pack_item *items) {
  uint64_t state = seed * 1000003 + n;
  size_t made = 1;
  items[0] = (snug_pack_item){0, PROBLEM_STEPS, PROBLEM_BYTES, 1, -1};
  while (made < n) {
    snug_pack_item *whole = &items[problem_by_area(items, made, &state)];
    int along = problem_unit(&state) < p;
    int64_t extent = along ? whole->size : whole->upper - whole->lower;
    if (extent < 2) {
      continue;
    }
    int64_t cut = 1 + problem_below(&state, extent - 1);
    items[made] = *whole;
    if (along) {
      whole->size = cut;
      items[made].size = extent - cut;
    } else {
      whole->upper = items[made].lower = whole->lower + cut;
    }
    made++;
  }
  for (size_t i = n; i > 1; i--) {
    size_t j = (size_t)problem_below(&state, (int64_t)i);
    snug_pack_item swap = items[i - 1];
    items[i - 1] = items[j];
    items[j] = swap;
  }
}

/* Buffers of problem_residual for so many layers. */
#define PROBLEM_RESIDUAL_BUFFERS(layers) ((size_t)(layers)*7)

/* Training of a residual network: layer i keeps its output from its forward moment to its backward
 * one (long, nested), keeps a mask, has a scratch buffer on each way, a gradient that lives for two
 * moments, a skip connection's gradient that lives for four, and statistics.  Sizes shrink in
 * stages as the network goes deeper. */
static inline void problem_residual(size_t layers, uint64_t seed, snug_pack_item *items) {
  uint64_t state = seed * 7777777 + layers;
  int64_t last = (int64_t)layers * 4;
  size_t n = 0;
  for (size_t i = 0; i < layers; i++) {
    int64_t stage = (int64_t)(i * 4 / layers);
    int64_t activation = (INT64_C(64) << 10) * (4 - stage) * (1 + (int64_t)(i % 3 == 0));
    int64_t f = (int64_t)i * 2;
    int64_t b = last - f;
    int64_t scratch = 64 * (1 + problem_below(&state, 4096));
    items[n++] = (snug_pack_item){f, b + 1, activation, 64, -1};
    items[n++] = (snug_pack_item){f, b, activation / 32, 64, -1};
    items[n++] = (snug_pack_item){f, f + 1, scratch, 64, -1};
    items[n++] = (snug_pack_item){b, b + 1, scratch * 2, 64, -1};
    items[n++] = (snug_pack_item){b - 1, b + 2, activation, 64, -1};
    items[n++] = (snug_pack_item){b - 1, b + 4, activation, 64, -1};
    items[n++] = (snug_pack_item){f + 1, b + 1, 64 * (1 + problem_below(&state, 16)), 64, -1};
  }
}

#endif
