/* Training: compile, fit, evaluate, predict with Keras's semantics, and the plan of a fit without
 * running it.
 *
 * The library prints nothing: whoever wants to see progress gives callbacks (report.h has a
 * progress bar).  Texts are copied; data, options and callbacks are used during the call alone.
 * Every call belongs to the thread that has the model's context. */
#ifndef SNUG_TRAIN_H
#define SNUG_TRAIN_H

#include "snug/data.h"
#include "snug/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- compile ---- */

/* Texts are Keras's names with optional arguments: "adam", "sgd(learning_rate=0.1, momentum=0.9)",
 * "sparse_categorical_crossentropy", "accuracy", "top_k_categorical_accuracy(k=3)". */
typedef struct snug_compile_options {
  const char *optimizer;   /* NULL: "rmsprop" */
  const char *const *loss; /* one per output, or one for all */
  int32_t n_loss;
  const double *loss_weights; /* one per output, finite; NULL: all 1 */
  const char *const *metrics; /* each for every output, or "output name: metric" for one */
  int32_t n_metrics;
  const char *const *weighted_metrics; /* as metrics, with sample and class weights applied */
  int32_t n_weighted_metrics;
} snug_compile_options;

/* clang-format off */
#define SNUG_COMPILE_OPTIONS_DEFAULT {NULL, NULL, 0, NULL, NULL, 0, NULL, 0}
/* clang-format on */

/* Say how the model is trained; makes its weights if they are not there.  Compiling again starts
 * the optimizer anew.  Fails: the first failure of building, E_ARGUMENT for unknown names, E_SHAPE
 * and E_DTYPE for losses and metrics that do not fit the outputs, E_STATE from a callback of a fit,
 * E_MEMORY, E_LIMIT; the model is then as it was. */
SNUG_API snug_status snug_model_compile(snug_model *model,
                                        const snug_compile_options *options) SNUG_NODISCARD;

/* The learning rate that the next step will use (NaN if not compiled), and setting it, e.g. in a
 * callback.  Fails: E_STATE if a schedule rules it or the model is not compiled, E_ARGUMENT if it
 * is negative or not finite as float32, E_MEMORY, E_LIMIT (the optimizer's state is made). */
SNUG_API double snug_model_learning_rate(const snug_model *model);
SNUG_API snug_status snug_model_set_learning_rate(snug_model *model, double rate) SNUG_NODISCARD;

/* ---- fit ---- */

/* Values by name; names are sorted, what callbacks add stands behind them.  In a callback they are
 * gone when it returns. */
typedef struct snug_logs {
  size_t n;
  const char *const *names;
  const double *values;
} snug_logs;

/* The memory at one moment of a fit, in bytes. */
typedef struct snug_memory_sample {
  int64_t epoch;    /* from 0 */
  int64_t batch;    /* the last one that ran in this epoch, from 0; -1: none yet */
  const char *at;   /* "epoch_begin", "batch_end" or "epoch_end"; static */
  uint64_t current; /* that Snug holds */
  uint64_t peak;    /* the most that it held since the sample before */
  /* What was alive at the highest moment of the steps since then.  These add up to `peak`. */
  uint64_t weights, gradients, optimizer, activations, scratch, data, callbacks, runtime;
  uint64_t resident;     /* of the whole process, now */
  uint64_t process_peak; /* and at the most since the fit, or the process, began */
} snug_memory_sample;

/* What a callback can see and do.  Return false to stop the training after this batch or epoch; an
 * epoch that was stopped is still validated.  Callbacks may evaluate and predict.  callbacks.h has
 * Keras's own. */
typedef struct snug_callback {
  void *user; /* hooks and members that are NULL are left out */
  bool (*train_begin)(void *user, int64_t epochs, int64_t steps);
  bool (*epoch_begin)(void *user, int64_t epoch);
  bool (*batch_end)(void *user, int64_t batch, const snug_logs *logs);
  bool (*test_begin)(void *user, int64_t steps);
  bool (*test_batch_end)(void *user, int64_t batch, const snug_logs *logs);
  bool (*test_end)(void *user, const snug_logs *logs);
  bool (*epoch_end)(void *user, int64_t epoch, const snug_logs *logs);
  bool (*train_end)(void *user, const snug_logs *logs);
  /* Why a hook returned false: if this is not OK, the fit ends at once and fails with it and with
   * the message of the context. */
  const snug_status *failure;
  /* Called before memory is planned, by snug_plan_fit too.  What the callback is to hold during the
   * fit it takes now, from the model's context: so it is part of the plan.  A failure is that of
   * the whole call. */
  snug_status (*prepare)(void *user);
  /* The fit or plan is over, also if it failed later than prepare: give that back. */
  void (*close)(void *user);
  /* A value that epoch_end leaves in *added for the callbacks behind this one and for the history,
   * under the name `adds`. */
  const char *adds;
  const double *added;
  /* All that the callback must remember to go on in another process, as plain bytes: a backup keeps
   * them, and puts them back before the first epoch_begin.  As many from prepare to close. */
  void *(*state)(void *user, size_t *bytes);
  void (*destroy)(void *user); /* by snug_callback_destroy */
  /* Memory was recorded, as snug_fit_options.sampling says. */
  bool (*memory_sample)(void *user, const snug_memory_sample *sample);
} snug_callback;

