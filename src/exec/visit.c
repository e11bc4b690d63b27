#include "exec/visit.h"

#include <string.h>

#include "base/store.h"

/* ---- finding them ---- */

static snug_status add(snug__program *p, snug__visit *v, const snug__visited *one, int32_t window) {
  if (v->n == SNUG__MOST_VISITED || (v->n && v->window != window)) {
    return snug__fail(p->ctx, SNUG_E_INTERNAL, "item %zu works on too many variables of the file",
                      v->item);
  }
  v->window = window;
  v->list[v->n++] = *one;
  return SNUG_OK;
}

static snug_status collect(snug__program *p, size_t i, snug__find_home *find, void *arg,
                           snug__visit *v) {
  const snug__node *node = snug__node_at(p->graph, p->items[i].node);
  *v = (snug__visit){.item = i};
  for (int32_t k = 0; k < node->n_in; k++) {
    snug__id base = node->in[k] == SNUG_NONE ? SNUG_NONE : snug__value_base(p->graph, node->in[k]);
    const snug__value *x = base == SNUG_NONE ? NULL : snug__value_at(p->graph, base);
    snug__visited one = {.in = k};
    int32_t window = 0;
    if (x && x->kind == SNUG__STATE && find(arg, x->variable, &one.offset, &window)) {
      one.bytes = snug__type_bytes(&x->type);
      SNUG_TRY(add(p, v, &one, window));
    }
  }
  return SNUG_OK;
}

static bool is_visited(const snug__program *p, int64_t offset) {
  for (size_t i = 0; i < p->n_visits; i++) {
    for (int32_t k = 0; k < p->visits[i].n; k++) {
      if (p->visits[i].list[k].offset == offset) {
        return true;
      }
    }
  }
  return false;
}

static snug_status append(snug__program *p, const snug__visit *v) {
  for (int32_t k = 0; k < v->n; k++) {
    if (is_visited(p, v->list[k].offset)) {
      return snug__fail(p->ctx, SNUG_E_INTERNAL, "two items work on one variable of the file");
    }
  }
  p->visits[p->n_visits++] = *v;
  return SNUG_OK;
}

static size_t count(snug__program *p, snug__find_home *find, void *arg) {
  size_t n = 0;
  for (snug__id v = 0; v < p->graph->values.n; v++) {
    const snug__value *x = snug__value_at(p->graph, v);
    int64_t offset = 0;
    int32_t window = 0;
    n += x->kind == SNUG__STATE && x->view_of == SNUG_NONE &&
         find(arg, x->variable, &offset, &window);
  }
  return n;
}

snug_status snug__program_visit(snug__program *p, snug__find_home *find, void *arg) {
  size_t most = count(p, find, arg);
  SNUG_TRY(snug__arena_take(&p->arena, most * sizeof *p->visits, (void **)&p->visits));
  for (size_t i = 0; i < p->n_items; i++) {
    snug__visit v;
    SNUG_TRY(collect(p, i, find, arg, &v));
    SNUG_TRY(v.n ? append(p, &v) : SNUG_OK);
  }
  return SNUG_OK;
}

/* ---- making them ---- */

static snug_status wait_for(const snug__program *p, const snug__visit *v) {
  for (int32_t k = 0; k < v->n; k++) {
    SNUG_TRY(snug__store_wait(p->home, v->list[k].ticket));
  }
  return SNUG_OK;
}

static void start(const snug__program *p, snug__visit *v, bool writes) {
  const snug__item *item = &p->items[v->item];
  for (int32_t k = 0; k < v->n; k++) {
    snug__visited *x = &v->list[k];
    void *at = (void *)(uintptr_t)item->in[x->in]; /* a window is written to by its item, too */
    x->ticket = writes ? snug__store_write(p->home, at, x->offset, x->bytes)
                       : snug__store_read(p->home, at, x->offset, x->bytes);
  }
}

void snug__visits_begin(snug__program *p) {
  if (p->n_visits) {
    start(p, &p->visits[0], false);
  }
}

snug_status snug__visit_enter(snug__program *p, size_t item, size_t next) {
  bool is_visit = next < p->n_visits && p->visits[next].item == item;
  return is_visit ? wait_for(p, &p->visits[next]) : SNUG_OK;
}

/* The window of a visit is free when the one that had it last is written. */
static snug_status wait_for_window(const snug__program *p, size_t visit) {
  for (size_t i = visit; i-- > 0;) {
    if (p->visits[i].window == p->visits[visit].window) {
      return wait_for(p, &p->visits[i]);
    }
  }
  return SNUG_OK;
}

snug_status snug__visit_leave(snug__program *p, size_t item, size_t *next) {
  if (*next >= p->n_visits || p->visits[*next].item != item) {
    return SNUG_OK;
  }
  start(p, &p->visits[*next], true);
  if (++*next < p->n_visits) {
    SNUG_TRY(wait_for_window(p, *next));
    start(p, &p->visits[*next], false);
  }
  return SNUG_OK;
}

snug_status snug__visits_end(snug__program *p) {
  for (size_t i = 0; i < p->n_visits; i++) {
    SNUG_TRY(wait_for(p, &p->visits[i]));
  }
  return SNUG_OK;
}
