#include "ops/trial.h"

#include <stdio.h>
#include <string.h>

#include "device/host.h"
#include "lib/fence.h"
#include "lib/relayout.h"
#include "lib/test.h"

/* A processor with one kernel per op, so that snug__choose says how that one would run. */
static const snug__kernel *the_kernel;

static const snug__kernel *only_kernel(const snug__op *op, snug__target target, int32_t i) {
  (void)op;
  (void)target;
  return i == 0 ? the_kernel : NULL;
}

static const snug__device one_kernel = {.name = "one kernel", .kernel = only_kernel};

static bool is_image(const snug__type *t) { return t->dtype == SNUG_FLOAT32 && t->rank == 4; }

static void set_types(trial *t, const trial_setting *s) {
  const op_bench *b = t->b;
  for (int32_t i = 0; i < b->n_in; i++) {
    t->in[i] = b->in[i] == SNUG_NONE ? (snug__type){0} : *snug__type_at(b->g, b->in[i]);
    if (is_image(&t->in[i]) && (s->only < 0 || s->only == i)) {
      t->in[i].layout = s->images;
    }
  }
  for (int32_t k = 0; k < b->n_out; k++) {
    t->out[k] = b->out[k] == SNUG_NONE ? (snug__type){0} : *snug__type_at(b->g, b->out[k]);
  }
}

static void describe(trial *t, const trial_setting *s) {
  int n =
      snprintf(t->what, sizeof t->what, "%s {%s} (%s), %s of %s%s with %d threads:", t->b->op->name,
               t->b->c->params, t->b->c->in, s->k->name, snug__isa_text(s->isa),
               t->choice.unblocked ? " unblocked" : "", s->threads);
  for (int32_t i = 0; i < t->b->n_in && n < (int)sizeof t->what; i++) {
    n += snprintf(t->what + n, sizeof t->what - (size_t)n, " %s",
                  snug__layout_text(t->choice.plain.want.in[i]));
  }
  for (int32_t k = 0; k < t->b->n_out && n < (int)sizeof t->what; k++) {
    n += snprintf(t->what + n, sizeof t->what - (size_t)n, "%s%s", k ? " " : " -> ",
                  snug__layout_text(t->choice.plain.want.out[k]));
  }
}

/* The value in the layout that is wanted; what the kernel sees must be as many bytes. */
static void assign_layouts(const trial *t, snug__type *type, snug__layout want,
                           const snug__type *seen) {
  if (!type->dtype) {
    return;
  }
  if (!snug__layout_is_for(want, type->rank)) {
    test_fail(__FILE__, __LINE__, "%s: wants %s of a value with %d axes", t->what,
              snug__layout_text(want), type->rank);
  }
  type->layout = want;
  if (t->choice.unblocked && snug__type_bytes(type) != snug__type_bytes(seen)) {
    test_fail(__FILE__, __LINE__, "%s: the call on plain values has other bytes", t->what);
  }
}

static void lay_out_all(trial *t) {
  const snug__layouts *want = &t->choice.plain.want;
  for (int32_t i = 0; i < t->b->n_in; i++) {
    assign_layouts(t, &t->in[i], want->in[i], &t->choice.plain.in[i]);
  }
  for (int32_t k = 0; k < t->b->n_out; k++) {
    assign_layouts(t, &t->out[k], want->out[k], &t->choice.plain.out[k]);
  }
}

/* What a kernel wants must be what it wants when it comes. */
static void check_settled(const trial *t) {
  snug__choice again;
  snug__signature sig = t->sig;
  snug__choose(&one_kernel, &sig, &again);
  if (!trial_same(&again, &t->choice)) {
    test_fail(__FILE__, __LINE__, "%s: wants something else once it has what it wants", t->what);
  }
}

static void see_plain(trial *t) {
  if (t->choice.unblocked) {
    t->sig.in = t->choice.plain.in;
    t->sig.out = t->choice.plain.out;
    t->sig.params = t->sig.params ? t->choice.plain.params : NULL;
  }
}

bool trial_choose(trial *t, op_bench *b, const trial_setting *s) {
  *t = (trial){.b = b};
  the_kernel = s->k;
  set_types(t, s);
  t->sig = (snug__signature){
      t->b->op, snug__node_at(t->b->g, 0)->params,    t->b->n_in, t->b->n_out, t->in,
      t->out,   snug__host_target(s->threads, s->isa)};
  snug__choose(&one_kernel, &t->sig, &t->choice);
  if (!t->choice.kernel) {
    return false;
  }
  describe(t, s);
  lay_out_all(t);
  check_settled(t);
  see_plain(t);
  return true;
}

bool trial_same(const snug__choice *a, const snug__choice *b) {
  return a->kernel == b->kernel && a->unblocked == b->unblocked &&
         memcmp(&a->plain.want, &b->plain.want, sizeof a->plain.want) == 0;
}

static void take_memory(trial *t) {
  for (int32_t i = 0; i < t->b->n_in; i++) {
    t->in_data[i] = t->in[i].dtype ? test_fence_new((size_t)snug__type_bytes(&t->in[i]), 0) : NULL;
  }
  for (int32_t k = 0; k < t->b->n_out; k++) {
    size_t bytes = (size_t)snug__type_bytes(&t->out[k]);
    t->out_data[k] = t->out[k].dtype ? test_fence_new(bytes, 0) : NULL;
    t->result[k] = t->out[k].dtype ? test_fence_new(bytes, 0) : NULL;
  }
  t->scratch = t->needs.scratch_bytes ? test_fence_new((size_t)t->needs.scratch_bytes, 0) : NULL;
}

