/* Training: compile, fit, evaluate, predict with Keras's semantics, and the plan of a fit without
 * running it.
 *
 * The library prints nothing: callbacks show progress (tools/report.h has a progress bar).  Strings
 * are copied; data, options and callbacks are used only during the call.  Call from the thread that
 * uses the model's context. */
#ifndef SNUG_TRAIN_H
#define SNUG_TRAIN_H

#include "snug/data.h"
#include "snug/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- compile ---- */

/* Strings are Keras's names with optional arguments: "adam", "sgd(learning_rate=0.1,
 * momentum=0.9)", "sparse_categorical_crossentropy", "accuracy", "top_k_categorical_accuracy(k=3)".
 */
typedef struct snug_compile_options {
  size_t struct_size;
  const char *optimizer;   /* NULL: "rmsprop" */
  const char *const *loss; /* one per output, or one for all */
  int32_t n_loss;
  const double *loss_weights; /* one per output, finite; NULL: all 1 */
  const char *const *metrics; /* each for every output, or "output name: metric" for one */
  int32_t n_metrics;
  const char *const *weighted_metrics; /* as metrics, with sample and class weights applied */
  int32_t n_weighted_metrics;
} snug_compile_options;

/* Set how the model is trained; creates its weights if necessary.  Compiling again resets the
 * optimizer.  Fails: the first failure of building, E_ARGUMENT for unknown names, E_SHAPE and
 * E_DTYPE for losses and metrics that do not fit the outputs, E_STATE from a callback of a fit,
 * E_MEMORY, E_LIMIT; the model is then unchanged. */
SNUG_API snug_status snug_model_compile(snug_model *model,
                                        const snug_compile_options *options) SNUG_NODISCARD;

/* Get the learning rate of the next step (NaN if not compiled), and set it, e.g. in a callback.
 * Fails: E_STATE if a schedule controls it or the model is not compiled, E_ARGUMENT if it is
 * negative or not finite as float32, E_MEMORY, E_LIMIT (creates the optimizer state). */
SNUG_API double snug_model_learning_rate(const snug_model *model);
SNUG_API snug_status snug_model_set_learning_rate(snug_model *model, double rate) SNUG_NODISCARD;

/* ---- fit ---- */

/* Values by name.  Names are sorted; values that callbacks add come last.  In a callback they are
 * valid until it returns. */
typedef struct snug_logs {
  size_t n;
  const char *const *names;
  const double *values;
} snug_logs;

/* The memory at one moment of a fit, in bytes. */
typedef struct snug_memory_sample {
  size_t struct_size;
  int64_t epoch;    /* from 0 */
  int64_t batch;    /* the last one that ran in this epoch, from 0; -1: none yet */
  const char *at;   /* "epoch_begin", "batch_end" or "epoch_end"; static */
  uint64_t current; /* that Snug holds */
  uint64_t peak;    /* the most that it held since the previous sample */
  /* What was alive at the peak of the steps since then.  These add up to `peak`. */
  uint64_t weights, gradients, optimizer, activations, scratch, data, callbacks, runtime;
  uint64_t resident;     /* of the whole process, now */
  uint64_t process_peak; /* its peak since the fit, or the process, began */
} snug_memory_sample;

/* Hooks of a fit.  Return false to stop training after this batch or epoch; a stopped epoch is
 * still validated.  Callbacks may evaluate and predict. callbacks.h has those of Keras. */
typedef struct snug_callback {
  size_t struct_size;
  void *user; /* hooks may be NULL */
  bool (*train_begin)(void *user, int64_t epochs, int64_t steps);
  bool (*epoch_begin)(void *user, int64_t epoch);
  bool (*batch_end)(void *user, int64_t batch, const snug_logs *logs);
  bool (*test_begin)(void *user, int64_t steps);
  bool (*test_batch_end)(void *user, int64_t batch, const snug_logs *logs);
  bool (*test_end)(void *user, const snug_logs *logs);
  bool (*epoch_end)(void *user, int64_t epoch, const snug_logs *logs);
  bool (*train_end)(void *user, const snug_logs *logs);
  /* Why a hook returned false: if this is not OK, the fit ends at once and fails with this status
   * and the message of the context. */
  const snug_status *failure;
  /* Called before memory is planned, also by snug_plan_fit.  Allocate here, from the model's
   * context, what the callback will hold during the fit, so that it is part of the plan.  A failure
   * fails the whole call. */
  snug_status (*prepare)(void *user);
  /* The fit or plan has ended, possibly with a failure after prepare: release that memory. */
  void (*close)(void *user);
  /* A value that epoch_end stores in *added, for later callbacks and the history, under the name
   * `adds`. */
  const char *adds;
  const double *added;
  /* The state that the callback needs to resume in another process, as plain bytes: a backup saves
   * them, and restores them before the first epoch_begin.  Their number is constant from prepare to
   * close. */
  void *(*state)(void *user, size_t *bytes);
  void (*destroy)(void *user); /* by snug_callback_destroy */
  /* Memory was sampled, as snug_fit_options.sampling requests. */
  bool (*memory_sample)(void *user, const snug_memory_sample *sample);
} snug_callback;

