#include "record/some.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"accuracy", "loss", "val_loss"};

static double value_of(int64_t epoch, size_t i) {
  return i == 2 && epoch == 0 ? (double)NAN : 1.0 / (3.0 + (double)i + (double)epoch);
}

snug_recorder *some_begin(snug_ctx *ctx, const char *path) {
  snug_recorder *r = NULL;
  ASSERT_OK(ctx, snug_recorder_open(ctx, path, false, &r));
  return r;
}

snug_recording *some_read(snug_ctx *ctx, const char *path) {
  snug_recording *r = NULL;
  ASSERT_OK(ctx, snug_recording_open(ctx, path, &r));
  return r;
}

snug_moment some_moment(size_t i) {
  static const char *const at[] = {"epoch_begin",    "batch_end",  "target",   "peak",
                                   "batch_end",      "epoch_end",  "sample",   "validation_begin",
                                   "validation_end", "save_begin", "save_end", "sample"};
  uint64_t step = UINT64_C(1) << 2 * i;
  return (snug_moment){.struct_size = sizeof(snug_moment),
                       .seconds = 0.05 * (double)i + 1e-6,
                       .at = at[i],
                       .epoch = (int64_t)i / 6 - 1,
                       .batch = (int64_t)i % 3 - 1,
                       .resident = (64 << 20) + (i % 2 ? step : 3 * step),
                       .peak = (80 << 20) + step,
                       .held = 5000 * i,
                       .held_peak = 7777 + i,
                       .device = i % 4 ? 0 : UINT64_MAX - i,
                       .device_peak = UINT64_MAX,
                       .anonymous = step,
                       .file = i < 5 ? 4096 : 0,
                       .shared = 1,
                       .processes = i == 3 ? UINT32_MAX : (uint32_t)i};
}

static snug_status tell_logs(snug_recorder *r, int64_t epoch) {
  double values[3];
  for (size_t i = 0; i < 3; i++) {
    values[i] = value_of(epoch, i);
  }
  return snug_recorder_logs(r, epoch, &(snug_logs){3, names, values});
}

static const snug_memory_piece pieces[SOME_PIECES] = {{"conv2d", "conv2d", "activations", 1 << 20},
                                                      {"dense", "", "weights", UINT64_MAX},
                                                      {"", "", "callbacks", 0}};

/* One call of the recorder. */
static snug_status tell(snug_recorder *r, size_t step) {
  if (step < SOME_MOMENTS) {
    snug_moment m = some_moment(step);
    return snug_recorder_moment(r, &m);
  }
  switch (step - SOME_MOMENTS) {
    case 0:
      return snug_recorder_fact(r, "run.kind", "fit");
    case 1:
      return snug_recorder_fact(r, "model.name", "Größe \xe2\x82\xac");
    case 2:
      return tell_logs(r, 0);
    case 3:
      return snug_recorder_begin_peak(r, 0.25);
    case 4:
    case 5:
    case 6:
      return snug_recorder_piece(r, &pieces[step - SOME_MOMENTS - 4]);
    case 7:
      return tell_logs(r, 7);
    default:
      return snug_recorder_fact(r, "run.kind", "watch");
  }
}

snug_status some_record(snug_ctx *ctx, const char *path, int steps) {
  snug_recorder *r = NULL;
  int all = SOME_MOMENTS + 9;
  snug_status s = snug_recorder_open(ctx, path, true, &r);
  for (int i = 0; !s && i < (steps < 0 ? all : steps); i++) {
    s = tell(r, (size_t)i);
  }
  snug_status closed = snug_recorder_close(r);
  return s ? s : closed;
}

/* ---- checking ---- */

