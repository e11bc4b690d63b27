/* Muon: matrices move along the orthogonal matrix next to their momentum, the rest by AdamW. */
#include <ctype.h>
#include <string.h>

#include "model/optimizer_kind.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/unary.h"

/* ---- which weights ---- */

/* Whether part[0..n) stands in a name; as Keras has it, in its path. */
static bool has_part(const char *name, const char *part, size_t n, bool any_case) {
  for (; n && *name; name++) {
    size_t i = 0;
    while (i < n && (any_case ? tolower((unsigned char)name[i]) : (unsigned char)name[i]) ==
                        (unsigned char)part[i]) {
      i++;
    }
    if (i == n) {
      return true;
    }
  }
  return false;
}

static bool is_excluded(const snug__optimizer_options *o, const char *name) {
  static const char embedding[] = "embedding";
  if (o->exclude_embeddings && has_part(name, embedding, sizeof embedding - 1, true)) {
    return true;
  }
  for (const char *at = o->exclude_layers; *at;) {
    size_t n = strcspn(at, ", ");
    if (has_part(name, at, n, false)) {
      return true;
    }
    at += n + (at[n] != 0);
  }
  return false;
}

const snug__optimizer_kind *snug__optimizer_kind_of(const snug__optimizer *o,
                                                    const snug__variable *weight) {
  const snug__optimizer_kind *of_matrix = o->kind->of_matrix;
  bool is_matrix = of_matrix && weight->type.rank == 2 && !is_excluded(&o->o, weight->name);
  return is_matrix ? of_matrix : o->kind;
}

/* ---- the orthogonal matrix ---- */

static snug_status scaled(snug__graph *g, double scale, double shift, snug__id x, snug__id *out) {
  snug__scale_shift_params p = {scale, shift};
  return SNUG_EMIT(g, scale_shift, &p, out, x);
}

static snug_status transposed(snug__graph *g, snug__id x, snug__id *out) {
  snug__permute_params p;
  memset(&p, 0, sizeof p);
  p.axes = (snug_ints){2, {1, 0}};
  return SNUG_EMIT(g, permute, &p, out, x);
}

static snug_status product(snug__graph *g, snug__id a, snug__id b, bool transpose_b,
                           snug__id *out) {
  snug__matmul_params p = {false, transpose_b};
  return SNUG_EMIT(g, matmul, &p, out, a, b);
}

/* x / (|x| + 1e-7): no singular value is above 1. */
static snug_status normalized(snug__graph *g, snug__id x, snug__id *out) {
  snug__reduce_params all;
  snug__id norm = SNUG_NONE;
  memset(&all, 0, sizeof all);
  SNUG_TRY(SNUG_EMIT(g, sum_squares, &all, &norm, x));
  SNUG_TRY(SNUG_EMIT(g, sqrt, NULL, &norm, norm));
  SNUG_TRY(scaled(g, 1.0, 1e-7, norm, &norm));
  return SNUG_EMIT(g, divide, NULL, out, x, norm);
}

/* a x + (b A + c A A) x with A = x xT */
static snug_status newton_schulz(snug__graph *g, const snug__optimizer_options *o, snug__id x,
                                 snug__id *out) {
  snug__id a = SNUG_NONE;
  snug__id b = SNUG_NONE;
  snug__id factor = SNUG_NONE;
  snug__id moved = SNUG_NONE;
  SNUG_TRY(product(g, x, x, true, &a));
  SNUG_TRY(scaled(g, o->muon_c, 0.0, a, &factor));
  SNUG_TRY(product(g, factor, a, false, &factor));
  SNUG_TRY(scaled(g, o->muon_b, 0.0, a, &b));
  SNUG_TRY(SNUG_EMIT(g, add, NULL, &factor, b, factor));
  SNUG_TRY(product(g, factor, x, false, &moved));
  SNUG_TRY(scaled(g, o->muon_a, 0.0, x, &x));
  return SNUG_EMIT(g, add, NULL, out, x, moved);
}

snug_status snug__optimizer_orthogonal(snug__graph *g, const snug__optimizer_options *o, snug__id x,
                                       snug__id *out) {
  const snug__type *t = snug__type_at(g, x);
  bool is_tall = t->dim[0] > t->dim[1];
  SNUG_TRY(is_tall ? transposed(g, x, &x) : SNUG_OK);
  SNUG_TRY(normalized(g, x, &x));
  for (int64_t i = 0; i < o->ns_steps; i++) {
    SNUG_TRY(newton_schulz(g, o, x, &x));
  }
  *out = x;
  return is_tall ? transposed(g, x, out) : SNUG_OK;
}
