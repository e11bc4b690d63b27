/* The rows of a summary: inputs and layers in the order they were made, shapes and weights. */
#include "report/summary.h"

#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "train/feed.h"

#define MOST_CONNECTED 4096

/* What made a tensor: the index of the row, and its how-manieth call it was. */
typedef struct origin {
  size_t row;
  int32_t nth;
} origin;

typedef struct maker {
  snug_summary *s;
  const snug_model *m;
  origin *origins; /* per tensor */
  int32_t *calls;  /* per row: calls so far */
} maker;

snug_summary_row *snug__summary_row(const snug_summary *s, const char *name) {
  uint32_t i = snug__map_find(&s->by_name, name);
  return i == SNUG__MAP_NONE ? NULL : &s->rows[i];
}

static const snug__model_tensor *tensor_at(const snug_model *m, snug_tensor t) {
  return &SNUG_VEC(&m->tensors, snug__model_tensor, t);
}

static snug_status add_row(maker *k, const char *name, const char *class_name, bool trainable) {
  snug_summary *s = k->s;
  snug_summary_row row = {.struct_size = sizeof row, .trainable = trainable, .connected = ""};
  SNUG_TRY(snug__arena_text(&s->arena, name, &row.name));
  SNUG_TRY(snug__arena_text(&s->arena, class_name, &row.class_name));
  SNUG_TRY(snug__map_set(&s->by_name, row.name, (uint32_t)s->n));
  s->rows[s->n++] = row;
  return SNUG_OK;
}

/* A call of a row made a tensor. */
static snug_status add_output(maker *k, size_t index, snug_tensor t) {
  snug_summary_row *row = &k->s->rows[index];
  snug__type type = tensor_at(k->m, t)->type;
  row->dtype = type.dtype;
  row->rank = type.rank - 1;
  memcpy(row->shape, type.dim + 1, (size_t)row->rank * sizeof *row->shape);
  type.dim[0] = k->s->totals.batch;
  if (!snug__type_is_valid(&type)) {
    return snug__fail(k->s->ctx, SNUG_E_SHAPE,
                      "%s: its output at batch %lld has more bytes than can be counted", row->name,
                      (long long)k->s->totals.batch);
  }
  row->output_bytes += (uint64_t)snug__type_bytes(&type);
  k->origins[t] = (origin){index, k->calls[index]++};
  return SNUG_OK;
}

static snug_status add_input(maker *k, const snug__model_input *input) {
  SNUG_TRY(add_row(k, input->name, "InputLayer", true));
  return add_output(k, k->s->n - 1, input->tensor);
}

/* The name of a class as users know it: a raw op is called by its own. */
static const char *class_text(const snug__layer_class *c) {
  return strncmp(c->name, "ops.", 4) == 0 ? c->name + 4 : c->name;
}

static snug_status add_connection(maker *k, const snug__model_call *call, snug__text *t) {
  for (int32_t i = 0; i < call->n_in && t->chars.n < MOST_CONNECTED - 256; i++) {
    const origin *from = &k->origins[call->in[i]];
    SNUG_TRY(snug__text_add(t, "%s%s[%d][0]", t->chars.n ? ", " : "", k->s->rows[from->row].name,
                            from->nth));
  }
  return SNUG_OK;
}

static snug_status add_connected(maker *k, const snug__model_call *call, snug_summary_row *row) {
  snug__text t;
  snug__text_init(&t, k->s->ctx, MOST_CONNECTED);
  snug_status status = *row->connected ? snug__text_add(&t, "%s", row->connected) : SNUG_OK;
  status = status ? status : add_connection(k, call, &t);
  status = status ? status : snug__arena_text(&k->s->arena, snug__text_get(&t), &row->connected);
  snug__text_release(&t);
  return status;
}

static snug_status add_call(maker *k, const snug__model_call *call) {
  const snug__layer *layer = &SNUG_VEC(&k->m->layers, snug__layer, call->layer);
  const snug_summary_row *found = snug__summary_row(k->s, layer->name);
  size_t index = found ? (size_t)(found - k->s->rows) : k->s->n;
  if (!found) {
    SNUG_TRY(add_row(k, layer->name, class_text(layer->class_), snug__layer_is_trainable(layer)));
  }
  SNUG_TRY(add_connected(k, call, &k->s->rows[index]));
  return add_output(k, index, call->out);
}

