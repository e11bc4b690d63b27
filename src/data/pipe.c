/* A pipe's threads, and handing out batches.  How large it is, is in pipe_size.c; what is read
 * where in pipe_read.c. */
#include "data/pipe.h"

#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"
#include "data/pipe_parts.h"

#define CHUNK_BYTES (32u << 10) /* that a worker takes on at a time, if rows are small */

/* ---- threads ---- */

/* Rows that are taken on at a time. */
static int64_t chunk_rows(const snug__pipe *p) {
  size_t bytes = snug__intake_sample(p->intake);
  return bytes < CHUNK_BYTES ? (int64_t)(CHUNK_BYTES / (bytes + 1)) : 1;
}

typedef struct chunk {
  snug__batch_slot *slot;
  int64_t first, rows;
} chunk;

/* Let the next batch have a slot. */
static void open_slot(snug__pipe *p) {
  const snug__intake *in = p->intake;
  snug__batch_slot *slot = p->spare[--p->n_spare];
  int64_t batch = p->opened++;
  int64_t rows = in->rows < 0 ? in->batch : snug__min_i64(in->batch, in->rows - batch * in->batch);
  *slot = (snug__batch_slot){
      .batch = batch, .rows = rows, .bad = rows, .row = slot->row, .memory = slot->memory};
  p->ring[batch % p->n_slots] = slot;
}

/* The next rows that are not taken; false if there are none. */
static bool take_chunk(snug__pipe *p, chunk *out) {
  while (p->fill < p->end && p->fill < p->head + p->pace.depth) {
    if (p->fill == p->opened) {
      open_slot(p);
    }
    snug__batch_slot *slot = p->ring[p->fill % p->n_slots];
    if (slot->given < slot->rows) {
      *out = (chunk){slot, slot->given, snug__min_i64(chunk_rows(p), slot->rows - slot->given)};
      slot->given += out->rows;
      p->busy++;
      return true;
    }
    p->fill++;
  }
  p->pace.rested = p->pace.rested || p->fill < p->end;
  return false;
}

static void read_chunk(snug__pipe *p, const snug__pipe_worker *w, const chunk *c) {
  for (int64_t i = 0; i < c->rows; i++) {
    snug__pipe_read(p, w, c->slot, c->first + i);
  }
}

static void end_chunk(snug__pipe *p, const chunk *c) {
  c->slot->done += c->rows;
  p->busy--;
  if (c->slot->done == c->slot->rows || p->busy == 0) {
    pthread_cond_broadcast(&p->has_batch);
  }
}

static void *work(void *arg) {
  snug__pipe_worker *w = arg;
  snug__pipe *p = w->pipe;
  pthread_mutex_lock(&p->mutex);
  while (!p->is_closing) {
    chunk c;
    bool is_active = w - p->workers < p->pace.active;
    if (!is_active || !take_chunk(p, &c)) {
      pthread_cond_wait(is_active ? &p->has_work : &p->is_called, &p->mutex);
      continue;
    }
    pthread_mutex_unlock(&p->mutex);
    read_chunk(p, w, &c);
    pthread_mutex_lock(&p->mutex);
    end_chunk(p, &c);
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

/* Where pages are larger than a guard is, there is none. */
static void protect_stacks(const snug__pipe *p, int protection) {
  for (int32_t i = 0; i < p->n_workers; i++) {
    (void)mprotect(p->workers[i].stack, SNUG__PIPE_GUARD, protection);
  }
}

static snug_status start_workers(snug__pipe *p) {
  char reason[128];
  int error = 0;
  protect_stacks(p, PROT_NONE);
  for (int32_t i = 0; i < p->n_workers && !error; i++) {
    snug__pipe_worker *w = &p->workers[i];
    error = snug__thread_start(&w->thread, w->stack + SNUG__PIPE_GUARD,
                               SNUG__PIPE_STACK - SNUG__PIPE_GUARD, work, w);
    w->is_running = !error;
  }
  return error ? snug__fail(p->ctx, SNUG_E_MEMORY, "data: no thread can be started: %s",
                            strerror_r(error, reason, sizeof reason))
               : SNUG_OK;
}

static void stop_workers(snug__pipe *p) {
  const snug_source *s = p->intake ? p->intake->source : NULL;
  if (s && s->cancel) {
    s->cancel(s->user);
  }
  pthread_mutex_lock(&p->mutex);
  p->is_closing = true;
  pthread_cond_broadcast(&p->has_work);
  pthread_cond_broadcast(&p->is_called);
  pthread_mutex_unlock(&p->mutex);
  for (int32_t i = 0; i < p->n_workers; i++) {
    if (p->workers[i].is_running) {
      pthread_join(p->workers[i].thread, NULL);
    }
  }
  protect_stacks(p, PROT_READ | PROT_WRITE);
}

/* ---- opening and closing ---- */

snug_status snug__pipe_open(snug_ctx *ctx, const snug__intake *const *intakes, int32_t n,
                            uint64_t share, snug__pipe **out) {
  snug__pipe *p = NULL;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_DATA, &p));
  *p = (snug__pipe){.ctx = ctx};
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->has_work, NULL);
  pthread_cond_init(&p->has_batch, NULL);
  pthread_cond_init(&p->is_called, NULL);
  snug_status s = snug__pipe_take_memory(p, intakes, n, share);
  s = s ? s : start_workers(p);
  if (s) {
    snug__pipe_close(p);
    return s;
  }
  *out = p;
  return SNUG_OK;
}

