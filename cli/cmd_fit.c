/* snug fit: train a Keras model. */
#include <dirent.h>
#include <math.h>
#include <string.h>

#include "fit.h"
#include "interrupt.h"
#include "remedies.h"

/* ---- before training: what would be found out after hours otherwise ---- */

bool fit_is_resumed(const fit_options *o) {
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
  int code = cli_file_check(o->output, o->force || fit_is_resumed(o));
  return code ? code : cli_file_check_folder(o->output);
}

/* The log of a run that is resumed goes on; any other one would be lost. */
static int check_logs(const fit_options *o) {
  bool may = o->force || fit_is_resumed(o);
  int code = o->csv_log ? cli_file_check(o->csv_log, may) : CLI_OK;
  code = code || !o->memory_log ? code : cli_file_check(o->memory_log, may);
  return code || !o->record ? code : cli_file_check(o->record, may);
}

/* ---- training ---- */

/* The plan is that of the fit itself: made once, so what is told is what is kept. */
static bool planned(void *user, const snug_plan *plan) {
  fit_run *r = user;
  fit_keep_plan(r, plan);
  r->was_planned = true;
  if (!r->fits) {
    return false;
  }
  fit_announce(r);
  r->failed = samples_open_log(r, fit_is_resumed(r->options));
  return !r->failed;
}

static snug_status plan_and_train(fit_run *r) {
  r->fit.planned = planned;
  r->fit.planned_user = r;
  snug_memory_reset_peak(r->job.ctx); /* loading may have held more; a recording tells of the fit */
  snug_status s = snug_fit(r->job.model, &r->job.data, &r->fit, &r->history);
  if (r->was_planned && (!r->fits || r->failed)) {
    return SNUG_OK;
  }
  r->seconds = terminal_now() - r->start;
  r->memory = r->planned;
  if (r->history) {
    snug_history_memory(r->history, &r->memory);
    snug_history_data(r->history, &r->data);
  }
  return s == SNUG_E_STOPPED && r->interrupted ? SNUG_OK : s;
}

static int save(fit_run *r) {
  if (!r->options->output) {
    return CLI_OK;
  }
  record_saving(r, true);
  snug_status s = snug_model_save(r->job.model, r->options->output);
  record_saving(r, false);
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
  int code = s ? job_fail(&r->job, s) : r->failed ? r->failed : r->fits ? save(r) : CLI_NO_FIT;
  int closed = samples_close_log(r);
  code = code ? code : closed;
  closed = record_close(r, code);
  code = code ? code : closed;
  interrupt_end();
  if (!code) {
    fit_report(r);
    code = r->interrupted ? CLI_SIGNAL + r->interrupted : CLI_OK;
  }
  return code;
}

/* All is closed before other plans are tried, which takes memory too. */
static int run_with(const fit_options *o) {
  fit_run r;
  int code = fit_open(&r, o, "fit");
  code = code ? code : train_and_save(&r);
  fit_close(&r);
  if (code == CLI_NO_FIT && r.least && !r.fits) {
    code = remedies_refuse(&r);
  }
  return cli_finish(code);
}

static int check(const fit_options *o) {
  if (!o->job.data.n) {
    return cli_fail(CLI_USAGE, "fit: which data? --data FILE is needed; see snug fit --help");
  }
  int code = fit_check(o, "fit");
  code = code ? code : check_logs(o);
  return code ? code : check_output(o);
}

int fit_command(const cli_verb *verb, int n_args, char **args) {
  fit_options o = {FIT_DEFAULTS, .n_args = n_args, .args = args};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : check(&o);
  code = code ? code : run_with(&o);
  cli_options_release(verb, &o);
  return code;
}
