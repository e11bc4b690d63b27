/* snug data: what data hold, what is wrong with them, how fast they are read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "json.h"
#include "look.h"

#define SHOWN_CLASSES 12
#define MOST_CLASSES 1000 /* more are numbers of something else */

typedef struct data_options {
  const char *source;
  cli_list also;
  job_options job; /* what it has for data */
  int64_t samples;
  double seconds;
  cli_common common;
} data_options;

typedef struct data_command {
  const data_options *options;
  snug_ctx *ctx;
  snug_arrays *arrays;
  snug_data data;
  const char **names;
  look look;
} data_command;

/* ---- opening ---- */

/* The names of the arrays that can be used; the others are told. */
static int list_names(data_command *c) {
  size_t n = snug_arrays_count(c->arrays);
  int32_t used = 0;
  c->names = calloc(n ? n : 1, sizeof *c->names);
  for (size_t i = 0; c->names && i < n; i++) {
    const char *name = snug_arrays_name(c->arrays, i);
    if (snug_arrays_find(c->arrays, name)->dtype != SNUG_NO_DTYPE && used < c->data.n_x) {
      c->names[used++] = name;
    }
  }
  return c->names ? CLI_OK : cli_fail(CLI_FAILURE, "data: no memory for %zu names", n);
}

static int open_data(data_command *c) {
  const data_options *o = c->options;
  snug_image_options images = job_images_of(&o->job);
  snug_arrays_options how = {
      .struct_size = sizeof how, .hold = 1, .label = o->job.label, .images = &images};
  cli_list paths = {NULL, 0};
  images.skip_bad = images.timed = true;
  int code = cli_list_add(&paths, o->source);
  for (int32_t i = 0; i < o->also.n && !code; i++) {
    code = cli_list_add(&paths, o->also.items[i]);
  }
  if (!code) {
    snug_status s = snug_ctx_create(NULL, &c->ctx);
    s = s ? s : snug_arrays_open_with(c->ctx, paths.items, paths.n, &how, &c->arrays);
    s = s ? s : snug_arrays_all(c->arrays, &c->data);
    code = s ? cli_fail_status(c->ctx, s) : list_names(c);
  }
  cli_list_release(&paths);
  return code;
}

static void close_data(data_command *c) {
  look_release(&c->look);
  free(c->names);
  snug_arrays_destroy(c->arrays);
  snug_ctx_destroy(c->ctx);
}

/* ---- text ---- */

static const char *way_text(const data_command *c, const snug_array *a) {
  return a->data ? "held in memory" : c->data.source->in_order ? "from front to back" : "in places";
}

static void shape_text(const snug_array *a, char *text, size_t bytes) {
  size_t n = (size_t)snprintf(text, bytes, "(");
  for (int32_t i = 1; i < a->rank && n < bytes; i++) {
    n += (size_t)snprintf(text + n, bytes - n, i > 1 ? ", %lld" : "%lld", (long long)a->shape[i]);
  }
  snprintf(text + n, n < bytes ? bytes - n : 0, ")");
}

static void print_array(const data_command *c, const look_array *a) {
  char shape[96];
  shape_text(a->array, shape, sizeof shape);
  printf("  %-16s %-9s %-18s", a->name, snug_dtype_text(a->array->dtype), shape);
  if (a->least <= a->most) {
    printf(" %10.6g .. %-10.6g", a->least, a->most);
  } else {
    printf(" %24s", "");
  }
  printf(" %s\n", way_text(c, a->array));
}

/* The labels alone have classes with names. */
static const char *class_name(const data_command *c, const look_array *a, int64_t i) {
  bool is_label = strcmp(a->name, "y") == 0 || strcmp(a->name, "y_val") == 0;
  return is_label ? snug_arrays_class(c->arrays, i) : NULL;
}