void snug__pipe_close(snug__pipe *p) {
  if (!p) {
    return;
  }
  if (p->memory) {
    stop_workers(p);
  }
  pthread_cond_destroy(&p->is_called);
  pthread_cond_destroy(&p->has_batch);
  pthread_cond_destroy(&p->has_work);
  pthread_mutex_destroy(&p->mutex);
  snug__give(p->ctx, SNUG__MEM_DATA, p->memory, p->bytes);
  snug__give(p->ctx, SNUG__MEM_DATA, p, sizeof *p);
}

/* ---- passes ---- */

/* No batch has a slot. */
static void free_slots(snug__pipe *p) {
  p->n_spare = p->n_slots;
  for (int32_t i = 0; i < p->n_slots; i++) {
    p->spare[i] = &p->slots[p->n_slots - 1 - i];
  }
}

static bool is_there(const snug__pipe *p, const snug__intake *in, const snug__pass *pass) {
  return p->intake == in && p->head == pass->batch &&
         (in->rows < 0 || p->pass.number == pass->number);
}

/* Nobody reads from here on, until there are batches again. */
static void halt(snug__pipe *p) {
  pthread_mutex_lock(&p->mutex);
  p->end = 0;
  while (p->busy > 0) {
    pthread_cond_wait(&p->has_batch, &p->mutex);
  }
  pthread_mutex_unlock(&p->mutex);
}

void snug__pipe_start(snug__pipe *p, const snug__intake *in, const snug__pass *pass) {
  if (is_there(p, in, pass)) {
    return;
  }
  halt(p);
  p->intake = in;
  p->pass = *pass;
  p->order = snug__shuffle_make((uint64_t)snug__max_i64(in->rows, 1), in->seed, pass->number);
  if (in->source->in_order) {
    snug__window_start(p, &p->workers[0], pass->batch * in->batch);
  }
  pthread_mutex_lock(&p->mutex);
  free_slots(p);
  p->pace.warm = pass->batch + p->pace.depth;
  p->head = p->fill = p->opened = pass->batch;
  p->end = in->rows < 0 ? INT64_MAX : snug__ceil_div(in->rows, in->batch);
  pthread_cond_broadcast(&p->has_work);
  pthread_mutex_unlock(&p->mutex);
}

/* ---- batches ---- */

/* The slot of the batch that is taken next; NULL: it is not all there. */
static const snug__batch_slot *next_slot(const snug__pipe *p) {
  const snug__batch_slot *slot = p->head < p->opened ? p->ring[p->head % p->n_slots] : NULL;
  return slot && slot->done == slot->rows ? slot : NULL;
}

static const snug__batch_slot *wait_for_next(snug__pipe *p) {
  const snug__batch_slot *slot = NULL;
  chunk c;
  pthread_mutex_lock(&p->mutex);
  snug__pace_note(p, next_slot(p) != NULL);
  while (!(slot = next_slot(p))) {
    if (p->n_workers == 0 && take_chunk(p, &c)) {
      pthread_mutex_unlock(&p->mutex);
      read_chunk(p, &p->workers[0], &c);
      pthread_mutex_lock(&p->mutex);
      end_chunk(p, &c);
    } else {
      pthread_cond_wait(&p->has_batch, &p->mutex);
    }
  }
  pthread_mutex_unlock(&p->mutex);
  return slot;
}

static void count_skipped(snug__pipe *p, const snug__batch_slot *slot) {
  if (slot->skipped && !p->skipped) {
    memcpy(p->first_skipped, slot->why_skipped, sizeof p->first_skipped);
  }
  p->skipped += slot->skipped;
}

snug_status snug__pipe_take(snug__pipe *p, snug__ready *out) {
  const snug__intake *in = p->intake;
  const snug__batch_slot *slot = wait_for_next(p);
  char **place = p->workers[0].place;
  count_skipped(p, slot);
  if (slot->bad < slot->rows) {
    bool is_named = in->source->name != NULL;
    return snug__fail(p->ctx, slot->failure, "%s%s%s", is_named ? in->source->name : "",
                      is_named ? ": " : "", slot->why);
  }
  char *at = slot->memory;
  for (int32_t k = 0; k < in->n; k++) {
    place[k] = in->arrays[k].data ? NULL : at;
    at += snug__intake_part(in, k);
  }
  *out = (snug__ready){slot->row, place};
  return SNUG_OK;
}

void snug__pipe_give(snug__pipe *p) {
  pthread_mutex_lock(&p->mutex);
  p->spare[p->n_spare++] = p->ring[p->head % p->n_slots];
  p->head++;
  pthread_cond_broadcast(&p->has_work);
  pthread_mutex_unlock(&p->mutex);
}

int64_t snug__pipe_window(const snug__pipe *p) { return p->sizes.window_samples; }

void snug__pipe_report(const snug__pipe *p, snug_data_report *out) {
  out->batches += p->sizes.batches;
  out->window += p->sizes.window;
  out->workers += p->sizes.workers + sizeof *p;
  out->n_workers = (int32_t)snug__max_i64(out->n_workers, p->sizes.n_workers);
  out->prefetch = (int32_t)snug__max_i64(out->prefetch, p->sizes.prefetch);
  if (p->skipped && !out->skipped) {
    memcpy(out->first_skipped, p->first_skipped, sizeof out->first_skipped);
  }
  out->skipped += p->skipped;
  out->window_samples = snug__max_i64(out->window_samples, p->sizes.window_samples);
  out->window_cut = out->window_cut || p->sizes.window_cut;
}
