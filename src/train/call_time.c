#include "train/call_time.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "pass/passes.h"

/* Round figures of a processor, from which is guessed how long a call may take: they decide what
 * is timed, and enter the result only where nothing like it could be. */
#define GUESSED_FLOPS 1e11
#define GUESSED_BYTES 1e10

#define TRIAL_SECONDS 4e-3 /* what one run may take, by that guess */
#define FIXED_SHARE 0.02   /* of a call's bytes: from there on it is timed at two batches */
#define SMALL_SHARE 1e-3   /* of the step, by the guesses */
#define MUCH 8.0           /* times as long for its operations as for its bytes, by the guesses */
#define LEAST_SLOPE 0.1    /* what one more sample takes, of the mean of the small batch */

/* ---- calls ---- */

/* A signature with its types: of the step itself, or of a smaller batch. */
typedef struct sized {
  snug__signature sig;
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  snug__recompute again; /* where the parameters of the smaller call lie */
} sized;

static void set_types(const snug__call_timer *c, const snug__smaller *s, const snug__id *ids,
                      int32_t n, snug__type *types) {
  snug__graph_types(c->g, ids, n, types);
  for (int32_t i = 0; s && i < n; i++) {
    types[i] = ids[i] == SNUG_NONE ? types[i] : s->types[ids[i]];
  }
}

static const void *small_params(const snug__smaller *s, const snug__timed_call *q, sized *z) {
  const snug__node *own =
      s && s->node_of[q->node] != SNUG_NONE ? snug__node_at(s->fused, s->node_of[q->node]) : NULL;
  if (!own) {
    return q->params;
  }
  if (!q->is_again) {
    return own->params;
  }
  memset(&z->again, 0, sizeof z->again);
  own->op->recompute(own, &z->again);
  return z->again.params;
}

/* s: NULL for the step itself. */
static void size_call(const snug__call_timer *c, const snug__smaller *s, const snug__timed_call *q,
                      sized *z) {
  z->sig = (snug__signature){.op = q->op,
                             .params = small_params(s, q, z),
                             .n_in = q->n_in,
                             .n_out = q->n_out,
                             .in = z->in,
                             .out = z->out,
                             .target = c->m->ctx->target,
                             .kernel = q->kernel};
  set_types(c, s, q->in, q->n_in, z->in);
  set_types(c, s, q->out, q->n_out, z->out);
}

static double guess(const snug__signature *sig) {
  const snug__cost cost = snug__op_cost(sig);
  return cost.flops / GUESSED_FLOPS + cost.bytes / GUESSED_BYTES;
}

/* A call that computes much longer than it reads does not notice where its values lie. */
static bool is_busy(const snug__cost *cost) {
  return cost->flops / GUESSED_FLOPS > MUCH * cost->bytes / GUESSED_BYTES;
}

static int64_t bytes_of(const snug__signature *sig) {
  const snug__trial t = {.sig = *sig};
  return snug__trial_bytes(&t);
}

/* ---- timing ---- */

static snug_status key_of(snug__call_timer *c, const snug__trial *t, uint64_t *key) {
  char type[SNUG__TYPE_TEXT_BYTES];
  char target[SNUG__TARGET_TEXT_BYTES];
  const snug__signature *sig = &t->sig;
  c->device->target_text(sig->target, target);
  c->text.chars.n = 0;
  SNUG_TRY(snug__text_add(&c->text, "%s %s %s %llx %llx {", sig->op->name, t->kernel->name, target,
                          (unsigned long long)t->far_in, (unsigned long long)t->far_out));
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

bool snug__call_is_update(const snug__op *op) {
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    if (op->writes[k]) {
      return true;
    }
  }
  return false;
}

/* An update goes over its values element by element: of a long one, a part tells the rest.
 * Returns how many parts there are. */
