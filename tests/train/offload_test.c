/* Values that wait in a file: the same bits, a lower block, no memory in a step, and what happens
 * when the disk does not do its part. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/fault.h"
#include "lib/mallocs.h"
#include "lib/syscalls.h"
#include "model/model.h"
#include "pass/passes.h"
#include "train/fit.h"
#include "train/nets.h"
#include "train/worn.h"

static const snug__offload all = {.least = 1, .reach = 2};
static const snug__offload large = {.least = 20000, .reach = 1};
static const snug__offload at_once_large = {.least = 20000};
static const snug__offload next = {.least = 1, .reach = 1};
static const snug__offload early = {.least = 1000, .reach = 9};

static snug_fit_options fit_options(const net *n) {
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  o.batch_size = n->batch;
  o.epochs = 2;
  o.validation_split = 0.3;
  return o;
}

/* ---- the same bits ---- */

typedef struct outcome {
  unsigned char *weights;
  size_t bytes;
  double loss;
  int64_t block, file;
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

typedef struct way {
  const snug__offload *offload;
  bool no_recompute, poison;
  const snug__plan_options *plan;
} way;

static outcome fit_so(const net *n, const way *w) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, n, "adam");
  snug_fit_options o = fit_options(n);
  snug__pass_options pass = {.no_recompute = w->no_recompute, .offload = w->offload};
  outcome out = {0};
  snug__fit f;
  toy t;
  net_data(n, &t);
  m->pass = &pass;
  m->plan = w->plan;
  ASSERT_OK(ctx, snug__fit_open(&f, m, &t.data, &o));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  if (w->poison) {
    set_poison(&f);
  }
  ASSERT_OK(ctx, snug__fit_run(&f));
  snug_logs logs = snug_history_logs(f.history, 1);
  out.loss = snug_logs_get(&logs, "val_loss");
  out.block = f.session.block_bytes;
  out.file = f.session.file_bytes;
  snug__fit_close(&f, SNUG_OK, NULL);
  collect_weights(ctx, m, &out);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
  return out;
}

static void expect_same(const net *n, const outcome *a, const way *w) {
  outcome b = fit_so(n, w);
  ASSERT_TRUE(b.file > 0);
  if (a->bytes != b.bytes || memcmp(a->weights, b.weights, a->bytes) != 0 || a->loss != b.loss) {
    test_fail(__FILE__, __LINE__, "%s: other bits with values of %lld bytes on disk, reach %d",
              n->name, (long long)w->offload->least, w->offload->reach);
  }
  free(b.weights);
}

static const snug__plan_options creation = {SNUG__ORDER_CREATION, false, false};
static const snug__plan_options reversed = {SNUG__ORDER_REVERSED, true, false};

static void check_bits(const net *n, const way *ways, size_t n_ways) {
  outcome a = fit_so(n, &(way){0});
  ASSERT_EQ_INT(a.file, 0);
  for (size_t i = 0; i < n_ways; i++) {
    expect_same(n, &a, &ways[i]);
  }
  free(a.weights);
}

TEST(small_nets_have_the_same_bits) {
  static const way ways[] = {{&next, true, true, NULL},
                             {&next, false, true, NULL},
                             {&next, true, false, &creation},
                             {&next, true, true, &reversed}};
  check_bits(&nets[0], ways, 1); /* what a Dense layer recomputes leaves nothing to wait */
  check_bits(&nets[1], ways, SNUG_COUNT(ways));
}

TEST(deep_nets_have_the_same_bits) {
  static const way ways[] = {{&all, false, true, NULL}, {&early, true, true, &reversed}};
  check_bits(&nets[2], ways, 1);
  check_bits(&nets[3], ways, 2);
}

TEST(the_block_is_lower) {
  outcome kept = fit_so(&nets[2], &(way){.no_recompute = true});
  outcome waited = fit_so(&nets[2], &(way){&large, true, false, NULL});
  outcome at_once = fit_so(&nets[2], &(way){&at_once_large, true, true, NULL});
  ASSERT_TRUE(waited.block * 10 < kept.block * 7);
  ASSERT_TRUE(at_once.block * 10 < kept.block * 7);
  ASSERT_EQ_BYTES(at_once.weights, kept.weights, kept.bytes);
  free(at_once.weights);
  free(kept.weights);
  free(waited.weights);
}

/* ---- memory ---- */

TEST(planned_is_measured_to_the_byte) {
  for (size_t i = 1; i < 3; i++) {
    snug_ctx *ctx = test_ctx();
    snug_model *m = net_model(ctx, &nets[i], "adam");
    snug_fit_options o = fit_options(&nets[i]);
    snug__pass_options pass = {.offload = &all};
    snug_memory_report r = SNUG_INIT(snug_memory_report);
    snug_memory_info info = SNUG_INIT(snug_memory_info);
    snug_history *h = NULL;
    toy t;
    net_data(&nets[i], &t);
    m->pass = &pass;
    snug_memory_reset_peak(ctx);
    ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
    snug_memory_get(ctx, &info);
    snug_history_memory(h, &r);
    ASSERT_EQ_UINT(r.planned, info.peak);
    ASSERT_EQ_UINT(r.measured, info.peak);
    snug_history_destroy(h);
    snug_model_destroy(m);
    test_ctx_end(ctx);
    toy_free(&t);
  }
}

