#include "train/calibrate.h"

#include <string.h>

#include "base/size.h"
#include "pass/passes.h"
#include "train/call_time.h"

#define LEAST_ROOM (2 << 20)  /* bytes that a trial may always have */
#define PART 8                /* of the largest call: the room of a trial, */
#define MOST_ROOM (64 << 20)  /* which no call needs more than to be beyond the caches */
#define NEAR_BYTES (12 << 20) /* what was touched so many bytes ago is still in the cache */

/* Seconds that were measured and guessed of what is alike. */
typedef struct ratio {
  const snug__op *op;
  double measured, guessed;
} ratio;

typedef struct calibrator {
  snug__call_timer calls;
  const snug__graph *g;
  snug_ctx *ctx;
  snug__vec ratios;    /* ratio; the first is that of all */
  int64_t *touched;    /* per value: bytes that were touched before its last use; -1: not yet */
  int64_t so_far, all; /* bytes touched, up to now and in the whole step */
} calibrator;

/* ---- what cannot be timed ---- */

static snug_status count_in(calibrator *c, const snug__op *op, double measured, double guessed) {
  for (size_t i = 0; i < c->ratios.n; i++) {
    ratio *r = &SNUG_VEC(&c->ratios, ratio, i);
    if (r->op == op) {
      r->measured += measured;
      r->guessed += guessed;
      return SNUG_OK;
    }
  }
  const ratio added = {op, measured, guessed};
  return snug__vec_push(&c->ratios, &added, 1);
}

static snug_status count_timed(calibrator *c, const snug__op *op, double measured, double guessed) {
  SNUG_TRY(count_in(c, NULL, measured, guessed));
  return count_in(c, op, measured, guessed);
}

/* A guess, corrected by how wrong it was for the same op, or for all. */
static double corrected(const calibrator *c, const snug__op *op, double guessed) {
  double factor = 1.0;
  for (size_t i = 0; i < c->ratios.n; i++) {
    const ratio *r = &SNUG_VEC(&c->ratios, ratio, i);
    if ((!r->op || r->op == op) && r->guessed > 0.0) {
      factor = r->measured / r->guessed;
    }
  }
  return guessed * factor;
}

/* ---- near and far ---- */

static bool is_far(const calibrator *c, snug__id value) {
  const int64_t before = c->touched[snug__value_base(c->g, value)];
  const int64_t since = before < 0 ? c->all : c->so_far - before;
  return since + snug__type_bytes(snug__type_at(c->g, value)) > NEAR_BYTES;
}

static bool is_large(const calibrator *c, snug__id value) {
  return snug__type_bytes(snug__type_at(c->g, value)) > NEAR_BYTES;
}

static void touch(calibrator *c, const snug__id *ids, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (ids[i] != SNUG_NONE) {
      c->so_far += snug__type_bytes(snug__type_at(c->g, ids[i]));
      c->touched[snug__value_base(c->g, ids[i])] = c->so_far;
    }
  }
}

/* The memory of an output is that of something that died, mostly a moment ago. */
static void mark_far(calibrator *c, snug__timed_call *q) {
  for (int32_t i = 0; i < q->n_in; i++) {
    q->far_in |= q->in[i] != SNUG_NONE && is_far(c, q->in[i]) ? UINT64_C(1) << i : 0;
  }
  for (int32_t k = 0; k < q->n_out; k++) {
    q->far_out |= q->out[k] != SNUG_NONE && is_large(c, q->out[k]) ? UINT64_C(1) << k : 0;
  }
}

/* ---- nodes ---- */

static snug_status time_call(calibrator *c, const snug__timed_call *q, double *seconds,
                             double *guessed) {
  SNUG_TRY(snug__call_time(&c->calls, q, seconds, guessed));
  return *seconds < 0.0 ? SNUG_OK : count_timed(c, q->op, *seconds, *guessed);
}

static snug__timed_call of_node(const calibrator *c, snug__id id) {
  const snug__node *node = snug__node_at(c->g, id);
  return (snug__timed_call){.op = node->op,
                            .node = id,
                            .in = node->in,
                            .out = node->out,
                            .n_in = node->n_in,
                            .n_out = node->n_out,
                            .params = node->params,
                            .kernel = node->kernel};
}

static snug_status time_node(calibrator *c, snug__id id, double *seconds, double *guessed) {
  snug__timed_call q = of_node(c, id);
  *seconds = *guessed = 0.0;
  if (q.op->flags & SNUG__OP_VIEW) {
    return SNUG_OK;
  }
  mark_far(c, &q);
  touch(c, q.in, q.n_in);
  touch(c, q.out, q.n_out);
  return time_call(c, &q, seconds, guessed);
}

/* What makes output 0 again, where that is another op: all it reads is far, being old. */
static snug__timed_call again_of(const calibrator *c, snug__id id, snug__recompute *recipe) {
  const snug__node *node = snug__node_at(c->g, id);
  memset(recipe, 0, sizeof *recipe);
  node->op->recompute(node, recipe);
  return (snug__timed_call){.op = recipe->op,
                            .node = id,
                            .in = recipe->in,
                            .out = node->out,
                            .n_in = recipe->n_in,
                            .n_out = 1,
                            .params = recipe->params,
                            .is_again = true,
                            .far_in = UINT64_MAX,
                            .far_out = UINT64_MAX};
}

