/* Small data files for the tests of the command.
 * Usage: make_data FILE.npz NAME=KIND:DIM,DIM... or make_data FILE.npy KIND:DIM,...
 *        make_data FILE.png COLOUR: an image of 20 x 24, red or blue with some noise
 *        make_data FILE.keras OUTPUTS: a model that is not compiled, of 4 numbers and 3 classes
 * Kinds: real (float32 around 0), byte (0 to 255), labelK (0 to K-1: which of the first K values of
 * the row of the last real array is largest, so that it can be learnt), one (float32 1.0), nan. */
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snug/snug.h"

#define MAX_ARRAYS 8

static uint64_t state = 88172645463325252u;
static const snug_array *last_real;

static float uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (float)(state >> 40) / (float)(1 << 24) * 2.0f - 1.0f;
}

static int64_t elements(const snug_array *a) {
  int64_t n = 1;
  for (int32_t i = 0; i < a->rank; i++) {
    n *= a->shape[i];
  }
  return n;
}

static unsigned char largest(int64_t row, int classes) {
  int64_t width = last_real ? elements(last_real) / last_real->shape[0] : 0;
  int best = 0;
  if (width < classes) {
    return (unsigned char)(row % classes);
  }
  const float *x = (const float *)last_real->data + row * width;
  for (int i = 1; i < classes; i++) {
    best = x[i] > x[best] ? i : best;
  }
  return (unsigned char)best;
}

static void fill_floats(const char *kind, float *out, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    out[i] = *kind == 'o' ? 1.0f : *kind == 'n' ? NAN : uniform();
  }
}

static void fill(const char *kind, snug_array *a) {
  int classes = 0;
  int64_t n = elements(a);
  bool is_label = sscanf(kind, "label%d", &classes) == 1;
  bool is_byte = is_label || strncmp(kind, "byte", 4) == 0;
  a->dtype = is_byte ? SNUG_UINT8 : SNUG_FLOAT32;
  void *data = malloc((size_t)n * (is_byte ? 1 : 4) + 1);
  if (!data) {
    exit(1);
  }
  a->data = data;
  for (int64_t i = 0; is_byte && i < n; i++) {
    ((unsigned char *)data)[i] =
        is_label ? largest(i, classes) : (unsigned char)(127.5f * (uniform() + 1.0f));
  }
  if (!is_byte) {
    fill_floats(kind, data, n);
    last_real = a;
  }
}

static void parse(const char *spec, snug_array *a) {
  const char *at = strchr(spec, ':');
  while (at && *at && a->rank < SNUG_MAX_RANK) {
    char *end;
    a->shape[a->rank++] = strtoll(at + 1, &end, 10);
    at = *end == ',' ? end : NULL;
  }
  fill(spec, a);
}

/* snug init writes compiled models alone. */
static snug_status save_model(snug_ctx *ctx, const char *path, int outputs) {
  snug_model *m = NULL;
  snug_tensor out[MAX_ARRAYS];
  snug_status s = snug_model_create(ctx, NULL, &m);
  snug_tensor x = snug_model_input(m, "input", SNUG_FLOAT32, (const int64_t[]){4}, 1);
  for (int i = 0; i < outputs && i < MAX_ARRAYS; i++) {
    out[i] = snug_model_layer(m, "Dense", "units=3 activation=softmax", &x, 1);
  }
  s = s ? s : snug_model_outputs(m, out, outputs);
  s = s ? s : snug_model_save(m, path);
  snug_model_destroy(m);
  return s;
}

static int make_model(snug_ctx *ctx, const char *path, int outputs) {
  snug_status s = save_model(ctx, path, outputs);
  if (s) {
    fprintf(stderr, "make_data: %s\n", snug_message(ctx));
  }
  snug_ctx_destroy(ctx);
  return s ? 1 : 0;
}

#define WIDTH 20
#define HEIGHT 24

static int make_image(const char *path, const char *colour) {
  static unsigned char pixels[HEIGHT * WIDTH * 3];
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
  int bright = colour[0] == 'r' ? 0 : 2;
  for (int i = 0; i < HEIGHT * WIDTH * 3; i++) {
    pixels[i] = (unsigned char)((i % 3 == bright ? 200 : 30) + (int)(uniform() * 25.0f));
  }
  return png_image_write_to_file(&image, path, 0, pixels, 0, NULL) ? 0 : 1;
}

int main(int argc, char **argv) {
  snug_ctx *ctx = NULL;
  snug_array arrays[MAX_ARRAYS] = {{0}};
  const char *names[MAX_ARRAYS];
  int n = argc - 2;
  if (n == 1 && strstr(argv[1], ".png")) {
    return make_image(argv[1], argv[2]);
  }
  if (n < 1 || n > MAX_ARRAYS || snug_ctx_create(NULL, &ctx)) {
    return 2;
  }
  if (strstr(argv[1], ".keras")) {
    return make_model(ctx, argv[1], argv[2][0] == '2' ? 2 : 1);
  }
  bool is_archive = strstr(argv[1], ".npz") != NULL;
  for (int i = 0; i < n; i++) {
    char *equals = is_archive ? strchr(argv[i + 2], '=') : NULL;
    names[i] = argv[i + 2];
    parse(equals ? equals + 1 : argv[i + 2], &arrays[i]);
    if (equals) {
      *equals = '\0';
    }
  }
  snug_status s = is_archive ? snug_npz_save(ctx, argv[1], names, arrays, n)
                             : snug_npy_save(ctx, argv[1], &arrays[0]);
  if (s) {
    fprintf(stderr, "make_data: %s\n", snug_message(ctx));
  }
  for (int i = 0; i < n; i++) {
    free((void *)(uintptr_t)arrays[i].data);
  }
  snug_ctx_destroy(ctx);
  return s ? 1 : 0;
}
