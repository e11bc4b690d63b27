/* A build: one graph in the making for a model, at one batch size, for training or not.
 * Layers, losses, metrics and optimizers emit their nodes through it. */
#ifndef SNUG_MODEL_BUILD_H
#define SNUG_MODEL_BUILD_H

#include "model/variables.h"

/* What older versions of Keras do otherwise; all false: as the newest does. */
typedef struct snug__habits {
  bool whole_activity;   /* before 3.14: activity regularizers are not divided by the batch size */
  bool merges_unmask;    /* before 3.4: masks end where several inputs become one */
  bool unmasked_metrics; /* before 3.12: masks count in metrics only along with sample weights */
  bool equal_batches;    /* before 3.2: the loss of an epoch is the mean of its batches' */
} snug__habits;

/* Where a graph is for a micro-batch: what it must know of the whole, as scalars. */
typedef struct snug__micro_batch {
  snug__id offset; /* int64: samples of the batch before this micro-batch */
  snug__id batch;  /* float64: samples of the batch; SNUG_NONE: the graph is for a whole one */
  int64_t rows;    /* samples of the micro-batch */
} snug__micro_batch;

typedef struct snug__build {
  snug_ctx *ctx;
  snug__graph *g;
  snug__variables *variables;
  bool training;
  const bool *trains; /* per layer: whether it is trained; NULL: as the layers say now */
  snug_dtype real;    /* the model's float dtype */
  snug__habits habits;
  snug__micro_batch micro_batch;
  bool has_loss;    /* the graph will: what layers add to it is wanted */
  snug__vec terms;  /* snug__id: scalars that layers add to the loss */
  snug__vec values; /* snug__id per variable: the value that holds its newest content here, or
                       SNUG_NONE */
} snug__build;

snug_status snug__build_open(snug__build *b, snug_ctx *ctx, snug__variables *variables,
                             bool training, snug_dtype real) SNUG_NODISCARD;
/* Destroys the graph too unless it was taken (b->g set to NULL). */
void snug__build_close(snug__build *b);

/* The value of a variable in this graph; added on first use. */
snug_status snug__build_variable(snug__build *b, snug__id variable, snug__id *out) SNUG_NODISCARD;

/* A node has written a new content of the variable (see snug__op.writes): later readers see
 * `value`. */
snug_status snug__build_written(snug__build *b, snug__id variable, snug__id value) SNUG_NODISCARD;

/* In a micro-batch: factor x batch, or factor / batch, as a scalar of a dtype. */
snug_status snug__build_per_batch(snug__build *b, double factor, bool inverse, snug_dtype dtype,
                                  snug__id *out) SNUG_NODISCARD;

/* The state variable of this name: found, or added with this type and initial value.  `layer` is
 * whom its bytes belong to; "" for the model as a whole. */
snug_status snug__build_state(snug__build *b, const char *name, const char *layer, snug__type type,
                              double initial, snug__id *variable) SNUG_NODISCARD;

#endif
