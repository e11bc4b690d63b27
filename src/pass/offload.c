#include "pass/offload.h"

#include <string.h>

#include "base/size.h"
#include "base/store.h"
#include "ops/spill.h"
#include "ops/support.h"

/* The way of one value: behind which nodes of the old graph, by their positions in the order, what
 * happens to it. */
typedef struct trip {
  snug__id value;
  int64_t made;    /* begin to write */
  int64_t written; /* end of that */
  int64_t ahead;   /* begin to read; the end of that is before its first reader in the backward */
  int64_t offset;  /* in the file */
  snug__id ticket, done, fetched, fetch_ticket; /* in the new graph */
} trip;

typedef struct offloader {
  const snug__graph *g;
  const snug__offload *set;
  const snug__id *order; /* or NULL */
  int64_t *position;     /* per node */
  int64_t *first_read;   /* per base value: first node of the backward that reads it, or -1 */
  int64_t *last_forward; /* per base value: last node before that one that reads it, or -1 */
  uint32_t *trip_of;     /* per base value: its trip, or UINT32_MAX */
  snug__id *copy;        /* per old value: what the backward reads of a value that waited */
  snug__vec trips;       /* trip, in the order of need */
  bool *is_output;       /* per base value: some of it is read after the step */
} offloader;

static void release(offloader *o) {
  size_t n = o->g->values.n;
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->position, o->g->nodes.n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->first_read, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->last_forward, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->trip_of, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->copy, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->is_output, n);
  snug__vec_release(&o->trips);
}

/* ---- who reads what, and when ---- */

static bool is_view(const snug__node *node) { return (node->op->flags & SNUG__OP_VIEW) != 0; }

static snug__id node_at(const offloader *o, int64_t position) {
  return o->order ? o->order[position] : (snug__id)position;
}

static void note_reads(offloader *o, int64_t position) {
  const snug__node *node = snug__node_at(o->g, node_at(o, position));
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE) {
      snug__id base = snug__value_base(o->g, node->in[i]);
      if (o->first_read[base] < 0 && node->backward) {
        o->first_read[base] = position;
      } else if (o->first_read[base] < 0) {
        o->last_forward[base] = position;
      }
    }
  }
}

static void mark_outputs(const snug__graph *g, bool *is_output) {
  for (size_t i = 0; i < g->outputs.n; i++) {
    is_output[snug__value_base(g, SNUG_VEC(&g->outputs, snug__id, i))] = true;
  }
}

static snug_status init(offloader *o, const snug__graph *g, const snug__offload *set) {
  size_t n = g->values.n;
  *o = (offloader){.g = g, .set = set, .order = set->order};
  snug__vec_init(&o->trips, g->ctx, SNUG__MEM_SCRATCH, sizeof(trip), UINT32_MAX - 1);
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->nodes.n, &o->position));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->first_read));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->last_forward));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->trip_of));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->copy));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->is_output));
  memset(o->first_read, 0xFF, n * sizeof *o->first_read); /* -1, SNUG_NONE */
  memset(o->last_forward, 0xFF, n * sizeof *o->last_forward);
  memset(o->trip_of, 0xFF, n * sizeof *o->trip_of);
  memset(o->copy, 0xFF, n * sizeof *o->copy);
  for (int64_t p = 0; p < (int64_t)g->nodes.n; p++) {
    o->position[node_at(o, p)] = p;
    note_reads(o, p);
  }
  mark_outputs(g, o->is_output);
  return SNUG_OK;
}

/* ---- trips ---- */

/* A value of a node that another can be made to run after: some output with bytes of its own. */
static snug__id mark_of(const snug__graph *g, snug__id id) {
  const snug__node *node = snug__node_at(g, id);
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE && !node->op->writes[k] && !is_view(node)) {
      return node->out[k];
    }
  }
  return SNUG_NONE;
}

bool snug__offload_is_mark(const snug__graph *g, snug__id node) {
  return mark_of(g, node) != SNUG_NONE;
}

/* The position so many steps behind another (in front of it for a step of -1), counting nodes that
 * something can be made to run after; -1 if the graph ends before. */
static int64_t walk(const offloader *o, int64_t from, int32_t steps, int32_t step) {
  while (steps > 0) {
    from += step;
    if (from < 0 || from >= (int64_t)o->g->nodes.n) {
      return -1;
    }
    steps -= mark_of(o->g, node_at(o, from)) != SNUG_NONE;
  }
  return from;
}

