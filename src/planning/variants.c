#include "planning/variants.h"

#include <math.h>
#include <string.h>

#include "base/size.h"

#define LARGE_PART 16 /* scratch that is more than such a part of the load is worth a variant, */
#define MOST_LEANER 3 /* so many times for one size of micro-batch */

static void release_variant(snug__variant *y) {
  snug__frontier_close(&y->frontier);
  snug__graph_destroy(y->step.graph);
  y->step = (snug__lowered){.graph = NULL};
}

void snug__variants_close(snug__variants *w) {
  for (int32_t i = 0; i < w->n; i++) {
    release_variant(&w->list[i]);
  }
  SNUG_GIVE_ARRAY(w->q->ctx, SNUG__MEM_PLAN, w->choice.policy, w->choice.n_values);
  snug__vec_release(&w->candidates);
  *w = (snug__variants){.q = w->q};
}

/* ---- what levers fix ---- */

/* Whether a comma-separated list names a layer: itself, or one that holds it ("a" of "a/b"). */
static bool names(const char *list, const char *layer) {
  for (const char *word = list; *word;
       word += strcspn(word, ",") + (word[strcspn(word, ",")] != 0)) {
    size_t n = strcspn(word, ",");
    if (n && strncmp(word, layer, n) == 0 && (layer[n] == '\0' || layer[n] == '/')) {
      return true;
    }
  }
  return false;
}

bool snug__planning_is_fixed(const snug_fit_options *options) {
  return options->recompute && strcmp(options->recompute, "auto") != 0;
}

static snug_status fix_cheap(const snug__graph *g, const snug__device *device, snug__policy *out) {
  snug__recipes recipes;
  bool *remade = NULL;
  snug_status s = snug__recipes_init(&recipes, g, device);
  s = s ? s : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &remade);
  s = s ? s : snug__recipes_cheap(&recipes, remade);
  for (snug__id v = 0; !s && v < g->values.n; v++) {
    out[v] = remade[v] ? SNUG__RECOMPUTED : SNUG__KEPT;
  }
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, remade, g->values.n);
  snug__recipes_release(&recipes);
  return s;
}

/* What a word of the levers says of the values of a graph. */
static snug_status fix(const snug__graph *g, const snug__device *device, const char *word,
                       snug__policy *out) {
  if (strcmp(word, "activations") == 0) {
    return fix_cheap(g, device, out);
  }
  for (snug__id v = 0; v < g->values.n; v++) {
    bool again = strcmp(word, "none") != 0 &&
                 (strcmp(word, "full") == 0 ||
                  names(word, snug__layer_name(g, snug__value_at(g, v)->layer)));
    out[v] = again ? SNUG__RECOMPUTED : SNUG__KEPT;
  }
  return SNUG_OK;
}

/* ---- one variant ---- */

static snug_status lower(const snug__variants *w, snug__variant *y) {
  const snug__planning_subject *t = &w->q->target;
  SNUG_TRY(t->lower(t->user, y->micro, y->most_scratch, &y->step));
  y->n_lean = 0;
  for (snug__id id = 0; id < y->step.graph->nodes.n; id++) {
    y->n_lean += snug__node_at(y->step.graph, id)->kernel > 0;
  }
  y->n_values = y->step.graph->values.n;
  return SNUG_OK;
}

/* Search a variant that is lowered: by what its kernels take, or by guesses alone (room < 0). */
static snug_status search(const snug__variants *w, snug__variant *y, int64_t room,
                          snug__policy *fixed, double *seconds, double *again) {
  const snug__question *q = w->q;
  const snug__planning_subject *t = &q->target;
  const snug_fit_options *options = q->options;
  bool is_guess = room < 0;
  bool is_quick = is_guess || y != w->list; /* the others are taken for their bytes */
  bool is_fixed = snug__planning_is_fixed(options);
  SNUG_TRY(is_fixed ? fix(y->step.graph, t->device, options->recompute, fixed) : SNUG_OK);
  SNUG_TRY(t->time(t->user, &y->step, is_guess, room, seconds, again));
  SNUG_TRY(snug__frontier_open(&y->frontier, y->step.graph, t->device, seconds, again,
                               options->allow_disk ? &q->disk : NULL, is_fixed ? fixed : NULL,
                               is_quick));
  y->seconds = y->frontier.problem.total;
  return SNUG_OK;
}

