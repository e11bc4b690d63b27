/* Summaries: rows as Keras has them, costs that are counted, and a peak that a fit then has. */
#include <stdio.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/fault.h"
#include "nets/nets.h"
#include "report/screen.h"

static snug_status compile(snug_model *m, const char *optimizer) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options options = SNUG_INIT(snug_compile_options);
  options.optimizer = optimizer;
  options.loss = &loss;
  options.n_loss = 1;
  return snug_model_compile(m, &options);
}

static snug_status small(snug_ctx *ctx, snug_model **out) {
  SNUG_TRY(snug_model_create(ctx, NULL, out));
  snug_model_input(*out, "image", SNUG_FLOAT32, (const int64_t[]){8, 8, 3}, 3);
  snug_model_add(*out, "Conv2D", "filters=4 kernel_size=3 activation=relu name=conv");
  snug_model_add(*out, "BatchNormalization", "name=norm");
  snug_model_add(*out, "Flatten", "name=flat");
  snug_model_add(*out, "Dropout", "rate=0.5 name=drop");
  snug_model_add(*out, "Dense", "units=5 activation=softmax name=dense");
  return snug_model_status(*out);
}

static snug_summary_row row_of(const snug_summary *s, const char *name) {
  snug_summary_row row = SNUG_INIT(snug_summary_row);
  for (size_t i = 0; i < snug_summary_rows(s); i++) {
    snug_summary_row_get(s, i, &row);
    if (strcmp(row.name, name) == 0) {
      return row;
    }
  }
  test_fail(__FILE__, __LINE__, "there is no row %s", name);
}

TEST(rows_tell_shapes_and_parameters) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  snug_summary_totals t = SNUG_INIT(snug_summary_totals);
  ASSERT_OK(ctx, small(ctx, &m));
  ASSERT_OK(ctx, snug_summary_create(m, 0, &s));
  snug_model_destroy(m);
  ASSERT_EQ_UINT(snug_summary_rows(s), 6);
  snug_summary_row r = row_of(s, "image");
  ASSERT_EQ_TEXT(r.class_name, "InputLayer");
  ASSERT_EQ_UINT(r.output_bytes, 32 * 8 * 8 * 3 * 4);
  r = row_of(s, "conv");
  ASSERT_EQ_TEXT(r.class_name, "Conv2D");
  ASSERT_TRUE(r.rank == 3 && r.shape[0] == 6 && r.shape[1] == 6 && r.shape[2] == 4);
  ASSERT_EQ_UINT(r.parameters, 3 * 3 * 3 * 4 + 4);
  ASSERT_EQ_UINT(r.output_bytes, 32 * 6 * 6 * 4 * 4);
  ASSERT_EQ_TEXT(r.connected, "image[0][0]");
  /* products and sums of the window, the bias, the rectifier */
  ASSERT_NEAR(r.flops, 2 * 27 * 144 + 144 + 144, 0);
  ASSERT_EQ_UINT(row_of(s, "norm").parameters, 16);
  ASSERT_NEAR(row_of(s, "flat").flops, 0, 0);
  ASSERT_NEAR(row_of(s, "drop").flops, 0, 0);
  snug_summary_totals_get(s, &t);
  ASSERT_EQ_UINT(t.weights.parameters, 112 + 16 + 725);
  ASSERT_EQ_UINT(t.trainable.parameters, 112 + 8 + 725);
  ASSERT_EQ_UINT(t.frozen.parameters, 8);
  ASSERT_EQ_UINT(t.weights.bytes, 4 * 853);
  ASSERT_TRUE(t.batch == 32 && !t.is_compiled && t.peak_bytes == 0 && t.saved_bytes == 0);
  ASSERT_EQ_UINT(t.optimizer.parameters, 0);
  snug_summary_destroy(s);
}