static void print_classes(const data_command *c, const look_array *a) {
  if (!a->counts || !a->classes || a->classes > MOST_CLASSES) {
    return;
  }
  printf("  %s: %lld class%s:", a->name, (long long)a->classes, a->classes == 1 ? "" : "es");
  for (int64_t i = 0; i < a->classes && i < SHOWN_CLASSES; i++) {
    const char *name = class_name(c, a, i);
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)i);
    printf("%s %s: %lld", i ? "," : "", name ? name : number, (long long)a->counts[i]);
  }
  puts(a->classes > SHOWN_CLASSES ? ", ..." : "");
}

static void print_stage(const look *l, const look_stage *s) {
  double each = s->samples ? s->seconds / (double)s->samples : 0.0;
  double rate = each > 0.0 ? 1.0 / each : 0.0;
  printf("  %s%-*s %12.0f samples/s %10.1f MB/s\n", s->is_part ? "  " : "", s->is_part ? 18 : 20,
         s->name, rate, rate * (double)l->bytes * 1e-6);
}

static void print_bad(const look *l) {
  if (!l->bad) {
    puts("all of them can be used");
    return;
  }
  printf("%lld cannot be used:\n", (long long)l->bad);
  for (int64_t i = 0; i < l->bad && i < LOOK_SHOWN; i++) {
    printf("  %s\n", l->why[i]);
  }
}

/* Arrays that are no data, and why. */
static void print_unusable(const data_command *c) {
  for (size_t i = 0; i < snug_arrays_count(c->arrays); i++) {
    const char *name = snug_arrays_name(c->arrays, i);
    const snug_array *a = NULL;
    if (snug_arrays_find(c->arrays, name)->dtype == SNUG_NO_DTYPE &&
        snug_arrays_get(c->arrays, name, &a)) {
      printf("  %-16s no data: %s\n", name, cli_message(c->ctx));
    }
  }
}

static void print_text(const data_command *c) {
  const look *l = &c->look;
  char bytes[SNUG_BYTES_TEXT];
  printf("%s: %lld samples of %s, ", c->options->source, (long long)l->samples,
         snug_bytes_text(l->bytes, bytes));
  print_bad(l);
  for (int32_t k = 0; k < c->data.n_x; k++) {
    print_array(c, &l->arrays[k]);
  }
  print_unusable(c);
  for (int32_t k = 0; k < c->data.n_x; k++) {
    print_classes(c, &l->arrays[k]);
  }
  for (int32_t i = 0; i < l->n_stages; i++) {
    print_stage(l, &l->stages[i]);
  }
}

/* ---- JSON ---- */

static void print_json_array(const data_command *c, const look_array *a, json *j) {
  json_object(j, NULL);
  json_text(j, "name", a->name);
  json_text(j, "dtype", snug_dtype_text(a->array->dtype));
  json_array(j, "shape");
  for (int32_t i = 1; i < a->array->rank; i++) {
    json_int(j, NULL, a->array->shape[i]);
  }
  json_end(j);
  json_text(j, "read", way_text(c, a->array));
  json_real(j, "least", a->least);
  json_real(j, "most", a->most);
  if (a->counts) {
    json_array(j, "classes");
    for (int64_t i = 0; i < a->classes; i++) {
      json_int(j, NULL, a->counts[i]);
    }
    json_end(j);
  }
  json_end(j);
}

static void print_json_look(const look *l, json *j) {
  json_int(j, "bad", l->bad);
  json_array(j, "first_bad");
  for (int64_t i = 0; i < l->bad && i < LOOK_SHOWN; i++) {
    json_text(j, NULL, l->why[i]);
  }
  json_end(j);
  json_array(j, "stages");
  for (int32_t i = 0; i < l->n_stages; i++) {
    json_object(j, NULL);
    json_text(j, "name", l->stages[i].name);
    json_int(j, "samples", l->stages[i].samples);
    json_real(j, "seconds", l->stages[i].seconds);
    json_bool(j, "part", l->stages[i].is_part);
    json_end(j);
  }
  json_end(j);
}

