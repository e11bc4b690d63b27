/* snug predict: the outputs of a model for data. */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "json.h"
#include "line.h"
#include "terminal.h"

#define MAX_OUTPUTS 256
#define SHOWN_ROWS 5
#define SHOWN_VALUES 10

typedef struct predict_options {
  job_options job;
  cli_common common;
  const char *memory;
  const char *output;
  bool force;
} predict_options;

typedef struct prediction {
  const predict_options *options;
  job job;
  int32_t n;
  const char *names[MAX_OUTPUTS];
  snug_array arrays[MAX_OUTPUTS];
  void *values[MAX_OUTPUTS];
  uint64_t bytes; /* of all values */
} prediction;

/* ---- names of files ---- */

/* "out.npy" of several outputs is "out_0.npy", "out_1.npy".  Owns: the caller frees it. */
static char *file_of(const prediction *p, int32_t i) {
  const char *path = p->options->output;
  size_t stem = strlen(path) - strlen(".npy");
  char *name = malloc(strlen(path) + 16);
  if (name && p->n == 1) {
    snprintf(name, strlen(path) + 16, "%s", path);
  } else if (name) {
    snprintf(name, strlen(path) + 16, "%.*s_%d.npy", (int)stem, path, i);
  }
  return name;
}

static int check_files(const prediction *p) {
  const char *path = p->options->output;
  int code = path ? cli_file_check_folder(path) : CLI_OK;
  if (!path || cli_ends_in(path, ".npz")) {
    return path && !code ? cli_file_check(path, p->options->force) : code;
  }
  for (int32_t i = 0; i < p->n && !code; i++) {
    char *name = file_of(p, i);
    code = name ? cli_file_check(name, p->options->force) : cli_fail(CLI_FAILURE, "no memory");
    free(name);
  }
  return code;
}

/* ---- predicting ---- */

static int make_output(prediction *p, snug_tensor tensor) {
  snug_array *a = &p->arrays[p->n];
  int64_t shape[SNUG_MAX_RANK];
  a->dtype = snug_model_tensor_dtype(p->job.model, tensor);
  a->rank = snug_model_shape(p->job.model, tensor, shape) + 1;
  a->shape[0] = p->job.data.x[0].shape[0];
  size_t bytes = snug_dtype_bytes(a->dtype) * (size_t)a->shape[0];
  for (int32_t i = 1; i < a->rank; i++) {
    a->shape[i] = shape[i - 1];
    bytes *= (size_t)shape[i - 1];
  }
  p->values[p->n] = malloc(bytes ? bytes : 1);
  if (!p->values[p->n]) {
    return cli_fail(CLI_FAILURE, "no memory for the %zu bytes of the predictions", bytes);
  }
  a->data = p->values[p->n];
  p->bytes += bytes;
  p->names[p->n++] = snug_model_tensor_name(p->job.model, tensor);
  return CLI_OK;
}

static int make_outputs(prediction *p) {
  int code = CLI_OK;
  for (int32_t i = 0; !code; i++) {
    snug_tensor tensor = snug_model_output_at(p->job.model, i);
    if (tensor == SNUG_NO_TENSOR) {
      return CLI_OK;
    }
    code = i < MAX_OUTPUTS ? make_output(p, tensor)
                           : cli_fail(CLI_FAILURE, "predict: more than %d outputs", MAX_OUTPUTS);
  }
  return code;
}

static int save(const prediction *p) {
  snug_ctx *ctx = p->job.ctx;
  snug_status s = SNUG_OK;
  if (cli_ends_in(p->options->output, ".npz")) {
    s = snug_npz_save(ctx, p->options->output, p->names, p->arrays, p->n);
    return s ? cli_fail_status(ctx, s) : CLI_OK;
  }
  for (int32_t i = 0; i < p->n && !s; i++) {
    char *name = file_of(p, i);
    s = name ? snug_npy_save(ctx, name, &p->arrays[i]) : SNUG_E_MEMORY;
    free(name);
  }
  return s ? cli_fail_status(ctx, s) : CLI_OK;
}

/* ---- what is shown ---- */

static void print_rows(const snug_array *a) {
  int64_t n = cli_sample_values(a);
  for (int64_t row = 0; row < a->shape[0] && row < SHOWN_ROWS; row++) {
    fputs(" ", stdout);
    for (int64_t i = 0; i < n && i < SHOWN_VALUES; i++) {
      printf(" %10.6g", cli_value_at(a, row * n + i));
    }
    fputs(n > SHOWN_VALUES ? " ...\n" : "\n", stdout);
  }
  if (a->shape[0] > SHOWN_ROWS) {
    printf("  ... %lld rows in all\n", (long long)a->shape[0]);
  }
}

static void print_shape(const snug_array *a) {
  for (int32_t i = 0; i < a->rank; i++) {
    printf(i ? ", %lld" : "(%lld", (long long)a->shape[i]);
  }
  printf(") %s", snug_dtype_text(a->dtype));
}

