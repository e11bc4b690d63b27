/* The plan of a fit as an object of its own: totals and bytes by layer. */
#include <string.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/struct_size.h"
#include "graph/op.h"
#include "snug/plan.h"
#include "train/fit.h"
#include "train/fit_plan.h"
#include "train/stand_in.h"

struct snug_plan {
  snug_ctx *ctx;
  snug__arena arena;
  snug_memory_report memory;
  snug_data_report data;
  snug_layer_memory *layers;
  size_t n_layers;
  snug_plan_point *points; /* from the fastest to the least */
  size_t n_points, chosen;
  bool fits;
  uint64_t least;
  bool resumes;
  snug_plan_buffer *buffers;
  size_t n_buffers;
  snug_plan_moment peak;
  uint64_t validation; /* bytes of the block that it needs */
  const char *kernels, *note;
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
    t->p->layers[t->p->n_layers++] =
        (snug_layer_memory){.struct_size = sizeof(snug_layer_memory), .layer = layer};
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
    row->optimizer += v->kind == SNUG__STATE && !v->home.is_file ? bytes : 0;
  }
  return SNUG_OK;
}

static snug_status copy_names(snug_plan *p) {
  for (size_t i = 0; i < p->n_layers; i++) {
    SNUG_TRY(snug__arena_text(&p->arena, p->layers[i].layer, &p->layers[i].layer));
  }
  return SNUG_OK;
}

/* ---- the block over time ---- */

/* What a buffer is: a node's scratch, or the value that lies in it first. */
static snug_plan_buffer describe(const snug__graph *g, const snug__buffer *b, int64_t base) {
  const snug__value *v = b->value == SNUG_NONE ? NULL : snug__value_at(g, b->value);
  snug__id maker = v ? v->producer : b->node;
  snug__id layer = v ? v->layer : snug__node_at(g, b->node)->layer;
  return (snug_plan_buffer){.struct_size = sizeof(snug_plan_buffer),
                            .offset = (uint64_t)(base + b->offset),
                            .bytes = (uint64_t)b->bytes,
                            .first = b->first,
                            .end = b->end,
                            .layer = snug__layer_name(g, layer),
                            .op = maker == SNUG_NONE ? "" : snug__node_at(g, maker)->op->name,
                            .what = snug__class_text(v ? v->class_ : SNUG__CLASS_SCRATCH)};
}

/* The sums of the gradients of micro-batches lie before all else, from the first item to the last.
 */
static snug_plan_buffer describe_sums(const snug__run *run) {
  return (snug_plan_buffer){.struct_size = sizeof(snug_plan_buffer),
                            .bytes = (uint64_t)run->base,
                            .end = (int64_t)run->program->plan->n_nodes,
                            .layer = "sums",
                            .op = "",
                            .what = snug__class_text(SNUG__CLASS_GRADIENTS)};
}

static snug_status fill_buffers(snug_plan *p, const snug__run *run) {
  const snug__plan *plan = run->program->plan;
  size_t n = plan->n_buffers + (run->base > 0);
  SNUG_TRY(snug__arena_take(&p->arena, n * sizeof *p->buffers, (void **)&p->buffers));
  for (size_t i = 0; i < plan->n_buffers; i++) {
    snug_plan_buffer *b = &p->buffers[p->n_buffers++];
    *b = describe(run->program->graph, &plan->buffers[i], run->base);
    SNUG_TRY(snug__arena_text(&p->arena, b->layer, &b->layer));
  }
  if (run->base > 0) {
    p->buffers[p->n_buffers++] = describe_sums(run);
  }
  return SNUG_OK;
}

static snug_status fill_peak(snug_plan *p, const snug__run *run, const snug__peak *peak) {
  const snug__program *program = run->program;
  const snug__plan *plan = program->plan;
  if (peak->position >= (int64_t)plan->n_nodes) {
    return SNUG_OK;
  }
  const snug__node *node = snug__node_at(program->graph, plan->order[peak->position]);
  p->peak = (snug_plan_moment){.struct_size = sizeof(snug_plan_moment),
                               .item = peak->position,
                               .items = (int64_t)plan->n_nodes,
                               .op = node->op->name,
                               .backward = node->backward,
                               .bytes = (uint64_t)(run->base + peak->bytes)};
  return snug__arena_text(&p->arena, snug__layer_name(program->graph, node->layer), &p->peak.layer);
}

