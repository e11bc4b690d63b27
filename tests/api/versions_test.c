/* Programs of other versions: structs that are smaller, larger or not initialized, in every call
 * that takes one. */
#include <stdio.h>
#include <string.h>

#include "api/attempt.h"
#include "base/ctx.h"

enum { ROWS = 8, FEATURES = 3 };

static float xs[ROWS][FEATURES];
static int32_t ys[ROWS];
static snug_array x = {xs, SNUG_FLOAT32, 2, {ROWS, FEATURES}};
static snug_array y = {ys, SNUG_INT32, 1, {ROWS}};
static const snug_data data = {.struct_size = sizeof data, .x = &x, .n_x = 1, .y = &y, .n_y = 1};

static snug_model *new_model(snug_ctx *ctx) {
  const char *loss = "sparse_categorical_crossentropy";
  const snug_compile_options how = {.struct_size = sizeof how, .loss = &loss, .n_loss = 1};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){FEATURES}, 1);
  snug_model_add(m, "Dense", "units=2 activation=softmax");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}

/* One call with a struct of the caller's, whose first bytes are a struct of the type. */
typedef snug_status one_call(snug_ctx *ctx, snug_model *m, const void *given);

static snug_status fit(snug_ctx *ctx, snug_model *m, const void *given) {
  (void)ctx;
  return snug_fit(m, &data, given, NULL);
}

static snug_status plan(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_plan *p = NULL;
  (void)ctx;
  snug_status s = snug_plan_fit(m, &data, given, &p);
  snug_plan_destroy(p);
  return s;
}

static snug_status fit_data(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_status s = snug_fit(m, given, NULL, NULL);
  return s && (strstr(snug_message(ctx), "0 arrays were given") || s == SNUG_E_DATA) ? SNUG_OK
                                                                                     : s; /* read */
}

static snug_status fit_source(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_data d = data;
  d.source = given;
  (void)ctx;
  snug_status s = snug_fit(m, &d, NULL, NULL);
  return s == SNUG_E_DATA ? SNUG_OK : s; /* it was read, and has no rows */
}

static snug_status fit_callback(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_fit_options o = {.struct_size = sizeof o, .callbacks = given, .n_callbacks = 1};
  (void)ctx;
  return snug_fit(m, &data, &o, NULL);
}

static snug_status create_model(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_model *made = NULL;
  (void)m;
  snug_status s = snug_model_create(ctx, given, &made);
  snug_model_destroy(made);
  return s;
}

static snug_status compile(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_status s = snug_model_compile(m, given);
  return s && strstr(snug_message(ctx), "loss") ? SNUG_OK : s; /* it was read, and has none */
}

static snug_status load(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_model *made = NULL;
  (void)m;
  snug_status s = snug_model_load(ctx, "there is none.keras", given, &made);
  return s == SNUG_E_IO ? SNUG_OK : s; /* it was read */
}

static snug_status open_arrays(snug_ctx *ctx, snug_model *m, const void *given) {
  const char *path = "there is none.npz";
  snug_arrays *a = NULL;
  (void)m;
  snug_status s = snug_arrays_open_with(ctx, &path, 1, given, &a);
  return s == SNUG_E_IO ? SNUG_OK : s;
}

static snug_status pack(snug_ctx *ctx, snug_model *m, const void *given) {
  const snug_pack_item item = {0, 1, 1, 1, -1};
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  int64_t offset;
  (void)m;
  return snug_pack(ctx, &item, 1, given, &offset, &result);
}

static snug_status watch(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_watch *w = NULL;
  (void)m;
  snug_status s = snug_watch_create(ctx, given, &w);
  snug_watch_destroy(w);
  return s;
}

static snug_status create_callback(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_callback c = SNUG_INIT(snug_callback);
  (void)ctx;
  snug_status s = snug_callback_create(m, "TerminateOnNaN", NULL, given, &c);
  snug_callback_destroy(&c);
  return s;
}