/* Numbers from first to last, both included. */
typedef struct snug_span {
  int64_t first, last;
} snug_span;

/* When memory is sampled: at the beginning and the end of these epochs, and after these batches of
 * them.  Both count from 0.  Nothing is sampled if both lists are empty. */
typedef struct snug_sampling {
  const snug_span *epochs; /* none: all epochs */
  int32_t n_epochs;
  const snug_span *batches;
  int32_t n_batches;
} snug_sampling;

/* Further settings that the result of a fit depends on, by name, such as how its data are read.  A
 * backup stores them, and a fit with a different value does not resume from it. */
typedef struct snug_setting {
  const char *name, *value;
} snug_setting;

/* See plan.h. */
typedef struct snug_plan snug_plan;

typedef struct snug_fit_options {
  size_t struct_size;
  int64_t batch_size; /* 0: 32 */
  int64_t epochs;     /* number of the last epoch, as in Keras; 0: 1 */
  int64_t initial_epoch;
  int64_t steps_per_epoch; /* 0: all the data.  Otherwise each epoch continues where the previous
                              one stopped */
  bool no_shuffle;
  double validation_split;          /* the last part of the data, taken before shuffling */
  const snug_data *validation_data; /* overrides the split */
  int64_t validation_batch_size;    /* 0: batch_size */
  int64_t validation_steps;         /* 0: all */
  int64_t validation_freq;          /* 0: 1, after every epoch */
  /* Changes of images at random in training, as snug_image_options.augment has them, but for crop:
   * done to the samples of x[0], whatever they are read from.  NULL: those that layers of the model
   * stand for (snug_model_augmentation), if there are any. */
  const char *augment;
  const double *class_weight; /* per class; NULL: none.  Not together with sample_weight */
  int64_t n_class_weight;
  const snug_callback *callbacks;
  int32_t n_callbacks;
  uint64_t memory; /* the line: bytes that the whole process may hold; 0: none */
  /* What may be done to stay under the line.  All zero: everything that does not change results.
   *
   * Which values of the forward are recomputed in the backward instead of being kept.  NULL or
   * "auto": as the line requires; "none"; "activations": those that one element-wise pass
   * recomputes; "full": all that can be; otherwise layers by name, separated by commas. */
  const char *recompute;
  int64_t micro_batch;         /* samples per micro-batch; 0: as the line requires */
  bool allow_batch_statistics; /* micro-batches also through BatchNormalization, which then sees
                                  fewer samples: results differ */
  bool allow_disk; /* offload values and optimizer slots to a file if the line requires it; slots
                      stay there until the next compile */
  const char *disk_folder; /* its folder; NULL: TMPDIR, or /tmp */
  bool beside; /* plans include the neighbours of the chosen point and the least line, also without
                  a line */
  bool curve;  /* plans include all points from the fastest to the smallest */
  const char *kernels; /* which kernels to use, as snug_plan_kernels lists them; NULL: the fastest
                          that fit */
  snug_sampling sampling;
  /* Called with the plan of this fit before step 1, even if it does not fit; the plan is valid
   * during the call.  Return false to end the fit with E_STOPPED; nothing has changed then.  If
   * this is set, the bytes of that plan object are part of the plan, also in snug_plan_fit. */
  bool (*planned)(void *user, const snug_plan *plan);
  void *planned_user;
  /* Bytes that the caller itself will allocate in this process: the most while the fit runs, such
   * as in its callbacks, and after it has ended, to copy the results.  They are part of the planned
   * peak of the process. */
  uint64_t caller_memory, caller_memory_after;
  const snug_setting *settings;
  int32_t n_settings;
  /* The files that the caller writes for this fit, as full paths or templates: a backup stores the
   * list, so that a resumed fit knows its own files (snug_backup_names). */
  const char *const *outputs;
  int32_t n_outputs;
  bool replan; /* a fit that resumes from a backup may have other options and another plan, and so
                  other results; without it, options must be unchanged (except epochs, memory and
                  output paths), and the plan is that of the backup */
} snug_fit_options;

/* What a fit holds, in bytes.  The first eight are alive at the peak and add up to `planned`. */
typedef struct snug_memory_report {
  size_t struct_size;
  uint64_t weights, gradients, optimizer, activations, scratch, data;
  uint64_t callbacks; /* allocated by callbacks before step 1, such as a copy of the best weights */
  uint64_t runtime;   /* model, graphs, plans, programs, history, context, gaps left by placement */
  uint64_t block;     /* the memory of a step */
  uint64_t load;      /* most bytes alive at one moment of a step; block >= load */
  uint64_t planned;  /* peak of everything that Snug allocates over the whole fit, known before step
                        1; without later allocations of callbacks */
  uint64_t measured; /* the same, measured; 0 in a plan */
  /* The process.  Snug's bytes, the next four, `idle` and `caller` add up to `process`. */
  uint64_t code;    /* resident pages of files: the program and its libraries */
  uint64_t outside; /* anonymous memory that is not Snug's: JIT code, stacks, the C library's heap,
                       arrays of the caller */
  uint64_t tables;  /* page tables, and what the kernel keeps for the process */
  uint64_t reserve; /* margin margin for what is not known to the byte */
  uint64_t process; /* the peak of the process, known before step 1; compared with the line */
  uint64_t process_measured; /* the same, measured; 0 in a plan */
  uint64_t line;             /* the line that `process` must stay under; 0: none */
  uint64_t idle;   /* preallocated bytes that the fit does not use; they are held as well */
  uint64_t caller; /* reserved for the caller: caller_memory, or caller_memory_after less the memory
                      of a step, if that is more */
} snug_memory_report;

