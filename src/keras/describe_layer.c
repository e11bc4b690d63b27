/* The config of a layer: its name, and what differs from Keras's defaults, which are ours. */
#include <string.h>

#include "base/text.h"
#include "keras/describe_parts.h"
#include "keras/json_print.h"
#include "model/initializer.h"

/* A field of a layer on its way into the config. */
typedef struct field_of {
  const snug_model *m;
  const snug__layer *layer;
  const snug__field *f;
  const void *value;
} field_of;

typedef snug_status namer(snug_ctx *ctx, const char *where, const char *text,
                          snug__named_value *out);

static snug_status fail(const field_of *x, const char *why) {
  return snug__fail(x->m->ctx, SNUG_E_UNSUPPORTED, "%s: %s: %s", x->layer->name, x->f->name, why);
}

/* ---- texts ---- */

static snug_status print_activation(const field_of *x, snug__text *out) {
  char name[SNUG__NAME_BYTES];
  bool has_arguments = false;
  SNUG_TRY(snug__activation_name(x->m->ctx, x->layer->name, x->value, name, &has_arguments));
  if (has_arguments) {
    return fail(x,
                "Keras keeps no arguments of an activation; make it a layer of its own (LeakyReLU, "
                "ReLU, ELU) to save the model");
  }
  return snug__json_print_text(name, out);
}

static snug_status print_object(const field_of *x, const char *module, namer *read,
                                snug__text *out) {
  snug__named_value value;
  if (snug__named_is_none(x->value)) {
    return snug__text_add(out, "null");
  }
  SNUG_TRY(read(x->m->ctx, x->layer->name, x->value, &value));
  return snug__json_print_named(module, value.thing, &value.options, out);
}

static snug_status print_text(const field_of *x, snug__text *out) {
  const char *key = x->f->name;
  if (strcmp(key, "activation") == 0) {
    return print_activation(x, out);
  }
  if (snug__ends_in(key, "_initializer")) {
    return print_object(x, "keras.initializers", snug__initializer_named, out);
  }
  if (snug__ends_in(key, "_regularizer")) {
    return print_object(x, "keras.regularizers", snug__regularizer_named, out);
  }
  return snug__ends_in(key, "_constraint")
             ? print_object(x, "keras.constraints", snug__constraint_named, out)
             : snug__json_print_text(x->value, out);
}

/* ---- lists ---- */

/* Shapes are lists also of one number; -1 in a shape of noise is "as the input". */
static snug_status print_shape(const field_of *x, bool has_open, snug__text *out) {
  const snug_ints *l = x->value;
  SNUG_TRY(snug__text_add(out, "["));
  for (int32_t i = 0; i < l->n; i++) {
    SNUG_TRY(has_open && l->v[i] == -1
                 ? snug__text_add(out, "%snull", i ? ", " : "")
                 : snug__text_add(out, "%s%lld", i ? ", " : "", (long long)l->v[i]));
  }
  return snug__text_add(out, "]");
}

static snug_status print_ints(const field_of *x, snug__text *out) {
  const snug_ints *l = x->value;
  const char *key = x->f->name;
  bool is_noise = strcmp(key, "noise_shape") == 0;
  bool is_border = strcmp(key, "padding") == 0 || strcmp(key, "cropping") == 0;
  if (is_border && l->n == 4) {
    return snug__text_add(out, "[[%lld, %lld], [%lld, %lld]]", (long long)l->v[0],
                          (long long)l->v[1], (long long)l->v[2], (long long)l->v[3]);
  }
  if (is_noise || strcmp(key, "target_shape") == 0 || strcmp(key, "dims") == 0 ||
      strcmp(key, "shared_axes") == 0) {
    return print_shape(x, is_noise, out);
  }
  return snug__json_print_field(x->f, x->layer->config, out);
}

/* Statistics over one axis are a list; over several they would be a table. */
static snug_status print_numbers(const field_of *x, snug__text *out) {
  for (const snug__field *f = x->layer->class_->fields; f->name; f++) {
    const snug_ints *axes = (const void *)((const char *)x->layer->config + f->offset);
    if (strcmp(f->name, "axis") == 0 && f->kind == SNUG__FIELD_INTS && axes->n > 1) {
      return fail(x,
                  "given for several axes, it cannot be saved; leave mean and variance out and "
                  "set them as weights");
    }
  }
  return snug__json_print_field(x->f, x->layer->config, out);
}

