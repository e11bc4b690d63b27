/* A step without running it: when each value is alive, and how many bytes are at each moment. */
#include <math.h>
#include <string.h>

#include "base/ctx.h"
#include "planning/problem.h"
#include "planning/wait.h"

void snug__simulation_release(snug__simulation *s) {
  if (!s->p) {
    return;
  }
  snug_ctx *ctx = s->p->g->ctx;
  size_t n = s->p->g->values.n;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->first, 3 * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->end, 3 * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->forward_end, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->start, 3 * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->own_first, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->read_at, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->made_at, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->made, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->needed, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->passing, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->steps, s->room);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->load, s->room + 1);
  snug__waits_release(s);
  *s = (snug__simulation){0};
}

static snug_status allocate(snug__simulation *s) {
  snug_ctx *ctx = s->p->g->ctx;
  size_t n = s->p->g->values.n;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 3 * n, &s->first));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 3 * n, &s->end));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->forward_end));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 3 * n, &s->start));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->own_first));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->read_at));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->made_at));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->made));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->needed));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->passing));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->room, &s->steps));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->room + 1, &s->load));
  return snug__waits_allocate(s);
}

/* ---- instances ---- */

static size_t n_values(const snug__simulation *s) { return s->p->g->values.n; }

/* The instance that is read for a value now, in the backward.  What waits is followed as if it were
 * kept; its life is cut in two when all else is known. */
static size_t instance(const snug__simulation *s, snug__id value) {
  size_t kind = !snug__is_recomputed(s->choice[value]) ? 0 : s->made[value] ? 1 : 2;
  return s->p->base[value] + kind * n_values(s);
}

static bool is_there(const snug__simulation *s, snug__id value) {
  return !snug__is_recomputed(s->choice[value]) || s->made[value] ||
         s->made_at[value] == s->request;
}

static void touch(snug__simulation *s, size_t instance_) {
  if (!s->end[instance_]) {
    s->first[instance_] = (uint32_t)s->n_steps;
  }
  s->end[instance_] = (uint32_t)s->n_steps + 1;
}

static void touch_read(snug__simulation *s, snug__span in) {
  for (int32_t i = 0; i < in.n; i++) {
    touch(s, instance(s, in.ids[i]));
    snug__waits_note_read(s, s->p->base[in.ids[i]]);
  }
  s->work += in.n;
}

static void touch_in_forward(snug__simulation *s, snug__span span) {
  for (int32_t i = 0; i < span.n; i++) {
    snug__id base = s->p->base[span.ids[i]];
    touch(s, base);
    s->forward_end[base] = (uint32_t)s->n_steps + 1;
    snug__waits_note_forward(s, base);
  }
  s->work += span.n;
}

static void touch_made(snug__simulation *s, snug__span out) {
  for (int32_t k = 0; k < out.n; k++) {
    touch(s, s->p->base[out.ids[k]]);
  }
}

/* ---- recomputing ---- */

static void add_life(snug__simulation *s, size_t instance_, int64_t bytes) {
  if (s->end[instance_]) {
    s->load[s->first[instance_]] += bytes;
    s->load[s->end[instance_]] -= bytes;
  }
}

static void begin_request(snug__simulation *s, snug__span in) {
  s->request++;
  for (int32_t i = 0; i < in.n; i++) {
    s->read_at[in.ids[i]] = s->request;
  }
}

/* What was made in passing dies with the request. */
static void end_request(snug__simulation *s) {
  for (size_t i = 0; i < s->n_passing; i++) {
    size_t instance_ = 2 * n_values(s) + s->passing[i];
    add_life(s, instance_, s->p->bytes[s->passing[i]]);
    s->end[instance_] = 0;
  }
  s->n_passing = 0;
}

static void mark_made(snug__simulation *s, snug__id value) {
  if (s->choice[value] == SNUG__RECOMPUTED_IN_PASSING && s->read_at[value] != s->request) {
    s->made_at[value] = s->request;
    if (s->p->base[value] == value) {
      s->passing[s->n_passing++] = value;
    }
  } else {
    s->made[value] = true;
  }
}

/* What a recipe leaves: the value, or all outputs of the node that are to be recomputed. */
static void leave(snug__simulation *s, snug__id value) {
  const snug__recipe *r = &s->p->recipes.of[value];
  const snug__node *node = r->again == SNUG_NONE ? NULL : snug__node_at(s->p->g, r->again);
  if (!node) {
    mark_made(s, value);
    touch(s, instance(s, value));
  }
  for (int32_t k = 0; node && k < node->n_out; k++) {
    snug__id v = node->out[k];
    if (v != SNUG_NONE && !is_there(s, v)) {
      mark_made(s, v);
      touch(s, instance(s, v));
    }
  }
}

static void make(snug__simulation *s, snug__id value);

