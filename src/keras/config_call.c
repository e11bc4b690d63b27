/* Calling a container: its nodes are replayed on tensors of the model.
 *
 * Nodes stand in the order of their layers, which is no order to run them in.  Each is tried once;
 * one that misses a tensor waits at the node that will make it, and is tried again when that has
 * run.  So every argument is looked at a bounded number of times. */
#include <string.h>

#include "keras/config_parts.h"
#include "keras/refused.h"

#define MOST_OUTPUTS 4096
#define MOST_TEXT ((size_t)256 << 20) /* of a layer: constants may be as large as the file */
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

static snug_status fail_layer(snug__config *k, const snug__config_item *item) {
  return snug__fail_within(k->ctx, snug_model_status(k->m), "%s: layer '%s' (%s)", k->file,
                           item->path, item->class_name);
}

/* The first result of an operation is a layer of its name; another, one that says which. */
static snug_status add_result(snug__config *k, snug__config_item *item,
                              const snug__layer_class *class_, const snug__text *text,
                              const snug_tensor *in, size_t n, uint32_t result, snug__vec *out) {
  snug__text one;
  snug__text_init(&one, k->ctx, MOST_TEXT);
  const char *rest = snug__text_get(text);
  if (result) { /* its name is the first key */
    rest += strlen("name=\"\"") + strlen(item->path);
  }
  snug_status s =
      result ? snug__text_add(&one, "name=\"%s[%u]\" output=%u%s", item->path, result, result, rest)
             : SNUG_OK;
  if (!s) {
    snug_tensor tensor =
        snug_model_layer(k->m, class_->name, result ? snug__text_get(&one) : rest, in, (int32_t)n);
    s = tensor == SNUG_NO_TENSOR ? fail_layer(k, item) : snug__vec_push(out, &tensor, 1);
  }
  snug__text_release(&one);
  return s;
}

static snug_status new_layer(snug__config *k, snug__config_item *item,
                             const snug__config_node *node, const snug_tensor *in, size_t n,
                             snug__vec *out) {
  const snug__layer_class *class_ = NULL;
  snug__text text;
  SNUG_TRY(snug__config_class(k, item, &class_));
  uint32_t results = node && snug__config_field(class_, "output") ? node->n_used : 1;
  snug__text_init(&text, k->ctx, MOST_TEXT);
  snug_status s = snug__config_layer_text(k, item, class_, &text);
  s = s ? s : snug__config_call_text(k, item, class_, node ? node->json : NULL, &text);
  for (uint32_t i = 0; i < results && !s; i++) {
    s = add_result(k, item, class_, &text, in, n, i, out);
    item->layer = i == 0 && !s ? (uint32_t)k->m->layers.n - 1 : item->layer;
  }
  snug__text_release(&text);
  return s;
}

static snug_status call_layer(snug__config *k, snug__config_item *item,
                              const snug__config_node *node, const snug_tensor *in, size_t n,
                              snug__vec *out) {
  SNUG_TRY(count_call(k, item));
  if (item->layer == SNUG__NO_LAYER) {
    return new_layer(k, item, node, in, n, out);
  }
  snug_tensor tensor = snug_model_again(k->m, item->path, in, (int32_t)n);
  return tensor == SNUG_NO_TENSOR ? fail_layer(k, item) : snug__vec_push(out, &tensor, 1);
}

/* What a call says of training (its argument of that name) is not heeded, as in Keras: fit and
 * predict say it to all calls, also in nested models. */
static snug_status call_item(snug__config *k, snug__config_item *item,
                             const snug__config_node *node, const snug_tensor *in, size_t n,
                             snug__vec *out) {
  item = item->first;
  return item->kind == SNUG__CONFIG_MODEL ? snug__config_call(k, item->scope, in, n, out)
                                          : call_layer(k, item, node, in, n, out);
}

/* ---- nodes ---- */