/* Tensors are numbered as they were made: inputs and calls come in that order. */
static snug_status add_rows(maker *k) {
  size_t input = 0;
  for (size_t c = 0; c <= k->m->calls.n; c++) {
    const snug__model_call *call =
        c < k->m->calls.n ? &SNUG_VEC(&k->m->calls, snug__model_call, c) : NULL;
    for (; input < k->m->inputs.n; input++) {
      const snug__model_input *in = &SNUG_VEC(&k->m->inputs, snug__model_input, input);
      if (call && in->tensor > call->out) {
        break;
      }
      SNUG_TRY(add_input(k, in));
    }
    if (call && call->needed) {
      SNUG_TRY(add_call(k, call));
    }
  }
  return SNUG_OK;
}

static bool is_chain(const snug_model *m, const snug_summary *s) {
  snug_tensor last = m->inputs.n == 1 ? SNUG_VEC(&m->inputs, snug__model_input, 0).tensor : -1;
  size_t n = 1;
  for (size_t c = 0; c < m->calls.n && last >= 0; c++) {
    const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    if (call->needed) {
      last = call->n_in == 1 && call->in[0] == last ? call->out : -1;
      n++;
    }
  }
  return last >= 0 && n == s->n; /* no layer is called twice */
}

static void count(snug_summary_count *c, const snug__variable *v) {
  c->parameters += (uint64_t)snug__type_count(&v->type);
  c->bytes += (uint64_t)snug__type_bytes(&v->type);
}

static void add_weights(snug_summary *s, const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    snug_summary_row *row = v->kind == SNUG__WEIGHT ? snug__summary_row(s, v->layer) : NULL;
    if (row) { /* not of a layer that no output needs */
      row->parameters += (uint64_t)snug__type_count(&v->type);
      count(&s->totals.weights, v);
      count(snug__model_trains(m, v) ? &s->totals.trainable : &s->totals.frozen, v);
      s->has_frozen = s->has_frozen || !row->trainable;
    }
  }
}

static snug_status make_rows(snug_summary *s, const snug_model *m) {
  maker k = {.s = s, .m = m};
  size_t room = m->inputs.n + m->layers.n;
  SNUG_TRY(snug__arena_take(&s->arena, room * sizeof *s->rows, (void **)&s->rows));
  snug_status status = SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, m->tensors.n, &k.origins);
  status = status ? status : SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, room, &k.calls);
  status = status ? status : add_rows(&k);
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, k.calls, room);
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, k.origins, m->tensors.n);
  return status;
}

static snug_status fill(snug_summary *s, snug_model *m) {
  SNUG_TRY(snug__arena_text(&s->arena, m->name, &s->model));
  SNUG_TRY(make_rows(s, m));
  s->is_chain = is_chain(m, s);
  add_weights(s, m);
  SNUG_TRY(snug__summary_flops(s, m));
  return m->training ? snug__summary_training(s, m) : SNUG_OK;
}

snug_status snug_summary_create(snug_model *m, int64_t batch_size, snug_summary **out) {
  snug_summary *s = NULL;
  snug_memory_info held = SNUG_INIT(snug_memory_info);
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!out) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "summary: there is no place for it (out is NULL)");
  }
  *out = NULL;
  if (batch_size < 0) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "summary: batch_size=%lld; it must be 0 or more",
                      (long long)batch_size);
  }
  SNUG_TRY(snug__model_finish(m));
  snug_memory_get(m->ctx, &held);
  SNUG_TRY(SNUG_NEW(m->ctx, SNUG__MEM_PLAN, &s));
  s->ctx = m->ctx;
  s->held = held.current;
  snug__arena_init(&s->arena, m->ctx, SNUG__MEM_PLAN);
  snug__map_init(&s->by_name, m->ctx, SNUG__MEM_PLAN);
  s->totals.batch = batch_size ? batch_size : SNUG__DEFAULT_BATCH;
  snug_status status = fill(s, m);
  if (status) {
    snug_summary_destroy(s);
    return status;
  }
  *out = s;
  return SNUG_OK;
}

void snug_summary_destroy(snug_summary *s) {
  if (s) {
    snug__map_release(&s->by_name);
    snug__arena_release(&s->arena);
    snug__give(s->ctx, SNUG__MEM_PLAN, s, sizeof *s);
  }
}

size_t snug_summary_rows(const snug_summary *s) { return s ? s->n : 0; }

void snug_summary_row_get(const snug_summary *s, size_t i, snug_summary_row *out) {
  const snug_summary_row none = {.name = "", .class_name = "", .connected = ""};
  SNUG__WRITE(snug_summary_row, s && i < s->n ? &s->rows[i] : &none, out);
}

void snug_summary_totals_get(const snug_summary *s, snug_summary_totals *out) {
  SNUG__WRITE(snug_summary_totals, s ? &s->totals : &(snug_summary_totals){.batch = 0}, out);
}
