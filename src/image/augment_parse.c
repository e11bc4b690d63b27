/* The text of an augmentation list.  An item `name=value` is the same as name(first=value), where
 * `first` is the option that the step is mostly about; so all go through one table of fields. */
#include <string.h>

#include "base/fields.h"
#include "image/augment.h"
#include "image/option.h"

#define ITEM_BYTES 256

/* Options of all steps. */
typedef struct options {
  snug_floats factor, height_factor, width_factor, value_range;
  int32_t mode, fill_mode, interpolation;
  double fill_value;
  char size[SNUG__NAME_BYTES];
} options;

static const char *const flip_modes[] = {"horizontal", "vertical", "horizontal_and_vertical", NULL};
static const char *const interpolations[] = {"nearest", "bilinear", NULL};

#define MOVING_FIELDS                                                  \
  SNUG_CHOICE(options, fill_mode, snug__fill_names, "reflect"),        \
      SNUG_CHOICE(options, interpolation, interpolations, "bilinear"), \
      SNUG_FIELD(options, fill_value, FLOAT, "0"), {                   \
    NULL                                                               \
  }

static const snug__field flip_fields[] = {SNUG_CHOICE(options, mode, flip_modes, "horizontal"),
                                          {NULL}};
static const snug__field rotation_fields[] = {SNUG_FIELD(options, factor, FLOATS, "none"),
                                              MOVING_FIELDS};
static const snug__field two_axes_fields[] = {
    SNUG_FIELD(options, factor, FLOATS, "none"), SNUG_FIELD(options, height_factor, FLOATS, "none"),
    SNUG_FIELD(options, width_factor, FLOATS, "none"), MOVING_FIELDS};
static const snug__field color_fields[] = {SNUG_FIELD(options, factor, FLOATS, "none"),
                                           SNUG_FIELD(options, value_range, FLOATS, "[0,255]"),
                                           {NULL}};
static const snug__field crop_fields[] = {SNUG_FIELD(options, size, TEXT, NULL), {NULL}};

/* A step as it is written; `least` to 1 is what factors may be. */
typedef struct form {
  const char *name;
  snug__augment_kind kind;
  const snug__field *fields; /* the first is what name=value sets */
  double least;
  bool is_least_out; /* least itself is not allowed */
} form;

static const form forms[] = {{"flip", SNUG__FLIP, flip_fields, 0.0, false},
                             {"rotation", SNUG__ROTATION, rotation_fields, -1.0, false},
                             {"translation", SNUG__TRANSLATION, two_axes_fields, -1.0, false},
                             {"zoom", SNUG__ZOOM, two_axes_fields, -1.0, true},
                             {"contrast", SNUG__CONTRAST, color_fields, 0.0, false},
                             {"brightness", SNUG__BRIGHTNESS, color_fields, -1.0, false},
                             {"crop", SNUG__RANDOM_CROP, crop_fields, 0.0, false}};

/* ---- numbers ---- */

static bool is_allowed(const form *f, double x) {
  return x <= 1.0 && (f->is_least_out ? x > f->least : x >= f->least);
}

/* One number goes both ways, two are the ends. */
static snug_status set_range(snug_ctx *ctx, const form *f, const snug_floats *factor, int axis,
                             snug__augment_step *out) {
  double a = factor->n ? factor->v[0] : 0.0;
  double b = factor->n == 2 ? factor->v[1] : a;
  if (factor->n < 1 || factor->n > 2) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "augment: %s wants a number or two, as %s=0.1 or %s=[-0.1,0.2]", f->name,
                      f->name, f->name);
  }
  if (!is_allowed(f, a) || !is_allowed(f, b)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "augment: %s=%g is outside of %s%g, 1]", f->name,
                      is_allowed(f, a) ? b : a, f->is_least_out ? "(" : "[", f->least);
  }
  if (factor->n == 1) {
    b = a < 0.0 ? -a : a;
    a = -b;
  }
  out->low[axis] = a < b ? a : b;
  out->high[axis] = a < b ? b : a;
  return SNUG_OK;
}

/* A factor for both axes, or one for each; the width of a zoom may be left to its height. */
static snug_status set_axes(snug_ctx *ctx, const form *f, const options *o,
                            snug__augment_step *out) {
  bool both = o->factor.n > 0;
  if (both && (o->height_factor.n || o->width_factor.n)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "augment: %s has a factor and one for an axis; give either", f->name);
  }
  const snug_floats *height = both ? &o->factor : &o->height_factor;
  out->is_tied = f->kind == SNUG__ZOOM && !o->width_factor.n;
  const snug_floats *width = both || out->is_tied ? height : &o->width_factor;
  SNUG_TRY(set_range(ctx, f, height, 0, out));
  return set_range(ctx, f, width, 1, out);
}

/* Around 1; a single number is both ends, as Keras's documentation has it. */
static snug_status set_contrast(snug_ctx *ctx, const form *f, const options *o,
                                snug__augment_step *out) {
  SNUG_TRY(set_range(ctx, f, &o->factor, 0, out));
  out->low[0] = o->factor.n == 1 ? 1.0 + out->low[0] : 1.0 - out->low[0];
  out->high[0] += 1.0;
  return SNUG_OK;
}

