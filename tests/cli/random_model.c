/* A small compiled model of any shape, and data for it, the same for the same seed.
 * Usage: random_model SEED FILE.keras FILE.npz; prints a batch size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "snug/snug.h"

#define SAMPLES 96

static uint64_t state;

/* From low to high, both included. */
static int64_t any(int64_t low, int64_t high) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

static void add(snug_model *m, const char *class_name, const char *format, int64_t value) {
  char config[128];
  snprintf(config, sizeof config, format, (long long)value);
  snug_model_add(m, class_name, config);
}

static void add_images(snug_model *m) {
  for (int64_t n = any(1, 4); n > 0; n--) {
    add(m, "Conv2D", "filters=%lld kernel_size=3 padding=same activation=relu", any(1, 24));
    if (any(0, 2) == 0) {
      snug_model_add(m, "BatchNormalization", "");
    }
    if (any(0, 1)) {
      add(m, "MaxPooling2D", "pool_size=2 padding=same strides=%lld", any(1, 2));
    }
  }
  snug_model_add(m, any(0, 1) ? "Flatten" : "GlobalAveragePooling2D", "");
}

static void add_rows(snug_model *m) {
  for (int64_t n = any(0, 4); n > 0; n--) {
    add(m, "Dense", "units=%lld activation=tanh", any(1, 300));
    if (any(0, 2) == 0) {
      snug_model_add(m, "Dropout", "rate=0.25");
    }
  }
}

static void add_tokens(snug_model *m) {
  add(m, "Embedding", "input_dim=100 output_dim=%lld", any(1, 64));
  for (int64_t n = any(0, 2); n > 0; n--) {
    add(m, "Conv1D", "filters=%lld kernel_size=3 padding=same activation=relu", any(1, 48));
    if (any(0, 1)) {
      snug_model_add(m, "LayerNormalization", "");
    }
  }
  snug_model_add(m, any(0, 1) ? "GlobalMaxPooling1D" : "GlobalAveragePooling1D", "");
}

static snug_status make_model(snug_ctx *ctx, const char *path, snug_array *x) {
  static const char *const optimizers[] = {"sgd", "adam", "rmsprop", "adamw"};
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_model *m = NULL;
  how.optimizer = optimizers[any(0, 3)];
  how.loss = &loss;
  how.n_loss = 1;
  snug_status s = snug_model_create(ctx, NULL, &m);
  snug_model_input(m, "x", x->dtype, x->shape + 1, x->rank - 1);
  if (x->rank == 4) {
    add_images(m);
  } else if (x->dtype == SNUG_INT32) {
    add_tokens(m);
  }
  add_rows(m);
  snug_model_add(m, "Dense", "units=3 activation=softmax");
  s = s ? s : snug_model_compile(m, &how);
  s = s ? s : snug_model_save(m, path);
  snug_model_destroy(m);
  return s;
}

static snug_status make_data(snug_ctx *ctx, const char *path, const snug_array *x) {
  static uint8_t labels[SAMPLES];
  const char *names[] = {"x", "y"};
  snug_array arrays[] = {*x, {.dtype = SNUG_UINT8, .rank = 1, .shape = {SAMPLES}, .data = labels}};
  int64_t n = 1;
  for (int32_t i = 0; i < x->rank; i++) {
    n *= x->shape[i];
  }
  float *values = malloc((size_t)n * sizeof *values);
  int32_t *tokens = (int32_t *)values;
  for (int64_t i = 0; values && i < n; i++) {
    if (x->dtype == SNUG_INT32) {
      tokens[i] = (int32_t)any(0, 99);
    } else {
      values[i] = (float)any(-1000, 1000) / 1000.0f;
    }
  }
  for (int i = 0; i < SAMPLES; i++) {
    labels[i] = (uint8_t)any(0, 2);
  }
  arrays[0].data = values;
  snug_status s = values ? snug_npz_save(ctx, path, names, arrays, 2) : SNUG_E_MEMORY;
  free(values);
  return s;
}

int main(int argc, char **argv) {
  snug_ctx *ctx = NULL;
  if (argc != 4 || snug_ctx_create(NULL, &ctx)) {
    return 2;
  }
  state = strtoull(argv[1], NULL, 10) * 7919u + 1u;
  snug_array x = {.dtype = SNUG_FLOAT32, .rank = 2, .shape = {SAMPLES}};
  int64_t family = any(0, 4); /* images, images, images, rows, tokens */
  x.rank = family < 3 ? 4 : 2;
  x.dtype = family == 4 ? SNUG_INT32 : SNUG_FLOAT32;
  x.shape[1] = x.rank == 4 ? any(4, 32) : any(3, 200);
  x.shape[2] = x.shape[1];
  x.shape[3] = any(1, 3);
  snug_status s = make_model(ctx, argv[2], &x);
  s = s ? s : make_data(ctx, argv[3], &x);
  printf("%lld\n", (long long)any(1, SAMPLES));
  if (s) {
    fprintf(stderr, "random_model: %s\n", snug_message(ctx));
  }
  snug_ctx_destroy(ctx);
  return s ? 1 : 0;
}
