/* Whole training steps as they are run (laid out, fused, by the fastest kernels) against the plain
 * graph run by the references.
 *
 * Both start from the same weights.  What is right is the plain graph in float64; how far float32
 * is from that by rounding its values alone, the plain graph in float32 shows, whose references sum
 * in double.  The kernels sum in float32, which adds roundings like those of the values. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ctx.h"
#include "device/cpu/cpu.h"
#include "device/device.h"
#include "device/host.h"
#include "lib/models.h"
#include "model/model.h"
#include "pass/passes.h"
#include "train/nets.h"

#define MORE_ROUNDINGS 8.0 /* than the values' own, of norms of a whole weight */
#define MOVING 0.03        /* a moving mean takes 0.01 of a mean, whose terms are up to 3 */

/* In a deep network that normalizes few values, roundings grow until some value is at the other
 * side of a ReLU's kink, in one run or another: that is this part of the gradient at most. */
#define A_KINK 0.05

/* ---- a processor with references only ---- */

static const snug__kernel *reference(const snug__op *op, snug__target target, int32_t i) {
  const snug__kernel *last = NULL;
  for (int32_t k = 0; snug__cpu.kernel(op, target, k); k++) {
    last = snug__cpu.kernel(op, target, k);
  }
  return i == 0 ? last : NULL;
}

/* ---- one step ---- */

typedef struct weights {
  size_t n; /* of all weights together */
  double *value;
  size_t n_parts, end[512]; /* where each weight ends */
  double loss;
} weights;

typedef struct way {
  snug_dtype dtype;
  bool plain;
  snug__isa isa;
  int32_t threads;
} way;

static void take_weights(snug_ctx *ctx, snug_model *m, weights *w) {
  w->n = w->n_parts = 0;
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info info = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &info));
    void *raw = malloc(info.bytes + 1);
    size_t count = info.bytes / snug_dtype_bytes(info.dtype);
    w->value = realloc(w->value, (w->n + count + 1) * sizeof *w->value);
    ASSERT_TRUE(raw && w->value && w->n_parts < SNUG_COUNT(w->end));
    ASSERT_OK(ctx, snug_model_weight_get(m, info.name, raw, info.bytes));
    for (size_t k = 0; k < count; k++) {
      w->value[w->n++] = snug__element_get(info.dtype, raw, (int64_t)k);
    }
    w->end[w->n_parts++] = w->n;
    free(raw);
  }
}

static void set_weights(snug_ctx *ctx, snug_model *m, const weights *w) {
  size_t at = 0;
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info info = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &info));
    void *raw = malloc(info.bytes + 1);
    ASSERT_NOT_NULL(raw);
    for (size_t k = 0; k < info.bytes / snug_dtype_bytes(info.dtype); k++) {
      snug__element_set(info.dtype, raw, (int64_t)k, w->value[at++]);
    }
    ASSERT_OK(ctx, snug_model_weight_set(m, info.name, raw, info.bytes));
    free(raw);
  }
}

static snug_model *make_model(snug_ctx *ctx, const net *n, const way *how,
                              const snug__pass_options *plain) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_model *m = NULL;
  o.seed = 11;
  o.dtype = how->dtype;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  m->pass = how->plain ? plain : NULL;
  ASSERT_OK(ctx, n->build(m));
  ASSERT_OK(ctx, compile_with(m, "sgd(learning_rate=0.5)", "sparse_categorical_crossentropy"));
  return m;
}

