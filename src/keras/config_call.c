/* Calling a container: its nodes are replayed on tensors of the model.
 *
 * Nodes stand in the order of their layers, which is no order to run them in.  Each is tried once;
 * one that misses a tensor waits at the node that will make it, and is tried again when that has
 * run.  So every argument is looked at a bounded number of times. */
#include <string.h>

#include "keras/config_parts.h"

#define MOST_ARGUMENTS 256 /* tensors of one call */
#define MOST_OUTPUTS 4096
#define NOBODY UINT32_MAX

typedef struct node_state {
  snug_tensor *out;
  uint32_t n_out;
  uint32_t waiter; /* first node that waits for this one, and the next beside it */
  uint32_t next;
  bool is_done;
} node_state;

typedef struct frame {
  snug__config *k;
  snug__config_scope *scope;
  node_state *states; /* one per node */
  snug__vec ready;    /* uint32_t: nodes to be tried */
} frame;

/* ---- calling one entry ---- */

static snug_status count_call(snug__config *k, const snug__config_item *item) {
  return ++k->calls <= k->most_calls
             ? SNUG_OK
             : snug__config_fail(k, item, SNUG_E_FORMAT,
                                 "is called too often: models that call each other make more than "
                                 "%zu calls",
                                 k->most_calls);
}

static snug_status new_layer(snug__config *k, snug__config_item *item, const snug__json *node,
                             const snug_tensor *in, size_t n, snug_tensor *out) {
  const snug__layer_class *class_ = NULL;
  snug__text text;
  SNUG_TRY(snug__config_class(k, item, &class_));
  snug__text_init(&text, k->ctx, (size_t)1 << 20);
  snug_status s = snug__config_layer_text(k, item, class_, &text);
  s = s ? s : snug__config_call_text(k, item, class_, node, &text);
  if (!s) {
    *out = snug_model_layer(k->m, class_->name, snug__text_get(&text), in, (int32_t)n);
    item->layer = (uint32_t)k->m->layers.n - 1;
  }
  snug__text_release(&text);
  return s;
}

static snug_status call_layer(snug__config *k, snug__config_item *item, const snug__json *node,
                              const snug_tensor *in, size_t n, snug__vec *out) {
  snug_tensor tensor = SNUG_NO_TENSOR;
  SNUG_TRY(count_call(k, item));
  if (item->layer == SNUG__NO_LAYER) {
    SNUG_TRY(new_layer(k, item, node, in, n, &tensor));
  } else {
    tensor = snug_model_again(k->m, item->path, in, (int32_t)n);
  }
  if (tensor == SNUG_NO_TENSOR) {
    return snug__fail_within(k->ctx, snug_model_status(k->m), "%s: layer '%s' (%s)", k->file,
                             item->path, item->class_name);
  }
  return snug__vec_push(out, &tensor, 1);
}

/* Calls of what behaves otherwise in training. */
static snug_status check_training(snug__config *k, const snug__config_item *item) {
  static const char *const parts[] = {"Dropout", "BatchNormalization", "GaussianNoise",
                                      "StochasticDepth"};
  for (size_t i = 0; k->trains && i < SNUG_COUNT(parts); i++) {
    if (strstr(item->class_name, parts[i])) {
      return snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "%s",
                               "is called with training=true, which is not supported: fit and "
                               "predict say when a model trains");
    }
  }
  return SNUG_OK;
}

/* What a call says of training holds for all calls in it that say nothing. */
static void read_training(snug__config *k, const snug__json *node) {
  const snug__json *training = snug__json_get(snug__json_get(node, "kwargs"), "training");
  if (snug__json_is_bool(training)) {
    k->trains = snug__json_is_true(training);
    k->m->calls_infer = !k->trains;
  }
}

static snug_status call_item(snug__config *k, snug__config_item *item, const snug__json *node,
                             const snug_tensor *in, size_t n, snug__vec *out) {
  bool trained = k->trains;
  bool inferred = k->m->calls_infer;
  item = item->first;
  read_training(k, node);
  snug_status s = check_training(k, item);
  s = s                                  ? s
      : item->kind == SNUG__CONFIG_MODEL ? snug__config_call(k, item->scope, in, n, out)
                                         : call_layer(k, item, node, in, n, out);
  k->m->calls_infer = inferred;
  k->trains = trained;
  return s;
}

