/* Fits under all kinds of environments, each in a process of its own: libraries read theirs when
 * they are loaded.  What a child runs are tests that know the right result. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ctx.h"
#include "base/thread.h"
#include "train/nets.h"

extern char **environ;

#define SECONDS 120

/* ---- what a child runs ---- */

static double loss_with(int32_t threads) {
  snug_ctx *ctx =
      test_ctx_with(&(snug_options){.struct_size = sizeof(snug_options), .threads = threads});
  snug_model *m = net_model(ctx, &nets[1], "sgd");
  snug_fit_options o = SNUG_INIT(snug_fit_options);
  snug_history *h = NULL;
  toy t;
  net_data(&nets[1], &t);
  o.batch_size = nets[1].batch;
  ASSERT_OK(ctx, snug_fit(m, &t.data, &o, &h));
  snug_logs logs = snug_history_logs(h, 0);
  double loss = snug_logs_get(&logs, "loss");
  snug_history_destroy(h);
  snug_model_destroy(m);
  test_ctx_end(ctx);
  toy_free(&t);
  return loss;
}

/* None at all (as many as there are cores), and more than any machine has. */
TEST(any_number_of_threads) {
  static const int32_t threads[] = {0, 1, 2, 3, 7, 40};
  double first = loss_with(1);
  for (size_t i = 0; i < SNUG_COUNT(threads); i++) {
    ASSERT_NEAR(loss_with(threads[i]), first, 1e-5 * first);
  }
}

/* ---- children ---- */

static pid_t start(const char *test, const char *setting) {
  char program[] = "train";
  char *argv[] = {program, (char *)(uintptr_t)test, NULL};
  char *env[512] = {(char *)(uintptr_t)setting}; /* the first of a name counts */
  size_t n = 1;
  pid_t pid = 0;
  for (char **e = environ; *e && n < SNUG_COUNT(env) - 1; e++) {
    env[n++] = *e;
  }
  env[n] = NULL;
  fflush(NULL);
  ASSERT_EQ_INT(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, env), 0);
  return pid;
}

/* A hang is a failure too, and must not outlive the test. */
static int finish(pid_t pid) {
  int status = 0;
  for (int i = 0; i < SECONDS * 20; i++) {
    if (waitpid(pid, &status, WNOHANG) == pid) {
      return status;
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return -1;
}

static void check(const char *setting) {
  static const char *const tests[] = {"golden.networks", "environment.any_number_of_threads"};
  for (size_t i = 0; i < SNUG_COUNT(tests); i++) {
    int status = finish(start(tests[i], setting));
    if (status) {
      test_fail(__FILE__, __LINE__, "with %s: %s %s", setting, tests[i],
                status == -1 ? "does not end" : "fails");
    }
  }
}

TEST(instruction_sets) {
  static const char *const settings[] = {"SNUG_ISA=base", "SNUG_ISA=avx2", "SNUG_ISA=avx512",
                                         "SNUG_ISA=", "SNUG_ISA=sse9"};
  for (size_t i = 0; i < SNUG_COUNT(settings); i++) {
    check(settings[i]);
  }
}

TEST(thread_limits) {
  static const char *const settings[] = {"OMP_THREAD_LIMIT=1", "OMP_THREAD_LIMIT=3",
                                         "OMP_MAX_ACTIVE_LEVELS=0"};
  for (size_t i = 0; i < SNUG_COUNT(settings); i++) {
    check(settings[i]);
  }
}

TEST(numbers_of_threads) {
  static const char *const settings[] = {"OMP_NUM_THREADS=-5", "OMP_NUM_THREADS=many",
                                         "OMP_NUM_THREADS=100", "OMP_DYNAMIC=true"};
  for (size_t i = 0; i < SNUG_COUNT(settings); i++) {
    check(settings[i]);
  }
}

TEST(a_context_has_no_more_threads_than_openmp) {
  ASSERT_EQ_INT(snug__usable_threads(0), 1);
  ASSERT_EQ_INT(snug__usable_threads(1), 1);
  snug_ctx *ctx = test_ctx_with(
      &(snug_options){.struct_size = sizeof(snug_options), .threads = SNUG__MAX_THREADS});
  ASSERT_EQ_INT(ctx->threads, snug__usable_threads(SNUG__MAX_THREADS));
}
