/* How a model is trained: optimizer, losses, metrics, and the block of their state.  Made by
 * compile, ended with the model. */
#ifndef SNUG_TRAIN_TRAINING_H
#define SNUG_TRAIN_TRAINING_H

#include "base/timings.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/model.h"
#include "model/optimizer.h"
#include "snug/train.h"

/* A value that is followed over an epoch: the loss, a metric of an output, or the loss of one
 * output. */
typedef struct snug__tracked {
  const char *name; /* in logs, without "val_" */
  snug__metric metric;
  int32_t output; /* which output it looks at; -1: the total loss */
  bool of_loss;   /* the mean of output's loss, not a metric of its predictions */
  bool weighted;  /* sample weights apply */
} snug__tracked;

typedef struct snug__training {
  snug_ctx *ctx;
  snug__arena arena;
  snug__optimizer optimizer;
  snug__loss *losses;   /* per output */
  double *loss_weights; /* per output */
  snug__vec tracked;    /* snug__tracked: the total loss first */
  const char **names;   /* of tracked, sorted; then again with "val_" */
  uint32_t *by_name;    /* names[i] is the name of tracked[by_name[i]] */
  snug__id *trained;    /* variables that the optimizer updates */
  size_t n_trained;
  bool *summed;    /* per trained: a micro-batch has a gradient for it; see step.h */
  bool *trains;    /* per layer, as it was at compile: freezing takes effect with the next one */
  uint64_t passes; /* over training data, in all fits so far: each has a shuffle of its own */
  char note[SNUG__NOTE_BYTES]; /* what the fit's timings have to tell; "": nothing */
  struct snug__fit *fit;       /* that is open and works with all this; the innermost, or NULL */
  snug__place state;           /* block of all state variables; nowhere before the first use */
  size_t state_bytes;
  int64_t slots_bytes;       /* of the file that slots live in; 0: they are in the block */
  const char *slots_folder;  /* where it is made; NULL: TMPDIR, or /tmp */
  struct snug__store *store; /* that file, with the state */
} snug__training;

/* As snug_model_compile, but no memory is taken for weights, which will be read. */
snug_status snug__model_compile(snug_model *m, const snug_compile_options *options) SNUG_NODISCARD;

/* Make the block of the state and its initial values, unless it is there. */
snug_status snug__training_commit(snug_model *m) SNUG_NODISCARD;

/* Bytes that snug__training_commit will take, with a file for slots; 0 if it is there. */
int64_t snug__training_cost(const snug_model *m);

/* Where a variable's bytes are; a snug__locate for programs (arg is the model). */
snug__place snug__training_locate(void *model, snug__id variable);

/* The results of the metrics in the order of `names`. */
snug_status snug__training_results(const snug_model *m, double *values) SNUG_NODISCARD;

/* Before a step: the learning rate of a schedule.  After the last one: averages become the weights.
 */
snug_status snug__training_set_rate(snug_model *m) SNUG_NODISCARD;
snug_status snug__training_finish(snug_model *m) SNUG_NODISCARD;

/* Fails with E_STATE and the way out if the model is not compiled. */
snug_status snug__training_need(const snug_model *m) SNUG_NODISCARD;

#endif
