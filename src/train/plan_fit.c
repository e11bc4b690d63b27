/* The plan of a fit as an object of its own: totals and bytes by layer. */
#include "base/map.h"
#include "train/fit.h"

struct snug_plan {
  snug_ctx *ctx;
  snug__arena arena;
  snug_memory_report memory;
  snug_layer_memory *layers;
  size_t n_layers;
};

/* A plan in the making: the rows are found by the layer's name. */
typedef struct table {
  snug_plan *p;
  snug__map rows;
} table;

/* The row of a layer's name, made on first use; there is room for every name there is. */
static snug_status row_of(table *t, const char *layer, snug_layer_memory **out) {
  uint32_t i = snug__map_find(&t->rows, layer);
  if (i == SNUG__MAP_NONE) {
    i = (uint32_t)t->p->n_layers;
    SNUG_TRY(snug__map_set(&t->rows, layer, i));
    t->p->layers[t->p->n_layers++] = (snug_layer_memory){.layer = layer};
  }
  *out = &t->p->layers[i];
  return SNUG_OK;
}

static snug_status add_steps(table *t, const snug__graph *g, const int64_t *by_layer) {
  for (snug__id i = 0; i < g->layers.n; i++) {
    snug_layer_memory *row = NULL;
    SNUG_TRY(row_of(t, snug__layer_name(g, i), &row));
    row->step += (uint64_t)by_layer[i];
  }
  return SNUG_OK;
}

static snug_status add_variables(table *t, const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    snug__type stored = snug__variable_stored(v);
    uint64_t bytes = (uint64_t)snug__type_bytes(&stored);
    snug_layer_memory *row = NULL;
    SNUG_TRY(row_of(t, v->layer, &row));
    row->weights += v->kind == SNUG__WEIGHT ? bytes : 0;
    row->optimizer += v->kind == SNUG__STATE ? bytes : 0;
  }
  return SNUG_OK;
}

static snug_status copy_names(snug_plan *p) {
  for (size_t i = 0; i < p->n_layers; i++) {
    SNUG_TRY(snug__arena_text(&p->arena, p->layers[i].layer, &p->layers[i].layer));
  }
  return SNUG_OK;
}

static snug_status fill(snug_plan *p, const snug__fit *f) {
  const snug__run *run = snug__session_largest(&f->session);
  const snug__graph *g = run->program->graph;
  size_t room = g->layers.n + f->model->variables.list.n + 1;
  int64_t *by_layer = NULL;
  snug__peak peak;
  p->memory = f->history->memory;
  SNUG_TRY(snug__arena_take(&p->arena, room * sizeof *p->layers, (void **)&p->layers));
  SNUG_TRY(snug__arena_take(&p->arena, g->layers.n * sizeof *by_layer, (void **)&by_layer));
  SNUG_TRY(snug__plan_peak(run->program->plan, g, &peak, by_layer));
  table t = {.p = p};
  snug__map_init(&t.rows, p->ctx, SNUG__MEM_SCRATCH);
  snug_status s = add_steps(&t, g, by_layer);
  s = s ? s : add_variables(&t, f->model);
  snug__map_release(&t.rows);
  return s ? s : copy_names(p);
}

static snug_status make(snug_ctx *ctx, const snug__fit *f, snug_plan **out) {
  snug_plan *p = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_PLAN, &p));
  p->ctx = ctx;
  snug__arena_init(&p->arena, ctx, SNUG__MEM_PLAN);
  snug_status s = fill(p, f);
  if (s) {
    snug_plan_destroy(p);
    return s;
  }
  *out = p;
  return SNUG_OK;
}

snug_status snug_plan_fit(snug_model *m, const snug_data *data, const snug_fit_options *options,
                          snug_plan **out) {
  snug__fit f;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!out) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "plan: there is no place for it (out is NULL)");
  }
  *out = NULL;
  SNUG_TRY(snug__fit_open(&f, m, data, options));
  snug_status s = make(m->ctx, &f, out);
  snug__fit_close(&f, s, NULL);
  return s;
}

void snug_plan_destroy(snug_plan *p) {
  if (p) {
    snug__arena_release(&p->arena);
    snug__give(p->ctx, SNUG__MEM_PLAN, p, sizeof *p);
  }
}

void snug_plan_memory(const snug_plan *p, snug_memory_report *out) {
  if (out) {
    *out = p ? p->memory : (snug_memory_report){0};
  }
}

size_t snug_plan_layers(const snug_plan *p) { return p ? p->n_layers : 0; }

void snug_plan_layer(const snug_plan *p, size_t i, snug_layer_memory *out) {
  if (out) {
    *out = p && i < p->n_layers ? p->layers[i] : (snug_layer_memory){"", 0, 0, 0};
  }
}
