#include "model/layer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/initializer.h"

#define PATH_BYTES (2 * SNUG__NAME_BYTES)

const snug__layer_class *const snug__layer_classes[] = {
#define LAYER(name) &snug__layer_##name,
#define RAW_OP(name) &snug__raw_##name,
#include "model/layers.def"
#undef RAW_OP
#undef LAYER
};
const size_t snug__layer_n_classes = SNUG_COUNT(snug__layer_classes);

const snug__layer_class *snug__layer_class_find(const char *name) {
  for (size_t i = 0; i < snug__layer_n_classes; i++) {
    if (strcmp(snug__layer_classes[i]->name, name) == 0) {
      return snug__layer_classes[i];
    }
  }
  return NULL;
}

const char *snug__layer_classes_like(const char *name, char *out, size_t bytes) {
  size_t n = 0;
  out[0] = '\0';
  for (size_t i = 0; i < snug__layer_n_classes; i++) {
    size_t length = strlen(snug__layer_classes[i]->name);
    if (toupper((unsigned char)name[0]) == snug__layer_classes[i]->name[0] &&
        n + length + 3 <= bytes) {
      n +=
          (size_t)snprintf(out + n, bytes - n, "%s%s", n ? ", " : "", snug__layer_classes[i]->name);
    }
  }
  return out;
}

void snug__layer_snake_case(const char *class_name, char out[SNUG__NAME_BYTES]) {
  const char *dot = strchr(class_name, '.');
  size_t n = 0;
  class_name = dot ? dot + 1 : class_name;
  for (const char *at = class_name; *at && n + 2 < SNUG__NAME_BYTES; at++) {
    bool starts_word = isupper((unsigned char)*at) && at > class_name &&
                       (islower((unsigned char)at[-1]) ||
                        (islower((unsigned char)at[1]) && !isdigit((unsigned char)at[-1])));
    if (starts_word) {
      out[n++] = '_';
    }
    out[n++] = (char)tolower((unsigned char)*at);
  }
  out[n] = 0;
}

bool snug__layer_is_trainable(const snug__layer *layer) {
  return ((const snug__layer_common *)layer->config)->trainable;
}

bool snug__layer_is_training(const snug__layer_call *c) {
  const bool *trains = c->b->trains;
  return c->b->training && (trains ? trains[c->layer->index] : snug__layer_is_trainable(c->layer));
}

snug__id snug__layer_variable(const snug__layer_call *c, const char *name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", c->layer->name, name);
  return snug__variables_find(c->b->variables, path);
}

static snug_status make_weight(snug__layer_call *c, const snug__weight_spec *spec, const char *path,
                               snug__type type, snug__id *variable) {
  snug__variable v = {.name = path,
                      .layer = c->layer->name,
                      .type = type,
                      .kind = SNUG__WEIGHT,
                      .class_ = SNUG__CLASS_WEIGHTS,
                      .trainable = !spec->frozen};
  SNUG_TRY(snug__initializer_parse(c->b->ctx, path, spec->initializer, &type, &v.initial));
  SNUG_TRY(snug__regularizer_parse(c->b->ctx, path, spec->regularizer, &v.regularizer));
  SNUG_TRY(snug__constraint_parse(c->b->ctx, path, spec->constraint, &type, &v.constraint));
  return snug__variables_add(c->b->variables, &v, variable);
}

snug_status snug__layer_weight(snug__layer_call *c, const snug__weight_spec *spec, snug__type type,
                               snug__id *value) {
  char path[PATH_BYTES];
  char is[SNUG__TYPE_TEXT_BYTES];
  char needs[SNUG__TYPE_TEXT_BYTES];
  snprintf(path, sizeof path, "%s/%s", c->layer->name, spec->name);
  snug__id variable = snug__variables_find(c->b->variables, path);
  if (variable == SNUG_NONE) {
    SNUG_TRY(make_weight(c, spec, path, type, &variable));
  }
  const snug__type *known = &snug__variable_at(c->b->variables, variable)->type;
  if (!snug__type_equal(known, &type)) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE, "%s: the layer's %s is %s; this input would need %s",
                      c->layer->name, spec->name, snug__type_text(known, is),
                      snug__type_text(&type, needs));
  }
  return snug__build_variable(c->b, variable, value);
}

snug_status snug__layer_random(snug__layer_call *c, snug__id *seed, snug__id *step) {
  snug__id variable = SNUG_NONE;
  SNUG_TRY(snug__build_state(c->b, "random/seed", "", snug__scalar(SNUG_INT64), 0.0, &variable));
  SNUG_TRY(snug__build_variable(c->b, variable, seed));
  SNUG_TRY(snug__build_state(c->b, "random/step", "", snug__scalar(SNUG_INT64), 0.0, &variable));
  return snug__build_variable(c->b, variable, step);
}
