#include "model/augmentation.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

#define TEXT_BYTES 1024

static const struct {
  const char *class_name, *step;
} steps[] = {
    {"RandomFlip", "flip"}, {"RandomRotation", "rotation"}, {"RandomTranslation", "translation"},
    {"RandomZoom", "zoom"}, {"RandomContrast", "contrast"}, {"RandomBrightness", "brightness"}};

const char *snug__augmentation_step(const snug__layer_class *class_) {
  for (size_t i = 0; i < SNUG_COUNT(steps); i++) {
    if (strcmp(steps[i].class_name, class_->name) == 0) {
      return steps[i].step;
    }
  }
  return NULL;
}

/* ---- the text of a step ---- */

/* [-0.1, 0.1] is 0.1. */
static snug_status add_floats(snug__text *out, const char *name, const snug_floats *v) {
  char a[SNUG__NUMBER_BYTES], b[SNUG__NUMBER_BYTES];
  const char *last = snug__print_float(v->v[v->n - 1], b);
  if (v->n == 1 || (v->n == 2 && v->v[0] == -v->v[1])) {
    return snug__text_add(out, "%s=%s", name, last);
  }
  return snug__text_add(out, "%s=[%s,%s]", name, snug__print_float(v->v[0], a), last);
}

static bool flips(const snug__layer *layer) {
  return strcmp(snug__augmentation_step(layer->class_), "flip") == 0;
}

static bool moves(const snug__layer *layer) {
  const char *step = snug__augmentation_step(layer->class_);
  return strcmp(step, "rotation") == 0 || strcmp(step, "translation") == 0 ||
         strcmp(step, "zoom") == 0;
}

/* What is not the default of the step, behind its factors. */
static snug_status add_moving(snug__text *out, const snug__augmentation_config *k) {
  char digits[SNUG__NUMBER_BYTES];
  if (k->fill_mode) {
    SNUG_TRY(snug__text_add(out, ",fill_mode=%s", snug__augmentation_fills[k->fill_mode]));
  }
  if (k->interpolation) {
    SNUG_TRY(snug__text_add(out, ",interpolation=%s",
                            snug__augmentation_interpolations[k->interpolation]));
  }
  return k->fill_value != 0.0
             ? snug__text_add(out, ",fill_value=%s", snug__print_float(k->fill_value, digits))
             : SNUG_OK;
}

static snug_status add_step(snug__text *out, const snug__layer *layer) {
  const snug__augmentation_config *k = layer->config;
  const struct {
    const char *name;
    const snug_floats *list;
  } lists[] = {{"factor", &k->factor},
               {"height_factor", &k->height_factor},
               {"width_factor", &k->width_factor},
               {"value_range", &k->value_range}};
  const char *comma = "";
  SNUG_TRY(snug__text_add(out, "%s%s", *snug__text_get(out) ? "," : "",
                          snug__augmentation_step(layer->class_)));
  if (flips(layer)) {
    return snug__text_add(out, "=%s", snug__augmentation_modes[k->mode]);
  }
  SNUG_TRY(snug__text_add(out, "("));
  for (size_t i = 0; i < SNUG_COUNT(lists); i++) {
    if (lists[i].list->n) {
      SNUG_TRY(snug__text_add(out, "%s", comma));
      SNUG_TRY(add_floats(out, lists[i].name, lists[i].list));
      comma = ",";
    }
  }
  SNUG_TRY(moves(layer) ? add_moving(out, k) : SNUG_OK);
  return snug__text_add(out, ")");
}

/* ---- where they stand ---- */

typedef struct walk {
  const snug_model *m;
  snug__text text;
  const snug__layer *resizing, *rescaling; /* before the next step; NULL: none */
  uint32_t seen;                           /* layers of augmentation on the way */
} walk;

static const snug__layer *layer_of(const snug_model *m, const snug__model_call *call) {
  return &SNUG_VEC(&m->layers, snug__layer, call->layer);
}

static const snug__model_call *call_at(const snug_model *m, size_t i) {
  return &SNUG_VEC(&m->calls, snug__model_call, i);
}

