/* A fit in the making: everything that is known and made before step 1. */
#ifndef SNUG_TRAIN_FIT_H
#define SNUG_TRAIN_FIT_H

#include "train/feed.h"
#include "train/history.h"

typedef struct snug__fit {
  snug_model *model;
  snug_fit_options options; /* with the defaults filled in */
  snug__session session;
  snug__feed train, validation;
  bool has_validation;
  int64_t steps; /* per epoch */
  snug_history *history;
  double *log_values; /* the metrics as callbacks see them */
  size_t n_metrics;
  snug_scope scope; /* measures the peak of this fit */
} snug__fit;

/* Check the data and options, make programs and history, and plan the peak (history->memory).
 * Allocates all but what snug__session_commit takes.  Fails as snug_fit does; nothing is owed then.
 */
snug_status snug__fit_open(snug__fit *f, snug_model *m, const snug_data *data,
                           const snug_fit_options *options) SNUG_NODISCARD;

/* Give everything back; *history (may be NULL) takes the history if s is OK. */
void snug__fit_close(snug__fit *f, snug_status s, snug_history **history);

/* The loop itself, in loop.c. */
snug_status snug__fit_run(snug__fit *f) SNUG_NODISCARD;

/* Run `steps` batches of a feed through test programs and leave the results in the metrics (also
 * for evaluate). */
snug_status snug__test_run(snug__session *s, const snug__feed *feed, snug__slot slot,
                           int64_t steps) SNUG_NODISCARD;

#endif