/* One step from `start` (NULL: from the initial weights, which then are the result). */
static void run_step(const net *n, const way *how, const weights *start, weights *out) {
  snug__device references = snug__cpu;
  references.kernel = reference;
  snug__pass_options plain = {.device = &references, .no_fuse = true, .no_recompute = true};
  snug_ctx *ctx =
      test_ctx_with(&(snug_options){.struct_size = sizeof(snug_options), .threads = how->threads});
  ctx->isa = how->isa < ctx->isa ? how->isa : ctx->isa;
  ctx->target = snug__cpu.target(ctx);
  snug_model *m = make_model(ctx, n, how, &plain);
  if (start) {
    snug_fit_options o = SNUG_INIT(snug_fit_options);
    snug_history *h = NULL;
    toy t;
    toy_make(&t, n->batch, n->shape, n->rank, n->classes);
    o.batch_size = n->batch;
    set_weights(ctx, m, start);
    ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
    snug_logs logs = snug_history_logs(h, 0);
    out->loss = snug_logs_get(&logs, "loss");
    snug_history_destroy(h);
    toy_free(&t);
  }
  take_weights(ctx, m, out);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

/* ---- comparing ---- */

static double distance(const double *a, const double *b, size_t from, size_t to) {
  double sum = 0.0;
  for (size_t i = from; i < to; i++) {
    double d = a[i] - (b ? b[i] : 0.0);
    sum += d * d;
  }
  return sqrt(sum);
}

static size_t begin_of(const weights *w, size_t part) { return part ? w->end[part - 1] : 0; }

/* How far the elements of the weights of a layer moved: the most of a part and those beside it. */
static double move_near(const weights *start, const weights *right, size_t part) {
  double most = 0.0;
  for (size_t p = part < 2 ? 0 : part - 2; p <= part + 2 && p < right->n_parts; p++) {
    size_t from = begin_of(right, p), to = right->end[p];
    double n = (double)(to - from);
    most = fmax(most, n > 0.0 ? distance(start->value, right->value, from, to) / sqrt(n) : 0.0);
  }
  return most;
}

/* What a whole weight may be off by.  A gradient that is nothing but a cancelled sum, as that of a
 * shift before a normalization, has terms as large as the gradients beside it. */
static double allowed(const weights *start, const weights *right, const weights *rounded,
                      size_t part, double kink) {
  size_t from = begin_of(right, part), to = right->end[part];
  double least = (MOVING + move_near(start, right, part)) * sqrt((double)(to - from));
  double rounding = distance(rounded->value, right->value, from, to) +
                    (double)FLT_EPSILON * (distance(right->value, NULL, from, to) + least);
  return MORE_ROUNDINGS * rounding + kink * distance(start->value, right->value, from, to);
}

static void compare(const net *n, const way *how, const weights *start, const weights *right,
                    const weights *rounded, const weights *got, double kink) {
  double worst = 0.0;
  ASSERT_EQ_UINT(got->n, right->n);
  for (size_t p = 0; p < right->n_parts; p++) {
    double error = distance(got->value, right->value, begin_of(right, p), right->end[p]);
    double most = allowed(start, right, rounded, p, kink);
    worst = fmax(worst, most > 0.0 ? error / most : 0.0);
    if (!(error <= most)) {
      test_fail(__FILE__, __LINE__, "%s, %s, %d threads: weight %zu is off by %.3g, allowed %.3g",
                n->name, snug__isa_text(how->isa), how->threads, p, error, most);
    }
  }
  double own = fabs(rounded->loss - right->loss) + (double)FLT_EPSILON * fabs(right->loss);
  ASSERT_TRUE(fabs(got->loss - right->loss) <= MORE_ROUNDINGS * own);
  printf("%s, %s, %d threads: errors up to %.2g of what is allowed\n", n->name,
         snug__isa_text(how->isa), how->threads, worst);
}

static void check_net(const net *n, double kink) {
  static const way fast[] = {
    {SNUG_FLOAT32, false, SNUG__ISA_COUNT - 1, 2},
    {SNUG_FLOAT32, false, SNUG__ISA_COUNT - 1, 1},
#if defined(__x86_64__)
    {SNUG_FLOAT32, false, SNUG__ISA_AVX2, 2},
#endif
    {SNUG_FLOAT32, false, SNUG__ISA_BASE, 1}
  };
  weights start = {0}, right = {0}, rounded = {0}, got = {0};
  run_step(n, &(way){SNUG_FLOAT32, true, SNUG__ISA_BASE, 1}, NULL, &start);
  run_step(n, &(way){SNUG_FLOAT64, true, SNUG__ISA_BASE, 2}, &start, &right);
  run_step(n, &(way){SNUG_FLOAT32, true, SNUG__ISA_BASE, 2}, &start, &rounded);
  ASSERT_TRUE(distance(start.value, right.value, 0, right.n) > 0.0);
  for (size_t i = 0; i < SNUG_COUNT(fast); i++) {
    run_step(n, &fast[i], &start, &got);
    compare(n, &fast[i], &start, &right, &rounded, &got, kink);
  }
  free(start.value);
  free(right.value);
  free(rounded.value);
  free(got.value);
}

/* ---- networks ---- */

static snug_status build_vgg(snug_model *m) {
  return test_net_vgg(
      m, &(test_net){.size = 16, .dtype = m->real, .classes = 10, .width = 16, .depth = 2});
}

static snug_status build_residual(snug_model *m) {
  return test_net_residual(
      m, &(test_net){.size = 12, .dtype = m->real, .classes = 5, .width = 24, .depth = 9});
}

static snug_status build_wide_mobilenet(snug_model *m) {
  return test_net_mobilenet_v2(
      m, &(test_net){.size = 16, .dtype = m->real, .classes = 10, .width = 16, .depth = 1});
}

static snug_tensor one(snug_model *m, const char *name, const char *config, snug_tensor x) {
  return snug_model_layer(m, name, config, &x, 1);
}

static snug_tensor two(snug_model *m, const char *name, snug_tensor a, snug_tensor b) {
  return snug_model_layer(m, name, NULL, (const snug_tensor[]){a, b}, 2);
}

/* A block with swish, a wide depthwise kernel and a gate per channel, as in EfficientNet. */
static snug_tensor gated(snug_model *m, snug_tensor x) {
  x = one(m, "DepthwiseConv2D", "kernel_size=5 strides=2 padding=same use_bias=false", x);
  x = one(m, "BatchNormalization", NULL, x);
  x = one(m, "Activation", "activation=swish", x);
  snug_tensor s = one(m, "GlobalAveragePooling2D", "keepdims=true", x);
  s = one(m, "Conv2D", "filters=6 kernel_size=1 activation=swish", s);
  s = one(m, "Conv2D", "filters=24 kernel_size=1 activation=sigmoid", s);
  return two(m, "Multiply", x, s);
}

static snug_status build_gated(snug_model *m) {
  snug_tensor x = snug_model_input(m, "image", m->real, (const int64_t[]){17, 15, 3}, 3);
  x = one(m, "ZeroPadding2D", "padding=1", x);
  x = one(m, "Conv2D", "filters=24 kernel_size=3 use_bias=false", x);
  x = one(m, "BatchNormalization", NULL, x);
  x = one(m, "Activation", "activation=swish", x);
  x = gated(m, x);
  x = one(m, "Dropout", "rate=0.2", x);
  x = one(m, "GlobalAveragePooling2D", NULL, x);
  x = one(m, "Dense", "units=7 activation=softmax", x);
  return snug_model_outputs(m, &x, 1);
}

/* Down, up and across, as in U-Net, with branches that meet in channels. */
static snug_status build_forked(snug_model *m) {
  snug_tensor x = snug_model_input(m, "image", m->real, (const int64_t[]){12, 20, 2}, 3);
  snug_tensor a = one(m, "Conv2D", "filters=16 kernel_size=3 padding=same activation=relu", x);
  snug_tensor b = one(m, "MaxPooling2D", NULL, a);
  b = one(m, "Conv2D", "filters=40 kernel_size=3 padding=same activation=elu", b);
  b = one(m, "AveragePooling2D", "pool_size=3 strides=1 padding=same", b);
  b = one(m, "UpSampling2D", NULL, b);
  x = two(m, "Concatenate", a, b);
  x = one(m, "Conv2DTranspose", "filters=12 kernel_size=3 strides=2 padding=same", x);
  x = one(m, "Cropping2D", "cropping=3", x);
  x = one(m, "LeakyReLU", NULL, x);
  x = one(m, "GlobalMaxPooling2D", NULL, x);
  x = one(m, "Dense", "units=33 activation=gelu", x);
  x = one(m, "LayerNormalization", NULL, x);
  x = one(m, "Dense", "units=6 activation=softmax", x);
  return snug_model_outputs(m, &x, 1);
}

TEST(mlp) { check_net(&nets[0], 0); }
TEST(demo) { check_net(&nets[1], 0); }
TEST(resnet) { check_net(&nets[2], A_KINK); }
TEST(mobilenet) { check_net(&nets[3], A_KINK); }
TEST(vgg) { check_net(&(net){"vgg", build_vgg, {16, 16, 3}, 3, 10, 0, 5}, 0); }
TEST(residual) { check_net(&(net){"residual", build_residual, {12, 12, 3}, 3, 5, 0, 6}, 0); }
TEST(wide_mobilenet) {
  check_net(&(net){"wide mobilenet", build_wide_mobilenet, {16, 16, 3}, 3, 10, 0, 16}, A_KINK);
}
TEST(gated) { check_net(&(net){"gated", build_gated, {17, 15, 3}, 3, 7, 0, 6}, 0); }
TEST(forked) { check_net(&(net){"forked", build_forked, {12, 20, 2}, 3, 6, 0, 5}, 0); }
