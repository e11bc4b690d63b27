#include "dnn/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/matmul.h"
#include "ops/unary.h"

typedef struct view {
  const snug__graph *g;
  const snug__node *node;
} view;

static bool is_op(const snug__node *node, const snug__op *op) { return node && node->op == op; }

static const snug__type *input(const view *v, int32_t i) {
  return snug__type_at(v->g, v->node->in[i]);
}

static const snug__node *producer(const snug__graph *g, snug__id value) {
  snug__id node = snug__value_at(g, value)->producer;
  return node == SNUG_NONE ? NULL : snug__node_at(g, node);
}

/* The one node that reads a value; NULL if there are none or several. */
static const snug__node *only_reader(const snug__graph *g, snug__id value) {
  const snug__node *found = NULL;
  for (snug__id n = 0; n < g->nodes.n; n++) {
    const snug__node *node = snug__node_at(g, n);
    for (int32_t i = 0; i < node->n_in; i++) {
      if (node->in[i] == value && node != found) {
        if (found) {
          return NULL;
        }
        found = node;
      }
    }
  }
  return found;
}

/* ---- convolutions and matrix products ---- */

static snug__type of_shape(const snug_ints *shape) {
  return snug__type_of(SNUG_FLOAT32, shape->n, shape->v);
}

static work conv_work(work_pass pass, const snug__type *x, const snug__type *kernel,
                      const snug__conv2d_params *p) {
  work w;
  memset(&w, 0, sizeof w);
  w.kind = WORK_CONV;
  w.pass = pass;
  w.conv = snug__conv_of(x, kernel, p);
  return w;
}

static work depthwise_work(work_pass pass, const snug__type *x, const snug__type *kernel,
                           const snug__conv2d_params *p) {
  snug__conv2d_params grouped;
  snug__type as_conv = snug__depthwise_as_conv(kernel, p, &grouped);
  return conv_work(pass, x, &as_conv, &grouped);
}

typedef work make_conv(work_pass, const snug__type *, const snug__type *,
                       const snug__conv2d_params *);

static work forward_work(const view *v, make_conv *make) {
  return make(PASS_FORWARD, input(v, 0), input(v, 1), v->node->params);
}

static work data_work(const view *v, make_conv *make) {
  const snug__conv2d_bwd_params *p = v->node->params;
  snug__type x = of_shape(&p->shape);
  return make(PASS_DATA, &x, input(v, 1), &p->conv);
}

static work weights_work(const view *v, make_conv *make) {
  const snug__conv2d_bwd_params *p = v->node->params;
  snug__type kernel = of_shape(&p->shape);
  return make(PASS_WEIGHTS, input(v, 0), &kernel, &p->conv);
}

/* The data gradient of the convolution that goes the other way. */
static work transpose_work(const view *v) {
  const snug__conv2d_transpose_params *p = v->node->params;
  const snug__conv2d_params conv = {p->strides, p->dilation, p->padding, 1};
  return conv_work(PASS_DATA, snug__type_at(v->g, v->node->out[0]), input(v, 1), &conv);
}

/* x W, dy W^T or x^T dy of a Dense layer. */
static work dense_work(const view *v) {
  const snug__matmul_params *p = v->node->params;
  const snug__type *a = input(v, 0);
  const snug__type *out = snug__type_at(v->g, v->node->out[0]);
  const snug__window one = {1, 1, 1, 1, 1, 0};
  int64_t inner = a->dim[p->transpose_a ? 0 : 1];
  work w;
  memset(&w, 0, sizeof w);
  w.kind = WORK_DENSE;
  w.pass = p->transpose_a ? PASS_WEIGHTS : p->transpose_b ? PASS_DATA : PASS_FORWARD;
  w.conv.groups = 1;
  w.conv.h = w.conv.w = one;
  w.conv.batch = w.pass == PASS_WEIGHTS ? inner : out->dim[0];
  w.conv.cin = w.pass == PASS_WEIGHTS ? out->dim[0] : w.pass == PASS_DATA ? out->dim[1] : inner;
  w.conv.cout = w.pass == PASS_DATA ? inner : out->dim[1];
  return w;
}

/* ---- the rest ---- */

static work image_work(work_kind kind, work_pass pass, work_function function,
                       const snug__type *x) {
  work w;
  memset(&w, 0, sizeof w);
  w.kind = kind;
  w.pass = pass;
  w.function = function;
  w.n = x->dim[0];
  w.c = x->dim[x->rank - 1];
  w.h = x->rank == 4 ? x->dim[1] : 1;
  w.w = x->rank == 4 ? x->dim[2] : 1;
  return w;
}

/* relu or relu_grad without a ceiling; the parameters are the same. */
static bool is_plain(const snug__node *node, const snug__op *op) {
  return is_op(node, op) && isinf(((const snug__relu_params *)node->params)->max_value);
}

static work norm_work(const view *v) {
  bool fused = is_plain(only_reader(v->g, v->node->out[0]), &snug__op_relu);
  return image_work(WORK_NORM, PASS_FORWARD, fused ? FUNCTION_RELU : FUNCTION_NONE, input(v, 0));
}

static work norm_grad_work(const view *v) {
  bool fused = is_plain(producer(v->g, v->node->in[0]), &snug__op_relu_grad);
  return image_work(WORK_NORM, PASS_DATA, fused ? FUNCTION_RELU : FUNCTION_NONE,
                    snug__type_at(v->g, v->node->out[0]));
}

