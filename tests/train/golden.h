/* Whole fits that Keras ran: models, data by formula, and results.  The golden_*.inc are written
 * by tools/gen_fit_cases.py. */
#ifndef SNUG_TESTS_TRAIN_GOLDEN_H
#define SNUG_TESTS_TRAIN_GOLDEN_H

#include "lib/test.h"

typedef enum golden_kind {
  GOLDEN_REAL,   /* scale * noise + shift */
  GOLDEN_CLASS,  /* 0 .. n-1, int32 */
  GOLDEN_BITS,   /* 0 or 1, as reals */
  GOLDEN_ONEHOT, /* n entries, one of them 1 */
  GOLDEN_BYTES,  /* 0 .. n-1, uint8 */
  GOLDEN_STEPS   /* 0 .. n-1, as reals */
} golden_kind;

typedef struct golden_array {
  golden_kind kind;
  int64_t n;
  double scale, shift;
  uint32_t seed;
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
} golden_array;

typedef struct golden_layer {
  const char *class_name; /* or "Input", or "Again": the layer `config` is called once more */
  const char *name;       /* of the tensor */
  const char *config;
  const char *in;   /* names of tensors, separated by blanks */
  snug_dtype dtype; /* of an input; SNUG_NO_DTYPE: the model's */
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
} golden_layer;

typedef struct golden_weight {
  const char *name;
  uint32_t seed; /* starts as scale * noise + shift */
  double scale, shift;
  size_t n;
  const double *end;
} golden_weight;

typedef struct golden_values {
  size_t n;
  const double *values;
} golden_values;

typedef struct golden_data {
  int32_t n_x, n_y;
  const golden_array *x, *y, *sample_weight; /* sample_weight may be NULL */
} golden_data;

typedef struct golden_case {
  const char *name, *group;
  snug_dtype dtype;
  double weight_tolerance, log_tolerance; /* relative */
  size_t n_layers;
  const golden_layer *layers;
  const char *outputs; /* names of tensors, separated by blanks */
  golden_data train, validation;
  const char *optimizer;
  int32_t n_loss;
  const char *const *loss;
  const double *loss_weights;
  int32_t n_metrics;
  const char *const *metrics;
  int32_t n_weighted_metrics;
  const char *const *weighted_metrics;
  int64_t n_class_weight;
  const double *class_weight;
  int32_t n_fits; /* how often it is called; the history is the last one's */
  snug_fit_options fit;
  /* results */
  size_t n_logs; /* in the order of Keras's history */
  const char *const *logs;
  size_t n_epochs;
  const double *history; /* n_epochs x n_logs, NAN where an epoch had no validation */
  size_t n_batches;      /* of the last fit, if they are kept */
  const double *batches; /* n_batches x n_evaluated: logs after each, names as of evaluate */
  double learning_rate;  /* at the end */
  size_t n_evaluated;
  const char *const *evaluated_names;
  const double *evaluated;
  size_t n_weights;
  const golden_weight *weights;
  const golden_values *predicted; /* per output, of the first samples */
} golden_case;

extern const golden_case golden_cases[];
extern const size_t golden_case_count;

/* Build the model of a case with its initial weights, compiled. */
snug_model *golden_model(snug_ctx *ctx, const golden_case *c);

/* Arrays in memory, freed by golden_free. */
typedef struct golden_arrays {
  snug_array x[4], y[4], sample_weight;
  snug_data data;
} golden_arrays;
void golden_make(golden_arrays *a, const golden_data *d, snug_dtype real);
void golden_free(golden_arrays *a);

#endif