/* Validation runs in the block of the step; it may need more of it than training does. */
static void fill_validation(snug_plan *p, const snug__session *s, const snug__run *largest) {
  for (snug__slot slot = SNUG__SLOT_VALIDATION; slot < SNUG__SLOT_COUNT; slot++) {
    const snug__run *run = &s->runs[slot];
    uint64_t bytes = run->program ? (uint64_t)snug__program_height(run->program) : 0;
    p->validation = bytes > p->validation ? bytes : p->validation;
    p->peak.validation = p->peak.validation || run == largest;
  }
}

static snug_status fill_points(snug_plan *p, const snug__fit *f) {
  size_t bytes = f->plan.n_points * sizeof *p->points;
  SNUG_TRY(snug__arena_take(&p->arena, bytes, (void **)&p->points));
  memcpy(p->points, f->plan.points, bytes);
  p->n_points = f->plan.n_points;
  p->chosen = f->plan.chosen;
  p->least = f->plan.least;
  p->fits = snug__fit_is_planned(f);
  p->resumes = f->kept.is_kept;
  return SNUG_OK;
}

/* The list is that of a full batch. */
static snug_status fill_kernels(snug_plan *p, const snug__fit *f) {
  const snug__program *program = f->session.runs[SNUG__SLOT_MAIN].program;
  snug__text text;
  snug__text_init(&text, p->ctx, SIZE_MAX);
  snug_status s = snug__kernel_list_print(program->graph, program->device, &text);
  s = s ? s : snug__arena_text(&p->arena, snug__text_get(&text), &p->kernels);
  snug__text_release(&text);
  return s ? s : snug__arena_text(&p->arena, f->model->training->note, &p->note);
}

static snug_status fill(snug_plan *p, const snug__fit *f) {
  const snug__run *run = snug__session_largest(&f->session);
  const snug__graph *g = run->program->graph;
  size_t room = g->layers.n + f->model->variables.list.n + 1;
  int64_t *by_layer = NULL;
  snug__peak peak;
  p->memory = f->history->memory;
  snug__fit_report_feeds(f, &p->data);
  SNUG_TRY(snug__arena_take(&p->arena, room * sizeof *p->layers, (void **)&p->layers));
  SNUG_TRY(snug__arena_take(&p->arena, g->layers.n * sizeof *by_layer, (void **)&by_layer));
  SNUG_TRY(snug__plan_peak(run->program->plan, g, &peak, by_layer));
  SNUG_TRY(fill_points(p, f));
  SNUG_TRY(fill_kernels(p, f));
  SNUG_TRY(fill_buffers(p, run));
  SNUG_TRY(fill_peak(p, run, &peak));
  fill_validation(p, &f->session, run);
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

/* The most that is held while a fit shows its plan.  A fit that runs as it does without a line
 * knows one point, whatever a plan looks at beside it. */
static snug_status measure_shown(snug__fit *f, uint64_t *most) {
  snug_plan *p = NULL;
  snug_scope scope;
  size_t n = f->plan.n_points;
  size_t beside = f->plan.is_usual ? f->plan.room - 1 : 0;
  f->plan.n_points = beside ? 1 : n;
  snug_scope_begin(f->model->ctx, &scope);
  snug_status s = make(f->model->ctx, f, &p);
  snug_plan_destroy(p);
  snug_status ended = snug_scope_end(f->model->ctx, &scope);
  f->plan.n_points = n;
  *most = scope.peak - beside * sizeof *f->plan.points;
  return s ? s : ended;
}

/* Beside a step of a few weights, the plan that a fit shows is the most that it ever holds. */
static snug_status count_shown(snug__fit *f) {
  snug_memory_report *r = &f->history->memory;
  uint64_t most = 0;
  if (!f->options.planned) {
    return SNUG_OK;
  }
  SNUG_TRY(measure_shown(f, &most));
  uint64_t more = most > r->planned ? most - r->planned : 0;
  r->planned += more;
  r->runtime += more;
  r->outside -= more < r->outside ? more : r->outside; /* in pages that were measured */
  return SNUG_OK;
}

static snug_status check_place(const snug_model *m, snug_plan **out) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!out) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "plan: there is no place for it (out is NULL)");
  }
  *out = NULL;
  return SNUG_OK;
}

