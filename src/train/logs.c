/* The values that callbacks see and the history keeps.  There is room for all of them before step
 * 1. */
#include <string.h>

#include "base/size.h"
#include "train/fit.h"

/* Append the names that callbacks add, each once, behind the n that are there. */
static size_t add_names(snug__fit *f, size_t n) {
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    const char *name = snug__callback_at(&f->options, i).adds;
    size_t k = 0;
    while (name && k < n && strcmp(f->log_names[k], name) != 0) {
      k++;
    }
    if (name && k == n) {
      f->log_names[n++] = name;
    }
  }
  return n;
}

snug_status snug__logs_create(snug__fit *f) {
  snug_ctx *ctx = f->model->ctx;
  const snug__training *t = f->model->training;
  int64_t epochs = snug__max_i64(0, f->options.epochs - f->options.initial_epoch);
  size_t n = t->tracked.n * (f->has_validation ? 2 : 1);
  f->n_metrics = t->tracked.n;
  f->log_room = n + (size_t)f->options.n_callbacks;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_HISTORY, f->log_room, &f->log_values));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_HISTORY, f->log_room, &f->log_names));
  memcpy((void *)f->log_names, t->names, n * sizeof *t->names);
  return snug__history_create(ctx, epochs, f->log_names, add_names(f, n), n, &f->history);
}

void snug__logs_release(snug__fit *f) {
  snug_ctx *ctx = f->model->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_HISTORY, f->log_values, f->log_room);
  snug__give(ctx, SNUG__MEM_HISTORY, (void *)f->log_names, f->log_room * sizeof *f->log_names);
}

snug_status snug__logs_of_batch(snug__fit *f, snug_logs *logs) {
  SNUG_TRY(snug__training_results(f->model, f->log_values));
  *logs = (snug_logs){f->n_metrics, f->model->training->names, f->log_values};
  return SNUG_OK;
}

void snug__logs_add(snug__fit *f, const char *name, double value) {
  size_t i = 0;
  while (i < f->n_logs && strcmp(f->log_names[i], name) != 0) {
    i++;
  }
  f->n_logs += i == f->n_logs;
  f->log_names[i] = name;
  f->log_values[i] = value;
  snug__history_row(f->history)[snug__history_column(f->history, name)] = value;
}

/* The plain names and those with val_ are sorted each: they are merged. */
void snug__logs_start_epoch(snug__fit *f, bool validated) {
  const char *const *names = f->model->training->names;
  const double *row = snug__history_row(f->history);
  size_t n = f->n_metrics;
  size_t plain = 0;
  size_t val = n;
  size_t end = validated ? 2 * n : n;
  for (f->n_logs = 0; plain < n || val < end; f->n_logs++) {
    bool takes_plain = val >= end || (plain < n && strcmp(names[plain], names[val]) < 0);
    const char *name = names[takes_plain ? plain++ : val++];
    f->log_names[f->n_logs] = name;
    f->log_values[f->n_logs] = row[snug__history_column(f->history, name)];
  }
}

snug_logs snug__logs_of_epoch(const snug__fit *f) {
  return (snug_logs){f->n_logs, f->log_names, f->log_values};
}
