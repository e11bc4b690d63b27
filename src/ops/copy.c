#include "ops/copy.h"

#include "ops/support.h"

#define LEAST 16384 /* elements worth a thread */

/* The destination's order, so that it is written in one sweep as far as possible. */
static void sort_axes(snug__copy *c) {
  for (int32_t k = 1; k < c->rank; k++) {
    for (int32_t i = k; i > 0 && c->to[i - 1] < c->to[i]; i--) {
      int64_t dim = c->dim[i], to = c->to[i], from = c->from[i];
      c->dim[i] = c->dim[i - 1];
      c->to[i] = c->to[i - 1];
      c->from[i] = c->from[i - 1];
      c->dim[i - 1] = dim;
      c->to[i - 1] = to;
      c->from[i - 1] = from;
    }
  }
}

/* Axes of size 1 go, and neighbours that both sides walk as one axis become one: what remains has
 * the longest possible last axis. */
static void merge_axes(snug__copy *c) {
  int32_t n = 0;
  for (int32_t k = 0; k < c->rank; k++) {
    if (c->dim[k] == 1) {
      continue;
    }
    bool joins =
        n > 0 && c->to[n - 1] == c->dim[k] * c->to[k] && c->from[n - 1] == c->dim[k] * c->from[k];
    n -= joins;
    c->dim[n] = joins ? c->dim[n] * c->dim[k] : c->dim[k];
    c->to[n] = c->to[k];
    c->from[n++] = c->from[k];
  }
  c->rank = n;
  if (n == 0) {
    snug__copy_axis(c, 1, 1, 1);
  }
}

#define COPY_LOOP(type)                          \
  do {                                           \
    const type *s = (const type *)c->src + from; \
    type *d = (type *)c->dst + to;               \
    for (int64_t i = 0; i < n; i++) {            \
      d[i * to_step] = s[i * from_step];         \
    }                                            \
  } while (0)

static void copy_run(const snug__copy *c, int64_t to, int64_t from, int64_t n) {
  int64_t to_step = c->to[c->rank - 1];
  int64_t from_step = c->from[c->rank - 1];
  if (to_step == 1 && from_step == 1) {
    memcpy((char *)c->dst + (size_t)to * c->bytes, (const char *)c->src + (size_t)from * c->bytes,
           (size_t)n * c->bytes);
  } else if (c->bytes == 1) {
    COPY_LOOP(uint8_t);
  } else if (c->bytes == 2) {
    COPY_LOOP(uint16_t);
  } else if (c->bytes == 4) {
    COPY_LOOP(uint32_t);
  } else {
    COPY_LOOP(uint64_t);
  }
}

static void copy_range(void *arg, int64_t begin, int64_t end) {
  const snug__copy *c = arg;
  int64_t at[SNUG__COPY_RANK];
  int64_t last = c->rank - 1;
  int64_t rest = begin;
  for (int64_t k = last; k >= 0; k--) {
    at[k] = rest % c->dim[k];
    rest /= c->dim[k];
  }
  while (begin < end) {
    int64_t n = snug__min_i64(c->dim[last] - at[last], end - begin);
    int64_t to = 0;
    int64_t from = 0;
    for (int64_t k = 0; k <= last; k++) {
      to += at[k] * c->to[k];
      from += at[k] * c->from[k];
    }
    copy_run(c, to, from, n);
    begin += n;
    at[last] = 0;
    for (int64_t k = last - 1; k >= 0 && ++at[k] == c->dim[k]; k--) {
      at[k] = 0;
    }
  }
}

void snug__copy_run(snug__copy c, int32_t threads) {
  int64_t n = 1;
  for (int32_t k = 0; k < c.rank; k++) {
    n *= c.dim[k];
  }
  if (n > 0) {
    sort_axes(&c);
    merge_axes(&c);
    snug__parallel_ranges(threads, n, LEAST, copy_range, &c);
  }
}

void snug__row_major(const snug__type *t, int64_t strides[SNUG_MAX_RANK]) {
  int64_t s = 1;
  for (int32_t k = t->rank - 1; k >= 0; k--) {
    strides[k] = s;
    s *= t->dim[k];
  }
}

void snug__fill(const snug__type *t, void *data, double value, int32_t threads) {
  uint64_t one = 0;
  snug__copy c = {.dst = data, .src = &one, .bytes = snug_dtype_bytes(t->dtype)};
  snug__element_set(t->dtype, &one, 0, value);
  snug__copy_axis(&c, snug__type_count(t), 1, 0);
  snug__copy_run(c, threads);
}