static void make_all(snug__simulation *s, snug__span in) {
  for (int32_t i = 0; i < in.n; i++) {
    if (!is_there(s, in.ids[i])) {
      make(s, in.ids[i]);
    }
  }
}

static void make(snug__simulation *s, snug__id value) {
  make_all(s, s->p->ingredients[value]);
  if (s->p->recipes.of[value].op->flags & SNUG__OP_VIEW) {
    mark_made(s, value);
    return;
  }
  if (s->n_steps + s->p->g->nodes.n >= s->room) { /* no good choice comes near */
    return;
  }
  touch_read(s, s->p->ingredients[value]);
  leave(s, value);
  s->again += s->p->again_seconds[value];
  s->n_again++;
  s->steps[s->n_steps++] = (snug__id)s->p->g->nodes.n + value;
}

/* ---- before a variable changes ---- */

static void need(snug__simulation *s, snug__span in) {
  for (int32_t i = 0; i < in.n; i++) {
    s->needed[in.ids[i]] |= snug__is_recomputed(s->choice[in.ids[i]]);
  }
  s->work += in.n;
}

/* Producers stand before their readers, so one walk back finds all. */
static void mark_needed(snug__simulation *s) {
  const snug__problem *p = s->p;
  memset(s->needed, 0, n_values(s));
  for (size_t i = 0; i < p->n_made; i++) {
    snug__id v = p->made[i];
    if (snug__is_recomputed(s->choice[v]) && (p->is_read[v] || s->needed[v])) {
      s->needed[v] = true;
      need(s, p->ingredients[v]);
    }
  }
}

static void make_early(snug__simulation *s, snug__id id) {
  for (uint32_t i = s->p->early_start[id]; i < s->p->early_start[id + 1]; i++) {
    snug__id v = SNUG_VEC(&s->p->early, snug__id, i);
    if (snug__is_recomputed(s->choice[v]) && s->needed[v] && !s->made[v]) {
      begin_request(s, (snug__span){&v, 1});
      make(s, v);
      end_request(s);
    }
  }
}

/* ---- the walk ---- */

static void note_own_reads(snug__simulation *s, snug__span in) {
  for (int32_t i = 0; i < in.n; i++) {
    if (!s->own_first[s->p->base[in.ids[i]]]) {
      s->own_first[s->p->base[in.ids[i]]] = (uint32_t)s->n_steps;
    }
  }
}

static void run_node(snug__simulation *s, snug__id id) {
  const snug__span in = s->p->ins[id];
  make_early(s, id);
  if (s->p->backward[id]) {
    begin_request(s, in);
    make_all(s, in);
    note_own_reads(s, in);
    touch_read(s, in);
    touch_made(s, s->p->outs[id]);
    end_request(s);
  } else {
    touch_in_forward(s, in);
    touch_in_forward(s, s->p->outs[id]);
  }
  s->steps[s->n_steps++] = id;
}

/* ---- the start ---- */

/* Weights that are brought in another order for the backward read nothing that counts. */
static bool is_alike(const snug__problem *p, snug__id id) {
  return (!p->backward[id] || p->ins[id].n == 0) && p->early_start[id] == p->early_start[id + 1];
}

static void walk_start(snug__simulation *s) {
  const snug__problem *p = s->p;
  size_t n = n_values(s);
  while (s->n_steps < p->g->nodes.n && is_alike(p, p->order[s->n_steps])) {
    run_node(s, p->order[s->n_steps]);
  }
  memcpy(s->start, s->first, n * sizeof *s->start);
  memcpy(s->start + n, s->end, n * sizeof *s->start);
  memcpy(s->start + 2 * n, s->forward_end, n * sizeof *s->start);
  s->n_start = s->n_steps;
  s->start_work = s->work;
}

snug_status snug__simulation_open(snug__simulation *s, const snug__problem *p) {
  *s = (snug__simulation){.p = p, .room = p->g->nodes.n + 2 * p->g->values.n};
  snug_status status = allocate(s);
  if (status) {
    snug__simulation_release(s);
  } else {
    walk_start(s);
  }
  return status;
}

static void restart(snug__simulation *s) {
  size_t n = n_values(s);
  memcpy(s->first, s->start, n * sizeof *s->first);
  memcpy(s->end, s->start + n, n * sizeof *s->end);
  memset(s->end + n, 0, 2 * n * sizeof *s->end);
  memcpy(s->forward_end, s->start + 2 * n, n * sizeof *s->forward_end);
  memset(s->own_first, 0, n * sizeof *s->own_first);
  memset(s->read_at, 0, n * sizeof *s->read_at);
  memset(s->made_at, 0, n * sizeof *s->made_at);
  memset(s->made, 0, n * sizeof *s->made);
  memset(s->load, 0, (s->n_steps + 1) * sizeof *s->load); /* the last walk's */
  s->n_steps = s->n_start;
  s->work += s->start_work;
  s->n_passing = 0;
  s->n_again = 0;
  s->again = 0.0;
  s->request = 0;
  snug__waits_restart(s);
}

