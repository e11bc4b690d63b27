/* The promises that rest on the plan: predicted is measured, a step allocates nothing, and less
 * memory changes no bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "lib/mallocs.h"
#include "lib/syscalls.h"
#include "model/model.h"
#include "train/fit.h"
#include "train/nets.h"

static snug_fit_options fit_options(const net *n) {
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = n->batch;
  o.epochs = 2;
  o.validation_split = 0.3;
  return o;
}

/* ---- predicted is measured ---- */

static void check_prediction(const net *n) {
  snug_memory_report planned = SNUG_INIT(snug_memory_report),
                     fitted = SNUG_INIT(snug_memory_report);
  snug_fit_options o = fit_options(n);
  toy t;
  net_data(n, &t);
  {
    snug_ctx *ctx = test_ctx();
    snug_model *m = net_model(ctx, n, "adam");
    snug_plan *plan = NULL;
    ASSERT_OK(ctx, snug_plan_fit(m, &t.data, &o, &plan));
    snug_plan_memory(plan, &planned);
    snug_plan_destroy(plan);
    snug_model_destroy(m);
    test_ctx_end(ctx);
  }
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, n, "adam");
  snug_history *h = NULL;
  snug_memory_info info = SNUG_INIT(snug_memory_info);
  snug_memory_reset_peak(ctx);
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
  snug_memory_get(ctx, &info);
  snug_history_memory(h, &fitted);
  printf("%s: planned %llu, measured %llu bytes; block %llu, load %llu\n", n->name,
         (unsigned long long)planned.planned, (unsigned long long)info.peak,
         (unsigned long long)fitted.block, (unsigned long long)fitted.load);
  ASSERT_EQ_UINT(planned.planned, info.peak);
  ASSERT_EQ_UINT(fitted.planned, info.peak);
  ASSERT_EQ_UINT(fitted.measured, info.peak);
  ASSERT_EQ_UINT(fitted.weights + fitted.gradients + fitted.optimizer + fitted.activations +
                     fitted.scratch + fitted.data + fitted.runtime,
                 fitted.planned);
  snug_history_destroy(h);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
}

TEST(planned_is_measured_to_the_byte) {
  for (size_t i = 0; i < n_nets; i++) {
    check_prediction(&nets[i]);
  }
}

/* ---- the plan changes no bit ---- */

typedef struct outcome {
  unsigned char *weights;
  size_t bytes;
  double loss;
} outcome;

static void collect_weights(snug_ctx *ctx, snug_model *m, outcome *out) {
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    ASSERT_OK(ctx, snug_model_weight_info(m, i, &w));
    out->weights = realloc(out->weights, out->bytes + w.bytes);
    ASSERT_NOT_NULL(out->weights);
    ASSERT_OK(ctx, snug_model_weight_get(m, w.name, out->weights + out->bytes, w.bytes));
    out->bytes += w.bytes;
  }
}

static void set_poison(snug__fit *f) {
  for (int i = 0; i < SNUG__SLOT_COUNT; i++) {
    if (f->session.runs[i].program) {
      f->session.runs[i].program->poison = true;
    }
  }
}

static void fit_with(const net *n, const snug__plan_options *plan, bool poison, outcome *out) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, n, "adam");
  snug_fit_options o = fit_options(n);
  snug__fit f;
  toy t;
  *out = (outcome){0};
  net_data(n, &t);
  m->plan = plan;
  ASSERT_OK(ctx, snug__fit_open(&f, m, &t.data, &o));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  if (poison) {
    set_poison(&f);
  }
  ASSERT_OK(ctx, snug__fit_run(&f));
  snug_logs logs = snug_history_logs(f.history, 1);
  out->loss = snug_logs_get(&logs, "val_loss");
  snug__fit_close(&f, SNUG_OK, NULL);
  collect_weights(ctx, m, out);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
}

