/* Memory on GPUs, by a library that stands in for NVIDIA's.  Where it lies is told by the
 * environment; the loader asks that before main, so the test starts itself again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch/machine.h"
#include "watch/watch.h"

/* Run this test with the stand-in; true in the process that has it. */
static bool with_library(const char *test) {
  const char *path = getenv("LD_LIBRARY_PATH");
  if (path && strcmp(path, SNUG_FAKE_NVML) == 0) {
    return true;
  }
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    setenv("LD_LIBRARY_PATH", SNUG_FAKE_NVML, 1);
    execl("/proc/self/exe", "watch", test, (char *)NULL);
    _exit(9);
  }
  ASSERT_EQ_INT(waitpid(child, &status, 0), child);
  ASSERT_EQ_INT(status, 0);
  return false;
}

static snug_watch_report report_of(const snug_watch *w) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  snug_watch_report_get(w, &r);
  return r;
}

/* A look at a driver that has answered. */
static void look_first(snug_watch *w) {
  snug__watch_look_at(w, 0.0);
  snug__gpu_settle(&w->gpu);
  snug__gpu_look(&w->gpu, &w->tree, 0.0, 0.0);
}

static void put(const char *text) {
  FILE *file = fopen(test_path("gpu"), "w");
  ASSERT_NOT_NULL(file);
  fputs(text, file);
  fclose(file);
  setenv("FAKE_GPU", test_path("gpu"), 1);
}

TEST(processes_of_the_tree_on_all_devices) {
  if (!with_library("gpu.processes_of_the_tree_on_all_devices")) {
    return;
  }
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  machine_put(101, 100, "b", 5, 5);
  machine_put(102, 1, "another", 5, 5);
  put("0 100 1000\n1 100 200\n0 101 30\n0 102 9999999\n1 101 18446744073709551615\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  look_first(w);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_INT(r.devices, 2);
  ASSERT_EQ_UINT(r.device, 1230); /* each once, and nothing for what is not told */
  ASSERT_EQ_TEXT(r.device_why, "");
  put("0 100 500\n");
  snug__watch_look_at(w, 0.1); /* too early to ask again */
  ASSERT_EQ_UINT(report_of(w).device, 1230);
  snug__watch_look_at(w, 5.0);
  r = report_of(w);
  ASSERT_EQ_UINT(r.device, 500);
  ASSERT_EQ_UINT(r.device_peak, 1230);
  ASSERT_TRUE(r.device_peak_at == 0.0);
  snug_watch_destroy(w);
}

TEST(numbers_of_another_namespace_are_said) {
  if (!with_library("gpu.numbers_of_another_namespace_are_said")) {
    return;
  }
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  put("0 31337 1000\n");
  snug_watch *w = machine_watch(test_ctx(), NULL);
  look_first(w);
  ASSERT_HAS(report_of(w).device_why, "ids that do not exist here");
  snug_watch_destroy(w);
}

TEST(more_processes_than_there_is_room_for) {
  if (!with_library("gpu.more_processes_than_there_is_room_for")) {
    return;
  }
  static char text[400 * 16];
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  for (int i = 0; i < 400; i++) {
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "0 %d 10\n", 100 + i);
  }
  put(text);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  look_first(w);
  ASSERT_EQ_UINT(report_of(w).device, 10);
  snug_watch_destroy(w);
}

static void check_why(const char *fake, bool is_asked, const char *why) {
  snug_watch_options o = SNUG_INIT(snug_watch_options);
  o.no_devices = !is_asked;
  setenv("FAKE_GPU", fake, 1);
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  snug_watch *w = machine_watch(test_ctx(), &o);
  look_first(w);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_INT(r.devices, 0);
  ASSERT_HAS(r.device_why, why);
  snug_watch_destroy(w);
}

TEST(what_is_not_told_has_a_reason) {
  if (!with_library("gpu.what_is_not_told_has_a_reason")) {
    return;
  }
  check_why("none", true, "does not answer (code 9)");
  check_why("empty", true, "no device");
  check_why("none", false, "not asked for");
}

TEST(a_driver_that_takes_its_time_holds_nothing_up) {
  if (!with_library("gpu.a_driver_that_takes_its_time_holds_nothing_up")) {
    return;
  }
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  put("0 100 1000\n");
  setenv("FAKE_GPU_WAITS", test_path("go"), 1);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  snug__watch_look_at(w, 0.0);
  snug__watch_look_at(w, 5.0);
  snug_watch_report r = report_of(w);
  ASSERT_EQ_INT(r.devices, 0);
  ASSERT_HAS(r.device_why, "not answered yet");
  ASSERT_TRUE(r.peak > 0);
  FILE *go = fopen(test_path("go"), "w");
  ASSERT_NOT_NULL(go);
  fclose(go);
  snug__gpu_settle(&w->gpu);
  snug__watch_look_at(w, 10.0);
  ASSERT_EQ_UINT(report_of(w).device, 1000);
  snug_watch_destroy(w);
}

TEST(without_a_driver_it_is_said) {
  snug_watch_report r = SNUG_INIT(snug_watch_report);
  machine_begin();
  machine_put(100, 1, "a", 5, 5);
  snug_watch *w = machine_watch(test_ctx(), NULL);
  look_first(w);
  r = report_of(w);
  ASSERT_TRUE(r.devices > 0 || strstr(r.device_why, "driver") || strstr(r.device_why, "device"));
  snug_watch_destroy(w);
}