/* ---- tensors of a node ---- */

bool snug__config_is_tensor(const snug__json *j) {
  const char *name = snug__json_text(snug__json_get(j, "class_name"));
  return name && strcmp(name, "__keras_tensor__") == 0;
}

/* The tensors that a node is called on, and the nodes that made them. */
typedef struct arguments {
  snug__vec tensors; /* snug_tensor */
  snug__vec parents; /* uint32_t */
  uint32_t missing;  /* a node that has not run yet */
} arguments;

/* Append the tensor of a history, or note the node that is to make it if that has not run. */
static snug_status push_tensor(frame *f, const snug__json *history, arguments *in) {
  snug__config_leaf leaf = {0};
  SNUG_TRY(snug__config_find_node(f->k, f->scope, history, 0, &leaf));
  const node_state *state = &f->states[leaf.node];
  if (!state->is_done) {
    in->missing = leaf.node;
    return SNUG_OK;
  }
  if (leaf.tensor >= state->n_out) {
    return snug__fail(f->k->ctx, SNUG_E_FORMAT,
                      "%s: the model '%s' uses output %u of '%s', which has %u", f->k->file,
                      f->scope->name, leaf.tensor,
                      f->scope->items[f->scope->nodes[leaf.node].item].name, state->n_out);
  }
  if (in->tensors.n == MOST_ARGUMENTS) {
    return snug__fail(f->k->ctx, SNUG_E_UNSUPPORTED,
                      "%s: in the model '%s' a layer is called on more than %d tensors", f->k->file,
                      f->scope->name, MOST_ARGUMENTS);
  }
  SNUG_TRY(snug__vec_push(&in->parents, &leaf.node, 1));
  return snug__vec_push(&in->tensors, &state->out[leaf.tensor], 1);
}

static snug_status gather_dict(frame *f, const snug__json *j, arguments *in);

/* The tensors in a value, from left to right. */
static snug_status gather(frame *f, const snug__json *j, arguments *in) {
  if (snug__config_is_tensor(j)) {
    return push_tensor(f, snug__json_get(snug__json_get(j, "config"), "keras_history"), in);
  }
  if (snug__json_is_object(j)) {
    return gather_dict(f, j, in);
  }
  for (size_t i = 0; i < snug__json_count(j) && in->missing == NOBODY; i++) {
    SNUG_TRY(gather(f, snug__json_at(j, i), in));
  }
  return SNUG_OK;
}

static snug_status gather_dict(frame *f, const snug__json *j, arguments *in) {
  snug__json_member *members = NULL;
  size_t n = 0;
  SNUG_TRY(snug__config_sort(f->k, j, &members, &n));
  for (size_t i = 0; i < n && in->missing == NOBODY; i++) {
    SNUG_TRY(gather(f, members[i].value, in));
  }
  return SNUG_OK;
}

/* Keras 2 wrote a node as [["layer", node, index, {}], ...]. */
static snug_status gather_legacy(frame *f, const snug__json *node, arguments *in) {
  for (size_t i = 0; i < snug__json_count(node) && in->missing == NOBODY; i++) {
    SNUG_TRY(push_tensor(f, snug__json_at(node, i), in));
  }
  return SNUG_OK;
}

static snug_status gather_node(frame *f, const snug__json *node, arguments *in) {
  if (snug__json_is_list(node)) {
    return gather_legacy(f, node, in);
  }
  SNUG_TRY(gather(f, snug__json_get(node, "args"), in));
  return in->missing == NOBODY ? gather(f, snug__json_get(node, "kwargs"), in) : SNUG_OK;
}

/* ---- nodes ---- */

static snug_status keep_outputs(frame *f, uint32_t node, const snug__vec *out) {
  node_state *state = &f->states[node];
  SNUG_TRY(snug__arena_take(&f->k->arena, out->n * sizeof *state->out, (void **)&state->out));
  memcpy(state->out, out->data, out->n * sizeof *state->out);
  state->n_out = (uint32_t)out->n;
  state->is_done = true;
  for (uint32_t w = state->waiter; w != NOBODY; w = f->states[w].next) {
    SNUG_TRY(snug__vec_push(&f->ready, &w, 1));
  }
  return SNUG_OK;
}

