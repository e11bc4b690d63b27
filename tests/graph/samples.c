#include "graph/samples.h"

#include <stdlib.h>
#include <string.h>

#include "lib/test.h"
#include "ops/optimizer.h"
#include "ops/shape.h"

typedef struct step {
  snug__graph *g;
  snug__id x, y, w, m, v, rate, count, logits, losses, dw;
} step;

static snug_status add_leaves(step *s) {
  static const float rate = 0.1f;
  const int64_t x[] = {2, 3};
  const int64_t w[] = {3, 4};
  const int64_t n[] = {2};
  snug__graph *g = s->g;
  snug__type type = snug__type_of(SNUG_FLOAT32, 2, w);
  SNUG_TRY(snug__graph_input(g, "x", snug__type_of(SNUG_FLOAT32, 2, x), &s->x));
  SNUG_TRY(snug__graph_input(g, "y", snug__type_of(SNUG_INT32, 1, n), &s->y));
  SNUG_TRY(snug__graph_layer(g, "dense \"one\"", NULL));
  SNUG_TRY(snug__graph_variable(g, "kernel", SNUG__WEIGHT, SNUG__CLASS_WEIGHTS, type, 0, &s->w));
  SNUG_TRY(snug__graph_variable(g, "m", SNUG__STATE, SNUG__CLASS_OPTIMIZER, type, 1, &s->m));
  SNUG_TRY(snug__graph_variable(g, "v", SNUG__STATE, SNUG__CLASS_OPTIMIZER, type, 2, &s->v));
  SNUG_TRY(snug__graph_layer(g, "step\n", NULL));
  SNUG_TRY(snug__graph_variable(g, "count", SNUG__STATE, SNUG__CLASS_OPTIMIZER,
                                snug__scalar(SNUG_INT64), 3, &s->count));
  return snug__graph_constant(g, "rate", snug__scalar(SNUG_FLOAT32), &rate, &s->rate);
}

/* Parameters from their defaults and a text. */
static snug_status add(step *s, const char *name, const char *params, const snug__id *in,
                       int32_t n_in, snug__id *outs, int32_t n_out) {
  char room[1024];
  const snug__op *op = snug__op_find(name);
  memset(room, 0, sizeof room);
  ASSERT_TRUE(op && op->params_bytes <= sizeof room);
  SNUG_TRY(snug__fields_parse(s->g->ctx, name, op->fields, params, room));
  return snug__graph_add(s->g, op, room, in, n_in, outs, n_out);
}

#define IN(...) \
  (const snug__id[]){__VA_ARGS__}, (int32_t)(sizeof((snug__id[]){__VA_ARGS__}) / sizeof(snug__id))

static snug_status add_forward(step *s) {
  snug__id rows = SNUG_NONE;
  s->g->layer = 0;
  SNUG_TRY(add(s, "matmul", "", IN(s->x, s->w), &s->logits, 1));
  s->g->layer = SNUG_NONE;
  SNUG_TRY(add(s, "reshape", "shape=[2,1,4]", IN(s->logits), &rows, 1));
  SNUG_TRY(add(s, "reshape", "shape=[2,4]", IN(rows), &rows, 1));
  SNUG_TRY(add(s, "sparse_categorical_crossentropy", "from_logits=true, ignore_class=-1",
               IN(s->y, rows), &s->losses, 1));
  SNUG_TRY(add(s, "loss_reduce", "", IN(s->losses, SNUG_NONE, s->losses), &s->losses, 1));
  return snug__graph_output(s->g, s->losses);
}

static snug_status add_update(step *s) {
  snug__id late = SNUG_NONE;
  snug__id outs[3];
  s->g->layer = 0;
  s->g->class_ = SNUG__CLASS_GRADIENTS;
  SNUG_TRY(add(s, "matmul", "transpose_a=true", IN(s->x, s->logits), &s->dw, 1));
  SNUG_TRY(add(s, "adam", "weight_decay=0.004, beta_1=0.8",
               IN(s->w, s->dw, s->m, s->v, SNUG_NONE, s->rate, s->count), outs, 3));
  SNUG_TRY(snug__graph_output(s->g, outs[0]));
  s->g->layer = 1;
  SNUG_TRY(add(s, "increment", "", IN(s->count), outs, 1));
  return snug__graph_want_output(s->g, 3, 1, &late);
}

snug_status sample_step(snug_ctx *ctx, snug__graph **out) {
  step s;
  *out = NULL;
  memset(&s, 0, sizeof s);
  SNUG_TRY(snug__graph_create(ctx, &s.g));
  snug_status status = add_leaves(&s);
  status = status ? status : add_forward(&s);
  status = status ? status : add_update(&s);
  if (status) {
    snug__graph_destroy(s.g);
    return status;
  }
  *out = s.g;
  return SNUG_OK;
}

char *sample_text(const snug__graph *g) {
  snug__text text;
  snug__text_init(&text, g->ctx, 1u << 24);
  ASSERT_OK(g->ctx, snug__graph_print(g, &text));
  char *copy = strdup(snug__text_get(&text));
  ASSERT_NOT_NULL(copy);
  snug__text_release(&text);
  return copy;
}