bool trial_open(trial *t, op_bench *b, const trial_setting *s) {
  if (!trial_choose(t, b, s)) {
    return false;
  }
  if (t->choice.kernel->prepare(b->ctx, &t->sig, &t->needs, &t->state)) {
    test_fail(__FILE__, __LINE__, "%s: prepare: %s", t->what, snug_message(b->ctx));
  }
  take_memory(t);
  return true;
}

void trial_close(trial *t) {
  if (t->choice.kernel->release) {
    t->choice.kernel->release(t->b->ctx, t->state);
  }
  for (int32_t i = 0; i < t->b->n_in; i++) {
    test_fence_free(t->in_data[i], (size_t)snug__type_bytes(&t->in[i]));
  }
  for (int32_t k = 0; k < t->b->n_out; k++) {
    test_fence_free(t->out_data[k], (size_t)snug__type_bytes(&t->out[k]));
    test_fence_free(t->result[k], (size_t)snug__type_bytes(&t->out[k]));
  }
  test_fence_free(t->scratch, (size_t)t->needs.scratch_bytes);
}

void trial_apart(const trial *t, int32_t share[SNUG__MAX_OUT]) {
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    share[k] = k < t->b->n_out && t->out[k].dtype ? t->b->op->writes[k] - 1 : -1;
  }
}

bool trial_may_share(const trial *t, int32_t k, int32_t i) {
  return t->needs.in_place[k] >> i & 1 && !t->b->op->writes[k] && t->in[i].dtype &&
         t->out[k].dtype && snug__type_bytes(&t->in[i]) == snug__type_bytes(&t->out[k]);
}

/* ---- one run ---- */

static void fill(trial *t, int poison) {
  for (int32_t i = 0; i < t->b->n_in; i++) {
    if (t->in[i].dtype) {
      test_relayout_to(&t->in[i], bench_data(t->b, t->b->in[i]), t->in_data[i]);
    }
  }
  for (int32_t k = 0; k < t->b->n_out; k++) {
    if (t->out[k].dtype) {
      memset(t->out_data[k], poison, (size_t)snug__type_bytes(&t->out[k]));
    }
  }
  if (t->scratch) {
    memset(t->scratch, poison, (size_t)t->needs.scratch_bytes);
  }
}

static bool is_shared(const trial *t, const int32_t *share, int32_t i) {
  for (int32_t k = 0; k < t->b->n_out; k++) {
    if (share[k] == i) {
      return true;
    }
  }
  return false;
}

static void check_inputs(const trial *t, const int32_t *share) {
  for (int32_t i = 0; i < t->b->n_in; i++) {
    size_t bytes = (size_t)snug__type_bytes(&t->in[i]);
    if (!t->in[i].dtype) {
      continue;
    }
    test_fence_check(t->in_data[i], bytes, t->what);
    void *was = test_fence_new(bytes, 0);
    test_relayout_to(&t->in[i], bench_data(t->b, t->b->in[i]), was);
    if (!is_shared(t, share, i) && memcmp(was, t->in_data[i], bytes) != 0) {
      test_fail(__FILE__, __LINE__, "%s: changed its input %d", t->what, i);
    }
    test_fence_free(was, bytes);
  }
}

static void take_outputs(trial *t, const int32_t *share) {
  for (int32_t k = 0; k < t->b->n_out; k++) {
    const void *data = share[k] >= 0 ? t->in_data[share[k]] : t->out_data[k];
    if (!t->out[k].dtype) {
      continue;
    }
    test_fence_check(t->out_data[k], (size_t)snug__type_bytes(&t->out[k]), t->what);
    if (!test_relayout_from(&t->out[k], data, t->result[k])) {
      test_fail(__FILE__, __LINE__, "%s: the padding of output %d is not zero", t->what, k);
    }
  }
}

snug_status trial_run(trial *t, int poison, const int32_t share[SNUG__MAX_OUT]) {
  const void *in[SNUG__MAX_IN];
  void *out[SNUG__MAX_OUT];
  fill(t, poison);
  for (int32_t i = 0; i < t->b->n_in; i++) {
    in[i] = t->in_data[i];
  }
  for (int32_t k = 0; k < t->b->n_out; k++) {
    out[k] = share[k] >= 0 ? t->in_data[share[k]] : t->out_data[k];
  }
  snug__call call = {&t->sig, in, out, t->scratch, &t->fault};
  uint64_t allocations = t->b->ctx->account.allocations;
  t->fault = (snug__fault){0};
  snug_status s = t->choice.kernel->run(t->state, &call);
  if (t->b->ctx->account.allocations != allocations) {
    test_fail(__FILE__, __LINE__, "%s: took memory while running", t->what);
  }
  if (t->scratch) {
    test_fence_check(t->scratch, (size_t)t->needs.scratch_bytes, t->what);
  }
  check_inputs(t, share);
  if (!s) {
    take_outputs(t, share);
  }
  return s;
}
