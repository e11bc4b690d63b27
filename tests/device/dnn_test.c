/* The convolutions by oneDNN against the references of their ops, on shapes as networks have them.
 */
#include <math.h>
#include <string.h>

#include "base/ctx.h"
#include "device/host.h"
#include "device/trial.h"
#include "lib/test.h"
#include "ops/conv.h"

typedef struct shape {
  int64_t batch, height, width, cin, cout, kernel, stride, dilation, groups;
  int32_t padding;
  bool no_data_avx2, no_weights_avx2; /* gradients that oneDNN has no kernel for without AVX-512 */
} shape;

enum { VALID = SNUG__PADDING_VALID, SAME = SNUG__PADDING_SAME };

static const shape shapes[] = {{2, 14, 14, 64, 32, 3, 1, 1, 1, SAME},
                               {1, 9, 11, 20, 30, 3, 1, 1, 1, SAME},
                               {2, 8, 7, 24, 144, 1, 1, 1, 1, VALID},
                               {1, 33, 32, 3, 32, 3, 2, 1, 1, SAME},
                               {2, 28, 28, 1, 8, 5, 1, 1, 1, VALID},
                               {2, 12, 12, 8, 16, 3, 1, 1, 1, SAME},
                               {2, 10, 9, 32, 48, 1, 2, 1, 1, SAME},
                               {1, 13, 13, 16, 16, 3, 1, 2, 1, SAME, .no_weights_avx2 = true},
                               {1, 12, 14, 32, 16, 3, 1, 3, 1, VALID, .no_weights_avx2 = true},
                               {2, 10, 10, 64, 64, 3, 1, 1, 2, SAME},
                               {1, 16, 16, 64, 1, 1, 1, 1, 1, SAME},
                               {1, 16, 16, 64, 3, 3, 1, 1, 1, SAME},
                               {1, 35, 35, 3, 16, 7, 2, 1, 1, SAME, .no_data_avx2 = true},
                               {1, 3, 3, 48, 40, 3, 2, 1, 1, SAME}};

static const shape depthwise[] = {
    {2, 14, 14, 32, 32, 3, 1, 1, 0, SAME}, {1, 15, 14, 24, 24, 3, 2, 1, 0, SAME},
    {2, 9, 9, 16, 16, 5, 1, 1, 0, SAME},   {1, 17, 16, 40, 40, 5, 2, 1, 0, SAME},
    {1, 14, 14, 20, 20, 7, 1, 1, 0, SAME}, {1, 12, 12, 8, 8, 3, 1, 1, 0, VALID}};

/* It is in the build, and has kernels for this machine. */
static bool has_onednn(void) { return SNUG_HAS_ONEDNN && snug__isa_best() >= SNUG__ISA_AVX2; }

static snug__conv2d_bwd_params params_of(const shape *s) {
  snug__conv2d_bwd_params p;
  memset(&p, 0, sizeof p);
  p.conv.strides = (snug_ints){.n = 2, .v = {s->stride, s->stride}};
  p.conv.dilation = (snug_ints){.n = 2, .v = {s->dilation, s->dilation}};
  p.conv.padding = s->padding;
  p.conv.groups = s->groups;
  return p;
}

/* The three values of a convolution. */
typedef struct values {
  snug__type x, kernel, y;
  snug__conv c;
} values;

static values values_of(const shape *s, const snug__conv2d_params *p) {
  values v;
  const int64_t x[] = {s->batch, s->height, s->width, s->cin};
  const int64_t kernel[] = {s->kernel, s->kernel, s->groups ? s->cin / s->groups : s->cin,
                            s->groups ? s->cout : s->cout / s->cin};
  v.x = snug__type_of(SNUG_FLOAT32, 4, x);
  v.kernel = snug__type_of(SNUG_FLOAT32, 4, kernel);
  v.c = snug__conv_of(&v.x, &v.kernel, p);
  const int64_t y[] = {s->batch, v.c.h.out, v.c.w.out, s->cout};
  v.y = snug__type_of(SNUG_FLOAT32, 4, y);
  return v;
}

static trial trial_of(const char *name, const snug__op *op, const snug__conv2d_bwd_params *p,
                      const snug__type *a, const snug__type *b, const snug__type *out) {
  return (trial){.name = name,
                 .sig = {.op = op, .params = p, .n_in = 2, .n_out = 1},
                 .plain_in = {*a, *b},
                 .plain_out = *out};
}

