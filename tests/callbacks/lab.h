/* Small trainings whose every bit can be compared. */
#ifndef SNUG_TESTS_CALLBACKS_LAB_H
#define SNUG_TESTS_CALLBACKS_LAB_H

#include "lib/test.h"
#include "train/fit.h"

#define LAB_ROWS 23

/* A model and how it is trained. */
typedef struct lab {
  const char *name;
  bool images; /* convolutions on 6x6 images; else dense layers on rows */
  const char *optimizer;
  int64_t steps_per_epoch; /* 0: all data */
  int64_t micro_batch;     /* 0: batches are run whole */
} lab;

extern const lab all_labs[];
extern const size_t n_all_labs;

/* Compiled, with dropout and batch normalization; the same data for all, in static storage. */
snug_model *lab_model(snug_ctx *ctx, const lab *l);
snug_status lab_try_model(snug_ctx *ctx, const lab *l, snug_model **out);
const snug_data *lab_data(const lab *l);
snug_fit_options lab_options(const lab *l); /* 4 epochs, batches of 4, a validation split */

/* All that a fit leaves: every variable -- weights, optimizer, counters -- and the history. */
typedef struct lab_outcome {
  unsigned char *bytes;
  size_t n;
} lab_outcome;

void lab_collect(const snug_model *m, const snug_history *h, lab_outcome *out);
void lab_expect_same(const lab_outcome *a, const lab_outcome *b, const char *what);
void lab_free(lab_outcome *o);

#endif