static void print_json_names(const data_command *c, json *j) {
  const char *name = NULL;
  json_array(j, "class_names");
  for (int64_t i = 0; (name = snug_arrays_class(c->arrays, i)); i++) {
    json_text(j, NULL, name);
  }
  json_end(j);
}

static void print_json(const data_command *c) {
  json j = json_begin(stdout);
  json_text(&j, "source", c->options->source);
  json_int(&j, "samples", c->look.samples);
  json_int(&j, "sample_bytes", (int64_t)c->look.bytes);
  json_array(&j, "arrays");
  for (int32_t k = 0; k < c->data.n_x; k++) {
    print_json_array(c, &c->look.arrays[k], &j);
  }
  json_end(&j);
  print_json_names(c, &j);
  print_json_look(&c->look, &j);
  json_finish(&j);
}

/* ---- the verb ---- */

static int run_with(const data_options *o) {
  data_command c = {.options = o, .data = SNUG_INIT(snug_data)};
  int code = open_data(&c);
  look_how how = {c.arrays, c.names, o->samples, o->seconds,
                  o->job.augment ? 0 : SNUG_NOT_TRAINING};
  code = code ? code : look_at(&c.look, &c.data, &how);
  if (!code && o->common.json) {
    print_json(&c);
  } else if (!code) {
    print_text(&c);
  }
  code = code || !c.look.bad ? code : CLI_FAILURE;
  close_data(&c);
  return cli_finish(code);
}

static int run(const cli_verb *verb, int n_args, char **args) {
  data_options o = {.seconds = 1.0};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : run_with(&o);
  cli_options_release(verb, &o);
  return code;
}

static const cli_example examples[] = {
    {"snug data train.npz", "what does it contain, and is it valid?"},
    {"snug data x.npy --also y.npy", "two files with corresponding samples"},
    {"snug data table.csv --label price", "a table and its label column"},
    {"snug data photos --image-size 224x224", "a folder of images: classes, bad files, images/s"},
    {"snug data huge.npy --samples 1000", "only the first samples"},
};

static const cli_option options[] = {
    {"also", 0, CLI_FILES, "FILE", "npy gz", "Options", offsetof(data_options, also),
     "further files with one array each, such as the labels"},
    {"label", 0, CLI_TEXT, "COLUMN", NULL, NULL, offsetof(data_options, job.label),
     "the label column of a table"},
    {"samples", 0, CLI_AT_LEAST_1, "N", NULL, NULL, offsetof(data_options, samples),
     "read only the first N samples; default: all"},
    {"seconds", 0, CLI_SECONDS, "SECONDS", NULL, NULL, offsetof(data_options, seconds),
     "how long to measure reading in random order (1)"},
    JOB_IMAGE_OPTIONS(data_options),
    JOB_AUGMENT_OPTION(data_options),
    CLI_COMMON_OPTIONS(data_options),
};

const cli_verb cli_verb_data = {
    .name = "data",
    .summary = "inspect data: shapes, classes, bad samples, reading speed",
    .operand = {"SOURCE",
                "an archive (.npz), an array (.npy, IDX, also gzipped), a table (.csv, "
                ".tsv), a folder of images, a list of them (.txt), records; \"-\" is standard "
                "input",
                "npz npy gz csv tsv txt", true, false, offsetof(data_options, source)},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Reads every sample once, as a training would. Reports the arrays, their smallest and "
        "largest values, the number of samples per class, and which samples cannot be used: values "
        "that are not finite, rows that cannot be read.\n"
        "Then it reports the reading speed of one thread, sequentially and in random order, and "
        "for images how the time divides: files, decoding, resizing, and changes (augmented, "
        "rescaled, normalized). A training reads with several threads, ahead of the step.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "1\tsamples cannot be used, or the source cannot be read\n",
    .run = run,
};
