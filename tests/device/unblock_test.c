/* Calls on values in blocks, run as `snug__choose` says, against the reference on plain values: the
 * same results, and zero where the layout added something. */
#include <math.h>
#include <string.h>

#include "base/ctx.h"
#include "device/cpu/cpu.h"
#include "device/device.h"
#include "device/host.h"
#include "lib/test.h"
#include "ops/binary.h"
#include "ops/loss.h"
#include "ops/norm.h"
#include "ops/ops.h"
#include "ops/optimizer.h"
#include "ops/pool.h"
#include "ops/reduce.h"
#include "ops/resize.h"
#include "ops/shape.h"
#include "ops/ternary.h"
#include "ops/unary.h"
#include "ops/where.h"

#define ROOM 8192 /* elements of the largest value, as it is stored */
#define MAX_IN 9

typedef struct values {
  snug__type type;
  _Alignas(64) double data[ROOM]; /* of any dtype */
} values;

typedef struct unblock_case {
  const snug__op *op;
  const void *params;
  int32_t n_in;
  snug__type in[MAX_IN]; /* with the layouts in which they come */
  bool plain;            /* expected: cannot be unblocked */
} unblock_case;

static values plain_in[MAX_IN], plain_out[SNUG__MAX_OUT], laid_in[MAX_IN], laid_out[SNUG__MAX_OUT];

/* Where an element of a plain value lies in a layout. */
static int64_t place(const snug__type *t, int64_t i) {
  snug__blocking b = snug__layout_blocking(t->layout);
  int64_t index[SNUG_MAX_RANK], at = 0;
  if (t->layout == SNUG__LAYOUT_PLAIN) {
    return i;
  }
  for (int32_t k = t->rank - 1; k >= 0; k--) {
    index[k] = i % t->dim[k];
    i /= t->dim[k];
  }
  for (int32_t k = 0; k < b.rank; k++) {
    int32_t a = b.order[k];
    int64_t block = snug__layout_block(t->layout, a);
    at = at * (snug__type_stored(t, a) / block) + index[a] / block;
  }
  for (int32_t k = 0; k < b.n_blocks; k++) {
    at = at * b.block_size[k] + index[b.block_axis[k]] % b.block_size[k];
  }
  return at;
}

static void assign_layouts(const values *from, snug__layout layout, values *to) {
  to->type = snug__type_in(from->type, layout);
  ASSERT_TRUE(snug__type_bytes(&to->type) <= (int64_t)sizeof to->data);
  memset(to->data, 0, sizeof to->data);
  for (int64_t i = 0; from->type.dtype && i < snug__type_count(&from->type); i++) {
    snug__element_set(to->type.dtype, to->data, place(&to->type, i),
                      snug__element_get(from->type.dtype, from->data, i));
  }
}

static void fill(values *v, const snug__type *t) {
  v->type = snug__type_in(*t, SNUG__LAYOUT_PLAIN);
  for (int64_t i = 0; t->dtype && i < snug__type_count(t); i++) {
    double x = t->dtype == SNUG_BOOL || t->dtype == SNUG_INT64 ? (double)test_random_between(0, 1)
                                                               : 0.1 + test_random_unit();
    snug__element_set(t->dtype, v->data, i, x);
  }
}

static void run(snug_ctx *ctx, const snug__kernel *kernel, const snug__signature *sig, values *in,
                values *out) {
  const void *in_at[MAX_IN];
  void *out_at[SNUG__MAX_OUT];
  snug__needs needs = {0};
  snug__fault fault = {0};
  void *state = NULL;
  _Alignas(64) static char scratch[1 << 16];
  for (int32_t i = 0; i < sig->n_in; i++) {
    in_at[i] = sig->in[i].dtype ? in[i].data : NULL;
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    int32_t from = sig->op->writes[k] - 1;
    out_at[k] = !sig->out[k].dtype ? NULL : from < 0 ? out[k].data : in[from].data;
  }
  snug__call call = {sig, in_at, out_at, scratch, &fault};
  if (!kernel) {
    ASSERT_EQ_INT(sig->op->reference(&call), SNUG_OK);
  } else {
    ASSERT_OK(ctx, kernel->prepare(ctx, sig, &needs, &state));
    ASSERT_TRUE(needs.scratch_bytes <= (int64_t)sizeof scratch);
    ASSERT_EQ_INT(kernel->run(state, &call), SNUG_OK);
    if (kernel->release) {
      kernel->release(ctx, state);
    }
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    int32_t from = sig->op->writes[k] - 1;
    if (from >= 0) {
      memcpy(out[k].data, in[from].data, sizeof out[k].data);
    }
  }
}

