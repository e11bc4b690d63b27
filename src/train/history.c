#include "train/history.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "base/struct_size.h"

static size_t text_bytes(const char *const *names, size_t n) {
  size_t bytes = 0;
  for (size_t i = 0; i < n; i++) {
    bytes += strlen(names[i]) + 1;
  }
  return bytes;
}

/* One piece: struct, names, values, texts.  false: too large. */
static bool total_bytes(int64_t epochs, const char *const *names, size_t n, size_t *out) {
  size_t values = 0;
  size_t row = n * sizeof(double);
  return epochs >= 0 && (uint64_t)epochs < SIZE_MAX / 2 &&
         snug__mul_size((size_t)epochs, row, &values) &&
         snug__add_size(values, sizeof(snug_history) + n * sizeof(char *) + text_bytes(names, n),
                        out);
}

/* Insertion sort: there are a handful. */
static void sort_names(const char **names, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const char *name = names[i];
    size_t k = i;
    for (; k > 0 && strcmp(names[k - 1], name) > 0; k--) {
      names[k] = names[k - 1];
    }
    names[k] = name;
  }
}

static void fill(snug_history *h, const char *const *names, size_t n_sorted) {
  char *text = NULL;
  h->names = (const char **)(h + 1);
  h->values = (double *)(void *)(h->names + h->n);
  text = (char *)(h->values + (size_t)h->room * h->n);
  for (size_t i = 0; i < h->n; i++) {
    size_t bytes = strlen(names[i]) + 1;
    h->names[i] = memcpy(text, names[i], bytes);
    text += bytes;
  }
  sort_names(h->names, n_sorted);
  for (size_t i = 0; i < (size_t)h->room * h->n; i++) {
    h->values[i] = NAN;
  }
}

snug_status snug__history_create(snug_ctx *ctx, int64_t epochs, const char *const *names, size_t n,
                                 size_t n_sorted, snug_history **out) {
  snug_history *h = NULL;
  size_t bytes = 0;
  *out = NULL;
  if (!total_bytes(epochs, names, n, &bytes)) {
    return snug__fail(ctx, SNUG_E_OVERFLOW,
                      "a history of %lld epochs with %zu values each is too large",
                      (long long)epochs, n);
  }
  SNUG_TRY(snug__take(ctx, SNUG__MEM_HISTORY, bytes, (void **)&h));
  *h = (snug_history){.ctx = ctx, .bytes = bytes, .room = epochs, .n = n};
  fill(h, names, n_sorted);
  *out = h;
  return SNUG_OK;
}

void snug_history_destroy(snug_history *h) {
  if (h) {
    SNUG_GIVE_ARRAY(h->ctx, SNUG__MEM_HISTORY, h->samples, h->sample_room);
    snug__give(h->ctx, SNUG__MEM_HISTORY, h, h->bytes);
  }
}

double *snug__history_row(snug_history *h) { return h->values + (size_t)h->epochs * h->n; }
void snug__history_push(snug_history *h) { h->epochs++; }

size_t snug__history_column(const snug_history *h, const char *name) {
  size_t i = 0;
  while (i < h->n && strcmp(h->names[i], name) != 0) {
    i++;
  }
  return i;
}

int64_t snug_history_epochs(const snug_history *h) { return h ? h->epochs : 0; }

snug_logs snug_history_logs(const snug_history *h, int64_t epoch) {
  if (!h || epoch < 0 || epoch >= h->epochs) {
    return (snug_logs){0, NULL, NULL};
  }
  return (snug_logs){h->n, h->names, h->values + (size_t)epoch * h->n};
}

void snug_history_memory(const snug_history *h, snug_memory_report *out) {
  SNUG__WRITE(snug_memory_report, h ? &h->memory : &(snug_memory_report){0}, out);
}

void snug_history_data(const snug_history *h, snug_data_report *out) {
  SNUG__WRITE(snug_data_report, h ? &h->data : &(snug_data_report){0}, out);
}

size_t snug_history_samples(const snug_history *h) { return h ? h->n_samples : 0; }

void snug_history_sample(const snug_history *h, size_t i, snug_memory_sample *out) {
  const snug_memory_sample none = {.at = ""};
  SNUG__WRITE(snug_memory_sample, h && i < h->n_samples ? &h->samples[i] : &none, out);
}

double snug_logs_get(const snug_logs *logs, const char *name) {
  bool has_values = logs && logs->names && logs->values; /* snug_model_metrics gives names alone */
  for (size_t i = 0; has_values && name && i < logs->n; i++) {
    if (strcmp(logs->names[i], name) == 0) {
      return logs->values[i];
    }
  }
  return NAN;
}
