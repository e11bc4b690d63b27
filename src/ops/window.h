/* Windows that slide over the two image axes of NHWC values: what convolution and pooling share.
 *
 * Along one axis output o reads inputs o * stride - before + t * dilation, t in [0, kernel), where
 * these exist.  SAME puts the odd element of padding behind; VALID pads nothing. */
#ifndef SNUG_OPS_WINDOW_H
#define SNUG_OPS_WINDOW_H

#include "base/size.h"
#include "ops/ops.h"

typedef enum snug__padding { SNUG__PADDING_VALID, SNUG__PADDING_SAME } snug__padding;
extern const char *const snug__padding_choices[];

typedef struct snug__window {
  int64_t in, out, kernel, stride, dilation, before;
} snug__window;

/* A half-open range of indices; empty if end <= begin. */
typedef struct snug__span {
  int64_t begin, end;
} snug__span;

/* Fill `out` and `before` from the rest.  The arguments must have passed snug__need_window. */
snug__window snug__window_of(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
                             int32_t padding);

/* The same with all checks; `axis` is "height" or "width".  Fails: E_ARGUMENT for an impossible
 * number, E_SHAPE for a VALID window that is larger than the input. */
snug_status snug__need_window(const snug__infer *q, const char *axis, snug__window w,
                              int32_t padding, snug__window *out) SNUG_NODISCARD;

/* A list parameter must hold two numbers, one for the height and one for the width. */
snug_status snug__need_pair(const snug__infer *q, const char *name,
                            const snug_ints *pair) SNUG_NODISCARD;

/* A shape parameter of rank 4 as a type; fails: E_ARGUMENT, E_SHAPE. */
snug_status snug__need_shape4(const snug__infer *q, const char *name, const snug_ints *shape,
                              snug_dtype dtype, snug__type *out) SNUG_NODISCARD;

/* dy must be what the forward op gives: batch x h x w x channels. */
snug_status snug__need_output(const snug__infer *q, int32_t i, int64_t batch, int64_t h, int64_t w,
                              int64_t channels) SNUG_NODISCARD;

static inline snug_ints snug__shape_param(const snug__type *t) {
  snug_ints shape = {.n = t->rank};
  for (int32_t k = 0; k < t->rank; k++) {
    shape.v[k] = t->dim[k];
  }
  return shape;
}

/* The input that tap t of output o reads; may lie outside. */
static inline int64_t snug__window_at(const snug__window *w, int64_t o, int64_t t) {
  return o * w->stride - w->before + t * w->dilation;
}

/* The taps of output o that lie inside of the input. */
static inline snug__span snug__window_taps(const snug__window *w, int64_t o) {
  int64_t at = snug__window_at(w, o, 0);
  int64_t room = snug__max_i64(w->in - at, 0);
  return (snug__span){at < 0 ? snug__ceil_div(-at, w->dilation) : 0,
                      snug__min_i64(w->kernel, snug__ceil_div(room, w->dilation))};
}

/* The outputs whose tap t lies inside of the input. */
static inline snug__span snug__window_outs(const snug__window *w, int64_t t) {
  int64_t at = snug__window_at(w, 0, t);
  int64_t room = snug__max_i64(w->in - at, 0);
  return (snug__span){at < 0 ? snug__ceil_div(-at, w->stride) : 0,
                      snug__min_i64(w->out, snug__ceil_div(room, w->stride))};
}

/* The outputs that read input i; for a dilation of 1. */
static inline snug__span snug__window_readers(const snug__window *w, int64_t i) {
  int64_t last = i + w->before;
  int64_t first = last - w->kernel + 1;
  return (snug__span){first <= 0 ? 0 : snug__ceil_div(first, w->stride),
                      snug__min_i64(w->out, last / w->stride + 1)};
}

/* The output whose tap t reads input i, or -1. */
static inline int64_t snug__window_reader(const snug__window *w, int64_t i, int64_t t) {
  int64_t at = i + w->before - t * w->dilation;
  return at >= 0 && at % w->stride == 0 && at / w->stride < w->out ? at / w->stride : -1;
}

#endif