static snug_status tell_moment(snug_ctx *ctx, snug_model *m, const void *given) {
  snug_recorder *r = NULL;
  (void)m;
  ASSERT_OK(ctx, snug_recorder_open(ctx, test_path("run.snug"), true, &r));
  snug_status s = snug_recorder_moment(r, given);
  s = s && strstr(snug_message(ctx), "no moment can be at") ? SNUG_OK : s; /* it was read */
  ASSERT_OK(ctx, snug_recorder_close(r));
  return s;
}

static const struct {
  const char *name;
  size_t bytes;
  one_call *call;
} calls[] = {
    {"snug_fit_options", sizeof(snug_fit_options), fit},
    {"snug_fit_options", sizeof(snug_fit_options), plan},
    {"snug_data", sizeof(snug_data), fit_data},
    {"snug_source", sizeof(snug_source), fit_source},
    {"snug_callback", sizeof(snug_callback), fit_callback},
    {"snug_model_options", sizeof(snug_model_options), create_model},
    {"snug_compile_options", sizeof(snug_compile_options), compile},
    {"snug_load_options", sizeof(snug_load_options), load},
    {"snug_arrays_options", sizeof(snug_arrays_options), open_arrays},
    {"snug_pack_options", sizeof(snug_pack_options), pack},
    {"snug_watch_options", sizeof(snug_watch_options), watch},
    {"snug_callback_target", sizeof(snug_callback_target), create_callback},
    {"snug_moment", sizeof(snug_moment), tell_moment},
};

enum { MORE = 16, MOST = 1024 };

static void set_size(void *given, size_t bytes) { memcpy(given, &bytes, sizeof bytes); }

TEST(every_struct_is_read_by_its_size) {
  for (size_t i = 0; i < SNUG_COUNT(calls); i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = new_model(ctx);
    _Alignas(16) unsigned char given[MOST] = {0};
    char sizes[128];
    ASSERT_TRUE(calls[i].bytes + MORE <= sizeof given);
    ASSERT_STATUS(ctx, calls[i].call(ctx, m, given), SNUG_E_ARGUMENT, calls[i].name);
    ASSERT_HAS(snug_message(ctx), "struct_size is 0");
    set_size(given, calls[i].bytes);
    ASSERT_OK(ctx, calls[i].call(ctx, m, given));
    set_size(given, 2 * sizeof(size_t)); /* the first there may have been */
    memset(given + 2 * sizeof(size_t), 0xA5, sizeof given - 2 * sizeof(size_t));
    ASSERT_OK(ctx, calls[i].call(ctx, m, given));
    memset(given, 0, sizeof given);
    set_size(given, calls[i].bytes + MORE);
    ASSERT_OK(ctx, calls[i].call(ctx, m, given));
    given[calls[i].bytes + MORE - 1] = 1;
    ASSERT_STATUS(ctx, calls[i].call(ctx, m, given), SNUG_E_ARGUMENT, calls[i].name);
    snprintf(sizes, sizeof sizes, "has %zu bytes there, this library (%s) knows %zu",
             calls[i].bytes + MORE, snug_version(), calls[i].bytes);
    ASSERT_HAS(snug_message(ctx), sizes);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
}

static bool count_epoch(void *user, int64_t epoch) {
  (void)epoch;
  ++*(int *)user;
  return true;
}

/* A program that was compiled before there was anything behind epoch_begin. */
TEST(an_array_of_smaller_callbacks_is_walked_by_their_size) {
  typedef struct older {
    size_t struct_size;
    void *user;
    bool (*train_begin)(void *user, int64_t epochs, int64_t steps);
    bool (*epoch_begin)(void *user, int64_t epoch);
  } older;
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  int n[3] = {0};
  const older list[] = {{sizeof *list, &n[0], NULL, count_epoch},
                        {sizeof *list, &n[1], NULL, count_epoch},
                        {sizeof *list, &n[2], NULL, count_epoch}};
  snug_fit_options o = {.struct_size = sizeof o,
                        .epochs = 2,
                        .callbacks = (const snug_callback *)(const void *)list,
                        .n_callbacks = 3};
  ASSERT_OK(ctx, snug_fit(m, &data, &o, NULL));
  ASSERT_TRUE(n[0] == 2 && n[1] == 2 && n[2] == 2);
  snug_model_destroy(m);
}

TEST(callbacks_of_an_array_are_of_one_size) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_callback list[2] = {SNUG_INIT(snug_callback), SNUG_INIT(snug_callback)};
  snug_fit_options o = {.struct_size = sizeof o, .epochs = 2, .callbacks = list, .n_callbacks = 2};
  list[1].struct_size = 2 * sizeof(size_t);
  ASSERT_STATUS(ctx, snug_fit(m, &data, &o, NULL), SNUG_E_ARGUMENT, "callback 1");
  snug_model_destroy(m);
}