/* What lies in blocks equals what is plain, and nothing was written between. */
static void compare(const char *name, const values *plain, values *laid) {
  double size = 0.0, left = 0.0;
  for (int64_t i = 0; i < snug__type_count(&plain->type); i++) {
    size = fmax(size, fabs(snug__element_get(plain->type.dtype, plain->data, i)));
  }
  for (int64_t i = 0; i < snug__type_count(&plain->type); i++) {
    double a = snug__element_get(plain->type.dtype, plain->data, i);
    double b = snug__element_get(plain->type.dtype, laid->data, place(&laid->type, i));
    if (!(fabs(a - b) <= 8.0 * 0x1p-24 * size)) {
      test_fail(__FILE__, __LINE__, "%s: element %lld is %.9g, not %.9g", name, (long long)i, b, a);
    }
    snug__element_set(plain->type.dtype, laid->data, place(&laid->type, i), 0.0);
  }
  int64_t stored = snug__type_bytes(&laid->type) / (int64_t)snug_dtype_bytes(laid->type.dtype);
  for (int64_t i = 0; i < stored; i++) {
    left += fabs(snug__element_get(laid->type.dtype, laid->data, i));
  }
  if (left != 0.0) {
    test_fail(__FILE__, __LINE__, "%s: what the layout added is not zero", name);
  }
}

static void infer(snug_ctx *ctx, const unblock_case *c, snug__type *out) {
  snug__type in[MAX_IN];
  for (int32_t i = 0; i < c->n_in; i++) {
    in[i] = snug__type_in(c->in[i], SNUG__LAYOUT_PLAIN);
  }
  snug__infer q = {ctx, c->op->name, c->params, c->n_in, in, out};
  ASSERT_OK(ctx, c->op->infer(&q));
}

static void run_laid_out(snug_ctx *ctx, const unblock_case *c, const snug__signature *sig) {
  snug__choice choice;
  snug__choose(&snug__cpu, sig, &choice);
  if (choice.unblocked == c->plain) {
    test_fail(__FILE__, __LINE__, "%s: is %sunblocked", c->op->name,
              choice.unblocked ? "" : "not ");
  }
  if (c->plain) {
    return;
  }
  snug__signature seen = *sig;
  seen.in = choice.plain.in;
  seen.out = choice.plain.out;
  seen.params = sig->params ? choice.plain.params : NULL;
  for (int32_t i = 0; i < sig->n_in; i++) {
    assign_layouts(&plain_in[i], choice.plain.want.in[i], &laid_in[i]);
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    laid_out[k].type = snug__type_in(sig->out[k], choice.plain.want.out[k]);
    memset(laid_out[k].data, 0x7F, sizeof laid_out[k].data);
  }
  run(ctx, choice.kernel, &seen, laid_in, laid_out);
}

static void try_case(snug_ctx *ctx, const unblock_case *c, snug__isa isa) {
  snug__type out[SNUG__MAX_OUT] = {{0}};
  infer(ctx, c, out);
  snug__signature sig = {
      c->op, c->params, c->n_in, c->op->max_out, c->in, out, snug__host_target(1, isa)};
  snug__signature plain = sig;
  snug__type plain_types[MAX_IN];
  for (int32_t i = 0; i < c->n_in; i++) {
    plain_types[i] = snug__type_in(c->in[i], SNUG__LAYOUT_PLAIN);
    fill(&plain_in[i], &c->in[i]);
  }
  plain.in = plain_types;
  run_laid_out(ctx, c, &sig);
  for (int32_t k = 0; k < sig.n_out; k++) {
    plain_out[k].type = out[k];
  }
  run(ctx, NULL, &plain, plain_in, plain_out);
  for (int32_t k = 0; !c->plain && k < sig.n_out; k++) {
    if (out[k].dtype) {
      compare(c->op->name, &plain_out[k], &laid_out[k]);
    }
  }
}