static void check_moment(const snug_moment *m, size_t i) {
  snug_moment want = some_moment(i);
  ASSERT_NEAR(m->seconds, want.seconds, 1e-9);
  ASSERT_EQ_TEXT(m->at, want.at);
  ASSERT_EQ_INT(m->epoch, want.epoch);
  ASSERT_EQ_INT(m->batch, want.batch);
  ASSERT_EQ_UINT(m->resident, want.resident);
  ASSERT_EQ_UINT(m->peak, want.peak);
  ASSERT_EQ_UINT(m->held, want.held);
  ASSERT_EQ_UINT(m->held_peak, want.held_peak);
  ASSERT_EQ_UINT(m->device, want.device);
  ASSERT_EQ_UINT(m->device_peak, want.device_peak);
  ASSERT_EQ_UINT(m->anonymous, want.anonymous);
  ASSERT_EQ_UINT(m->file, want.file);
  ASSERT_EQ_UINT(m->shared, want.shared);
  ASSERT_EQ_UINT(m->processes, want.processes);
}

static void check_logs(const snug_recording *r, size_t i) {
  int64_t epoch = -1;
  snug_logs logs = snug_recording_logs(r, i, &epoch);
  ASSERT_EQ_INT(epoch, i ? 7 : 0);
  ASSERT_EQ_UINT(logs.n, 3);
  for (size_t k = 0; k < 3; k++) {
    double want = value_of(epoch, k);
    ASSERT_EQ_TEXT(logs.names[k], names[k]);
    ASSERT_EQ_BYTES(&logs.values[k], &want, sizeof want);
  }
}

static void check_pieces(const snug_recording *r) {
  double seconds = -1.0;
  size_t n = snug_recording_pieces(r, &seconds);
  ASSERT_TRUE(n <= SOME_PIECES);
  ASSERT_TRUE(n == 0 || seconds == 0.25);
  for (size_t i = 0; i < n; i++) {
    const snug_memory_piece *p = snug_recording_piece(r, i);
    ASSERT_EQ_TEXT(p->layer, pieces[i].layer);
    ASSERT_EQ_TEXT(p->op, pieces[i].op);
    ASSERT_EQ_TEXT(p->what, pieces[i].what);
    ASSERT_EQ_UINT(p->bytes, pieces[i].bytes);
  }
}

static void check_whole(const snug_recording *r) {
  ASSERT_EQ_UINT(snug_recording_moments(r), SOME_MOMENTS);
  ASSERT_EQ_UINT(snug_recording_epochs(r), SOME_EPOCHS);
  ASSERT_EQ_UINT(snug_recording_pieces(r, NULL), SOME_PIECES);
  ASSERT_EQ_UINT(snug_recording_facts(r), 3);
  ASSERT_EQ_TEXT(snug_recording_fact(r, "run.kind"), "watch");
  ASSERT_EQ_TEXT(snug_recording_fact(r, "model.name"), "Größe \xe2\x82\xac");
}

void some_check(const snug_recording *r) {
  ASSERT_TRUE(snug_recording_moments(r) <= SOME_MOMENTS);
  ASSERT_TRUE(snug_recording_epochs(r) <= SOME_EPOCHS);
  for (size_t i = 0; i < snug_recording_moments(r); i++) {
    check_moment(snug_recording_moment(r, i), i);
  }
  for (size_t i = 0; i < snug_recording_epochs(r); i++) {
    check_logs(r, i);
  }
  check_pieces(r);
  if (snug_recording_ended(r, NULL) == SNUG_RECORDING_CLOSED) {
    check_whole(r);
  }
}

/* ---- files ---- */

size_t some_load(const char *path, uint8_t *bytes) {
  FILE *file = fopen(path, "rb");
  ASSERT_NOT_NULL(file);
  size_t n = fread(bytes, 1, SOME_MOST, file);
  fclose(file);
  ASSERT_TRUE(n < SOME_MOST);
  return n;
}

void some_store(const char *path, const uint8_t *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  ASSERT_NOT_NULL(file);
  ASSERT_EQ_UINT(fwrite(bytes, 1, n, file), n);
  fclose(file);
}
