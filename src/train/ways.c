#include "train/ways.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "train/calibrate.h"
#include "train/fit_memory.h"
#include "train/lower.h"
#include "train/micro_batches.h"
#include "train/slots.h"

bool snug__ways_fixed(const snug_levers *levers) {
  return levers->recompute && strcmp(levers->recompute, "auto") != 0;
}

void snug__ways_close(snug__ways *w) {
  for (int32_t i = 0; i < w->n_families; i++) {
    snug__frontier_close(&w->families[i].frontier);
    snug__graph_destroy(w->families[i].graph);
  }
  snug__vec_release(&w->list);
  *w = (snug__ways){0};
}

/* ---- what the levers fix ---- */

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

static snug_status check_names(const snug_model *m, const char *list) {
  for (const char *word = list; *word;) {
    size_t n = strcspn(word, ",");
    char name[SNUG__NAME_BYTES] = "";
    memcpy(name, word, n < sizeof name - 1 ? n : sizeof name - 1);
    if (!snug__model_find_layer(m, name)) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                        "recompute: \"%s\" is no layer of the model; auto, none, activations, full "
                        "and names of layers are known",
                        name);
    }
    word += n + (word[n] == ',');
  }
  return SNUG_OK;
}

static void keep_all_but(const snug__graph *g, const char *list, snug__keeping *out) {
  for (snug__id v = 0; v < g->values.n; v++) {
    out[v] =
        names(list, snug__layer_name(g, snug__value_at(g, v)->layer)) ? SNUG__REMADE : SNUG__KEPT;
  }
}

static bool is_list(const char *word) {
  static const char *const words[] = {"auto", "none", "full", "activations"};
  for (size_t i = 0; word && i < SNUG_COUNT(words); i++) {
    if (strcmp(word, words[i]) == 0) {
      return false;
    }
  }
  return word != NULL;
}

/* What a word fixes; false: nothing. */
static bool fix(const snug__graph *g, const char *word, snug__keeping *out) {
  if (!word || strcmp(word, "auto") == 0) {
    return false;
  }
  if (strcmp(word, "none") == 0 || strcmp(word, "full") == 0) {
    memset(out, strcmp(word, "full") == 0 ? SNUG__REMADE : SNUG__KEPT, g->values.n);
  } else {
    keep_all_but(g, word, out);
  }
  return true;
}

static snug_status fix_cheap(const snug__graph *g, const snug__device *device, snug__keeping *out) {
  snug__recipes recipes;
  bool *remade = NULL;
  snug_status s = snug__recipes_init(&recipes, g, device);
  s = s ? s : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, g->values.n, &remade);
  s = s ? s : snug__recipes_cheap(&recipes, remade);
  for (snug__id v = 0; !s && v < g->values.n; v++) {
    out[v] = remade[v] ? SNUG__REMADE : SNUG__KEPT;
  }
  SNUG_GIVE_ARRAY(g->ctx, SNUG__MEM_SCRATCH, remade, g->values.n);
  snug__recipes_release(&recipes);
  return s;
}

/* ---- a family ---- */

snug_status snug__family_build(snug__family *y, const snug__fit *f) {
  bool weighted = f->train.data->sample_weight || f->train.class_weight;
  const snug__kernel_rules rules = {y->most_scratch, snug__fit_rules(f->model).fixed};
  SNUG_TRY(snug__step_build(f->model, y->micro ? SNUG__STEP_TRAIN_MICRO_BATCH : SNUG__STEP_TRAIN,
                            y->micro ? y->micro : f->train.batch, weighted, &y->graph, &y->step));
  y->base = y->micro ? snug__micro_batches_place_sums(f->model, NULL) : 0;
  y->micro_batches = y->micro ? (double)snug__ceil_div(f->train.batch, y->micro) : 1.0;
  SNUG_TRY(snug__step_assign_layouts(f->model, &rules, &y->graph, &y->step));
  for (snug__id id = 0; id < y->graph->nodes.n; id++) {
    y->n_lean += snug__node_at(y->graph, id)->kernel > 0;
  }
  y->n_values = y->graph->values.n;
  return SNUG_OK;
}

static snug_status find(snug__family *y, const snug__ways *w, const snug__fit *f,
                        snug__keeping *fixed, double *seconds, double *again) {
  const snug__device *device = snug__model_device(f->model);
  const char *word = f->options.levers.recompute;
  bool is_fixed = fix(y->graph, word, fixed);
  if (word && strcmp(word, "activations") == 0) {
    SNUG_TRY(fix_cheap(y->graph, device, fixed));
  }
  SNUG_TRY(snug__calibrate(f->model, y->step.kind, &y->step, y->graph, seconds, again,
                           f->model->training->note));
  snug__fit_forget(f->model); /* what was timed is not what runs */
  SNUG_TRY(snug__frontier_open(&y->frontier, y->graph, device, seconds, again,
                               w->has_disk ? &w->disk : NULL, is_fixed ? fixed : NULL,
                               y != w->families)); /* the others are taken for their bytes */
  y->seconds = y->frontier.problem.total;
  return SNUG_OK;
}