/* Whether a value of the forward lies in memory of its own that is free after the step. */
static bool is_movable(const snug__graph *g, snug__id id, const bool *is_output) {
  const snug__value *v = snug__value_at(g, id);
  return v->view_of == SNUG_NONE && (v->kind == SNUG__TEMPORARY || v->kind == SNUG__INPUT) &&
         !is_output[id] && snug__type_bytes(&v->type) > 0 &&
         (v->producer == SNUG_NONE || !snug__node_at(g, v->producer)->backward);
}

/* The way a value would go; false if it cannot. */
static bool plan_trip(const offloader *o, snug__id id, trip *t) {
  const snug__value *v = snug__value_at(o->g, id);
  int32_t reach = o->set->at_once && o->set->at_once[id] ? 0 : o->set->reach;
  int64_t last = o->last_forward[id];
  if (!is_movable(o->g, id, o->is_output) || o->first_read[id] < 0) {
    return false;
  }
  *t = (trip){.value = id};
  t->made = v->producer == SNUG_NONE ? 0 : o->position[v->producer];
  t->written = walk(o, t->made, reach, 1);
  t->ahead = walk(o, o->first_read[id], reach + 1, -1);
  if (t->written >= 0 && last > t->written) {
    t->written = walk(o, last - 1, 1, 1);
  }
  return t->written >= 0 && t->ahead > t->written;
}

static bool is_chosen(const offloader *o, snug__id id) {
  return o->set->waits ? o->set->waits[id]
                       : snug__type_bytes(snug__type_at(o->g, id)) >= o->set->least;
}

/* Values in the order in which the backward needs them: then they are asked for in that order. */
static snug_status plan_trips(offloader *o) {
  int64_t offset = 0;
  for (int64_t p = 0; p < (int64_t)o->g->nodes.n; p++) {
    const snug__node *reader = snug__node_at(o->g, node_at(o, p));
    for (int32_t i = 0; i < reader->n_in; i++) {
      snug__id id = reader->in[i] == SNUG_NONE ? SNUG_NONE : snug__value_base(o->g, reader->in[i]);
      trip t;
      if (id == SNUG_NONE || o->first_read[id] != p || o->trip_of[id] != UINT32_MAX ||
          !is_chosen(o, id) || !plan_trip(o, id, &t)) {
        continue;
      }
      t.offset = offset;
      offset += snug__round_up(snug__type_bytes(snug__type_at(o->g, id)), SNUG__STORE_ALIGN);
      o->trip_of[id] = (uint32_t)o->trips.n;
      SNUG_TRY(snug__vec_push(&o->trips, &t, 1));
    }
  }
  return SNUG_OK;
}

/* ---- emitting ---- */

/* Emit as part of a layer, in the phase of an old node. */
static void emit_as(snug__rewrite *r, const trip *t, snug__id at) {
  snug__rewrite_as(r, at);
  r->to->layer = snug__value_at(r->from, t->value)->layer;
  r->to->class_ = SNUG__CLASS_SCRATCH;
}

static snug__id mark_behind(const snug__rewrite *r, snug__id at) {
  return snug__rewritten(r, mark_of(r->from, at));
}

static snug_status begin_write(snug__rewrite *r, trip *t, snug__id at) {
  snug__spill_params p = {t->offset};
  emit_as(r, t, at);
  return SNUG_EMIT(r->to, spill_start, &p, &t->ticket, snug__rewritten(r, t->value));
}

static snug_status end_write(snug__rewrite *r, trip *t, snug__id at) {
  emit_as(r, t, at);
  return SNUG_EMIT(r->to, spill_wait, NULL, &t->done, snug__rewritten(r, t->value), t->ticket,
                   mark_behind(r, at));
}

static snug_status begin_read(snug__rewrite *r, trip *t, snug__id at) {
  const snug__value *old = snug__value_at(r->from, t->value);
  const snug__id in[] = {t->done, mark_behind(r, at)};
  snug__id out[2];
  snug__fetch_params p;
  memset(&p, 0, sizeof p);
  p.offset = t->offset;
  p.shape.n = old->type.rank;
  memcpy(p.shape.v, old->type.dim, (size_t)old->type.rank * sizeof *p.shape.v);
  p.dtype = (int32_t)old->type.dtype;
  emit_as(r, t, at);
  SNUG_TRY(snug__graph_add(r->to, &snug__op_fetch_start, &p, in, 2, out, 2));
  t->fetched = out[0];
  t->fetch_ticket = out[1];
  snug__value_at(r->to, out[0])->type.layout = old->type.layout;
  snug__value_at(r->to, out[0])->class_ = old->class_;
  return SNUG_OK;
}

