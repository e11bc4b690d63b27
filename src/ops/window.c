#include "ops/window.h"

#include "ops/support.h"

const char *const snug__padding_choices[] = {"valid", "same", NULL};

/* Where the first window ends, counted from the first element it reads. */
static int64_t reach(const snug__window *w) { return (w->kernel - 1) * w->dilation + 1; }

snug__window snug__window_of(int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
                             int32_t padding) {
  snug__window w = {in, 0, kernel, stride, dilation, 0};
  if (padding == SNUG__PADDING_SAME) {
    w.out = snug__ceil_div(in, stride);
    w.before = snug__max_i64((w.out - 1) * stride + reach(&w) - in, 0) / 2;
  } else if (in >= reach(&w)) {
    w.out = (in - reach(&w)) / stride + 1;
  }
  return w;
}

/* Numbers up to this keep every sum and product of a window inside of 63 bits. */
static bool is_size(int64_t v, int64_t least) { return v >= least && v <= (INT64_C(1) << 30); }

static snug_status need_numbers(const snug__infer *q, const char *axis, const snug__window *w) {
  const struct {
    const char *name;
    int64_t value, least;
  } all[] = {{"input size", w->in, 0},
             {"window size", w->kernel, 1},
             {"stride", w->stride, 1},
             {"dilation", w->dilation, 1}};
  for (size_t i = 0; i < SNUG_COUNT(all); i++) {
    if (!is_size(all[i].value, all[i].least)) {
      return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                        "%s: the %s of the %s is %lld; it must be %lld or more (at most 2^30)",
                        q->where, all[i].name, axis, (long long)all[i].value,
                        (long long)all[i].least);
    }
  }
  return SNUG_OK;
}

snug_status snug__need_window(const snug__infer *q, const char *axis, snug__window w,
                              int32_t padding, snug__window *out) {
  SNUG_TRY(need_numbers(q, axis, &w));
  if (padding == SNUG__PADDING_VALID && w.in < reach(&w)) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: the %s of the input is %lld, less than the window's %lld (size %lld, "
                      "dilation %lld); use a smaller window or padding=same",
                      q->where, axis, (long long)w.in, (long long)reach(&w), (long long)w.kernel,
                      (long long)w.dilation);
  }
  *out = snug__window_of(w.in, w.kernel, w.stride, w.dilation, padding);
  return SNUG_OK;
}

snug_status snug__need_pair(const snug__infer *q, const char *name, const snug_ints *pair) {
  return pair->n == 2 ? SNUG_OK
                      : snug__fail(q->ctx, SNUG_E_ARGUMENT,
                                   "%s: %s has %d numbers and must have 2: height and width",
                                   q->where, name, pair->n);
}

snug_status snug__need_shape4(const snug__infer *q, const char *name, const snug_ints *shape,
                              snug_dtype dtype, snug__type *out) {
  if (shape->n != 4) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: %s has %d sizes and must have 4", q->where,
                      name, shape->n);
  }
  *out = snug__type_of(dtype, 4, shape->v);
  return snug__type_is_valid(out)
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %s=[%lld,%lld,%lld,%lld] is no shape",
                          q->where, name, (long long)shape->v[0], (long long)shape->v[1],
                          (long long)shape->v[2], (long long)shape->v[3]);
}

snug_status snug__need_output(const snug__infer *q, int32_t i, int64_t batch, int64_t h, int64_t w,
                              int64_t channels) {
  const int64_t dim[] = {batch, h, w, channels};
  snug__type want = snug__type_of(q->in[i].dtype, 4, dim);
  char a[SNUG__TYPE_TEXT_BYTES];
  char b[SNUG__TYPE_TEXT_BYTES];
  return snug__shape_equal(&q->in[i], &want)
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_SHAPE, "%s: input %d is %s and must be %s", q->where, i,
                          snug__type_text(&q->in[i], a), snug__type_text(&want, b));
}
