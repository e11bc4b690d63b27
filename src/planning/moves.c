#include "planning/moves.h"

#include <math.h>
#include <string.h>

#include "base/ctx.h"

#define TRIED 12        /* candidates of a kind that are tried first */
#define LEAST_PART 4096 /* smaller parts of the load are not worth a move */
#define MOST_PRUNED 96  /* values that are tried to be kept again at a level */

static size_t n_values(const snug__searcher *s) { return s->p->g->values.n; }

void snug__searcher_release(snug__searcher *s) {
  snug_ctx *ctx = s->p->g->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->choice, n_values(s));
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->tried, n_values(s));
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->best, n_values(s));
  snug__simulation_release(&s->now);
  snug__simulation_release(&s->trial);
}

snug_status snug__searcher_init(snug__searcher *s, const snug__problem *p) {
  snug_ctx *ctx = p->g->ctx;
  *s = (snug__searcher){.p = p};
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n_values(s), &s->choice));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n_values(s), &s->tried));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n_values(s), &s->best));
  SNUG_TRY(snug__simulation_open(&s->now, p));
  return snug__simulation_open(&s->trial, p);
}

void snug__searcher_start(snug__searcher *s, int64_t work) {
  s->work = work;
  s->now.work = s->trial.work = 0;
}

int64_t snug__searcher_work(const snug__searcher *s) { return s->now.work + s->trial.work; }

bool snug__searcher_is_spent(const snug__searcher *s) { return snug__searcher_work(s) >= s->work; }

void snug__searcher_go(snug__searcher *s, const snug__policy *choice) {
  memcpy(s->choice, choice, n_values(s));
  s->at = snug__simulate(&s->now, s->choice);
}

/* ---- candidates ---- */

static bool is_alive(const snug__searcher *s, size_t instance) {
  return s->now.first[instance] <= s->at.peak && s->at.peak < s->now.end[instance];
}

/* Whether the original of a value lies idle at the peak, between forward and backward. */
static bool can_drop(const snug__searcher *s, snug__id v) {
  return !s->is_fixed && s->choice[v] == SNUG__KEPT && s->p->recipes.of[v].op && is_alive(s, v) &&
         s->now.forward_end[v] <= s->at.peak;
}

/* Whether a choice is one of those that may be changed. */
static bool is_free(const snug__searcher *s, snug__id v) {
  return s->p->base[v] == v && (!s->is_fixed || snug__is_waiting(s->choice[v]));
}

static bool can_return(const snug__searcher *s, snug__id v) {
  return s->choice[v] != SNUG__KEPT && is_free(s, v) && is_alive(s, n_values(s) + v);
}

/* Whether a copy was made for another value and waits for its own readers at the peak. */
static bool can_pass(const snug__searcher *s, snug__id v) {
  return s->choice[v] == SNUG__RECOMPUTED && can_return(s, v) && s->now.own_first[v] > s->at.peak;
}

/* Whether a value that is kept lies idle at the peak, and may wait in the file. */
static bool can_wait(const snug__searcher *s, snug__id v) {
  return s->may_wait && s->p->can_wait[v] && s->choice[v] == SNUG__KEPT && is_alive(s, v) &&
         s->now.last_forward[v] < s->at.peak && s->now.first_backward[v] > s->at.peak + 1;
}

/* Whether it waits, but has memory at the peak because it is moved beside other nodes. */
static bool can_hurry(const snug__searcher *s, snug__id v) {
  return s->choice[v] == SNUG__WAITING_BESIDE && (is_alive(s, v) || is_alive(s, n_values(s) + v));
}

/* Keep the most promising ones. */
static void consider(snug__moves *c, snug__move one) {
  const double worth = one.worth;
  if (c->n == c->most && worth <= c->list[c->n - 1].worth) {
    return;
  }
  size_t i = c->n < c->most ? c->n++ : c->n - 1;
  for (; i > 0 && c->list[i - 1].worth < worth; i--) {
    c->list[i] = c->list[i - 1];
  }
  c->list[i] = one;
}

