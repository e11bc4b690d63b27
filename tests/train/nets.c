#include "train/nets.h"

#include "lib/models.h"
#include "model/model.h"

static snug_status build_mlp(snug_model *m) {
  const int64_t shape[] = {10};
  snug_model_input(m, "x", m->real, shape, 1);
  snug_model_add(m, "Dense", "units=16 activation=relu");
  snug_model_add(m, "Dropout", "rate=0.25");
  snug_model_add(m, "Dense", "units=4 activation=softmax");
  return snug_model_status(m);
}

/* A small network for images of 28 x 28. */
static snug_status build_demo(snug_model *m) {
  const int64_t shape[] = {28, 28, 1};
  snug_model_input(m, "image", m->real, shape, 3);
  snug_model_add(m, "Rescaling", "scale=0.00392156862745098");
  snug_model_add(m, "Conv2D", "filters=8 kernel_size=3 activation=relu");
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Conv2D", "filters=16 kernel_size=3 activation=relu");
  snug_model_add(m, "MaxPooling2D", NULL);
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dropout", "rate=0.2");
  snug_model_add(m, "Dense", "units=10 activation=softmax");
  return snug_model_status(m);
}

static snug_status build_resnet(snug_model *m) {
  return test_net_resnet(
      m, &(test_net){.size = 32, .dtype = m->real, .classes = 10, .width = 4, .depth = 50});
}

static snug_status build_mobilenet(snug_model *m) {
  return test_net_mobilenet_v2(
      m, &(test_net){.size = 32, .dtype = m->real, .classes = 10, .width = 8, .depth = 1});
}

const net nets[] = {{"mlp", build_mlp, {10}, 1, 4, 23, 4},
                    {"demo", build_demo, {28, 28, 1}, 3, 10, 23, 4},
                    {"resnet-50", build_resnet, {32, 32, 3}, 3, 10, 9, 4},
                    {"mobilenet-v2", build_mobilenet, {32, 32, 3}, 3, 10, 9, 4}};
const size_t n_nets = sizeof nets / sizeof nets[0];

snug_model *net_model(snug_ctx *ctx, const net *n, const char *optimizer) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_model *m = NULL;
  o.seed = 11;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  ASSERT_OK(ctx, n->build(m));
  ASSERT_OK(ctx, compile_with(m, optimizer, "sparse_categorical_crossentropy"));
  return m;
}

void net_data(const net *n, toy *t) { toy_make(t, n->samples, n->shape, n->rank, n->classes); }

void job_open(job *j, const net *n, const char *optimizer) {
  *j = (job){.ctx = test_ctx(), .options = SNUG_INIT(snug_fit_options)};
  j->model = net_model(j->ctx, n, optimizer);
  net_data(n, &j->data);
  j->options.batch_size = n->batch;
}

void job_close(job *j) {
  snug_model_destroy(j->model);
  toy_free(&j->data);
  test_ctx_end(j->ctx);
}

snug_plan *job_plan(job *j, uint64_t line) {
  snug_plan *plan = NULL;
  j->options.memory = line;
  ASSERT_OK(j->ctx, snug_plan_fit(j->model, &j->data.data, &j->options, &plan));
  return plan;
}
