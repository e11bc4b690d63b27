/* From the options of fit to those of the library. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

#define MOST_CLASSES (1 << 20)
#define HELD_PART 8 /* of the line */

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
    int code =
        job_read(&r->job, files, SNUG_PART_TEST, true, &r->validation_arrays, &r->validation);
    job_use_reading(&r->job, &r->validation, &r->validation_source);
    return code;
  }
  if (r->fit.validation_split > 0.0 || !r->job.arrays ||
      !snug_arrays_has(r->job.arrays, r->job.model, part)) {
    return CLI_OK;
  }
  r->fit.validation_data = &r->validation;
  snug_status s = snug_arrays_data(r->job.arrays, r->job.model, part, true, &r->validation);
  job_use_reading(&r->job, &r->validation, &r->validation_source);
  return s ? job_fail(&r->job, s) : CLI_OK;
}

/* ---- memory ---- */

static bool is_allowed(const fit_options *o, const char *what) {
  for (int32_t i = 0; i < o->allow.n; i++) {
    if (strcmp(o->allow.items[i], what) == 0) {
      return true;
    }
  }
  return false;
}

static int set_levers(fit_run *r) {
  const fit_options *o = r->options;
  size_t n = 0;
  int64_t micro = 0;
  int code = o->kernels ? cli_file_read(o->kernels, NULL, &r->kernels, &n) : CLI_OK;
  if (o->micro_batch) {
    cli_parse_count(o->micro_batch, &micro); /* "auto" leaves it */
  }
  r->fit.memory = r->line.bytes;
  r->fit.recompute = o->recompute;
  r->fit.micro_batch = micro;
  r->fit.allow_batch_statistics = is_allowed(o, "batch-statistics");
  r->fit.allow_disk = is_allowed(o, "disk");
  r->fit.disk_folder = o->disk_folder;
  r->fit.kernels = r->kernels;
  return code;
}

/* Whether it is planned for another machine than this one: fewer threads than there are can be
 * tried here.  A fit runs here, whatever it asks for. */
static bool is_estimate(const fit_options *o, const char *verb) {
  cpu_set_t cores;
  bool known = sched_getaffinity(0, sizeof cores, &cores) == 0;
  bool has_more = known && o->job.threads > CPU_COUNT(&cores);
  return strcmp(verb, "plan") == 0 && (o->isa || has_more);
}

/* ---- all of it ---- */

int fit_set_up(fit_run *r) {
  const fit_options *o = r->options;
  r->out = terminal_of(stdout, &o->common);
  r->err = terminal_of(stderr, &o->common);
  r->progress = progress_of(o, &r->err);
  r->fit = (snug_fit_options){.struct_size = sizeof(snug_fit_options),
                              .batch_size = o->job.batch_size,
                              .epochs = o->epochs,
                              .initial_epoch = o->initial_epoch,
                              .steps_per_epoch = o->steps_per_epoch,
                              .no_shuffle = o->no_shuffle,
                              .validation_split = job_has_images(&o->job.data)
                                                      ? 0.0 /* the files are split */
                                                      : o->validation_split,
                              .validation_batch_size = o->validation_batch_size,
                              .validation_steps = o->validation_steps,
                              .validation_freq = o->validation_freq,
                              .augment = job_has_images(&o->job.data) ? NULL : o->job.augment,
                              .replan = o->replan};
  int code = read_validation(r);
  code = code ? code : set_levers(r);
  code = code ? code : samples_set_up(r);
  code = code ? code : fit_add_settings(r);
  code = code ? code : fit_add_outputs(r);
  return code ? code : set_class_weights(r);
}

/* Under a line, what cannot be read in places is held only if it is a small part of it. */
static snug_arrays_options files_of(const fit_run *r) {
  const fit_options *o = r->options;
  return (snug_arrays_options){.struct_size = sizeof(snug_arrays_options),
                               .hold = (int64_t)(r->line.bytes / HELD_PART),
                               .allow_disk = is_allowed(o, "disk"),
                               .disk_folder = o->disk_folder};
}

int fit_open(fit_run *r, const fit_options *o, const char *verb) {
  *r = (fit_run){.options = o,
                 .opened = terminal_now(),
                 .validation = SNUG_INIT(snug_data),
                 .fastest = SNUG_INIT(snug_plan_point),
                 .point = SNUG_INIT(snug_plan_point),
                 .planned = SNUG_INIT(snug_memory_report),
                 .memory = SNUG_INIT(snug_memory_report),
                 .data = SNUG_INIT(snug_data_report)};
  int code = fit_find_own(o, r->is_own);
  code = code ? code : line_find(o->memory, &r->line);
  snug_arrays_options files = files_of(r);
  snug_image_options images = {.struct_size = sizeof images,
                               .validation_split = o->validation_split};
  files.images = &images;
  code = code ? code : job_open(&r->job, &o->job, &r->line, &files, SNUG_PART_TRAIN, true);
  r->is_estimate = is_estimate(o, verb);
  if (!code && !r->is_estimate) {
    line_find_room(r->job.ctx, &r->line);
  }
  code = code ? code : job_need_compiled(&r->job, verb);
  code = code ? code : fit_set_up(r);
  return code ? code : fit_add_callbacks(r);
}

void fit_close(fit_run *r) {
  fit_end_callbacks(r);
  snug_history_destroy(r->history);
  fit_end_plan(r);
  snug_arrays_destroy(r->validation_arrays);
  job_close(&r->job);
  samples_release(r);
  fit_end_settings(r);
  fit_end_outputs(r);
  free(r->class_weight);
  free(r->kernels);
}