static snug__move change(const snug__searcher *s, snug__id v, snug__policy to, double worth) {
  return (snug__move){.value = v, .from = s->choice[v], .to = to, .worth = worth};
}

/* All bytes take as long to be moved: the largest value is the best. */
static void consider_waits(snug__searcher *s, snug__id v) {
  double bytes = (double)s->p->bytes[v];
  if (can_wait(s, v)) {
    consider(&s->waits, change(s, v, SNUG__WAITING_BESIDE, bytes));
  }
  if (can_wait(s, v) || can_hurry(s, v)) {
    consider(&s->waits, change(s, v, SNUG__WAITING, bytes));
  }
}

static void find_candidates(snug__searcher *s, size_t most) {
  int64_t least = s->at.load / LEAST_PART;
  double tick = s->p->total * 1e-6; /* nothing is quite free */
  s->drops = s->returns = s->passes = s->waits = (snug__moves){.most = most};
  for (snug__id v = 0; v < n_values(s); v++) {
    if (s->p->bytes[v] < least) {
      continue;
    }
    double bytes = (double)s->p->bytes[v];
    double rate = bytes / (s->p->again_seconds[v] + tick);
    if (can_drop(s, v)) {
      consider(&s->drops, change(s, v, SNUG__RECOMPUTED, rate));
    }
    if (can_return(s, v)) {
      consider(&s->returns, change(s, v, SNUG__KEPT, bytes));
    }
    if (can_pass(s, v)) {
      consider(&s->passes, change(s, v, SNUG__RECOMPUTED_IN_PASSING, rate));
    }
    consider_waits(s, v);
  }
  s->trial.work += (int64_t)n_values(s) / 8;
}

/* ---- moves ---- */

/* Drop a value in `tried`, and what it is made of where that would have to be kept for it alone. */
static void drop(snug__searcher *s, snug__id value) {
  const snug__recipe *r = &s->p->recipes.of[value];
  s->tried[value] = SNUG__RECOMPUTED;
  for (int32_t i = 0; i < r->n_in; i++) {
    snug__id u = r->in[i] == SNUG_NONE ? SNUG_NONE : s->p->base[r->in[i]];
    if (u != SNUG_NONE && s->p->bytes[u] && s->tried[u] == SNUG__KEPT && s->p->recipes.of[u].op &&
        !is_alive(s, u)) {
      drop(s, u);
    }
  }
}

/* What lies above the level, summed over time. */
static double excess(const snug__searcher *s, const snug__simulation *sim) {
  double sum = 0.0;
  for (size_t i = 0; i < sim->n_steps; i++) {
    sum += sim->load[i] > s->level ? (double)(sim->load[i] - s->level) : 0.0;
  }
  return sum;
}

/* How much excess a move takes away per second. */
static double score(double less, double seconds) {
  return less <= 0.0 ? -INFINITY : seconds <= 0.0 ? INFINITY : less / seconds;
}

static snug__outcome try_move(snug__searcher *s, snug__id value, snug__policy to) {
  memcpy(s->tried, s->choice, n_values(s));
  s->tried[value] = to;
  if (to == SNUG__RECOMPUTED && s->choice[value] == SNUG__KEPT) {
    drop(s, value);
  }
  snug__problem_close(s->p, s->tried);
  return snug__simulate(&s->trial, s->tried);
}

/* What a move is worth that is left in s->tried, beside an excess of so much without it. */
static double try_score(snug__searcher *s, const snug__move *c, double before) {
  snug__outcome o = try_move(s, c->value, c->to);
  return o.load == INT64_MAX ? -INFINITY
                             : score(before - excess(s, &s->trial), o.seconds - s->at.seconds);
}