/* The call that alone reads a tensor, or NULL. */
static const snug__model_call *only_reader(const snug_model *m, snug_tensor tensor) {
  const snug__model_call *found = NULL;
  size_t n = 0;
  for (size_t i = 0; i < m->outputs.n; i++) {
    n += SNUG_VEC(&m->outputs, snug_tensor, i) == tensor;
  }
  for (size_t i = 0; i < m->calls.n; i++) {
    for (int32_t k = 0; k < call_at(m, i)->n_in; k++) {
      if (call_at(m, i)->in[k] == tensor) {
        found = call_at(m, i);
        n++;
      }
    }
  }
  return n == 1 ? found : NULL;
}

static bool acts(const snug_model *m, const snug__model_call *call) {
  return snug__augmentation_step(layer_of(m, call)->class_);
}

static snug_status refuse(const walk *w, const snug__layer *layer, const char *where,
                          const char *other) {
  return snug__fail(
      w->m->ctx, SNUG_E_UNSUPPORTED,
      "layer '%s' (%s) augments at random %s%s: images that are augmented as they are "
      "read would come out otherwise; put it first, directly behind the input",
      layer->name, layer->class_->name, where, other);
}

/* Flips go with resizing and rescaling; a step that moves pixels goes with rescaling, as long as
 * what it fills in is made of pixels. */
static snug_status take(walk *w, const snug__layer *layer) {
  const snug__augmentation_config *k = layer->config;
  bool keeps = moves(layer) && strcmp(snug__augmentation_fills[k->fill_mode], "constant") != 0;
  w->seen++;
  if (w->resizing && !flips(layer)) {
    return refuse(w, layer, "behind ", w->resizing->name);
  }
  if (w->rescaling && !flips(layer) && !keeps) {
    return refuse(w, layer, "behind ", w->rescaling->name);
  }
  return add_step(&w->text, layer);
}

/* From the input on, as long as there is one way. */
static snug_status follow(walk *w) {
  const snug_model *m = w->m;
  const snug__model_call *call =
      m->inputs.n == 1 ? only_reader(m, SNUG_VEC(&m->inputs, snug__model_input, 0).tensor) : NULL;
  for (; call && call->n_in == 1; call = only_reader(m, call->out)) {
    const snug__layer *layer = layer_of(m, call);
    bool is_resizing = strcmp(layer->class_->name, "Resizing") == 0;
    bool is_rescaling = strcmp(layer->class_->name, "Rescaling") == 0;
    if (acts(m, call)) {
      SNUG_TRY(take(w, layer));
    } else if (!is_resizing && !is_rescaling && !snug__augmentation_step(layer->class_)) {
      return SNUG_OK;
    }
    w->resizing = is_resizing ? layer : w->resizing;
    w->rescaling = is_rescaling ? layer : w->rescaling;
  }
  return SNUG_OK;
}

static snug_status find(walk *w, const snug__layer *last, uint32_t n) {
  SNUG_TRY(follow(w));
  return w->seen < n ? refuse(w, last, "behind other layers", "") : SNUG_OK;
}

snug_status snug_model_augmentation(snug_model *m, const char **steps_out) {
  const snug__layer *last = NULL;
  uint32_t n = 0;
  if (!m || !steps_out) {
    return SNUG_E_ARGUMENT;
  }
  *steps_out = NULL;
  SNUG_TRY(snug__model_check(m));
  for (size_t i = 0; i < m->calls.n; i++) {
    bool is_one = acts(m, call_at(m, i));
    last = is_one ? layer_of(m, call_at(m, i)) : last;
    n += is_one;
  }
  if (n == 0) {
    return SNUG_OK;
  }
  walk w = {.m = m};
  snug__text_init(&w.text, m->ctx, TEXT_BYTES);
  snug_status s = find(&w, last, n);
  s = s ? s : snug__arena_text(&m->arena, snug__text_get(&w.text), steps_out);
  snug__text_release(&w.text);
  return s;
}

void snug_model_set_augmented(snug_model *m) {
  if (m) {
    m->is_augmented = true;
  }
}
