/* What was recorded is read back; what is not a recording, or not a whole one, is told. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ctx.h"
#include "lib/fault.h"
#include "record/format.h"
#include "record/frame.h"
#include "record/some.h"

enum { HEAD = SNUG__RECORD_HEAD_BYTES };

static void expect_refused(snug_ctx *ctx, const char *path, snug_status status, const char *part) {
  snug_recording *r = (snug_recording *)ctx;
  ASSERT_STATUS(ctx, snug_recording_open(ctx, path, &r), status, part);
  ASSERT_NULL(r);
}

/* ---- round trips ---- */

TEST(all_is_read_back) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  uint64_t at = 0;
  struct stat file;
  ASSERT_OK(ctx, some_record(ctx, path, -1));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, &at), SNUG_RECORDING_CLOSED);
  ASSERT_EQ_INT(stat(path, &file), 0);
  ASSERT_EQ_UINT(at, file.st_size);
  some_check(r);
  ASSERT_EQ_TEXT(snug_recording_fact_name(r, 0), "run.id");
  ASSERT_EQ_UINT(strlen(snug_recording_fact_value(r, 0)), 16);
  ASSERT_EQ_TEXT(snug_recording_fact_name(r, 1), "run.kind");
  snug_recording_destroy(r);
}

TEST(an_empty_recording_is_one) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  ASSERT_OK(ctx, snug_recorder_close(some_begin(ctx, path)));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_EQ_UINT(snug_recording_moments(r) + snug_recording_epochs(r), 0);
  ASSERT_EQ_UINT(snug_recording_pieces(r, NULL), 0);
  snug_recording_destroy(r);
}

TEST(random_moments_are_read_back) {
  enum { N = 2000 };
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static snug_moment moments[N];
  snug_recorder *recorder = some_begin(ctx, path);
  for (size_t i = 0; i < N; i++) {
    snug_moment *m = &moments[i];
    *m = (snug_moment){.struct_size = sizeof(snug_moment),
                       .seconds = (double)i * 1e3 + floor(test_random_unit() * 1e9) / 1e6};
    m->at = "sample";
    uint64_t *figures[] = {&m->resident, &m->peak, &m->held, &m->device, &m->file, &m->shared};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
      *figures[k] = test_random_u64() >> test_random_between(0, 63);
    }
    m->epoch = (int64_t)test_random_u64();
    m->processes = (uint32_t)test_random_u64();
    ASSERT_OK(ctx, snug_recorder_moment(recorder, m));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_UINT(snug_recording_moments(r), N);
  for (size_t i = 0; i < N; i++) {
    snug_moment m = *snug_recording_moment(r, i);
    ASSERT_NEAR(m.seconds, moments[i].seconds, 1e-6);
    ASSERT_EQ_TEXT(m.at, "sample");
    m.seconds = moments[i].seconds;
    m.at = moments[i].at;
    ASSERT_EQ_BYTES(&m, &moments[i], sizeof m);
  }
  snug_recording_destroy(r);
}

TEST(the_last_peak_counts) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  double seconds = 0.0;
  snug_recorder *recorder = some_begin(ctx, path);
  for (uint64_t peak = 1; peak <= 3; peak++) {
    ASSERT_OK(ctx, snug_recorder_begin_peak(recorder, (double)peak));
    for (uint64_t i = 0; i < 2 * peak; i++) {
      snug_memory_piece piece = {"layer", "op", "scratch", 100 * peak + i};
      ASSERT_OK(ctx, snug_recorder_piece(recorder, &piece));
    }
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_UINT(snug_recording_pieces(r, &seconds), 6);
  ASSERT_NEAR(seconds, 3.0, 0.0);
  for (size_t i = 0; i < 6; i++) {
    ASSERT_EQ_UINT(snug_recording_piece(r, i)->bytes, 300 + i);
  }
  ASSERT_NULL(snug_recording_piece(r, 6));
  snug_recording_destroy(r);
}

