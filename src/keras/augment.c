#include "keras/augment.h"

#include <string.h>

#include "base/number.h"

/* The name of a step, and the members of Keras's config that it is mostly about. */
typedef struct form {
  const char *class_name, *step, *member, *second;
} form;

static const form forms[] = {{"RandomFlip", "flip", "mode", NULL},
                             {"RandomRotation", "rotation", "factor", NULL},
                             {"RandomZoom", "zoom", "height_factor", "width_factor"},
                             {"RandomTranslation", "translation", "height_factor", "width_factor"},
                             {"RandomContrast", "contrast", "factor", NULL},
                             {"RandomBrightness", "brightness", "factor", NULL},
                             {"RandomCrop", "crop", "height", "width"}};

typedef struct writer {
  char *text;
  size_t bytes, used;
} writer;

static void put(writer *w, const char *text) {
  size_t n = strlen(text);
  if (w->used + n < w->bytes) {
    memcpy(w->text + w->used, text, n + 1);
  }
  w->used += n;
}

static void put_number(writer *w, double value) {
  char digits[SNUG__NUMBER_BYTES];
  put(w, snug__print_float(value, digits));
}

/* A word, a number, or two that are one where they go both ways: [-0.1, 0.1] is 0.1. */
static bool put_value(writer *w, const snug__json *value) {
  const snug__json *first = snug__json_at(value, 0);
  const snug__json *second = snug__json_at(value, 1);
  double a = 0.0, b = 0.0;
  if (snug__json_text(value)) {
    put(w, snug__json_text(value));
    return true;
  }
  if (snug__json_number(value, &a)) {
    put_number(w, a);
    return true;
  }
  if (!first || !second || !snug__json_number(first, &a) || !snug__json_number(second, &b)) {
    return false;
  }
  if (a == -b) {
    put_number(w, b);
    return true;
  }
  put(w, "[");
  put_number(w, a);
  put(w, ",");
  put_number(w, b);
  put(w, "]");
  return true;
}

static bool put_step(writer *w, const form *f, const snug__json *config) {
  const snug__json *second = f->second ? snug__json_get(config, f->second) : NULL;
  bool has_two = second && !snug__json_is_null(second);
  bool is_size = strcmp(f->step, "crop") == 0;
  put(w, w->used ? "," : "");
  put(w, f->step);
  put(w, has_two && !is_size ? "(height_factor=" : "=");
  bool good = put_value(w, snug__json_get(config, f->member));
  if (has_two) {
    put(w, is_size ? "x" : ",width_factor=");
    good = put_value(w, second) && good;
    put(w, is_size ? "" : ")");
  }
  return good && w->used < w->bytes;
}

static const form *form_of(const snug__config_item *item) {
  const form *found = NULL;
  for (size_t i = 0; i < SNUG_COUNT(forms); i++) {
    found = strcmp(forms[i].class_name, item->class_name) == 0 ? &forms[i] : found;
  }
  return found;
}

bool snug__config_augment_text(const snug__config_scope *scope, char *text, size_t bytes) {
  writer w = {text, bytes, 0};
  bool is_first = true;
  bool good = true;
  for (uint32_t i = 0; i < scope->n_items && good; i++) {
    const snug__config_item *item = &scope->items[i];
    bool is_random =
        item->kind == SNUG__CONFIG_LAYER && strncmp(item->class_name, "Random", 6) == 0;
    const form *f = is_random ? form_of(item) : NULL;
    good = !is_random || (is_first && f && put_step(&w, f, item->config));
    is_first = is_random || (is_first && item->kind == SNUG__CONFIG_INPUT);
  }
  return good && w.used > 0;
}
