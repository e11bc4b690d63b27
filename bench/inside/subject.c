#include "inside/inside.h"
#include "snug/snug.h"

subject subject_make(const bench_options *o) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options how = SNUG_INIT(snug_compile_options);
  snug_options options = SNUG_INIT(snug_options);
  subject s = {NULL, NULL};
  options.threads = o->threads;
  how.optimizer = "adam";
  how.loss = &loss;
  how.n_loss = 1;
  bench_need(NULL, snug_ctx_create(&options, &s.ctx));
  bench_need(s.ctx, snug_model_create(s.ctx, NULL, &s.model));
  bench_need(s.ctx, o->net.build(s.model, &o->net));
  bench_need(s.ctx, snug_model_compile(s.model, &how));
  return s;
}

void subject_release(subject *s) {
  snug_model_destroy(s->model);
  snug_ctx_destroy(s->ctx);
}

snug__graph *subject_graph(const subject *s, const bench_options *o) {
  snug__graph *g = NULL;
  snug__step step;
  bench_need(s->ctx, snug__step_build(s->model, SNUG__STEP_TRAIN, o->net.batch, false, &g, &step));
  return g;
}
