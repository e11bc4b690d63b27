/* Kernels as a lever: what a bound on scratch chooses, that nodes remember it, and that a list of
 * kernels fixes the same ones again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "device/cpu/cpu.h"
#include "exec/program.h"
#include "graph/op.h"
#include "lib/fault.h"
#include "lib/mallocs.h"
#include "pass/kernel_list.h"
#include "train/data.h"
#include "train/lower.h"

enum { SIZE = 12, CHANNELS = 32, BATCH = 4, CLASSES = 3 };
static const int64_t shape[] = {SIZE, SIZE, CHANNELS};

static snug_model *new_model(snug_ctx *ctx) {
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "image", SNUG_FLOAT32, shape, 3);
  snug_model_add(m, "Conv2D", "filters=32 kernel_size=3 padding=same activation=relu name=first");
  snug_model_add(m, "Conv2D", "filters=48 kernel_size=3 padding=same activation=relu name=second");
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=3 activation=softmax");
  ASSERT_OK(ctx, compile_with(m, "sgd", "sparse_categorical_crossentropy"));
  return m;
}

static snug_status lower(snug_model *m, const snug__pass_options *options, snug__graph **g) {
  snug__step step;
  m->pass = options;
  snug_status s = snug__step_build(m, SNUG__STEP_TRAIN, BATCH, false, g, &step);
  s = s ? s : snug__step_lower(m, NULL, g, &step);
  m->pass = NULL;
  return s;
}

static snug__program *make_program(snug_ctx *ctx, snug_model *m, int64_t most_scratch) {
  const snug__pass_options options = {.kernels = {.most_scratch = most_scratch}};
  snug__graph *g = NULL;
  snug__program *p = NULL;
  ASSERT_OK(ctx, lower(m, &options, &g));
  ASSERT_OK(ctx, snug__program_create(g, &snug__cpu, NULL, &p));
  return p;
}

/* Items whose kernel begins so, and the most scratch that an item of any has. */
static size_t count_kernels(const snug__program *p, const char *begin, int64_t *most) {
  size_t n = 0;
  *most = 0;
  for (size_t i = 0; i < p->n_items; i++) {
    snug__id b = p->plan->scratch_of[p->items[i].node];
    int64_t bytes = b == SNUG_NONE ? 0 : p->plan->buffers[b].bytes;
    n += strncmp(p->items[i].kernel->name, begin, strlen(begin)) == 0;
    *most = bytes > *most ? bytes : *most;
  }
  return n;
}

/* Beside Winograd's kernels stand those of oneDNN. */
static void need_choice(const snug_ctx *ctx) {
  if (ctx->isa < SNUG__ISA_AVX512 || !SNUG_HAS_ONEDNN) {
    test_skip("there is nothing to choose from");
  }
}

TEST(a_bound_on_scratch_takes_other_kernels) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  int64_t free_scratch = 0, bound_scratch = 0, same = 0;
  need_choice(ctx);
  snug__program *chosen_freely = make_program(ctx, m, 0);
  ASSERT_TRUE(count_kernels(chosen_freely, "wino_", &free_scratch) >= 4);
  snug__program *enough = make_program(ctx, m, free_scratch);
  ASSERT_EQ_UINT(count_kernels(enough, "wino_", &same),
                 count_kernels(chosen_freely, "wino_", &same));
  snug__program *bound = make_program(ctx, m, 1);
  ASSERT_EQ_UINT(count_kernels(bound, "wino_", &bound_scratch), 0);
  ASSERT_TRUE(bound_scratch < free_scratch);
  snug__program_destroy(chosen_freely);
  snug__program_destroy(enough);
  snug__program_destroy(bound);
  snug_model_destroy(m);
}

/* What a kernel tells of its scratch is what it takes when it is prepared. */
TEST(scratch_is_told_as_it_is) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  for (int64_t bound = 0; bound < 2; bound++) {
    snug__program *p = make_program(ctx, m, bound);
    size_t told = 0;
    for (size_t i = 0; i < p->n_items; i++) {
      const snug__item *item = &p->items[i];
      if (item->kernel->scratch) {
        snug__needs needs = {0};
        void *state = NULL;
        ASSERT_OK(ctx, item->kernel->prepare(ctx, &item->sig, &needs, &state));
        ASSERT_EQ_INT(item->kernel->scratch(&item->sig), needs.scratch_bytes);
        if (item->kernel->release) {
          item->kernel->release(ctx, state);
        }
        told++;
      }
    }
    ASSERT_TRUE(told >= 5);
    snug__program_destroy(p);
  }
  snug_model_destroy(m);
}

