/* Who holds what, memory at chosen moments, and fits in memory that was preallocated. */
#include <string.h>

#include "train/data.h"

enum { FEATURES = 5, CLASSES = 3, ROWS = 50, BATCH = 8, STEPS = 5 /* of 38 samples */ };

typedef struct scene {
  snug_ctx *ctx;
  snug_model *m;
  toy t;
  snug_fit_options o;
  snug_history *h;
} scene;

static void make_model(scene *s) {
  const int64_t shape[] = {FEATURES};
  ASSERT_OK(s->ctx, snug_model_create(s->ctx, NULL, &s->m));
  snug_model_input(s->m, "features", SNUG_FLOAT32, shape, 1);
  snug_model_add(s->m, "Dense", "units=7 activation=tanh name=hidden");
  snug_model_add(s->m, "Dense", "units=3 activation=softmax name=last");
  ASSERT_OK(s->ctx, compile_with(s->m, "adam", "sparse_categorical_crossentropy"));
  toy_make(&s->t, ROWS, shape, 1, CLASSES);
  s->o = (snug_fit_options)SNUG_INIT(snug_fit_options);
  s->o.batch_size = BATCH;
  s->o.epochs = 3;
  s->o.validation_split = 0.25;
}

static void begin(scene *s) {
  *s = (scene){.ctx = test_ctx()};
  make_model(s);
}

static void end(scene *s) {
  snug_history_destroy(s->h);
  snug_model_destroy(s->m);
  toy_free(&s->t);
}

static snug_memory_info info_of(const scene *s) {
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_get(s->ctx, &info);
  return info;
}

/* ---- samples ---- */

static uint64_t sum_of(const snug_memory_sample *s) {
  return s->weights + s->gradients + s->optimizer + s->activations + s->scratch + s->data +
         s->callbacks + s->runtime;
}

static void check_sample(const scene *s, size_t i, int64_t epoch, int64_t batch, const char *at) {
  snug_memory_sample x = SNUG_INIT(snug_memory_sample);
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_history_sample(s->h, i, &x);
  snug_history_memory(s->h, &r);
  ASSERT_EQ_INT(x.epoch, epoch);
  ASSERT_EQ_INT(x.batch, batch);
  ASSERT_EQ_TEXT(x.at, at);
  ASSERT_EQ_UINT(sum_of(&x), x.peak);
  ASSERT_TRUE(x.current <= x.peak && x.peak <= r.measured);
  ASSERT_TRUE(x.resident > 0 && x.process_peak >= x.resident);
  ASSERT_EQ_UINT(x.weights, r.weights);
  ASSERT_EQ_UINT(x.optimizer, r.optimizer);
  if (i == 0) { /* no step has run */
    ASSERT_EQ_UINT(x.gradients + x.activations + x.scratch, 0);
  } else if (strcmp(at, "batch_end") == 0) {
    ASSERT_EQ_UINT(x.activations, r.activations);
    ASSERT_EQ_UINT(x.gradients, r.gradients);
  }
}

TEST(samples_are_where_they_were_asked_for) {
  scene s;
  begin(&s);
  const snug_span epochs[] = {{0, 0}, {2, 9}};
  const snug_span batches[] = {{1, 1}, {3, 100}, {4, 4}};
  s.o.sampling = (snug_sampling){epochs, 2, batches, 3};
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  ASSERT_EQ_UINT(snug_history_samples(s.h), 2 * 5);
  for (size_t k = 0; k < 2; k++) {
    int64_t epoch = k ? 2 : 0;
    check_sample(&s, 5 * k, epoch, -1, "epoch_begin");
    check_sample(&s, 5 * k + 1, epoch, 1, "batch_end");
    check_sample(&s, 5 * k + 2, epoch, 3, "batch_end");
    check_sample(&s, 5 * k + 3, epoch, 4, "batch_end");
    check_sample(&s, 5 * k + 4, epoch, STEPS - 1, "epoch_end");
  }
  end(&s);
}

TEST(without_a_wish_there_are_none) {
  scene s;
  begin(&s);
  snug_memory_sample x = SNUG_INIT(snug_memory_sample);
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  ASSERT_EQ_UINT(snug_history_samples(s.h), 0);
  snug_history_sample(s.h, 0, &x);
  ASSERT_EQ_TEXT(x.at, "");
  end(&s);
}

/* Batches alone: of every epoch.  Epochs alone: their ends. */
TEST(either_list_may_be_empty) {
  scene s;
  begin(&s);
  const snug_span one[] = {{1, 1}};
  s.o.sampling = (snug_sampling){NULL, 0, one, 1};
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  ASSERT_EQ_UINT(snug_history_samples(s.h), 3 * 3);
  snug_history_destroy(s.h);
  s.o.sampling = (snug_sampling){one, 1, NULL, 0};
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  ASSERT_EQ_UINT(snug_history_samples(s.h), 2);
  end(&s);
}