TEST(the_optimizer_is_counted_as_in_keras) {
  static const struct {
    const char *optimizer;
    uint64_t parameters; /* of 853 weights, 845 of them trained */
  } cases[] = {
      {"sgd", 2},
      {"sgd(momentum=0.9)", 2 + 845},
      {"adam", 2 + 2 * 845},
      {"adam(learning_rate=ExponentialDecay(initial_learning_rate=0.1, decay_steps=10, "
       "decay_rate=0.9))",
       1 + 2 * 845},
      {"adam(use_ema=true)", 2 + 3 * 845},
      {"rmsprop", 2 + 845},
  };
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snug_model *m = NULL;
    snug_summary *s = NULL;
    snug_summary_totals t = SNUG_INIT(snug_summary_totals);
    ASSERT_OK(ctx, small(ctx, &m));
    ASSERT_OK(ctx, compile(m, cases[i].optimizer));
    ASSERT_OK(ctx, snug_summary_create(m, 4, &s));
    snug_summary_totals_get(s, &t);
    ASSERT_EQ_UINT(t.optimizer.parameters, cases[i].parameters);
    snug_summary_destroy(s);
    snug_model_destroy(m);
  }
}

TEST(saved_is_what_the_backward_reads) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  snug_summary_totals t = SNUG_INIT(snug_summary_totals);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){10}, 1);
  snug_model_add(m, "Dense", "units=20 activation=relu name=a");
  snug_model_add(m, "Dropout", "rate=0.5 name=drop");
  snug_model_add(m, "Dense", "units=5 activation=softmax name=b");
  ASSERT_OK(ctx, compile(m, "sgd"));
  ASSERT_OK(ctx, snug_summary_create(m, 8, &s));
  snug_summary_totals_get(s, &t);
  ASSERT_EQ_UINT(row_of(s, "x").saved_bytes, 8 * 10 * 4); /* for the kernel of a */
  uint64_t between = row_of(s, "a").saved_bytes + row_of(s, "drop").saved_bytes;
  ASSERT_TRUE(between >= 8 * 20 * 4 && between <= 2 * 8 * 20 * 4);
  ASSERT_TRUE(t.saved_bytes >= 8 * 10 * 4 + between && t.saved_bytes < 4096);
  ASSERT_TRUE(t.peak_bytes > t.saved_bytes + t.weights.bytes);
  snug_summary_destroy(s);
  /* A frozen layer at the start: nothing of it is needed. */
  ASSERT_OK(ctx, snug_model_set_trainable(m, "a", false));
  ASSERT_OK(ctx, compile(m, "sgd"));
  ASSERT_OK(ctx, snug_summary_create(m, 8, &s));
  ASSERT_EQ_UINT(row_of(s, "x").saved_bytes, 0);
  ASSERT_FALSE(row_of(s, "a").trainable);
  snug_summary_destroy(s);
  snug_model_destroy(m);
}

/* The peak is to the byte what a fit at this batch plans, and then measures. */
static void expect_peak(int64_t batch, const char *optimizer) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  snug_history *h = NULL;
  snug_summary_totals t = SNUG_INIT(snug_summary_totals);
  snug_memory_report report = SNUG_INIT(snug_memory_report);
  static float x[64 * 8 * 8 * 3];
  static int32_t y[64];
  snug_array xs = {x, SNUG_FLOAT32, 4, {batch, 8, 8, 3}}, ys = {y, SNUG_INT32, 1, {batch}};
  snug_data data = {.struct_size = sizeof data, .x = &xs, .n_x = 1, .y = &ys, .n_y = 1};
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  options.batch_size = batch;
  ASSERT_OK(ctx, small(ctx, &m));
  ASSERT_OK(ctx, compile(m, optimizer));
  ASSERT_OK(ctx, snug_summary_create(m, batch, &s));
  snug_summary_totals_get(s, &t);
  snug_summary_destroy(s);
  ASSERT_OK(ctx, snug_fit(m, &data, &options, &h));
  snug_history_memory(h, &report);
  ASSERT_EQ_UINT(report.measured, report.planned);
  ASSERT_EQ_UINT(t.peak_bytes, report.planned);
  snug_history_destroy(h);
  snug_model_destroy(m);
}

TEST(the_peak_is_that_of_a_fit) {
  expect_peak(1, "sgd");
  expect_peak(33, "adam");
  expect_peak(64, "rmsprop");
}

