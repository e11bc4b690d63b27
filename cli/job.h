/* A model and its data, opened as the options say: what fit, evaluate and predict begin with. */
#ifndef SNUG_CLI_JOB_H
#define SNUG_CLI_JOB_H

#include <math.h>

#include "cli.h"

typedef struct job_options {
  const char *model, *weights, *optimizer, *sample_weight, *input_shape;
  cli_list data, loss, metrics, loss_weights, freeze;
  double learning_rate; /* NaN: not given */
  int64_t batch_size, threads, seed;
  int64_t preallocate; /* bytes; 0: memory is taken as it is needed */
} job_options;

/* clang-format off */
#define JOB_DEFAULTS .learning_rate = NAN, .batch_size = 32

#define JOB_OPERAND(type, does)                                                                    \
  {"MODEL", "the .keras file " does ", or the folder that one unpacks to", "keras", true, false,   \
   offsetof(type, job.model)}

#define JOB_DATA_OPTION(type, x, heading)                                                          \
  {"data", 0, CLI_FILES, "FILE", "npz npy gz", heading, offsetof(type, job.data), x}

#define JOB_MODEL_OPTIONS(type)                                                                    \
  {"weights", 0, CLI_FILE, "FILE", "h5 keras", "Model", offsetof(type, job.weights),               \
   "load these weights first: .weights.h5, .keras, or .h5 as pretrained models have it"}

#define JOB_COMPILE_OPTIONS(type)                                                                  \
  {"loss", 0, CLI_WORDS, "LOSS", NULL, NULL, offsetof(type, job.loss),                             \
   "the loss, one for all outputs or one for each, separated by commas, as Keras names them: "     \
   "mse, sparse_categorical_crossentropy(from_logits=true)"},                                      \
  {"metrics", 0, CLI_WORDS, "METRICS", NULL, NULL, offsetof(type, job.metrics),                    \
   "what to follow besides the loss, separated by commas: accuracy, mae; \"OUTPUT: METRIC\" is "   \
   "for one output alone"},                                                                        \
  {"loss-weights", 0, CLI_WORDS, "NUMBERS", NULL, NULL, offsetof(type, job.loss_weights),          \
   "how much the loss of each output counts: 1,0.5"}

#define JOB_RUN_OPTIONS(type)                                                                      \
  {"batch-size", 0, CLI_AT_LEAST_1, "N", NULL, NULL, offsetof(type, job.batch_size),               \
   "samples at a time (32)"},                                                                      \
  {"threads", 0, CLI_AT_LEAST_1, "N", NULL, NULL, offsetof(type, job.threads),                     \
   "threads to compute with; without it, as many as this process may use (affinity, CPU quota)"}
/* clang-format on */

typedef struct job {
  const job_options *options;
  snug_ctx *ctx;
  snug_model *model;
  snug_arrays *arrays, *weight_arrays;
  snug_data data;
  const cli_list *more_data; /* further files that failures may be about; NULL: none */
} job;

/* Open all of it: context, data (if there are any), model, weights, compile.  The part says which
 * samples of a file are meant.  Reports; returns 0 or an exit code.  A job is ended by job_close in
 * any case. */
int job_open(job *j, const job_options *options, snug_part part, bool with_labels);
void job_close(job *j);

/* Open the data of some files for the job's model.  Owns: *arrays is the caller's in any case. */
int job_read(const job *j, const cli_list *files, snug_part part, bool with_labels,
             snug_arrays **arrays, snug_data *data);

/* Report a failure; one that is about the data names their files. */
int job_fail(const job *j, snug_status status);

/* Fail if the model does not know its loss, and say which options tell. */
int job_need_compiled(const job *j, const char *verb);

#endif
