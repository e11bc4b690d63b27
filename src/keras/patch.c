/* The config to be saved: the one that was found, with a few values exchanged.
 *
 * The pieces to exchange are found by walking over the text, which is never built up anew: what
 * Snug does not know of in it stays byte by byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "keras/compile_print.h"
#include "keras/describe.h"
#include "keras/json_print.h"
#include "keras/order.h"
#include "keras/span.h"

#define NAME_BYTES 1024
#define MOST_BYTES ((size_t)1 << 30)

/* What stands at a place of the text from now on; `from` and `to` may be the same. */
typedef struct edit {
  const char *from, *to;
  const char *text;
} edit;

typedef struct patching {
  snug_model *m;
  snug__arena arena;
  snug__vec edits;  /* edit */
  snug__map places; /* "path of the model around\nname": index of the place */
  snug__keras_order order;
  bool is_frozen; /* the model as a whole */
} patching;

static snug_status add_edit(patching *p, const char *from, const char *to, const char *text) {
  edit e = {from, to, text};
  return snug__vec_push(&p->edits, &e, 1);
}

/* ---- which layer an entry is ---- */

/* The path of the model that a path is in: without its last two parts. */
static size_t outer_length(const char *path) {
  size_t n = strlen(path);
  for (int parts = 0; parts < 2 && n > 0; parts++) {
    do {
      n--;
    } while (n > 0 && path[n] != '/');
  }
  return n;
}

static snug_status list_places(patching *p) {
  const snug__vec *places = &p->m->keras->places;
  for (uint32_t i = 0; i < places->n; i++) {
    const snug__keras_place *place = &SNUG_VEC(places, snug__keras_place, i);
    size_t n = outer_length(place->path);
    size_t bytes = n + 1 + strlen(place->name) + 1;
    char *key = NULL;
    SNUG_TRY(snug__arena_take(&p->arena, bytes, (void **)&key));
    snprintf(key, bytes, "%.*s\n%s", (int)n, place->path, place->name);
    if (place->path[0]) {
      SNUG_TRY(snug__map_set(&p->places, key, i));
    }
  }
  return SNUG_OK;
}

static const snug__keras_place *find_place(const patching *p, const char *outer, snug__span name) {
  char text[NAME_BYTES];
  char key[2 * NAME_BYTES];
  if (!snug__span_text(name, text, sizeof text)) {
    return NULL;
  }
  int n = snprintf(key, sizeof key, "%s\n%s", outer, text);
  uint32_t i = n < (int)sizeof key ? snug__map_find(&p->places, key) : SNUG__MAP_NONE;
  return i == SNUG__MAP_NONE ? NULL : &SNUG_VEC(&p->m->keras->places, snug__keras_place, i);
}

static const snug__keras_place *place_of(const patching *p, const char *outer, snug__span entry,
                                         snug__span config) {
  const snug__keras_place *place = find_place(p, outer, snug__span_get(config, "name"));
  return place ? place : find_place(p, outer, snug__span_get(entry, "name"));
}

/* ---- flags ---- */

static const snug__layer *layer_of(const patching *p, const snug__keras_place *place) {
  return place->layer < p->m->layers.n ? &SNUG_VEC(&p->m->layers, snug__layer, place->layer) : NULL;
}

/* A config without the flag is one of a trainable layer; not every class takes the flag, but those
 * with weights do. */
static snug_status patch_flag(patching *p, const snug__keras_place *place, snug__span config) {
  const snug__layer *layer = layer_of(p, place);
  snug__span flag = snug__span_get(config, "trainable");
  size_t n_weights = 0;
  if (!layer) {
    return SNUG_OK;
  }
  bool now = snug__layer_is_trainable(layer);
  bool found = !snug__span_is(flag, "false") && !p->is_frozen;
  snug__keras_order_of(&p->order, place, &n_weights);
  if (now == found) {
    return SNUG_OK;
  }
  if (flag.at) {
    return add_edit(p, flag.at, flag.end, now ? "true" : "false");
  }
  const char *inside = snug__span_inside(config).at;
  return inside && n_weights && !now ? add_edit(p, inside, inside, "\"trainable\": false, ")
                                     : SNUG_OK;
}

static snug_status patch_layers(patching *p, const char *path, snug__span config) {
  snug__span rest = snug__span_inside(snug__span_get(config, "layers"));
  snug__span entry;
  while (snug__span_next_item(&rest, &entry)) {
    snug__span inner = snug__span_get(entry, "config");
    const snug__keras_place *place = inner.at ? place_of(p, path, entry, inner) : NULL;
    if (place) {
      SNUG_TRY(patch_flag(p, place, inner));
      SNUG_TRY(patch_layers(p, place->path, inner));
    }
  }
  return SNUG_OK;
}

static bool has_trainable_layer(const snug_model *m) {
  for (size_t i = 0; i < m->layers.n; i++) {
    if (snug__layer_is_trainable(&SNUG_VEC(&m->layers, snug__layer, i))) {
      return true;
    }
  }
  return false;
}

