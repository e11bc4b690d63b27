/* snug fit: train a Keras model. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fit.h"
#include "interrupt.h"

double fit_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- before training: what would be found out after hours otherwise ---- */

/* Whether a backup is there that the run will go on from: then the output that exists is what the
 * interrupted run saved. */
static bool is_resumed(const fit_options *o) {
  DIR *folder = o->backup ? opendir(o->backup) : NULL;
  int n = 0;
  while (folder && readdir(folder)) {
    n++;
  }
  if (folder) {
    closedir(folder);
  }
  return n > 2; /* more than "." and ".." */
}

static int check_output(const fit_options *o) {
  if (!o->output) {
    return CLI_OK;
  }
  if (!cli_ends_in(o->output, ".keras") && !cli_ends_in(o->output, ".weights.h5")) {
    return cli_fail(CLI_USAGE,
                    "fit: --output is \"%s\"; it ends in .keras, or in .weights.h5 for the weights "
                    "alone",
                    o->output);
  }
  int code = cli_file_check(o->output, o->force || is_resumed(o));
  return code ? code : cli_file_check_folder(o->output);
}

/* The log of a run that is resumed goes on; any other one would be lost. */
static int check_log(const fit_options *o) {
  return o->csv_log ? cli_file_check(o->csv_log, o->force || is_resumed(o)) : CLI_OK;
}

static int check_checkpoint(const fit_options *o) {
  const char *alone = o->monitor             ? "--monitor"
                      : o->save_best_only    ? "--save-best-only"
                      : o->save_weights_only ? "--save-weights-only"
                      : o->save_freq         ? "--save-freq"
                                             : NULL;
  return alone && !o->checkpoint ? cli_fail(CLI_USAGE,
                                            "fit: %s is of --checkpoint PATH, which is "
                                            "not there",
                                            alone)
                                 : CLI_OK;
}

static int check(const fit_options *o) {
  if (!o->job.data.n) {
    return cli_fail(CLI_USAGE, "fit: which data? --data FILE is needed; see snug fit --help");
  }
  if (!(o->validation_split >= 0.0 && o->validation_split < 1.0)) {
    return cli_fail(CLI_USAGE, "fit: --validation-split is %g; it is 0 or more and below 1",
                    o->validation_split);
  }
  if (o->validation_split > 0.0 && o->validation_data.n) {
    return cli_fail(CLI_USAGE, "fit: --validation-split and --validation-data exclude each other");
  }
  if (o->initial_epoch >= o->epochs) {
    return cli_fail(CLI_USAGE,
                    "fit: --initial-epoch is %lld and --epochs, the last one, %lld: there is "
                    "nothing to train",
                    (long long)o->initial_epoch, (long long)o->epochs);
  }
  int code = check_checkpoint(o);
  code = code ? code : check_log(o);
  return code ? code : check_output(o);
}

/* ---- training ---- */

static snug_status plan_and_train(fit_run *r) {
  snug_status s = fit_plan(r);
  if (s) {
    return s;
  }
  fit_announce(r);
  s = snug_fit(r->job.model, &r->job.data, &r->fit, &r->history);
  r->seconds = fit_now() - r->start;
  r->memory = r->planned;
  if (r->history) {
    snug_history_memory(r->history, &r->memory);
  }
  return s == SNUG_E_STOPPED && r->interrupted ? SNUG_OK : s;
}

static int save(fit_run *r) {
  if (!r->options->output) {
    return CLI_OK;
  }
  snug_status s = snug_model_save(r->job.model, r->options->output);
  r->saved = !s;
  return s ? cli_fail_status(r->job.ctx, s) : CLI_OK;
}

static int train_and_save(fit_run *r) {
  char notice[512];
  snprintf(notice, sizeof notice, "\nsnug: stopping after this batch%s%s (once more: at once)\n",
           r->options->output ? ", then saving " : "",
           r->options->output ? r->options->output : "");
  interrupt_begin(notice);
  snug_status s = plan_and_train(r);
  int code = s ? job_fail(&r->job, s) : save(r);
  interrupt_end();
  if (!code) {
    fit_report(r);
    code = r->interrupted ? CLI_SIGNAL + r->interrupted : CLI_OK;
  }
  return code;
}

static int run_with(const fit_options *o) {
  fit_run r = {.options = o};
  int code = job_open(&r.job, &o->job, SNUG_PART_TRAIN, true);
  code = code ? code : job_need_compiled(&r.job, "fit");
  code = code ? code : fit_set_up(&r);
  code = code ? code : fit_add_callbacks(&r);
  code = code ? code : train_and_save(&r);
  fit_end_callbacks(&r);
  snug_history_destroy(r.history);
  fit_end_plan(&r);
  snug_arrays_destroy(r.validation_arrays);
  job_close(&r.job);
  free(r.class_weight);
  return cli_finish(code);
}

int fit_command(const cli_verb *verb, int n_args, char **args) {
  fit_options o = {.job = {JOB_DEFAULTS}, .epochs = 1};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : check(&o);
  code = code ? code : run_with(&o);
  cli_options_release(verb, &o);
  return code;
}