static snug_status search_variant(const snug__variants *w, snug__variant *y, int64_t room) {
  snug_ctx *ctx = w->q->ctx;
  size_t n = y->step.graph->nodes.n;
  snug__policy *fixed = NULL;
  double *seconds = NULL;
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, y->n_values, &fixed);
  s = s ? s : SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &seconds);
  s = s ? s : search(w, y, room, fixed, seconds, seconds + n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, seconds, 2 * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, fixed, y->n_values);
  return s;
}

/* ---- the least ---- */

/* The slots of the least live in a file where that saves anything. */
static bool saves_slots(const snug__question *q) { return q->slots_saved > snug__store_cost(); }

static snug_status keep_least(snug__variants *w, const snug__variant *y, size_t i, int64_t bytes) {
  const snug__outcome *o = &SNUG_VEC(&y->frontier.points, snug__frontier_point, i).outcome;
  const uint64_t slots = saves_slots(w->q) ? (uint64_t)w->q->slots_bytes : 0;
  snug__step_choice *c = &w->choice;
  SNUG_GIVE_ARRAY(w->q->ctx, SNUG__MEM_PLAN, c->policy, c->n_values);
  *c = (snug__step_choice){
      .micro = y->micro, .most_scratch = y->most_scratch, .slots = saves_slots(w->q)};
  SNUG_TRY(SNUG_NEW_ARRAY(w->q->ctx, SNUG__MEM_PLAN, y->n_values, &c->policy));
  memcpy(c->policy, SNUG_VEC(&y->frontier.points, snug__frontier_point, i).policy, y->n_values);
  c->n_values = y->n_values;
  w->least = (int32_t)(y - w->list);
  w->least_bytes = bytes;
  w->least_point = (snug_plan_point){.micro_batch = y->micro ? y->micro : w->q->batch,
                                     .recomputed = o->n_again,
                                     .direct = y->n_lean - w->list[y->plain].n_lean,
                                     .on_disk = (uint64_t)o->on_disk + slots,
                                     .slots = slots};
  return SNUG_OK;
}

/* The last points of a frontier have the least load, and no block is smaller than its load. */
static snug_status look_for_least(snug__variants *w, snug__variant *y) {
  for (size_t i = y->frontier.points.n; i-- > 0;) {
    const snug__outcome *o = &SNUG_VEC(&y->frontier.points, snug__frontier_point, i).outcome;
    int64_t height = 0;
    if (o->load == INT64_MAX || y->step.beside + snug__outcome_bytes(o) >= w->least_bytes) {
      break;
    }
    SNUG_TRY(snug__frontier_height(&y->frontier, i, &height));
    int64_t bytes = y->step.beside + height + (o->on_disk ? snug__store_cost() : 0);
    SNUG_TRY(bytes < w->least_bytes ? keep_least(w, y, i, bytes) : SNUG_OK);
  }
  return SNUG_OK;
}

/* The most scratch that a point has at its peak, where it is a large part of that; else 0. */
static int64_t large_scratch(const snug__variant *y) {
  int64_t most = 0;
  for (size_t i = 0; i < y->frontier.points.n; i++) {
    const snug__outcome *o = &SNUG_VEC(&y->frontier.points, snug__frontier_point, i).outcome;
    if (o->scratch > (y->step.beside + o->load) / LARGE_PART) {
      most = snug__max_i64(most, o->scratch);
    }
  }
  return most;
}

/* Look at one more variant.  What it holds is given back: another one will be looked at.  *scratch:
 * what a leaner one should have less of, or 0; -1: the variant changes no kernel and is none. */
static snug_status add_variant(snug__variants *w, int64_t micro, int64_t most_scratch,
                               int64_t *scratch) {
  snug__variant *y = &w->list[w->n];
  bool is_leaner = most_scratch > 0;
  const uint64_t before = w->q->ctx->account.total;
  *y = (snug__variant){.micro = micro,
                       .most_scratch = most_scratch,
                       .plain = is_leaner ? w->list[w->n - 1].plain : w->n};
  *scratch = -1;
  w->n++;
  SNUG_TRY(lower(w, y));
  if (is_leaner && y->n_lean <= y[-1].n_lean) {
    release_variant(y);
    w->n--;
    return SNUG_OK;
  }
  SNUG_TRY(search_variant(w, y, -1));
  SNUG_TRY(look_for_least(w, y));
  *scratch = large_scratch(y);
  w->search_bytes += w->q->ctx->account.total - before;
  release_variant(y);
  w->q->target.release(w->q->target.user); /* kernels of one variant are those of no other */
  return SNUG_OK;
}

