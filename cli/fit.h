/* snug fit: its options, and the parts that it is made of. */
#ifndef SNUG_CLI_FIT_H
#define SNUG_CLI_FIT_H

#include "job.h"
#include "line.h"
#include "terminal.h"

typedef struct fit_options {
  job_options job;
  cli_common common;
  const char *output, *verbose;
  bool force, more;
  /* data */
  cli_list validation_data;
  double validation_split;
  int64_t validation_steps, validation_batch_size, validation_freq;
  /* training */
  int64_t epochs, initial_epoch, steps_per_epoch;
  bool no_shuffle;
  cli_list class_weight;
  /* callbacks */
  const char *checkpoint, *monitor, *save_freq;
  bool save_best_only, save_weights_only;
  const char *early_stopping, *reduce_lr, *lr_schedule, *csv_log, *backup;
  const char *memory_log, *record;
  cli_list target_batches, target_epochs;
  bool terminate_on_nan, replan;
  /* memory */
  const char *memory, *recompute, *micro_batch, *disk_folder, *kernels;
  cli_list allow;
  /* of plan alone */
  const char *isa, *plan_output, *kernels_output;
  int64_t samples;
  bool curve, draw, find_batch;
  /* as they were given */
  int n_args;
  char **args;
} fit_options;

#define FIT_DEFAULTS .job = {JOB_DEFAULTS}, .epochs = 1

int fit_command(const cli_verb *verb, int n_args, char **args);

/* How much is shown while it trains. */
typedef enum fit_progress { FIT_SILENT = 0, FIT_BAR = 1, FIT_LINES = 2 } fit_progress;

/* What callbacks said and was not printed yet. */
typedef struct fit_messages {
  char text[4096];
  size_t n;
} fit_messages;

/* The files that are made of a fit. */
typedef enum fit_output {
  FIT_MODEL,
  FIT_CSV_LOG,
  FIT_MEMORY_LOG,
  FIT_RECORD,
  FIT_CHECKPOINT, /* a template */
  FIT_OUTPUTS
} fit_output;

#define FIT_MAX_CALLBACKS 16
#define FIT_MOST_UNWRITTEN 8
#define FIT_UNWRITTEN_BYTES 1024

/* What is known of a run, during and after it. */
typedef struct fit_run {
  const fit_options *options;
  job job;
  snug_arrays *validation_arrays;
  snug_data validation;
  snug_source validation_source;
  snug_fit_options fit;
  double *class_weight;
  snug_setting *settings; /* what a backup keeps of the options; in that text */
  cli_list settings_text;
  cli_list outputs;         /* as a backup keeps them */
  bool is_own[FIT_OUTPUTS]; /* written by the run that this one goes on with */
  snug_span *target_batches, *target_epochs;
  snug_log_file memory_log; /* while it trains */
  bool log_is_begun, log_failed;
  terminal out, err; /* stdout, stderr */
  fit_progress progress;
  snug_progress bar;
  fit_messages messages;
  snug_fit_record record;
  snug_callback callbacks[FIT_MAX_CALLBACKS];
  int32_t n_callbacks;
  const snug_callback *csv_log, *checkpoint, *backup; /* among them; NULL: not asked for */
  snug_save_file save;
  const char *instead[2];
  char *checkpoint_folder;
  char unwritten[FIT_MOST_UNWRITTEN][FIT_UNWRITTEN_BYTES]; /* what could not be written, and why */
  int n_unwritten;
  double peak_memory;  /* of the process, at the end of the last epoch */
  snug_status stopped; /* why a hook ended the fit */
  memory_line line;
  bool is_estimate;                /* a plan for another machine than this one */
  char *kernels;                   /* the text of that file */
  bool was_planned, fits, resumes; /* resumes: with the plan of a backup */
  int failed; /* an exit code that was reported while the fit was made ready; 0: none */
  uint64_t least;
  bool peaks_in_validation;
  char note[LINE_WHY_BYTES];          /* of the plan */
  snug_plan_point fastest, point;     /* of the plan; point: the one that is taken */
  snug_memory_report planned, memory; /* before step 1, and of the fit itself */
  snug_data_report data;              /* of the plan, or of the fit */
  snug_layer_memory *layers;          /* as planned, largest first; the names are ours */
  size_t n_layers;
  snug_history *history;   /* of the epochs that were complete */
  double opened, planning; /* when, and the seconds from there until there was a plan */
  double start, seconds;   /* of the training, without making it ready */
  int64_t steps;           /* that were made */
  int interrupted;         /* by this signal; 0: not */
  bool saved;
} fit_run;

