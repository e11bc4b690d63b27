#include "exec/needs.h"

#include <string.h>

#include "base/ctx.h"
#include "graph/signature.h"

#define SLOTS 4096

/* Signatures are compared whole: a hash alone could take one for another. */
typedef struct snug__needs_entry {
  struct snug__needs_entry *next;
  uint64_t hash;
  snug__signature sig;
  snug__needs needs;
} snug__needs_entry;

snug_status snug__needs_open(snug__needs_table *t, snug_ctx *ctx, const snug__device *device) {
  *t = (snug__needs_table){.ctx = ctx, .device = device};
  snug__arena_init(&t->arena, ctx, SNUG__MEM_SCRATCH);
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, SLOTS, &t->slots);
}

void snug__needs_release(snug__needs_table *t) {
  if (t->ctx) {
    SNUG_GIVE_ARRAY(t->ctx, SNUG__MEM_SCRATCH, t->slots, SLOTS);
    snug__arena_release(&t->arena);
  }
  *t = (snug__needs_table){0};
}

/* ---- signatures ---- */

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < n; i++) {
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

static uint64_t hash_types(uint64_t hash, const snug__type *types, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    int64_t parts[3] = {types[i].dtype, types[i].layout, types[i].rank};
    hash = hash_bytes(hash, parts, sizeof parts);
    hash = hash_bytes(hash, types[i].dim, sizeof types[i].dim);
  }
  return hash;
}

static size_t params_bytes(const snug__signature *s) { return s->params ? s->op->params_bytes : 0; }

static uint64_t hash_of(const snug__signature *s) {
  uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), &s->op, sizeof s->op);
  hash = hash_bytes(hash, &s->kernel, sizeof s->kernel);
  hash = hash_bytes(hash, s->params, params_bytes(s));
  return hash_types(hash_types(hash, s->in, s->n_in), s->out, s->n_out);
}

static bool are_equal(const snug__type *a, const snug__type *b, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (!snug__type_equal(&a[i], &b[i])) {
      return false;
    }
  }
  return true;
}

static bool is_same(const snug__signature *a, const snug__signature *b) {
  return a->op == b->op && a->kernel == b->kernel && a->n_in == b->n_in && a->n_out == b->n_out &&
         params_bytes(a) == params_bytes(b) &&
         (!params_bytes(a) || memcmp(a->params, b->params, params_bytes(a)) == 0) &&
         are_equal(a->in, b->in, a->n_in) && are_equal(a->out, b->out, a->n_out);
}

static snug_status copy(snug__needs_table *t, const void *from, size_t bytes, const void **out) {
  void *to = NULL;
  SNUG_TRY(snug__arena_take(&t->arena, bytes, &to));
  if (bytes) {
    memcpy(to, from, bytes);
  }
  *out = to;
  return SNUG_OK;
}

static snug_status keep(snug__needs_table *t, const snug__signature *sig, snug__signature *out) {
  const void *in = NULL;
  const void *types = NULL;
  const void *params = NULL;
  SNUG_TRY(copy(t, sig->in, (size_t)sig->n_in * sizeof *sig->in, &in));
  SNUG_TRY(copy(t, sig->out, (size_t)sig->n_out * sizeof *sig->out, &types));
  SNUG_TRY(copy(t, sig->params, params_bytes(sig), &params));
  *out = *sig;
  out->in = in;
  out->out = types;
  out->params = sig->params ? params : NULL;
  return SNUG_OK;
}

/* ---- asking ---- */

static snug_status ask(snug__needs_table *t, const snug__signature *sig, snug__needs *out) {
  snug__choice choice;
  snug__signature seen = *sig;
  void *state = NULL;
  snug__choose(t->device, sig, &choice);
  if (!choice.kernel) {
    return snug__fail(t->ctx, SNUG_E_UNSUPPORTED, "the device '%s' has no kernel for the op %s",
                      t->device->name, sig->op->name);
  }
  if (choice.unblocked) {
    seen.in = choice.plain.in;
    seen.out = choice.plain.out;
    seen.params = sig->params ? choice.plain.params : NULL;
  }
  *out = (snug__needs){0};
  SNUG_TRY(choice.kernel->prepare(t->ctx, &seen, out, &state));
  if (choice.kernel->release) {
    choice.kernel->release(t->ctx, state);
  }
  return SNUG_OK;
}

snug_status snug__needs_of(snug__needs_table *t, const snug__signature *sig, snug__needs *out) {
  uint64_t hash = hash_of(sig);
  snug__needs_entry **slot = &t->slots[hash % SLOTS];
  snug__needs_entry *e = *slot;
  while (e && !(e->hash == hash && is_same(&e->sig, sig))) {
    e = e->next;
  }
  if (!e) {
    SNUG_TRY(snug__arena_take(&t->arena, sizeof *e, (void **)&e));
    SNUG_TRY(keep(t, sig, &e->sig));
    SNUG_TRY(ask(t, sig, &e->needs));
    e->hash = hash;
    e->next = *slot;
    *slot = e;
  }
  *out = e->needs;
  return SNUG_OK;
}

snug_status snug__needs_of_graph(snug__needs_table *t, const snug__graph *g, snug__needs *out) {
  snug__type in[SNUG__MAX_IN];
  snug__type outs[SNUG__MAX_OUT];
  for (snug__id id = 0; id < g->nodes.n; id++) {
    const snug__node *node = snug__node_at(g, id);
    out[id] = (snug__needs){0};
    if (!(node->op->flags & SNUG__OP_VIEW)) {
      snug__signature sig = snug__signature_of(g, node, in, outs);
      SNUG_TRY(snug__needs_of(t, &sig, &out[id]));
    }
  }
  return SNUG_OK;
}