static void print_graph(const snug__graph *g, snug__text *out) {
  snug__text_init(out, g->ctx, 1 << 24);
  ASSERT_OK(g->ctx, snug__graph_print(g, out));
}

/* A node's kernel is part of its text, and is read back. */
TEST(the_text_of_a_graph_has_the_kernels) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  const snug__pass_options options = {.kernels = {.most_scratch = 1}};
  snug__graph *g = NULL, *back = NULL;
  snug__text a, b;
  need_choice(ctx);
  ASSERT_OK(ctx, lower(m, &options, &g));
  print_graph(g, &a);
  ASSERT_HAS(snug__text_get(&a), " kernel=1 @");
  ASSERT_OK(ctx, snug__graph_read(ctx, snug__text_get(&a), &back));
  print_graph(back, &b);
  ASSERT_EQ_TEXT(snug__text_get(&a), snug__text_get(&b));
  snug__node_at(back, 0)->kernel = SNUG__MAX_KERNELS;
  ASSERT_STATUS(ctx, snug__graph_verify(back), SNUG_E_INTERNAL, "does not exist");
  char *kernel = strstr(a.chars.data, " kernel=1 @");
  memcpy(kernel, " kernel=99@", 11);
  snug__graph_destroy(back);
  ASSERT_STATUS(ctx, snug__graph_read(ctx, snug__text_get(&a), &back), SNUG_E_FORMAT, "kernel");
  snug__text_release(&a);
  snug__text_release(&b);
  snug__graph_destroy(g);
  snug_model_destroy(m);
}

/* ---- lists ---- */

/* The list of the step under a bound; the caller's to release. */
static void list_of(snug_ctx *ctx, snug_model *m, int64_t most_scratch, snug__text *list) {
  const snug__pass_options options = {.kernels = {.most_scratch = most_scratch}};
  snug__graph *g = NULL;
  ASSERT_OK(ctx, lower(m, &options, &g));
  snug__text_init(list, ctx, 1 << 20);
  ASSERT_OK(ctx, snug__kernel_list_print(g, &snug__cpu, list));
  snug__graph_destroy(g);
}

TEST(a_list_fixes_the_same_kernels) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  for (int64_t bound = 0; bound < 2; bound++) {
    const snug__pass_options free_choice = {.kernels = {.most_scratch = bound}};
    snug__kernel_list list;
    const snug__pass_options fixed = {.kernels = {.fixed = &list}};
    snug__text text, a, b;
    snug__graph *g = NULL;
    list_of(ctx, m, bound, &text);
    ASSERT_OK(ctx, snug__kernel_list_read(&list, ctx, &snug__cpu, snug__text_get(&text)));
    ASSERT_OK(ctx, lower(m, &free_choice, &g));
    print_graph(g, &a);
    snug__graph_destroy(g);
    ASSERT_OK(ctx, lower(m, &fixed, &g));
    print_graph(g, &b);
    snug__graph_destroy(g);
    ASSERT_EQ_TEXT(snug__text_get(&a), snug__text_get(&b));
    ASSERT_OK(ctx, snug__kernel_list_check(&list));
    snug__kernel_list_release(&list);
    snug__text_release(&text);
    snug__text_release(&a);
    snug__text_release(&b);
  }
  snug_model_destroy(m);
}

static void refuse(snug_ctx *ctx, const char *lines, snug_status code, const char *said) {
  snug__kernel_list list;
  char text[1024];
  snprintf(text, sizeof text, "snug-kernels 1\nisa %s threads %d\n%s", snug__isa_text(ctx->isa),
           ctx->threads, lines);
  ASSERT_STATUS(ctx, snug__kernel_list_read(&list, ctx, &snug__cpu, text), code, said);
}

