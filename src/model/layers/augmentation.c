/* Layers of random augmentation, which hand on what they get: see model/augmentation.h. */
#include "model/augmentation.h"

#include "model/layers/support.h"

const char *const snug__augmentation_modes[] = {"horizontal_and_vertical", "horizontal", "vertical",
                                                NULL};
const char *const snug__augmentation_fills[] = {"reflect", "wrap", "constant", "nearest", NULL};
const char *const snug__augmentation_interpolations[] = {"bilinear", "nearest", NULL};

#define FIELD(member, kind, initial) SNUG_FIELD(snug__augmentation_config, member, kind, initial)
#define MOVING_FIELDS                                                                          \
  LAYER_DATA_FORMAT,                                                                           \
      SNUG_CHOICE(snug__augmentation_config, fill_mode, snug__augmentation_fills, "reflect"),  \
      SNUG_CHOICE(snug__augmentation_config, interpolation, snug__augmentation_interpolations, \
                  "bilinear"),                                                                 \
      FIELD(fill_value, FLOAT, "0")

static const snug__field flip_fields[] = {
    SNUG__LAYER_FIELDS,
    LAYER_DATA_FORMAT,
    SNUG_CHOICE(snug__augmentation_config, mode, snug__augmentation_modes,
                "horizontal_and_vertical"),
    {0}};
static const snug__field rotation_fields[] = {
    SNUG__LAYER_FIELDS, FIELD(factor, FLOATS, NULL), MOVING_FIELDS, {0}};
static const snug__field two_axes_fields[] = {SNUG__LAYER_FIELDS,
                                              FIELD(height_factor, FLOATS, NULL),
                                              FIELD(width_factor, FLOATS, "none"),
                                              MOVING_FIELDS,
                                              {0}};
static const snug__field color_fields[] = {
    SNUG__LAYER_FIELDS, FIELD(factor, FLOATS, NULL), FIELD(value_range, FLOATS, "[0,255]"), {0}};

static snug_status hand_on(snug__layer_call *c) {
  const snug__augmentation_config *k = c->config;
  const snug_floats *lists[] = {&k->factor, &k->height_factor, &k->width_factor, &k->value_range};
  static const char *const names[] = {"factor", "height_factor", "width_factor", "value_range"};
  for (size_t i = 0; i < SNUG_COUNT(lists); i++) {
    if (lists[i]->n > 2) {
      return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: %s has %d numbers: expected 1 or 2",
                        c->layer->name, names[i], lists[i]->n);
    }
  }
  return snug__layer_as_real(c, c->in[0], &c->out);
}

#define AUGMENTATION(name, fields) \
  LAYER_CLASS(name, snug__augmentation_config, fields, 1, 1, hand_on, .masking = SNUG__MASK_PASSES)
AUGMENTATION(RandomFlip, flip_fields);
AUGMENTATION(RandomRotation, rotation_fields);
AUGMENTATION(RandomTranslation, two_axes_fields);
AUGMENTATION(RandomZoom, two_axes_fields);
AUGMENTATION(RandomContrast, color_fields);
AUGMENTATION(RandomBrightness, color_fields);
