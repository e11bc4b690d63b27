#include "train/calibrate.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "exec/timer.h"
#include "pass/passes.h"
#include "train/smaller.h"

/* Round figures of a processor, from which is guessed how long a call may take: they decide what
 * is timed, and enter the result only where nothing like it could be. */
#define GUESSED_FLOPS 1e11
#define GUESSED_BYTES 1e10

#define TRIAL_SECONDS 6e-3    /* what one run may take, by that guess */
#define LEAST_ROOM (2 << 20)  /* bytes that a trial may always have */
#define PART 8                /* of the largest call: the room of a trial, */
#define MOST_ROOM (64 << 20)  /* which no call needs more than to be beyond the caches */
#define NEAR_BYTES (12 << 20) /* what was touched so many bytes ago is still in the cache */
#define FIXED_SHARE 0.1       /* of a call's bytes: from there on it is timed at two batches */
#define LEAST_SLOPE 0.1       /* what one more sample takes, of the mean of the small batch */
#define MAX_BATCHES 64

/* A call on values of the lowered graph: that of a node, or what makes its output again. */
typedef struct subject {
  const snug__op *op;
  snug__id node;
  const snug__id *in, *out;
  int32_t n_in, n_out;
  const void *params;
  int32_t kernel;
  bool is_again;
  uint64_t far_in, far_out;
} subject;

/* Seconds that were measured and guessed of what is alike. */
typedef struct ratio {
  const snug__op *op;
  double measured, guessed;
} ratio;

typedef struct calibrator {
  snug_model *m;
  snug__step_kind kind;
  const snug__step *step;
  const snug__graph *g;
  const snug__device *device;
  snug__timings timings;
  snug__timer timer;
  snug__smaller smaller[MAX_BATCHES]; /* from half of the batch down, made when needed */
  bool is_made[MAX_BATCHES];
  snug__vec ratios;    /* ratio; the first is that of all */
  int64_t *touched;    /* per value: bytes that were touched before its last use; -1: not yet */
  int64_t so_far, all; /* bytes touched, up to now and in the whole step */
  snug__text text;
} calibrator;

/* ---- calls ---- */

/* A signature with its types: of the step itself, or of a smaller batch. */
typedef struct sized {
  snug__signature sig;
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  snug__remake again; /* where the parameters of the smaller call lie */
} sized;

static void set_types(const calibrator *c, const snug__smaller *s, const snug__id *ids, int32_t n,
                      snug__type *types) {
  snug__graph_types(c->g, ids, n, types);
  for (int32_t i = 0; s && i < n; i++) {
    types[i] = ids[i] == SNUG_NONE ? types[i] : s->types[ids[i]];
  }
}

static const void *small_params(const snug__smaller *s, const subject *q, sized *z) {
  const snug__node *own =
      s && s->node_of[q->node] != SNUG_NONE ? snug__node_at(s->fused, s->node_of[q->node]) : NULL;
  if (!own) {
    return q->params;
  }
  if (!q->is_again) {
    return own->params;
  }
  memset(&z->again, 0, sizeof z->again);
  own->op->remake(own, &z->again);
  return z->again.params;
}

/* s: NULL for the step itself. */
static void size_call(const calibrator *c, const snug__smaller *s, const subject *q, sized *z) {
  z->sig = (snug__signature){.op = q->op,
                             .params = small_params(s, q, z),
                             .n_in = q->n_in,
                             .n_out = q->n_out,
                             .in = z->in,
                             .out = z->out,
                             .threads = c->m->ctx->threads,
                             .isa = c->m->ctx->isa,
                             .kernel = q->kernel};
  set_types(c, s, q->in, q->n_in, z->in);
  set_types(c, s, q->out, q->n_out, z->out);
}

static double guess(const snug__signature *sig) {
  const snug__cost cost = snug__op_cost(sig);
  return cost.flops / GUESSED_FLOPS + cost.bytes / GUESSED_BYTES;
}

static int64_t bytes_of(const snug__signature *sig) {
  const snug__trial t = {.sig = *sig};
  return snug__trial_bytes(&t);
}

/* ---- timing ---- */