static snug_status branched(snug_ctx *ctx, snug_model **out) {
  SNUG_TRY(snug_model_create(ctx, NULL, out));
  snug_tensor x[2];
  x[0] = snug_model_input(*out, "left", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  x[1] = snug_model_input(*out, "right", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  snug_tensor a = snug_model_layer(*out, "Dense", "units=3 name=shared", &x[0], 1);
  snug_model_layer(*out, "Dense", "units=7 name=unused", &a, 1);
  snug_tensor both[2] = {a, snug_model_again(*out, "shared", &x[1], 1)};
  snug_tensor y = snug_model_layer(*out, "Add", "name=add", both, 2);
  return snug_model_outputs(*out, &y, 1);
}

TEST(connections_and_shared_layers) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  screen print = {.n = 0};
  ASSERT_OK(ctx, branched(ctx, &m));
  ASSERT_OK(ctx, snug_summary_create(m, 2, &s));
  ASSERT_EQ_UINT(snug_summary_rows(s), 4);
  ASSERT_EQ_TEXT(row_of(s, "add").connected, "shared[0][0], shared[1][0]");
  ASSERT_EQ_TEXT(row_of(s, "shared").connected, "left[0][0], right[0][0]");
  ASSERT_EQ_UINT(row_of(s, "shared").parameters, 15);
  ASSERT_EQ_UINT(row_of(s, "shared").output_bytes, 2 * 2 * 3 * 4);
  snug_summary_print(s, show, &print, true, 0);
  ASSERT_HAS(print.text, "| Connected to");
  snug_summary_destroy(s);
  snug_model_destroy(m);
}

TEST(the_table_of_a_terminal) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  screen print = {.n = 0};
  ASSERT_OK(ctx, small(ctx, &m));
  ASSERT_OK(ctx, snug_summary_create(m, 32, &s));
  snug_summary_print(s, show, &print, false, 0);
  ASSERT_HAS(print.text,
             "Model: \"model\"\n"
             "┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━┓\n"
             "┃ Layer (type)              ┃ Output Shape    ┃ Param # ┃   Output ┃ FLOPs ┃\n"
             "┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━┩\n"
             "│ image (InputLayer)        │ (None, 8, 8, 3) │       0 │ 24.0 KiB │     0 │\n"
             "│ conv (Conv2D)             │ (None, 6, 6, 4) │     112 │ 18.0 KiB │ 8.1 K │\n");
  ASSERT_HAS(print.text,
             " Total params: 853 (3.4 KiB)\n"
             " Trainable params: 845 (3.4 KiB)\n"
             " Non-trainable params: 8 (32 B)\n");
  ASSERT_HAS(print.text, "not known: the model is not compiled");
  snug_summary_destroy(s);
  snug_model_destroy(m);
}

/* ---- widths ---- */

#define LONG_NAME "a_name_that_is_longer_than_all_that_fits_into_a_column_of_a_terminal"

static size_t columns_of(const char *line) {
  size_t n = 0;
  for (; *line; line++) {
    n += ((unsigned char)*line & 0xC0u) != 0x80u;
  }
  return n;
}

/* The text of a column of the table, from the line that holds `from` up to the next rule. */
static void column_text(const char *text, const char *from, int column, char out[512]) {
  const char *line = strstr(text, from);
  ASSERT_NOT_NULL(line);
  while (line > text && line[-1] != '\n') {
    line--;
  }
  size_t n = 0;
  for (; *line == '|'; line = strchr(line, '\n') + 1) {
    const char *cell = line;
    for (int c = 0; c < column; c++) {
      cell = strchr(cell + 1, '|');
    }
    for (const char *at = cell + 1; *at != '|' && n < 511; at++) {
      if (*at != ' ') {
        out[n++] = *at;
      }
    }
  }
  out[n] = 0;
}

static snug_status wide_names(snug_ctx *ctx, snug_model **out) {
  SNUG_TRY(snug_model_create(ctx, NULL, out));
  snug_tensor x = snug_model_input(*out, "x", SNUG_FLOAT32, (const int64_t[]){32, 32, 3}, 3);
  snug_tensor a =
      snug_model_layer(*out, "Conv2D", "filters=3 kernel_size=3 padding=same name=first", &x, 1);
  snug_tensor b = snug_model_layer(*out, "Conv2D",
                                   "filters=3 kernel_size=1 padding=same name=" LONG_NAME, &x, 1);
  snug_tensor both[2] = {a, b};
  snug_tensor y = snug_model_layer(*out, "Add", "name=sum", both, 2);
  SNUG_TRY(snug_model_outputs(*out, &y, 1));
  snug_compile_options options = SNUG_INIT(snug_compile_options);
  const char *loss = "mse";
  options.loss = &loss;
  options.n_loss = 1;
  return snug_model_compile(*out, &options);
}

