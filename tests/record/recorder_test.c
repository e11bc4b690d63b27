/* Recording: bounded, small, and whole up to the moment at which it is stopped. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/format.h"
#include "record/some.h"
#include "record/thin.h"

static int64_t size_of(const char *path) {
  struct stat file;
  return stat(path, &file) == 0 ? (int64_t)file.st_size : -1;
}

/* ---- the file ---- */

TEST(a_file_that_is_there_stays) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *r = NULL;
  some_store(path, (const uint8_t *)"precious", 8);
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, path, false, &r), SNUG_E_IO, "there is such a file");
  ASSERT_NULL(r);
  ASSERT_EQ_INT(size_of(path), 8);
  ASSERT_OK(ctx, snug_recorder_open(ctx, path, true, &r));
  ASSERT_OK(ctx, snug_recorder_close(r));
  snug_recording_destroy(some_read(ctx, path));
}

/* Two recorders on one path: the second is refused while the first writes. */
TEST(a_recording_that_is_written_is_not_replaced) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *first = some_begin(ctx, path);
  snug_recorder *second = NULL;
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, path, true, &second), SNUG_E_STATE,
                "run.snug is in use by process");
  ASSERT_NULL(second);
  ASSERT_OK(ctx, snug_recorder_fact(first, "who", "first"));
  ASSERT_OK(ctx, snug_recorder_close(first));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_EQ_TEXT(snug_recording_fact(r, "who"), "first");
  ASSERT_OK(ctx, snug_recorder_open(ctx, path, true, &second));
  ASSERT_OK(ctx, snug_recorder_fact(second, "who", "second"));
  ASSERT_OK(ctx, snug_recorder_close(second));
  snug_recording_destroy(r);
}

TEST(places_that_cannot_be_written) {
  snug_ctx *ctx = test_ctx();
  snug_recorder *r = NULL;
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, "/dev/full", false, &r), SNUG_E_IO, "No space left");
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, "/dev/full", true, &r), SNUG_E_IO, "No space left");
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, "/", true, &r), SNUG_E_IO, "directory");
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, test_path("no/such/folder/run.snug"), false, &r),
                SNUG_E_IO, "No such file");
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, "", false, &r), SNUG_E_ARGUMENT, "path");
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, NULL, false, &r), SNUG_E_ARGUMENT, "path");
  ASSERT_NULL(r);
}

/* A disk that is full for a while: files of this process may not grow beyond a length. */
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = bytes;
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_disk_that_was_full_leaves_whole_frames) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  char text[200];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  signal(SIGXFSZ, SIG_IGN);
  snug_recorder *recorder = some_begin(ctx, path);
  ASSERT_OK(ctx, snug_recorder_fact(recorder, "a", text));
  int64_t whole = size_of(path);
  limit_files((rlim_t)whole + 100);
  ASSERT_STATUS(ctx, snug_recorder_fact(recorder, "b", text), SNUG_E_IO, "writing failed");
  ASSERT_EQ_INT(size_of(path), whole);
  limit_files(RLIM_INFINITY);
  ASSERT_OK(ctx, snug_recorder_fact(recorder, "c", text));
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_NOT_NULL(snug_recording_fact(r, "a"));
  ASSERT_NULL(snug_recording_fact(r, "b"));
  ASSERT_NOT_NULL(snug_recording_fact(r, "c"));
  snug_recording_destroy(r);
}

/* A pipe cannot be cut back: half a frame in it is the last. */
TEST(a_pipe_takes_frames_until_it_fails) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("pipe");
  ASSERT_EQ_INT(mkfifo(path, 0600), 0);
  int reader = open(path, O_RDONLY | O_NONBLOCK);
  ASSERT_TRUE(reader >= 0);
  signal(SIGPIPE, SIG_IGN);
  snug_recorder *recorder = some_begin(ctx, path);
  ASSERT_OK(ctx, snug_recorder_fact(recorder, "a", "1"));
  close(reader);
  ASSERT_STATUS(ctx, snug_recorder_fact(recorder, "b", "2"), SNUG_E_IO, "writing failed");
  ASSERT_STATUS(ctx, snug_recorder_fact(recorder, "c", "3"), SNUG_E_IO, "within a frame");
  ASSERT_STATUS(ctx, snug_recorder_close(recorder), SNUG_E_IO, "within a frame");
}

