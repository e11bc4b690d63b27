#include "train/data.h"

#include <stdio.h>
#include <stdlib.h>

/* A linear congruential generator is random enough to keep kernels busy. */
static uint32_t next(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void *take(size_t count, size_t bytes) {
  void *p = calloc(count, bytes);
  if (!p) {
    fprintf(stderr, "bench: no memory for %zu values\n", count);
    exit(1);
  }
  return p;
}

void bench_data_make(bench_data *d, const net *n, int64_t n_batches) {
  int64_t rows = n->batch * n_batches;
  int64_t pixels = n->channels ? n->size * n->size : 1;
  size_t n_x = (size_t)(rows * (n->channels ? pixels * n->channels : n->size));
  size_t n_y = (size_t)(rows * (n->per_pixel ? pixels : 1));
  uint32_t state = 1;
  float *x = take(n_x, sizeof *x);
  int32_t *y = take(n_y, sizeof *y);
  for (size_t i = 0; i < n_x; i++) {
    x[i] = (float)next(&state) * 0x1p-23f - 1.0f;
  }
  for (size_t i = 0; i < n_y; i++) {
    y[i] = (int32_t)(next(&state) % (uint32_t)n->classes);
  }
  d->x = (snug_array){x, SNUG_FLOAT32, n->channels ? 4 : 2, {rows, n->size, n->size, n->channels}};
  d->y = (snug_array){y, SNUG_INT32, n->per_pixel ? 3 : 1, {rows, n->size, n->size}};
  d->data = (snug_data){sizeof(snug_data), &d->x, 1, &d->y, 1, NULL};
  d->bytes = n_x * sizeof *x + n_y * sizeof *y;
}

void bench_data_release(bench_data *d) {
  free((void *)d->x.data);
  free((void *)d->y.data);
}