static void walk(snug__simulation *s) {
  const snug__graph *g = s->p->g;
  for (size_t i = s->n_start; i < g->nodes.n; i++) {
    run_node(s, s->p->order[i]);
  }
  for (size_t i = 0; i < s->p->n_inputs; i++) {
    s->first[s->p->inputs[i]] = 0;
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    s->end[s->p->base[SNUG_VEC(&g->outputs, snug__id, i)]] = (uint32_t)s->n_steps;
  }
}

/* ---- bytes ---- */

static void add_lives(snug__simulation *s) {
  const snug__problem *p = s->p;
  for (size_t i = 0; i < p->n_placed; i++) {
    add_life(s, p->placed[i], p->bytes[p->placed[i]]);
    add_life(s, n_values(s) + p->placed[i], p->bytes[p->placed[i]]);
  }
  for (size_t i = 1; i <= s->n_steps; i++) {
    s->load[i] += s->load[i - 1];
  }
}

/* Whether output k of a node takes over the memory of an input that dies with it. */
static bool takes_over(const snug__simulation *s, const snug__node *node, const snug__needs *needs,
                       int32_t k, size_t position) {
  int64_t bytes = s->p->bytes[node->out[k]];
  for (int32_t i = 0; needs->in_place[k] >> i && i < node->n_in; i++) {
    if (needs->in_place[k] >> i & 1 && node->in[i] != SNUG_NONE) {
      snug__id base = s->p->base[node->in[i]];
      size_t donor = node->backward ? instance(s, node->in[i]) : base;
      donor = snug__waits_instance(s, base, donor, position);
      if (s->end[donor] == position + 1 && s->p->bytes[base] == bytes) {
        return true;
      }
    }
  }
  return false;
}

static void take_over(snug__simulation *s, snug__id id, size_t position) {
  const snug__node *node = snug__node_at(s->p->g, id);
  const snug__needs *needs = &s->p->needs[id];
  for (int32_t k = 0; k < node->n_out; k++) {
    if (needs->in_place[k] && node->out[k] != SNUG_NONE && s->p->bytes[node->out[k]] &&
        takes_over(s, node, needs, k, position)) {
      s->load[position] -= s->p->bytes[node->out[k]];
    }
  }
}

/* Outputs of a node that is run again for the sake of others. */
static int64_t unwanted_bytes(const snug__simulation *s, snug__id value) {
  snug__id again = s->p->recipes.of[value].again;
  const snug__node *node = again == SNUG_NONE ? NULL : snug__node_at(s->p->g, again);
  int64_t bytes = 0;
  for (int32_t k = 0; node && k < node->n_out; k++) {
    bytes += node->out[k] == SNUG_NONE || snug__is_recomputed(s->choice[node->out[k]])
                 ? 0
                 : s->p->bytes[node->out[k]];
  }
  return bytes;
}

static void add_steps(snug__simulation *s) {
  snug__id n_nodes = (snug__id)s->p->g->nodes.n;
  for (size_t i = 0; i < s->n_steps; i++) {
    if (s->steps[i] < n_nodes) {
      s->load[i] += s->p->scratch[s->steps[i]];
      if (s->p->takes_over[s->steps[i]]) {
        take_over(s, s->steps[i], i);
      }
    } else {
      snug__id value = s->steps[i] - n_nodes;
      s->load[i] += s->p->again_scratch[value] + unwanted_bytes(s, value);
    }
  }
}

static int64_t scratch_at(const snug__simulation *s, size_t position) {
  snug__id n_nodes = (snug__id)s->p->g->nodes.n;
  snug__id step = s->steps[position];
  return step < n_nodes ? s->p->scratch[step] : s->p->again_scratch[step - n_nodes];
}

snug__outcome snug__simulate(snug__simulation *s, const snug__policy *choice) {
  snug__outcome o = {0};
  s->choice = choice;
  restart(s);
  mark_needed(s);
  walk(s);
  o.on_disk = snug__waits_plan(s);
  add_lives(s);
  add_steps(s);
  for (size_t i = 0; i < s->n_steps; i++) {
    if (s->load[i] > o.load) {
      o.load = s->load[i];
      o.peak = i;
    }
  }
  o.scratch = s->n_steps ? scratch_at(s, o.peak) : 0;
  s->work += (int64_t)s->n_steps;
  o.load = s->n_steps + s->p->g->nodes.n >= s->room ? INT64_MAX : o.load;
  o.again = s->again;
  o.n_again = s->n_again;
  o.waiting = s->n_trips ? fmax(snug__waits_seconds(s) - s->p->total - s->again, 0.0) : 0.0;
  o.seconds = s->p->total + s->again + o.waiting;
  return o;
}
