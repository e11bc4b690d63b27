/* The inputs of a model: from InputLayers, or from what a Sequential says it was built on.  Sizes
 * that are left open come from the shapes of the data. */
#include <stdio.h>
#include <string.h>

#include "keras/config_parts.h"
#include "keras/refused.h"

/* ---- dtypes ---- */

/* What an input is fed with; floats of any kind are the model's. */
static snug_dtype input_dtype(const snug__config *k, const char *name) {
  snug_dtype real = k->m->real;
  if (!name || strncmp(name, "float", 5) == 0 || strcmp(name, "bfloat16") == 0) {
    return real;
  }
  for (int d = SNUG_NO_DTYPE + 1; d < SNUG_DTYPE_COUNT; d++) {
    if (strcmp(snug_dtype_text((snug_dtype)d), name) == 0) {
      return (snug_dtype)d;
    }
  }
  return SNUG_NO_DTYPE;
}

/* ---- shapes ---- */

/* An input in the making; shape with the batch, -1 where it is left open. */
typedef struct input {
  const char *name;
  const char *dtype; /* NULL: a float */
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
} input;

static snug_status fail_shape(snug__config *k, const char *name) {
  return snug__fail(k->ctx, SNUG_E_FORMAT,
                    "%s: input '%s': its shape must be a list of the batch and 0 to %d sizes "
                    "above 0, or null where one is left open",
                    k->file, name, SNUG_MAX_RANK - 1);
}

static snug_status read_shape(snug__config *k, const snug__json *shape, input *out) {
  size_t n = snug__json_count(shape);
  if (!snug__json_is_list(shape) || n < 1 || n > SNUG_MAX_RANK) {
    return fail_shape(k, out->name);
  }
  out->rank = (int32_t)n;
  for (size_t i = 0; i < n; i++) {
    const snug__json *size = snug__json_at(shape, i);
    out->shape[i] = -1;
    if (!snug__json_is_null(size) && (!snug__json_int(size, &out->shape[i]) || out->shape[i] < 1)) {
      return fail_shape(k, out->name);
    }
  }
  return SNUG_OK;
}

static snug_status fail_open(snug__config *k, const input *in, int32_t axis, size_t which) {
  return snug__fail(
      k->ctx, SNUG_E_SHAPE,
      "%s: input %zu ('%s') leaves the size of axis %d open: give the data it is for "
      "(an array of %d axes) or its shape (x of snug_load_options), or save the model "
      "with a fixed input shape",
      k->file, which, in->name, axis, in->rank);
}

/* Fill in what is open from the array for this input. */
static snug_status fill_shape(snug__config *k, size_t which, input *in) {
  const snug_load_options *o = k->options;
  const snug_array *x = o->x && which < (size_t)(o->n_x > 0 ? o->n_x : 0) ? &o->x[which] : NULL;
  for (int32_t i = 1; i < in->rank; i++) {
    if (in->shape[i] > 0) {
      continue;
    }
    if (!x || x->rank != in->rank || x->shape[i] < 1) {
      return fail_open(k, in, i, which);
    }
    in->shape[i] = x->shape[i];
  }
  return SNUG_OK;
}

static snug_status add_input(snug__config *k, input *in, snug__vec *out) {
  snug_dtype dtype = input_dtype(k, in->dtype);
  if (!dtype) {
    return snug__fail(k->ctx, SNUG_E_UNSUPPORTED,
                      "%s: input '%s' is of dtype %.40s: " SNUG__RULE_INPUT, k->file, in->name,
                      in->dtype);
  }
  SNUG_TRY(fill_shape(k, out->n, in));
  snug_tensor tensor = snug_model_input(k->m, in->name, dtype, in->shape + 1, in->rank - 1);
  if (tensor == SNUG_NO_TENSOR) {
    return snug__fail_within(k->ctx, snug_model_status(k->m), "%s", k->file);
  }
  return snug__vec_push(out, &tensor, 1);
}

/* ---- where inputs stand ---- */

static snug_status check_input_layer(snug__config *k, const snug__config_item *item) {
  static const char *const flags[] = {"sparse", "ragged", "optional"};
  for (size_t i = 0; i < SNUG_COUNT(flags); i++) {
    if (snug__json_is_true(snug__json_get(item->config, flags[i]))) {
      return snug__config_fail(k, item, SNUG_E_UNSUPPORTED, "%s=true is not supported; feed arrays",
                               flags[i]);
    }
  }
  return SNUG_OK;
}

static const snug__json *shape_in(const snug__json *config) {
  const snug__json *shape = snug__json_get(config, "batch_shape");
  return shape ? shape : snug__json_get(config, "batch_input_shape"); /* Keras 2 */
}

static snug_status add_input_layer(snug__config *k, const snug__config_item *item, snug__vec *out) {
  input in = {.name = item->path, .dtype = snug__json_text(snug__json_get(item->config, "dtype"))};
  SNUG_TRY(check_input_layer(k, item));
  SNUG_TRY(read_shape(k, shape_in(item->config), &in));
  return add_input(k, &in, out);
}

/* The first entry of a Sequential that is not itself one. */
static const snug__config_item *first_item(const snug__config_scope *scope) {
  const snug__config_item *item = scope->items[0].first;
  return item->scope && item->scope->is_sequential ? first_item(item->scope) : item;
}

/* What a Sequential without InputLayer was built on, or the data if it never was. */
static snug_status add_built_input(snug__config *k, const snug__json *object,
                                   const snug__config_scope *scope, snug__vec *out) {
  input in = {.name = "input_layer"};
  const snug__json *shapes[] = {
      snug__json_get(snug__json_get(object, "config"), "build_input_shape"),
      snug__json_get(snug__json_get(object, "build_config"), "input_shape"),
      shape_in(scope->items[0].config),
      snug__json_get(snug__json_get(scope->items[0].object, "build_config"), "input_shape")};
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    if (snug__json_is_list(shapes[i])) {
      SNUG_TRY(read_shape(k, shapes[i], &in));
      return add_input(k, &in, out);
    }
  }
  if (!k->options->x || k->options->n_x < 1) {
    return snug__fail(
        k->ctx, SNUG_E_SHAPE,
        "%s: the model '%s' was never built, so its input has no shape: give the "
        "data it is for or the shape (x of snug_load_options), or call it once in Keras "
        "before it is saved",
        k->file, scope->name);
  }
  in.rank = k->options->x[0].rank;
  if (in.rank < 1 || in.rank > SNUG_MAX_RANK) {
    return fail_shape(k, in.name);
  }
  memset(in.shape, -1, sizeof in.shape);
  return add_input(k, &in, out);
}

snug_status snug__config_add_inputs(snug__config *k, const snug__json *object,
                                    snug__config_scope *scope, snug__vec *out) {
  for (uint32_t i = 0; i < scope->n_inputs; i++) {
    SNUG_TRY(add_input_layer(k, &scope->items[scope->nodes[scope->inputs[i].node].item], out));
  }
  if (!scope->is_sequential) {
    return SNUG_OK;
  }
  const snug__config_item *first = first_item(scope);
  if (first->scope && first->scope->n_inputs == 1) { /* a Functional model stands first */
    const snug__config_scope *inner = first->scope;
    first = &inner->items[inner->nodes[inner->inputs[0].node].item];
  }
  if (first->kind == SNUG__CONFIG_INPUT) {
    return add_input_layer(k, first, out);
  }
  return add_built_input(k, object, scope, out);
}