static void try_forward(const shape *s) {
  snug__conv2d_bwd_params p = params_of(s);
  values v = values_of(s, &p.conv);
  trial t = s->groups ? trial_of("dnn_conv2d", &snug__op_conv2d, &p, &v.x, &v.kernel, &v.y)
                      : trial_of("dnn_depthwise_conv2d", &snug__op_depthwise_conv2d, &p, &v.x,
                                 &v.kernel, &v.y);
  t.terms = (double)(s->kernel * s->kernel * (s->groups ? v.kernel.dim[2] : 1));
  trial_run(&t);
}

static void try_bwd_data(const shape *s) {
  snug__conv2d_bwd_params p = params_of(s);
  values v = values_of(s, &p.conv);
  p.shape = snug__shape_param(&v.x);
  trial t = s->groups ? trial_of("dnn_conv2d_bwd_data", &snug__op_conv2d_bwd_data, &p, &v.y,
                                 &v.kernel, &v.x)
                      : trial_of("dnn_depthwise_conv2d_bwd_data",
                                 &snug__op_depthwise_conv2d_bwd_data, &p, &v.y, &v.kernel, &v.x);
  t.terms = (double)(s->kernel * s->kernel * (s->groups ? s->cout / s->groups : 1));
  t.not_on_avx2 = s->no_data_avx2;
  trial_run(&t);
}

static void try_bwd_weights(const shape *s) {
  snug__conv2d_bwd_params p = params_of(s);
  values v = values_of(s, &p.conv);
  p.shape = snug__shape_param(&v.kernel);
  trial t = s->groups ? trial_of("dnn_conv2d_bwd_weights", &snug__op_conv2d_bwd_weights, &p, &v.x,
                                 &v.y, &v.kernel)
                      : trial_of("dnn_depthwise_conv2d_bwd_weights",
                                 &snug__op_depthwise_conv2d_bwd_weights, &p, &v.x, &v.y, &v.kernel);
  t.terms = (double)(s->batch * v.y.dim[1] * v.y.dim[2]);
  t.not_on_avx2 = s->no_weights_avx2;
  trial_run(&t);
}

/* As one layout serves a kernel and its gradient. */
static void check_kernel_layout(const shape *s) {
  snug__conv2d_bwd_params p = params_of(s);
  values v = values_of(s, &p.conv);
  snug__layouts forward = {0}, weights = {0};
  snug__type in[] = {v.x, v.kernel};
  snug__signature sig = {
      &snug__op_conv2d, &p, 2, 1, in, &v.y, snug__host_target(2, snug__isa_best())};
  ASSERT_TRUE(trial_kernel(&sig, "dnn_conv2d")->fits(&sig, &forward));
  sig.op = &snug__op_conv2d_bwd_weights;
  sig.out = &v.kernel;
  p.shape = snug__shape_param(&v.kernel);
  in[0].layout = forward.in[0];
  in[1] = v.y;
  if (!(snug__isa_of(sig.target) == SNUG__ISA_AVX2 && s->no_weights_avx2)) {
    ASSERT_TRUE(trial_kernel(&sig, "dnn_conv2d_bwd_weights")->fits(&sig, &weights));
    ASSERT_EQ_INT(weights.in[0], forward.in[0]);
    ASSERT_EQ_INT(weights.out[0], forward.in[1]);
  }
}

TEST(a_kernel_and_its_gradient_have_one_layout) {
  for (size_t i = 0; i < SNUG_COUNT(shapes) && has_onednn(); i++) {
    check_kernel_layout(&shapes[i]);
  }
}

static const snug__epilogue epilogues[] = {
    {SNUG__LINEAR, INFINITY}, {SNUG__RELU, INFINITY}, {SNUG__RELU, 0.3}, {SNUG__SWISH, INFINITY}};