/* The outputs (fit_own.c): the path of one, NULL if it is not asked for; which of them the run
 * wrote whose backup is there; run->fit.outputs, and their end.  Those of code report, and return 0
 * or an exit code. */
const char *fit_output_path(const fit_options *options, fit_output which);
int fit_find_own(const fit_options *options, bool is_own[FIT_OUTPUTS]);
int fit_add_outputs(fit_run *run);
void fit_end_outputs(fit_run *run);

/* The files that a fit writes (fit_files.c): whether they may be, before anything is opened; the
 * same of a path that a checkpoint is written to, as snug_callback_target.refuses.  No output
 * replaces an input, and what this run did not write needs --force.  The first reports and returns
 * 0 or an exit code. */
int fit_check_files(const fit_options *options, const bool is_own[FIT_OUTPUTS]);
const char *fit_refuses(void *run, const char *path);

/* The model at the end: rehearsed and its room reserved before the training (reports; returns 0 or
 * an exit code); saved after it, if steps were made, also where the training failed.  Then the
 * backup is removed, if the training came to its end. */
int fit_begin_save(fit_run *run);
void fit_end_save(fit_run *run, bool trained, bool failed);

/* Note what could not be written, for the box at the end; it is said now unless it was.  The run
 * then ends with CLI_FAILURE. */
void fit_note_unwritten(fit_run *run, const char *what, bool was_said);
void fit_note_callbacks(fit_run *run);

/* What can be told wrong about the options without opening anything.  Reports; returns 0 or an exit
 * code. */
int fit_check(const fit_options *options, const char *verb);

/* Open all that a fit needs: model, data, validation, callbacks.  Likewise.  Ended by fit_close in
 * any case. */
int fit_open(fit_run *run, const fit_options *options, const char *verb);
void fit_close(fit_run *run);

/* Fill in run->fit from the options.  Reports; returns 0 or an exit code. */
int fit_set_up(fit_run *run);

/* Samples to train on, those held back for validation included. */
int64_t fit_samples(const fit_run *run);

/* Fill in run->fit.settings (reports; returns 0 or an exit code), and give it back. */
int fit_add_settings(fit_run *run);
void fit_end_settings(fit_run *run);

/* Plan the fit. */
snug_status fit_make_plan(fit_run *run, snug_plan **plan);

/* Keep what is told later: run->planned, run->layers, the points.  Nothing of the plan itself is
 * held during the fit, as it would be counted. */
void fit_keep_plan(fit_run *run, const snug_plan *plan);
void fit_end_plan(fit_run *run);

/* Make the callbacks, and end them (before the model). */
int fit_add_callbacks(fit_run *run);
void fit_end_callbacks(fit_run *run);

/* The memory at chosen batches and epochs (memory_samples.c): check the options; fill in
 * run->fit.sampling; the file of --memory-log, opened just before the training, and closed after
 * it; what is left.  The first three report and return 0 or an exit code. */
int samples_check(const fit_options *options, const char *verb);
int samples_set_up(fit_run *run);
int samples_open_log(fit_run *run);
snug_callback samples_callback(fit_run *run);

/* Room for one more callback of the fit, empty. */
snug_callback *fit_next_callback(fit_run *run);
void samples_close_log(fit_run *run);
void samples_release(fit_run *run);
void samples_print(const fit_run *run);

/* The recording (fit_record.c): its callbacks; the last save of the model, and its end, with what
 * came of the fit: an exit code, 0 if it was good. */
void record_add_callbacks(fit_run *run);
void record_saving(fit_run *run, bool begins);
void record_close(fit_run *run, int code);

/* What is said before the first step, and after the last: a box, or JSON. */
void fit_announce(const fit_run *run);
void fit_report(const fit_run *run);
void fit_print_box(const fit_run *run);

#endif