static snug_status search_family(snug__family *y, const snug__ways *w, const snug__fit *f) {
  snug_ctx *ctx = f->model->ctx;
  snug__keeping *fixed = NULL;
  double *seconds = NULL;
  size_t n = y->graph->nodes.n;
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, y->n_values, &fixed);
  s = s ? s : SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &seconds);
  s = s ? s : find(y, w, f, fixed, seconds, seconds + n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, seconds, 2 * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, fixed, y->n_values);
  snug__fit_forget(f->model); /* kernels of one family are those of no other */
  return s;
}

/* ---- families ---- */

#define LARGE_PART 16 /* scratch that is more than such a part of the load is worth a family, */
#define MOST_LEANER 3 /* so many times for one size of micro-batches */

/* The most scratch that a way has at its peak, where it is a large part of that; else 0. */
static int64_t large_scratch(const snug__family *y) {
  int64_t most = 0;
  for (size_t i = 0; i < y->frontier.ways.n; i++) {
    const snug__outcome *o = &SNUG_VEC(&y->frontier.ways, snug__way, i).outcome;
    if (o->scratch > (y->base + o->load) / LARGE_PART) {
      most = snug__max_i64(most, o->scratch);
    }
  }
  return most;
}

/* A family like the last one, with half of its scratch.  If that changes no kernel, there is none.
 */
static snug_status add_leaner(snug__ways *w, const snug__fit *f, bool *added) {
  const snug__family *last = &w->families[w->n_families - 1];
  int64_t scratch = large_scratch(last);
  *added = false;
  if (!scratch || w->n_families == SNUG__MOST_FAMILIES || f->has_kernels) {
    return SNUG_OK;
  }
  snug__family *y = &w->families[w->n_families++];
  *y = (snug__family){.micro = last->micro, .most_scratch = scratch / 2 + 1, .plain = last->plain};
  SNUG_TRY(snug__family_build(y, f));
  *added = y->n_lean > last->n_lean;
  if (!*added) {
    snug__graph_destroy(y->graph);
    w->n_families--;
    return SNUG_OK;
  }
  return search_family(y, w, f);
}

static snug_status add_family(snug__ways *w, const snug__fit *f, int64_t micro) {
  snug__family *y = &w->families[w->n_families];
  *y = (snug__family){.micro = micro < f->train.batch ? micro : 0, .plain = w->n_families++};
  SNUG_TRY(snug__family_build(y, f));
  SNUG_TRY(search_family(y, w, f));
  bool added = true;
  for (int i = 0; i < MOST_LEANER && added; i++) {
    SNUG_TRY(add_leaner(w, f, &added));
  }
  return SNUG_OK;
}

/* Halves, quarters, ... of the batch, where the model can be run in micro-batches and a line may
 * ask for it. */
static snug_status add_micro_batches(snug__ways *w, const snug__fit *f) {
  bool allowed = f->options.levers.allow_batch_statistics;
  snug_status s = snug__micro_batches_check(f->model, allowed);
  if (s) {
    return s == SNUG_E_UNSUPPORTED ? SNUG_OK : s; /* that is an answer, not a failure */
  }
  for (int64_t m = snug__ceil_div(f->train.batch, 2);
       w->n_families < SNUG__MOST_FAMILIES && m < f->train.batch; m = snug__ceil_div(m, 2)) {
    SNUG_TRY(add_family(w, f, m));
    if (m == 1) {
      break;
    }
  }
  return SNUG_OK;
}

static snug_status add_families(snug__ways *w, const snug__fit *f) {
  int64_t micro = f->options.levers.micro_batch;
  SNUG_TRY(snug__settle_layouts(f->model, SNUG__STEP_TRAIN));
  SNUG_TRY(add_family(w, f, micro ? micro : f->train.batch));
  return micro ? SNUG_OK : add_micro_batches(w, f);
}

/* ---- all of them ---- */

/* Timings of small calls are less sure than those of large ones, and micro-batches and other
 * kernels round otherwise.  So no way counts as faster than the session that a fit makes by itself,
 * and none in micro-batches or with leaner kernels as faster than the fastest one without: they are
 * taken for their bytes alone.  A family that seems to be is slower by the same seconds in all of
 * its ways: what they cost beside each other is known as well as ever. */
#define DOUBT 0.03 /* for each time that the batch is halved, and for leaner kernels */

static double fastest_of(const snug__family *y) {
  return y->micro_batches * SNUG_VEC(&y->frontier.ways, snug__way, 0).outcome.seconds;
}