TEST(lists_that_cannot_be_are_refused) {
  snug_ctx *ctx = test_ctx();
  snug__kernel_list list;
  refuse(ctx, "\"a\" conv2d dnn_conv2d\n", SNUG_E_FORMAT, "line");
  refuse(ctx, "\"a\" conv3d dnn_conv2d\nend\n", SNUG_E_FORMAT, "there is no op 'conv3d'");
  refuse(ctx, "\"a\" conv2d magic\nend\n", SNUG_E_UNSUPPORTED,
         "line 3: conv2d has no kernel 'magic' on this machine");
  refuse(ctx, "\"a\" conv2d\nend\n", SNUG_E_FORMAT, "the name of a kernel");
  refuse(ctx, "a conv2d dnn_conv2d\nend\n", SNUG_E_FORMAT, "line 3");
  refuse(ctx, "end\nmore\n", SNUG_E_FORMAT, "after the end");
  ASSERT_STATUS(ctx, snug__kernel_list_read(&list, ctx, &snug__cpu, ""), SNUG_E_FORMAT, "kernels");
  ASSERT_STATUS(
      ctx,
      snug__kernel_list_read(&list, ctx, &snug__cpu, "snug-kernels 1\nisa abacus threads 7\nend\n"),
      SNUG_E_UNSUPPORTED, "made for abacus and 7 threads");
}

/* What a list names must be there, and be of use. */
TEST(lines_without_a_say_are_told) {
  static const struct {
    const char *line, *said;
  } cases[] = {
      {"\"third\" conv2d_epilogue dnn_conv2d_epilogue\n", "no conv2d_epilogue in a layer 'third'"},
      {"\"first\" max_pool2d reference\n", "no max_pool2d in a layer 'first'"},
      {"\"dense\" matmul dnn_matmul\n", "dnn_matmul cannot run the matmul of 'dense'"}};
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    snug__kernel_list list;
    const snug__pass_options fixed = {.kernels = {.fixed = &list}};
    snug__graph *g = NULL;
    char text[256];
    snprintf(text, sizeof text, "snug-kernels 1\nisa %s threads %d\n%send\n",
             snug__isa_text(ctx->isa), ctx->threads, cases[i].line);
    ASSERT_OK(ctx, snug__kernel_list_read(&list, ctx, &snug__cpu, text));
    ASSERT_OK(ctx, lower(m, &fixed, &g));
    ASSERT_STATUS(ctx, snug__kernel_list_check(&list), SNUG_E_ARGUMENT, cases[i].said);
    snug__graph_destroy(g);
    snug__kernel_list_release(&list);
  }
  snug_model_destroy(m);
}

static snug_status read_list(snug_ctx *ctx, void *arg) {
  snug__kernel_list list;
  SNUG_TRY(snug__kernel_list_read(&list, ctx, &snug__cpu, arg));
  snug__kernel_list_release(&list);
  return SNUG_OK;
}

TEST(every_allocation_may_fail) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  snug__text text;
  char copy[4096];
  list_of(ctx, m, 0, &text);
  snprintf(copy, sizeof copy, "%s", snug__text_get(&text));
  snug__text_release(&text);
  snug_model_destroy(m);
  test_fault_sweep(read_list, copy);
}

/* ---- fits ---- */

typedef struct result {
  float kernel[3 * 3 * CHANNELS * 32];
  uint64_t scratch;
} result;

/* Train a little with these kernels; list (may be NULL) receives those of the plan. */
static snug_status train(snug_ctx *ctx, const char *kernels, char *list, size_t bytes,
                         result *out) {
  snug_model *m = new_model(ctx);
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_memory_report r = SNUG_INIT(snug_memory_report);
  snug_plan *plan = NULL;
  toy t;
  toy_make(&t, 2 * BATCH + 1, shape, 3, CLASSES);
  o.batch_size = BATCH;
  o.kernels = kernels;
  snug_status s = snug_plan_fit(m, &t.data, &o, &plan);
  if (!s) {
    snug_plan_memory(plan, &r);
    out->scratch = r.scratch;
    if (list) {
      snprintf(list, bytes, "%s", snug_plan_kernels(plan));
    }
    ASSERT_EQ_TEXT(snug_plan_note(plan), "");
    s = snug_fit(m, &t.data, &o, NULL);
  }
  ASSERT_OK(ctx, snug_model_weight_get(m, "first/kernel", out->kernel, sizeof out->kernel));
  snug_plan_destroy(plan);
  snug_model_destroy(m);
  toy_free(&t);
  return s;
}