static snug_status add_size(snug__variants *w, int64_t micro) {
  int64_t scratch = 0;
  SNUG_TRY(add_variant(w, micro < w->q->batch ? micro : 0, 0, &scratch));
  for (int i = 0;
       i < MOST_LEANER && scratch > 0 && w->q->may_save_scratch && w->n < SNUG__MOST_VARIANTS;
       i++) {
    SNUG_TRY(add_variant(w, w->list[w->n - 1].micro, scratch / 2 + 1, &scratch));
  }
  return SNUG_OK;
}

/* The whole batch, its half, its quarter, ...; or what is fixed. */
snug_status snug__variants_open(snug__variants *w, const snug__question *q) {
  int64_t micro = q->options->micro_batch;
  *w = (snug__variants){.q = q, .least_bytes = INT64_MAX};
  snug__vec_init(&w->candidates, q->ctx, SNUG__MEM_SCRATCH, sizeof(snug__candidate), UINT32_MAX);
  SNUG_TRY(add_size(w, micro ? micro : q->batch));
  for (int64_t m = q->batch; !micro && q->may_split && m > 1 && w->n < SNUG__MOST_VARIANTS;) {
    m = snug__ceil_div(m, 2);
    SNUG_TRY(add_size(w, m));
  }
  return SNUG_OK;
}

/* ---- candidates ---- */

/* Timings of small calls are less sure than those of large ones, and micro-batches and other
 * kernels round otherwise.  So no candidate counts as faster than the usual plan, and none in
 * micro-batches or with leaner kernels as faster than the fastest one without: they are taken for
 * their bytes alone.  A variant that seems to be is slower by the same seconds in all of its
 * candidates: what they cost beside each other is known as well as ever. */
#define DOUBT 0.03 /* for each time that the batch is halved, and for leaner kernels */

static double fastest_of(const snug__variant *y) {
  return y->step.repeats * SNUG_VEC(&y->frontier.points, snug__frontier_point, 0).outcome.seconds;
}

static double doubt_of(const snug__variants *w, const snug__variant *y) {
  const double whole = fastest_of(&w->list[0]);
  const double halvings = log2(y->step.repeats / w->list[0].step.repeats);
  const double doubts = halvings + (y->most_scratch > 0 ? 1.0 : 0.0);
  return fmax(whole * (1.0 + DOUBT * doubts) - fastest_of(y), 0.0);
}

static void find_doubts(snug__variants *w) {
  const snug__variant *whole = &w->list[0];
  bool is_fixed = snug__planning_is_fixed(w->q->options);
  w->usual = is_fixed ? 0.0 : whole->step.repeats * whole->frontier.usual.seconds;
  for (int32_t i = 0; i < w->n; i++) {
    w->list[i].doubt = doubt_of(w, &w->list[i]);
  }
}

/* No transfer of slots is taken to go on beside anything: that depends on where the updates stand.
 */
double snug__variants_slot_seconds(const snug__variants *w) {
  return (w->q->disk.write + w->q->disk.read) * (double)w->q->slots_bytes;
}

/* All candidates have what is not saved in common; so it counts for those that do not save it. */
static snug__candidate candidate_of(const snug__variants *w, int32_t variant, size_t i,
                                    bool slots) {
  const snug__variant *y = &w->list[variant];
  const snug__outcome *o = &SNUG_VEC(&y->frontier.points, snug__frontier_point, i).outcome;
  return (snug__candidate){.variant = variant,
                           .at = i,
                           .slots = slots,
                           .load = y->step.beside + snug__outcome_bytes(o) +
                                   (slots ? snug__store_cost() : w->q->slots_saved),
                           .seconds = fmax(y->step.repeats * o->seconds + y->doubt, w->usual) +
                                      (slots ? snug__variants_slot_seconds(w) : 0.0)};
}

/* How far the merge has come in each variant, without slots in a file and with them. */
typedef struct heads {
  size_t at[2][SNUG__MOST_VARIANTS];
} heads;

static bool comes_before(const snug__candidate *a, const snug__candidate *b) {
  return a->seconds < b->seconds || (a->seconds == b->seconds && a->load < b->load);
}

/* The fastest candidate that is left; false: there is none.  Each frontier has its fastest first.
 */
static bool next_candidate(const snug__variants *w, heads *h, snug__candidate *out) {
  size_t *from = NULL;
  for (int slots = 0; slots <= (w->q->slots_saved > 0); slots++) {
    for (int32_t k = 0; k < w->n; k++) {
      size_t *at = &h->at[slots][k];
      if (*at < w->list[k].frontier.points.n) {
        snug__candidate one = candidate_of(w, k, *at, slots);
        if (!from || comes_before(&one, out)) {
          *out = one;
          from = at;
        }
      }
    }
  }
  if (from) {
    (*from)++;
  }
  return from != NULL;
}

