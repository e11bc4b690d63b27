#include "pass/assign_layouts.h"

#include "ops/support.h"
#include "pass/kernel_list.h"

/* A value in one more layout. */
typedef struct twin {
  snug__id value;
  snug__layout layout;
  uint32_t next; /* of the same original, or 0 */
} twin;

typedef struct layout_assigner {
  snug_ctx *ctx;
  const snug__device *device;
  const snug__kernel_rules *rules;
  snug__variable_layouts *variables;
  snug__vec twins; /* twin; number 0 is nobody's */
  snug__vec heads; /* uint32_t per new value: its first twin, or 0 */
  bool again;      /* a variable had to be pinned to plain: the graph is to be laid out anew */
} layout_assigner;

/* ---- twins ---- */

static snug_status head_of(layout_assigner *l, snug__id value, uint32_t **out) {
  if (l->heads.n <= value) {
    SNUG_TRY(snug__vec_push(&l->heads, NULL, value + 1 - l->heads.n));
  }
  *out = &SNUG_VEC(&l->heads, uint32_t, value);
  return SNUG_OK;
}

static snug_status add_reorder(snug__rewrite *r, snug__id value, snug__layout layout,
                               snug__id *out) {
  const snug__value *old = snug__value_at(r->to, value);
  r->to->layer = old->layer;
  r->to->class_ = old->kind == SNUG__WEIGHT ? SNUG__CLASS_SCRATCH : old->class_;
  SNUG_TRY(SNUG_EMIT(r->to, reorder, NULL, out, value));
  snug__value_at(r->to, *out)->type.layout = layout;
  return SNUG_OK;
}

/* The value in a layout: itself, a twin that is there, or a new one. */
static snug_status twin_of(snug__rewrite *r, snug__id value, snug__layout layout, snug__id *out) {
  layout_assigner *l = r->arg;
  uint32_t *head = NULL;
  *out = value;
  if (snug__type_at(r->to, value)->layout == layout) {
    return SNUG_OK;
  }
  SNUG_TRY(head_of(l, value, &head));
  for (uint32_t i = *head; i; i = SNUG_VEC(&l->twins, twin, i).next) {
    if (SNUG_VEC(&l->twins, twin, i).layout == layout) {
      *out = SNUG_VEC(&l->twins, twin, i).value;
      return SNUG_OK;
    }
  }
  SNUG_TRY(add_reorder(r, value, layout, out));
  twin made = {*out, layout, *head};
  *head = (uint32_t)l->twins.n;
  return snug__vec_push(&l->twins, &made, 1);
}

/* ---- variables ---- */

static snug__id variable_of(const snug__graph *g, snug__id value) {
  const snug__value *base = snug__value_at(g, snug__value_base(g, value));
  return base->kind == SNUG__WEIGHT || base->kind == SNUG__STATE ? base->variable : SNUG_NONE;
}

/* A variable that nobody has read yet takes the layout that its first reader wants. */
static void settle(snug__rewrite *r, snug__id value, snug__layout want) {
  layout_assigner *l = r->arg;
  snug__id variable = variable_of(r->to, value);
  if (variable == SNUG_NONE || variable >= l->variables->n || l->variables->fixed[variable]) {
    return;
  }
  l->variables->fixed[variable] = true;
  l->variables->layout[variable] = want;
  snug__value_at(r->to, snug__value_base(r->to, value))->type.layout = want;
}

/* What the variables' values start with: what earlier programs decided. */
static void start_variables(snug__rewrite *r) {
  const snug__variable_layouts *v = ((layout_assigner *)r->arg)->variables;
  for (snug__id id = 0; id < r->to->values.n; id++) {
    snug__id variable = variable_of(r->to, id);
    if (variable != SNUG_NONE && variable < v->n && v->fixed[variable]) {
      snug__value_at(r->to, id)->type.layout = v->layout[variable];
    }
  }
}

/* ---- nodes ---- */

/* Choose the kernel of a node; sets sig->kernel. */
static void choose(const layout_assigner *l, const char *layer, snug__signature *sig,
                   snug__choice *choice) {
  if (l->rules->fixed && snug__kernel_list_choose(l->rules->fixed, l->device, layer, sig, choice)) {
    return;
  }
  if (l->rules->most_scratch) {
    snug__choose_within(l->device, sig, l->rules->most_scratch, choice);
  } else {
    snug__choose(l->device, sig, choice);
  }
}

/* What a node wants, and which of its kernels.  Outputs have the shapes of the old graph's. */
static int32_t ask(const snug__rewrite *r, const snug__node *node, const snug__id *in,
                   snug__choice *choice) {
  const layout_assigner *l = r->arg;
  snug__type in_types[SNUG__MAX_IN];
  snug__type out_types[SNUG__MAX_OUT];
  snug__signature sig = {.op = node->op,
                         .params = node->params,
                         .n_in = node->n_in,
                         .n_out = node->n_out,
                         .in = in_types,
                         .out = out_types,
                         .target = l->ctx->target};
  if (node->op->flags & SNUG__OP_VIEW) {
    choice->plain.want = (snug__layouts){0};
    return 0;
  }
  snug__graph_types(r->to, in, node->n_in, in_types);
  snug__graph_types(r->from, node->out, node->n_out, out_types);
  choose(l, snug__layer_name(r->from, node->layer), &sig, choice);
  return sig.kernel;
}