/* The result of a fit: logs per epoch, and its memory. */
typedef struct snug_history snug_history;

/* Train. options may be NULL. history may be NULL; otherwise the caller destroys *history with
 * snug_history_destroy.  All data and options are checked before step 1; until then the weights do
 * not change.  Fails: E_STATE (not compiled), E_SHAPE, E_DTYPE, E_DATA (a label out of range, NaN;
 * names array, sample and value), E_ARGUMENT, E_OVERFLOW, E_MEMORY, E_LIMIT (with the bytes that it
 * needs), the failure of a callback, or the first failure of building.  A callback that stops
 * training is not a failure; if one fails with E_STOPPED, the history has the complete epochs.  If
 * one of Keras's callbacks cannot write its file, training continues, and the fit fails with E_IO
 * at its end: training is then complete, and *history is set. */
SNUG_API snug_status snug_fit(snug_model *model, const snug_data *data,
                              const snug_fit_options *options,
                              snug_history **history) SNUG_NODISCARD;

/* Destroy a history, before or after its model, but before its context.  NULL is allowed. */
SNUG_API void snug_history_destroy(snug_history *history);

/* Number of epochs trained (including those before a restored backup), the logs of one of them
 * (0-based; n = 0 when out of range; values of epochs without validation are NaN under "val_"), and
 * the memory of the fit.  Logs are valid as long as the history. */
SNUG_API int64_t snug_history_epochs(const snug_history *history);
SNUG_API snug_logs snug_history_logs(const snug_history *history, int64_t epoch);
SNUG_API void snug_history_memory(const snug_history *history, snug_memory_report *out);

/* How the data of the fit was read, validation included. */
SNUG_API void snug_history_data(const snug_history *history, snug_data_report *out);

/* Number of memory samples of this fit, and one of them (all zero with `at` "" when out of range).
 */
SNUG_API size_t snug_history_samples(const snug_history *history);
SNUG_API void snug_history_sample(const snug_history *history, size_t i, snug_memory_sample *out);

/* The value of a name in logs; NaN if there is none. */
SNUG_API double snug_logs_get(const snug_logs *logs, const char *name);

/* ---- who holds what ---- */

/* A piece of memory and its owner.  The strings are valid during the visit. */
typedef struct snug_memory_piece {
  const char *layer; /* "": no layer of this model */
  const char *op;    /* the op that produced the value in it, or uses it as scratch; "": none */
  const char *what;  /* "weights", "gradients", "optimizer", "activations", "scratch", "data";
                        otherwise a name of the account, as in snug_memory_entry_get */
  uint64_t bytes;
} snug_memory_piece;

typedef void snug_memory_visit(void *user, const snug_memory_piece *piece);

/* Visit all memory that the model's context holds now, or held at its peak, piece by piece; the
 * same layer, op and class may occur several times.  The bytes add up to `current` or to `peak` of
 * snug_memory_get.  Callbacks of a fit may call it; then the peak is that of the step, with the
 * values that are alive in its block.  Between two steps the block holds none, and is "work".
 * Takes no memory. */
SNUG_API void snug_memory_walk(const snug_model *model, bool at_peak, snug_memory_visit *visit,
                               void *user);

/* ---- evaluate and predict ---- */

/* Loss and metrics over the data, in the order of snug_model_metrics; values has room for n.
 * batch_size 0: 32.  Fails as fit does; E_ARGUMENT when n is not their number. */
SNUG_API snug_status snug_evaluate(snug_model *model, const snug_data *data, int64_t batch_size,
                                   double *values, size_t n) SNUG_NODISCARD;

/* Names of what evaluate gives, sorted as in Keras's return_dict; values is NULL.  Valid until the
 * next compile or the end of the model; n = 0 if it is not compiled. */
SNUG_API snug_logs snug_model_metrics(const snug_model *model);

/* Outputs for the data: out[k] receives rows x (bytes of one sample of output k) in the dtype of
 * the output.  batch_size 0: 32.  Works without compile; makes the weights if they are not there.
 * Fails as fit does; E_ARGUMENT when n_out is not the number of outputs. */
SNUG_API snug_status snug_predict(snug_model *model, const snug_data *data, int64_t batch_size,
                                  void *const *out, int32_t n_out) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