TEST(spans_that_make_no_sense_are_refused) {
  scene s;
  begin(&s);
  const snug_span wrong[] = {{-1, 3}}, backwards[] = {{3, 2}}, far[] = {{0, INT64_MAX}};
  s.o.sampling = (snug_sampling){wrong, 1, NULL, 0};
  ASSERT_STATUS(s.ctx, snug_fit(s.m, &s.t.data, &s.o, NULL), SNUG_E_ARGUMENT, "epochs -1 to 3");
  s.o.sampling = (snug_sampling){NULL, 0, backwards, 1};
  ASSERT_STATUS(s.ctx, snug_fit(s.m, &s.t.data, &s.o, NULL), SNUG_E_ARGUMENT, "batches 3 to 2");
  s.o.sampling = (snug_sampling){NULL, 0, NULL, 1};
  ASSERT_STATUS(s.ctx, snug_fit(s.m, &s.t.data, &s.o, NULL), SNUG_E_ARGUMENT, "not given");
  s.o.sampling = (snug_sampling){far, 1, far, 1}; /* all there are */
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  ASSERT_EQ_UINT(snug_history_samples(s.h), 3 * (2 + STEPS));
  end(&s);
}

TEST(samples_are_part_of_the_plan) {
  scene s;
  begin(&s);
  const snug_span all[] = {{0, 100}};
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  s.o.batch_size = ROWS;
  s.o.sampling = (snug_sampling){NULL, 0, all, 1};
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  snug_history_memory(s.h, &r);
  ASSERT_EQ_UINT(r.planned, r.measured);
  end(&s);
}

/* ---- the walk ---- */

typedef struct tally {
  const scene *scene;
  uint64_t sum, hidden, activations, gradients, optimizer, work;
  uint64_t now, at_peak; /* sums of walks in a callback */
  snug_memory_report report;
  int64_t samples;
} tally;

static void count(void *user, const snug_memory_piece *p) {
  tally *t = user;
  t->sum += p->bytes;
  t->hidden += strcmp(p->layer, "hidden") == 0 ? p->bytes : 0;
  t->activations += strcmp(p->what, "activations") == 0 ? p->bytes : 0;
  t->gradients += strcmp(p->what, "gradients") == 0 ? p->bytes : 0;
  t->optimizer += strcmp(p->what, "optimizer") == 0 && *p->layer ? p->bytes : 0;
  t->work += strcmp(p->what, "work") == 0 ? p->bytes : 0;
  ASSERT_TRUE(p->bytes > 0 && *p->what);
}

static tally walk(const scene *s, bool at_peak) {
  tally t = {.scene = s};
  snug_memory_walk(s->m, at_peak, count, &t);
  return t;
}

static bool look(void *user, int64_t batch, const snug_logs *logs) {
  tally *t = user;
  (void)batch;
  (void)logs;
  snug_memory_info before = info_of(t->scene);
  tally now = walk(t->scene, false);
  tally peak = walk(t->scene, true);
  snug_memory_info after = info_of(t->scene);
  ASSERT_EQ_UINT(before.allocations, after.allocations);
  ASSERT_EQ_UINT(now.sum, after.current);
  ASSERT_EQ_UINT(peak.sum, after.peak);
  ASSERT_EQ_UINT(now.activations + now.gradients, 0); /* between two steps */
  ASSERT_TRUE(now.work > 0 && peak.work < now.work);
  t->activations = peak.activations;
  t->gradients = peak.gradients;
  t->optimizer = now.optimizer;
  t->hidden = now.hidden;
  return true;
}

TEST(micro_batches_add_up_now_and_at_the_peak) {
  scene s;
  begin(&s);
  tally t = {.scene = &s};
  const snug_callback c = {.struct_size = sizeof c, .user = &t, .batch_end = look};
  s.o.callbacks = &c;
  s.o.n_callbacks = 1;
  s.o.batch_size = ROWS; /* the step is more than what planning it takes */
  s.o.micro_batch = 20;
  for (int micro_batches = 0; micro_batches < 2; micro_batches++, s.o.micro_batch = 0) {
    snug_memory_report r = SNUG_INIT(snug_memory_report);
    snug_memory_reset_peak(s.ctx);
    ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
    snug_history_memory(s.h, &r);
    snug_history_destroy(s.h);
    s.h = NULL;
    ASSERT_EQ_UINT(t.activations, r.activations);
    ASSERT_EQ_UINT(t.gradients, r.gradients);
    ASSERT_TRUE(t.optimizer >= 4 * 2 * (5 * 7 + 7 + 7 * 3 + 3));
    ASSERT_TRUE(t.hidden >= 3 * 4 * (5 * 7 + 7));
  }
  end(&s);
}