/* What the first call of a scope finds holds for all. */
static snug_status keep_parents(frame *f, uint32_t node, const snug__vec *parents) {
  snug__config_node *n = &f->scope->nodes[node];
  if (f->scope->is_called) {
    return SNUG_OK;
  }
  n->first_parent = (uint32_t)f->scope->parents.n;
  n->n_parents = (uint32_t)parents->n;
  return snug__vec_push(&f->scope->parents, parents->data, parents->n);
}

static snug_status run_node(frame *f, uint32_t node, const arguments *in) {
  snug__config_item *item = &f->scope->items[f->scope->nodes[node].item];
  const snug__vec *tensors = &in->tensors;
  snug__vec out;
  if (!tensors->n) {
    return snug__config_fail(f->k, item, SNUG_E_FORMAT, "%s", "is called on no tensor");
  }
  snug__vec_init(&out, f->k->ctx, SNUG__MEM_SCRATCH, sizeof(snug_tensor), MOST_OUTPUTS);
  snug_status s =
      call_item(f->k, item, f->scope->nodes[node].json, tensors->data, tensors->n, &out);
  s = s ? s : keep_outputs(f, node, &out);
  s = s ? s : keep_parents(f, node, &in->parents);
  snug__vec_release(&out);
  return s;
}

static snug_status try_node(frame *f, uint32_t node) {
  arguments in = {.missing = NOBODY};
  const snug__json *json = f->scope->nodes[node].json;
  if (!json) { /* an input: it is there, or nobody will ever make it */
    return SNUG_OK;
  }
  snug__vec_init(&in.tensors, f->k->ctx, SNUG__MEM_SCRATCH, sizeof(snug_tensor), MOST_ARGUMENTS);
  snug__vec_init(&in.parents, f->k->ctx, SNUG__MEM_SCRATCH, sizeof(uint32_t), MOST_ARGUMENTS);
  snug_status s = gather_node(f, json, &in);
  if (!s && in.missing == NOBODY) {
    s = run_node(f, node, &in);
  } else if (!s) {
    f->states[node].next = f->states[in.missing].waiter;
    f->states[in.missing].waiter = node;
  }
  snug__vec_release(&in.parents);
  snug__vec_release(&in.tensors);
  return s;
}

static snug_status fail_waiting(frame *f, uint32_t node) {
  const snug__config_item *item = &f->scope->items[f->scope->nodes[node].item];
  if (item->kind == SNUG__CONFIG_INPUT) {
    return snug__config_fail(f->k, item, SNUG_E_FORMAT,
                             "is used, and is not among the inputs of the model '%s'",
                             f->scope->name);
  }
  return snug__config_fail(f->k, item, SNUG_E_FORMAT,
                           "cannot be called: in the model '%s' its inputs depend on its output",
                           f->scope->name);
}

/* Whoever is left waits in a ring, or for an input that is not given. */
static snug_status check_done(frame *f) {
  for (uint32_t i = 0; i < f->scope->n_nodes; i++) {
    const node_state *state = &f->states[i];
    bool is_input = !f->scope->nodes[i].json;
    if (!state->is_done && is_input && state->waiter != NOBODY) {
      return fail_waiting(f, i);
    }
  }
  for (uint32_t i = 0; i < f->scope->n_nodes; i++) {
    if (!f->states[i].is_done && f->scope->nodes[i].json) {
      return fail_waiting(f, i);
    }
  }
  return SNUG_OK;
}

static snug_status run_nodes(frame *f) {
  for (uint32_t i = 0; i < f->scope->n_nodes; i++) {
    if (f->states[i].is_done) {
      continue;
    }
    SNUG_TRY(snug__vec_push(&f->ready, &i, 1));
    while (f->ready.n) {
      SNUG_TRY(try_node(f, SNUG_VEC(&f->ready, uint32_t, --f->ready.n)));
    }
  }
  return check_done(f);
}

/* ---- containers ---- */

