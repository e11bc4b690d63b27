/* snug fit: train a Keras model. */
#include <math.h>
#include <string.h>

#include "fit.h"
#include "interrupt.h"
#include "remedies.h"

/* ---- training ---- */

/* The plan is that of the fit itself: made once, so what is told is what is kept. */
static bool planned(void *user, const snug_plan *plan) {
  fit_run *r = user;
  fit_keep_plan(r, plan);
  r->was_planned = true;
  if (!r->fits) {
    return true; /* the library refuses it, and when all is closed it is told what would do */
  }
  fit_announce(r);
  r->failed = samples_open_log(r);
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
  bool is_over = r->history && (s != SNUG_E_STOPPED || r->interrupted);
  return is_over ? SNUG_OK : s; /* with a history, files failed: fit_note_callbacks tells which */
}

static int train_and_save(fit_run *r) {
  char notice[512];
  snprintf(notice, sizeof notice, "\nsnug: stopping after this batch%s%s (once more: at once)\n",
           r->options->output ? ", then saving " : "",
           r->options->output ? r->options->output : "");
  interrupt_begin(notice);
  int code = fit_begin_save(r);
  snug_status s = code ? SNUG_OK : plan_and_train(r);
  code = code        ? code
         : s         ? job_fail(&r->job, s)
         : r->failed ? r->failed
         : r->fits   ? CLI_OK
                     : CLI_NO_FIT;
  fit_note_callbacks(r);
  fit_end_save(r, !code || r->steps > 0, code != CLI_OK);
  samples_close_log(r);
  record_close(r, code || !r->n_unwritten ? code : CLI_FAILURE);
  interrupt_end();
  if (!code) {
    fit_report(r);
    code = r->n_unwritten ? CLI_FAILURE : r->interrupted ? CLI_SIGNAL + r->interrupted : CLI_OK;
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
  bool is_own[FIT_OUTPUTS];
  if (!o->job.data.n) {
    return cli_fail(CLI_USAGE, "fit: which data? --data FILE is needed; see snug fit --help");
  }
  int code = fit_check(o, "fit");
  code = code ? code : fit_find_own(o, is_own);
  return code ? code : fit_check_files(o, is_own);
}

int fit_command(const cli_verb *verb, int n_args, char **args) {
  fit_options o = {FIT_DEFAULTS, .n_args = n_args, .args = args};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : check(&o);
  code = code ? code : run_with(&o);
  cli_options_release(verb, &o);
  return code;
}
