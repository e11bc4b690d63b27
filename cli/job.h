/* A model and its data, opened as the options say: what fit, evaluate and predict begin with. */
#ifndef SNUG_CLI_JOB_H
#define SNUG_CLI_JOB_H

#include <math.h>

#include "cli.h"
#include "line.h"

typedef struct job_options {
  const char *model, *weights, *optimizer, *sample_weight, *input_shape;
  const char *device; /* NULL: the first that there is */
  cli_list data, loss, metrics, loss_weights, freeze;
  const char *label, *workers, *prefetch, *window, *on_error; /* how data are read */
  const char *image_size, *image_dtype, *color_mode, *interpolation, *rescale, *normalize, *augment,
      *labels; /* images */
  bool crop, pad, fast_decode;
  double learning_rate; /* NaN: not given */
  int64_t batch_size, threads, seed;
  int64_t preallocate; /* bytes; 0: memory is taken as it is needed */
} job_options;

/* clang-format off */
#define JOB_DEFAULTS .learning_rate = NAN, .batch_size = 32

#define JOB_OPERAND(type, does)                                                                    \
  {"MODEL", "the .keras file " does ", or the folder that one unpacks to", "keras", true, false,   \
   offsetof(type, job.model)}

#define JOB_DATA_OPTION(type, x, heading)                                                          \
  {"data", 0, CLI_FILES, "FILE", "npz npy gz csv tsv txt", heading, offsetof(type, job.data), x}

#define JOB_READ_OPTIONS(type)                                                                     \
  {"label", 0, CLI_TEXT, "COLUMN", NULL, NULL, offsetof(type, job.label),                          \
   "the label column of a table; default: one named label, labels, y, target or class"},          \
  {"workers", 0, CLI_TEXT, "N", "auto", NULL, offsetof(type, job.workers),                         \
   "threads that read data ahead of the step. auto uses up to as many as compute, depending on "  \
   "whether the step or the data wait; with 0 the step reads the data itself. The number does "   \
   "not change the order"},                                                                       \
  {"prefetch", 0, CLI_TEXT, "N", "auto", NULL, offsetof(type, job.prefetch),                       \
   "batches to read ahead. auto uses up to 4 that fit in an eighth of the line, depending on whether the step or the data wait"}, \
  {"on-error", 0, CLI_CHOICE, "WHAT", "stop|skip", NULL, offsetof(type, job.on_error),             \
   "what to do with a sample that cannot be read or is invalid: end the run (stop), or use the "  \
   "next sample and report the number at the end (skip)"}

#define JOB_IMAGE_OPTIONS(type)                                                                    \
  {"image-size", 0, CLI_TEXT, "SIZE", NULL, "Images", offsetof(type, job.image_size),              \
   "resize images to this height x width: 224x224, or 224. Default: the model's input size, or "  \
   "256x256"},                                                                                    \
  {"image-dtype", 0, CLI_CHOICE, "DTYPE", "float32|uint8", NULL, offsetof(type, job.image_dtype),  \
   "type in which batches wait for the step (float32). uint8 takes a quarter of the memory and "  \
   "rounds values; for models that take values from 0 to 255"},                                   \
  {"color-mode", 0, CLI_CHOICE, "MODE", "grayscale|rgb|rgba", NULL,                                \
   offsetof(type, job.color_mode), "channels of the images. Default: those of the model's "       \
   "input, or rgb"},                                                                              \
  {"interpolation", 0, CLI_CHOICE, "HOW", "nearest|bilinear|area", NULL,                           \
   offsetof(type, job.interpolation), "how images are resized (bilinear)"},                          \
  {"crop-to-aspect-ratio", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(type, job.crop),                \
   "keep the aspect ratio and crop the excess; without it images are distorted"},   \
  {"pad-to-aspect-ratio", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(type, job.pad),                  \
   "keep the aspect ratio and pad the image"},                                                  \
  {"rescale", 0, CLI_TEXT, "FACTOR", NULL, NULL, offsetof(type, job.rescale),                      \
   "multiply pixel values (0 to 255) by this: 1/255; then optionally add an offset: 1/127.5,-1"},        \
  {"normalize", 0, CLI_TEXT, "MOMENTS", NULL, NULL, offsetof(type, job.normalize),                 \
   "then subtract the mean and divide by the square root of the variance, per channel: "          \
   "mean=[0.5,0.4,0.4],variance=[0.1,0.1,0.1]"},                                                  \
  {"labels", 0, CLI_CHOICE, "MODE", "inferred|int|categorical|binary", NULL,                       \
   offsetof(type, job.labels), "labels as class numbers (inferred, int), one-hot "                \
   "(categorical), or 0 and 1 for two classes (binary)"},                                         \
  {"fast-decode", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(type, job.fast_decode),                  \
   "decode JPEG at a reduced size where that is large enough; faster and slightly less exact"}