static snug__type laid(snug__layout layout, int32_t rank, const int64_t *dim) {
  return snug__type_in(snug__type_of(SNUG_FLOAT32, rank, dim), layout);
}

#define SHAPE(...)                                                     \
  (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
      ((const int64_t[]){__VA_ARGS__})
#define B8(...) laid(SNUG__LAYOUT_NCHW8C, SHAPE(__VA_ARGS__))
#define B16(...) laid(SNUG__LAYOUT_NCHW16C, SHAPE(__VA_ARGS__))
#define KERNEL(...) laid(SNUG__LAYOUT_OIHW16I16O, SHAPE(__VA_ARGS__))
#define FLOAT(...) laid(SNUG__LAYOUT_PLAIN, SHAPE(__VA_ARGS__))
#define ONE snug__scalar(SNUG_FLOAT32)
#define COUNTER snug__scalar(SNUG_INT64)
#define NOTHING ((snug__type){0})
#define OP(name) &snug__op_##name

static void try_all(const unblock_case *cases, size_t n) {
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < n; i++) {
    for (snug__isa isa = 0; isa <= snug__isa_best(); isa++) {
      try_case(ctx, &cases[i], isa);
    }
  }
}

TEST(operands_of_images) {
  const unblock_case cases[] = {
      {OP(add), NULL, 2, {B16(2, 3, 5, 32), B16(2, 3, 5, 32)}, false},
      {OP(add), NULL, 2, {FLOAT(2, 3, 5, 20), B16(2, 3, 5, 20)}, false},
      {OP(divide), NULL, 2, {B16(2, 3, 5, 20), B16(2, 3, 5, 20)}, true},
      {OP(divide), NULL, 2, {B8(2, 3, 5, 24), B8(2, 3, 5, 24)}, false},
      {OP(add), NULL, 2, {B16(2, 3, 5, 32), FLOAT(32)}, false},
      {OP(subtract), NULL, 2, {FLOAT(32), B16(2, 3, 5, 32)}, false},
      {OP(add), NULL, 2, {B16(2, 3, 5, 20), FLOAT(20)}, true},
      {OP(multiply), NULL, 2, {B16(2, 3, 5, 32), FLOAT(2, 1, 1, 32)}, false},
      {OP(multiply), NULL, 2, {B8(2, 3, 5, 20), B8(2, 1, 1, 20)}, false},
      {OP(multiply), NULL, 2, {B8(2, 3, 5, 20), FLOAT(2, 1, 1, 20)}, false},
      {OP(multiply), NULL, 2, {FLOAT(2, 1, 1, 20), B8(2, 3, 5, 20)}, false},
      {OP(multiply), NULL, 2, {FLOAT(2, 3, 5, 16), B16(2, 1, 1, 16)}, true},
      {OP(multiply), NULL, 2, {B16(2, 3, 5, 16), FLOAT(2, 3, 5, 1)}, false},
      {OP(multiply), NULL, 2, {B16(2, 3, 5, 16), FLOAT(2, 3, 1, 16)}, true},
      {OP(maximum), NULL, 2, {B16(2, 3, 5, 16), ONE}, false},
      {OP(maximum), NULL, 2, {B16(2, 3, 5, 1), ONE}, true},
      {OP(minimum), NULL, 2, {B16(2, 3, 5, 16), FLOAT(3, 5, 16)}, true},
      {OP(prelu), NULL, 2, {B16(2, 3, 5, 16), FLOAT(1, 1, 16)}, false},
      {OP(gate),
       &(snug__gate_params){SNUG__GATE_GE},
       3,
       {B16(2, 3, 5, 16), FLOAT(2, 3, 5, 16), FLOAT(16)},
       false},
      {OP(where),
       NULL,
       3,
       {snug__type_of(SNUG_BOOL, SHAPE(2, 3, 5, 1)), B16(2, 3, 5, 32), NOTHING},
       false},
  };
  try_all(cases, SNUG_COUNT(cases));
}

