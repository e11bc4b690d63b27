#include "job.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---- */

static bool is_about_data(snug_status s) {
  return s == SNUG_E_SHAPE || s == SNUG_E_DTYPE || s == SNUG_E_DATA;
}

/* " (FILE, FILE)" */
static void append_files(char *text, size_t bytes, const char *before, const cli_list *files) {
  size_t used = strlen(text);
  for (int32_t i = 0; files && i < files->n && used < bytes; i++) {
    used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : before, files->items[i]);
  }
}

int job_fail(const job *j, snug_status status) {
  char files[512] = "";
  bool has_more = j->more_data && j->more_data->n;
  if (status == SNUG_E_UNSUPPORTED) {
    return cli_fail(CLI_FAILURE, "%s: %s", j->options->model, cli_message(j->ctx));
  }
  if (!is_about_data(status)) {
    return cli_fail_status(j->ctx, status);
  }
  if (j->options->data.n && strncmp(cli_message(j->ctx), j->options->data.items[0],
                                    strlen(j->options->data.items[0])) == 0) {
    return cli_fail_status(j->ctx, status); /* it names the file itself */
  }
  append_files(files, sizeof files, "", &j->options->data);
  append_files(files, sizeof files, has_more ? "; " : "", j->more_data);
  return cli_fail(CLI_FAILURE, "%s: %s", files, cli_message(j->ctx));
}

int job_need_compiled(const job *j, const char *verb) {
  bool trains = strcmp(verb, "evaluate") != 0;
  const cli_list *data = &j->options->data;
  bool has_data = data->n || strcmp(verb, "plan") != 0; /* where it must be given */
  const char *left_out = snug_model_left_out(j->model);
  const char *why = snug_model_uncompiled(j->model);
  char text[CLI_MESSAGE_BYTES];
  if (why) {
    return cli_fail(CLI_FAILURE, "%s: %s", verb, cli_in_options(why, text));
  }
  if (snug_model_metrics(j->model).n > 0) {
    if (left_out && strcmp(verb, "plan") != 0) {
      fprintf(stderr, "warning: %s: unsupported metrics are left out: %s\n", j->options->model,
              left_out);
    }
    return CLI_OK;
  }
  return cli_fail(CLI_USAGE,
                  "%s: %s does not say how it is trained. Say it with --loss%s, for example:\n"
                  "  snug %s %s%s%s%s --loss sparse_categorical_crossentropy --metrics accuracy",
                  verb, j->options->model, trains ? " and --optimizer" : "", verb,
                  j->options->model, has_data ? " --data " : "",
                  !has_data ? ""
                  : data->n ? data->items[0]
                            : "FILE",
                  trains ? " --optimizer adam" : "");
}

/* ---- data ---- */

/* One weight per sample, from a file of its own. */
static int read_sample_weight(job *j) {
  const snug_array *weight = NULL;
  const char *path = j->options->sample_weight;
  if (!path) {
    return CLI_OK;
  }
  snug_status s = snug_arrays_open(j->ctx, &path, 1, &j->weight_arrays);
  const char *name = s ? NULL : snug_arrays_name(j->weight_arrays, 0);
  s = s ? s : snug_arrays_get(j->weight_arrays, name ? name : "x", &weight);
  j->data.sample_weight = weight;
  return s ? cli_fail_status(j->ctx, s) : CLI_OK;
}

/* ---- model ---- */

static bool wants_compile(const job_options *o) {
  return o->optimizer || o->loss.n || o->metrics.n || o->loss_weights.n || o->freeze.n;
}

/* The shapes of the data say what the file leaves open. */
/* What a small model takes to load.  It is loaded under any line: its plan tells the least that
 * would do, and what else. */
#define SMALL_BYTES ((uint64_t)16 << 20)

static uint64_t line_of_loading(const job *j) {
  snug_memory_process now = SNUG_INIT(snug_memory_process);
  snug_memory_process_get(&now);
  bool is_small = j->memory < now.resident + SMALL_BYTES;
  return j->memory && is_small ? now.resident + SMALL_BYTES : j->memory;
}

