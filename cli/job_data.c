/* Data as the options say: files, images, and who reads them. */
#include <string.h>
#include <sys/stat.h>

#include "job.h"

bool job_has_images(const cli_list *files) {
  struct stat info;
  return files->n == 1 && (cli_ends_in(files->items[0], ".txt") ||
                           (stat(files->items[0], &info) == 0 && S_ISDIR(info.st_mode)));
}

int job_read(const job *j, const cli_list *files, snug_part part, bool with_labels,
             snug_arrays **arrays, snug_data *data) {
  snug_arrays_options how = j->files;
  snug_image_options images = j->images;
  images.validation_split = 0.0; /* all of it */
  how.images = &images;
  snug_status s = snug_arrays_open_with(j->ctx, files->items, files->n, &how, arrays);
  s = s ? s : snug_arrays_data(*arrays, j->model, part, with_labels, data);
  return s ? job_fail(j, s) : CLI_OK;
}

/* A number, or "auto", which is 0. */
static int parse_auto(const char *option, const char *text, int64_t most, int64_t *out) {
  *out = 0;
  if (!text || strcmp(text, "auto") == 0 || (cli_parse_count(text, out) && *out <= most)) {
    return CLI_OK;
  }
  return cli_fail(CLI_USAGE, "--%s is \"%s\"; auto is possible, or a whole number up to %lld",
                  option, text, (long long)most);
}

static int parse_window(const char *text, int64_t *out) {
  *out = 0;
  return !text || strcmp(text, "auto") == 0 || cli_parse_bytes(text, out)
             ? CLI_OK
             : cli_fail(CLI_USAGE, "--shuffle-window is \"%s\"; auto is possible, or bytes: 64MiB",
                        text);
}

#define MOST_WORKERS 64
#define MOST_PREFETCH 1024

int job_parse_reading(job *j) {
  const job_options *o = j->options;
  snug_source *out = &j->reading;
  int64_t workers = 0;
  int64_t prefetch = 0;
  int code = parse_auto("workers", o->workers, MOST_WORKERS, &workers);
  code = code ? code : parse_auto("prefetch", o->prefetch, MOST_PREFETCH, &prefetch);
  code = code ? code : parse_window(o->window, &out->window);
  bool has_none = o->workers && workers == 0 && strcmp(o->workers, "auto") != 0;
  out->workers = has_none ? -1 : (int32_t)workers;
  out->prefetch = (int32_t)prefetch;
  out->skip_bad = o->on_error && strcmp(o->on_error, "skip") == 0;
  return code;
}

snug_image_options job_images_of(const job_options *o) {
  return (snug_image_options){.struct_size = sizeof(snug_image_options),
                              .size = o->image_size,
                              .dtype = o->image_dtype,
                              .channels = o->color_mode,
                              .interpolation = o->interpolation,
                              .aspect = o->crop  ? "crop"
                                        : o->pad ? "pad"
                                                 : NULL,
                              .rescale = o->rescale,
                              .normalize = o->normalize,
                              .augment = o->augment,
                              .labels = o->labels,
                              .decode = o->fast_decode ? "fast" : NULL,
                              .seed = (uint64_t)o->seed};
}

void job_set_images(job *j) {
  double split = j->images.validation_split;
  j->images = job_images_of(j->options);
  j->images.validation_split = split;
  j->images.workers = j->reading.workers > 0 ? j->reading.workers : 0;
  j->images.skip_bad = j->reading.skip_bad;
  j->files.images = &j->images;
}

void job_size_images(job *j) {
  static const char *const modes[] = {"", "grayscale", "", "rgb", "rgba"};
  int64_t shape[SNUG_MAX_RANK];
  snug_tensor input = snug_model_input_at(j->model, 0);
  if (input == SNUG_NO_TENSOR || snug_model_shape(j->model, input, shape) != 3) {
    return;
  }
  snprintf(j->image_size, sizeof j->image_size, "%lldx%lld", (long long)shape[0],
           (long long)shape[1]);
  j->images.size = j->images.size ? j->images.size : j->image_size;
  bool is_mode = shape[2] == 1 || shape[2] == 3 || shape[2] == 4;
  j->images.channels = j->images.channels ? j->images.channels : is_mode ? modes[shape[2]] : NULL;
}

/* Steps of another kind do not go with what is done to the values before them. */
static bool goes_with_rescaling(const char *steps) {
  static const char *const others[] = {"contrast", "brightness", "fill_mode=constant"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (strstr(steps, others[i])) {
      return false;
    }
  }
  return true;
}

int job_augment_images(job *j, bool *changed) {
  const job_options *o = j->options;
  const char *steps = NULL;
  snug_status s = snug_model_augmentation(j->model, &steps);
  if (!s && !steps) {
    return CLI_OK;
  }
  if (!job_has_images(&o->data)) { /* the fit does it, or says what is wrong */
    j->augmentation = s || o->augment ? NULL : steps;
    return CLI_OK;
  }
  if (o->augment) {
    snug_model_set_augmented(j->model);
    return CLI_OK;
  }
  if (s) {
    return CLI_OK; /* a fit says it */
  }
  if ((o->rescale || o->normalize) && !goes_with_rescaling(steps)) {
    return cli_fail(
        CLI_USAGE,
        "%s augments images by itself ('%s'), and not before --%s; leave that out, or say "
        "with --augment what is to be done before it",
        o->model, steps, o->rescale ? "rescale" : "normalize");
  }
  j->images.augment = j->augmentation = steps;
  snug_model_set_augmented(j->model);
  *changed = true;
  return CLI_OK;
}

static snug_status read_nothing(void *user, void *scratch, int64_t row, uint64_t pass,
                                void *const *to, char *why) {
  (void)user, (void)scratch, (void)row, (void)pass, (void)to, (void)why;
  return SNUG_OK;
}

static snug_status keep_sample(void *user, int64_t row, uint64_t pass, void *const *sample,
                               char *why) {
  (void)user, (void)row, (void)pass, (void)sample, (void)why;
  return SNUG_OK;
}

/* Arrays that are held are looked at before the first step, and a bad sample ends it.  Where bad
 * ones are to be skipped they pass through a map, and are looked at one by one as the rows of a
 * source are. */
void job_use_reading(const job *j, snug_data *data, snug_source *source) {
  bool skips = j->reading.skip_bad && data->n_x > 0;
  if (!data->source && !skips) {
    return;
  }
  *source = data->source ? *data->source
                         : (snug_source){.struct_size = sizeof(snug_source),
                                         .rows = data->x[0].shape[0],
                                         .read = read_nothing};
  source->workers = j->reading.workers;
  source->prefetch = j->reading.prefetch;
  source->window = j->reading.window;
  source->skip_bad = skips;
  data->source = source;
  data->map = skips ? keep_sample : NULL;
}