static void run_steps(snug__fit *f, int64_t n) {
  const snug__run *run = &f->session.runs[SNUG__SLOT_MAIN];
  for (int64_t i = 0; i < n; i++) {
    snug__feed_fill(&f->train, 0, 0, run);
    ASSERT_OK(f->model->ctx, snug__program_run(run->program));
  }
}

static bool watch_steps(void *arg) {
  const bool *calls = arg;
  snug_ctx *ctx = test_ctx_with(&(snug_options){.struct_size = sizeof(snug_options), .threads = 2});
  snug_model *m = net_model(ctx, &nets[1], "adam");
  snug_fit_options o = fit_options(&nets[1]);
  snug__pass_options pass = {.offload = &all, .no_recompute = true};
  snug__fit f;
  toy t;
  net_data(&nets[1], &t);
  m->pass = &pass;
  ASSERT_OK(ctx, snug__fit_open(&f, m, &t.data, &o));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  run_steps(&f, 1);
  if (*calls) {
    test_syscalls_start();
    run_steps(&f, 20);
    test_syscalls_stop();
  } else {
    test_mallocs_start();
    run_steps(&f, 20);
    test_mallocs counted = test_mallocs_stop();
    ASSERT_EQ_INT(counted.held, 0);
    ASSERT_TRUE(counted.most < 1024);
  }
  snug__fit_close(&f, SNUG_OK, NULL);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
  return true;
}

TEST(steps_take_no_memory) {
  test_syscalls counts;
  if (!test_mallocs_work()) {
    test_skip("sanitizers bring an allocator of their own");
  }
  if (!test_syscalls_run(watch_steps, &(bool){true}, &counts)) {
    test_skip("this system has no filter for system calls");
  }
  ASSERT_EQ_INT(test_syscalls_sum(&counts), 0);
  ASSERT_TRUE(watch_steps(&(bool){false}));
}

/* ---- the disk fails ---- */

TEST(a_full_disk_is_told_before_step_1) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[1], "adam");
  snug_fit_options o = fit_options(&nets[1]);
  snug__pass_options pass = {.offload = &all, .no_recompute = true};
  struct rlimit before;
  outcome a = {0}, b = {0};
  toy t;
  net_data(&nets[1], &t);
  m->pass = &pass;
  collect_weights(ctx, m, &a);
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, before.rlim_max}), 0);
  ASSERT_STATUS(ctx, snug_fit(m, &t.data, &o, NULL), SNUG_E_IO, "has no room for a file of");
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  o.disk_folder = "/nowhere/at/all";
  ASSERT_STATUS(ctx, snug_fit(m, &t.data, &o, NULL), SNUG_E_IO, "/nowhere/at/all: no file");
  collect_weights(ctx, m, &b);
  ASSERT_EQ_BYTES(a.weights, b.weights, a.bytes);
  o.disk_folder = NULL;
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, NULL));
  free(a.weights);
  free(b.weights);
  snug_model_destroy(m);
  toy_free(&t);
}

/* The same fit on a disk whose call number n and all later ones fail; true if none did. */
static bool fit_on_worn_disk(int n) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = net_model(ctx, &nets[1], "sgd");
  snug_fit_options o = fit_options(&nets[1]);
  snug__pass_options pass = {.offload = &all, .no_recompute = true};
  snug__fit f;
  toy t;
  net_data(&nets[1], &t);
  m->pass = &pass;
  o.epochs = 1;
  o.steps_per_epoch = 2;
  ASSERT_OK(ctx, snug__fit_open(&f, m, &t.data, &o));
  ASSERT_OK(ctx, snug__session_commit(&f.session));
  snug__store_close(f.session.store);
  worn_after(n);
  ASSERT_OK(ctx,
            snug__store_open(ctx, &(snug__store_options){NULL, f.session.file_bytes, &worn_disk},
                             &f.session.store));
  for (int i = 0; i < SNUG__SLOT_COUNT; i++) {
    snug__program *p = f.session.runs[i].program;
    if (p) {
      p->store = f.session.store;
      ASSERT_OK(ctx, snug__program_bind(p, &(snug__bound){.block = f.session.block.at},
                                        snug__training_locate, m));
    }
  }
  snug_status s = snug__fit_run(&f);
  if (s) {
    ASSERT_EQ_INT(s, SNUG_E_IO);
    ASSERT_HAS(snug_message(ctx), strerror(EIO));
  }
  snug__fit_close(&f, s, NULL);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
  return s == SNUG_OK;
}

TEST(a_failing_disk_ends_the_fit) {
  int n = 0;
  while (!fit_on_worn_disk(n)) {
    n++;
  }
  ASSERT_TRUE(n > 10);
}

/* ---- memory fails ---- */

static snug_status fit_once(snug_ctx *ctx, void *arg) {
  toy *t = arg;
  static const snug__pass_options pass = {.offload = &all, .no_recompute = true};
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_model *m = NULL;
  snug_status s = snug_model_create(ctx, NULL, &m);
  if (!s) {
    m->pass = &pass;
    s = nets[0].build(m);
    s = s ? s : compile_with(m, "sgd", "sparse_categorical_crossentropy");
    o.batch_size = 23;
    s = s ? s : snug_fit(m, &t->data, &o, NULL);
  }
  snug_model_destroy(m);
  return s;
}

TEST(every_request_for_memory_may_fail) {
  toy t;
  net_data(&nets[0], &t);
  test_fault_sweep_stride(fit_once, &t, 7);
  toy_free(&t);
}