TEST(functions_of_images) {
  const snug__relu_params relu = {0.1, INFINITY, 0.0}, shifted = {0.1, 6.0, 0.5};
  const snug__scale_shift_params scale = {2.0, 0.0}, shift = {2.0, 1.0};
  const snug__cast_params to_double = {SNUG_FLOAT64};
  const unblock_case cases[] = {
      {OP(relu), &relu, 1, {B16(2, 3, 5, 20)}, false},
      {OP(relu), &shifted, 1, {B16(2, 3, 5, 20)}, true},
      {OP(relu), &shifted, 1, {B16(2, 3, 5, 32)}, false},
      {OP(relu_grad), &relu, 2, {FLOAT(2, 3, 5, 20), B8(2, 3, 5, 20)}, false},
      {OP(silu), NULL, 1, {B8(1, 3, 5, 3)}, false},
      {OP(sigmoid), NULL, 1, {B8(1, 3, 5, 3)}, true},
      {OP(sigmoid_grad), NULL, 2, {B8(1, 3, 5, 3), B8(1, 3, 5, 3)}, false},
      {OP(sqrt_grad), NULL, 2, {B8(1, 3, 5, 3), B8(1, 3, 5, 3)}, true},
      {OP(scale_shift), &scale, 1, {B8(1, 3, 5, 3)}, false},
      {OP(scale_shift), &shift, 1, {B8(1, 3, 5, 3)}, true},
      {OP(cast), &to_double, 1, {B8(1, 3, 5, 3)}, false},
      {OP(add_n), NULL, 3, {FLOAT(2, 3, 5, 20), B8(2, 3, 5, 20), B8(2, 3, 5, 20)}, false},
  };
  try_all(cases, SNUG_COUNT(cases));
}

static snug__reduce_params over(int32_t n, const int64_t *axes, bool keepdims) {
  snug__reduce_params p = {.keepdims = keepdims};
  p.axes.n = n;
  memcpy(p.axes.v, axes, (size_t)n * sizeof *axes);
  return p;
}

TEST(reductions_of_images) {
  const snug__reduce_params n_h_w = over(SHAPE(0, 1, 2), false), h_w = over(SHAPE(1, 2), false),
                            h_w_kept = over(SHAPE(-3, -2), true), c = over(SHAPE(3), false),
                            h = over(SHAPE(1), true), n = over(SHAPE(0), false),
                            n_kept = over(SHAPE(0), true), all = {{0}, false};
  const unblock_case cases[] = {
      {OP(sum), &n_h_w, 1, {B16(3, 4, 5, 32)}, false},
      {OP(sum), &n_h_w, 1, {B16(3, 4, 5, 20)}, true},
      {OP(mean), &h_w, 1, {B16(3, 4, 5, 32)}, false},
      {OP(max), &h_w_kept, 1, {B8(3, 4, 5, 20)}, false},
      {OP(mean), &h_w_kept, 1, {B8(3, 4, 5, 24)}, false},
      {OP(sum), &c, 1, {B8(3, 4, 5, 20)}, false},
      {OP(mean), &c, 1, {B8(3, 4, 5, 20)}, true},
      {OP(mean), &c, 1, {B8(3, 4, 5, 24)}, false},
      {OP(mean), &h, 1, {B8(3, 4, 5, 24)}, true},
      {OP(sum), &n, 1, {B8(3, 4, 5, 24)}, true},
      {OP(sum), &n_kept, 1, {B8(3, 4, 5, 20)}, false},
      {OP(sum), &all, 1, {B8(3, 4, 5, 20)}, false},
      {OP(min), &all, 1, {B8(3, 4, 5, 20)}, true},
      {OP(sum_squares), NULL, 1, {KERNEL(3, 3, 20, 8)}, false},
      {OP(sum_abs_grad), NULL, 2, {ONE, KERNEL(3, 3, 20, 8)}, false},
  };
  try_all(cases, SNUG_COUNT(cases));
}

