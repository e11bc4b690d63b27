/* Regularizers and constraints: from Keras's names to numbers. */
#include <math.h>
#include <string.h>

#include "model/initializer.h"

static const snug__field l1_fields[] = {SNUG_FIELD(snug__regularizer, l1, FLOAT, "0.01"), {0}};
static const snug__field l2_fields[] = {SNUG_FIELD(snug__regularizer, l2, FLOAT, "0.01"), {0}};
static const snug__field both_fields[] = {SNUG_FIELD(snug__regularizer, l1, FLOAT, "0"),
                                          SNUG_FIELD(snug__regularizer, l2, FLOAT, "0"),
                                          {0}};
static const snug__named regularizers[] = {
    {"l1", l1_fields}, {"l2", l2_fields}, {"l1_l2", both_fields}};
static const snug__named_set regularizer_set = SNUG_NAMED_SET("regularizer", NULL, regularizers);

snug_status snug__regularizer_parse(snug_ctx *ctx, const char *where, const char *text,
                                    snug__regularizer *out) {
  size_t which = 0;
  *out = (snug__regularizer){0.0, 0.0};
  if (snug__named_is_none(text)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__named_parse(ctx, &regularizer_set, where, text, out, sizeof *out, &which));
  if (!(out->l1 >= 0.0 && out->l2 >= 0.0 && isfinite(out->l1) && isfinite(out->l2))) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "%s: regularizer '%s': l1 and l2 must be finite and 0 or more", where, text);
  }
  return SNUG_OK;
}

#define VALUE(name, initial) SNUG_FIELD(snug__constraint, name, FLOAT, initial)
#define AXIS \
  { "axis", SNUG__FIELD_INTS, offsetof(snug__constraint, axes), "0", NULL }
static const snug__field max_fields[] = {VALUE(max_value, "2"), AXIS, {0}};
static const snug__field unit_fields[] = {AXIS, {0}};
static const snug__field min_max_fields[] = {
    VALUE(min_value, "0"), VALUE(max_value, "1"), VALUE(rate, "1"), AXIS, {0}};

/* In the order of snug__constraint_kind, from MAX_NORM on. */
static const snug__named constraints[] = {{"max_norm", max_fields},
                                          {"non_neg", NULL},
                                          {"unit_norm", unit_fields},
                                          {"min_max_norm", min_max_fields}};
static const snug__named_set constraint_set = SNUG_NAMED_SET("constraint", NULL, constraints);

const snug__named_set *snug__regularizer_set(void) { return &regularizer_set; }
const snug__named_set *snug__constraint_set(void) { return &constraint_set; }

static snug_status resolve_axes(snug_ctx *ctx, const char *where, const snug__type *type,
                                snug_ints *axes) {
  char text[SNUG__TYPE_TEXT_BYTES];
  for (int32_t i = 0; i < axes->n; i++) {
    int64_t axis = axes->v[i] < 0 ? axes->v[i] + type->rank : axes->v[i];
    if (axis < 0 || axis >= type->rank) {
      return snug__fail(ctx, SNUG_E_ARGUMENT, "%s: a constraint over axis %lld of %s", where,
                        (long long)axes->v[i], snug__type_text(type, text));
    }
    axes->v[i] = axis;
  }
  return SNUG_OK;
}

snug_status snug__constraint_parse(snug_ctx *ctx, const char *where, const char *text,
                                   const snug__type *type, snug__constraint *out) {
  size_t which = 0;
  memset(out, 0, sizeof *out);
  if (snug__named_is_none(text)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__named_parse(ctx, &constraint_set, where, text, out, sizeof *out, &which));
  out->kind = (snug__constraint_kind)((int32_t)which + (int32_t)SNUG__CONSTRAINT_MAX_NORM);
  if (!(out->min_value >= 0.0 && out->max_value >= out->min_value && out->rate >= 0.0 &&
        out->rate <= 1.0)) {
    return snug__fail(
        ctx, SNUG_E_ARGUMENT,
        "%s: constraint '%s': 0 <= min_value <= max_value and 0 <= rate <= 1 must hold", where,
        text);
  }
  return resolve_axes(ctx, where, type, &out->axes);
}

snug_status snug__regularizer_named(snug_ctx *ctx, const char *where, const char *text,
                                    snug__named_value *out) {
  size_t which = 0;
  SNUG_TRY(snug__named_parse(ctx, &regularizer_set, where, text, &out->options, sizeof out->options,
                             &which));
  out->thing = &regularizers[which];
  return SNUG_OK;
}

snug_status snug__constraint_named(snug_ctx *ctx, const char *where, const char *text,
                                   snug__named_value *out) {
  size_t which = 0;
  _Static_assert(sizeof(snug__constraint) <= sizeof out->options, "the options fit");
  SNUG_TRY(snug__named_parse(ctx, &constraint_set, where, text, &out->options, sizeof out->options,
                             &which));
  out->thing = &constraints[which];
  return SNUG_OK;
}
