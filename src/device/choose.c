#include <string.h>

#include "device/device.h"

static const snug__kernel *find_kernel(const snug__device *device, const snug__signature *sig,
                                       snug__layouts *want) {
  const snug__kernel *k = NULL;
  const snug__kernel *found = NULL;
  int32_t left = sig->kernel;
  for (int32_t i = 0; left >= 0 && (k = device->kernel(sig->op, sig->target, i)); i++) {
    snug__layouts wanted = {0};
    if (!k->fits || k->fits(sig, &wanted)) {
      found = k;
      *want = wanted;
      left--;
    }
  }
  return found;
}

static bool is_plain(const snug__signature *sig) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].layout != SNUG__LAYOUT_PLAIN) {
      return false;
    }
  }
  return true;
}

static bool wants_plain(const snug__signature *sig, const snug__layouts *want) {
  static const snug__layouts plain;
  return memcmp(want->in, plain.in, (size_t)sig->n_in * sizeof *want->in) == 0 &&
         memcmp(want->out, plain.out, (size_t)sig->n_out * sizeof *want->out) == 0;
}

/* The call as it would be on plain values: where `unblock` starts from. */
static void start_plain(const snug__signature *sig, snug__plain_call *p) {
  memset(p, 0, offsetof(snug__plain_call, in));
  for (int32_t i = 0; i < sig->n_in; i++) {
    p->in[i] = snug__type_in(sig->in[i], SNUG__LAYOUT_PLAIN);
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    p->out[k] = snug__type_in(sig->out[k], SNUG__LAYOUT_PLAIN);
  }
  if (sig->op->params_bytes && sig->op->params_bytes <= sizeof p->params) {
    memcpy(p->params, sig->params, sig->op->params_bytes);
  }
}

/* Fill out->plain: the call as one on plain values. */
static bool see_plain(const snug__signature *sig, snug__choice *out) {
  start_plain(sig, &out->plain);
  return sig->op->unblock && sig->op->params_bytes <= sizeof out->plain.params &&
         sig->op->unblock(sig, &out->plain);
}

static bool unblock(const snug__device *device, const snug__signature *sig, snug__choice *out) {
  if (!see_plain(sig, out)) {
    return false;
  }
  snug__signature seen = *sig;
  snug__layouts want;
  seen.in = out->plain.in;
  seen.out = out->plain.out;
  seen.params = sig->params ? out->plain.params : NULL;
  out->kernel = find_kernel(device, &seen, &want);
  out->unblocked = true;
  return out->kernel && wants_plain(sig, &want);
}

/* The layouts that the values have. */
static void want_as_given(const snug__signature *sig, snug__layouts *want) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    want->in[i] = sig->in[i].layout;
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    want->out[k] = sig->out[k].layout;
  }
}

void snug__choose(const snug__device *device, const snug__signature *sig, snug__choice *out) {
  snug__layouts want;
  const snug__kernel *k = find_kernel(device, sig, &want);
  out->unblocked = false;
  if (sig->op->flags & SNUG__OP_ANY_LAYOUT) {
    want_as_given(sig, &want);
  }
  if ((!k || wants_plain(sig, &want)) && !is_plain(sig) && unblock(device, sig, out)) {
    return;
  }
  out->kernel = k;
  out->unblocked = false;
  out->plain.want = want;
}

/* ---- one of several ---- */

/* How many kernels fit. */
static int32_t count_fits(const snug__device *device, const snug__signature *sig) {
  const snug__kernel *k = NULL;
  int32_t n = 0;
  for (int32_t i = 0; (k = device->kernel(sig->op, sig->target, i)); i++) {
    snug__layouts want = {0};
    n += !k->fits || k->fits(sig, &want);
  }
  return n < SNUG__MAX_KERNELS ? n : SNUG__MAX_KERNELS;
}

/* The scratch of a choice, on values in the layouts that it wants. */
static int64_t scratch_of(const snug__signature *sig, const snug__choice *c) {
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  snug__signature laid_out = *sig;
  if (!c->kernel->scratch) {
    return 0;
  }
  for (int32_t i = 0; i < sig->n_in; i++) {
    in[i] = c->unblocked ? c->plain.in[i] : snug__type_in(sig->in[i], c->plain.want.in[i]);
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    out[k] = c->unblocked ? c->plain.out[k] : snug__type_in(sig->out[k], c->plain.want.out[k]);
  }
  laid_out.in = in;
  laid_out.out = out;
  return c->kernel->scratch(&laid_out);
}

/* Kernels that tell their scratch are ours to choose from; others stand for whole ops. */
static bool can_choose(const snug__choice *c) { return c->kernel && c->kernel->scratch; }

void snug__choose_within(const snug__device *device, snug__signature *sig, int64_t most_scratch,
                         snug__choice *out) {
  int64_t least = INT64_MAX;
  int32_t best = 0;
  sig->kernel = 0;
  snug__choose(device, sig, out);
  const int32_t n = can_choose(out) ? count_fits(device, sig) : 0;
  for (int32_t i = 0; i < n && least > most_scratch; i++) {
    sig->kernel = i;
    snug__choose(device, sig, out);
    int64_t bytes = can_choose(out) ? scratch_of(sig, out) : INT64_MAX;
    best = bytes < least ? i : best;
    least = bytes < least ? bytes : least;
  }
  sig->kernel = best;
  snug__choose(device, sig, out);
}

bool snug__choose_named(const snug__device *device, snug__signature *sig, const char *name,
                        snug__choice *out) {
  const int32_t n = count_fits(device, sig);
  for (int32_t i = 0; i < n; i++) {
    sig->kernel = i;
    snug__choose(device, sig, out);
    if (out->kernel && strcmp(out->kernel->name, name) == 0) {
      return true;
    }
  }
  sig->kernel = 0;
  return false;
}

bool snug__choose_as(const snug__choice *first, const snug__signature *sig, snug__choice *out) {
  out->kernel = first->kernel;
  out->unblocked = first->unblocked;
  out->plain.want = first->plain.want;
  return !first->unblocked || see_plain(sig, out);
}