/* New content must lie as the old did.  Where it cannot, the variable stays plain from the start.
 */
static bool writes_in_place(const snug__rewrite *r, const snug__node *node, const snug__id *in,
                            const snug__layouts *want) {
  layout_assigner *l = r->arg;
  bool fits = true;
  for (int32_t k = 0; k < node->n_out; k++) {
    int32_t i = node->op->writes[k] - 1;
    if (i < 0 || i >= node->n_in || in[i] == SNUG_NONE) {
      continue;
    }
    snug__layout have = snug__type_at(r->to, in[i])->layout;
    if (want->in[i] != have || want->out[k] != have) {
      l->variables->layout[variable_of(r->to, in[i])] = SNUG__LAYOUT_PLAIN;
      fits = false;
    }
  }
  return fits;
}

static void set_layouts(const snug__graph *g, snug__id node, const snug__layouts *want) {
  const snug__node *made = snug__node_at(g, node);
  for (int32_t k = 0; k < made->n_out; k++) {
    if (made->out[k] != SNUG_NONE) {
      snug__value_at(g, made->out[k])->type.layout = want->out[k];
    }
  }
}

static snug_status lay_out_node(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *node = snug__node_at(r->from, id);
  layout_assigner *l = r->arg;
  snug__id in[SNUG__MAX_IN];
  snug__choice choice;
  *replaced = true;
  for (int32_t i = 0; i < node->n_in; i++) {
    in[i] = snug__rewritten(r, node->in[i]);
  }
  int32_t kernel = ask(r, node, in, &choice);
  for (int32_t i = 0; i < node->n_in; i++) {
    if (in[i] != SNUG_NONE) {
      settle(r, in[i], choice.plain.want.in[i]);
    }
  }
  if (!writes_in_place(r, node, in, &choice.plain.want)) {
    l->again = true;
    return SNUG_E_STATE;
  }
  snug__rewrite_as(r, id);
  for (int32_t i = 0; i < node->n_in; i++) {
    SNUG_TRY(in[i] == SNUG_NONE ? SNUG_OK : twin_of(r, in[i], choice.plain.want.in[i], &in[i]));
  }
  SNUG_TRY(snug__rewrite_copy(r, id, in));
  snug__node_at(r->to, (snug__id)r->to->nodes.n - 1)->kernel = kernel;
  set_layouts(r->to, (snug__id)r->to->nodes.n - 1, &choice.plain.want);
  return SNUG_OK;
}

/* What is read after the step is read plain. */
static snug_status plain_outputs(snug__rewrite *r) {
  r->to->backward = false;
  for (size_t i = 0; i < r->to->outputs.n; i++) {
    snug__id *out = &SNUG_VEC(&r->to->outputs, snug__id, i);
    SNUG_TRY(twin_of(r, *out, SNUG__LAYOUT_PLAIN, out));
    r->map[SNUG_VEC(&r->from->outputs, snug__id, i)] = *out;
  }
  return SNUG_OK;
}

static snug_status run(snug__rewrite *r) {
  start_variables(r);
  SNUG_TRY(snug__rewrite_run(r));
  SNUG_TRY(plain_outputs(r));
  return snug__graph_verify(r->to);
}

static snug_status attempt(layout_assigner *l, const snug__graph *g, snug__rewrite *out) {
  static const twin nobody;
  l->again = false;
  l->twins.n = l->heads.n = 0;
  SNUG_TRY(snug__vec_push(&l->twins, &nobody, 1));
  SNUG_TRY(snug__rewrite_open(g, lay_out_node, l, out));
  snug_status s = run(out);
  if (s) {
    snug__rewrite_release(out);
  }
  return s;
}

snug_status snug__pass_assign_layouts(const snug__graph *g, const snug__device *device,
                                      const snug__kernel_rules *rules,
                                      snug__variable_layouts *variables, snug__rewrite *out) {
  layout_assigner l = {.ctx = g->ctx, .device = device, .rules = rules, .variables = variables};
  snug__vec_init(&l.twins, g->ctx, SNUG__MEM_SCRATCH, sizeof(twin), UINT32_MAX);
  snug__vec_init(&l.heads, g->ctx, SNUG__MEM_SCRATCH, sizeof(uint32_t), UINT32_MAX);
  snug_status s = SNUG_OK;
  do {
    s = attempt(&l, g, out);
  } while (s && l.again);
  snug__vec_release(&l.twins);
  snug__vec_release(&l.heads);
  return s;
}