/* Try all candidates of a kind; the best of all so far is left in s->best. */
static double try_all(snug__searcher *s, snug__moves *c, double before, double best) {
  for (size_t i = 0; i < c->n; i++) {
    c->list[i].score = snug__searcher_is_spent(s) ? -INFINITY : try_score(s, &c->list[i], before);
    if (c->list[i].score > best) {
      best = c->list[i].score;
      memcpy(s->best, s->tried, n_values(s));
    }
  }
  return best;
}

/* Its score; 0 or less: there is none. */
static double find_move(snug__searcher *s, size_t most) {
  double before = excess(s, &s->now);
  find_candidates(s, most);
  double best = try_all(s, &s->drops, before, -INFINITY);
  best = try_all(s, &s->passes, before, best);
  best = try_all(s, &s->waits, before, best);
  return try_all(s, &s->returns, before, best);
}

/* Networks repeat themselves: what was nearly as good as the best one mostly is so still. */
static void move_on(snug__searcher *s, const snug__moves *c, double best) {
  for (size_t i = 0; i < c->n && s->at.load > s->level && !snug__searcher_is_spent(s); i++) {
    const snug__move *one = &c->list[i];
    if (one->score >= s->nearly * best && s->choice[one->value] == one->from &&
        try_score(s, one, excess(s, &s->now)) >= s->nearly * best) {
      snug__searcher_go(s, s->tried);
    }
  }
}

bool snug__searcher_move(snug__searcher *s) {
  double best = find_move(s, TRIED);
  best = best > 0.0 ? best : find_move(s, SNUG__MOST_TRIED);
  if (!(best > 0.0)) {
    return false;
  }
  snug__searcher_go(s, s->best);
  move_on(s, &s->drops, best);
  move_on(s, &s->passes, best);
  move_on(s, &s->waits, best);
  return true;
}

/* ---- policy again ---- */

static double price(const snug__searcher *s, snug__id v) {
  return snug__is_waiting(s->choice[v])
             ? (s->p->disk.write + s->p->disk.read) * (double)s->p->bytes[v]
             : s->p->again_seconds[v];
}

/* The value that is not kept and comes next, the dearest first. */
static snug__id next_dearest(const snug__searcher *s, double below, snug__id after) {
  snug__id dearest = SNUG_NONE;
  double most = -1.0;
  for (snug__id v = 0; v < n_values(s); v++) {
    double seconds = price(s, v);
    bool is_next = seconds < below || (seconds == below && v > after);
    if (s->choice[v] != SNUG__KEPT && is_free(s, v) && is_next && seconds > most) {
      most = seconds;
      dearest = v;
    }
  }
  return dearest;
}

static bool try_cheaper(snug__searcher *s, snug__id v, snug__policy to) {
  snug__outcome o = try_move(s, v, to);
  if (o.load > s->level || o.seconds >= s->at.seconds) {
    return false;
  }
  snug__searcher_go(s, s->tried);
  return true;
}

/* Keep a value again, or have it in a cheaper way. */
static void take_back(snug__searcher *s, snug__id v) {
  snug__policy was = s->choice[v];
  bool is_better = try_cheaper(s, v, SNUG__KEPT) ||
                   (was == SNUG__RECOMPUTED_IN_PASSING && try_cheaper(s, v, SNUG__RECOMPUTED));
  if (is_better || !s->may_wait || !s->p->can_wait[v] || was == SNUG__WAITING_BESIDE) {
    return;
  }
  if (!try_cheaper(s, v, SNUG__WAITING_BESIDE) && was != SNUG__WAITING) {
    try_cheaper(s, v, SNUG__WAITING);
  }
}

void snug__searcher_prune(snug__searcher *s) {
  double below = INFINITY;
  snug__id v = 0;
  for (int i = 0; i < MOST_PRUNED && !snug__searcher_is_spent(s); i++) {
    v = next_dearest(s, below, v);
    if (v == SNUG_NONE) {
      return;
    }
    below = price(s, v);
    take_back(s, v);
  }
}
