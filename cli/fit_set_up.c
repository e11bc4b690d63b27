/* From the options of fit to those of the library. */
#include <stdlib.h>
#include <string.h>

#include "fit.h"

#define MOST_CLASSES (1 << 20)

/* "3:0.5" */
static int parse_class_weight(const char *text, int64_t *class_, double *weight) {
  char number[32];
  const char *colon = strchr(text, ':');
  snprintf(number, sizeof number, "%.*s", colon ? (int)(colon - text) : 0, text);
  if (!colon || !cli_parse_count(number, class_) || !cli_parse_real(colon + 1, weight) ||
      *class_ >= MOST_CLASSES) {
    return cli_fail(CLI_USAGE, "fit: --class-weight: \"%s\" is not CLASS:WEIGHT, such as 1:5",
                    text);
  }
  return CLI_OK;
}

static int set_class_weights(fit_run *r) {
  const cli_list *list = &r->options->class_weight;
  int64_t n = 0;
  for (int32_t i = 0; i < list->n; i++) {
    int64_t class_;
    double weight;
    if (parse_class_weight(list->items[i], &class_, &weight)) {
      return CLI_USAGE;
    }
    n = class_ >= n ? class_ + 1 : n;
  }
  r->class_weight = n ? malloc((size_t)n * sizeof *r->class_weight) : NULL;
  if (n && !r->class_weight) {
    return cli_fail(CLI_FAILURE, "no memory for %lld class weights", (long long)n);
  }
  for (int64_t i = 0; i < n; i++) {
    r->class_weight[i] = 1.0;
  }
  for (int32_t i = 0; i < list->n; i++) {
    int64_t class_ = 0;
    double weight = 1.0;
    (void)parse_class_weight(list->items[i], &class_, &weight);
    r->class_weight[class_] = weight;
  }
  r->fit.class_weight = r->class_weight;
  r->fit.n_class_weight = n;
  return CLI_OK;
}

static fit_progress progress_of(const fit_options *o, const terminal *err) {
  if (o->verbose && strcmp(o->verbose, "auto") != 0) {
    return (fit_progress)(o->verbose[0] - '0');
  }
  return o->common.quiet ? FIT_SILENT : err->is_terminal ? FIT_BAR : FIT_LINES;
}

static int read_validation(fit_run *r) {
  const cli_list *files = &r->options->validation_data;
  snug_part part = SNUG_PART_VALIDATION;
  r->job.more_data = files;
  if (files->n) {
    r->fit.validation_data = &r->validation;
    return job_read(&r->job, files, SNUG_PART_TEST, true, &r->validation_arrays, &r->validation);
  }
  if (r->options->validation_split > 0.0 || !snug_arrays_has(r->job.arrays, r->job.model, part)) {
    return CLI_OK;
  }
  r->fit.validation_data = &r->validation;
  snug_status s = snug_arrays_data(r->job.arrays, r->job.model, part, true, &r->validation);
  return s ? job_fail(&r->job, s) : CLI_OK;
}

int fit_set_up(fit_run *r) {
  const fit_options *o = r->options;
  r->out = terminal_of(stdout, &o->common);
  r->err = terminal_of(stderr, &o->common);
  r->progress = progress_of(o, &r->err);
  r->fit = (snug_fit_options){.batch_size = o->job.batch_size,
                              .epochs = o->epochs,
                              .initial_epoch = o->initial_epoch,
                              .steps_per_epoch = o->steps_per_epoch,
                              .no_shuffle = o->no_shuffle,
                              .validation_split = o->validation_split,
                              .validation_batch_size = o->validation_batch_size,
                              .validation_steps = o->validation_steps,
                              .validation_freq = o->validation_freq};
  int code = read_validation(r);
  return code ? code : set_class_weights(r);
}