/* In every line "wino" becomes "dnn". */
static void make_direct(const char *list, char *out) {
  while (*list) {
    if (strncmp(list, "wino_", 5) == 0) {
      memcpy(out, "dnn_", 4);
      list += 5;
      out += 4;
    } else {
      *out++ = *list++;
    }
  }
  *out = 0;
}

TEST(a_fit_runs_the_kernels_it_is_given) {
  static result preferred, again, direct, direct_again;
  char list[4096], direct_list[4096], told[4096];
  snug_ctx *ctx = test_ctx();
  need_choice(ctx);
  ASSERT_OK(ctx, train(ctx, NULL, list, sizeof list, &preferred));
  ASSERT_HAS(list, "\"first\" conv2d_epilogue wino_conv2d_epilogue\n");
  ASSERT_OK(ctx, train(ctx, list, told, sizeof told, &again));
  ASSERT_EQ_TEXT(told, list);
  ASSERT_EQ_BYTES(preferred.kernel, again.kernel, sizeof again.kernel);
  make_direct(list, direct_list);
  ASSERT_OK(ctx, train(ctx, direct_list, told, sizeof told, &direct));
  ASSERT_EQ_TEXT(told, direct_list);
  ASSERT_OK(ctx, train(ctx, told, NULL, 0, &direct_again));
  ASSERT_EQ_BYTES(direct.kernel, direct_again.kernel, sizeof direct.kernel);
  ASSERT_TRUE(memcmp(preferred.kernel, direct.kernel, sizeof direct.kernel) != 0);
  for (size_t i = 0; i < SNUG_COUNT(direct.kernel); i++) {
    ASSERT_NEAR(direct.kernel[i], preferred.kernel[i], 1e-4);
  }
}

/* So many that less scratch saves more than the search for it holds. */
#define LARGE_BATCH 64

/* The least point of a plan whose kernels are free, or fixed. */
static snug_plan_point least_point(snug_ctx *ctx, snug_model *m, const char *kernels, char *list,
                                   size_t bytes) {
  snug_fit_options options = SNUG_INIT(snug_fit_options);
  snug_plan *plan = NULL;
  snug_plan_point point = SNUG_INIT(snug_plan_point);
  options.batch_size = options.micro_batch = LARGE_BATCH;
  options.beside = true;
  options.kernels = kernels;
  ASSERT_OK(ctx, snug_plan_samples(m, LARGE_BATCH, &options, &plan));
  snug_plan_point_at(plan, snug_plan_points(plan) - 1, &point);
  snprintf(list, bytes, "%s", snug_plan_kernels(plan));
  snug_plan_destroy(plan);
  return point;
}

TEST(a_line_takes_kernels_with_less_scratch) {
  char list[4096], told[4096];
  snug_ctx *ctx = test_ctx();
  snug_model *m = new_model(ctx);
  need_choice(ctx);
  if (!test_mallocs_work()) {
    test_skip("a sanitizer's memory is not predicted");
  }
  least_point(ctx, m, NULL, list, sizeof list); /* times the kernels, which takes memory too */
  snug_plan_point lean = least_point(ctx, m, NULL, list, sizeof list);
  snug_plan_point fixed = least_point(ctx, m, list, told, sizeof told);
  ASSERT_EQ_TEXT(told, list);
  ASSERT_HAS(list, " wino_"); /* the fastest point has its way */
  ASSERT_TRUE(lean.direct > 0);
  ASSERT_TRUE(fixed.direct == 0);
  ASSERT_TRUE(lean.block < fixed.block);
  snug_model_destroy(m);
}

TEST(a_fit_refuses_a_list_before_step_1) {
  static result before, after;
  snug_ctx *ctx = test_ctx();
  char list[256];
  ASSERT_OK(ctx, train(ctx, NULL, NULL, 0, &before));
  snprintf(list, sizeof list,
           "snug-kernels 1\nisa %s threads %d\n\"nowhere\" conv2d dnn_conv2d\nend\n",
           snug__isa_text(ctx->isa), ctx->threads);
  ASSERT_STATUS(ctx, train(ctx, list, NULL, 0, &after), SNUG_E_ARGUMENT, "'nowhere'");
  ASSERT_STATUS(ctx, train(ctx, "no list\n", NULL, 0, &after), SNUG_E_FORMAT, "kernels: line 1");
}
