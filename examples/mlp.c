/* Learns which points lie inside of a circle, and says what memory that takes: before, and after.
 */
#include <snug/snug.h>
#include <stdio.h>

#define N 2048

int main(void) {
  static float points[N][2];
  static unsigned char inside[N];
  for (int i = 0; i < N; i++) { /* points spread evenly over a square */
    points[i][0] = (float)(i * 619 % N) / (N / 2) - 1.0f;
    points[i][1] = (float)i / (N / 2) - 1.0f;
    inside[i] = points[i][0] * points[i][0] + points[i][1] * points[i][1] < 0.5f;
  }
  snug_array x = {points, SNUG_FLOAT32, 2, {N, 2}};
  snug_array y = {inside, SNUG_UINT8, 1, {N}};
  snug_data data = {.struct_size = sizeof data, .x = &x, .n_x = 1, .y = &y, .n_y = 1};

  const char *loss = "sparse_categorical_crossentropy", *metric = "accuracy";
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  how.optimizer = "adam(learning_rate=0.01)";
  how.loss = &loss;
  how.n_loss = 1;
  how.metrics = &metric;
  how.n_metrics = 1;
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  options.epochs = 20;

  snug_ctx *ctx = NULL;
  snug_model *model = NULL;
  snug_plan *plan = NULL;
  snug_history *history = NULL;
  snug_memory_report planned = SNUG_INIT(snug_memory_report),
                     measured = SNUG_INIT(snug_memory_report);
  snug_status s = snug_ctx_create(NULL, &ctx);
  s = s ? s : snug_model_create(ctx, NULL, &model);
  snug_model_input(model, "point", SNUG_FLOAT32, (const int64_t[]){2}, 1);
  snug_model_add(model, "Dense", "units=16 activation=relu");
  snug_model_add(model, "Dense", "units=2 activation=softmax");
  s = s ? s : snug_model_compile(model, &how); /* also tells what went wrong above */
  s = s ? s : snug_plan_fit(model, &data, &options, &plan);
  snug_plan_memory(plan, &planned);
  snug_plan_destroy(plan);
  s = s ? s : snug_memory_set_limit(ctx, planned.planned); /* from here on not a byte more */
  s = s ? s : snug_fit(model, &data, &options, &history);
  if (s) {
    fprintf(stderr, "mlp: %s\n", ctx ? snug_message(ctx) : snug_status_text(s));
  } else {
    snug_logs last = snug_history_logs(history, snug_history_epochs(history) - 1);
    snug_history_memory(history, &measured);
    printf("accuracy %.3f; planned %llu bytes, measured %llu\n", snug_logs_get(&last, "accuracy"),
           (unsigned long long)planned.planned, (unsigned long long)measured.measured);
  }
  snug_history_destroy(history);
  snug_model_destroy(model);
  snug_ctx_destroy(ctx);
  return s ? 1 : 0;
}