static void expect_same_outcome(const net *n, const outcome *a, const snug__plan_options *plan,
                                bool poison, const char *what) {
  outcome b;
  fit_with(n, plan, poison, &b);
  if (a->bytes != b.bytes || memcmp(a->weights, b.weights, a->bytes) != 0 || a->loss != b.loss) {
    test_fail(__FILE__, __LINE__, "%s: other bits with %s", n->name, what);
  }
  free(b.weights);
}

TEST(plans_and_repeats_give_the_same_bits) {
  static const snug__plan_options creation = {SNUG__ORDER_CREATION, false, false};
  static const snug__plan_options reversed = {SNUG__ORDER_REVERSED, false, false};
  static const snug__plan_options not_in_place = {SNUG__ORDER_PEAK, true, false};
  static const snug__plan_options apart = {SNUG__ORDER_PEAK, false, true};
  for (size_t i = 0; i < n_nets; i++) {
    outcome a;
    fit_with(&nets[i], NULL, false, &a);
    expect_same_outcome(&nets[i], &a, NULL, false, "a second run");
    expect_same_outcome(&nets[i], &a, NULL, true, "dead values poisoned");
    expect_same_outcome(&nets[i], &a, &creation, false, "the order of creation");
    expect_same_outcome(&nets[i], &a, &reversed, true, "the reversed order, poisoned");
    expect_same_outcome(&nets[i], &a, &not_in_place, false, "in-place off");
    expect_same_outcome(&nets[i], &a, &apart, false, "another placement");
    free(a.weights);
  }
}

/* ---- the block: its highest byte is written, nothing beyond ---- */

static int64_t highest_written(const unsigned char *a, const unsigned char *b, int64_t bytes,
                               unsigned char fill_a, unsigned char fill_b) {
  while (bytes > 0 && a[bytes - 1] == fill_a && b[bytes - 1] == fill_b) {
    bytes--;
  }
  return bytes;
}

/* Run one step of the largest program over a block filled with a pattern; the block's content goes
 * to out. */
static void step_over(snug__fit *f, unsigned char fill, unsigned char *out) {
  snug__run *run = &f->session.runs[0];
  for (int i = 1; i < SNUG__SLOT_COUNT; i++) {
    if (f->session.runs[i].program &&
        snug__program_height(f->session.runs[i].program) > snug__program_height(run->program)) {
      run = &f->session.runs[i];
    }
  }
  memset(snug__place_pointer(f->session.block.at), fill, (size_t)f->session.block_bytes);
  snug__feed_fill(run->step.batch == f->train.batch ? &f->train : &f->validation, 0, 0, run);
  ASSERT_OK(f->model->ctx, snug__program_run(run->program));
  memcpy(out, snug__place_pointer(f->session.block.at), (size_t)f->session.block_bytes);
}

/* The end of the highest value in the block.  Scratch may lie higher: a library is told where it is
 * but not that it must fill it. */
static int64_t highest_value(const snug__fit *f) {
  const snug__plan *p = snug__session_largest(&f->session)->program->plan;
  int64_t end = 0;
  for (size_t i = 0; i < p->n_buffers; i++) {
    const snug__buffer *b = &p->buffers[i];
    end = b->value != SNUG_NONE && b->offset + b->bytes > end ? b->offset + b->bytes : end;
  }
  return end;
}

static void check_height(const net *n) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, n, "adam");
  snug_fit_options o = fit_options(n);
  snug__fit f;
  toy t;
  net_data(n, &t);
  ASSERT_OK(ctx, snug__fit_open(&f, m, &t.data, &o));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  size_t bytes = (size_t)f.session.block_bytes;
  unsigned char *a = malloc(bytes), *b = malloc(bytes);
  ASSERT_TRUE(a && b);
  step_over(&f, 0x5A, a);
  step_over(&f, 0xA5, b);
  ASSERT_TRUE(highest_written(a, b, (int64_t)bytes, 0x5A, 0xA5) >= highest_value(&f));
  free(a);
  free(b);
  snug__fit_close(&f, SNUG_OK, NULL);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
}

