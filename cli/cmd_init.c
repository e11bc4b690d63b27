/* snug init: a fresh model, so that a first try needs no Keras. */
#include <stdlib.h>
#include <string.h>

#include "architectures.h"
#include "cli.h"
#include "json.h"
#include "room.h"

typedef struct init_command {
  const char *name, *output, *optimizer, *input_shape;
  cli_list loss, metrics;
  cli_common common;
  int64_t classes, seed;
  bool force, list;
  const architecture *what;
  architecture_size size;
  char path[256];
  snug_ctx *ctx;
  snug_model *model;
} init_command;

/* ---- what there is ---- */

static void shape_text(const architecture_size *s, char *out, size_t bytes) {
  size_t n = 0;
  for (int32_t i = 0; i < s->rank && n < bytes; i++) {
    n += (size_t)snprintf(out + n, bytes - n, "%s%lld", i ? "," : "", (long long)s->shape[i]);
  }
}

static void print_list(void) {
  for (size_t i = 0; i < n_architectures; i++) {
    const architecture *a = &architectures[i];
    char shape[64];
    shape_text(&a->size, shape, sizeof shape);
    printf("%-10s %-12s %2lld classes   %s\n", a->name, shape, (long long)a->size.classes, a->says);
  }
}

static void print_json_shape(json *j, const architecture_size *s) {
  json_array(j, "input_shape");
  for (int32_t i = 0; i < s->rank; i++) {
    json_int(j, NULL, s->shape[i]);
  }
  json_end(j);
  json_int(j, "classes", s->classes);
}

static void print_json_list(void) {
  json j = json_begin(stdout);
  json_array(&j, "architectures");
  for (size_t i = 0; i < n_architectures; i++) {
    json_object(&j, NULL);
    json_text(&j, "name", architectures[i].name);
    json_text(&j, "says", architectures[i].says);
    print_json_shape(&j, &architectures[i].size);
    json_end(&j);
  }
  json_end(&j);
  json_finish(&j);
}

/* ---- what is wanted ---- */

static int find(init_command *c) {
  c->what = c->name ? architecture_find(c->name) : NULL;
  return c->what ? CLI_OK : cli_fail(CLI_USAGE, "init: which network? snug init --list shows them");
}

static bool read_shape(const char *text, architecture_size *size) {
  size->rank = cli_parse_shape(&text, size->shape, SNUG_MAX_RANK - 1);
  return size->rank > 0 && !*text;
}

static int check_shape(const init_command *c) {
  const architecture *a = c->what;
  if (!a->takes_any && c->size.rank != a->size.rank) {
    return cli_fail(CLI_USAGE,
                    "init: %s takes images, --input-shape HEIGHT,WIDTH,CHANNELS; %s is "
                    "not such a shape",
                    a->name, c->input_shape);
  }
  if (a->multiple > 1 && (c->size.shape[0] % a->multiple || c->size.shape[1] % a->multiple)) {
    return cli_fail(CLI_USAGE,
                    "init: %s halves images repeatedly: height and width must be "
                    "multiples of %lld, and %s are not",
                    a->name, (long long)a->multiple, c->input_shape);
  }
  return CLI_OK;
}

static int set_size(init_command *c) {
  c->size = c->what->size;
  c->size.classes = c->classes ? c->classes : c->size.classes;
  if (!c->input_shape) {
    return CLI_OK;
  }
  if (!read_shape(c->input_shape, &c->size)) {
    return cli_fail(CLI_USAGE,
                    "init: --input-shape is \"%s\"; 1 to %d sizes such as 28,28,1 are "
                    "needed, without the batch",
                    c->input_shape, SNUG_MAX_RANK - 1);
  }
  return check_shape(c);
}

static int set_path(init_command *c) {
  int n = snprintf(c->path, sizeof c->path, "%s.keras", c->what->name);
  if (!c->output && n > 0) {
    c->output = c->path;
  }
  size_t length = strlen(c->output);
  if (length < 6 || strcmp(c->output + length - 6, ".keras") != 0) {
    return cli_fail(CLI_USAGE, "init: %s does not end in .keras", c->output);
  }
  return cli_file_check(c->output, c->force);
}

/* ---- making it ---- */

static snug_status compile(init_command *c) {
  static const char *const accuracy[] = {"accuracy"};
  const char *usual[] = {c->size.classes == 1 ? "binary_crossentropy"
                                              : "sparse_categorical_crossentropy"};
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  o.optimizer = c->optimizer ? c->optimizer : "adam";
  o.loss = c->loss.n ? c->loss.items : usual;
  o.n_loss = c->loss.n ? c->loss.n : 1;
  o.metrics = c->metrics.n ? c->metrics.items : c->loss.n ? NULL : accuracy;
  o.n_metrics = c->metrics.n ? c->metrics.n : c->loss.n ? 0 : 1;
  return snug_model_compile(c->model, &o);
}

