#include "lib/interpret.h"

#include <stdlib.h>
#include <string.h>

#include "base/store.h"
#include "device/host.h"
#include "lib/fence.h"
#include "lib/test.h"

#define POISON 0xCB
#define STORE_BYTES (64 << 10)

void test_interpret_init(test_interpreter *t, snug__graph *g) {
  *t = (test_interpreter){.g = g, .threads = 1};
}

static size_t value_bytes(const test_interpreter *t, size_t id) {
  return (size_t)snug__type_bytes(snug__type_at(t->g, (snug__id)id));
}

void test_interpret_release(test_interpreter *t) {
  snug__store_close(t->store);
  t->store = NULL;
  for (size_t i = 0; i < t->n_data; i++) {
    test_fence_free(t->data[i], value_bytes(t, i));
  }
  free(t->data);
  t->data = NULL;
  t->n_data = 0;
}

static void make_room(test_interpreter *t, size_t n) {
  if (n > t->n_data) {
    t->data = realloc(t->data, n * sizeof *t->data);
    ASSERT_NOT_NULL(t->data);
    memset(t->data + t->n_data, 0, (n - t->n_data) * sizeof *t->data);
    t->n_data = n;
  }
}

void *test_interpret_data(test_interpreter *t, snug__id id) {
  const snug__value *v = snug__value_at(t->g, id);
  snug__id base = snug__value_base(t->g, id);
  const snug__value *memory = snug__value_at(t->g, base);
  make_room(t, t->g->values.n);
  if (memory->kind == SNUG__CONSTANT) {
    return (char *)(uintptr_t)memory->data + v->view_offset;
  }
  if (!t->data[base]) {
    t->data[base] = test_fence_new((size_t)snug__type_bytes(&memory->type), POISON);
  }
  return (char *)t->data[base] + v->view_offset;
}

double test_interpret_get(test_interpreter *t, snug__id id, int64_t i) {
  return snug__element_get(snug__type_at(t->g, id)->dtype, test_interpret_data(t, id), i);
}

void test_interpret_set(test_interpreter *t, snug__id id, int64_t i, double value) {
  snug__element_set(snug__type_at(t->g, id)->dtype, test_interpret_data(t, id), i, value);
}

/* Types and memory of a node's inputs and outputs. */
typedef struct arguments {
  const void *in[SNUG__MAX_IN];
  void *out[SNUG__MAX_OUT];
  snug__type in_types[SNUG__MAX_IN], out_types[SNUG__MAX_OUT];
} arguments;

static void find_arguments(test_interpreter *t, const snug__node *node, int32_t in_place,
                           arguments *a) {
  memset(a, 0, sizeof *a);
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE) {
      a->in_types[i] = *snug__type_at(t->g, node->in[i]);
      a->in[i] = test_interpret_data(t, node->in[i]);
    }
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE) {
      a->out_types[k] = *snug__type_at(t->g, node->out[k]);
      a->out[k] = in_place >= 0 && k == 0 ? (void *)(uintptr_t)a->in[in_place]
                                          : test_interpret_data(t, node->out[k]);
    }
  }
}

/* The file of ops that need one. */
static struct snug__store *store_for(test_interpreter *t, const snug__op *op) {
  if (op->flags & SNUG__OP_STORE && !t->store) {
    ASSERT_OK(t->g->ctx,
              snug__store_open(t->g->ctx, &(snug__store_options){.bytes = STORE_BYTES}, &t->store));
  }
  return t->store;
}

snug_status test_interpret_node(test_interpreter *t, snug__id id, int32_t in_place) {
  const snug__node *node = snug__node_at(t->g, id);
  arguments a;
  find_arguments(t, node, in_place, &a);
  snug__signature sig = {node->op,
                         node->params,
                         node->n_in,
                         node->n_out,
                         a.in_types,
                         a.out_types,
                         snug__host_target(t->threads, SNUG__ISA_BASE)};
  size_t scratch_bytes = node->op->scratch ? node->op->scratch(&sig) : 0;
  void *scratch = test_fence_new(scratch_bytes, POISON);
  snug__call call = {&sig, a.in, a.out, scratch, &t->fault, store_for(t, node->op)};
  snug_status s = node->op->reference(&call);
  if (call.store) {
    snug__store_settle(call.store); /* a node that is run alone has nobody who waits */
  }
  test_fence_check(scratch, scratch_bytes, node->op->name);
  test_fence_free(scratch, scratch_bytes);
  if (in_place >= 0) { /* hand the result over, so that it is found under the output's own id */
    memcpy(test_interpret_data(t, node->out[0]), a.out[0],
           (size_t)snug__type_bytes(&a.out_types[0]));
  }
  return s;
}

void test_interpret_check(const test_interpreter *t) {
  for (size_t i = 0; i < t->n_data; i++) {
    const snug__value *v = snug__value_at(t->g, (snug__id)i);
    if (t->data[i]) {
      test_fence_check(
          t->data[i], value_bytes(t, i),
          v->producer == SNUG_NONE ? v->name : snug__node_at(t->g, v->producer)->op->name);
    }
  }
}

snug_status test_interpret_run(test_interpreter *t) {
  for (snug__id id = 0; id < t->g->nodes.n; id++) {
    SNUG_TRY(test_interpret_node(t, id, -1));
  }
  test_interpret_check(t);
  return SNUG_OK;
}