static double cut_update(const snug__call_timer *c, snug__type *in, snug__type *out,
                         const snug__trial *t) {
  int64_t parts = snug__trial_bytes(t) / c->timer.most_bytes + 1;
  const snug__type whole = in[0];
  if (parts == 1 || !snug__call_is_update(t->sig.op)) {
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
static snug_status time_call(snug__call_timer *c, const snug__timed_call *q,
                             const snug__choice *choice, const snug__signature *sig,
                             double *seconds) {
  snug__choice own;
  uint64_t key = 0;
  *seconds = -1.0;
  if (!snug__choose_as(choice, sig, &own)) {
    return SNUG_OK;
  }
  const snug__cost cost = snug__op_cost(sig);
  snug__trial t = {own.kernel, *sig, q->far_in, q->far_out};
  if (is_busy(&cost)) {
    t.far_in = t.far_out = 0;
  }
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
static snug_status smaller_at(snug__call_timer *c, int32_t halvings, const snug__smaller **out) {
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
static int32_t halvings_for(const snug__call_timer *c, const snug__signature *sig) {
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

static snug_status time_two(snug__call_timer *c, const snug__timed_call *q,
                            const snug__choice *choice, int32_t halvings, double high_seconds,
                            double *seconds) {
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

static snug_status time_smaller(snug__call_timer *c, const snug__timed_call *q,
                                const snug__choice *choice, const sized *whole, int32_t halvings,
                                double *seconds) {
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

/* ---- the call ---- */

static bool is_laid_out(const snug__signature *sig, const snug__layouts *want) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].dtype && sig->in[i].layout != want->in[i]) {
      return false;
    }
  }
  return sig->n_out == 0 || sig->out[0].layout == want->out[0];
}

static snug_status time_chosen(snug__call_timer *c, const snug__timed_call *q,
                               const snug__choice *choice, const sized *whole, double *seconds) {
  const int32_t halvings = halvings_for(c, &whole->sig);
  return halvings == 0 ? time_call(c, q, choice, &whole->sig, seconds)
                       : time_smaller(c, q, choice, whole, halvings, seconds);
}

snug_status snug__call_time(snug__call_timer *c, const snug__timed_call *q, double *seconds,
                            double *guessed) {
  snug__choice choice;
  sized whole;
  *seconds = -1.0;
  size_call(c, NULL, q, &whole);
  *guessed = guess(&whole.sig);
  snug__choose(c->device, &whole.sig, &choice);
  if (!choice.kernel || !is_laid_out(&whole.sig, &choice.plain.want)) {
    return SNUG_OK;
  }
  snug__alike call = {.op = q->op,
                      .kernel = choice.kernel,
                      .how = snug__alike_how(q->op, whole.sig.params),
                      .far_in = q->far_in,
                      .far_out = q->far_out,
                      .first = whole.in[0],
                      .cost = snug__op_cost(&whole.sig),
                      .guessed = *guessed,
                      .is_small = *guessed < SMALL_SHARE * c->guessed};
  if (snug__alike_find(&c->timed, &call, seconds)) {
    return SNUG_OK;
  }
  SNUG_TRY(time_chosen(c, q, &choice, &whole, seconds));
  call.seconds = *seconds;
  return *seconds < 0.0 ? SNUG_OK : snug__vec_push(&c->timed, &call, 1);
}

int64_t snug__call_bytes(const snug__call_timer *c, const snug__timed_call *q) {
  sized z;
  size_call(c, NULL, q, &z);
  return bytes_of(&z.sig);
}

double snug__call_guess(const snug__call_timer *c, const snug__timed_call *q) {
  sized z;
  size_call(c, NULL, q, &z);
  return guess(&z.sig);
}

snug_status snug__call_timer_open(snug__call_timer *c) {
  c->timer = (snug__timer){.ctx = c->m->ctx, .device = c->device};
  snug__text_init(&c->text, c->m->ctx, SIZE_MAX);
  snug__vec_init(&c->timed, c->m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__alike), SIZE_MAX);
  return snug__timings_open(&c->timings, c->m->ctx);
}

void snug__call_timer_close(snug__call_timer *c, char note[SNUG__NOTE_BYTES]) {
  snug__timer_release(&c->timer);
  snug__vec_release(&c->timed);
  for (int32_t i = 0; i < SNUG__MAX_HALVINGS; i++) {
    if (c->is_made[i]) {
      snug__smaller_release(&c->smaller[i]);
    }
  }
  snug__text_release(&c->text);
  if (note && c->timings.note[0]) {
    memcpy(note, c->timings.note, SNUG__NOTE_BYTES);
  }
  snug__timings_close(&c->timings);
}