static void print_text(const prediction *p) {
  for (int32_t i = 0; i < p->n; i++) {
    printf("%s: ", p->names[i]);
    print_shape(&p->arrays[i]);
    fputc('\n', stdout);
    if (!p->options->output) {
      print_rows(&p->arrays[i]);
    }
  }
  if (!p->options->output && !p->options->common.quiet) {
    fflush(stdout);
    fputs("All of it goes into a file with -o predictions.npy\n", stderr);
  }
}

static void print_json_output(const prediction *p, int32_t i, json *j) {
  const snug_array *a = &p->arrays[i];
  bool is_one_file = p->options->output && cli_ends_in(p->options->output, ".npz");
  char *file = p->options->output && !is_one_file ? file_of(p, i) : NULL;
  json_object(j, NULL);
  json_text(j, "name", p->names[i]);
  json_text(j, "dtype", snug_dtype_text(a->dtype));
  json_array(j, "shape");
  for (int32_t k = 0; k < a->rank; k++) {
    json_int(j, NULL, a->shape[k]);
  }
  json_end(j);
  json_text(j, "file", is_one_file ? p->options->output : file);
  if (!p->options->output) { /* flat, row after row */
    json_array(j, "values");
    for (int64_t k = 0; k < a->shape[0] * cli_sample_values(a); k++) {
      json_real(j, NULL, cli_value_at(a, k));
    }
    json_end(j);
  }
  json_end(j);
  free(file);
}

static void print_json(const prediction *p) {
  json j = json_begin(stdout);
  json_text(&j, "model", p->options->job.model);
  json_int(&j, "samples", p->job.data.x[0].shape[0]);
  json_array(&j, "outputs");
  for (int32_t i = 0; i < p->n; i++) {
    print_json_output(p, i, &j);
  }
  json_end(&j);
  json_finish(&j);
}

/* ---- the verb ---- */

static int predict(prediction *p) {
  snug_status s =
      snug_predict(p->job.model, &p->job.data, p->options->job.batch_size, p->values, p->n);
  int code = s ? job_fail(&p->job, s) : p->options->output ? save(p) : CLI_OK;
  if (code) {
    return code;
  }
  if (p->options->common.json) {
    print_json(p);
  } else if (!p->options->common.quiet || !p->options->output) {
    print_text(p);
  }
  return cli_finish(CLI_OK);
}

static int check(const predict_options *o) {
  if (!o->job.data.n) {
    return cli_fail(CLI_USAGE,
                    "predict: which data? --data FILE is needed; see snug predict --help");
  }
  if (o->output && !cli_ends_in(o->output, ".npy") && !cli_ends_in(o->output, ".npz")) {
    return cli_fail(CLI_USAGE, "predict: --output is \"%s\"; it ends in .npy or .npz", o->output);
  }
  return CLI_OK;
}

static int run(const cli_verb *verb, int n_args, char **args) {
  predict_options o = {.job = {JOB_DEFAULTS}};
  prediction p = {.options = &o};
  memory_line line;
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : check(&o);
  code = code ? code : line_open("predict", o.memory, &line);
  code = code ? code : job_open(&p.job, &o.job, &line, NULL, SNUG_PART_TEST, false);
  code = code ? code : make_outputs(&p);
  if (!code) {
    line_judge(&line, p.job.ctx, p.bytes);
  }
  code = code ? code : check_files(&p);
  code = code ? code : predict(&p);
  for (int32_t i = 0; i < p.n; i++) {
    free(p.values[i]);
  }
  job_close(&p.job);
  cli_options_release(verb, &o);
  return code;
}

static const cli_example examples[] = {
    {"snug predict trained.keras --data x.npy -o predictions.npy", "write predictions to a file"},
    {"snug predict trained.keras --data test.npz", "show the first rows"},
    {"snug predict trained.keras --data test.npz -o all.npz",
     "write all outputs of a model to one file, by name"},
};

static const cli_option options[] = {
    JOB_DATA_OPTION(
        predict_options,
        "the inputs: one .npz file with x (or x_test, or x_0, x_1, ..., or the names "
        "of the model's inputs), a table (.csv, .tsv), a folder of images, records (- is "
        "standard input), "
        "or one .npy or IDX file (also gzipped) per input",
        "Data"),
    JOB_READ_OPTIONS(predict_options),
    JOB_IMAGE_OPTIONS(predict_options),
    JOB_MODEL_OPTIONS(predict_options),
    JOB_RUN_OPTIONS(predict_options),
    LINE_JUDGE_OPTION(offsetof(predict_options, memory)),
    {"output", 'o', CLI_FILE, "FILE", "npy npz", "Results", offsetof(predict_options, output),
     "write the predictions there: .npy (with several outputs FILE_0.npy, FILE_1.npy, ...), or "
     ".npz with all outputs under their names"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, offsetof(predict_options, force),
     "replace FILE if it exists"},
    CLI_COMMON_OPTIONS(predict_options),
};

const cli_verb cli_verb_predict = {
    .name = "predict",
    .summary = "compute the outputs of a model for data",
    .operand = JOB_OPERAND(predict_options, "to predict with"),
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Without --output the first rows are printed; with --json all of them, as flat arrays.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "3\tthe process would need more memory than it may hold\n",
    .computes = true,
    .run = run,
};