/* A Functional model that is frozen as a whole trains nothing, whatever its layers say; of other
 * models Keras does not read the flag. */
static snug_status patch_model_flag(patching *p, snug__span root) {
  snug__span flag = snug__span_get(snug__span_get(root, "config"), "trainable");
  bool is_sequential = snug__span_is(snug__span_get(root, "class_name"), "\"Sequential\"");
  p->is_frozen = !is_sequential && snug__span_is(flag, "false");
  if (!p->is_frozen || !has_trainable_layer(p->m)) {
    return SNUG_OK;
  }
  p->is_frozen = false;
  return add_edit(p, flag.at, flag.end, "true");
}

/* ---- how it is trained ---- */

static snug_status keep_text(patching *p, const snug__text *text, const char **out) {
  return snug__arena_text(&p->arena, snug__text_get(text), out);
}

static snug_status print_rate(const snug_model *m, snug__text *out) {
  return snug__json_print_float(snug__keras_learning_rate(m), out);
}

/* Print with a function into a text that lives as long as the patching. */
static snug_status print(patching *p, snug_status (*what)(const snug_model *, snug__text *),
                         const char **out) {
  snug__text text;
  snug__text_init(&text, p->m->ctx, MOST_BYTES);
  snug_status s = what(p->m, &text);
  s = s ? s : keep_text(p, &text, out);
  snug__text_release(&text);
  return s;
}

static snug_status patch_rate(patching *p, snug__span compile_config) {
  snug__span config = snug__span_get(snug__span_get(compile_config, "optimizer"), "config");
  snug__span rate = snug__span_get(config, "learning_rate");
  const char *at = rate.at;
  const char *text = NULL;
  double found = 0.0;
  bool follows_schedule = p->m->training->optimizer.schedule.kind != NULL;
  if (!snug__span_is_number(rate) || follows_schedule ||
      (snug__read_float(&at, &found) && (float)found == (float)snug_model_learning_rate(p->m))) {
    return SNUG_OK;
  }
  SNUG_TRY(print(p, print_rate, &text));
  return add_edit(p, rate.at, rate.end, text);
}

static snug_status print_compile_member(const snug_model *m, snug__text *out) {
  SNUG_TRY(snug__text_add(out, ", \"compile_config\": "));
  return snug__keras_print_compile(m, out);
}

static snug_status patch_compile(patching *p, snug__span root) {
  snug__span found = snug__span_get(root, "compile_config");
  const char *text = NULL;
  if (!p->m->training) {
    return SNUG_OK;
  }
  if (p->m->compiles == p->m->keras->compiles) {
    return patch_rate(p, found);
  }
  SNUG_TRY(print(p, found.at ? snug__keras_print_compile : print_compile_member, &text));
  return found.at ? add_edit(p, found.at, found.end, text)
                  : add_edit(p, root.end - 1, root.end - 1, text);
}

/* ---- all ---- */

static int compare(const void *a, const void *b) {
  const edit *x = a;
  const edit *y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

static snug_status add_piece(snug__text *out, const char *from, const char *to) {
  return snug__text_add(out, "%.*s", (int)(to - from), from);
}

static snug_status apply(patching *p, snug__text *out) {
  const char *at = p->m->keras->config;
  const char *end = at + p->m->keras->config_bytes;
  if (p->edits.n) {
    qsort(p->edits.data, p->edits.n, sizeof(edit), compare);
  }
  for (size_t i = 0; i < p->edits.n; i++) {
    const edit *e = &SNUG_VEC(&p->edits, edit, i);
    SNUG_TRY(add_piece(out, at, e->from));
    SNUG_TRY(snug__text_add(out, "%s", e->text));
    at = e->to;
  }
  return add_piece(out, at, end);
}

static snug_status patch(patching *p, snug__text *out) {
  const snug__keras *k = p->m->keras;
  snug__span root = snug__span_value((snug__span){k->config, k->config + k->config_bytes});
  SNUG_TRY(list_places(p));
  SNUG_TRY(patch_model_flag(p, root));
  SNUG_TRY(patch_layers(p, "", snug__span_get(root, "config")));
  SNUG_TRY(patch_compile(p, root));
  return apply(p, out);
}

snug_status snug__keras_patched(snug_model *m, snug__text *out) {
  patching p = {.m = m};
  SNUG_TRY(snug__keras_order_init(&p.order, m));
  snug__arena_init(&p.arena, m->ctx, SNUG__MEM_SCRATCH);
  snug__map_init(&p.places, m->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&p.edits, m->ctx, SNUG__MEM_SCRATCH, sizeof(edit), UINT32_MAX);
  snug_status s = patch(&p, out);
  snug__vec_release(&p.edits);
  snug__map_release(&p.places);
  snug__arena_release(&p.arena);
  snug__keras_order_release(&p.order);
  return s;
}
