/* Fusion and recomputing: the graph before and after computes the same, and what should be gone is
 * gone. */
#include "pass/fuse.h"
#include "device/cpu/cpu.h"

#include <math.h>
#include <string.h>

#include "lib/interpret.h"
#include "lib/test.h"
#include "pass/recompute.h"

typedef snug_status pass(const snug__graph *g, snug__rewrite *out);

static bool has_op(const snug__graph *g, const char *name) {
  for (snug__id i = 0; i < g->nodes.n; i++) {
    if (strcmp(snug__node_at(g, i)->op->name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Numbers from 0.1 to 1.9 with all signs, but for what must be positive. */
static double number(snug__id id, int64_t i, bool positive) {
  double v = 0.1 + fmod((double)(i + 1) * 0.6180339887 + (double)id * 0.41, 1.8);
  return positive || i % 3 ? v : -v;
}

static void fill(test_interpreter *t, snug__id id, snug__id seed) {
  const snug__value *v = snug__value_at(t->g, id);
  for (int64_t i = 0; i < snug__type_count(&v->type); i++) {
    test_interpret_set(t, id, i, number(seed, i, strcmp(v->name, "variance") == 0));
  }
}

static void run(test_interpreter *t, snug__graph *g, const snug__id *map, size_t n) {
  test_interpret_init(t, g);
  for (snug__id id = 0; id < n; id++) {
    snug__id here = map ? map[id] : id;
    if (here != SNUG_NONE && snug__value_at(g, here)->kind != SNUG__TEMPORARY &&
        snug__value_at(g, here)->kind != SNUG__CONSTANT) {
      fill(t, here, id);
    }
  }
  ASSERT_OK(g->ctx, test_interpret_run(t));
}

static void compare(test_interpreter *a, test_interpreter *b) {
  ASSERT_EQ_INT(a->g->outputs.n, b->g->outputs.n);
  for (size_t k = 0; k < a->g->outputs.n; k++) {
    snug__id x = SNUG_VEC(&a->g->outputs, snug__id, k);
    snug__id y = SNUG_VEC(&b->g->outputs, snug__id, k);
    for (int64_t i = 0; i < snug__type_count(snug__type_at(a->g, x)); i++) {
      double v = test_interpret_get(a, x, i);
      ASSERT_TRUE(fabs(v - test_interpret_get(b, y, i)) <= 1e-11 * (1.0 + fabs(v)));
    }
  }
}

/* Run a pass over the graph of a text; has and lacks: ops of the result ("a b", NULL: none). */
static void check(pass *over, const char *text, const char *has, const char *lacks) {
  snug_ctx *ctx = test_ctx();
  test_interpreter before, after;
  snug__rewrite r;
  snug__graph *g = NULL;
  ASSERT_OK(ctx, snug__graph_read(ctx, text, &g));
  ASSERT_OK(ctx, over(g, &r));
  ASSERT_TRUE(!has || has_op(r.to, has));
  ASSERT_TRUE(!lacks || !has_op(r.to, lacks));
  run(&before, g, NULL, g->values.n);
  run(&after, r.to, r.map, g->values.n);
  compare(&before, &after);
  test_interpret_release(&before);
  test_interpret_release(&after);
  snug__rewrite_release(&r);
  snug__graph_destroy(g);
}

#define HEAD "snug-graph 1\nlayer 0 \"a\"\n"
#define X "%0 = input float64[2,6,6,3] \"x\" class=data\n"
#define KERNEL "%1 = weight float64[3,3,3,4] \"kernel\" var=0 class=weights @0\n"
#define VECTOR(id, name, var) \
  "%" #id " = weight float64[4] \"" name "\" var=" #var " class=weights @0\n"

TEST(bias_and_relu_go_into_the_convolution) {
  check(snug__pass_fuse,
        HEAD X KERNEL VECTOR(2, "bias", 1)
        "%3 float64[2,4,4,4] class=activations = conv2d(%0, %1) @0\n"
        "%4 float64[2,4,4,4] class=activations = add(%3, %2) @0\n"
        "%5 float64[2,4,4,4] class=activations = relu(%4) {max_value=6} @0\n"
        "output %5\nend\n",
        "conv2d_epilogue", "relu");
}

TEST(what_two_read_is_not_fused) {
  check(snug__pass_fuse,
        HEAD X KERNEL VECTOR(2, "bias", 1)
        "%3 float64[2,4,4,4] class=activations = conv2d(%0, %1) @0\n"
        "%4 float64[2,4,4,4] class=activations = add(%3, %2) @0\n"
        "%5 float64[2,4,4,4] class=activations = relu(%4) @0\n"
        "output %5\noutput %3\nend\n",
        "relu", "conv2d_epilogue");
}

TEST(statistics_go_into_the_convolution) {
  check(snug__pass_fuse,
        HEAD "%0 = input float64[8,16,16,3] \"x\" class=data\n" KERNEL VECTOR(2, "bias", 1)
        VECTOR(3, "gamma", 2) VECTOR(4, "beta", 3) VECTOR(5, "mean", 4) VECTOR(6, "variance", 5)
        "%7 float64[8,14,14,4] class=activations = conv2d(%0, %1) @0\n"
        "%8 float64[8,14,14,4] class=activations = add(%7, %2) @0\n"
        "%9 float64[8,14,14,4] class=activations = batch_norm_infer(%8, %3, %4, %5, %6) @0\n"
        "%10 float64[8,14,14,4] class=activations = relu(%9) @0\n"
        "output %10\nend\n",
        "conv2d_epilogue", "batch_norm_infer");
}

TEST(statistics_go_into_the_depthwise_convolution) {
  check(snug__pass_fuse,
        HEAD "%0 = input float64[8,16,16,4] \"x\" class=data\n"
        "%1 = weight float64[3,3,4,1] \"kernel\" var=0 class=weights @0\n" VECTOR(2, "mean", 1)
        VECTOR(3, "variance", 2)
        "%4 float64[8,14,14,4] class=activations = depthwise_conv2d(%0, %1) @0\n"
        "%5 float64[8,14,14,4] class=activations = batch_norm_infer(%4, -, -, %2, %3) @0\n"
        "output %5\nend\n",
        "depthwise_conv2d_epilogue", "batch_norm_infer");
}

/* One image is smaller than the kernel: then the kernel is left alone. */
TEST(statistics_stay_where_folding_does_not_pay) {
  check(snug__pass_fuse,
        HEAD "%0 = input float64[1,3,3,3] \"x\" class=data\n" KERNEL VECTOR(2, "mean", 1)
        VECTOR(3, "variance", 2)
        "%4 float64[1,1,1,4] class=activations = conv2d(%0, %1) @0\n"
        "%5 float64[1,1,1,4] class=activations = batch_norm_infer(%4, -, -, %2, %3) @0\n"
        "output %5\nend\n",
        "batch_norm_infer_epilogue", "conv2d_epilogue");
}

#define PADDED(before, after)                                                           \
  HEAD "%0 = input float64[2,6,6,3] \"x\" class=data\n" KERNEL                          \
       "%2 = input float64[2,3,3,4] \"dy\" class=data\n"                                \
       "%3 float64[2,7,7,3] class=activations = pad(%0) {before=[0," before "," before  \
       ",0] after=[0," after "," after                                                  \
       ",0]} @0\n"                                                                      \
       "%4 float64[2,3,3,4] class=activations = conv2d(%3, %1) {strides=[2,2]} @0\n"    \
       "%5 float64[3,3,3,4] class=gradients = conv2d_bwd_weights(%3, %2) "              \
       "{strides=[2,2] kernel_shape=[3,3,3,4]} @0 backward\n"                           \
       "%6 float64[2,7,7,3] class=activations = conv2d_bwd_data(%2, %1) "               \
       "{strides=[2,2] input_shape=[2,7,7,3]} @0 backward\n"                            \
       "%7 float64[2,6,6,3] class=activations = slice(%6) {begin=[0," before "," before \
       ",0] size=[2,6,6,3]} @0 backward\n"                                              \
       "output %4\noutput %5\noutput %7\nend\n"

TEST(padding_like_same_is_folded) {
  check(snug__pass_fuse, PADDED("0", "1"), "conv2d", "pad");
  check(snug__pass_fuse, PADDED("0", "1"), "conv2d_bwd_data", "slice");
}

TEST(other_padding_stays) {
  check(snug__pass_fuse, PADDED("1", "0"), "pad", NULL);
  check(snug__pass_fuse, PADDED("1", "0"), "slice", NULL);
}

/* A residual block forward and backward; act: the activation, act_in: what its gradient reads. */
#define BLOCK(act, grad_reads) \
  HEAD "%0 = input float64[2,3,3,4] \"x\" class=data\n"                                         \
       "%1 = input float64[2,3,3,4] \"shortcut\" class=data\n"                                  \
       "%2 = input float64[2,3,3,4] \"dz\" class=data\n" VECTOR(3, "gamma", 0)                  \
       VECTOR(4, "beta", 1)                                                                     \
       "%5 float64[2,3,3,4] class=activations, %6 float64[4] class=activations, %7 float64[4] " \
       "class=activations = batch_norm_train(%0, %3, %4) @0\n"                                  \
       "%8 float64[2,3,3,4] class=activations = " act " @0\n"                                   \
       "%9 float64[2,3,3,4] class=activations = relu(%8) @0\n"                                  \
       "%10 float64[2,3,3,4] class=activations = " grad_reads " @0 backward\n"                  \
       "%11 float64[2,3,3,4] class=activations, %12 float64[4] class=gradients, %13 float64[4] " \
       "class=gradients = batch_norm_train_grad(%10, %0, %3, %6, %7) {dtype=float64} @0 "       \
       "backward\n"

TEST(a_residual_block_is_one_op_each_way) {
#define TEXT                                                                          \
  BLOCK("add(%5, %1)", "relu_grad(%2, %9)")                                           \
  "%14 float64[2,3,3,4] class=activations = scale_shift(%10) {scale=2} @0 backward\n" \
  "output %9\noutput %11\noutput %12\noutput %13\noutput %14\nend\n"
  check(snug__pass_fuse, TEXT, "batch_norm_train_epilogue", "add");
  check(snug__pass_fuse, TEXT, "batch_norm_train_epilogue_grad", "relu_grad");
#undef TEXT
}

static snug_status recompute(const snug__graph *g, snug__rewrite *out) {
  return snug__pass_recompute_cheap(g, &snug__cpu, out);
}

TEST(what_the_backward_reads_is_made_again) {
#define TEXT                                                                \
  BLOCK("add(%5, %1)", "relu_grad(%2, %9)")                                 \
  "%14 float64[2,3,3,4] class=activations = multiply(%9, %2) @0 backward\n" \
  "%15 float64[2,3,3,4] class=activations = square(%9) @0\n"                \
  "%16 float64[2,3,3,4] class=activations = multiply(%1, %2) @0 backward\n" \
  "output %11\noutput %14\noutput %15\noutput %16\nend\n"
  snug_ctx *ctx = test_ctx();
  snug__rewrite fused, made;
  snug__graph *g = NULL;
  ASSERT_OK(ctx, snug__graph_read(ctx, TEXT, &g));
  ASSERT_OK(ctx, snug__pass_fuse(g, &fused));
  ASSERT_OK(ctx, recompute(fused.to, &made));
  ASSERT_TRUE(has_op(made.to, "batch_norm_infer_epilogue"));
  snug__rewrite_release(&made);
  snug__rewrite_release(&fused);
  snug__graph_destroy(g);
  check(recompute, TEXT, "batch_norm_train", "batch_norm_infer_epilogue");
#undef TEXT
}

TEST(what_the_reader_repeats_is_not_repeated) {
  check(snug__pass_fuse,
        HEAD
        "%0 = input float64[2,3,3,4] \"x\" class=data\n"
        "%1 = input float64[2,1,1,4] \"v\" class=data\n"
        "%2 float64[2,3,3,4] class=activations = broadcast_to(%1) {shape=[2,3,3,4], "
        "scale=0.5} @0\n"
        "%3 float64[2,3,3,4] class=activations = add(%0, %2) @0\n"
        "output %3\nend\n",
        "scale_shift", "broadcast_to");
}

TEST(what_is_read_whole_is_repeated) {
  check(snug__pass_fuse,
        HEAD
        "%0 = input float64[2,1,1,4] \"x\" class=data\n"
        "%1 = input float64[2,1,1,4] \"v\" class=data\n"
        "%2 float64[2,3,3,4] class=activations = broadcast_to(%1) {shape=[2,3,3,4]} @0\n"
        "%3 float64[2,3,3,4] class=activations = add(%0, %2) @0\n"
        "output %3\nend\n",
        "broadcast_to", NULL);
}