static snug_status fail_count(snug__config *k, const snug__config_scope *scope, size_t n) {
  return snug__fail(k->ctx, SNUG_E_FORMAT,
                    "%s: the model '%s' is called on %zu tensors and has %u inputs", k->file,
                    scope->name, n, scope->is_sequential ? 1 : scope->n_inputs);
}

static snug_status set_inputs(frame *f, const snug_tensor *in, size_t n) {
  snug__config_scope *scope = f->scope;
  if (n != scope->n_inputs) {
    return fail_count(f->k, scope, n);
  }
  for (uint32_t i = 0; i < scope->n_nodes; i++) {
    f->states[i].waiter = f->states[i].next = NOBODY;
  }
  for (uint32_t i = 0; i < scope->n_inputs; i++) {
    const snug__vec one = {.data = (void *)(uintptr_t)&in[i], .n = 1};
    SNUG_TRY(keep_outputs(f, scope->inputs[i].node, &one));
  }
  return SNUG_OK;
}

static snug_status take_outputs(frame *f, snug__vec *out) {
  for (uint32_t i = 0; i < f->scope->n_outputs; i++) {
    const snug__config_leaf *leaf = &f->scope->outputs[i];
    const node_state *state = &f->states[leaf->node];
    if (leaf->tensor >= state->n_out) {
      return snug__fail(f->k->ctx, SNUG_E_FORMAT,
                        "%s: output %u of the model '%s' is output %u of '%s', which has %u",
                        f->k->file, i, f->scope->name, leaf->tensor,
                        f->scope->items[f->scope->nodes[leaf->node].item].name, state->n_out);
    }
    SNUG_TRY(snug__vec_push(out, &state->out[leaf->tensor], 1));
  }
  return SNUG_OK;
}

static snug_status call_functional(snug__config *k, snug__config_scope *scope,
                                   const snug_tensor *in, size_t n, snug__vec *out) {
  frame f = {.k = k, .scope = scope};
  SNUG_TRY(SNUG_NEW_ARRAY(k->ctx, SNUG__MEM_SCRATCH, scope->n_nodes, &f.states));
  snug__vec_init(&f.ready, k->ctx, SNUG__MEM_SCRATCH, sizeof(uint32_t), scope->n_nodes);
  snug_status s = set_inputs(&f, in, n);
  s = s ? s : run_nodes(&f);
  s = s ? s : take_outputs(&f, out);
  scope->is_called = scope->is_called || !s;
  snug__vec_release(&f.ready);
  SNUG_GIVE_ARRAY(k->ctx, SNUG__MEM_SCRATCH, f.states, scope->n_nodes);
  return s;
}

static snug_status call_sequential(snug__config *k, snug__config_scope *scope,
                                   const snug_tensor *in, size_t n, snug__vec *out) {
  size_t begin = out->n;
  if (n != 1) {
    return fail_count(k, scope, n);
  }
  SNUG_TRY(snug__vec_push(out, in, 1));
  for (uint32_t i = 0; i < scope->n_items; i++) {
    if (scope->items[i].kind == SNUG__CONFIG_INPUT) {
      continue;
    }
    if (out->n != begin + 1) {
      return snug__config_fail(k, &scope->items[i], SNUG_E_UNSUPPORTED,
                               "follows a layer with %zu outputs", out->n - begin);
    }
    snug_tensor last = SNUG_VEC(out, snug_tensor, begin);
    out->n = begin;
    SNUG_TRY(call_item(k, &scope->items[i], NULL, &last, 1, out));
  }
  return SNUG_OK;
}

snug_status snug__config_call(snug__config *k, snug__config_scope *scope, const snug_tensor *in,
                              size_t n, snug__vec *out) {
  if (k->depth > SNUG__CONFIG_DEPTH || ++k->calls > k->most_calls) {
    return snug__fail(k->ctx, SNUG_E_FORMAT,
                      "%s: the model '%s' is called inside of itself, or its models call each "
                      "other more than %zu times",
                      k->file, scope->name, k->most_calls);
  }
  k->depth++;
  snug_status s = (scope->is_sequential ? call_sequential : call_functional)(k, scope, in, n, out);
  k->depth--;
  return s;
}