static snug_ints shape(int32_t n, const int64_t *dim) {
  snug_ints s = {.n = n};
  memcpy(s.v, dim, (size_t)n * sizeof *dim);
  return s;
}

TEST(shapes_in_parameters) {
  const snug__broadcast_to_params to = {shape(SHAPE(2, 3, 5, 20)), 0.5};
  const snug__product_sum_params per_image = {shape(SHAPE(2, 1, 1, 20))},
                                 per_channel = {shape(SHAPE(32))};
  const unblock_case cases[] = {
      {OP(broadcast_to), &to, 1, {B8(2, 1, 1, 20)}, false},
      {OP(product_sum), &per_image, 2, {FLOAT(2, 3, 5, 20), B16(2, 3, 5, 20)}, false},
      {OP(product_sum), &per_channel, 2, {B16(2, 3, 5, 32), B16(2, 3, 5, 32)}, false},
  };
  try_all(cases, SNUG_COUNT(cases));
}

TEST(updates_of_kernels) {
  const snug__update_params adam = {.gradient_factor = 1.0,
                                    .accumulation_steps = 1,
                                    .beta_1 = 0.9,
                                    .beta_2 = 0.999,
                                    .epsilon = 1e-7};
  snug__update_params no_epsilon = adam, sgd = adam;
  no_epsilon.epsilon = 0.0;
  sgd.momentum = 0.9;
  sgd.weight_decay = 0.01;
  const snug__moving_average_params average = {0.9};
  const unblock_case cases[] = {
      {OP(adam),
       &adam,
       9,
       {KERNEL(1, 3, 20, 8), FLOAT(1, 3, 20, 8), KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8), NOTHING,
        ONE, COUNTER, ONE, NOTHING},
       false},
      {OP(adam),
       &adam,
       9,
       {FLOAT(1, 3, 20, 8), KERNEL(1, 3, 20, 8), FLOAT(1, 3, 20, 8), FLOAT(1, 3, 20, 8), NOTHING,
        ONE, COUNTER, ONE, NOTHING},
       true},
      {OP(adam),
       &no_epsilon,
       9,
       {KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8), NOTHING,
        ONE, COUNTER, NOTHING, NOTHING},
       true},
      {OP(sgd_momentum),
       &sgd,
       5,
       {KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8), ONE, COUNTER},
       false},
      {OP(moving_average), &average, 2, {KERNEL(1, 3, 20, 8), KERNEL(1, 3, 20, 8)}, false},
      {OP(accumulate), NULL, 2, {KERNEL(1, 3, 20, 8), FLOAT(1, 3, 20, 8)}, false},
  };
  try_all(cases, SNUG_COUNT(cases));
}