/* Those of all variants, without those that one as fast or faster is smaller than.  Behind them
 * stands the least, which the search by seconds may have missed. */
static snug_status merge(snug__variants *w, size_t least) {
  heads h = {0};
  snug__candidate one, last = {.load = INT64_MAX};
  const snug__candidate end = candidate_of(w, w->least, least, w->choice.slots);
  while (next_candidate(w, &h, &one)) {
    bool is_smaller = one.load < last.load && one.load > end.load && one.seconds < end.seconds;
    if (is_smaller) {
      w->candidates.n -= w->candidates.n > 0 && one.seconds == last.seconds;
      SNUG_TRY(snug__vec_push(&w->candidates, &one, 1));
      last = one;
    }
  }
  return snug__vec_push(&w->candidates, &end, 1);
}

snug_status snug__variants_search(snug__variants *w, int64_t room) {
  const snug__planning_subject *t = &w->q->target;
  for (int32_t i = 0; i < w->n; i++) {
    snug__variant *y = &w->list[i];
    SNUG_TRY(lower(w, y));
    SNUG_TRY(search_variant(w, y, room));
    t->release(t->user);
  }
  find_doubts(w);
  size_t least = 0;
  SNUG_TRY(snug__frontier_add(&w->list[w->least].frontier, w->choice.policy, &least));
  return merge(w, least);
}

/* Time a variant alone, with a policy: seconds of a step, and without recomputing anything. */
static snug_status time_policy(const snug__variants *w, snug__variant *y, int64_t room,
                               const snug__policy *policy, double *seconds, double *none) {
  const snug__planning_subject *t = &w->q->target;
  const size_t n = y->step.graph->nodes.n;
  double *each = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(w->q->ctx, SNUG__MEM_SCRATCH, 2 * n, &each));
  snug_status s = t->time(t->user, &y->step, false, room, each, each + n);
  s = s ? s
        : snug__frontier_open(&y->frontier, y->step.graph, t->device, each, each + n, NULL, policy,
                              true);
  *seconds = s ? 0.0 : y->step.repeats * y->frontier.usual.seconds;
  *none = s ? 0.0 : y->step.repeats * y->frontier.problem.total;
  SNUG_GIVE_ARRAY(w->q->ctx, SNUG__MEM_SCRATCH, each, 2 * n);
  return s;
}

static snug_status price_usual(const snug__variants *w, snug__variant *y, int64_t room,
                               double *seconds, double *none) {
  snug__policy *cheap = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(w->q->ctx, SNUG__MEM_SCRATCH, y->n_values, &cheap));
  snug_status s = fix_cheap(y->step.graph, w->q->target.device, cheap);
  s = s ? s : time_policy(w, y, room, cheap, seconds, none);
  SNUG_GIVE_ARRAY(w->q->ctx, SNUG__MEM_SCRATCH, cheap, y->n_values);
  return s;
}

snug_status snug__variants_price(snug__variants *w, int64_t room, double *least, double *usual) {
  const snug__planning_subject *t = &w->q->target;
  snug__variant *whole = &w->list[0];
  snug__variant *y = &w->list[w->least];
  double none = 0.0;
  SNUG_TRY(lower(w, whole));
  snug_status s = price_usual(w, whole, room, usual, &none);
  const double repeats = whole->step.repeats;
  release_variant(whole);
  t->release(t->user);
  SNUG_TRY(s);
  SNUG_TRY(lower(w, y));
  s = time_policy(w, y, room, w->choice.policy, least, &none);
  const double halvings = log2(y->step.repeats / repeats);
  release_variant(y);
  const double doubts = halvings + (y->most_scratch > 0 ? 1.0 : 0.0);
  *least = fmax(*least + fmax(*usual * (1.0 + DOUBT * doubts) - none, 0.0), *usual);
  *least += w->choice.slots ? snug__variants_slot_seconds(w) : 0.0;
  return s;
}

snug_status snug__variants_bytes(snug__variants *w, size_t i, int64_t *out) {
  const snug__candidate *c = &SNUG_VEC(&w->candidates, snug__candidate, i);
  snug__variant *y = &w->list[c->variant];
  SNUG_TRY(snug__frontier_height(&y->frontier, c->at, out));
  *out += y->step.beside;
  return SNUG_OK;
}

void snug__variants_settle(snug__variants *w) {
  for (int32_t i = 0; i < w->n; i++) {
    snug__frontier_settle(&w->list[i].frontier);
    snug__graph_destroy(w->list[i].step.graph);
    w->list[i].step.graph = NULL;
  }
}
