/* Files whose weights are more than the process may hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gate.h"
#include "base/heap.h"
#include "base/process.h"
#include "keras_state/support.h"

#define MIB ((uint64_t)1 << 20)
#define UNITS "units=2048"
#define WEIGHTS (16 * MIB) /* of the larger layer */

/* Without the allocator of tests, which touches and keeps what the heap would not. */
static snug_ctx *plain_ctx(void) {
  snug_ctx *ctx = NULL;
  ASSERT_EQ_INT(snug_ctx_create(NULL, &ctx), SNUG_OK);
  return ctx;
}

/* A model of 16 MiB, in a file with or without its optimizer's state. */
static const char *large_file(snug_ctx *ctx, bool with_state) {
  const char *path = state_path(with_state ? "trained.keras" : "fresh.keras");
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_tensor x = snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){2048}, 1);
  x = snug_model_layer(m, "Dense", UNITS, &x, 1);
  snug_model_layer(m, "Dense", "units=3", &x, 1);
  ASSERT_OK(ctx, state_compile(m, "adam"));
  if (with_state) {
    ASSERT_OK(ctx, snug_model_set_learning_rate(m, 0.5));
  }
  ASSERT_OK(ctx, snug_model_save(m, path));
  snug_model_destroy(m);
  snug__heap_trim();
  return path;
}

/* What the process came to at the most while it was refused. */
static uint64_t refuse(snug_ctx *ctx, const char *path, snug_load_options *o, uint64_t room,
                       const char *part) {
  snug_model *m = NULL;
  snug__process now;
  if (!snug__process_reset_peak()) {
    test_skip("the peak of a process cannot be reset here");
  }
  o->memory = snug__gate_held() + room;
  ASSERT_STATUS(ctx, snug_model_load(ctx, path, o, &m), SNUG_E_LIMIT, part);
  ASSERT_NULL(m);
  ASSERT_TRUE(snug__process_read("", &now));
  return now.peak;
}

/* A sanitizer keeps what was given back, so the process grows from call to call. */
static void skip_under_sanitizer(void) {
#if defined(__SANITIZE_ADDRESS__)
  test_skip("the process holds what the sanitizer keeps");
#endif
}

static uint64_t resident(void) {
  snug__process now;
  ASSERT_TRUE(snug__process_read("", &now));
  return now.resident;
}

TEST(a_line_below_the_weights_reads_none_of_them) {
  snug_ctx *ctx = plain_ctx();
  snug_load_options o = SNUG_INIT(snug_load_options);
  const char *path = large_file(ctx, false);
  for (uint64_t room = 2; room <= 14; room += 4) {
    uint64_t before = resident();
    uint64_t peak = refuse(ctx, path, &o, room * MIB, "are needed at the least to load it, ");
    ASSERT_TRUE(peak < before + 8 * MIB);
    ASSERT_TRUE(peak <= o.memory);
    ASSERT_HAS(snug_message(ctx), path);
    ASSERT_HAS(snug_message(ctx), "for its weights");
  }
  snug_ctx_destroy(ctx);
}

/* Weights alone would fit. */
TEST(a_line_below_the_state_reads_nothing) {
  snug_ctx *ctx = plain_ctx();
  snug_load_options o = SNUG_INIT(snug_load_options);
  const char *path = large_file(ctx, true);
  uint64_t before = resident();
  uint64_t peak = refuse(ctx, path, &o, 40 * MIB, " for its optimizer's state; ");
  ASSERT_TRUE(peak < before + WEIGHTS / 2);
  o.no_compile = true; /* without the state */
  snug_model *m = NULL;
  o.memory = snug__gate_held() + 40 * MIB;
  ASSERT_OK(ctx, snug_model_load(ctx, path, &o, &m));
  snug_model_destroy(m);
  snug_ctx_destroy(ctx);
}

/* The least that a message names is enough; the first one knows the file alone, and is a bound. */
TEST(what_the_message_names_does) {
  skip_under_sanitizer();
  snug_ctx *ctx = plain_ctx();
  snug_load_options o = SNUG_INIT(snug_load_options);
  for (int with_state = 0; with_state < 2; with_state++) {
    const char *path = large_file(ctx, with_state);
    snug_model *m = NULL;
    refuse(ctx, path, &o, 10 * MIB, "are needed at the least");
    snug_status s = SNUG_E_LIMIT;
    for (int i = 0; i < 2 && s == SNUG_E_LIMIT; i++) {
      const char *at = strchr(snug_message(ctx), '(');
      ASSERT_NOT_NULL(at);
      uint64_t named = strtoull(at + 1, NULL, 10) + MIB;
      ASSERT_TRUE(named > o.memory);
      o.memory = named;
      s = snug_model_load(ctx, path, &o, &m);
    }
    ASSERT_OK(ctx, s);
    snug_model_destroy(m);
    snug__heap_trim();
  }
  snug_ctx_destroy(ctx);
}

TEST(what_the_process_may_hold_counts_without_a_line) {
  snug_ctx *ctx = plain_ctx();
  snug_model *m = NULL;
  const char *path = large_file(ctx, false);
  snug_memory_set_bound(ctx, snug__gate_held() + 8 * MIB);
  ASSERT_STATUS(ctx, snug_model_load(ctx, path, NULL, &m), SNUG_E_LIMIT, "needed at the least");
  snug_memory_set_bound(ctx, 0);
  ASSERT_OK(ctx, snug_model_load(ctx, path, NULL, &m));
  snug_model_destroy(m);
  snug_ctx_destroy(ctx);
}

#define LAYERS 3000

/* A chain of layers, each of four numbers: its graph is what is large. */
static const char *long_config(void) {
  const char *path = state_path("long.keras");
  char folder[600], name[640];
  snprintf(folder, sizeof folder, "mkdir -p %s", path);
  ASSERT_EQ_INT(system(folder), 0);
  snprintf(name, sizeof name, "%s/config.json", path);
  FILE *f = fopen(name, "w");
  ASSERT_NOT_NULL(f);
  fputs(
      "{\"class_name\":\"Sequential\",\"config\":{\"name\":\"s\",\"layers\":[{\"class_name\":"
      "\"InputLayer\",\"config\":{\"batch_shape\":[null,4],\"dtype\":\"float32\",\"name\":\"i\"}}",
      f);
  for (int i = 0; i < LAYERS; i++) {
    fprintf(f, ",{\"class_name\":\"Dense\",\"config\":{\"name\":\"d%d\",\"units\":4}}", i);
  }
  fputs("]}}", f);
  fclose(f);
  return path;
}

TEST(a_line_bounds_the_graph_of_a_long_config) {
  skip_under_sanitizer();
  snug_ctx *ctx = plain_ctx();
  snug_load_options o = SNUG_INIT(snug_load_options);
  const char *path = long_config();
  for (uint64_t room = 1; room <= 5; room++) {
    ASSERT_TRUE(refuse(ctx, path, &o, room * MIB, "without its weights") <= o.memory);
  }
  snug_ctx_destroy(ctx);
}