TEST(outside_of_a_fit_the_model_is_told) {
  scene s;
  begin(&s);
  tally t = walk(&s, false);
  ASSERT_EQ_UINT(t.sum, info_of(&s).current);
  ASSERT_EQ_UINT(walk(&s, true).sum, info_of(&s).peak);
  ASSERT_TRUE(t.hidden >= 4 * (5 * 7 + 7));
  end(&s);
}

/* ---- hooks ---- */

static bool stop_at_second(void *user, const snug_memory_sample *sample) {
  tally *t = user;
  ASSERT_TRUE(sample->current > 0);
  return ++t->samples < 2;
}

TEST(a_hook_sees_samples_and_may_stop) {
  scene s;
  begin(&s);
  tally t = {.scene = &s};
  const snug_callback c = {.struct_size = sizeof c, .user = &t, .memory_sample = stop_at_second};
  const snug_span batches[] = {{2, 2}};
  s.o.callbacks = &c;
  s.o.n_callbacks = 1;
  s.o.sampling = (snug_sampling){NULL, 0, batches, 1};
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  ASSERT_EQ_INT(snug_history_epochs(s.h), 1); /* stopped after batch 2 of the first epoch */
  ASSERT_EQ_INT(t.samples, 3);
  check_sample(&s, 2, 0, 2, "epoch_end");
  end(&s);
}

/* ---- preallocation ---- */

static snug_memory_report fit_with(uint64_t preallocated, snug_memory_info *info, float *kernel) {
  scene s = {.ctx = test_ctx()};
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  ASSERT_OK(s.ctx, snug_memory_preallocate(s.ctx, "cpu", preallocated));
  make_model(&s);
  s.o.batch_size = ROWS;
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  snug_history_memory(s.h, &r);
  *info = info_of(&s);
  ASSERT_OK(s.ctx, snug_model_weight_get(s.m, "hidden/kernel", kernel, 4 * 5 * 7));
  ASSERT_STATUS(s.ctx, snug_memory_preallocate(s.ctx, "cpu", 1), SNUG_E_STATE, "too late");
  ASSERT_EQ_UINT(info_of(&s).preallocated, info->preallocated);
  end(&s);
  return r;
}

TEST(a_fit_in_preallocated_memory_is_the_same) {
  float plain[35], ahead[35];
  snug_memory_info a = SNUG_INIT(snug_memory_info), b = SNUG_INIT(snug_memory_info);
  snug_memory_report r = fit_with(0, &a, plain);
  snug_memory_report p = fit_with(1 << 20, &b, ahead);
  ASSERT_EQ_BYTES(plain, ahead, sizeof plain);
  ASSERT_EQ_UINT(p.planned, p.measured);
  ASSERT_EQ_UINT(p.planned, r.planned);
  ASSERT_EQ_UINT(a.idle + r.idle, 0);
  ASSERT_EQ_UINT(b.preallocated, 1 << 20);
  ASSERT_TRUE(p.idle > 0 && p.idle + p.block + p.weights + p.optimizer <= 1 << 20);
  ASSERT_EQ_UINT(p.process, p.planned + p.idle + p.code + p.outside + p.tables + p.reserve);
  p = fit_with(64, &b, ahead); /* nothing fits into it */
  ASSERT_EQ_BYTES(plain, ahead, sizeof plain);
  ASSERT_EQ_UINT(p.idle, 64);
}

TEST(a_limit_and_preallocated_memory) {
  scene s = {.ctx = test_ctx()};
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_plan *plan = NULL;
  ASSERT_OK(s.ctx, snug_memory_preallocate(s.ctx, "cpu", 1 << 20));
  make_model(&s);
  s.o.batch_size = ROWS;
  ASSERT_OK(s.ctx, snug_plan_fit(s.m, &s.t.data, &s.o, &plan));
  snug_plan_memory(plan, &r);
  snug_plan_destroy(plan);
  ASSERT_STATUS(s.ctx, snug_memory_set_limit(s.ctx, r.planned), SNUG_E_LIMIT, "too late");
  ASSERT_OK(s.ctx, snug_memory_set_limit(s.ctx, r.planned + (1 << 20)));
  ASSERT_OK(s.ctx, snug_fit(s.m, &s.t.data, &s.o, &s.h));
  end(&s);
}