static snug_status key_of(calibrator *c, const snug__trial *t, uint64_t *key) {
  char type[SNUG__TYPE_TEXT_BYTES];
  const snug__signature *sig = &t->sig;
  c->text.chars.n = 0;
  SNUG_TRY(snug__text_add(&c->text, "%s %s %d %d %llx %llx {", sig->op->name, t->kernel->name,
                          sig->threads, (int)sig->isa, (unsigned long long)t->far_in,
                          (unsigned long long)t->far_out));
  if (sig->params) {
    SNUG_TRY(snug__fields_print(sig->op->fields, sig->params, &c->text));
  }
  for (int32_t i = 0; i < sig->n_in; i++) {
    SNUG_TRY(snug__text_add(&c->text, ";%s", snug__type_text(&sig->in[i], type)));
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    SNUG_TRY(snug__text_add(&c->text, ">%s", snug__type_text(&sig->out[k], type)));
  }
  *key = snug__key_add(SNUG__KEY_START, snug__text_get(&c->text), c->text.chars.n);
  return SNUG_OK;
}

static bool is_update(const snug__op *op) {
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    if (op->writes[k]) {
      return true;
    }
  }
  return false;
}

/* An update goes over its values element by element: of a long one, a part tells the rest.
 * Returns how many parts there are. */
static double cut_update(const calibrator *c, snug__type *in, snug__type *out,
                         const snug__trial *t) {
  int64_t parts = snug__trial_bytes(t) / c->timer.most_bytes + 1;
  const snug__type whole = in[0];
  if (parts == 1 || !is_update(t->sig.op)) {
    return 1.0;
  }
  for (int32_t pass = 0; pass < 2; pass++) { /* first look, then cut */
    for (int32_t i = 0; i < t->sig.n_in + t->sig.n_out; i++) {
      snug__type *type = i < t->sig.n_in ? &in[i] : &out[i - t->sig.n_in];
      const bool is_long = type->dtype && snug__type_count(type) > 1;
      if (pass == 0 && is_long && !snug__type_equal(type, &whole)) {
        return 1.0;
      }
      if (pass == 1 && is_long) {
        const int64_t count = snug__type_count(&whole) / parts;
        *type = snug__type_of(type->dtype, 1, &count);
      }
    }
  }
  return (double)parts;
}

/* Time the call of `sig`, in the kernel of `choice`, which was made for the step itself. */
static snug_status time_call(calibrator *c, const subject *q, const snug__choice *choice,
                             const snug__signature *sig, double *seconds) {
  snug__choice own;
  uint64_t key = 0;
  *seconds = -1.0;
  if (!snug__choose_as(choice, sig, &own)) {
    return SNUG_OK;
  }
  snug__trial t = {own.kernel, *sig, q->far_in, q->far_out};
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  memcpy(in, own.unblocked ? own.plain.in : sig->in, (size_t)sig->n_in * sizeof *in);
  memcpy(out, own.unblocked ? own.plain.out : sig->out, (size_t)sig->n_out * sizeof *out);
  t.sig.in = in;
  t.sig.out = out;
  t.sig.params = own.unblocked && sig->params ? own.plain.params : sig->params;
  const double parts = cut_update(c, in, out, &t);
  SNUG_TRY(key_of(c, &t, &key));
  if (!snug__timings_find(&c->timings, key, seconds)) {
    SNUG_TRY(snug__timer_run(&c->timer, &t, seconds));
    SNUG_TRY(*seconds < 0.0 ? SNUG_OK : snug__timings_add(&c->timings, key, *seconds));
  }
  *seconds *= parts;
  return SNUG_OK;
}

/* ---- smaller batches ---- */

/* The half, quarter, ... of the batch; NULL: there is none like the step. */
static snug_status smaller_at(calibrator *c, int32_t halvings, const snug__smaller **out) {
  snug__smaller *s = &c->smaller[halvings];
  *out = NULL;
  if (!c->is_made[halvings]) {
    SNUG_TRY(snug__smaller_init(s, c->m, c->kind, c->step, c->g, c->step->batch >> halvings));
    c->is_made[halvings] = true;
  }
  *out = s->fused ? s : NULL;
  return SNUG_OK;
}

/* How often the batch is halved until a call is short and small. */
static int32_t halvings_for(const calibrator *c, const snug__signature *sig) {
  double seconds = guess(sig);
  int64_t bytes = bytes_of(sig);
  int32_t n = 0;
  while ((seconds > TRIAL_SECONDS || bytes > c->timer.most_bytes) && c->step->batch >> (n + 1)) {
    seconds /= 2.0;
    bytes /= 2;
    n++;
  }
  return n;
}

static bool is_same(const snug__signature *a, const snug__signature *b) {
  for (int32_t i = 0; i < a->n_in; i++) {
    if (!snug__type_equal(&a->in[i], &b->in[i])) {
      return false;
    }
  }
  for (int32_t k = 0; k < a->n_out; k++) {
    if (!snug__type_equal(&a->out[k], &b->out[k])) {
      return false;
    }
  }
  return true;
}