static void try_epilogue(const shape *s, const snug__epilogue *epilogue, bool bias) {
  snug__conv2d_epilogue_params p, linear;
  memset(&p, 0, sizeof p);
  p.conv = params_of(s).conv;
  linear = p;
  linear.epilogue = epilogues[0];
  p.epilogue = *epilogue;
  values v = values_of(s, &p.conv);
  trial t = {
      .name = s->groups ? "dnn_conv2d_epilogue" : "dnn_depthwise_conv2d_epilogue",
      .sig = {.op = s->groups ? &snug__op_conv2d_epilogue : &snug__op_depthwise_conv2d_epilogue,
              .params = &p,
              .n_in = bias ? 3 : 2,
              .n_out = 1},
      .plain_in = {v.x, v.kernel, snug__type_of(SNUG_FLOAT32, 1, &s->cout)},
      .plain_out = v.y,
      .linear = &linear,
      .terms = (double)(s->kernel * s->kernel * (s->groups ? v.kernel.dim[2] : 1))};
  trial_run(&t);
}

TEST(epilogues) {
  for (size_t i = 0; i < 2 * SNUG_COUNT(epilogues); i++) {
    try_epilogue(&shapes[0], &epilogues[i / 2], i % 2);
    try_epilogue(&shapes[1], &epilogues[i / 2], i % 2);
    try_epilogue(&shapes[3], &epilogues[i / 2], i % 2);
    try_epilogue(&depthwise[1], &epilogues[i / 2], i % 2);
    try_epilogue(&depthwise[4], &epilogues[i / 2], i % 2);
  }
}

TEST(forward) {
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    try_forward(&shapes[i]);
  }
}

TEST(bwd_data) {
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    try_bwd_data(&shapes[i]);
  }
}

TEST(bwd_weights) {
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    try_bwd_weights(&shapes[i]);
  }
}

TEST(depthwise_forward) {
  for (size_t i = 0; i < SNUG_COUNT(depthwise); i++) {
    try_forward(&depthwise[i]);
  }
}

TEST(depthwise_bwd_data) {
  for (size_t i = 0; i < SNUG_COUNT(depthwise); i++) {
    try_bwd_data(&depthwise[i]);
  }
}

/* A wider kernel is not the library's: it has only its slow way there. */
TEST(depthwise_bwd_weights) {
  for (size_t i = 0; i < SNUG_COUNT(depthwise); i++) {
    if (depthwise[i].kernel <= 3) {
      try_bwd_weights(&depthwise[i]);
    }
  }
}

/* Out of 24 channels into 20, at twice the size. */
TEST(transpose) {
  static const int64_t x[] = {2, 7, 6, 24}, kernel[] = {3, 3, 20, 24}, y[] = {2, 14, 12, 20};
  snug__conv2d_transpose_params p;
  memset(&p, 0, sizeof p);
  p.strides = (snug_ints){.n = 2, .v = {2, 2}};
  p.dilation = (snug_ints){.n = 2, .v = {1, 1}};
  p.padding = SAME;
  trial t = {
      .name = "dnn_conv2d_transpose",
      .sig = {.op = &snug__op_conv2d_transpose, .params = &p, .n_in = 2, .n_out = 1},
      .plain_in = {snug__type_of(SNUG_FLOAT32, 4, x), snug__type_of(SNUG_FLOAT32, 4, kernel)},
      .plain_out = snug__type_of(SNUG_FLOAT32, 4, y),
      .terms = 9 * 24};
  trial_run(&t);
}

static bool fits(const snug__type *x, const snug__type *kernel, const snug__type *y) {
  snug__conv2d_bwd_params p = params_of(&shapes[0]);
  snug__type in[] = {*x, *kernel};
  snug__layouts want = {0};
  snug__signature sig = {&snug__op_conv2d, &p, 2, 1, in, y, snug__host_target(1, snug__isa_best())};
  return trial_kernel(&sig, "dnn_conv2d")->fits(&sig, &want);
}

TEST(what_does_not_fit) {
  snug__conv2d_bwd_params p = params_of(&shapes[0]);
  values v = values_of(&shapes[0], &p.conv);
  ASSERT_EQ_INT(fits(&v.x, &v.kernel, &v.y), has_onednn());
  v.x.dim[0] = v.y.dim[0] = 0;
  ASSERT_FALSE(fits(&v.x, &v.kernel, &v.y));
  v.x.dim[0] = v.y.dim[0] = 1;
  v.x.dtype = v.kernel.dtype = v.y.dtype = SNUG_FLOAT64;
  ASSERT_FALSE(fits(&v.x, &v.kernel, &v.y));
}