/* ---- the layer ---- */

static snug_status print_value(const field_of *x, snug__text *out) {
  switch (x->f->kind) {
    case SNUG__FIELD_NUMBERS:
      return print_numbers(x, out);
    case SNUG__FIELD_TEXT:
      return print_text(x, out);
    case SNUG__FIELD_INTS:
      return print_ints(x, out);
    default:
      return snug__json_print_field(x->f, x->layer->config, out);
  }
}

/* Keys that are written also where they have their default: the order of the axes, since Keras's
 * default is a setting of its user (two classes learned of it late), and two that Keras asks for.
 */
static snug_status is_left_out(const field_of *x, bool *out) {
  const char *key = x->f->name;
  if (strcmp(key, "data_format") == 0) {
    const char *class_name = x->layer->class_->name;
    *out = strcmp(class_name, "ZeroPadding1D") == 0 || strcmp(class_name, "RandomFlip") == 0;
    return SNUG_OK;
  }
  if (strcmp(key, "pool_size") == 0 || strcmp(key, "offset") == 0) {
    *out = false;
    return SNUG_OK;
  }
  return snug__json_is_default(x->m->ctx, x->f, x->layer->config, out);
}

static snug_status print_fields(const snug_model *m, const snug__layer *layer, snug__text *out) {
  bool first = false;
  for (const snug__field *f = layer->class_->fields; f->name; f++) {
    const field_of x = {m, layer, f, (const char *)layer->config + f->offset};
    bool is_out = f->offset == offsetof(snug__layer_common, name) ||
                  f->offset == offsetof(snug__layer_common, trainable);
    SNUG_TRY(is_out ? SNUG_OK : is_left_out(&x, &is_out));
    if (!is_out) {
      SNUG_TRY(snug__json_print_key(f->name, &first, out));
      SNUG_TRY(print_value(&x, out));
    }
  }
  return SNUG_OK;
}

/* Where Keras has a class that is not a public layer; NULL: it is one. */
static const char *private_module(const char *class_name) {
  static const char *const modules[][2] = {
      {"LayerScale", "keras.src.applications.convnext"},
      {"StochasticDepth", "keras.src.applications.convnext"},
      {"CustomScaleLayer", "keras.src.applications.inception_resnet_v2"}};
  for (size_t i = 0; i < SNUG_COUNT(modules); i++) {
    if (strcmp(class_name, modules[i][0]) == 0) {
      return modules[i][1];
    }
  }
  return NULL;
}

static snug_status check_layer(const snug_model *m, const snug__layer *layer) {
  if (strchr(layer->class_->name, '.')) {
    return snug__fail(m->ctx, SNUG_E_UNSUPPORTED,
                      "%s: an operation (%s) is saved only as part of the file it came from; build "
                      "the model with layers",
                      layer->name, layer->class_->name);
  }
  return strchr(layer->name, '/')
             ? snug__fail(m->ctx, SNUG_E_UNSUPPORTED,
                          "%s: names of layers have no '/' in Keras; rename it to save the model",
                          layer->name)
             : SNUG_OK;
}

/* Spatial dropout has no weights and no such flag. */
static snug_status print_flag(const snug__layer *layer, snug__text *out) {
  bool has_none = strncmp(layer->class_->name, "SpatialDropout", 14) == 0;
  return has_none ? SNUG_OK
                  : snug__text_add(out, ", \"trainable\": %s",
                                   snug__layer_is_trainable(layer) ? "true" : "false");
}

snug_status snug__keras_print_layer(const snug_model *m, const snug__layer *layer,
                                    snug__text *out) {
  const char *class_name = layer->class_->name;
  const char *module = private_module(class_name);
  SNUG_TRY(check_layer(m, layer));
  SNUG_TRY(snug__json_print_open(module ? module : "keras.layers", class_name, out));
  SNUG_TRY(snug__text_add(out, "\"name\": "));
  SNUG_TRY(snug__json_print_text(layer->name, out));
  SNUG_TRY(print_flag(layer, out));
  SNUG_TRY(snug__text_add(out, ", \"dtype\": \"%s\"", snug_dtype_text(m->real)));
  SNUG_TRY(print_fields(m, layer, out));
  return snug__json_print_close(module ? class_name : NULL, out);
}