static int load_model(job *j, snug_part part) {
  snug_load_options options = SNUG_INIT(snug_load_options);
  options.seed = (uint64_t)j->options->seed;
  options.no_compile = wants_compile(j->options);
  options.memory = line_of_loading(j);
  snug_array shapes[CLI_MOST_INPUTS];
  const char *text = j->options->input_shape;
  if (text && cli_parse_shapes(text, shapes, &options.n_x)) {
    return CLI_USAGE;
  }
  options.x = text ? shapes : NULL;
  snug_status s =
      j->arrays && !text ? snug_arrays_inputs(j->arrays, part, &options.x, &options.n_x) : SNUG_OK;
  s = s ? s : snug_model_load(j->ctx, j->options->model, &options, &j->model);
  if (!s && j->options->weights) {
    s = snug_model_load_weights(j->model, j->options->weights);
  }
  return s ? cli_fail_status(j->ctx, s) : CLI_OK;
}

/* Freeze the layers with weights that a name or pattern means; that of a nested model means all of
 * its layers. */
static int freeze(job *j, const char *pattern) {
  bool found = false;
  for (size_t i = 0; i < snug_model_weights(j->model); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    snug_status s = snug_model_weight_info(j->model, i, &w);
    if (!s && fnmatch(pattern, w.layer, FNM_LEADING_DIR) == 0) {
      s = snug_model_set_trainable(j->model, w.layer, false);
      found = true;
    }
    if (s) {
      return cli_fail_status(j->ctx, s);
    }
  }
  return found ? CLI_OK
               : cli_fail(CLI_USAGE,
                          "--freeze %s: no layer of %s that has weights is called so; snug summary "
                          "%s shows their names",
                          pattern, j->options->model, j->options->model);
}

static int freeze_all(job *j) {
  int code = CLI_OK;
  for (int32_t i = 0; i < j->options->freeze.n && !code; i++) {
    code = freeze(j, j->options->freeze.items[i]);
  }
  return code;
}

static int parse_loss_weights(const cli_list *texts, double **out) {
  *out = texts->n ? malloc((size_t)texts->n * sizeof **out) : NULL;
  for (int32_t i = 0; i < texts->n; i++) {
    if (!*out || !cli_parse_real(texts->items[i], &(*out)[i])) {
      return cli_fail(CLI_USAGE, "--loss-weights: \"%s\" is not a number", texts->items[i]);
    }
  }
  return CLI_OK;
}

static int32_t count_outputs(const snug_model *m) {
  int32_t n = 0;
  while (snug_model_output_at(m, n) != SNUG_NO_TENSOR) {
    n++;
  }
  return n;
}

/* Compile as the options say, and for the rest as the file does; with both optimizer and loss there
 * is no rest, and what the file says may be something that Snug has not. */
static int compile(job *j) {
  const job_options *o = j->options;
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  double *weights = NULL;
  int code = parse_loss_weights(&o->loss_weights, &weights);
  if (!code && weights && o->loss_weights.n != count_outputs(j->model)) {
    code = cli_fail(CLI_USAGE, "--loss-weights has %d numbers; the model has %d outputs",
                    o->loss_weights.n, count_outputs(j->model));
  }
  if (!code) {
    how = (snug_compile_options){.struct_size = sizeof(snug_compile_options),
                                 .optimizer = o->optimizer,
                                 .loss = o->loss.items,
                                 .n_loss = o->loss.n,
                                 .loss_weights = weights,
                                 .metrics = o->metrics.items,
                                 .n_metrics = o->metrics.n};
    bool is_all = o->optimizer && o->loss.n;
    snug_status s =
        is_all ? snug_model_compile(j->model, &how) : snug_model_recompile(j->model, &how);
    code = s ? cli_fail_status(j->ctx, s) : CLI_OK;
  }
  free(weights);
  return code;
}

static int set_learning_rate(job *j) {
  double rate = j->options->learning_rate;
  if (isnan(rate) || snug_model_metrics(j->model).n == 0) {
    return CLI_OK;
  }
  snug_status s = snug_model_set_learning_rate(j->model, rate);
  return s ? cli_fail_status(j->ctx, s) : CLI_OK;
}

