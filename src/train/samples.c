#include "train/samples.h"

#include <string.h>

#include "base/process.h"
#include "base/size.h"

static snug_status check_spans(const snug_model *m, const char *name, const snug_span *spans,
                               int32_t n) {
  if (n < 0 || (n && !spans)) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "fit: sampling: %d spans of %s are not given", n,
                      name);
  }
  for (int32_t i = 0; i < n; i++) {
    if (spans[i].first < 0 || spans[i].last < spans[i].first) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                        "fit: sampling: %s %lld to %lld; they count from 0, and the last is not "
                        "before the first",
                        name, (long long)spans[i].first, (long long)spans[i].last);
    }
  }
  return SNUG_OK;
}

snug_status snug__sampling_check(const snug_model *m, const snug_sampling *s) {
  SNUG_TRY(check_spans(m, "epochs", s->epochs, s->n_epochs));
  return check_spans(m, "batches", s->batches, s->n_batches);
}

static bool is_on(const snug_sampling *s) { return s->n_epochs || s->n_batches; }

static bool has(const snug_span *spans, int32_t n, int64_t value) {
  for (int32_t i = 0; i < n; i++) {
    if (spans[i].first <= value && value <= spans[i].last) {
      return true;
    }
  }
  return false;
}

/* How many of the numbers from first to before end are in a list, at most. */
static int64_t count(const snug_span *spans, int32_t n, int64_t first, int64_t end) {
  int64_t all = end > first ? end - first : 0;
  int64_t sum = 0;
  for (int32_t i = 0; i < n && sum < all; i++) {
    int64_t from = snug__max_i64(spans[i].first, first);
    int64_t to = spans[i].last < end ? spans[i].last + 1 : end;
    sum += snug__min_i64(to > from ? to - from : 0, all - sum);
  }
  return sum;
}

/* ---- room ---- */

snug_status snug__samples_create(snug__fit *f) {
  const snug_fit_options *o = &f->options;
  const snug_sampling *s = &o->sampling;
  size_t room = 0;
  if (!is_on(s)) {
    return SNUG_OK;
  }
  int64_t epochs = s->n_epochs ? count(s->epochs, s->n_epochs, o->initial_epoch, o->epochs)
                               : snug__max_i64(0, o->epochs - o->initial_epoch);
  int64_t batches = count(s->batches, s->n_batches, 0, f->steps);
  if (!snug__mul_size((size_t)epochs, (size_t)batches + 2, &room)) {
    return snug__fail(f->model->ctx, SNUG_E_OVERFLOW,
                      "fit: sampling: %lld batches in %lld epochs are too many", (long long)batches,
                      (long long)epochs);
  }
  SNUG_TRY(SNUG_NEW_ARRAY(f->model->ctx, SNUG__MEM_HISTORY, room, &f->history->samples));
  f->history->sample_room = room;
  snug_scope_begin(f->model->ctx, &f->since_sample);
  return SNUG_OK;
}

void snug__samples_end(snug__fit *f) {
  if (f->history && f->history->samples) {
    /* It is open: nobody else knows of it. */
    snug_status s = snug_scope_end(f->model->ctx, &f->since_sample);
    (void)s;
  }
}

/* ---- taking ---- */

/* What was alive in the block at the most since the sample before; zero if no step ran. */
static snug__peak highest_since(const snug__fit *f) {
  snug__peak highest = {0};
  for (snug__phase phase = 0; phase < SNUG__PHASES; phase++) {
    const snug__peak *peak = &f->alive.highest[phase];
    if (f->has_run[phase] && peak->bytes > highest.bytes) {
      highest = *peak;
    }
  }
  return highest;
}

static void fill_classes(const snug__fit *f, snug_memory_sample *s) {
  const snug__account *a = &f->model->ctx->account;
  snug__peak step = highest_since(f);
  s->weights = f->model->weights_bytes;
  s->optimizer = f->model->training->state_bytes;
  s->gradients = (uint64_t)step.by_class[SNUG__CLASS_GRADIENTS];
  s->activations = (uint64_t)step.by_class[SNUG__CLASS_ACTIVATIONS];
  s->scratch = (uint64_t)step.by_class[SNUG__CLASS_SCRATCH];
  s->data = (uint64_t)step.by_class[SNUG__CLASS_DATA] + a->current[SNUG__MEM_DATA];
  s->callbacks = a->current[SNUG__MEM_CALLBACKS];
  s->runtime = s->peak - s->weights - s->optimizer - s->gradients - s->activations - s->scratch -
               s->data - s->callbacks;
}

static bool is_wanted(const snug__fit *f, const char *at, int64_t batch) {
  const snug_sampling *s = &f->options.sampling;
  return is_on(s) && (!s->n_epochs || has(s->epochs, s->n_epochs, f->at.epoch)) &&
         (strcmp(at, SNUG__AT_BATCH_END) != 0 || has(s->batches, s->n_batches, batch)) &&
         f->history->n_samples < f->history->sample_room;
}

const snug_memory_sample *snug__samples_take(snug__fit *f, const char *at, int64_t batch) {
  snug__process now;
  if (!is_wanted(f, at, batch)) {
    return NULL;
  }
  snug__process_read("", &now);
  snug_memory_sample *s = &f->history->samples[f->history->n_samples++];
  *s = (snug_memory_sample){.struct_size = sizeof(snug_memory_sample),
                            .epoch = f->at.epoch,
                            .batch = batch,
                            .at = at,
                            .current = f->model->ctx->account.total,
                            .peak = f->since_sample.peak,
                            .resident = now.resident,
                            .process_peak = now.peak};
  fill_classes(f, s);
  memset(f->has_run, 0, sizeof f->has_run);
  snug_scope_begin(f->model->ctx, &f->since_sample);
  return s;
}