/* What may be done to stay under the line.  All zero: everything that changes no result. */
typedef struct snug_levers {
  /* Which values of the forward are recomputed in the backward instead of being kept.  NULL or
   * "auto": what the line asks for; "none"; "activations": what one pass over its values makes
   * again; "full": all that can be; otherwise layers by name, separated by commas. */
  const char *recompute;
  int64_t micro_batch;         /* samples at a time; 0: what the line asks for */
  bool allow_batch_statistics; /* micro-batches also through BatchNormalization, which then sees
                                  fewer samples: other results */
  bool allow_disk;             /* values and optimizer slots may wait in a file, where the line
                                  asks for it; slots stay there until the next compile */
  const char *disk_folder;     /* where that is; NULL: TMPDIR, or /tmp */
  bool beside;                 /* plans tell the points beside the chosen one and the least line,
                                  also without a line */
  bool curve;                  /* plans tell points from the fastest to the least as well */
  const char *kernels;         /* which implementations to use, as snug_plan_kernels gives them;
                                  NULL: the fastest that fit */
} snug_levers;

/* Numbers from first to last, both included. */
typedef struct snug_span {
  int64_t first, last;
} snug_span;

/* When memory is recorded: at the beginning and the end of these epochs, and after these batches of
 * them.  Both count from 0.  Nothing is recorded if both lists are empty. */
typedef struct snug_sampling {
  const snug_span *epochs; /* none: all epochs */
  int32_t n_epochs;
  const snug_span *batches;
  int32_t n_batches;
} snug_sampling;

/* What else the result of a fit depends on, by name, such as how its data are read.  A backup keeps
 * these beside what the library knows itself, and a fit with another value of one does not go on
 * from it. */
typedef struct snug_setting {
  const char *name, *value;
} snug_setting;

/* plan.h tells what can be asked of it. */
typedef struct snug_plan snug_plan;

typedef struct snug_fit_options {
  int64_t batch_size; /* 0: 32 */
  int64_t epochs;     /* the last epoch, as in Keras; 0: 1 */
  int64_t initial_epoch;
  int64_t steps_per_epoch; /* 0: all the data.  Otherwise the data go on where the epoch before
                              stopped */
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
  snug_levers levers;
  snug_sampling sampling;
  /* Shown the plan of this fit before step 1, also one that does not fit; it is gone when this
   * returns.  false: the fit ends with E_STOPPED, and nothing was touched.  Where this is set, the
   * bytes of that plan are part of what is planned, by snug_plan_fit too. */
  bool (*planned)(void *user, const snug_plan *plan);
  void *planned_user;
  /* Bytes that the caller itself will take in this process: at the most while the fit runs, such as
   * by its callbacks, and once it has ended, to bring the results elsewhere.  They are part of what
   * the process is planned to reach. */
  uint64_t caller_memory, caller_memory_after;
  const snug_setting *settings;
  int32_t n_settings;
  /* The files that the caller makes of this fit, as full paths or templates of such: a backup keeps
   * them, and snug_backup_names tells a fit that goes on which files are its own. */
  const char *const *outputs;
  int32_t n_outputs;
  bool replan; /* a fit that goes on from a backup may have other options and another plan, and so
                  other results; without it, options must be as they were (all but epochs, memory
                  and where results go), and the plan is that of the backup */
} snug_fit_options;

/* clang-format off */
#define SNUG_FIT_OPTIONS_DEFAULT {0, 1, 0, 0, false, 0.0, NULL, 0, 0, 0, NULL, NULL, 0, NULL, 0, 0, {NULL, 0, false, false, NULL, false, false, NULL}, {NULL, 0, NULL, 0}, NULL, NULL, 0, 0, NULL, 0, NULL, 0, false}
/* clang-format on */

