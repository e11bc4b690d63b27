/* Options of layers that are refused, and layers that act in training alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/interpret.h"
#include "lib/test.h"
#include "model/model.h"

typedef struct refused {
  const char *class_name, *config;
  int32_t rank; /* of the input with the batch: 2 [8], 3 [6,4], 4 [6,6,4] */
  snug_status status;
  const char *message;
} refused;

static const refused cases[] = {
    {"Conv2D", "filters=4", 4, SNUG_E_ARGUMENT, "kernel_size must be given"},
    {"Conv2D", "filters=0 kernel_size=3", 4, SNUG_E_ARGUMENT, "x: filters=0: expected 1 or more"},
    {"Conv2D", "filters=4 kernel_size=0", 4, SNUG_E_ARGUMENT, "x: kernel_size=0: expected 1 or"},
    {"Conv2D", "filters=4 kernel_size=[3,3,3]", 4, SNUG_E_ARGUMENT, "x: kernel_size has 3 numbers"},
    {"Conv2D", "filters=4 kernel_size=3 strides=-1", 4, SNUG_E_ARGUMENT, "x: strides=-1: expected"},
    {"Conv2D", "filters=4 kernel_size=3 groups=3", 4, SNUG_E_ARGUMENT, "x: groups=3 must divide"},
    {"Conv2D", "filters=4 kernel_size=3 padding=full", 4, SNUG_E_ARGUMENT, "one of valid, same"},
    {"Conv2D", "filters=4 kernel_size=3 padding=causal", 4, SNUG_E_ARGUMENT, "one of valid, same"},
    {"Conv2D", "filters=4 kernel_size=7", 4, SNUG_E_SHAPE, "x (conv2d)"},
    {"Conv2D", "filters=4 kernel_size=3", 2, SNUG_E_SHAPE,
     "x (Conv2D) takes [batch, height, width, channels], not float32[batch,8]; a Reshape can add "
     "axes"},
    {"MaxPooling2D", "pool_size=2 padding=FULL", 4, SNUG_E_ARGUMENT,
     "padding=FULL: expected one of valid, same"},
    {"Cropping1D", "cropping=9223372036854775807", 3, SNUG_E_SHAPE,
     "x: cropping takes 9223372036854775807 and"},
    {"Dense", "10", 2, SNUG_E_ARGUMENT, "write key=value; there is no key '10' here; known: name"},
    {"RepeatVector", "n=4611686018427387904", 2, SNUG_E_SHAPE,
     "x (repeat): float32[1,4611686018427387904,8]"},
    {"Conv2D", "filters=4 kernel_size=3 data_format=channels_first", 4, SNUG_E_UNSUPPORTED,
     "data_format=channels_first: only channels_last"},
    {"Conv2D", "filters=4 kernel_size=3 activation=soft", 4, SNUG_E_ARGUMENT,
     "x: there is no activation 'soft'"},
    {"Conv1D", "filters=4 kernel_size=[3,3]", 3, SNUG_E_ARGUMENT, "x: kernel_size has 2 numbers"},
    {"DepthwiseConv2D", "kernel_size=3 depth_multiplier=0", 4, SNUG_E_ARGUMENT,
     "x: depth_multiplier=0"},
    {"DepthwiseConv2D", "kernel_size=3 filters=3", 4, SNUG_E_ARGUMENT, "no 'filters' here"},
    {"Conv2DTranspose", "filters=2 kernel_size=3 output_padding=1", 4, SNUG_E_ARGUMENT,
     "output_padding"},
    {"MaxPooling2D", "pool_size=0", 4, SNUG_E_ARGUMENT, "x: pool_size=0: expected 1 or more"},
    {"MaxPooling2D", "pool_size=9", 4, SNUG_E_SHAPE, "x (max_pool2d)"},
    {"MaxPooling1D", "", 4, SNUG_E_SHAPE, "x (MaxPooling1D) takes [batch, steps, channels]"},
    {"GlobalMaxPooling2D", "data_format=channels_first", 4, SNUG_E_UNSUPPORTED, "channels_last"},
    {"BatchNormalization", "axis=0", 4, SNUG_E_ARGUMENT, "other than the batch's 0"},
    {"BatchNormalization", "axis=4", 4, SNUG_E_ARGUMENT, "x: axis=4: expected an axis of an input"},
    {"BatchNormalization", "axis=[1,2]", 4, SNUG_E_ARGUMENT, "x: axis names 2 axes"},
    {"BatchNormalization", "renorm=true", 4, SNUG_E_UNSUPPORTED, "renorm=true: only false"},
    {"BatchNormalization", "epsilon=-1", 4, SNUG_E_ARGUMENT, "epsilon"},
    {"LayerNormalization", "axis=[0,1,2,3]", 4, SNUG_E_ARGUMENT, "other than the batch's"},
    {"LayerNormalization", "axis=[1,-1]", 4, SNUG_E_ARGUMENT, "all from the front or from the end"},
    {"LayerNormalization", "axis=none", 4, SNUG_E_ARGUMENT, "x: axis=0: expected one axis or more"},
    {"LayerNormalization", "rms_scaling=true", 4, SNUG_E_UNSUPPORTED,
     "rms_scaling=true: only false"},
    {"RMSNormalization", "axis=1", 4, SNUG_E_ARGUMENT, "x: axis=1: expected the last axis, or"},
    {"GroupNormalization", "groups=3", 4, SNUG_E_ARGUMENT, "x: groups=3: expected a divisor"},
    {"GroupNormalization", "", 4, SNUG_E_ARGUMENT, "x: groups=32: expected a divisor"},
    {"UnitNormalization", "axis=0", 4, SNUG_E_ARGUMENT, "x: axis=0"},
    {"Softmax", "axis=0", 2, SNUG_E_ARGUMENT, "x: axis=0"},
    {"Softmax", "axis=[1,1]", 4, SNUG_E_ARGUMENT, "x: axis=1: expected each axis once"},
    {"ReLU", "max_value=-1", 2, SNUG_E_ARGUMENT, "must not be below 0"},
    {"ReLU", "max_value=[1,2]", 2, SNUG_E_ARGUMENT, "x: max_value=2: expected one number"},
    {"PReLU", "shared_axes=[4]", 4, SNUG_E_ARGUMENT, "x: shared_axes=4"},
    {"Concatenate", "axis=0", 4, SNUG_E_ARGUMENT, "x: axis=0"},
    {"Reshape", "target_shape=[3,3]", 2, SNUG_E_SHAPE, "x: target_shape=[3,3] (without the batch)"},
    {"Reshape", "target_shape=[-1,-1]", 2, SNUG_E_SHAPE, "target_shape=[-1,-1]"},
    {"Reshape", "target_shape=[0,-1]", 2, SNUG_E_SHAPE, "target_shape=[0,-1]"},
    {"Reshape", "target_shape=[1,1,1,1,1,8]", 2, SNUG_E_ARGUMENT, "at most 5 axes"},
    {"Reshape", "target_shape=[4611686018427387904,4]", 2, SNUG_E_SHAPE, "target_shape"},
    {"Permute", "dims=[1,2]", 4, SNUG_E_ARGUMENT, "each of the axes 1 to 3 once"},
    {"Permute", "dims=[1,2,2]", 4, SNUG_E_ARGUMENT, "each of the axes 1 to 3 once"},
    {"Permute", "dims=[0,1,2]", 4, SNUG_E_ARGUMENT, "each of the axes 1 to 3 once"},
    {"RepeatVector", "n=0", 2, SNUG_E_ARGUMENT, "x: n=0: expected 1 or more"},
    {"ZeroPadding2D", "padding=-1", 4, SNUG_E_ARGUMENT, "x: padding=-1: expected 0 or more"},
    {"ZeroPadding2D", "padding=[1,2,3]", 4, SNUG_E_ARGUMENT,
     "x: padding has 3 numbers: expected 1, 2 or 2 x 2"},
    {"Cropping2D", "cropping=3", 4, SNUG_E_SHAPE, "x: cropping takes 3 and 3 of the 6 elements"},
    {"UpSampling2D", "size=0", 4, SNUG_E_ARGUMENT, "x: size=0: expected 1 or more"},
    {"UpSampling2D", "interpolation=lanczos3", 4, SNUG_E_ARGUMENT, "one of nearest, bilinear"},
    {"Embedding", "input_dim=0 output_dim=2", 2, SNUG_E_ARGUMENT, "x: input_dim=0"},
    {"Dense", "units=2 activity_regularizer=l3", 2, SNUG_E_ARGUMENT,
     "x: there is no regularizer 'l3'"},
    {"ActivityRegularization", "l1=-1", 2, SNUG_E_ARGUMENT, "x: l1=-1: expected 0 or more"},
    {"ActivityRegularization", "l2=-1", 2, SNUG_E_ARGUMENT, "x: l2=-1: expected 0 or more"},
    {"Resizing", "height=0 width=4", 4, SNUG_E_ARGUMENT, "x: height=0: expected 1 or more"},
    {"Resizing", "height=2 width=4", 2, SNUG_E_SHAPE, "x (Resizing) takes [batch, height, width"},
    {"Resizing", "height=2 width=4 interpolation=bicubic", 4, SNUG_E_ARGUMENT,
     "interpolation=bicubic: expected one of nearest, bilinear"},
    {"Resizing", "height=2 width=4 antialias=true", 4, SNUG_E_UNSUPPORTED,
     "antialias=true: only false"},
    {"Resizing", "height=2 width=4 fill_mode=reflect", 4, SNUG_E_ARGUMENT, "one of constant"},
    {"Resizing", "height=2 width=4 crop_to_aspect_ratio=true pad_to_aspect_ratio=true", 4,
     SNUG_E_ARGUMENT, "only one of them"},
    {"Resizing", "height=2 width=2000000", 4, SNUG_E_SHAPE, "from 1 to 2^20"},
    {"Dropout", "rate=1", 2, SNUG_E_ARGUMENT, "x: rate=1: expected a number from 0 to less than 1"},
    {"Dropout", "rate=-0.5", 2, SNUG_E_ARGUMENT, "x: rate=-0.5"},
    {"Dropout", "rate=0.5 noise_shape=[1,1,1]", 2, SNUG_E_ARGUMENT, "x: noise_shape"},
    {"Dropout", "rate=0.5 noise_shape=[1,7]", 2, SNUG_E_ARGUMENT, "x: noise_shape"},
    {"GaussianNoise", "stddev=-1", 2, SNUG_E_ARGUMENT, "x: stddev=-1"},
    {"StochasticDepth", "drop_path_rate=2", 4, SNUG_E_ARGUMENT, "x: drop_path_rate=2"},
    {"Rescaling", "scale=[1,2]", 4, SNUG_E_SHAPE, "x: scale has 2 numbers: expected 1 or the 4"},
    {"Normalization", "mean=1", 4, SNUG_E_ARGUMENT, "x: mean and variance: give both"},
    {"Normalization", "axis=0", 4, SNUG_E_ARGUMENT, "other than the batch's"},
    {"Normalization", "axis=1 mean=[1,2] variance=[1,2]", 4, SNUG_E_SHAPE,
     "x: mean has 2 numbers: expected 1 or the 6 of the kept axes"},
    {"LayerScale", "init_values=1 projection_dim=0", 4, SNUG_E_ARGUMENT, "x: projection_dim=0"},
    {"LayerScale", "init_values=1 projection_dim=3", 4, SNUG_E_SHAPE, "x (multiply)"},
    {"Flatten", "data_format=channels_first", 4, SNUG_E_UNSUPPORTED, "channels_last"},
    {"ops.Add", "", 2, SNUG_E_ARGUMENT, "x: 1 inputs and 0 constants: expected 2"},
    {"ops.Add", "constant=[1,2]", 2, SNUG_E_SHAPE, "x: a constant of shape [2] cannot be"},
    {"ops.Add", "constant=[[1],[2],[3],[4],[5],[6],[7],[8]]", 2, SNUG_E_SHAPE,
     "x: the 8 numbers of a constant do not fill"},
    {"ops.Add", "constant=[1,2,3] constant_shape=[2,2]", 2, SNUG_E_SHAPE, "x: the 3 numbers of a"},
    {"ops.Add", "constant=[1,2] constant_shape=[2,1,1,1]", 4, SNUG_E_SHAPE,
     "x: a constant of shape [2,1,1,1] cannot be broadcast to float32[batch,6,6,4]"},
    {"ops.Cast", "dtype=float16", 2, SNUG_E_UNSUPPORTED,
     "x: dtype=float16: a dtype other than int8"},
    {"ops.Where", "x1=1 x2=2 condition=[1,0]", 2, SNUG_E_ARGUMENT, "x: 1 inputs and 3 constants"},
    {"ops.Take", "axis=1 indices=8", 2, SNUG_E_ARGUMENT, "x: indices: 8 is not one of 8"},
    {"ops.Take", "axis=1", 2, SNUG_E_UNSUPPORTED,
     "x: x and indices that are both tensors: not supported; one is a constant"},
    {"ops.Take", "axis=none indices=1", 2, SNUG_E_UNSUPPORTED, "x: axis=none"},
    {"ops.Split", "indices_or_sections=3 axis=1", 2, SNUG_E_ARGUMENT, "expected a divisor of the"},
    {"ops.Split", "indices_or_sections=[2,9] axis=1 output=1", 2, SNUG_E_ARGUMENT, "rising order"},
    {"ops.Split", "indices_or_sections=2 axis=1 output=2", 2, SNUG_E_ARGUMENT,
     "output=2: there are 2"},
    {"ops.TopK", "k=9", 2, SNUG_E_ARGUMENT, "x: k=9"},
    {"ops.Tile", "repeats=[2,1]", 2, SNUG_E_UNSUPPORTED,
     "x: repeats of the batch, the first axis: not supported"},
    {"ops.Pad", "pad_width=1", 2, SNUG_E_UNSUPPORTED,
     "x: a pad_width of the batch, the first axis"},
    {"ops.Pad", "pad_width=[0,0,8,0] mode=reflect", 2, SNUG_E_ARGUMENT, "x: pad_width=8"},
    {"ops.Roll", "axis=[1] shift=[1,2]", 2, SNUG_E_ARGUMENT, "x: shift=2: expected one number"},
    {"ops.Norm", "axis=[1,2] ord=2", 4, SNUG_E_UNSUPPORTED,
     "x: ord=2: ord of matrices, other than null"},
    {"ops.Argmax", "axis=none", 2, SNUG_E_UNSUPPORTED, "x: axis=none"},
    {"ops.BroadcastTo", "shape=[2,8]", 2, SNUG_E_UNSUPPORTED,
     "x: a shape of another number of axes"},
    {"ops.Einsum", "subscripts=ij->j", 2, SNUG_E_UNSUPPORTED,
     "x: a batch that is not the first axis"},
    {"ops.Einsum", "subscripts=ijk->ij", 2, SNUG_E_ARGUMENT, "x: subscripts=ijk->ij do not fit"},
    {"ops.Dot", "constant=[1,2,3]", 2, SNUG_E_UNSUPPORTED,
     "the sizes of axes that belong together"},
    {"ops.Prod", "axis=1 dtype=int32", 2, SNUG_E_UNSUPPORTED,
     "dtype=int32: only null is supported; Cast changes it"},
    {"ops.Sum", "axis=0", 2, SNUG_E_ARGUMENT, "other than the batch's 0"},
    {"ops.Sum", "axis=none", 2, SNUG_E_UNSUPPORTED,
     "x: axis=none: not supported; that takes the batch too"},
    {"ops.Max", "axis=1 initial=0.5", 2, SNUG_E_UNSUPPORTED, "initial=0.5: only null"},
    {"ops.Mean", "axis=[1,-1]", 2, SNUG_E_ARGUMENT, "x: axis=-1: expected each axis once"},
    {"ops.Reshape", "newshape=[4,2]", 2, SNUG_E_UNSUPPORTED,
     "x: a newshape that does not begin with -1: not supported; that is the batch"},
    {"ops.Reshape", "newshape=[-1,3]", 2, SNUG_E_SHAPE, "x: newshape=[3] (without the batch) does"},
    {"ops.Transpose", "axes=[1,0,2]", 3, SNUG_E_UNSUPPORTED,
     "x: axes that do not begin with 0: not supported; the batch stays"},
    {"ops.Transpose", "axes=[0,1]", 3, SNUG_E_ARGUMENT, "each of the 3 axes"},
    {"ops.Moveaxis", "source=1 destination=[1,2]", 3, SNUG_E_ARGUMENT, "as many axes as in source"},
    {"ops.Swapaxes", "axis1=0 axis2=1", 3, SNUG_E_ARGUMENT, "other than the batch's"},
    {"ops.ExpandDims", "axis=0", 3, SNUG_E_ARGUMENT, "other than the batch's"},
    {"ops.ExpandDims", "axis=[1,2,3]", 4, SNUG_E_ARGUMENT, "at most 6 axes"},
    {"ops.Squeeze", "axis=1", 3, SNUG_E_SHAPE, "x: axis 1 has size 6 and not 1"},
    {"ops.Concatenate", "axis=0", 3, SNUG_E_ARGUMENT, "other than the batch's"},
    {"ops.Stack", "axis=0", 3, SNUG_E_ARGUMENT, "other than the batch's"},
    {"ops.Glu", "axis=[1,2]", 3, SNUG_E_ARGUMENT, "x: axis names 2 axes"},
    {"ops.GetItem", "key='[0]'", 3, SNUG_E_ARGUMENT, "no one sample can be taken"},
    {"ops.GetItem", "key='[1:]'", 3, SNUG_E_ARGUMENT, "the first axis is the batch"},
    {"ops.GetItem", "key='[None]'", 3, SNUG_E_ARGUMENT, "the batch must stay the first axis"},
    {"ops.GetItem", "key='[:, 6]'", 3, SNUG_E_ARGUMENT,
     "x: key=[:, 6] of float32[batch,6,4]: an index is out of range"},
    {"ops.GetItem", "key='[:, -7]'", 3, SNUG_E_ARGUMENT, "out of range"},
    {"ops.GetItem", "key='[:, 3:3]'", 3, SNUG_E_ARGUMENT, "nothing is left"},
    {"ops.GetItem", "key='[:, 1:3:-1]'", 3, SNUG_E_ARGUMENT, "nothing is left of an axis"},
    {"ops.GetItem", "key='[:, ::0]'", 3, SNUG_E_ARGUMENT, "expected numbers, slices"},
    {"ops.GetItem", "key='[:, :, :, 1]'", 3, SNUG_E_ARGUMENT, "more parts than axes"},
    {"ops.GetItem", "key='[..., ...]'", 3, SNUG_E_ARGUMENT, "two ellipses"},
    {"ops.GetItem", "key='[:, None, None, None, None]'", 3, SNUG_E_ARGUMENT, "more than 6 axes"},
    {"ops.GetItem", "key='[:,]'", 3, SNUG_E_ARGUMENT, "expected numbers, slices"},
    {"ops.GetItem", "key='[]'", 3, SNUG_E_ARGUMENT, "expected numbers, slices"},
    {"ops.GetItem", "key='[:] 1'", 3, SNUG_E_ARGUMENT, "expected numbers, slices"},
    {"ops.GetItem", "key='[:'", 3, SNUG_E_ARGUMENT, "expected numbers, slices"},
    {"ops.GetItem", "key=':'", 3, SNUG_E_ARGUMENT, "expected numbers, slices"},
    {"ops.GetItem", "key='[:,:,:,:,:,:,:,:,:,:,:,:,:]'", 3, SNUG_E_ARGUMENT, "expected numbers"},
};