TEST(parts_of_images) {
  const snug__slice_params inside = {shape(SHAPE(1, 1, 2, 0)), shape(SHAPE(-1, 2, 2, -1)),
                                     shape(SHAPE(1, 1, 2, 1))},
                           blocks = {shape(SHAPE(0, 0, 0, 8)), shape(SHAPE(-1, -1, -1, 8)), {0}},
                           to_the_end = {shape(SHAPE(0, 1, 0, 8)),
                                         shape(SHAPE(-1, -1, -1, -1)),
                                         {0}},
                           within = {shape(SHAPE(0, 0, 0, 0)), shape(SHAPE(-1, -1, -1, 4)), {0}},
                           every = {shape(SHAPE(0, 0, 0, 0)), shape(SHAPE(-1, -1, -1, 8)),
                                    shape(SHAPE(1, 1, 1, 2))};
  const snug__pad_params border = {shape(SHAPE(0, 1, 2, 0)), shape(SHAPE(1, 0, 1, 0)),
                                   shape(SHAPE(0, 1, 2, 0)), 0.0},
                         value = {shape(SHAPE(0, 1, 2, 0)), shape(SHAPE(1, 0, 1, 0)), {0}, 3.0},
                         channels = {shape(SHAPE(0, 0, 0, 8)), shape(SHAPE(0, 0, 0, 5)), {0}, 0.0},
                         odd = {shape(SHAPE(0, 0, 0, 4)), shape(SHAPE(0, 0, 0, 4)), {0}, 0.0};
  const snug__concat_params by_channel = {-1}, by_row = {1};
  const snug__repeat_params rows = {1, 3}, last = {-1, 2};
  const unblock_case cases[] = {
      {OP(slice), &inside, 1, {B8(2, 4, 5, 20)}, false},
      {OP(slice), &blocks, 1, {B8(2, 4, 5, 20)}, false},
      {OP(slice), &blocks, 1, {B16(2, 4, 5, 20)}, true},
      {OP(slice), &to_the_end, 1, {B8(2, 4, 5, 20)}, false},
      {OP(slice), &within, 1, {B8(2, 4, 5, 20)}, true},
      {OP(slice), &every, 1, {B8(2, 4, 5, 20)}, true},
      {OP(pad), &border, 1, {B8(2, 4, 5, 20)}, false},
      {OP(pad), &value, 1, {B8(2, 4, 5, 16)}, false},
      {OP(pad), &value, 1, {B8(2, 4, 5, 20)}, true},
      {OP(pad), &channels, 1, {B8(2, 4, 5, 16)}, false},
      {OP(pad), &channels, 1, {B8(2, 4, 5, 20)}, true},
      {OP(pad), &odd, 1, {B8(2, 4, 5, 16)}, true},
      {OP(concat), &by_channel, 3, {FLOAT(2, 3, 5, 16), B8(2, 3, 5, 8), B8(2, 3, 5, 20)}, false},
      {OP(concat), &by_channel, 2, {B8(2, 3, 5, 20), B8(2, 3, 5, 16)}, true},
      {OP(concat), &by_row, 2, {B16(2, 3, 5, 20), B16(2, 1, 5, 20)}, false},
      {OP(repeat), &rows, 1, {B16(2, 3, 5, 20)}, false},
      {OP(repeat), &last, 1, {B16(2, 3, 5, 16)}, true},
  };
  try_all(cases, SNUG_COUNT(cases));
}

TEST(windows_of_images) {
  const snug__pool2d_params same = {shape(SHAPE(3, 3)), shape(SHAPE(2, 2)), SNUG__PADDING_SAME},
                            valid = {shape(SHAPE(2, 3)), {0}, SNUG__PADDING_VALID};
  const snug__pool2d_bwd_params same_bwd = {same, shape(SHAPE(2, 5, 6, 20))};
  const snug__resize2d_params nearest = {7, 3, SNUG__INTERPOLATION_NEAREST},
                              bilinear = {7, 9, SNUG__INTERPOLATION_BILINEAR};
  const snug__resize2d_bwd_params resize_bwd = {shape(SHAPE(2, 3, 5, 20)),
                                                SNUG__INTERPOLATION_BILINEAR};
  const snug__type index = snug__type_of(SNUG_UINT8, SHAPE(2, 3, 3, 20));
  const unblock_case cases[] = {
      {OP(max_pool2d), &same, 1, {B16(2, 5, 6, 32)}, false},
      {OP(max_pool2d), &same, 1, {B16(2, 5, 6, 20)}, true},
      {OP(max_pool2d), &valid, 1, {B8(2, 5, 6, 20)}, false},
      {OP(max_pool2d_bwd), &same_bwd, 2, {B8(2, 3, 3, 20), index}, false},
      {OP(avg_pool2d), &same, 1, {B16(2, 5, 6, 20)}, false},
      {OP(avg_pool2d_bwd), &same_bwd, 1, {B16(2, 3, 3, 20)}, false},
      {OP(resize2d), &nearest, 1, {B16(2, 3, 5, 20)}, false},
      {OP(resize2d), &bilinear, 1, {B8(2, 3, 5, 20)}, false},
      {OP(resize2d_bwd), &resize_bwd, 1, {B8(2, 7, 4, 20)}, false},
  };
  try_all(cases, SNUG_COUNT(cases));
}
