/* Absurd configurations of every layer class: each key of its table with each value of a list, on
 * inputs of several ranks.  New classes are covered without a word here. */
#include <stdio.h>
#include <string.h>

#include "api/attempt.h"
#include "model/layer.h"

#define TEXT_BYTES 1024

static const snug__layer_class *const classes[] = {
#define LAYER(name) &snug__layer_##name,
#define RAW_OP(name) &snug__raw_##name,
#include "model/layers.def"
#undef RAW_OP
#undef LAYER
};
enum { N_CLASSES = sizeof classes / sizeof classes[0] };

typedef struct input {
  snug_dtype dtype;
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
} input;

static const input inputs[] = {{SNUG_FLOAT32, 1, {6}},       {SNUG_FLOAT32, 2, {4, 32}},
                               {SNUG_FLOAT32, 3, {4, 4, 4}}, {SNUG_INT32, 1, {5}},
                               {SNUG_FLOAT32, 0, {0}},       {SNUG_FLOAT32, 5, {1, 2, 1, 2, 2}}};
enum { N_INPUTS = sizeof inputs / sizeof inputs[0] };

/* What a required key of a kind may be; the first that builds is taken. */
static const char *const candidates[] = {"2",    "1",   "0.5",     "[-1]",   "[2,1]",   "[3,2,1]",
                                         "relu", "[1]", "[0,1,2]", "[-1,6]", "float32", "[:]"};
enum { N_CANDIDATES = sizeof candidates / sizeof candidates[0] };

/* Classes whose keys want values that go together. */
static const struct {
  const char *class_name, *keys;
} together[] = {{"ops.Einsum", "subscripts=ab->a "},
                {"ops.Pad", "pad_width=[[0,0],[1,1]] "},
                {"ops.Take", "indices=[1] axis=1 "},
                {"ops.Tensordot", "constant=[1,2,3,4,5,6] constant_shape=[6] axes=1 "},
                {"ops.Unstack", "axis=1 "},
                {"ops.Where", "x1=[1] x2=[2] "}};

/* Copy the words of a text but for that of one key. */
static void copy_without(const char *text, const char *but, char *out) {
  size_t n = strlen(but);
  out[0] = 0;
  for (const char *at = text; *at;) {
    const char *end = strchr(at, ' ') + 1;
    bool is_it = strncmp(at, but, n) == 0 && at[n] == '=';
    strncat(out, at, is_it ? 0 : (size_t)(end - at));
    at = end;
  }
}

/* "key=value" for every required key but one. */
static void required(const snug__layer_class *c, const char *value, const char *but, char *out) {
  size_t n = 0;
  out[0] = 0;
  for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
    if (strcmp(together[i].class_name, c->name) == 0) {
      copy_without(together[i].keys, but, out);
      return;
    }
  }
  for (const snug__field *f = c->fields; f->name; f++) {
    bool needed = !f->initial || strcmp(f->name, "constant") == 0; /* stands for an input */
    if (needed && strcmp(f->name, but) != 0) {
      n += (size_t)snprintf(out + n, TEXT_BYTES - n, "%s=%s ", f->name, value);
    }
  }
}

/* Build the class on the input and, if that worked, train it. */
static snug_status build(snug_ctx *ctx, const snug__layer_class *c, const input *in,
                         const char *config) {
  const char *const loss = "mse";
  snug_compile_options o = SNUG_INIT(snug_compile_options);
  snug_model *m = NULL;
  snug_tensor x[8];
  char name[16];
  o.optimizer = "sgd";
  o.loss = &loss;
  o.n_loss = 1;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  for (int32_t i = 0; i < c->min_in; i++) {
    snprintf(name, sizeof name, "x%d", i);
    x[i] = snug_model_input(m, name, in->dtype, in->shape, in->rank);
  }
  snug_tensor out = snug_model_layer(m, c->name, config, x, c->min_in);
  snug_status s = snug_model_status(m);
  ASSERT_EQ_INT(s == SNUG_OK, out != SNUG_NO_TENSOR);
  if (!s && snug_model_tensor_dtype(m, out) != SNUG_FLOAT32) { /* a loss wants numbers */
    out = snug_model_layer(m, "ops.Cast", "dtype=float32", &out, 1);
    s = snug_model_status(m);
  }
  snug_model_set_augmented(m);
  s = s ? s : attempt_train(m, &o, x, c->min_in, in->dtype, out);
  snug_model_destroy(m);
  return s;
}

/* A value for the required keys with which the class builds on some input. */
static const char *find_candidate(snug_ctx *ctx, const snug__layer_class *c) {
  char config[TEXT_BYTES];
  for (size_t k = 0; k < N_CANDIDATES; k++) {
    for (size_t i = 0; i < N_INPUTS; i++) {
      required(c, candidates[k], "", config);
      if (build(ctx, c, &inputs[i], config) == SNUG_OK) {
        return candidates[k];
      }
    }
  }
  test_fail(__FILE__, __LINE__, "%s builds on no input of the list: %s", c->name,
            snug_message(ctx));
}

static void attempt(snug_ctx *ctx, const snug__layer_class *c, const char *config,
                    const snug__field *f) {
  bool is_name = strcmp(f->name, "name") == 0; /* then the layer is called by what it got */
  const char *const names[] = {is_name ? "" : "subject", c->name, f->name, "loss", NULL};
  char what[TEXT_BYTES + 128];
  for (size_t i = 0; i < N_INPUTS; i++) {
    snprintf(what, sizeof what, "%s(%s) on input %zu", c->name, config, i);
    attempt_begin(ctx);
    attempt_end(ctx, build(ctx, c, &inputs[i], config), what, names);
  }
}

static void sweep(snug_ctx *ctx, const snug__layer_class *c) {
  const char *base = find_candidate(ctx, c);
  char others[TEXT_BYTES / 2];
  char config[TEXT_BYTES];
  for (const snug__field *f = c->fields; f->name; f++) {
    bool is_name = strcmp(f->name, "name") == 0;
    required(c, base, f->name, others);
    for (const char *const *v = attempt_values; *v; v++) {
      snprintf(config, sizeof config, "%s%s%s=%s", others, is_name ? "" : "name=subject ", f->name,
               *v);
      attempt(ctx, c, config, f);
    }
  }
}

/* Every fourth class each: four processes. */
static void sweep_part(size_t first) {
  snug_ctx *ctx = attempt_ctx();
  for (size_t i = first; i < N_CLASSES; i += 4) {
    sweep(ctx, classes[i]);
  }
  attempt_finish();
}

TEST(absurd_keys_part_0) { sweep_part(0); }
TEST(absurd_keys_part_1) { sweep_part(1); }
TEST(absurd_keys_part_2) { sweep_part(2); }
TEST(absurd_keys_part_3) { sweep_part(3); }