TEST(a_peak_that_was_not_told_to_its_end_does_not_count) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static uint8_t bytes[SOME_MOST];
  double seconds = 0.0;
  snug_memory_piece piece = {"layer", "op", "scratch", 1};
  snug_recorder *recorder = some_begin(ctx, path);
  ASSERT_OK(ctx, snug_recorder_begin_peak(recorder, 1.0));
  ASSERT_OK(ctx, snug_recorder_piece(recorder, &piece));
  ASSERT_OK(ctx, snug_recorder_begin_peak(recorder, 2.0));
  ASSERT_OK(ctx, snug_recorder_piece(recorder, &piece));
  ASSERT_OK(ctx, snug_recorder_piece(recorder, &piece));
  size_t n = some_load(path, bytes);
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  some_store(path, bytes, n);
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CUT);
  ASSERT_EQ_UINT(snug_recording_pieces(r, &seconds), 1);
  ASSERT_NEAR(seconds, 1.0, 0.0);
  snug_recording_destroy(r);
}

/* More values than a frame holds. */
TEST(many_values_are_of_one_epoch) {
  enum { N = 200 };
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static char texts[N][SNUG__RECORD_MOST_NAME + 1];
  const char *names[N];
  double values[N];
  int64_t epoch = -1;
  for (size_t i = 0; i < N; i++) {
    snprintf(texts[i], sizeof texts[i], "%0*zu", (int)(i ? sizeof texts[i] - 1 : 1), i);
    names[i] = texts[i];
    values[i] = (double)i;
  }
  snug_recorder *recorder = some_begin(ctx, path);
  ASSERT_OK(ctx, snug_recorder_logs(recorder, 3, &(snug_logs){N, names, values}));
  ASSERT_OK(ctx, snug_recorder_logs(recorder, 3, &(snug_logs){1, names, values}));
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_UINT(snug_recording_epochs(r), 1);
  snug_logs logs = snug_recording_logs(r, 0, &epoch);
  ASSERT_EQ_INT(epoch, 3);
  ASSERT_EQ_UINT(logs.n, N + 1);
  for (size_t i = 0; i < N; i++) {
    ASSERT_EQ_TEXT(logs.names[i], names[i]);
    ASSERT_NEAR(logs.values[i], i, 0.0);
  }
  snug_recording_destroy(r);
}

TEST(texts_become_harmless) {
  const char *const pairs[][2] = {{"plain\n\ttext", "plain\n\ttext"},
                                  {"\x1b[2J\x7f\r", "?[2J??"},
                                  {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x8d", "ä€\xf0\x9f\x90\x8d"},
                                  {"\xc3", "?"},
                                  {"\xe2\x82", "??"},
                                  {"\xc0\x80", "??"},
                                  {"\xed\xa0\x80", "???"},
                                  {"\xf4\x90\x80\x80", "????"},
                                  {"\xff\xfe", "??"},
                                  {"\xc2\x9b", "??"},
                                  {"a\xe2\x80\xae", "a???"}};
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char name[32];
    snprintf(name, sizeof name, "%zu.snug", i);
    const char *path = test_path(name);
    snug_recorder *recorder = some_begin(ctx, path);
    ASSERT_OK(ctx, snug_recorder_fact(recorder, "run.command", pairs[i][0]));
    ASSERT_OK(ctx, snug_recorder_close(recorder));
    snug_recording *r = some_read(ctx, path);
    ASSERT_EQ_TEXT(snug_recording_fact(r, "run.command"), pairs[i][1]);
    snug_recording_destroy(r);
  }
}