static snug_status plan_fit(snug_model *m, const snug_data *data, const snug_fit_options *options,
                            snug_plan **out) {
  snug__fit f;
  SNUG_TRY(snug__fit_open(&f, m, data, options));
  snug_status s = count_shown(&f);
  s = s ? s : make(m->ctx, &f, out);
  snug__fit_close(&f, s, NULL);
  return s;
}

snug_status snug_plan_fit(snug_model *m, const snug_data *data, const snug_fit_options *options,
                          snug_plan **out) {
  SNUG_TRY(check_place(m, out));
  return plan_fit(m, data, options, out);
}

snug_status snug__fit_show_plan(snug__fit *f) {
  snug_plan *p = NULL;
  if (!f->options.planned) {
    return SNUG_OK;
  }
  SNUG_TRY(count_shown(f));
  SNUG_TRY(make(f->model->ctx, f, &p));
  bool goes_on = f->options.planned(f->options.planned_user, p);
  snug_plan_destroy(p);
  snug__heap_trim(); /* the process was measured before that */
  return goes_on ? SNUG_OK
                 : snug__fail(f->model->ctx, SNUG_E_STOPPED, "fit: the caller rejected the plan");
}

snug_status snug_plan_samples(snug_model *m, int64_t samples, const snug_fit_options *options,
                              snug_plan **out) {
  snug__stand_in data;
  SNUG_TRY(check_place(m, out));
  snug_status s = snug__stand_in_init(&data, m, samples);
  s = s ? s : plan_fit(m, &data.data, options, out);
  snug__stand_in_release(&data);
  return s;
}

void snug_plan_destroy(snug_plan *p) {
  if (p) {
    snug__arena_release(&p->arena);
    snug__give(p->ctx, SNUG__MEM_PLAN, p, sizeof *p);
  }
}

void snug_plan_memory(const snug_plan *p, snug_memory_report *out) {
  SNUG__WRITE(snug_memory_report, p ? &p->memory : &(snug_memory_report){0}, out);
}

void snug_plan_data(const snug_plan *p, snug_data_report *out) {
  SNUG__WRITE(snug_data_report, p ? &p->data : &(snug_data_report){0}, out);
}

size_t snug_plan_layers(const snug_plan *p) { return p ? p->n_layers : 0; }

void snug_plan_layer(const snug_plan *p, size_t i, snug_layer_memory *out) {
  const snug_layer_memory none = {.layer = ""};
  SNUG__WRITE(snug_layer_memory, p && i < p->n_layers ? &p->layers[i] : &none, out);
}

size_t snug_plan_buffers(const snug_plan *p) { return p ? p->n_buffers : 0; }

void snug_plan_buffer_at(const snug_plan *p, size_t i, snug_plan_buffer *out) {
  const snug_plan_buffer none = {.layer = "", .op = "", .what = ""};
  SNUG__WRITE(snug_plan_buffer, p && i < p->n_buffers ? &p->buffers[i] : &none, out);
}

void snug_plan_peak(const snug_plan *p, snug_plan_moment *out) {
  const snug_plan_moment none = {.layer = "", .op = ""};
  SNUG__WRITE(snug_plan_moment, p && p->peak.op ? &p->peak : &none, out);
}

uint64_t snug_plan_validation(const snug_plan *p) { return p ? p->validation : 0; }

const char *snug_plan_kernels(const snug_plan *p) { return p ? p->kernels : ""; }

const char *snug_plan_note(const snug_plan *p) { return p ? p->note : ""; }

bool snug_plan_fits(const snug_plan *p) { return p && p->fits; }

bool snug_plan_resumes(const snug_plan *p) { return p && p->resumes; }

uint64_t snug_plan_least(const snug_plan *p) { return p ? p->least : 0; }

size_t snug_plan_points(const snug_plan *p) { return p ? p->n_points : 0; }

size_t snug_plan_chosen(const snug_plan *p) { return p ? p->chosen : 0; }

void snug_plan_point_at(const snug_plan *p, size_t i, snug_plan_point *out) {
  SNUG__WRITE(snug_plan_point, p && i < p->n_points ? &p->points[i] : &(snug_plan_point){0}, out);
}
