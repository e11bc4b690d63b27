/* snug evaluate: loss and metrics of a model on data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "json.h"
#include "line.h"
#include "terminal.h"

typedef struct evaluate_options {
  job_options job;
  cli_common common;
  const char *memory;
} evaluate_options;

static void print_table(const snug_logs *logs) {
  int width = 0;
  char value[32];
  for (size_t i = 0; i < logs->n; i++) {
    int n = (int)strlen(logs->names[i]);
    width = n > width ? n : width;
  }
  for (size_t i = 0; i < logs->n; i++) {
    printf("%-*s  %s\n", width, logs->names[i],
           terminal_value(logs->values[i], value, sizeof value));
  }
}

static void print_json(const job *j, const snug_logs *logs) {
  json out = json_begin(stdout);
  json_text(&out, "model", j->options->model);
  json_int(&out, "samples", j->data.x[0].shape[0]);
  json_object(&out, "metrics");
  for (size_t i = 0; i < logs->n; i++) {
    json_real(&out, logs->names[i], logs->values[i]);
  }
  json_end(&out);
  json_finish(&out);
}

static int evaluate(const job *j, const evaluate_options *o) {
  snug_logs logs = snug_model_metrics(j->model);
  double *values = calloc(logs.n, sizeof *values);
  if (!values) {
    return cli_fail(CLI_FAILURE, "no memory for %zu values", logs.n);
  }
  snug_status s = snug_evaluate(j->model, &j->data, o->job.batch_size, values, logs.n);
  logs.values = values;
  int code = s ? job_fail(j, s) : CLI_OK;
  if (!code && o->common.json) {
    print_json(j, &logs);
  } else if (!code) {
    print_table(&logs);
  }
  free(values);
  return cli_finish(code);
}

static int run(const cli_verb *verb, int n_args, char **args) {
  evaluate_options o = {.job = {JOB_DEFAULTS}};
  job j = {0};
  memory_line line;
  int code = cli_parse(verb, n_args, args, &o);
  if (!code && !o.job.data.n) {
    code = cli_fail(CLI_USAGE,
                    "evaluate: which data? --data FILE is needed; see snug evaluate "
                    "--help");
  }
  code = code ? code : line_open("evaluate", o.memory, &line);
  code = code ? code : job_open(&j, &o.job, &line, NULL, SNUG_PART_TEST, true);
  code = code ? code : job_need_compiled(&j, "evaluate");
  if (!code) {
    line_judge(&line, j.ctx, 0);
    code = evaluate(&j, &o);
  }
  job_close(&j);
  cli_options_release(verb, &o);
  return code;
}

static const cli_example examples[] = {
    {"snug evaluate trained.keras --data test.npz", "loss and metrics, one per line"},
    {"snug evaluate trained.keras --data x.npy y.npy --json", "the same as JSON"},
    {"snug evaluate model.keras --data test.npz --loss mse --metrics mae",
     "choose loss and metrics for a model that was not compiled"},
};

static const cli_option options[] = {
    JOB_DATA_OPTION(
        evaluate_options,
        "the data: one .npz file with x and y (or x_test and y_test, or x_0, x_1, ..., "
        "or the names of the model's inputs and outputs), a table (.csv, .tsv), "
        "a folder of images with a folder per class, a list of them (.txt: path label), "
        "records (- is standard input), or one .npy or IDX file (also gzipped) per "
        "array, the labels last",
        "Data"),
    {"sample-weight", 0, CLI_FILE, "FILE", "npy", NULL,
     offsetof(evaluate_options, job.sample_weight), "one weight per sample, a .npy file"},
    JOB_READ_OPTIONS(evaluate_options),
    JOB_IMAGE_OPTIONS(evaluate_options),
    JOB_MODEL_OPTIONS(evaluate_options),
    JOB_RUN_OPTIONS(evaluate_options),
    JOB_COMPILE_OPTIONS(evaluate_options),
    LINE_JUDGE_OPTION(offsetof(evaluate_options, memory)),
    CLI_COMMON_OPTIONS(evaluate_options),
};

const cli_verb cli_verb_evaluate = {
    .name = "evaluate",
    .summary = "compute the loss and the metrics of a model on data",
    .operand = JOB_OPERAND(evaluate_options, "to evaluate"),
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description = "The names are Keras's, in the order of its return_dict.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "3\tthe process would need more memory than it may hold\n",
    .computes = true,
    .run = run,
};
