#include "train/slots.h"

#include <string.h>

#include "base/size.h"
#include "base/store.h"
#include "device/device.h"

#define LEAST_BYTES (256 << 10) /* of a weight: its slots are worth a transfer */
#define LINE 64

bool snug__slots_are_free(const snug_model *m) {
  const snug__optimizer_options *o = &m->training->optimizer.o;
  return !snug__place_is_set(m->training->state) && m->ctx->queue.device->is_host && !o->use_ema &&
         o->gradient_accumulation_steps <= 1;
}

/* The weight that a state is a slot of ("optimizer/<slot>/<weight>"), or SNUG_NONE. */
static snug__id weight_of(const snug_model *m, const snug__variable *v) {
  static const char prefix[] = "optimizer/";
  bool is_slot = v->kind == SNUG__STATE && strncmp(v->name, prefix, sizeof prefix - 1) == 0;
  const char *name = is_slot ? strchr(v->name + sizeof prefix - 1, '/') : NULL;
  return name ? snug__variables_find(&m->variables, name + 1) : SNUG_NONE;
}

static size_t bytes_of(const snug__variable *v) {
  snug__type stored = snug__variable_stored(v);
  return (size_t)snug__type_bytes(&stored);
}

/* Put the slots of one weight into a window; the end of the file after them. */
static int64_t take_in(snug_model *m, snug__id weight, int32_t window, int64_t end) {
  size_t at = 0;
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable *v = snug__variable_at(&m->variables, i);
    if (weight_of(m, v) == weight) {
      v->home = (snug__home){.is_file = true, .window = window, .at = at, .offset = end};
      at += bytes_of(v) + (LINE - bytes_of(v) % LINE) % LINE;
      end += snug__round_up((int64_t)bytes_of(v), SNUG__STORE_ALIGN);
    }
  }
  return end;
}

/* Updates follow each other in the order of the weights, or against it: windows take turns. */
static int64_t take_in_all(snug_model *m) {
  const snug__training *t = m->training;
  int32_t window = 0;
  int64_t end = 0;
  for (size_t i = 0; i < t->n_trained; i++) {
    if (bytes_of(snug__variable_at(&m->variables, t->trained[i])) >= LEAST_BYTES) {
      int64_t before = end;
      end = take_in(m, t->trained[i], window, end);
      window = end > before ? 1 - window : window;
    }
  }
  return end;
}

void snug__slots_decide(snug_model *m, bool in_file) {
  snug__training *t = m->training;
  if (!snug__slots_are_free(m)) {
    return;
  }
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable_at(&m->variables, i)->home = (snug__home){0};
  }
  t->slots_bytes = in_file ? take_in_all(m) : 0;
  t->state_bytes = snug__variables_place(&m->variables, SNUG__STATE, SNUG__NOWHERE);
}

int64_t snug__slots_saved(snug_model *m, int64_t *file) {
  snug__training *t = m->training;
  *file = 0;
  if (!snug__slots_are_free(m)) {
    return 0;
  }
  snug__slots_decide(m, true);
  size_t less = t->state_bytes;
  *file = t->slots_bytes;
  snug__slots_decide(m, false);
  return (int64_t)t->state_bytes - (int64_t)less;
}

bool snug__slots_are_lost(const snug_model *m) {
  const snug__training *t = m->training;
  return t && t->store && snug__store_wait(t->store, 0) != SNUG_OK;
}

bool snug__slots_find(void *model, snug__id variable, int64_t *offset, int32_t *window) {
  const snug_model *m = model;
  const snug__home *h =
      variable < m->variables.list.n ? &snug__variable_at(&m->variables, variable)->home : NULL;
  *offset = h ? h->offset : 0;
  *window = h ? h->window : 0;
  return h && h->is_file;
}