TEST(wrong_options_are_refused) {
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    const refused *c = &cases[i];
    const int64_t shape[] = {6, 6, 4};
    const int64_t vector = 8;
    snug_ctx *ctx = test_ctx();
    snug_model *m = NULL;
    char config[256] = "name=x ";
    strncat(config, c->config, sizeof config - 8);
    ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
    snug_tensor x = snug_model_input(m, "in", SNUG_FLOAT32,
                                     c->rank == 2 ? &vector : shape + (4 - c->rank), c->rank - 1);
    if (snug_model_layer(m, c->class_name, config, &x, 1) != SNUG_NO_TENSOR) {
      test_fail(__FILE__, __LINE__, "%s(%s) is built", c->class_name, config);
    }
    ASSERT_STATUS(ctx, snug_model_status(m), c->status, c->message);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

TEST(shapes_that_do_not_fit_are_refused) {
  static const char *const classes[] = {"Add", "Multiply", "Subtract", "Concatenate", "Dot"};
  for (size_t i = 0; i < SNUG_COUNT(classes); i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = NULL;
    ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
    const snug_tensor in[2] = {snug_model_input(m, "a", SNUG_FLOAT32, (const int64_t[]){5, 4}, 2),
                               snug_model_input(m, "b", SNUG_FLOAT32, (const int64_t[]){3, 2}, 2)};
    ASSERT_EQ_INT(snug_model_layer(m, classes[i], i == 4 ? "axes=1" : NULL, in, 2), SNUG_NO_TENSOR);
    ASSERT_TRUE(snug_model_status(m) == SNUG_E_SHAPE);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

/* Two values whose batches would meet other axes, and products that would mix samples. */
TEST(raw_ops_do_not_mix_samples) {
  static const struct {
    const char *class_name;
    int32_t ranks[2];
    const char *message;
  } mixed[] = {{"ops.Add", {2, 1}, "different numbers of axes"},
               {"ops.Matmul", {2, 1}, "different numbers of axes"},
               {"ops.Matmul", {1, 1}, "would mix samples"},
               {"ops.Stack", {1, 2}, "inputs 0 and 1 have different shapes"}};
  for (size_t i = 0; i < SNUG_COUNT(mixed); i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = NULL;
    const int64_t shape[] = {1, 4};
    snug_tensor in[2];
    ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
    for (int k = 0; k < 2; k++) {
      int32_t rank = mixed[i].ranks[k];
      in[k] = snug_model_input(m, k ? "b" : "a", SNUG_FLOAT32, shape + 2 - rank, rank);
    }
    snug_model_layer(m, mixed[i].class_name, i == 3 ? "axis=1" : NULL, in, 2);
    ASSERT_STATUS(ctx, snug_model_status(m), SNUG_E_SHAPE, mixed[i].message);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

/* ---- in training ---- */

typedef struct noisy {
  snug_model *m;
  snug__build b;
  test_interpreter run;
  snug__id in, out;
  int64_t n;
} noisy;

/* A layer on ones [64, 4, 4, 16], in training, at a step of the model's counter. */
static void run_noisy(noisy *t, snug_ctx *ctx, const char *class_name, const char *config,
                      double step) {
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &t->m));
  snug_tensor x = snug_model_input(t->m, "x", SNUG_FLOAT32, (const int64_t[]){4, 4, 16}, 3);
  x = snug_model_layer(t->m, class_name, config, &x, 1);
  ASSERT_OK(ctx, snug_model_outputs(t->m, &x, 1));
  ASSERT_OK(ctx, snug__build_open(&t->b, ctx, &t->m->variables, true, SNUG_FLOAT32));
  ASSERT_OK(ctx, snug__model_emit(t->m, &t->b, 64, &t->in, &t->out, NULL));
  test_interpret_init(&t->run, t->b.g);
  t->n = snug__type_count(snug__type_at(t->b.g, t->in));
  for (int64_t i = 0; i < t->n; i++) {
    test_interpret_set(&t->run, t->in, i, 1);
  }
  for (snug__id id = 0; id < t->b.g->values.n; id++) {
    if (snug__value_at(t->b.g, id)->kind == SNUG__STATE) {
      test_interpret_set(&t->run, id, 0, step);
    }
  }
  ASSERT_OK(ctx, test_interpret_run(&t->run));
}

static double at(noisy *t, int64_t i) { return test_interpret_get(&t->run, t->out, i); }

static void end_noisy(noisy *t) {
  test_interpret_release(&t->run);
  snug__build_close(&t->b);
  snug_model_destroy(t->m);
}

/* Mean 1 is kept; elements of one group (index / group) share their fate. */
static void check_dropped(const char *class_name, const char *config, double keep,
                          int64_t (*group)(int64_t i)) {
  snug_ctx *ctx = test_ctx();
  noisy t;
  int64_t kept = 0;
  run_noisy(&t, ctx, class_name, config, 3);
  for (int64_t i = 0; i < t.n; i++) {
    double v = at(&t, i);
    ASSERT_TRUE(v == 0 || fabs(v - 1 / keep) < 1e-6);
    ASSERT_NEAR(v, at(&t, group(i)), 0);
    kept += v > 0;
  }
  ASSERT_NEAR((double)kept / (double)t.n, keep, 0.25);
  ASSERT_TRUE(kept > 0 && kept < t.n);
  end_noisy(&t);
  test_ctx_end(ctx);
}

static int64_t alone(int64_t i) { return i; }
static int64_t by_channel(int64_t i) { return i / 256 * 256 + i % 16; }
static int64_t by_sample(int64_t i) { return i / 256 * 256; }

TEST(dropout_drops_in_training) {
  check_dropped("Dropout", "rate=0.25", 0.75, alone);
  check_dropped("Dropout", "rate=0.5 noise_shape=[-1,1,1,1]", 0.5, by_sample);
  check_dropped("SpatialDropout2D", "rate=0.5", 0.5, by_channel);
  check_dropped("StochasticDepth", "drop_path_rate=0.5", 0.5, by_sample);
}

TEST(noise_is_of_the_right_size) {
  static const struct {
    const char *class_name, *config;
    double mean, deviation;
  } kinds[] = {{"GaussianNoise", "stddev=0.5", 1, 0.5},
               {"GaussianDropout", "rate=0.2", 1, 0.5},
               {"AlphaDropout", "rate=0.3", 1, -1}};
  for (size_t k = 0; k < SNUG_COUNT(kinds); k++) {
    snug_ctx *ctx = test_ctx();
    noisy t;
    double sum = 0;
    double squares = 0;
    run_noisy(&t, ctx, kinds[k].class_name, kinds[k].config, 3);
    for (int64_t i = 0; i < t.n; i++) {
      sum += at(&t, i);
      squares += at(&t, i) * at(&t, i);
    }
    double mean = sum / (double)t.n;
    double deviation = sqrt(squares / (double)t.n - mean * mean);
    if (kinds[k].deviation > 0) {
      ASSERT_NEAR(mean, kinds[k].mean, 0.02);
      ASSERT_NEAR(deviation, kinds[k].deviation, 0.02);
    }
    ASSERT_TRUE(deviation > 0);
    end_noisy(&t);
    test_ctx_end(ctx);
  }
}

TEST(steps_and_calls_have_masks_of_their_own) {
  snug_ctx *ctx = test_ctx();
  noisy a, same, b;
  int64_t equal = 0;
  run_noisy(&a, ctx, "Dropout", "rate=0.5", 3);
  run_noisy(&same, ctx, "Dropout", "rate=0.5", 3);
  run_noisy(&b, ctx, "Dropout", "rate=0.5", 4);
  for (int64_t i = 0; i < a.n; i++) {
    ASSERT_NEAR(at(&a, i), at(&same, i), 0);
    equal += at(&a, i) == at(&b, i);
  }
  ASSERT_NEAR((double)equal / (double)a.n, 0.5, 0.05);
  end_noisy(&a);
  end_noisy(&same);
  end_noisy(&b);
}

/* A batch normalization that is called twice in a step moves its averages twice. */
TEST(shared_batch_normalization_moves_twice) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug__build b;
  snug__id in = SNUG_NONE;
  snug__id out = SNUG_NONE;
  const int64_t two = 2;
  int64_t moved = 0;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, &two, 1);
  x = snug_model_layer(m, "BatchNormalization", "name=bn", &x, 1);
  x = snug_model_again(m, "bn", &x, 1);
  ASSERT_OK(ctx, snug_model_outputs(m, &x, 1));
  ASSERT_EQ_UINT(snug_model_weights(m), 4);
  ASSERT_OK(ctx, snug__build_open(&b, ctx, &m->variables, true, SNUG_FLOAT32));
  ASSERT_OK(ctx, snug__model_emit(m, &b, 4, &in, &out, NULL));
  ASSERT_OK(ctx, snug__graph_verify(b.g));
  for (snug__id id = 0; id < b.g->nodes.n; id++) {
    moved += strcmp(snug__node_at(b.g, id)->op->name, "moving_average") == 0;
  }
  ASSERT_EQ_INT(moved, 4);
  snug__build_close(&b);
  snug_model_destroy(m);
}