TEST(out_of_range_is_nothing) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  int64_t epoch = -1;
  double seconds = -1.0;
  uint64_t at = 1;
  ASSERT_OK(ctx, some_record(ctx, path, -1));
  snug_recording *r = some_read(ctx, path);
  const snug_recording *both[] = {r, NULL};
  for (size_t i = 0; i < 2; i++) {
    ASSERT_NULL(snug_recording_moment(both[i], SOME_MOMENTS));
    ASSERT_NULL(snug_recording_fact_name(both[i], 3));
    ASSERT_NULL(snug_recording_fact_value(both[i], 3));
    ASSERT_NULL(snug_recording_fact(both[i], "none"));
    ASSERT_NULL(snug_recording_fact(both[i], NULL));
    ASSERT_NULL(snug_recording_piece(both[i], SOME_PIECES));
    ASSERT_EQ_UINT(snug_recording_logs(both[i], SOME_EPOCHS, &epoch).n, 0);
    ASSERT_EQ_INT(epoch, 0);
  }
  ASSERT_EQ_UINT(snug_recording_moments(NULL) + snug_recording_facts(NULL), 0);
  ASSERT_EQ_UINT(snug_recording_epochs(NULL) + snug_recording_pieces(NULL, &seconds), 0);
  ASSERT_NEAR(seconds, 0.0, 0.0);
  ASSERT_EQ_INT(snug_recording_ended(NULL, &at), SNUG_RECORDING_CUT);
  ASSERT_EQ_UINT(at, 0);
  snug_recording_destroy(r);
  snug_recording_destroy(NULL);
  ASSERT_OK(ctx, snug_recorder_close(NULL));
}

/* ---- not whole ---- */

TEST(cut_at_every_byte) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static uint8_t bytes[SOME_MOST];
  ASSERT_OK(ctx, some_record(ctx, path, -1));
  size_t n = some_load(path, bytes);
  size_t most = 0;
  for (size_t cut = 0; cut < n; cut++) {
    some_store(path, bytes, cut);
    if (cut < HEAD) {
      expect_refused(ctx, path, SNUG_E_DATA, cut ? "cut before its first frame" : "empty");
      continue;
    }
    uint64_t at = 0;
    snug_recording *r = some_read(ctx, path);
    ASSERT_EQ_INT(snug_recording_ended(r, &at), SNUG_RECORDING_CUT);
    ASSERT_TRUE(at <= cut);
    some_check(r);
    ASSERT_TRUE(snug_recording_moments(r) >= most);
    most = snug_recording_moments(r);
    snug_recording_destroy(r);
  }
  ASSERT_EQ_UINT(most, SOME_MOMENTS);
}

/* Whatever a flipped bit hits, what is read is what was written. */
static void check_flipped(snug_ctx *ctx, const char *path, size_t bit) {
  snug_recording *r = NULL;
  uint64_t at = 0;
  if (bit < (size_t)8 * HEAD) {
    expect_refused(ctx, path, SNUG_E_DATA, bit < 64 ? "not a recording" : "head");
    return;
  }
  ASSERT_OK(ctx, snug_recording_open(ctx, path, &r));
  ASSERT_EQ_INT(snug_recording_ended(r, &at), SNUG_RECORDING_DAMAGED);
  ASSERT_TRUE(at <= bit / 8);
  some_check(r);
  snug_recording_destroy(r);
}

static void flip_bits(int steps, size_t stride) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static uint8_t bytes[SOME_MOST];
  ASSERT_OK(ctx, some_record(ctx, path, steps));
  size_t n = some_load(path, bytes);
  for (size_t bit = 0; bit < 8 * n; bit += stride) {
    bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    some_store(path, bytes, n);
    bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    check_flipped(ctx, path, bit);
  }
}

TEST(each_bit_flipped_of_a_short_one) { flip_bits(2, 1); }

TEST(a_bit_flipped_everywhere) { flip_bits(-1, 7); }

/* A frame of the file once more, or less. */
TEST(a_doubled_or_lost_frame_is_damage) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static uint8_t bytes[SOME_MOST];
  static uint8_t other[SOME_MOST];
  ASSERT_OK(ctx, some_record(ctx, path, -1));
  size_t n = some_load(path, bytes);
  size_t frame = (size_t)8 + bytes[HEAD + 1];
  memcpy(other, bytes, HEAD + frame);
  memcpy(other + HEAD + frame, bytes + HEAD, n - HEAD);
  some_store(path, other, n + frame);
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_DAMAGED);
  ASSERT_EQ_UINT(snug_recording_moments(r), 1);
  snug_recording_destroy(r);
  memcpy(other + HEAD, bytes + HEAD + frame, n - HEAD - frame);
  some_store(path, other, n - frame);
  r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_DAMAGED);
  ASSERT_EQ_UINT(snug_recording_moments(r), 0);
  snug_recording_destroy(r);
}