/* The part of a smaller call's bytes that is there at any batch. */
static double fixed_share(const snug__signature *whole, int64_t batch, const snug__signature *part,
                          int64_t small) {
  const double more = (double)(bytes_of(whole) - bytes_of(part)) / (double)(batch - small);
  const double bytes = (double)bytes_of(part);
  return (bytes - more * (double)small) / fmax(bytes, 1.0);
}

/* Two batches tell what one more sample takes, which cannot be more than the mean. */
static double extend(double low_seconds, int64_t low, double high_seconds, int64_t high,
                     int64_t batch) {
  const double mean = high_seconds / (double)high;
  const double slope = (high_seconds - low_seconds) / (double)(high - low);
  return high_seconds + fmin(fmax(slope, LEAST_SLOPE * mean), mean) * (double)(batch - high);
}

static snug_status time_two(calibrator *c, const subject *q, const snug__choice *choice,
                            int32_t halvings, double high_seconds, double *seconds) {
  const snug__smaller *low = NULL;
  double low_seconds = -1.0;
  sized z;
  SNUG_TRY(smaller_at(c, halvings + 1, &low));
  if (!low) {
    return SNUG_OK;
  }
  size_call(c, low, q, &z);
  SNUG_TRY(time_call(c, q, choice, &z.sig, &low_seconds));
  if (low_seconds >= 0.0) {
    *seconds =
        extend(low_seconds, low->batch, high_seconds, c->step->batch >> halvings, c->step->batch);
  }
  return SNUG_OK;
}

static snug_status time_smaller(calibrator *c, const subject *q, const snug__choice *choice,
                                const sized *whole, int32_t halvings, double *seconds) {
  const snug__smaller *s = NULL;
  double measured = -1.0;
  sized z;
  SNUG_TRY(smaller_at(c, halvings, &s));
  if (!s) {
    return SNUG_OK;
  }
  size_call(c, s, q, &z);
  if (is_same(&z.sig, &whole->sig)) {
    return time_call(c, q, choice, &whole->sig, seconds);
  }
  if (s->batch == 1 && fixed_share(&whole->sig, c->step->batch, &z.sig, 1) > FIXED_SHARE) {
    return time_smaller(c, q, choice, whole, halvings - 1, seconds);
  }
  SNUG_TRY(time_call(c, q, choice, &z.sig, &measured));
  if (measured < 0.0) {
    return SNUG_OK;
  }
  *seconds = measured * guess(&whole->sig) / fmax(guess(&z.sig), 1e-12);
  return s->batch > 1 && fixed_share(&whole->sig, c->step->batch, &z.sig, s->batch) > FIXED_SHARE
             ? time_two(c, q, choice, halvings, measured, seconds)
             : SNUG_OK;
}

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
static void mark_far(calibrator *c, subject *q) {
  for (int32_t i = 0; i < q->n_in; i++) {
    q->far_in |= q->in[i] != SNUG_NONE && is_far(c, q->in[i]) ? UINT64_C(1) << i : 0;
  }
  for (int32_t k = 0; k < q->n_out; k++) {
    q->far_out |= q->out[k] != SNUG_NONE && is_large(c, q->out[k]) ? UINT64_C(1) << k : 0;
  }
}

/* ---- nodes ---- */

static bool is_laid_out(const snug__signature *sig, const snug__layouts *want) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].dtype && sig->in[i].layout != want->in[i]) {
      return false;
    }
  }
  return sig->n_out == 0 || sig->out[0].layout == want->out[0];
}

/* *seconds is negative, and *guessed what it may be, where nothing could be timed. */
static snug_status time_subject(calibrator *c, const subject *q, double *seconds, double *guessed) {
  snug__choice choice;
  sized whole;
  *seconds = -1.0;
  size_call(c, NULL, q, &whole);
  *guessed = guess(&whole.sig);
  snug__choose(c->device, &whole.sig, &choice);
  if (!choice.kernel || !is_laid_out(&whole.sig, &choice.plain.want)) {
    return SNUG_OK;
  }
  int32_t halvings = halvings_for(c, &whole.sig);
  SNUG_TRY(halvings == 0 ? time_call(c, q, &choice, &whole.sig, seconds)
                         : time_smaller(c, q, &choice, &whole, halvings, seconds));
  return *seconds < 0.0 ? SNUG_OK : count_timed(c, q->op, *seconds, *guessed);
}

static subject of_node(const calibrator *c, snug__id id) {
  const snug__node *node = snug__node_at(c->g, id);
  return (subject){.op = node->op,
                   .node = id,
                   .in = node->in,
                   .out = node->out,
                   .n_in = node->n_in,
                   .n_out = node->n_out,
                   .params = node->params,
                   .kernel = node->kernel};
}