/* What a fit holds, in bytes.  The first eight are what is alive at the peak and add up to
 * `planned`. */
typedef struct snug_memory_report {
  uint64_t weights, gradients, optimizer, activations, scratch, data;
  uint64_t callbacks; /* what callbacks took before step 1, such as a copy of the best weights */
  uint64_t runtime;   /* model, graphs, plans, programs, history, context, gaps of the placement */
  uint64_t block;     /* the memory of a step */
  uint64_t load;     /* the largest sum of bytes alive at one moment of a step: no block is lower */
  uint64_t planned;  /* peak of everything Snug allocates over the whole fit, known before step 1;
                        without what callbacks take later */
  uint64_t measured; /* the same, measured; 0 in a plan */
  /* The process around it.  Snug's bytes, these five and `caller` add up to
   * `process`. */
  uint64_t code;    /* resident pages of files: the program and its libraries */
  uint64_t outside; /* anonymous memory that is not Snug's: JIT code, stacks, the C library's heap,
                       arrays of the caller */
  uint64_t tables;  /* page tables, and what the kernel keeps for the process */
  uint64_t reserve; /* for what is not known to the byte */
  uint64_t process; /* the highest that the process will reach, known before step 1: what a line is
                       held against */
  uint64_t process_measured; /* the same, measured; 0 in a plan */
  uint64_t line;             /* that it is to stay under; 0: none */
  uint64_t idle;   /* preallocated bytes that the fit has no use for: they are held, too */
  uint64_t caller; /* left for the caller: caller_memory, or of caller_memory_after what the memory
                      of a step, gone by then, does not cover, if that is more */
} snug_memory_report;

/* What a fit leaves: values per epoch, and its memory. */
typedef struct snug_history snug_history;

/* Train.  options may be NULL.  history may be NULL; otherwise *history is the caller's, ended by
 * snug_history_destroy.  All data and options are checked before step 1, and until then the weights
 * are as they were.  Fails: E_STATE (not compiled), E_SHAPE, E_DTYPE, E_DATA (a label out of range,
 * NaN; names array, sample and value), E_ARGUMENT, E_OVERFLOW, E_MEMORY, E_LIMIT (says what it
 * needs), the failure of a callback, or the first failure of building.  A callback that stops the
 * training is not a failure; one that fails with E_STOPPED leaves the history of the epochs that
 * were complete.  Where one of Keras's callbacks could not write its file, the training goes on,
 * and the fit fails with that at its end (E_IO): all was trained then, and *history is set. */
SNUG_API snug_status snug_fit(snug_model *model, const snug_data *data,
                              const snug_fit_options *options,
                              snug_history **history) SNUG_NODISCARD;

/* Destroy a history, before or after its model, before its context.  NULL is allowed. */
SNUG_API void snug_history_destroy(snug_history *history);

/* Epochs that were trained (with those before a backup that was restored), the logs of one of them
 * (0-based; n = 0 when out of range; values of epochs without validation are NaN under "val_"), and
 * the memory of the fit.  Logs live as long as the history. */
SNUG_API int64_t snug_history_epochs(const snug_history *history);
SNUG_API snug_logs snug_history_logs(const snug_history *history, int64_t epoch);
SNUG_API void snug_history_memory(const snug_history *history, snug_memory_report *out);

/* How the data of the fit were read, those of its validation included. */
SNUG_API void snug_history_data(const snug_history *history, snug_data_report *out);

/* Samples of memory that this fit recorded, and one of them (all zero with `at` "" when out of
 * range). */
SNUG_API size_t snug_history_samples(const snug_history *history);
SNUG_API void snug_history_sample(const snug_history *history, size_t i, snug_memory_sample *out);

/* The value of a name in logs; NaN if there is none. */
SNUG_API double snug_logs_get(const snug_logs *logs, const char *name);

/* ---- who holds what ---- */

/* A piece of memory and whose it is.  The texts are gone when the visit ends. */
typedef struct snug_memory_piece {
  const char *layer; /* "": of no layer of this model */
  const char *op;    /* that made the value in it, or needs it as scratch; "": none */
  const char *what;  /* "weights", "gradients", "optimizer", "activations", "scratch", "data"; for
                        all else a name of the account, as snug_memory_entry_get has them */
  uint64_t bytes;
} snug_memory_piece;

typedef void snug_memory_visit(void *user, const snug_memory_piece *piece);

/* Visit all that the model's context holds now, or held at its peak: piece by piece, so the same
 * layer, op and class may come several times.  The bytes add up to `current` or to `peak` of
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