/* No line is wider than the terminal, whatever the names, and no letter of a name is lost. */
TEST(names_are_wrapped_and_not_cut) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  char text[512];
  ASSERT_OK(ctx, wide_names(ctx, &m));
  ASSERT_OK(ctx, snug_summary_create(m, 0, &s));
  for (int32_t width = 60; width <= 160; width += 5) {
    screen print = {.n = 0};
    snug_summary_print(s, show, &print, true, width);
    column_text(print.text, "a_name_that", 0, text);
    ASSERT_EQ_TEXT(text, LONG_NAME "(Conv2D)");
    column_text(print.text, "a_name_that", 1, text);
    ASSERT_EQ_TEXT(text, "(None,32,32,3)");
    ASSERT_EQ_INT(strchr(print.text, '~') == NULL, true);
    char *at = print.text;
    for (char *line = strsep(&at, "\n"); at; line = strsep(&at, "\n")) {
      ASSERT_TRUE(columns_of(line) <= (size_t)width);
    }
  }
  snug_summary_destroy(s);
  snug_model_destroy(m);
}

TEST(columns_without_room_are_named) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  screen narrow = {.n = 0}, wide = {.n = 0};
  ASSERT_OK(ctx, wide_names(ctx, &m));
  ASSERT_OK(ctx, snug_summary_create(m, 0, &s));
  snug_summary_print(s, show, &narrow, true, 60);
  ASSERT_HAS(narrow.text, " Left out for want of room: Output, FLOPs, Connected to");
  snug_summary_print(s, show, &wide, true, 100);
  ASSERT_TRUE(strstr(wide.text, "Left out") == NULL);
  ASSERT_HAS(wide.text, "FLOPs");
  ASSERT_HAS(wide.text, "Connected to");
  snug_summary_destroy(s);
  snug_model_destroy(m);
}

/* Multiplications and additions as papers count them, of networks that everybody knows. */
static void expect_network(const char *name, uint64_t parameters, double giga_macs, double within) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  snug_summary_totals t = SNUG_INIT(snug_summary_totals);
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  net n = *net_find(name);
  n.size = 224;
  n.classes = 1000;
  ASSERT_OK(ctx, n.build(m, &n));
  ASSERT_OK(ctx, snug_summary_create(m, 1, &s));
  snug_summary_totals_get(s, &t);
  ASSERT_EQ_UINT(t.weights.parameters, parameters);
  ASSERT_NEAR(t.flops / 2e9, giga_macs, within * giga_macs);
  snug_summary_destroy(s);
  snug_model_destroy(m);
}

TEST(well_known_networks) {
  expect_network("vgg16", 138357544, 15.5, 0.01);
  expect_network("resnet50", 25636712, 3.87, 0.01);
  expect_network("mobilenetv2", 3538984, 0.30, 0.1);
}

static snug_status scenario(snug_ctx *ctx, void *arg) {
  snug_model *m = NULL;
  snug_summary *s = NULL;
  (void)arg;
  snug_status status = branched(ctx, &m);
  const char *loss = "mse";
  snug_compile_options options = SNUG_INIT(snug_compile_options);
  options.loss = &loss;
  options.n_loss = 1;
  status = status ? status : snug_model_compile(m, &options);
  status = status ? status : snug_summary_create(m, 3, &s);
  snug_summary_destroy(s);
  snug_model_destroy(m);
  return status;
}

TEST(without_memory) { test_fault_sweep_stride(scenario, NULL, 7); }

TEST(what_is_refused) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = NULL;
  snug_summary *s = NULL;
  ASSERT_OK(ctx, small(ctx, &m));
  ASSERT_STATUS(ctx, snug_summary_create(m, -1, &s), SNUG_E_ARGUMENT, "batch_size=-1");
  ASSERT_STATUS(ctx, snug_summary_create(m, INT64_MAX, &s), SNUG_E_SHAPE, "image");
  ASSERT_NULL(s);
  snug_model_destroy(m);
}