static snug_status time_again(calibrator *c, snug__id id, double *seconds, double *guessed) {
  snug__recompute recipe;
  const snug__timed_call q = again_of(c, id, &recipe);
  return time_call(c, &q, seconds, guessed);
}

static bool is_made_otherwise(const snug__node *node) {
  return node->op->recompute && !node->backward && node->out[0] != SNUG_NONE;
}

/* Guesses are kept as negative numbers until all that can be is timed. */
static snug_status time_all(calibrator *c, double *seconds, double *again) {
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    double guessed = 0.0;
    SNUG_TRY(time_node(c, id, &seconds[id], &guessed));
    seconds[id] = seconds[id] < 0.0 ? -guessed : seconds[id];
    again[id] = seconds[id];
    if (is_made_otherwise(snug__node_at(c->g, id))) {
      SNUG_TRY(time_again(c, id, &again[id], &guessed));
      again[id] = again[id] < 0.0 ? -guessed : again[id];
    }
  }
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    const snug__op *op = snug__node_at(c->g, id)->op;
    seconds[id] = seconds[id] < 0.0 ? corrected(c, op, -seconds[id]) : seconds[id];
    again[id] = again[id] < 0.0 ? corrected(c, op, -again[id]) : again[id];
  }
  return SNUG_OK;
}

/* ---- the whole ---- */

/* The room of trials; also counts the bytes that the step touches, and what it may take. */
static int64_t find_room(calibrator *c) {
  int64_t largest = 0;
  int64_t variable = 0;
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    const snug__timed_call q = of_node(c, id);
    const int64_t bytes = snug__call_bytes(&c->calls, &q);
    largest = snug__call_is_update(q.op) ? largest : snug__max_i64(largest, bytes);
    c->all += bytes;
    c->calls.guessed += snug__call_guess(&c->calls, &q);
  }
  for (snug__id v = 0; v < c->g->values.n; v++) {
    const snug__value *value = snug__value_at(c->g, v);
    if (value->kind == SNUG__WEIGHT) {
      variable = snug__max_i64(variable, snug__type_bytes(&value->type));
    }
  }
  const int64_t sample = largest / snug__max_i64(c->calls.step->batch, 1); /* an update has none */
  const int64_t part = snug__min_i64(largest / PART, MOST_ROOM);
  return snug__max_i64(snug__max_i64(sample, part), variable + LEAST_ROOM);
}

static snug_status run(calibrator *c, int64_t room, double *seconds, double *again) {
  size_t n = c->g->values.n;
  double *own = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->ctx, SNUG__MEM_SCRATCH, n, &c->touched));
  memset(c->touched, 0xFF, n * sizeof *c->touched);
  c->calls.timer.most_bytes = snug__min_i64(find_room(c), snug__max_i64(room, LEAST_ROOM));
  SNUG_TRY(SNUG_NEW_ARRAY(c->ctx, SNUG__MEM_SCRATCH, c->g->nodes.n, &own));
  snug_status s = time_all(c, seconds, again ? again : own);
  SNUG_GIVE_ARRAY(c->ctx, SNUG__MEM_SCRATCH, own, c->g->nodes.n);
  return s;
}

void snug__guess_seconds(snug_model *m, const snug__step *step, const snug__graph *lowered,
                         double *seconds, double *again) {
  const calibrator c = {.calls = {.m = m, .step = step, .g = lowered}, .g = lowered};
  for (snug__id id = 0; id < lowered->nodes.n; id++) {
    const snug__node *node = snug__node_at(lowered, id);
    const snug__timed_call whole = of_node(&c, id);
    const bool is_view = node->op->flags & SNUG__OP_VIEW;
    seconds[id] = again[id] = is_view ? 0.0 : snug__call_guess(&c.calls, &whole);
    if (is_made_otherwise(node)) {
      snug__recompute recipe;
      const snug__timed_call q = again_of(&c, id, &recipe);
      again[id] = snug__call_guess(&c.calls, &q);
    }
  }
}

snug_status snug__calibrate(snug_model *m, snug__step_kind kind, const snug__step *step,
                            const snug__graph *lowered, int64_t room, double *seconds,
                            double *again, char note[SNUG__NOTE_BYTES]) {
  const snug__device *device = m->pass && m->pass->device ? m->pass->device : m->ctx->queue.device;
  calibrator c = {.calls = {.m = m, .kind = kind, .step = step, .g = lowered, .device = device},
                  .g = lowered,
                  .ctx = m->ctx};
  snug__vec_init(&c.ratios, m->ctx, SNUG__MEM_SCRATCH, sizeof(ratio), SIZE_MAX);
  SNUG_TRY(snug__call_timer_open(&c.calls));
  snug_status s = run(&c, room, seconds, again);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, c.touched, lowered->values.n);
  snug__vec_release(&c.ratios);
  snug__call_timer_close(&c.calls, note);
  return s;
}