TEST(the_highest_byte_of_the_block_is_written) {
  for (size_t i = 0; i < n_nets; i++) {
    check_height(&nets[i]);
  }
}

/* ---- a step allocates nothing ---- */

/* Read without taking memory: a buffer of a file would be counted, or fill a page that a trim of
 * the heap left empty. */
static uint64_t anonymous_kib(void) {
  snug__process now;
  ASSERT_TRUE(snug__process_read("", &now));
  return now.anonymous / 1024;
}

enum { STEPS = 100 };

/* 100 training steps and as many of evaluation, after a first one of each; counts what f counts. */
static void run_steps(snug__fit *f, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    for (int slot = 0; slot < SNUG__SLOT_COUNT; slot++) {
      snug__run *run = &f->session.runs[slot];
      if (run->program) {
        bool main_data = slot == SNUG__SLOT_MAIN || slot == SNUG__SLOT_MAIN_REMAINDER;
        snug__feed *feed = main_data ? &f->train : &f->validation;
        bool rest = slot == SNUG__SLOT_MAIN_REMAINDER || slot == SNUG__SLOT_VALIDATION_REMAINDER;
        snug__feed_fill(feed, rest ? snug__feed_batches(feed) - 1 : 0, 0, run);
        ASSERT_OK(f->model->ctx, snug__training_set_rate(f->model));
        ASSERT_OK(f->model->ctx, snug__program_run(run->program));
      }
    }
  }
}

/* Snug itself takes nothing in a step (see below); a library must give back what it takes before it
 * returns, and may hold this little meanwhile: oneDNN lists the arguments of a call. */
#define LIBRARY_BYTES 1024

typedef struct watched {
  const net *n;
  bool calls; /* count system calls, not mallocs */
} watched;

static bool watch_steps(void *arg) {
  const watched *w = arg;
  snug_options options = SNUG_INIT(snug_options);
  options.threads = 2;
  snug_ctx *ctx = test_ctx_with(&options);
  snug_model *m = net_model(ctx, w->n, "adam");
  snug_fit_options o = fit_options(w->n);
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  snug__fit f;
  toy t;
  net_data(w->n, &t);
  ASSERT_OK(ctx, snug__fit_open(&f, m, &t.data, &o));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  run_steps(&f, 1);
  snug_memory_get(ctx, &before);
  uint64_t kib = 0;
  if (w->calls) {
    test_syscalls_start();
  } else {
    test_mallocs_start();
    kib = anonymous_kib(); /* now: counting has a page of its own */
  }
  run_steps(&f, STEPS);
  if (w->calls) {
    test_syscalls_stop();
  } else {
    test_mallocs counted = test_mallocs_stop();
    ASSERT_EQ_INT(counted.held, 0);
    ASSERT_TRUE(counted.most < LIBRARY_BYTES);
    ASSERT_EQ_UINT(anonymous_kib(), kib);
  }
  snug_memory_get(ctx, &after);
  ASSERT_EQ_UINT(after.allocations, before.allocations);
  snug__fit_close(&f, SNUG_OK, NULL);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
  return true;
}

TEST(steps_make_no_memory_system_calls) {
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's allocator asks the system for what a library takes and gives back");
  }
  for (size_t i = 0; i < n_nets; i++) {
    watched w = {&nets[i], true};
    test_syscalls counts;
    if (!test_syscalls_run(watch_steps, &w, &counts)) {
      test_skip("this system has no filter for system calls");
    }
    ASSERT_EQ_INT(test_syscalls_sum(&counts), 0);
  }
}

TEST(steps_allocate_nothing) {
  if (!test_mallocs_work()) {
    test_skip("sanitizers bring an allocator of their own");
  }
  for (size_t i = 0; i < n_nets; i++) {
    watched w = {&nets[i], false};
    ASSERT_TRUE(watch_steps(&w));
  }
}
