#include "model/layers/support.h"

#include <stdio.h>

#include "ops/unary.h"

const snug__field snug__layer_plain_fields[] = {SNUG__LAYER_FIELDS, {0}};

snug_status snug__layer_lacks(const snug__layer_call *c, const char *text) {
  return snug__layer_lacks_value(c, NULL, "", text);
}

snug_status snug__layer_lacks_value(const snug__layer_call *c, const char *key, const char *value,
                                    const char *text) {
  int n = (int)strcspn(text, ";");
  return snug__fail(c->b->ctx, SNUG_E_UNSUPPORTED, "%s: %s%s%s%s%.*s: not supported%s",
                    c->layer->name, key ? key : "", key ? "=" : "", value, key ? ": " : "", n, text,
                    text + n);
}

snug_status snug__layer_refuse(const snug__layer_call *c, const char *key, double value,
                               const char *expected) {
  return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: %s=%.17g: expected %s", c->layer->name, key,
                    value, expected);
}

snug_status snug__layer_need_int(const snug__layer_call *c, const char *key, int64_t value,
                                 int64_t least) {
  if (value < least) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: %s=%lld: expected %lld or more",
                      c->layer->name, key, (long long)value, (long long)least);
  }
  return SNUG_OK;
}

snug_status snug__layer_need_rate(const snug__layer_call *c, const char *key, double value) {
  if (!(value >= 0.0 && value < 1.0)) {
    return snug__layer_refuse(c, key, value, "a number from 0 to less than 1");
  }
  return SNUG_OK;
}

snug_status snug__layer_need_list(const snug__layer_call *c, const char *key, const snug_ints *list,
                                  int32_t n, int64_t least, snug_ints *out) {
  snug_ints all;
  if (list->n != 1 && list->n != n) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: %s has %d numbers: expected 1%s%s",
                      c->layer->name, key, list->n, n > 1 ? " or " : "",
                      n == 2   ? "2"
                      : n == 4 ? "4"
                               : "");
  }
  memset(&all, 0, sizeof all);
  all.n = n;
  for (int32_t i = 0; i < n; i++) {
    all.v[i] = list->v[list->n == 1 ? 0 : i];
    SNUG_TRY(snug__layer_need_int(c, key, all.v[i], least));
  }
  *out = all;
  return SNUG_OK;
}

snug_status snug__layer_need_rank(const snug__layer_call *c, int32_t rank, const char *axes,
                                  snug__type *out) {
  char text[SNUG__TYPE_TEXT_BYTES];
  *out = *snug__layer_type(c, c->in[0]);
  if (out->rank != rank) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s (%s) takes %s, not %s; %s before it",
                      c->layer->name, c->layer->class_->name, axes,
                      snug__type_batch_text(out, text),
                      out->rank < rank ? "a Reshape can add axes (one of 1 for a single channel)"
                                       : "a Flatten, Reshape or pooling can take axes away");
  }
  return SNUG_OK;
}

snug_status snug__layer_need_axis(const snug__layer_call *c, const char *key, int64_t axis,
                                  int32_t rank, int32_t *out) {
  int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 1 || at >= rank) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: %s=%lld: expected an axis of an input of %d, other than the batch's 0",
                      c->layer->name, key, (long long)axis, rank);
  }
  *out = (int32_t)at;
  return SNUG_OK;
}

snug_status snug__layer_need_axes(const snug__layer_call *c, const char *key, const snug_ints *axes,
                                  int32_t rank, uint32_t *out) {
  *out = 0;
  for (int32_t i = 0; i < axes->n; i++) {
    int32_t axis = 0;
    SNUG_TRY(snug__layer_need_axis(c, key, axes->v[i], rank, &axis));
    if (*out >> axis & 1) {
      return snug__layer_refuse(c, key, (double)axes->v[i], "each axis once");
    }
    *out |= 1u << axis;
  }
  return SNUG_OK;
}

snug_status snug__layer_need_one_axis(const snug__layer_call *c, const char *key,
                                      const snug_ints *axes, int32_t *out) {
  if (axes->n != 1) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: %s names %d axes: expected one axis",
                      c->layer->name, key, axes->n);
  }
  return snug__layer_need_axis(c, key, axes->v[0], snug__layer_type(c, c->in[0])->rank, out);
}

snug_status snug__layer_reshape(const snug__layer_call *c, snug__id in, int32_t rank,
                                const int64_t *dim, snug__id *out) {
  snug__type to = snug__type_of(snug__layer_type(c, in)->dtype, rank, dim);
  return snug__emit_reshape(c->b->g, in, &to, out);
}

snug_status snug__layer_number(const snug__layer_call *c, double v, snug__id *out) {
  double bytes = 0.0; /* room for the widest dtype */
  snug__element_set(c->b->real, &bytes, 0, v);
  return snug__graph_constant(c->b->g, c->layer->name, snug__scalar(c->b->real), &bytes, out);
}

/* A function of its own file: gcc 12 loses the narrowing of two neighbours that it makes a vector
 * of. */
double snug__layer_rounded(double v) { return (double)(float)v; }

snug_status snug__layer_constant(const snug__layer_call *c, const snug_numbers *list,
                                 double (*change)(double v), snug__id *out) {
  snug__type type = snug__type_of(c->b->real, 1, &list->n);
  size_t n = (size_t)list->n;
  double *v = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, n, &v));
  snug__numbers_read(list, v);
  for (int64_t i = 0; i < list->n; i++) { /* no dtype is wider: in place from the front */
    snug__element_set(c->b->real, v, i, change ? change(v[i]) : v[i]);
  }
  snug_status s = snug__graph_constant(c->b->g, c->layer->name, type, v, out);
  SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, v, n);
  return s;
}

snug_status snug__layer_mask_column(const snug__layer_call *c, snug__id *out) {
  snug__type column = *snug__layer_type(c, c->in[0]);
  char mask[SNUG__TYPE_TEXT_BYTES];
  char x[SNUG__TYPE_TEXT_BYTES];
  const snug__type *m = snug__layer_type(c, c->masks[0]);
  if (m->rank != column.rank - 1 ||
      memcmp(m->dim, column.dim, (size_t)m->rank * sizeof m->dim[0]) != 0) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: the mask, %s, is not that of %s",
                      c->layer->name, snug__type_batch_text(m, mask),
                      snug__type_batch_text(&column, x));
  }
  column.dim[column.rank - 1] = 1;
  return snug__layer_reshape(c, c->masks[0], column.rank, column.dim, out);
}

snug_status snug__layer_as_real(const snug__layer_call *c, snug__id in, snug__id *out) {
  snug__cast_params p;
  *out = in;
  if (snug__layer_type(c, in)->dtype == c->b->real) {
    return SNUG_OK;
  }
  memset(&p, 0, sizeof p);
  p.dtype = (int32_t)c->b->real;
  return SNUG_EMIT(c->b->g, cast, &p, out, in);
}