static snug_status end_read(snug__rewrite *r, const trip *t, snug__id at) {
  const offloader *o = r->arg;
  snug__id *out = &o->copy[t->value];
  emit_as(r, t, at);
  SNUG_TRY(SNUG_EMIT(r->to, fetch_wait, NULL, out, t->fetched, t->fetch_ticket));
  snug__value_at(r->to, *out)->type.layout = snug__type_at(r->from, t->value)->layout;
  return SNUG_OK;
}

/* What ends gives its memory back before what begins takes some. */
static snug_status emit_behind(snug__rewrite *r, snug__id at) {
  const offloader *o = r->arg;
  int64_t p = o->position[at];
  trip *trips = o->trips.data;
  for (size_t i = 0; i < o->trips.n; i++) {
    SNUG_TRY(trips[i].made == p ? begin_write(r, &trips[i], at) : SNUG_OK);
  }
  for (size_t i = 0; i < o->trips.n; i++) {
    SNUG_TRY(trips[i].written == p ? end_write(r, &trips[i], at) : SNUG_OK);
  }
  for (size_t i = 0; i < o->trips.n; i++) {
    SNUG_TRY(trips[i].ahead == p ? begin_read(r, &trips[i], at) : SNUG_OK);
  }
  return SNUG_OK;
}

/* What a node reads for an old value: from the first reader in the backward on what was fetched,
 * and views of it where it read views. */
static snug_status value_for(snug__rewrite *r, snug__id value, snug__id at, snug__id *out) {
  const offloader *o = r->arg;
  snug__id base = value == SNUG_NONE ? SNUG_NONE : snug__value_base(r->from, value);
  *out = snug__rewritten(r, value);
  if (base == SNUG_NONE || o->trip_of[base] == UINT32_MAX ||
      o->position[at] < o->first_read[base]) {
    return SNUG_OK;
  }
  if (o->copy[base] == SNUG_NONE) {
    SNUG_TRY(end_read(r, &SNUG_VEC(&o->trips, trip, o->trip_of[base]), at));
  }
  if (o->copy[value] == SNUG_NONE) { /* a view, made by one node from the base or another view */
    snug__id view = snug__value_at(r->from, value)->producer;
    snug__id in = SNUG_NONE;
    snug__id outs[SNUG__MAX_OUT];
    SNUG_TRY(value_for(r, snug__node_at(r->from, view)->in[0], at, &in));
    snug__rewrite_as(r, at);
    SNUG_TRY(snug__rewrite_again(r, view, &in, outs));
    o->copy[value] = outs[0];
  }
  *out = o->copy[value];
  return SNUG_OK;
}

static snug_status offload_node(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *node = snug__node_at(r->from, id);
  snug__id in[SNUG__MAX_IN];
  for (int32_t i = 0; i < node->n_in; i++) {
    SNUG_TRY(value_for(r, node->in[i], id, &in[i]));
  }
  SNUG_TRY(snug__rewrite_copy(r, id, in));
  *replaced = true;
  return emit_behind(r, id);
}

static snug_status run(offloader *o, const snug__graph *g, const snug__offload *set,
                       snug__rewrite *out) {
  SNUG_TRY(init(o, g, set));
  SNUG_TRY(plan_trips(o));
  SNUG_TRY(snug__rewrite_open(g, offload_node, o, out));
  out->order = set->order;
  snug_status s = snug__rewrite_run(out);
  if (s) {
    snug__rewrite_release(out);
  }
  return s;
}

snug_status snug__pass_offload(const snug__graph *g, const snug__offload *set, snug__rewrite *out) {
  offloader o;
  snug_status s = run(&o, g, set, out);
  release(&o);
  return s;
}

snug_status snug__offload_can(const snug__graph *g, bool *can) {
  bool *is_output = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &is_output));
  mark_outputs(g, is_output);
  for (snug__id id = 0; id < g->values.n; id++) {
    can[id] = is_movable(g, id, is_output);
  }
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, is_output, g->values.n);
  return SNUG_OK;
}
