/* Element-wise ops of one value: parameters, and the loops and macros that their files share. */
#ifndef SNUG_OPS_UNARY_H
#define SNUG_OPS_UNARY_H

#include "ops/unblock.h"

typedef struct snug__clip_params {
  double min, max; /* -inf and inf: no bound */
} snug__clip_params;

typedef struct snug__scale_shift_params {
  double scale, shift;
} snug__scale_shift_params;

/* relu, relu6 (max_value=6), leaky_relu (negative_slope=0.2) and the ReLU layer are all this. */
typedef struct snug__relu_params {
  double negative_slope;
  double max_value; /* inf: none */
  double threshold;
} snug__relu_params;

typedef struct snug__alpha_params { /* elu, celu */
  double alpha;
} snug__alpha_params;

typedef struct snug__gelu_params {
  bool approximate; /* by tanh; false: by erf */
} snug__gelu_params;

typedef struct snug__squareplus_params {
  double b;
} snug__squareplus_params;

typedef struct snug__shrink_params { /* hard_shrink, soft_shrink */
  double threshold;
} snug__shrink_params;

typedef struct snug__threshold_params {
  double threshold, value; /* value: where x <= threshold */
} snug__threshold_params;

typedef struct snug__cast_params {
  int32_t dtype; /* snug_dtype */
} snug__cast_params;

/* What an op does with one element, and its gradient with dy and x or y; p: the op's parameters. */
typedef double snug__unary(double x, const void *p);
typedef double snug__unary_gradient(double dy, double v, const void *p);

/* References over all elements of a call, with these parameters instead of the call's own. */
snug_status snug__unary_run(const snug__call *call, snug__unary *f, const void *p);
snug_status snug__unary_gradient_run(const snug__call *call, snug__unary_gradient *f,
                                     const void *p);

/* A parameter as an element of this dtype has it: y equals a bound exactly only if both are
 * rounded. */
double snug__as_element(snug_dtype dtype, double value);

/* Emit op(dy, v) with the parameters of the forward. */
snug_status snug__emit_unary_gradient(snug__grad *g, const snug__op *op, snug__id v) SNUG_NODISCARD;

/* Fusion rule of an activation's gradient: into that of a batch normalization before it. */
snug_status snug__fuse_activation_grad(struct snug__rewrite *r, snug__id id,
                                       bool *replaced) SNUG_NODISCARD;

/* A transcendental function counts as this many FLOPs. */
#define SNUG__FUNCTION_FLOPS 10.0
snug__cost snug__unary_cost(const snug__signature *sig);

/* The record of an op whose reference is <op>_reference: UNARY_RECORD(exp, "e^x", 1, .grad = ...).
 */
#define UNARY_RECORD(op, text, inputs, ...)                           \
  const snug__op snug__op_##op = {.name = #op,                        \
                                  .doc = (text),                      \
                                  .min_in = (inputs),                 \
                                  .max_in = (inputs),                 \
                                  .min_out = 1,                       \
                                  .max_out = 1,                       \
                                  .flags = SNUG__OP_CHEAP,            \
                                  .in_place = {(1u << (inputs)) - 1}, \
                                  .reference = op##_reference,        \
                                  .unblock = snug__unblock_flat,      \
                                  __VA_ARGS__}

/* <op>_at(x) and <op>_slope(dy, v) of an op without parameters; v is x or y. */
#define UNARY_AT(op, expression)                   \
  static double op##_at(double x, const void *p) { \
    (void)p;                                       \
    return (expression);                           \
  }
#define UNARY_SLOPE(op, expression)                              \
  static double op##_slope(double dy, double v, const void *p) { \
    (void)p;                                                     \
    return (expression);                                         \
  }

/* References from the functions <op>_at and <op>_slope. */
#define UNARY_REFERENCE(op)                                   \
  static snug_status op##_reference(const snug__call *call) { \
    return snug__unary_run(call, op##_at, call->sig->params); \
  }
#define UNARY_GRADIENT_REFERENCE(op)                                      \
  static snug_status op##_grad_reference(const snug__call *call) {        \
    return snug__unary_gradient_run(call, op##_slope, call->sig->params); \
  }

/* The rule that emits <op>_grad, which reads `kept`: g->in[0] or g->out[0]. */
#define UNARY_RULE(op, kept)                                                \
  static snug_status op##_rule(snug__grad *g) {                             \
    return snug__emit_unary_gradient(g, &snug__op_##op##_grad, g->kept[0]); \
  }

/* An op without parameters and its gradient, from the functions <op>_at(x) and <op>_slope(dy, v).
 */
#define UNARY_PAIR(op, text, kept, flops)                                                 \
  UNARY_REFERENCE(op)                                                                     \
  UNARY_GRADIENT_REFERENCE(op)                                                            \
  UNARY_RULE(op, kept)                                                                    \
  UNARY_RECORD(op, text, 1, .infer = snug__infer_same, .grad = op##_rule, .cost = flops); \
  UNARY_RECORD(op##_grad, "the gradient of " #op, 2, .infer = snug__infer_same_pair,      \
               .cost = flops, .rewrite = snug__fuse_activation_grad)

/* The same with a table of fields and a check of its own for the forward. */
#define UNARY_PAIR_WITH(op, text, kept, flops, type, table, check) \
  UNARY_REFERENCE(op)                                              \
  UNARY_GRADIENT_REFERENCE(op)                                     \
  UNARY_PAIR_RECORDS(op, text, kept, flops, type, table, check)

#define UNARY_PAIR_RECORDS(op, text, kept, flops, type, table, check)                      \
  UNARY_RULE(op, kept)                                                                     \
  UNARY_RECORD(op, text, 1, .params_bytes = sizeof(type), .fields = table, .infer = check, \
               .grad = op##_rule, .cost = flops);                                          \
  UNARY_RECORD(op##_grad, "the gradient of " #op, 2, .params_bytes = sizeof(type),         \
               .fields = table, .infer = snug__infer_same_pair, .cost = flops,             \
               .rewrite = snug__fuse_activation_grad)

#endif