static snug_status make(init_command *c) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  o.name = c->what->name;
  o.seed = (uint64_t)c->seed;
  snug_status s = snug_model_create(c->ctx, &o, &c->model);
  if (s) {
    return s;
  }
  c->what->build(c->model, &c->size);
  s = compile(c);
  return s ? s : snug_model_save(c->model, c->output);
}

static uint64_t count_parameters(const snug_model *m) {
  uint64_t n = 0;
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info info = SNUG_INIT(snug_weight_info);
    n += snug_model_weight_info(m, i, &info) ? 0 : info.bytes / snug_dtype_bytes(info.dtype);
  }
  return n;
}

static void report(const init_command *c) {
  unsigned long long parameters = count_parameters(c->model);
  if (c->common.json) {
    json j = json_begin(stdout);
    json_text(&j, "output", c->output);
    json_text(&j, "architecture", c->what->name);
    print_json_shape(&j, &c->size);
    json_int(&j, "parameters", (int64_t)parameters);
    json_finish(&j);
  } else if (!c->common.quiet) {
    char shape[64];
    shape_text(&c->size, shape, sizeof shape);
    printf(
        "wrote %s: %s, input %s, %lld %s, %llu parameters\n"
        "next: snug summary %s, snug fit %s --data train.npz -o trained.keras\n",
        c->output, c->what->name, shape, (long long)c->size.classes,
        c->size.classes == 1 ? "class" : "classes", parameters, c->output, c->output);
  }
}

static int run_list(const init_command *c) {
  (c->common.json ? print_json_list : print_list)();
  return CLI_OK;
}

static int run_make(init_command *c) {
  int code = find(c);
  code = code ? code : set_size(c);
  code = code ? code : set_path(c);
  if (!code && snug_ctx_create(NULL, &c->ctx)) {
    code = cli_fail(CLI_FAILURE, "init: no memory");
  }
  if (!code) {
    cli_room_find(c->ctx);
    snug_status s = make(c);
    code = s ? cli_fail_status(c->ctx, s) : CLI_OK;
  }
  if (!code) {
    report(c);
  }
  snug_model_destroy(c->model);
  snug_ctx_destroy(c->ctx);
  return code;
}

static int run(const cli_verb *verb, int n_args, char **args) {
  init_command c = {.name = NULL};
  int code = cli_parse(verb, n_args, args, &c);
  code = code ? code : c.list ? run_list(&c) : run_make(&c);
  cli_options_release(verb, &c);
  return cli_finish(code);
}

static const cli_example examples[] = {
    {"snug init cnn", "a network for 28x28 images of ten classes, as cnn.keras"},
    {"snug init resnet --input-shape 96,96,3 --classes 200 -o birds.keras",
     "for images of another size"},
    {"snug init --list", "list the networks"},
};

static const cli_option options[] = {
    {"list", 0, CLI_FLAG, NULL, NULL, "Options", offsetof(init_command, list), "list the networks"},
    {"input-shape", 0, CLI_TEXT, "SHAPE", NULL, NULL, offsetof(init_command, input_shape),
     "sample shape, without the batch: 28,28,1"},
    {"classes", 0, CLI_AT_LEAST_1, "N", NULL, NULL, offsetof(init_command, classes),
     "number of classes; 1 for binary classification"},
    {"optimizer", 0, CLI_TEXT, "OPTIMIZER", NULL, NULL, offsetof(init_command, optimizer),
     "the optimizer, by its Keras name (adam)"},
    {"loss", 0, CLI_WORDS, "LOSS", NULL, NULL, offsetof(init_command, loss),
     "the loss, by its Keras name (sparse_categorical_crossentropy; for one class "
     "binary_crossentropy)"},
    {"metrics", 0, CLI_WORDS, "METRICS", NULL, NULL, offsetof(init_command, metrics),
     "metrics besides the loss, separated by commas (accuracy, if no loss is given)"},
    {"seed", 0, CLI_COUNT, "N", NULL, NULL, offsetof(init_command, seed),
     "seed of the initial weights (0)"},
    {"output", 'o', CLI_FILE, "FILE", "keras", NULL, offsetof(init_command, output),
     "write to FILE instead of NAME.keras; the file appears complete or not at all"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, offsetof(init_command, force),
     "replace FILE if it exists"},
    CLI_COMMON_OPTIONS(init_command),
};

const cli_verb cli_verb_init = {
    .name = "init",
    .summary = "write a fresh model of a classic architecture",
    .operand = {"NAME", "the network", "linear|mlp|cnn|vgg|resnet|mobilenet|unet", false, true,
                offsetof(init_command, name)},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Keras loads the file. It has fresh weights and is compiled: it can be trained as it is. "
        "The input takes bytes from 0 to 255, as in image files; the first layer rescales them to "
        "0 .. 1.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