static double doubt_of(const snug__ways *w, const snug__family *y) {
  const double whole = fastest_of(&w->families[0]);
  const double halvings = log2(y->micro_batches / w->families[0].micro_batches);
  const double doubts = halvings + (y->most_scratch > 0 ? 1.0 : 0.0);
  return fmax(whole * (1.0 + DOUBT * doubts) - fastest_of(y), 0.0);
}

static void find_doubts(snug__ways *w, const snug_levers *levers) {
  const snug__family *whole = &w->families[0];
  w->usual = snug__ways_fixed(levers) ? 0.0 : whole->micro_batches * whole->frontier.usual.seconds;
  for (int32_t i = 0; i < w->n_families; i++) {
    w->families[i].doubt = doubt_of(w, &w->families[i]);
  }
}

/* No transfer of slots is taken to go on beside anything: that depends on where the updates stand.
 */
double snug__ways_slot_seconds(const snug__ways *w) {
  return (w->disk.write + w->disk.read) * (double)w->slots_bytes;
}

/* All ways have what is not saved in common; so it counts for those that do not save it. */
static snug__fit_way way_of(const snug__ways *w, int32_t family, size_t i, bool slots) {
  const snug__family *y = &w->families[family];
  const snug__way *way = &SNUG_VEC(&y->frontier.ways, snug__way, i);
  return (snug__fit_way){
      .family = family,
      .way = i,
      .slots = slots,
      .load = y->base + snug__outcome_bytes(&way->outcome) +
              (slots ? snug__store_cost() : w->slots_saved),
      .seconds = fmax(y->micro_batches * way->outcome.seconds + y->doubt, w->usual) +
                 (slots ? snug__ways_slot_seconds(w) : 0.0)};
}

/* How far the merge has come in each family, without slots in a file and with them. */
typedef struct heads {
  size_t at[2][SNUG__MOST_FAMILIES];
} heads;

static bool comes_before(const snug__fit_way *a, const snug__fit_way *b) {
  return a->seconds < b->seconds || (a->seconds == b->seconds && a->load < b->load);
}

/* The fastest way that is left; false: there is none.  Each frontier has its fastest first. */
static bool next_way(const snug__ways *w, heads *h, snug__fit_way *out) {
  size_t *from = NULL;
  for (int slots = 0; slots <= (w->slots_saved > 0); slots++) {
    for (int32_t k = 0; k < w->n_families; k++) {
      size_t *at = &h->at[slots][k];
      if (*at < w->families[k].frontier.ways.n) {
        snug__fit_way way = way_of(w, k, *at, slots);
        if (!from || comes_before(&way, out)) {
          *out = way;
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

/* The ways of all families, without those that one as fast or faster is smaller than. */
static snug_status merge(snug__ways *w) {
  heads h = {0};
  snug__fit_way way, last = {.load = INT64_MAX};
  while (next_way(w, &h, &way)) {
    if (way.load < last.load) {
      w->list.n -= w->list.n > 0 && way.seconds == last.seconds;
      SNUG_TRY(snug__vec_push(&w->list, &way, 1));
      last = way;
    }
  }
  return SNUG_OK;
}

static snug_status find_disk(snug__ways *w, const snug__fit *f) {
  const snug_levers *l = &f->options.levers;
  w->has_disk = l->allow_disk;
  if (!w->has_disk) {
    return SNUG_OK;
  }
  w->slots_saved = snug__slots_saved(f->model, &w->slots_bytes);
  return snug__store_rate_of(w->ctx, l->disk_folder, &w->disk);
}

snug_status snug__ways_open(snug__ways *w, const snug__fit *f) {
  const char *word = f->options.levers.recompute;
  *w = (snug__ways){.ctx = f->model->ctx};
  snug__vec_init(&w->list, w->ctx, SNUG__MEM_SCRATCH, sizeof(snug__fit_way), UINT32_MAX);
  SNUG_TRY(is_list(word) ? check_names(f->model, word) : SNUG_OK);
  SNUG_TRY(find_disk(w, f));
  SNUG_TRY(add_families(w, f));
  find_doubts(w, &f->options.levers);
  return merge(w);
}

snug_status snug__ways_bytes(snug__ways *w, size_t i, int64_t *out) {
  const snug__fit_way *way = &SNUG_VEC(&w->list, snug__fit_way, i);
  snug__family *y = &w->families[way->family];
  SNUG_TRY(snug__frontier_height(&y->frontier, way->way, out));
  *out += y->base;
  return SNUG_OK;
}

void snug__ways_settle(snug__ways *w) {
  for (int32_t i = 0; i < w->n_families; i++) {
    snug__frontier_settle(&w->families[i].frontier);
    snug__graph_destroy(w->families[i].graph);
    w->families[i].graph = NULL;
  }
}
