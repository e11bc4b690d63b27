/* How large a pipe is: how many threads and batches, and the one piece of memory that all of it
 * lies in. */
#include "data/pipe_parts.h"

#define FREE_SHARE (UINT64_C(64) << 20) /* where there is no line */
#define PREFETCH 2                      /* batches ahead, to begin with */
#define MOST_AUTO 4                     /* batches ahead, if they are chosen here */
#define MOST_WORKERS 64
#define MOST_PREFETCH 1024
#define PAGE 4096
#define MOST_BYTES 0x1p60

/* ---- sizes ---- */

static size_t slot_bytes(const snug__intake *in) {
  size_t sum = 0;
  for (int32_t k = 0; k < in->n; k++) {
    sum += snug__intake_part(in, k);
  }
  return sum;
}

/* The most that any intake needs. */
typedef struct needs {
  size_t slot, scratch, sample;
  int64_t batch, window; /* rows */
  int32_t arrays, workers, prefetch;
} needs;

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }
static int32_t max_i32(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t workers_for(const snug_source *s, size_t scratch, int32_t threads, uint64_t share) {
  int32_t most = s->in_order ? 1 : MOST_WORKERS;
  int32_t n = s->workers ? s->workers : threads;
  uint64_t each = scratch + SNUG__PIPE_STACK;
  if (!s->workers && share && (uint64_t)n * each > share) {
    n = max_i32(1, (int32_t)(share / each));
  }
  return n < 0 ? 0 : n > most ? most : n;
}

/* Without a line two are always possible. */
static int32_t auto_prefetch(size_t slot, uint64_t share) {
  uint64_t fit = (share ? share : FREE_SHARE) / (slot ? slot : 1);
  int32_t most = fit < MOST_AUTO ? (int32_t)fit : MOST_AUTO;
  return max_i32(most, share ? 1 : PREFETCH);
}

static int32_t prefetch_for(const snug_source *s, size_t slot, uint64_t share) {
  int32_t given = s->prefetch < MOST_PREFETCH ? s->prefetch : MOST_PREFETCH;
  return s->workers < 0 ? 1 : given > 0 ? given : auto_prefetch(slot, share);
}

/* What the order of the samples depends on does not follow the line: only where there is no room
 * for it, it is halved until there is, so that lines have their order in common with those close to
 * them. */
static uint64_t window_bytes(const snug_source *s, uint64_t share) {
  uint64_t bytes = s->window > 0 ? (uint64_t)s->window : FREE_SHARE;
  while (s->window <= 0 && share && bytes > share) {
    bytes /= 2;
  }
  return bytes;
}

/* Samples to shuffle in; never more than there are. */
static int64_t window_for(const snug__intake *in, uint64_t share) {
  uint64_t rows = window_bytes(in->source, share) / (snug__intake_sample(in) + sizeof(int64_t));
  rows = in->window > 0 ? (uint64_t)in->window : rows < 1 ? 1 : rows;
  uint64_t most = in->rows > 0 ? (uint64_t)in->rows : rows;
  return !in->source->in_order || !in->shuffled ? 0 : (int64_t)(rows < most ? rows : most);
}

/* What a report says of the window; the intake is the only one of its pipe. */
static void describe_window(snug__pipe *p, const snug__intake *in, uint64_t share) {
  int64_t rows = window_for(in, share);
  bool is_all = in->rows > 0 && rows >= in->rows;
  p->sizes.window_samples = is_all ? 0 : rows;
  p->sizes.window_cut = in->window <= 0 && rows < window_for(in, 0);
}

static needs needs_of(const snug__intake *const *in, int32_t n, uint64_t share) {
  needs need = {.batch = 0};
  for (int32_t i = 0; i < n; i++) {
    const snug_source *s = in[i]->source;
    need.slot = max_size(need.slot, slot_bytes(in[i]));
    need.sample = max_size(need.sample, snug__intake_sample(in[i]));
    need.scratch =
        max_size(need.scratch, (size_t)snug__round_up((int64_t)s->scratch, SNUG__SLOT_ALIGN));
    need.batch = snug__max_i64(need.batch, in[i]->batch);
    need.window = snug__max_i64(need.window, window_for(in[i], share));
    need.arrays = max_i32(need.arrays, in[i]->n);
  }
  return need;
}

/* All intakes have the same slots and scratch, so the share is for the largest. */
static void choose_numbers(const snug__intake *const *in, int32_t n, int32_t threads,
                           uint64_t share, needs *need) {
  for (int32_t i = 0; i < n; i++) {
    const snug_source *s = in[i]->source;
    need->workers = max_i32(need->workers, workers_for(s, need->scratch, threads, share));
    need->prefetch = max_i32(need->prefetch, prefetch_for(s, need->slot, share));
  }
}

/* ---- memory ---- */

/* Cutting pieces from one block; without one they are counted alone. */
typedef struct cutter {
  char *base;
  size_t at;
} cutter;

static void *cut(cutter *c, size_t bytes, size_t align) {
  c->at = (c->at + align - 1) / align * align;
  void *piece = c->base ? c->base + c->at : NULL;
  c->at += bytes;
  return piece;
}

static void cut_slots(snug__pipe *p, const needs *need, cutter *c) {
  for (int32_t i = 0; i < p->n_slots; i++) {
    snug__batch_slot none;
    snug__batch_slot *slot = p->slots ? &p->slots[i] : &none;
    *slot =
        (snug__batch_slot){.row = cut(c, (size_t)need->batch * sizeof(int64_t), SNUG__SLOT_ALIGN)};
    slot->memory = cut(c, need->slot, SNUG__SLOT_ALIGN);
  }
}

static void cut_window(snug__pipe *p, const needs *need, cutter *c) {
  p->window.most = need->window;
  p->window.row = cut(c, (size_t)need->window * sizeof(int64_t), SNUG__SLOT_ALIGN);
  p->window.memory = cut(c, (size_t)need->window * need->sample, SNUG__SLOT_ALIGN);
}

/* Without threads there is the memory of one. */
static void cut_workers(snug__pipe *p, const needs *need, char *stacks, cutter *c) {
  int32_t n = max_i32(p->n_workers, 1);
  for (int32_t i = 0; i < n; i++) {
    snug__pipe_worker none;
    snug__pipe_worker *w = p->workers ? &p->workers[i] : &none;
    w->pipe = p;
    w->stack = stacks ? stacks + (size_t)i * SNUG__PIPE_STACK : NULL;
    w->to = cut(c, (size_t)need->arrays * sizeof *w->to, SNUG__SLOT_ALIGN);
    w->place = cut(c, (size_t)need->arrays * sizeof *w->place, SNUG__SLOT_ALIGN);
    w->scratch = cut(c, need->scratch, SNUG__SLOT_ALIGN);
  }
}

/* Give all parts their places from p->memory; without it the sum is found. */
static void cut_all(snug__pipe *p, const needs *need) {
  char *aligned = (char *)(((uintptr_t)p->memory + PAGE - 1) / PAGE * PAGE);
  cutter c = {.base = p->memory ? aligned : NULL};
  char *stacks = cut(&c, (size_t)p->n_workers * SNUG__PIPE_STACK, PAGE);
  p->workers = cut(&c, (size_t)max_i32(p->n_workers, 1) * sizeof *p->workers, SNUG__SLOT_ALIGN);
  p->slots = cut(&c, (size_t)p->n_slots * sizeof *p->slots, SNUG__SLOT_ALIGN);
  p->ring = cut(&c, (size_t)p->n_slots * sizeof *p->ring, SNUG__SLOT_ALIGN);
  p->spare = cut(&c, (size_t)p->n_slots * sizeof *p->spare, SNUG__SLOT_ALIGN);
  cut_workers(p, need, stacks, &c);
  p->sizes.workers = c.at;
  cut_slots(p, need, &c);
  p->sizes.batches = c.at - p->sizes.workers;
  cut_window(p, need, &c);
  p->sizes.window = c.at - p->sizes.workers - p->sizes.batches;
  p->sizes.workers += PAGE; /* to be aligned */
  p->bytes = c.at + PAGE;
}

/* That no sum above can overflow: in numbers that do not. */
static snug_status check_sizes(snug_ctx *ctx, const snug__intake *in) {
  const snug_source *s = in->source;
  double slots = s->prefetch > MOST_AUTO ? s->prefetch : MOST_AUTO;
  double bytes = (double)snug__intake_sample(in) * (double)in->batch * slots +
                 (double)s->scratch * MOST_WORKERS + (double)(s->window > 0 ? s->window : 0) +
                 (double)in->window * (double)(snug__intake_sample(in) + sizeof(int64_t));
  return bytes < MOST_BYTES ? SNUG_OK
                            : snug__fail(ctx, SNUG_E_OVERFLOW,
                                         "data: %g bytes of batches to read ahead, scratch and "
                                         "window are more than can be held",
                                         bytes);
}

snug_status snug__pipe_take_memory(snug__pipe *p, const snug__intake *const *intakes, int32_t n,
                                   uint64_t share) {
  for (int32_t i = 0; i < n; i++) {
    SNUG_TRY(check_sizes(p->ctx, intakes[i]));
  }
  needs need = needs_of(intakes, n, share);
  choose_numbers(intakes, n, p->ctx->threads, share, &need);
  p->adapts_workers = intakes[0]->source->workers == 0;
  p->adapts_depth = intakes[0]->source->prefetch == 0;
  describe_window(p, intakes[0], share);
  p->n_workers = p->sizes.n_workers = need.workers;
  p->n_slots = p->sizes.prefetch = need.prefetch;
  bool starts_small = p->adapts_depth && p->n_slots > PREFETCH;
  p->pace = (snug__reading_pace){.active = need.workers,
                                 .depth = starts_small ? PREFETCH : p->n_slots,
                                 .patience = SNUG__PATIENCE};
  cut_all(p, &need);
  SNUG_TRY(snug__take(p->ctx, SNUG__MEM_DATA, p->bytes, &p->memory));
  cut_all(p, &need);
  return SNUG_OK;
}
