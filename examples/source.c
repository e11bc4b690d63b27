/* Training on samples that are made, not stored: a source of our own. */
#include <stdio.h>

#include "snug/snug.h"

/* Row `row`: two numbers, and whether the first is the larger one. */
static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  float *x = to[0];
  int32_t *y = to[1];
  (void)user, (void)scratch, (void)pass, (void)why;
  x[0] = (float)(row * 7 % 100) * 0.01f;
  x[1] = (float)(row * 3 % 100) * 0.01f;
  if (y) { /* NULL where it is not wanted, as in predict */
    *y = x[0] > x[1];
  }
  return SNUG_OK;
}

static snug_status train(snug_ctx *ctx) {
  const int64_t two = 2;
  const char *loss = "sparse_categorical_crossentropy";
  const char *metric = "accuracy";
  const snug_compile_options how = {.struct_size = sizeof how,
                                    .optimizer = "adam",
                                    .loss = &loss,
                                    .n_loss = 1,
                                    .metrics = &metric,
                                    .n_metrics = 1};
  const snug_source source = {
      .struct_size = sizeof source, .name = "made", .rows = 2000, .read = read_row};
  const snug_array x = {.dtype = SNUG_FLOAT32, .rank = 2, .shape = {2000, 2}};
  const snug_array y = {.dtype = SNUG_INT32, .rank = 1, .shape = {2000}};
  const snug_data data = {
      .struct_size = sizeof data, .x = &x, .n_x = 1, .y = &y, .n_y = 1, .source = &source};
  const snug_fit_options options = {.struct_size = sizeof options, .epochs = 5};
  snug_model *m = NULL;
  double values[2] = {0};
  snug_status s = snug_model_create(ctx, NULL, &m);
  if (!s) {
    snug_model_input(m, "x", SNUG_FLOAT32, &two, 1);
    snug_model_add(m, "Dense", "units=8 activation=relu");
    snug_model_add(m, "Dense", "units=2 activation=softmax");
  }
  s = s ? s : snug_model_compile(m, &how);
  s = s ? s : snug_fit(m, &data, &options, NULL);
  s = s ? s : snug_evaluate(m, &data, 0, values, 2);
  printf("%s %.2f\n", snug_model_metrics(m).names[0], values[0]);
  snug_model_destroy(m);
  return s;
}

int main(void) {
  snug_ctx *ctx = NULL;
  if (snug_ctx_create(NULL, &ctx)) {
    return 1;
  }
  snug_status s = train(ctx);
  if (s) {
    fprintf(stderr, "%s\n", snug_message(ctx));
  }
  snug_ctx_destroy(ctx);
  return s ? 1 : 0;
}