/* ---- what cannot be recorded ---- */

TEST(wrong_arguments) {
  snug_ctx *ctx = test_ctx();
  static char text[20000];
  const char *none[] = {NULL};
  const char *longer[] = {text + sizeof text - 1 - 256};
  double value = 1.0;
  memset(text, 'x', sizeof text - 1);
  snug_recorder *r = some_begin(ctx, test_path("run.snug"));
  ASSERT_STATUS(ctx, snug_recorder_fact(r, "", "x"), SNUG_E_ARGUMENT, "empty");
  ASSERT_STATUS(ctx, snug_recorder_fact(r, NULL, "x"), SNUG_E_ARGUMENT, "empty");
  ASSERT_STATUS(ctx, snug_recorder_fact(r, longer[0], "x"), SNUG_E_ARGUMENT, "255 is the most");
  ASSERT_STATUS(ctx, snug_recorder_fact(r, "x", text), SNUG_E_ARGUMENT, "16000 is the most");
  ASSERT_OK(ctx, snug_recorder_fact(r, longer[0] + 1, text + sizeof text - 1 - 16000));
  ASSERT_OK(ctx, snug_recorder_fact(r, "x", NULL));
  ASSERT_STATUS(ctx, snug_recorder_moment(r, NULL), SNUG_E_ARGUMENT, "no moment");
  ASSERT_STATUS(ctx, snug_recorder_moment(r, &(snug_moment)SNUG_INIT(snug_moment)), SNUG_E_ARGUMENT,
                "''");
  snug_moment m = {.struct_size = sizeof m, .at = "batch_begin"};
  ASSERT_STATUS(ctx, snug_recorder_moment(r, &m), SNUG_E_ARGUMENT, "batch_begin");
  double bad[] = {-1.0, (double)NAN, (double)INFINITY, 1e300};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    m = (snug_moment){.struct_size = sizeof(snug_moment), .at = "sample", .seconds = bad[i]};
    ASSERT_STATUS(ctx, snug_recorder_moment(r, &m), SNUG_E_ARGUMENT, "seconds");
    ASSERT_STATUS(ctx, snug_recorder_begin_peak(r, bad[i]), SNUG_E_ARGUMENT, "seconds");
  }
  ASSERT_STATUS(ctx, snug_recorder_logs(r, 0, NULL), SNUG_E_ARGUMENT, "no values");
  ASSERT_STATUS(ctx, snug_recorder_logs(r, 0, &(snug_logs){1, none, NULL}), SNUG_E_ARGUMENT, "no");
  ASSERT_STATUS(ctx, snug_recorder_logs(r, 0, &(snug_logs){1, none, &value}), SNUG_E_ARGUMENT,
                "empty");
  ASSERT_STATUS(ctx, snug_recorder_logs(r, 0, &(snug_logs){1, longer, &value}), SNUG_E_ARGUMENT,
                "255");
  ASSERT_STATUS(ctx, snug_recorder_logs(r, -1, &(snug_logs){0}), SNUG_E_ARGUMENT, "from 0");
  ASSERT_STATUS(ctx, snug_recorder_piece(r, NULL), SNUG_E_ARGUMENT, "no piece");
  ASSERT_OK(ctx, snug_recorder_begin_peak(r, 0.0));
  ASSERT_OK(ctx, snug_recorder_piece(r, &(snug_memory_piece){text, NULL, "x", 1}));
  ASSERT_OK(ctx, snug_recorder_close(r));
  ASSERT_STATUS(ctx, snug_recorder_open(ctx, "x", false, NULL), SNUG_E_ARGUMENT, "place");
  snug_recording *read = some_read(ctx, test_path("run.snug"));
  ASSERT_EQ_INT(snug_recording_ended(read, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_EQ_UINT(strlen(snug_recording_piece(read, 0)->layer), 255);
  ASSERT_EQ_UINT(strlen(snug_recording_fact(read, longer[0] + 1)), 16000);
  snug_recording_destroy(read);
}

TEST(nothing_is_recorded_by_none) {
  snug_ctx *ctx = test_ctx();
  snug_recorder *r = NULL;
  ASSERT_EQ_INT(snug_recorder_open(NULL, "x", false, &r), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_recorder_fact(NULL, "a", "b"), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_recorder_moment(NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_recorder_logs(NULL, 0, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_recorder_begin_peak(NULL, 0.0), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_recorder_piece(NULL, NULL), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_recording_open(NULL, "x", NULL), SNUG_E_ARGUMENT);
  ASSERT_STATUS(ctx, snug_recording_open(ctx, "x", NULL), SNUG_E_ARGUMENT, "place");
}

TEST(a_recording_does_not_grow_without_end) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static char text[16001];
  snug_status s = SNUG_OK;
  memset(text, 'x', sizeof text - 1);
  snug_recorder *r = some_begin(ctx, path);
  for (int i = 0; !s && i < 5000; i++) {
    s = snug_recorder_fact(r, "x", text);
  }
  ASSERT_STATUS(ctx, s, SNUG_E_OVERFLOW, "may not be larger");
  ASSERT_TRUE(size_of(path) <= 64 << 20);
  ASSERT_OK(ctx, snug_recorder_close(r));
  snug_recording_destroy(some_read(ctx, path));
}

/* ---- small and bounded ---- */

/* What a watched tree of processes looks like, 20 times a second. */
static snug_moment watched(uint64_t i) {
  uint64_t wave = (uint64_t)(1e9 * (1.0 + 0.1 * sin((double)i / 50.0))) & ~UINT64_C(4095);
  return (snug_moment){.struct_size = sizeof(snug_moment),
                       .seconds = (double)i / 20.0 + 1e-5 * (double)(i % 7),
                       .at = "sample",
                       .epoch = -1,
                       .batch = -1,
                       .resident = wave + i / 1000 * 4096,
                       .peak = 1200000000 + i / 500 * 4096,
                       .processes = (uint32_t)(5 + i % 3)};
}

static uint64_t highest(const snug_recording *r) {
  uint64_t most = 0;
  for (size_t i = 0; i < snug_recording_moments(r); i++) {
    uint64_t resident = snug_recording_moment(r, i)->resident;
    most = resident > most ? resident : most;
  }
  return most;
}

TEST(two_days_take_a_few_mebibytes) {
  enum { N = 2 * 24 * 3600 * 20 };
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  uint64_t most = 0;
  snug_recorder *recorder = some_begin(ctx, path);
  for (uint64_t i = 0; i < N; i++) {
    snug_moment m = watched(i);
    most = m.resident > most ? m.resident : most;
    ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  ASSERT_TRUE(size_of(path) < 3 << 20);
  snug_recording *r = some_read(ctx, path);
  size_t n = snug_recording_moments(r);
  ASSERT_TRUE(n > 8 * 8192 && n < 100000);
  ASSERT_TRUE(size_of(path) / (int64_t)n < 40);
  ASSERT_EQ_UINT(highest(r), most);
  for (size_t i = 1; i < n; i++) {
    ASSERT_TRUE(snug_recording_moment(r, i)->seconds > snug_recording_moment(r, i - 1)->seconds);
  }
  ASSERT_TRUE(snug_recording_moment(r, n - 1)->seconds > 0.999 * (double)N / 20);
  snug_recording_destroy(r);
}

/* Each sample is a maximum, by a little: they cannot all be kept, and the last one must be. */
TEST(a_slow_leak_is_bounded_too) {
  enum { N = 300000 };
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *recorder = some_begin(ctx, path);
  for (uint64_t i = 0; i < N; i++) {
    snug_moment m = {
        .struct_size = sizeof m, .seconds = (double)i, .at = "sample", .resident = (1 << 30) + i};
    ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_TRUE(snug_recording_moments(r) < 6 * SNUG__THIN_KEPT);
  ASSERT_EQ_UINT(highest(r), (1 << 30) + N - 1);
  snug_recording_destroy(r);
}

/* Fill up the density at which every moment is kept. */
static snug_recorder *begin_thinned(snug_ctx *ctx, const char *path) {
  snug_recorder *r = some_begin(ctx, path);
  for (uint64_t i = 0; i < 8 * SNUG__THIN_KEPT; i++) {
    snug_moment m = {.struct_size = sizeof m,
                     .at = "sample",
                     .resident = 1 << 30,
                     .device = 1 << 30,
                     .held_peak = 5000};
    ASSERT_OK(ctx, snug_recorder_moment(r, &m));
  }
  return r;
}

TEST(a_high_maximum_is_in_the_file_at_once) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *recorder = begin_thinned(ctx, path);
  snug_moment m = {.struct_size = sizeof m, .at = "sample", .seconds = 1.0, .resident = 1 << 30};
  ASSERT_OK(ctx, snug_recorder_moment(recorder, &m)); /* is due */
  int64_t before = size_of(path);
  ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  ASSERT_EQ_INT(size_of(path), before);
  uint64_t *figures[] = {&m.resident, &m.peak, &m.held_peak, &m.device, &m.device_peak};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    *figures[i] = UINT64_C(2) << 30;
    ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
    ASSERT_TRUE(size_of(path) > before);
    before = size_of(path);
  }
  m.at = "epoch_end"; /* no maximum, but the first of its kind */
  ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  ASSERT_TRUE(size_of(path) > before);
  ASSERT_OK(ctx, snug_recorder_close(recorder));
}

/* Maxima of two figures that wait are written in the order of their time. */
TEST(small_maxima_wait_for_the_next) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *recorder = begin_thinned(ctx, path);
  snug_moment due = {.struct_size = sizeof due, .at = "sample", .seconds = 1.0};
  snug_moment device = {.struct_size = sizeof device,
                        .at = "sample",
                        .seconds = 2.0,
                        .device = (1 << 30) + 9,
                        .held_peak = 5004};
  snug_moment host = {.struct_size = sizeof host,
                      .at = "sample",
                      .seconds = 3.0,
                      .resident = (1 << 30) + 7,
                      .held_peak = 5001};
  snug_moment next = {.struct_size = sizeof next, .at = "target", .seconds = 4.0, .held_peak = 8};
  const snug_moment *all[] = {&due, &device, &host, &next};
  for (size_t i = 0; i < 4; i++) {
    ASSERT_OK(ctx, snug_recorder_moment(recorder, all[i]));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  size_t n = snug_recording_moments(r);
  ASSERT_EQ_UINT(snug_recording_moment(r, n - 3)->device, (1 << 30) + 9);
  ASSERT_EQ_UINT(snug_recording_moment(r, n - 2)->resident, (1 << 30) + 7);
  ASSERT_EQ_TEXT(snug_recording_moment(r, n - 1)->at, "target");
  ASSERT_EQ_UINT(snug_recording_moment(r, n - 3)->held_peak, 5004);
  ASSERT_NEAR(snug_recording_moment(r, n - 4)->seconds, 1.0, 0.0);
  snug_recording_destroy(r);
}

/* What was held at the most while moments were left out is told by the next that is kept. */
TEST(what_was_held_is_carried_over) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *recorder = begin_thinned(ctx, path);
  for (uint64_t i = 0; i < 16; i++) {
    snug_moment m = {.struct_size = sizeof m,
                     .at = "sample",
                     .seconds = 1.0 + (double)i,
                     .held_peak = i == 5 ? 4999 : 10};
    ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  }
  snug_moment last = {
      .struct_size = sizeof last, .at = "epoch_end", .seconds = 99.0, .held_peak = 10};
  ASSERT_OK(ctx, snug_recorder_moment(recorder, &last));
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  uint64_t most = 0;
  for (size_t i = 0; i < snug_recording_moments(r); i++) {
    const snug_moment *m = snug_recording_moment(r, i);
    most = m->seconds > 1.0 && m->held_peak > most ? m->held_peak : most;
  }
  ASSERT_EQ_UINT(most, 4999);
  snug_recording_destroy(r);
}

/* Peaks that rose by less than a thousandth, in moments that are left out, are told at the end. */
TEST(the_last_maxima_are_in_the_file) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *recorder = begin_thinned(ctx, path);
  snug_moment m = {.struct_size = sizeof m,
                   .at = "sample",
                   .seconds = 1.0,
                   .peak = 1 << 30,
                   .device_peak = 1 << 30};
  ASSERT_OK(ctx, snug_recorder_moment(recorder, &m)); /* rises */
  for (uint64_t i = 0; i < 3; i++) {
    m.seconds += 1.0;
    m.peak += 7;
    m.device_peak += 9;
    m.held_peak = i == 1 ? 5003 : 10;
    ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  const snug_moment *last = snug_recording_moment(r, snug_recording_moments(r) - 1);
  ASSERT_NEAR(last->seconds, 4.0, 0.0);
  ASSERT_EQ_UINT(last->peak, (1 << 30) + 21);
  ASSERT_EQ_UINT(last->device_peak, (1 << 30) + 27);
  ASSERT_EQ_UINT(last->held_peak, 5003);
  snug_recording_destroy(r);
}

TEST(epochs_are_thinned_as_a_whole) {
  enum { N = 4 * SNUG__THIN_KEPT };
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  const char *names[] = {"loss"};
  snug_recorder *recorder = some_begin(ctx, path);
  for (int64_t i = 0; i < N; i++) {
    double value = (double)i;
    ASSERT_OK(ctx, snug_recorder_logs(recorder, i, &(snug_logs){1, names, &value}));
    ASSERT_OK(ctx, snug_recorder_logs(recorder, i, &(snug_logs){1, names, &value}));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_TRUE(snug_recording_epochs(r) > 2 * SNUG__THIN_KEPT);
  ASSERT_TRUE(snug_recording_epochs(r) < N);
  for (size_t i = 0; i < snug_recording_epochs(r); i++) {
    ASSERT_EQ_UINT(snug_recording_logs(r, i, NULL).n, 2);
  }
  snug_recording_destroy(r);
}

/* ---- killed ---- */

/* Records until it is killed; its moments count up. */
static void record_for_ever(const char *path) {
  snug_ctx *ctx = NULL;
  snug_recorder *r = NULL;
  if (snug_ctx_create(NULL, &ctx) || snug_recorder_open(ctx, path, true, &r)) {
    _exit(1);
  }
  for (uint64_t i = 0;; i++) {
    snug_moment m = {
        .struct_size = sizeof m, .seconds = (double)i, .at = "sample", .resident = i * i * i};
    snug_memory_piece piece = {"layer", "op", "scratch", i};
    if (snug_recorder_moment(r, &m) || snug_recorder_begin_peak(r, m.seconds) ||
        snug_recorder_piece(r, &piece)) {
      _exit(1);
    }
  }
}

static void check_killed(snug_ctx *ctx, const char *path) {
  uint64_t at = 0;
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, &at), SNUG_RECORDING_CUT);
  ASSERT_TRUE(size_of(path) - (int64_t)at < 200); /* half a frame at most */
  for (size_t i = 0; i < snug_recording_moments(r) && i < SNUG__THIN_KEPT; i++) {
    const snug_moment *m = snug_recording_moment(r, i);
    ASSERT_NEAR(m->seconds, i, 0.0);
    ASSERT_EQ_UINT(m->resident, i * i * i);
  }
  ASSERT_TRUE(snug_recording_pieces(r, NULL) <= 1);
  snug_recording_destroy(r);
}

TEST(killed_at_200_moments) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  some_store(path, (const uint8_t *)"", 0);
  for (int i = 0; i < 200; i++) {
    int64_t before = size_of(path);
    ASSERT_EQ_INT(unlink(path), 0);
    pid_t child = fork();
    if (child == 0) {
      record_for_ever(path);
    }
    ASSERT_TRUE(child > 0);
    while (size_of(path) < SNUG__RECORD_HEAD_BYTES) {
      nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    nanosleep(&(struct timespec){0, (long)test_random_between(0, 3000000)}, NULL);
    ASSERT_EQ_INT(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ_INT(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && before >= 0);
    check_killed(ctx, path);
  }
}