/* ---- all of it ---- */

void job_hold_to_room(snug_ctx *ctx) {
  snug_available room = SNUG_INIT(snug_available);
  if (!snug_memory_available(ctx, &room)) {
    snug_memory_set_bound(ctx, room.bytes);
  }
}

/* Told however quiet the command is to be: nothing else says it. */
static void print_note(void *user, const char *text) {
  char says[CLI_MESSAGE_BYTES];
  (void)user;
  fprintf(stderr, "Warning: %s.\n", cli_in_options(text, says));
}

static int create_context(job *j, const memory_line *line) {
  snug_options options = SNUG_INIT(snug_options);
  char why[SNUG_DEVICE_TEXT];
  if (j->options->threads > 1024) {
    return cli_fail(CLI_USAGE, "--threads is %lld; it is at most 1024",
                    (long long)j->options->threads);
  }
  if (snug_device_check(j->options->device, why)) {
    return cli_fail(CLI_USAGE, "--device: %s", why);
  }
  options.device = j->options->device;
  options.threads = (int32_t)j->options->threads;
  options.whole_process = true;
  options.note = print_note;
  snug_status s = snug_ctx_create(&options, &j->ctx);
  if (s) {
    return cli_fail(CLI_FAILURE, "%s", snug_status_text(s));
  }
  if (!line->is_off) {
    job_hold_to_room(j->ctx);
  }
  s = snug_memory_preallocate(j->ctx, snug_memory_device_name(j->ctx, 0),
                              (uint64_t)j->options->preallocate);
  return s ? cli_fail(CLI_NO_FIT, "--preallocate: %s", cli_message(j->ctx)) : CLI_OK;
}

static int open_arrays(job *j) {
  const cli_list *files = &j->options->data;
  snug_status s = files->n
                      ? snug_arrays_open_with(j->ctx, files->items, files->n, &j->files, &j->arrays)
                      : SNUG_OK;
  return s ? cli_fail_status(j->ctx, s) : CLI_OK;
}

static int read_data(job *j, snug_part part, bool with_labels) {
  snug_status s =
      j->arrays ? snug_arrays_data(j->arrays, j->model, part, with_labels, &j->data) : SNUG_OK;
  job_use_reading(j, &j->data, &j->source);
  return s ? cli_fail_status(j->ctx, s) : CLI_OK;
}

/* The shapes of the data say what the model's file leaves open; of images it is the other way
 * round. */
static int open_both(job *j, snug_part part) {
  bool is_sized = !job_has_images(&j->options->data) || j->options->image_size;
  bool augments = false;
  int code = is_sized ? open_arrays(j) : CLI_OK;
  code = code ? code : load_model(j, part);
  if (!code && part == SNUG_PART_TRAIN) {
    code = job_augment_images(j, &augments);
  }
  if (!code && !is_sized) {
    job_size_images(j);
  }
  if (code || (is_sized && !augments)) {
    return code;
  }
  snug_arrays_destroy(j->arrays);
  j->arrays = NULL;
  return open_arrays(j);
}

int job_open(job *j, const job_options *options, const memory_line *line,
             const snug_arrays_options *files, snug_part part, bool with_labels) {
  *j = (job){
      .options = options, .memory = line->is_room ? 0 : line->bytes, .data = SNUG_INIT(snug_data)};
  j->files = files ? *files : (snug_arrays_options)SNUG_INIT(snug_arrays_options);
  j->images.validation_split = j->files.images ? j->files.images->validation_split : 0.0;
  j->files.label = options->label;
  int code = job_parse_reading(j);
  job_set_images(j);
  code = code ? code : create_context(j, line);
  code = code ? code : open_both(j, part);
  code = code ? code : freeze_all(j);
  code = code || !wants_compile(options) ? code : compile(j);
  code = code ? code : set_learning_rate(j);
  code = code ? code : read_data(j, part, with_labels);
  return code ? code : read_sample_weight(j);
}

void job_close(job *j) {
  snug_arrays_destroy(j->weight_arrays);
  snug_arrays_destroy(j->arrays);
  snug_model_destroy(j->model);
  snug_ctx_destroy(j->ctx);
}