static snug_status set_value_range(snug_ctx *ctx, const form *f, const options *o,
                                   snug__augment_step *out) {
  const snug_floats *r = &o->value_range;
  if (r->n != 2 || r->v[0] >= r->v[1]) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "augment: value_range of %s is two numbers, the lower one first", f->name);
  }
  out->range[0] = r->v[0];
  out->range[1] = r->v[1];
  return SNUG_OK;
}

/* ---- steps ---- */

static snug_status set_step(snug_ctx *ctx, const form *f, const options *o,
                            snug__augment_step *out) {
  *out = (snug__augment_step){.kind = f->kind,
                              .flip = (snug__flip_mode)o->mode,
                              .interpolation = (snug__interpolation)o->interpolation,
                              .fill_mode = (snug__fill_mode)o->fill_mode,
                              .fill_value = o->fill_value};
  switch (f->kind) {
    case SNUG__FLIP:
      return SNUG_OK;
    case SNUG__RANDOM_CROP:
      return snug__option_size(ctx, "augment: crop", o->size, &out->height, &out->width);
    case SNUG__TRANSLATION:
    case SNUG__ZOOM:
      return set_axes(ctx, f, o, out);
    case SNUG__CONTRAST:
      SNUG_TRY(set_value_range(ctx, f, o, out));
      return set_contrast(ctx, f, o, out);
    case SNUG__BRIGHTNESS:
      SNUG_TRY(set_value_range(ctx, f, o, out));
      return set_range(ctx, f, &o->factor, 0, out);
    case SNUG__ROTATION:
      break;
  }
  return set_range(ctx, f, &o->factor, 0, out);
}

static const form *find_form(const char *name, size_t n) {
  for (size_t i = 0; i < SNUG_COUNT(forms); i++) {
    if (strlen(forms[i].name) == n && memcmp(forms[i].name, name, n) == 0) {
      return &forms[i];
    }
  }
  return NULL;
}

/* The options of an item as fields read them, into text: of "zoom=0.1" "factor=0.1", of
 * "zoom(factor=0.1)" what is in the parentheses.  False if it is neither. */
static bool options_text(const form *f, const char *rest, char text[ITEM_BYTES]) {
  size_t n = strlen(rest);
  if (n == 0) {
    text[0] = 0;
  } else if (rest[0] == '=') {
    snprintf(text, ITEM_BYTES, "%s=%s", f->fields[0].name, rest + 1);
  } else if (rest[0] == '(' && rest[n - 1] == ')') {
    snprintf(text, ITEM_BYTES, "%.*s", (int)(n - 2), rest + 1);
  } else {
    return false;
  }
  return true;
}

static snug_status refuse_name(snug_ctx *ctx, const char *item) {
  return snug__fail(ctx, SNUG_E_ARGUMENT,
                    "augment: there is no '%.60s'; steps are flip, rotation, translation, zoom, "
                    "contrast, brightness, crop, as in flip,zoom=0.1",
                    item);
}

static snug_status read_item(snug_ctx *ctx, const char *item, snug__augment_step *out) {
  char where[32], text[ITEM_BYTES];
  size_t n = strcspn(item, "=( ");
  const form *f = find_form(item, n);
  if (!f || !options_text(f, item + n, text)) {
    return refuse_name(ctx, item);
  }
  options o = {0};
  snprintf(where, sizeof where, "augment: %s", f->name);
  SNUG_TRY(snug__fields_parse(ctx, where, f->fields, text, &o));
  return set_step(ctx, f, &o, out);
}

/* The length of an item: up to a comma that is in no brackets. */
static size_t item_length(const char *text) {
  int depth = 0;
  size_t n = 0;
  for (; text[n] && (text[n] != ',' || depth > 0); n++) {
    depth += text[n] == '(' || text[n] == '[';
    depth -= text[n] == ')' || text[n] == ']';
  }
  return n;
}

static snug_status add_item(snug_ctx *ctx, const char *text, size_t n, snug__augment *out) {
  char item[ITEM_BYTES];
  int32_t height, width;
  if (n == 0 || n >= sizeof item - SNUG__NAME_BYTES / 4 || out->n == SNUG__AUGMENT_MAX) {
    return snug__fail(
        ctx, SNUG_E_ARGUMENT,
        "augment: '%.60s' has a step that is empty or too long, or there are more than "
        "%d",
        text, SNUG__AUGMENT_MAX);
  }
  memcpy(item, text, n);
  item[n] = 0;
  bool has_crop = snug__augment_crop(out, &height, &width);
  snug__augment_step *step = &out->steps[out->n];
  SNUG_TRY(read_item(ctx, item, step));
  if (has_crop && step->kind == SNUG__RANDOM_CROP) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "augment: images are cropped twice");
  }
  out->n++;
  return SNUG_OK;
}

snug_status snug__augment_parse(snug_ctx *ctx, const char *text, snug__augment *out) {
  memset(out, 0, sizeof *out);
  const char *at = text ? text : "";
  while (*at) {
    at += strspn(at, " ");
    size_t n = item_length(at);
    snug_status s = add_item(ctx, at, n, out);
    if (s) {
      memset(out, 0, sizeof *out);
      return s;
    }
    at += n;
    if (*at == ',' && !at[1]) {
      return snug__fail(ctx, SNUG_E_ARGUMENT, "augment: '%.60s' ends with a comma", text);
    }
    at += *at == ',';
  }
  return SNUG_OK;
}