/* A moment whose frame is whole, 1 microsecond before the one before it. */
static void put_moments_backwards(snug_ctx *ctx, const char *path) {
  snug__frames f = {.ctx = ctx, .fd = -1};
  snug__numbers before = {.microseconds = 0}, n = {.microseconds = 5};
  ASSERT_OK(ctx, snug__frames_open(&f, ctx, path, true));
  for (uint64_t i = 0; i < 3; i++) {
    uint8_t *at = snug__frame_begin(&f);
    snug__put_moment(&at, &before, &n);
    ASSERT_OK(ctx, snug__frame_end(&f, SNUG__FRAME_MOMENT, at));
    before = n;
    n.microseconds -= i; /* 5, 5, 4 */
  }
  ASSERT_OK(ctx, snug__frame_end(&f, SNUG__FRAME_END, snug__frame_begin(&f)));
  ASSERT_OK(ctx, snug__frames_close(&f));
}

TEST(time_that_goes_back_is_damage) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  put_moments_backwards(ctx, path);
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_DAMAGED);
  ASSERT_EQ_UINT(snug_recording_moments(r), 2);
  snug_recording_destroy(r);
}

TEST(a_recorder_lets_no_time_go_back) {
  static const double told[] = {1.0, 3.0, 2.0, 4.0};
  static const double kept[] = {1.0, 3.0, 3.0, 4.0};
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  snug_recorder *recorder = some_begin(ctx, path);
  for (size_t i = 0; i < 4; i++) {
    snug_moment m = {.struct_size = sizeof m, .seconds = told[i], .at = "sample"};
    ASSERT_OK(ctx, snug_recorder_moment(recorder, &m));
  }
  ASSERT_OK(ctx, snug_recorder_close(recorder));
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  for (size_t i = 0; i < 4; i++) {
    ASSERT_NEAR(snug_recording_moment(r, i)->seconds, kept[i], 0.0);
  }
  snug_recording_destroy(r);
}

TEST(bytes_behind_the_end_are_damage) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static uint8_t bytes[SOME_MOST];
  uint64_t at = 0;
  ASSERT_OK(ctx, some_record(ctx, path, -1));
  size_t n = some_load(path, bytes);
  some_store(path, bytes, n + 1);
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, &at), SNUG_RECORDING_DAMAGED);
  ASSERT_EQ_UINT(at, n);
  some_check(r);
  snug_recording_destroy(r);
}

/* ---- made by hand ---- */

/* A head, and where frames are appended. */
typedef struct made {
  uint8_t bytes[SOME_MOST];
  uint8_t *end;
  uint32_t crc;
} made;

static void make_head(made *m, uint32_t version) {
  memcpy(m->bytes, SNUG__RECORD_MAGIC, SNUG__RECORD_MAGIC_BYTES);
  m->end = m->bytes + SNUG__RECORD_MAGIC_BYTES;
  snug__put(&m->end, version, 4);
  snug__put(&m->end, 42, 8);
  m->crc = snug__record_crc(0, m->bytes, 20);
  snug__put(&m->end, m->crc, 4);
}

static void make_frame(made *m, int kind, const void *content, size_t n) {
  uint8_t *begin = m->end;
  snug__put(&m->end, (uint64_t)kind, 1);
  snug__put(&m->end, n, 2);
  snug__put(&m->end, (uint64_t)(begin[0] ^ begin[1] ^ begin[2] ^ 0xA5), 1);
  memcpy(m->end, content, n);
  m->end += n;
  m->crc = snug__record_crc(m->crc, begin, (size_t)(m->end - begin));
  snug__put(&m->end, m->crc, 4);
}

static void store_made(const made *m, const char *path) {
  some_store(path, m->bytes, (size_t)(m->end - m->bytes));
}

TEST(a_newer_version_is_told) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static made m;
  make_head(&m, 2);
  make_frame(&m, 'E', "", 0);
  store_made(&m, path);
  expect_refused(ctx, path, SNUG_E_DATA, "recorded by a newer Snug (version 2");
  make_head(&m, 0);
  store_made(&m, path);
  expect_refused(ctx, path, SNUG_E_DATA, "there is no version 0");
}