static work relu_work(const view *v) {
  const snug__node *before = producer(v->g, v->node->in[0]);
  work w = image_work(WORK_ELTWISE, PASS_FORWARD, FUNCTION_RELU6, input(v, 0));
  if (is_plain(v->node, &snug__op_relu)) {
    w.function = FUNCTION_RELU;
    bool fuses = is_op(before, &snug__op_batch_norm_train) ||
                 (is_op(before, &snug__op_add) && snug__type_at(v->g, before->in[1])->rank == 1);
    w.kind = fuses ? WORK_NONE : w.kind;
  }
  return w;
}

static work relu_grad_work(const view *v) {
  const snug__node *after = only_reader(v->g, v->node->out[0]);
  bool plain = is_plain(v->node, &snug__op_relu_grad);
  work_function function = plain ? FUNCTION_RELU : FUNCTION_RELU6;
  work w = image_work(WORK_ELTWISE, PASS_DATA, function, input(v, 0));
  bool fused = plain && is_op(after, &snug__op_batch_norm_train_grad);
  w.kind = fused ? WORK_NONE : w.kind;
  return w;
}

/* Sums and products of images; biases are part of the convolution. */
static work binary_work(const view *v, work_function function) {
  const snug__type *out = snug__type_at(v->g, v->node->out[0]);
  const snug__type *b = input(v, 1);
  work w = image_work(WORK_BINARY, PASS_FORWARD, function, out);
  w.kind = out->rank == 4 && b->rank == 4 ? WORK_BINARY : WORK_NONE;
  w.per_image = b->rank == 4 && b->dim[1] == 1 && b->dim[2] == 1 && out->dim[1] > 1;
  return w;
}

typedef work of_view(const view *v);
#define CONV_WORK(name, part, make) \
  static work name(const view *v) { return part(v, make); }
CONV_WORK(conv_forward, forward_work, conv_work)
CONV_WORK(conv_data, data_work, conv_work)
CONV_WORK(conv_weights, weights_work, conv_work)
CONV_WORK(depthwise_forward, forward_work, depthwise_work)
CONV_WORK(depthwise_data, data_work, depthwise_work)
CONV_WORK(depthwise_weights, weights_work, depthwise_work)
static work swish(const view *v) {
  return image_work(WORK_ELTWISE, PASS_FORWARD, FUNCTION_SWISH, input(v, 0));
}
static work swish_grad(const view *v) {
  return image_work(WORK_ELTWISE, PASS_DATA, FUNCTION_SWISH, input(v, 0));
}
static work sum(const view *v) { return binary_work(v, FUNCTION_ADD); }
static work product(const view *v) { return binary_work(v, FUNCTION_MULTIPLY); }

work work_of(const snug__graph *g, snug__id node) {
  static const struct {
    const snug__op *op;
    of_view *make;
  } table[] = {{&snug__op_conv2d, conv_forward},
               {&snug__op_conv2d_bwd_data, conv_data},
               {&snug__op_conv2d_bwd_weights, conv_weights},
               {&snug__op_depthwise_conv2d, depthwise_forward},
               {&snug__op_depthwise_conv2d_bwd_data, depthwise_data},
               {&snug__op_depthwise_conv2d_bwd_weights, depthwise_weights},
               {&snug__op_conv2d_transpose, transpose_work},
               {&snug__op_matmul, dense_work},
               {&snug__op_batch_norm_train, norm_work},
               {&snug__op_batch_norm_train_grad, norm_grad_work},
               {&snug__op_relu, relu_work},
               {&snug__op_relu_grad, relu_grad_work},
               {&snug__op_silu, swish},
               {&snug__op_silu_grad, swish_grad},
               {&snug__op_add, sum},
               {&snug__op_multiply, product}};
  const view v = {g, snug__node_at(g, node)};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (v.node->op == table[i].op) {
      return table[i].make(&v);
    }
  }
  return (work){WORK_NONE};
}

double work_flops(const work *w) {
  const snug__conv *c = &w->conv;
  if (w->kind != WORK_CONV && w->kind != WORK_DENSE) {
    return 0.0;
  }
  return 2.0 * (double)(c->batch * c->h.out * c->w.out * c->h.kernel * c->w.kernel) *
         (double)(c->cin / c->groups * c->cout);
}

const char *work_text(const work *w, char text[WORK_TEXT_BYTES]) {
  static const char *const passes[] = {"forward", "backward data", "backward weights"};
  static const char *const functions[] = {"", " relu", " relu6", " swish", " add", " multiply"};
  static const char *const kinds[] = {"", "conv", "dense", "norm", "eltwise", "binary"};
  const snug__conv *c = &w->conv;
  if (w->kind == WORK_CONV) {
    snprintf(text, WORK_TEXT_BYTES, "conv %lldx%lld s%lld %lld-%lld%s @%lld n%lld %s",
             (long long)c->h.kernel, (long long)c->w.kernel, (long long)c->h.stride,
             (long long)c->cin, (long long)c->cout, c->groups > 1 ? " depthwise" : "",
             (long long)c->h.in, (long long)c->batch, passes[w->pass]);
  } else if (w->kind == WORK_DENSE) {
    snprintf(text, WORK_TEXT_BYTES, "dense %lld-%lld n%lld %s", (long long)c->cin,
             (long long)c->cout, (long long)c->batch, passes[w->pass]);
  } else {
    snprintf(text, WORK_TEXT_BYTES, "%s%s%s %lld @%lld n%lld %s", kinds[w->kind],
             functions[w->function], w->per_image ? " per image" : "", (long long)w->c,
             (long long)w->h, (long long)w->n, passes[w->pass]);
  }
  return text;
}
