/* Work: what one node of a training step asks for, in oneDNN's terms.
 *
 * Works are zeroed before they are filled, so equal ones compare with memcmp. */
#ifndef SNUG_BENCH_WORK_H
#define SNUG_BENCH_WORK_H

#include "ops/conv.h"

typedef enum work_kind {
  WORK_NONE,
  WORK_CONV,
  WORK_DENSE,
  WORK_NORM,
  WORK_ELTWISE,
  WORK_BINARY
} work_kind;

typedef enum work_pass { PASS_FORWARD, PASS_DATA, PASS_WEIGHTS, PASS_COUNT } work_pass;

typedef enum work_function {
  FUNCTION_NONE,
  FUNCTION_RELU,
  FUNCTION_RELU6,
  FUNCTION_SWISH,
  FUNCTION_ADD,
  FUNCTION_MULTIPLY
} work_function;

typedef struct work {
  work_kind kind;
  work_pass pass;         /* PASS_DATA: the backward of what has no weights */
  work_function function; /* NORM: RELU if that is fused */
  bool per_image;         /* BINARY: the second operand is one number per image and channel */
  snug__conv conv;        /* CONV, DENSE: geometry */
  int64_t n, c, h, w;     /* the others: images */
} work;

/* The work of a node of a plain graph of a step; kind WORK_NONE where oneDNN alone would do
 * nothing: what is fused into another primitive (a bias, ReLU behind a bias or a normalization),
 * and what the limit leaves out (pooling, loss, update, data). */
work work_of(const snug__graph *g, snug__id node);

/* Floating point operations; 0 for what is bound by memory. */
double work_flops(const work *w);

/* "conv 3x3 s1 64-64 @56 n32 backward data" into 96 bytes; returns text. */
#define WORK_TEXT_BYTES 96
const char *work_text(const work *w, char text[WORK_TEXT_BYTES]);

#endif