TEST(reports_are_written_as_far_as_both_sides_know) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_plan *p = NULL;
  snug_memory_report whole = SNUG_INIT(snug_memory_report), part, none;
  struct {
    snug_memory_report known;
    uint64_t unknown;
  } larger = {{.struct_size = sizeof larger}, 77};
  memset(&part, 0xA5, sizeof part);
  memset(&none, 0xA5, sizeof none);
  part.struct_size = offsetof(snug_memory_report, gradients);
  none.struct_size = 0;
  ASSERT_OK(ctx, snug_plan_fit(m, &data, NULL, &p));
  snug_plan_memory(p, &whole);
  snug_plan_memory(p, &part);
  snug_plan_memory(p, &none);
  snug_plan_memory(p, &larger.known);
  ASSERT_TRUE(whole.weights > 0 && whole.planned > 0);
  ASSERT_EQ_UINT(whole.struct_size, sizeof whole);
  ASSERT_EQ_UINT(part.weights, whole.weights);
  ASSERT_EQ_UINT(part.gradients, UINT64_C(0xA5A5A5A5A5A5A5A5)); /* behind its end */
  ASSERT_EQ_UINT(none.weights, UINT64_C(0xA5A5A5A5A5A5A5A5));
  ASSERT_EQ_UINT(larger.known.planned, whole.planned);
  ASSERT_EQ_UINT(larger.unknown, 77);
  ASSERT_EQ_UINT(larger.known.struct_size, sizeof larger);
  snug_plan_destroy(p);
  snug_model_destroy(m);
}

TEST(what_is_not_initialized_is_said_where_there_is_a_status) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug_weight_info weight = {.struct_size = 0};
  snug_available room = {.struct_size = 0};
  snug_memory_info info = {.struct_size = 0};
  snug_callback c = {.struct_size = 0};
  snug_save_file file = {.struct_size = 0, .path = "m.keras"};
  ASSERT_STATUS(ctx, snug_model_weight_info(m, 0, &weight), SNUG_E_ARGUMENT, "snug_weight_info");
  ASSERT_STATUS(ctx, snug_memory_available(ctx, &room), SNUG_E_ARGUMENT, "snug_available");
  ASSERT_STATUS(ctx, snug_memory_device_get(ctx, "cpu", &info), SNUG_E_ARGUMENT,
                "snug_memory_info");
  ASSERT_STATUS(ctx, snug_callback_create(m, "TerminateOnNaN", NULL, NULL, &c), SNUG_E_ARGUMENT,
                "snug_callback");
  ASSERT_STATUS(ctx, snug_save_file_begin(&file, m), SNUG_E_ARGUMENT, "snug_save_file");
  file.struct_size = offsetof(snug_save_file, saved); /* no room for what is private */
  ASSERT_STATUS(ctx, snug_save_file_begin(&file, m), SNUG_E_ARGUMENT, "compile the program");
  snug_model_destroy(m);
}