static snug_status time_node(calibrator *c, snug__id id, double *seconds, double *guessed) {
  subject q = of_node(c, id);
  *seconds = *guessed = 0.0;
  if (q.op->flags & SNUG__OP_VIEW) {
    return SNUG_OK;
  }
  mark_far(c, &q);
  touch(c, q.in, q.n_in);
  touch(c, q.out, q.n_out);
  return time_subject(c, &q, seconds, guessed);
}

/* What makes output 0 again, where that is another op: all it reads is far, being old. */
static snug_status time_again(calibrator *c, snug__id id, double *seconds, double *guessed) {
  const snug__node *node = snug__node_at(c->g, id);
  snug__remake recipe;
  memset(&recipe, 0, sizeof recipe);
  node->op->remake(node, &recipe);
  const subject q = {.op = recipe.op,
                     .node = id,
                     .in = recipe.in,
                     .out = node->out,
                     .n_in = recipe.n_in,
                     .n_out = 1,
                     .params = recipe.params,
                     .is_again = true,
                     .far_in = UINT64_MAX,
                     .far_out = UINT64_MAX};
  return time_subject(c, &q, seconds, guessed);
}

static bool is_made_otherwise(const snug__node *node) {
  return node->op->remake && !node->backward && node->out[0] != SNUG_NONE;
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

/* The room of trials; also counts the bytes that the step touches. */
static int64_t find_room(calibrator *c) {
  int64_t largest = 0;
  int64_t variable = 0;
  for (snug__id id = 0; id < c->g->nodes.n; id++) {
    const subject q = of_node(c, id);
    sized z;
    size_call(c, NULL, &q, &z);
    largest = is_update(q.op) ? largest : snug__max_i64(largest, bytes_of(&z.sig));
    c->all += bytes_of(&z.sig);
  }
  for (snug__id v = 0; v < c->g->values.n; v++) {
    const snug__value *value = snug__value_at(c->g, v);
    if (value->kind == SNUG__WEIGHT) {
      variable = snug__max_i64(variable, snug__type_bytes(&value->type));
    }
  }
  const int64_t sample = largest / snug__max_i64(c->step->batch, 1); /* an update has none */
  const int64_t part = snug__min_i64(largest / PART, MOST_ROOM);
  return snug__max_i64(snug__max_i64(sample, part), variable + LEAST_ROOM);
}

static snug_status run(calibrator *c, double *seconds, double *again) {
  size_t n = c->g->values.n;
  double *own = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->m->ctx, SNUG__MEM_SCRATCH, n, &c->touched));
  memset(c->touched, 0xFF, n * sizeof *c->touched);
  c->timer.most_bytes = find_room(c);
  SNUG_TRY(SNUG_NEW_ARRAY(c->m->ctx, SNUG__MEM_SCRATCH, c->g->nodes.n, &own));
  snug_status s = time_all(c, seconds, again ? again : own);
  SNUG_GIVE_ARRAY(c->m->ctx, SNUG__MEM_SCRATCH, own, c->g->nodes.n);
  return s;
}

static void release(calibrator *c) {
  SNUG_GIVE_ARRAY(c->m->ctx, SNUG__MEM_SCRATCH, c->touched, c->g->values.n);
  snug__timer_release(&c->timer);
  for (int32_t i = 0; i < MAX_BATCHES; i++) {
    if (c->is_made[i]) {
      snug__smaller_release(&c->smaller[i]);
    }
  }
  snug__vec_release(&c->ratios);
  snug__text_release(&c->text);
}

snug_status snug__calibrate(snug_model *m, snug__step_kind kind, const snug__step *step,
                            const snug__graph *lowered, double *seconds, double *again,
                            char note[SNUG__NOTE_BYTES]) {
  const snug__device *device = m->pass && m->pass->device ? m->pass->device : &snug__cpu;
  calibrator c = {.m = m,
                  .kind = kind,
                  .step = step,
                  .g = lowered,
                  .device = device,
                  .timer = {.ctx = m->ctx, .device = device}};
  snug__vec_init(&c.ratios, m->ctx, SNUG__MEM_SCRATCH, sizeof(ratio), SIZE_MAX);
  snug__text_init(&c.text, m->ctx, SIZE_MAX);
  SNUG_TRY(snug__timings_open(&c.timings, m->ctx));
  snug_status s = run(&c, seconds, again);
  release(&c);
  if (note && c.timings.note[0]) {
    memcpy(note, c.timings.note, SNUG__NOTE_BYTES);
  }
  snug__timings_close(&c.timings);
  return s;
}