TEST(unknown_frames_are_passed_over) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static made m;
  make_head(&m, 1);
  make_frame(&m, 'z', "whatever", 8);
  make_frame(&m, 'F', "\1a\1b", 4);
  make_frame(&m, 'E', "", 0);
  store_made(&m, path);
  snug_recording *r = some_read(ctx, path);
  ASSERT_EQ_INT(snug_recording_ended(r, NULL), SNUG_RECORDING_CLOSED);
  ASSERT_EQ_TEXT(snug_recording_fact(r, "a"), "b");
  ASSERT_EQ_TEXT(snug_recording_fact(r, "run.id"), "000000000000002a");
  snug_recording_destroy(r);
}

/* Frames with a right checksum that say what none can. */
TEST(senseless_contents_are_damage) {
  static const struct {
    int kind;
    const char *content;
    size_t n;
  } cases[] = {{'F', "", 0},
               {'F', "\0\1b", 3},                                       /* no name */
               {'F', "\1a\2b", 4},                                      /* a value beyond the end */
               {'F', "\1a\1bc", 5},                                     /* something behind it */
               {'F', "\1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12},  /* a long value */
               {'F', "\1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\2b", 13}, /* more than 64 bits */
               {'M', "", 0},
               {'M', "\0\0\2", 4},         /* something behind it */
               {'M', "\12\0\2", 3},        /* no such moment */
               {'M', "\0\x80\x20\2", 4},   /* no such figure */
               {'M', "\0\0\1", 3},         /* before the beginning */
               {'M', "\0\4\2", 3},         /* a figure that is not there */
               {'M', "\0\x80\x10\2\1", 5}, /* processes: -1 */
               {'L', "", 0},
               {'L', "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10}, /* epoch -1 */
               {'L', "\0\1a1234567", 10},                           /* a value of seven bytes */
               {'L', "\0\00012345678", 10},                         /* a value without a name */
               {'P', "", 0},
               {'P', "\1\1", 2},
               {'P', "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10}, /* never */
               {'C', "\0\0\0\0", 4},                                /* of no peak */
               {'E', "x", 1}};
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  static made m;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t at = 0;
    make_head(&m, 1);
    make_frame(&m, cases[i].kind, cases[i].content, cases[i].n);
    make_frame(&m, 'E', "", 0);
    store_made(&m, path);
    snug_recording *r = some_read(ctx, path);
    if (snug_recording_ended(r, &at) != SNUG_RECORDING_DAMAGED || at != HEAD) {
      test_fail(__FILE__, __LINE__, "case %zu passed", i);
    }
    ASSERT_EQ_UINT(snug_recording_facts(r) + snug_recording_moments(r), 1);
    snug_recording_destroy(r);
  }
}

TEST(other_kinds_of_files) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("file");
  const char *const others[] = {"PK\3\4", "\x89PNG\r\n\x1a\n", "{\"a\": 1}", "epoch,loss\n",
                                "\211SNUx"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    some_store(path, (const uint8_t *)others[i], strlen(others[i]));
    expect_refused(ctx, path, SNUG_E_DATA, "not a recording");
  }
  expect_refused(ctx, test_path("nowhere"), SNUG_E_IO, "No such file");
  expect_refused(ctx, "/", SNUG_E_IO, "directory");
  expect_refused(ctx, "/dev/zero", SNUG_E_DATA, "not a recording");
  expect_refused(ctx, "", SNUG_E_ARGUMENT, "path");
  expect_refused(ctx, NULL, SNUG_E_ARGUMENT, "path");
}

/* ---- memory ---- */

static snug_status scenario(snug_ctx *ctx, void *path) {
  snug_recording *r = NULL;
  SNUG_TRY(some_record(ctx, path, -1));
  SNUG_TRY(snug_recording_open(ctx, path, &r));
  snug_recording_destroy(r);
  return SNUG_OK;
}

TEST(any_request_may_fail) { test_fault_sweep(scenario, (void *)test_path("run.snug")); }