#define JOB_AUGMENT_OPTION(type)                                                                   \
  {"augment", 0, CLI_TEXT, "STEPS", NULL, NULL, offsetof(type, job.augment),                       \
   "change images at random in training, as Keras's layers do, in this order: "                    \
   "flip,rotation=0.1,zoom=0.1. Further steps are translation=0.1, contrast=0.2, "                 \
   "brightness=0.2 and crop=200x200. A sample is changed in the same way with any number of "      \
   "workers"}

#define JOB_MODEL_OPTIONS(type)                                                                    \
  {"weights", 0, CLI_FILE, "FILE", "h5 keras", "Model", offsetof(type, job.weights),               \
   "load these weights first: .weights.h5, .keras, or the .h5 of pretrained models"}

#define JOB_COMPILE_OPTIONS(type)                                                                  \
  {"loss", 0, CLI_WORDS, "LOSS", NULL, NULL, offsetof(type, job.loss),                             \
   "the loss by its Keras name, one for all outputs or one per output, separated by commas: "     \
   "mse, sparse_categorical_crossentropy(from_logits=true)"},                                     \
  {"metrics", 0, CLI_WORDS, "METRICS", NULL, NULL, offsetof(type, job.metrics),                    \
   "metrics besides the loss, separated by commas: accuracy, mae; \"OUTPUT: METRIC\" applies "    \
   "to one output"},                                                                              \
  {"loss-weights", 0, CLI_WORDS, "NUMBERS", NULL, NULL, offsetof(type, job.loss_weights),          \
   "weight of each output's loss: 1,0.5"}

#define JOB_RUN_OPTIONS(type)                                                                      \
  {"batch-size", 0, CLI_AT_LEAST_1, "N", NULL, NULL, offsetof(type, job.batch_size),               \
   "samples per batch (32)"},                                                                      \
  {"threads", 0, CLI_AT_LEAST_1, "N", NULL, NULL, offsetof(type, job.threads),                     \
   "compute threads; default: as many as this process may use (affinity, CPU quota)"},  \
  {"device", 0, CLI_TEXT, "NAME", NULL, NULL, offsetof(type, job.device),                          \
   "what to compute on: cpu, the processor, which is also the default"}
/* clang-format on */

typedef struct job {
  const job_options *options;
  snug_ctx *ctx;
  snug_model *model;
  snug_arrays *arrays, *weight_arrays;
  snug_data data;
  snug_arrays_options files; /* how files of arrays are opened */
  snug_image_options images; /* and images */
  char image_size[32];       /* that the model takes */
  const char *augmentation;  /* of the model's own layers, done while images are read; or NULL */
  snug_source reading;       /* how rows are read: workers, prefetch, window, skip_bad */
  snug_source source;        /* of data, read so */
  const cli_list *more_data; /* further files that failures may be about; NULL: none */
  uint64_t memory;           /* a line below the room, for loading; 0: none */
} job;

/* Open all of it: context, data (if there are any), model, weights, compile.  The part says which
 * samples of a file are meant, `files` what of them may be held (NULL: all); loading keeps to the
 * line.  Reports; returns 0 or an exit code.  A job is ended by job_close in any case. */
int job_open(job *j, const job_options *options, const memory_line *line,
             const snug_arrays_options *files, snug_part part, bool with_labels);
void job_close(job *j);

/* Let the process never pass what the container or the machine leaves it. */
void job_hold_to_room(snug_ctx *ctx);

/* Open the data of some files for the job's model.  Owns: *arrays is the caller's in any case. */
int job_read(const job *j, const cli_list *files, snug_part part, bool with_labels,
             snug_arrays **arrays, snug_data *data);

/* Whether data are images: a folder, or a list. */
bool job_has_images(const cli_list *files);

/* Let data be read as the options say; `source` is the place of what then reads them. */
void job_use_reading(const job *j, snug_data *data, snug_source *source);

/* In job_data.c, for opening: who reads, as the options say (reports; returns 0 or an exit code);
 * how images are read; their size where nothing else is said: what the model takes. */
int job_parse_reading(job *j);
void job_set_images(job *j);
snug_image_options job_images_of(const job_options *o);
void job_size_images(job *j);

/* Let images be augmented as the model's layers say, unless --augment says it; *changed: they are
 * to be opened with that.  Reports; returns 0 or an exit code. */
int job_augment_images(job *j, bool *changed);

/* Report a failure; one that is about the data names their files. */
int job_fail(const job *j, snug_status status);

/* Fail if the model does not know its loss, and say which options tell. */
int job_need_compiled(const job *j, const char *verb);

#endif