static snug_status push_tensor(frame *f, const snug__config_leaf *leaf, snug__vec *out) {
  const node_state *state = &f->states[leaf->node];
  if (leaf->tensor >= state->n_out) {
    return snug__fail(f->k->ctx, SNUG_E_FORMAT,
                      "%s: the model '%s' uses output %u of '%s', which has %u", f->k->file,
                      f->scope->name, leaf->tensor,
                      f->scope->items[f->scope->nodes[leaf->node].item].name, state->n_out);
  }
  return snug__vec_push(out, &state->out[leaf->tensor], 1);
}

/* Keras computes masks in its graph; here they go along with values.  A call with a mask must be on
 * a value that has one. */
static snug_status check_mask(frame *f, uint32_t node, const snug__vec *in) {
  const snug__config_node *n = &f->scope->nodes[node];
  snug_tensor first = SNUG_VEC(in, snug_tensor, 0);
  if (n->n_all > n->n_values &&
      SNUG_VEC(&f->k->m->tensors, snug__model_tensor, first).mask == SNUG_NONE) {
    return snug__config_fail(f->k, &f->scope->items[n->item], SNUG_E_UNSUPPORTED, "%s",
                             "is called with a mask of its own: " SNUG__RULE_MASK);
  }
  return SNUG_OK;
}

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

static snug_status run_node(frame *f, uint32_t node, const snug__vec *in) {
  snug__config_item *item = &f->scope->items[f->scope->nodes[node].item];
  snug__vec out;
  if (!in->n) {
    return snug__config_fail(f->k, item, SNUG_E_FORMAT, "%s", "is called on no tensor");
  }
  SNUG_TRY(check_mask(f, node, in));
  snug__vec_init(&out, f->k->ctx, SNUG__MEM_SCRATCH, sizeof(snug_tensor), MOST_OUTPUTS);
  snug_status s = call_item(f->k, item, &f->scope->nodes[node], in->data, in->n, &out);
  s = s ? s : keep_outputs(f, node, &out);
  snug__vec_release(&out);
  return s;
}

/* The tensors of a node, as far as they are there; *missing is the first node that has not run. */
static snug_status gather(frame *f, uint32_t node, snug__vec *in, uint32_t *missing) {
  const snug__config_node *n = &f->scope->nodes[node];
  for (uint32_t i = 0; i < n->n_values; i++) {
    const snug__config_leaf *leaf =
        &SNUG_VEC(&f->scope->arguments, snug__config_leaf, n->first + i);
    if (!f->states[leaf->node].is_done) {
      *missing = leaf->node;
      return SNUG_OK;
    }
    SNUG_TRY(push_tensor(f, leaf, in));
  }
  return SNUG_OK;
}

static snug_status try_node(frame *f, uint32_t node) {
  snug__vec in;
  uint32_t missing = NOBODY;
  if (!f->scope->nodes[node].json) { /* an input: it is there, or nobody will ever make it */
    return SNUG_OK;
  }
  snug__vec_init(&in, f->k->ctx, SNUG__MEM_SCRATCH, sizeof(snug_tensor),
                 f->scope->nodes[node].n_values);
  snug_status s = gather(f, node, &in, &missing);
  if (!s && missing == NOBODY) {
    s = run_node(f, node, &in);
  } else if (!s) {
    f->states[node].next = f->states[missing].waiter;
    f->states[missing].waiter = node;
  }
  snug__vec_release(&in);
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
    if (!f->states[i].is_done && f->scope->nodes[i].is_needed) {
      return fail_waiting(f, i);
    }
  }
  return SNUG_OK;
}

static snug_status run_nodes(frame *f) {
  for (uint32_t i = 0; i < f->scope->n_nodes; i++) {
    if (f->states[i].is_done || !f->scope->nodes[i].is_needed) {
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
    SNUG_TRY(push_tensor(f, &f->scope->outputs[i], out));
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
