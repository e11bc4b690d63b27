/* A save that is killed, or finds the disk full, leaves the old file or the new one, whole. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keras_state/support.h"

#define KILLS 200

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* A model of half a megabyte, with weights of its seed. */
static snug_model *make_model(snug_ctx *ctx, uint64_t seed) {
  snug_model *m = NULL;
  snug_model_options o = SNUG_INIT(snug_model_options);
  o.seed = seed;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  snug_model_input(m, "x", SNUG_FLOAT32, (const int64_t[]){500}, 1);
  snug_model_add(m, "Dense", "units=200 bias_initializer=ones");
  snug_model_add(m, "Dense", "units=100");
  ASSERT_OK(ctx, snug__model_commit_weights(m));
  return m;
}

/* Save the two models in turn for ever. */
_Noreturn static void save_for_ever(snug_model *const models[2], const char *path) {
  for (int i = 0;; i = !i) {
    if (snug_model_save(models[i], path)) {
      _exit(1);
    }
  }
}

/* Let a child save, kill it after a while, see what is there. */
static void kill_once(snug_model *const models[2], const char *path, double after_ms) {
  snug_ctx *ctx = models[0]->ctx;
  snug_model *found = NULL;
  int status = 0;
  pid_t child = fork();
  ASSERT_TRUE(child >= 0);
  if (child == 0) {
    save_for_ever(models, path);
  }
  const struct timespec t = {0, (long)(1e6 * after_ms)};
  nanosleep(&t, NULL);
  kill(child, SIGKILL);
  ASSERT_EQ_INT(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ASSERT_OK(ctx, snug_model_load(ctx, path, NULL, &found));
  ASSERT_TRUE(state_is_same(models[0], found) || state_is_same(models[1], found));
  snug_model_destroy(found);
}

TEST(killed_at_any_moment) {
  const snug_options one_thread = {.struct_size = sizeof one_thread,
                                   .threads = 1}; /* a child has no other threads than the caller */
  snug_ctx *ctx = test_ctx_with(&one_thread);
  snug_model *models[2] = {NULL, NULL};
  const char *path = test_path("model.keras");
  for (uint64_t i = 0; i < 2; i++) {
    models[i] = make_model(ctx, i);
  }
  double start = now_ms();
  ASSERT_OK(ctx, snug_model_save(models[1], path));
  ASSERT_OK(ctx, snug_model_save(models[0], path));
  double two_saves = now_ms() - start;
  for (int i = 0; i < KILLS; i++) {
    kill_once(models, path, (two_saves < 20.0 ? two_saves : 20.0) * test_random_unit());
  }
  ASSERT_OK(ctx, snug_model_save(models[0], path)); /* removes what the last one left */
  ASSERT_EQ_INT(state_count_files(path), 1);
  snug_model_destroy(models[0]);
  snug_model_destroy(models[1]);
}

/* ---- a full disk ---- */

/* Save with room for so many bytes of any file; the status, or 99 if the old file was touched. */
static int save_within(snug_model *m, const char *path, rlim_t bytes) {
  int status = 0;
  pid_t child = fork();
  ASSERT_TRUE(child >= 0);
  if (child == 0) {
    const struct rlimit limit = {bytes, bytes};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(-snug_model_save(m, path));
  }
  ASSERT_EQ_INT(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  return -WEXITSTATUS(status);
}

static void full_disk(const char *path) {
  const snug_options one_thread = {.struct_size = sizeof one_thread, .threads = 1};
  snug_ctx *ctx = test_ctx_with(&one_thread);
  snug_model *models[2] = {NULL, NULL};
  struct stat old;
  for (uint64_t i = 0; i < 2; i++) {
    models[i] = make_model(ctx, i);
  }
  ASSERT_OK(ctx, snug_model_save(models[0], path));
  ASSERT_EQ_INT(stat(path, &old), 0);
  for (rlim_t bytes = 0; bytes < (rlim_t)old.st_size; bytes += (rlim_t)old.st_size / 23) {
    ASSERT_EQ_INT(save_within(models[1], path, bytes), SNUG_E_IO);
    ASSERT_EQ_INT(state_count_files(path), 1);
  }
  ASSERT_EQ_INT(save_within(models[1], path, (rlim_t)old.st_size - 1), SNUG_E_IO);
  snug_model *found = make_model(ctx, 9);
  ASSERT_OK(ctx, snug_model_load_weights(found, path));
  ASSERT_TRUE(state_is_same(models[0], found));
  ASSERT_EQ_INT(save_within(models[1], path, (rlim_t)old.st_size + 4096), SNUG_OK);
  ASSERT_OK(ctx, snug_model_load_weights(found, path));
  ASSERT_TRUE(state_is_same(models[1], found));
  snug_model_destroy(found);
  snug_model_destroy(models[0]);
  snug_model_destroy(models[1]);
}

TEST(full_disk_for_a_model) { full_disk(test_path("model.keras")); }
TEST(full_disk_for_weights) { full_disk(test_path("model.weights.h5")); }
