/* snug summary: what a model is made of, and what it costs. */
#include "job.h"
#include "json.h"
#include "terminal.h"

typedef struct summary_options {
  const char *model, *input_shape, *optimizer;
  cli_list loss;
  cli_common common;
  int64_t batch_size;
} summary_options;

static void print_row(json *j, const snug_summary_row *row) {
  json_object(j, NULL);
  json_text(j, "name", row->name);
  json_text(j, "class", row->class_name);
  json_array(j, "shape"); /* without the batch axis */
  for (int32_t i = 0; i < row->rank; i++) {
    json_int(j, NULL, row->shape[i]);
  }
  json_end(j);
  json_text(j, "dtype", snug_dtype_text(row->dtype));
  json_int(j, "parameters", (int64_t)row->parameters);
  json_bool(j, "trainable", row->trainable);
  json_text(j, "connected", row->connected);
  json_int(j, "output_bytes", (int64_t)row->output_bytes);
  json_int(j, "saved_bytes", (int64_t)row->saved_bytes);
  json_real(j, "flops", row->flops);
  json_end(j);
}

static void print_count(json *j, const char *key, const snug_summary_count *count) {
  json_object(j, key);
  json_int(j, "parameters", (int64_t)count->parameters);
  json_int(j, "bytes", (int64_t)count->bytes);
  json_end(j);
}

static void print_totals(json *j, const snug_summary_totals *t) {
  json_object(j, "totals");
  print_count(j, "weights", &t->weights);
  print_count(j, "trainable", &t->trainable);
  print_count(j, "frozen", &t->frozen);
  print_count(j, "optimizer", &t->optimizer);
  json_real(j, "flops", t->flops);
  json_bool(j, "is_compiled", t->is_compiled);
  json_int(j, "saved_bytes", (int64_t)t->saved_bytes);
  json_int(j, "peak_bytes", (int64_t)t->peak_bytes);
  json_end(j);
}

static void print_json(const summary_options *o, const snug_summary *summary) {
  snug_summary_totals totals = SNUG_INIT(snug_summary_totals);
  snug_summary_totals_get(summary, &totals);
  json j = json_begin(stdout);
  json_text(&j, "model", o->model);
  json_int(&j, "batch_size", totals.batch);
  json_array(&j, "layers");
  for (size_t i = 0; i < snug_summary_rows(summary); i++) {
    snug_summary_row row = SNUG_INIT(snug_summary_row);
    snug_summary_row_get(summary, i, &row);
    print_row(&j, &row);
  }
  json_end(&j);
  print_totals(&j, &totals);
  json_finish(&j);
}

/* Into a file or pipe it is as wide as it gets. */
static void print_table(const summary_options *o, const snug_summary *summary) {
  terminal out = terminal_of(stdout, &o->common);
  snug_summary_print(summary, terminal_sink, stdout, out.ascii,
                     out.is_terminal ? (int32_t)out.width : 0);
}

static snug_status load(const summary_options *o, snug_ctx *ctx, const snug_load_options *load,
                        snug_model **model) {
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_status s = snug_model_load(ctx, o->model, load, model);
  how.optimizer = o->optimizer;
  how.loss = o->loss.items;
  how.n_loss = o->loss.n;
  return s || !(o->optimizer || o->loss.n) ? s : snug_model_recompile(*model, &how);
}

static int summarize(const summary_options *o, snug_ctx *ctx, const snug_load_options *shapes) {
  snug_model *model = NULL;
  snug_summary *summary = NULL;
  snug_status s = load(o, ctx, shapes, &model);
  s = s ? s : snug_summary_create(model, o->batch_size, &summary);
  if (!s) {
    (o->common.json ? print_json : print_table)(o, summary);
  }
  int code = s ? cli_fail_status(ctx, s) : CLI_OK;
  snug_summary_destroy(summary);
  snug_model_destroy(model);
  return code;
}

static int run_with(const summary_options *o) {
  snug_array x[CLI_MOST_INPUTS];
  snug_load_options shapes = SNUG_INIT(snug_load_options);
  snug_ctx *ctx = NULL;
  int code = o->input_shape ? cli_parse_shapes(o->input_shape, x, &shapes.n_x) : CLI_OK;
  shapes.x = o->input_shape ? x : NULL;
  if (!code && snug_ctx_create(NULL, &ctx)) {
    code = cli_fail(CLI_FAILURE, "no memory");
  }
  if (!code) {
    job_hold_to_room(ctx);
    code = summarize(o, ctx, &shapes);
  }
  snug_ctx_destroy(ctx);
  return code;
}

static int run(const cli_verb *verb, int n_args, char **args) {
  summary_options o = {.batch_size = 32};
  int code = cli_parse(verb, n_args, args, &o);
  code = code ? code : run_with(&o);
  cli_options_release(verb, &o);
  return cli_finish(code);
}

static const cli_example examples[] = {
    {"snug summary model.keras", "layers, shapes, parameters, bytes and FLOPs"},
    {"snug summary model.keras --batch-size 256 --json", "with another batch, as JSON"},
    {"snug summary any_size.keras --input-shape 96,96,3",
     "for a model that takes images of any size"},
};

static const cli_option options[] = {
    {"batch-size", 0, CLI_AT_LEAST_1, "N", NULL, "Options", offsetof(summary_options, batch_size),
     "batch size for the byte counts (32)"},
    {"input-shape", 0, CLI_TEXT, "SHAPE", NULL, NULL, offsetof(summary_options, input_shape),
     "sample shape, where the file leaves sizes open: 224,224,3; for several inputs '224,224,3;8'"},
    {"optimizer", 0, CLI_TEXT, "OPTIMIZER", NULL, NULL, offsetof(summary_options, optimizer),
     "the optimizer to plan training with, by its Keras name"},
    {"loss", 0, CLI_WORDS, "LOSS", NULL, NULL, offsetof(summary_options, loss),
     "the loss to plan training with; needed if the file is not compiled"},
    {"json", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(summary_options, common.json),
     "print the result as one JSON object. Bytes are integers"},
};

const cli_verb cli_verb_summary = {
    .name = "summary",
    .summary = "show the layers of a model, their parameters, bytes and FLOPs",
    .operand = {"MODEL", "the .keras file, or the folder that one unpacks to", "keras", true, false,
                offsetof(summary_options, model)},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "The table is that of Keras's model.summary() with three more columns: the bytes of a "
        "layer's output, the bytes that the backward pass needs of it, and the FLOPs of one sample "
        "(a multiplication and an addition are two). A value that is kept is counted for the layer "
        "that produced it. On a narrow terminal, cells wrap, and columns without room are left out "
        "and named; a file or a pipe gets all columns.\n"
        "Below are Keras's totals and the four figures that papers report: parameters, forward "
        "FLOPs per sample, the bytes of activations kept from the forward to the backward pass, "
        "and the peak memory of training at this batch size, without the data set.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "3\tit does not fit in the memory that the process may use\n",
    .computes = true,
    .run = run,
};
