#include "pass/offload.h"

#include <string.h>

#include "base/size.h"
#include "base/store.h"
#include "ops/spill.h"
#include "ops/support.h"

/* The way of one value: behind which nodes of the old graph what happens to it. */
typedef struct trip {
  snug__id value;
  snug__id made;                                /* begin to write */
  snug__id written;                             /* end of that */
  snug__id ahead;                               /* begin to read */
  snug__id needed;                              /* before this node: end of that */
  int64_t offset;                               /* in the file */
  snug__id ticket, done, fetched, fetch_ticket; /* in the new graph */
} trip;

typedef struct offloader {
  const snug__graph *g;
  int32_t reach;
  snug__id *first_read;   /* per base value: first node of the backward that reads it, or NONE */
  snug__id *last_forward; /* per base value: last node before that one that reads it, or NONE */
  uint32_t *trip_of;      /* per base value: its trip, or UINT32_MAX */
  snug__id *copy;         /* per old value: what the backward reads of a value that waited */
  snug__vec trips;        /* trip, in the order of need */
  bool *is_output;        /* per base value: some of it is read after the step */
} offloader;

static void release(offloader *o) {
  size_t n = o->g->values.n;
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->first_read, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->last_forward, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->trip_of, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->copy, n);
  SNUG_GIVE_ARRAY(o->g->ctx, SNUG__MEM_SCRATCH, o->is_output, n);
  snug__vec_release(&o->trips);
}

/* ---- who reads what, and when ---- */

static bool is_view(const snug__node *node) { return (node->op->flags & SNUG__OP_VIEW) != 0; }

static void note_reads(offloader *o, snug__id id) {
  const snug__node *node = snug__node_at(o->g, id);
  for (int32_t i = 0; i < node->n_in && !is_view(node); i++) {
    if (node->in[i] != SNUG_NONE) {
      snug__id base = snug__value_base(o->g, node->in[i]);
      if (o->first_read[base] == SNUG_NONE && node->backward) {
        o->first_read[base] = id;
      } else if (o->first_read[base] == SNUG_NONE) {
        o->last_forward[base] = id;
      }
    }
  }
}

static snug_status init(offloader *o, const snug__graph *g, int32_t reach) {
  size_t n = g->values.n;
  *o = (offloader){.g = g, .reach = reach ? reach : SNUG__OFFLOAD_REACH};
  snug__vec_init(&o->trips, g->ctx, SNUG__MEM_SCRATCH, sizeof(trip), UINT32_MAX - 1);
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->first_read));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->last_forward));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->trip_of));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->copy));
  SNUG_TRY(SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &o->is_output));
  memset(o->first_read, 0xFF, n * sizeof *o->first_read); /* SNUG_NONE */
  memset(o->last_forward, 0xFF, n * sizeof *o->last_forward);
  memset(o->trip_of, 0xFF, n * sizeof *o->trip_of);
  memset(o->copy, 0xFF, n * sizeof *o->copy);
  for (snug__id id = 0; id < g->nodes.n; id++) {
    note_reads(o, id);
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    o->is_output[snug__value_base(g, SNUG_VEC(&g->outputs, snug__id, i))] = true;
  }
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

/* The node that is so many steps behind `from` (in front of it for a step of -1), counting those
 * that something can be made to run after; SNUG_NONE if the graph ends before. */
static snug__id walk(const snug__graph *g, snug__id from, int32_t steps, int32_t step) {
  int64_t id = from;
  while (steps > 0) {
    id += step;
    if (id < 0 || id >= (int64_t)g->nodes.n) {
      return SNUG_NONE;
    }
    steps -= mark_of(g, (snug__id)id) != SNUG_NONE;
  }
  return (snug__id)id;
}

/* The way a value would go; false if it cannot. */
static bool plan_trip(const offloader *o, snug__id id, trip *t) {
  const snug__value *v = snug__value_at(o->g, id);
  if (v->view_of != SNUG_NONE || (v->kind != SNUG__TEMPORARY && v->kind != SNUG__INPUT) ||
      o->is_output[id] || o->first_read[id] == SNUG_NONE || snug__type_bytes(&v->type) == 0) {
    return false;
  }
  snug__id last = o->last_forward[id];
  *t = (trip){.value = id, .needed = o->first_read[id]};
  t->made = v->kind == SNUG__INPUT ? 0 : v->producer;
  if (snug__node_at(o->g, t->made)->backward) {
    return false;
  }
  t->written = walk(o->g, t->made, o->reach, 1);
  t->ahead = walk(o->g, t->needed, o->reach + 1, -1);
  if (t->written != SNUG_NONE && last != SNUG_NONE && last > t->written) {
    t->written = mark_of(o->g, last) == SNUG_NONE ? walk(o->g, last, 1, 1) : last;
  }
  return t->written != SNUG_NONE && t->ahead != SNUG_NONE && t->written < t->ahead;
}

static bool is_chosen(const offloader *o, const snug__offload *set, snug__id id) {
  return set->waits ? set->waits[id] : snug__type_bytes(snug__type_at(o->g, id)) >= set->least;
}

/* Values in the order in which the backward needs them: then they are asked for in that order. */
static snug_status plan_trips(offloader *o, const snug__offload *set) {
  int64_t offset = 0;
  for (snug__id node = 0; node < o->g->nodes.n; node++) {
    const snug__node *reader = snug__node_at(o->g, node);
    for (int32_t i = 0; i < reader->n_in; i++) {
      snug__id id = reader->in[i] == SNUG_NONE ? SNUG_NONE : snug__value_base(o->g, reader->in[i]);
      trip t;
      if (id == SNUG_NONE || o->first_read[id] != node || o->trip_of[id] != UINT32_MAX ||
          !is_chosen(o, set, id) || !plan_trip(o, id, &t)) {
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

static snug_status emit_behind(snug__rewrite *r, snug__id at) {
  const offloader *o = r->arg;
  for (size_t i = 0; i < o->trips.n; i++) {
    trip *t = &SNUG_VEC(&o->trips, trip, i);
    SNUG_TRY(t->made == at ? begin_write(r, t, at) : SNUG_OK);
    SNUG_TRY(t->written == at ? end_write(r, t, at) : SNUG_OK);
    SNUG_TRY(t->ahead == at ? begin_read(r, t, at) : SNUG_OK);
  }
  return SNUG_OK;
}

/* What a node reads for an old value: from the first reader in the backward on what was fetched,
 * and views of it where it read views. */
static snug_status value_for(snug__rewrite *r, snug__id value, snug__id at, snug__id *out) {
  const offloader *o = r->arg;
  snug__id base = value == SNUG_NONE ? SNUG_NONE : snug__value_base(r->from, value);
  *out = snug__rewritten(r, value);
  if (base == SNUG_NONE || o->trip_of[base] == UINT32_MAX || at < o->first_read[base]) {
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
  SNUG_TRY(init(o, g, set->reach));
  SNUG_TRY(plan_trips(o, set));
  SNUG_TRY(snug__rewrite_open(g, offload_node, o, out));
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

snug_status snug__offload_can(const snug__graph *g, int32_t reach, bool *can) {
  offloader o;
  snug_status s = init(&o, g, reach);
  for (snug__id id = 0; !s && id < g->values.n; id++) {
    trip t;
    can[id] = plan_trip(&o, id, &t);
  }
  release(&o);
  return s;
}
