#include "lib/runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

const char test_hostile[] =
    "=1+1\"<script>alert(1)</script>\x1b[31m'&\\\xff\xe2\x80\xae</style>\"\n,-->";

typedef struct run {
  snug_recorder *r;
  snug_status status;
  double now;
  uint64_t base; /* what is resident between steps */
  uint64_t peak;
} run;

static void fact(run *r, const char *name, const char *value) {
  r->status = r->status ? r->status : snug_recorder_fact(r->r, name, value);
}

static void number(run *r, const char *name, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  fact(r, name, text);
}

/* A moment, so many seconds after the one before; `more` is resident beside the base. */
static void moment(run *r, double after, const char *at, int64_t epoch, int64_t batch,
                   uint64_t more) {
  uint64_t resident = r->base + more;
  r->now += after;
  r->peak = resident > r->peak ? resident : r->peak;
  const snug_moment m = {.struct_size = sizeof m,
                         .seconds = r->now,
                         .at = at,
                         .epoch = epoch,
                         .batch = batch,
                         .resident = resident,
                         .peak = r->peak,
                         .held = resident / 2,
                         .held_peak = resident / 2 + MIB,
                         .processes = 1};
  r->status = r->status ? r->status : snug_recorder_moment(r->r, &m);
}

static void piece(run *r, const char *layer, const char *op, const char *what, uint64_t bytes) {
  const snug_memory_piece p = {layer, op, what, bytes};
  r->status = r->status ? r->status : snug_recorder_piece(r->r, &p);
}

static void begin_peak(run *r) {
  r->status = r->status ? r->status : snug_recorder_begin_peak(r->r, r->now);
}

static void logs(run *r, int64_t epoch, double loss) {
  const char *const names[] = {"accuracy", "loss", "peak_memory", "val_accuracy", "val_loss"};
  const double values[] = {1.0 - loss / 4.0, loss, (double)r->peak, 0.9 - loss / 4.0, loss + 0.25};
  const snug_logs l = {5, names, values};
  r->status = r->status ? r->status : snug_recorder_logs(r->r, epoch, &l);
}

/* ---- a fit ---- */

static void begin_fit(run *r, const char *model, uint64_t line) {
  fact(r, "run.kind", "fit");
  fact(r, "run.began", "2026-01-02T03:04:05Z");
  fact(r, "model.name", model);
  fact(r, "machine.cpu", "a processor of tests");
  number(r, "plan.line", line);
  number(r, "plan.process", line - 2 * MIB);
  number(r, "plan.planned", r->base / 2 + 9 * MIB);
  fact(r, "plan.step_seconds", "0.09");
  fact(r, "plan.peak_step", "training");
  fact(r, "plan.peak_pass", "backward");
  fact(r, "plan.peak_layer", "conv1");
  fact(r, "plan.peak_op", "conv2d_weights");
  moment(r, 0.0, "sample", -1, -1, 0);
}

static void batches(run *r, int64_t epoch, int64_t n, double step, bool targets) {
  for (int64_t batch = 0; batch < n; batch++) {
    moment(r, step, "batch_end", epoch, batch, 10 * MIB);
    if (targets && (batch == 2 || batch == 5)) {
      moment(r, 0.0, "target", epoch, batch, 10 * MIB);
    }
  }
}

static void epoch_of(run *r, int64_t epoch, int64_t n, double step) {
  moment(r, 0.05, "epoch_begin", epoch, -1, 8 * MIB);
  batches(r, epoch, n, step, n < 50);
  moment(r, 0.01, "validation_begin", epoch, n - 1, 10 * MIB);
  moment(r, 0.2, "validation_end", epoch, n - 1, epoch == 1 ? 16 * MIB : 12 * MIB);
  moment(r, 0.01, "save_begin", epoch, n - 1, 10 * MIB);
  moment(r, 0.1, "save_end", epoch, n - 1, 11 * MIB);
  moment(r, 0.01, "epoch_end", epoch, n - 1, 10 * MIB);
  logs(r, epoch, 2.0 / (double)(epoch + 1));
}

static void layers(run *r) {
  begin_peak(r);
  piece(r, "conv1", "conv2d", "activations", 9 * MIB);
  piece(r, "conv1", "conv2d", "weights", 1 * MIB);
  piece(r, "conv1", "adam", "optimizer", 2 * MIB);
  piece(r, "dense", "matmul", "activations", 3 * MIB);
  piece(r, "dense", "matmul", "weights", 4 * MIB);
  piece(r, "dense", "matmul", "gradients", 4 * MIB);
  piece(r, "dense", "matmul", "scratch", MIB / 2);
  piece(r, "", "", "data", MIB);
  piece(r, "", "", "program", MIB / 4);
}

static void record_fit(run *r, uint64_t base, double step, uint64_t line) {
  r->base = base;
  begin_fit(r, "cnn.keras", line);
  for (int64_t epoch = 0; epoch < 3; epoch++) {
    epoch_of(r, epoch, 8, step);
  }
  layers(r);
}

static void fit(run *r) { record_fit(r, 40 * MIB, 0.1, 64 * MIB); }
static void student(run *r) { record_fit(r, 12 * MIB, 0.04, 64 * MIB); }
static void over(run *r) { record_fit(r, 40 * MIB, 0.1, 50 * MIB); }

static void cut(run *r) {
  r->base = 40 * MIB;
  begin_fit(r, "cnn.keras", 64 * MIB);
  epoch_of(r, 0, 8, 0.1);
  moment(r, 0.05, "epoch_begin", 1, -1, 8 * MIB);
  batches(r, 1, 4, 0.1, false);
}

static void many(run *r) {
  r->base = 40 * MIB;
  begin_fit(r, "long.keras", 64 * MIB);
  for (int64_t epoch = 0; epoch < 300; epoch++) {
    epoch_of(r, epoch, 100, 0.01);
  }
  layers(r);
}

/* ---- others ---- */

static void watch(run *r) {
  r->base = 100 * MIB;
  fact(r, "run.kind", "watch");
  fact(r, "run.command", "python train.py --fast");
  fact(r, "run.began", "2026-01-02T03:04:05+01:00");
  for (int i = 0; i < 100; i++) {
    moment(r, 0.05, "sample", -1, -1, (uint64_t)(i % 25) * MIB);
  }
  begin_peak(r);
  piece(r, "python", "4711", "process", 70 * MIB);
  piece(r, "worker", "4712", "process", 27 * MIB);
  piece(r, "worker", "4713", "process", 27 * MIB);
  fact(r, "result.shape_says", "stepped: 4 times up and down");
  fact(r, "end.verdict", "ended with exit code 0");
}

static void killed(run *r) {
  watch(r);
  fact(r, "result.group_limit", "125829120");
  fact(r, "result.above_says", "the peak is 4.0 MiB above the limit of 120 MiB");
  fact(r, "result.help_says", "a smaller batch, fewer workers, or a limit above 120 MiB");
  fact(r, "end.verdict",
       "killed by the kernel for memory (SIGKILL; the limit of its control group is 120 MiB, its "
       "peak 120 MiB)");
}

static void hostile(run *r) {
  const char *const names[] = {test_hostile, "loss"};
  const double values[] = {1.5, 0.5};
  const snug_logs l = {2, names, values};
  r->base = 10 * MIB;
  fact(r, "run.kind", test_hostile);
  fact(r, "run.command", test_hostile);
  fact(r, "run.began", test_hostile);
  fact(r, test_hostile, test_hostile);
  fact(r, "plan.process", "-7");
  fact(r, "plan.line", "9999999999999999999999");
  fact(r, "end.verdict", test_hostile);
  moment(r, 0.0, "epoch_begin", 0, -1, 0);
  moment(r, 1.0, "target", 0, 3, MIB);
  moment(r, 1.0, "epoch_end", 0, 3, MIB);
  r->status = r->status ? r->status : snug_recorder_logs(r->r, 0, &l);
  begin_peak(r);
  piece(r, test_hostile, test_hostile, test_hostile, 3 * MIB);
}

static void one(run *r) {
  r->base = 3 * MIB;
  moment(r, 0.0, "sample", -1, -1, 0);
}

static void empty(run *r) { (void)r; }

static void bare(run *r) {
  fact(r, "run.kind", "monitor");
  logs(r, 0, 1.0);
  logs(r, 1, 0.5);
}

/* ---- the list ---- */

static const struct {
  const char *kind;
  void (*record)(run *);
} kinds[] = {{"fit", fit},         {"student", student}, {"over", over},    {"cut", cut},
             {"watch", watch},     {"long", many},       {"one", one},      {"empty", empty},
             {"hostile", hostile}, {"bare", bare},       {"killed", killed}};

/* As a kill leaves it: without the frame of the end, and with half of one that was being written.
 */
static snug_status cut_off(const char *path) {
  FILE *f = fopen(path, "rb");
  long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  if (f) {
    fclose(f);
  }
  return n > 11 && truncate(path, n - 11) == 0 ? SNUG_OK : SNUG_E_IO;
}

snug_status test_run_record(snug_ctx *ctx, const char *kind, const char *path) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].kind, kind) == 0) {
      run r = {.r = NULL};
      snug_status s = snug_recorder_open(ctx, path, true, &r.r);
      if (s) {
        return s;
      }
      kinds[i].record(&r);
      s = snug_recorder_close(r.r);
      s = r.status ? r.status : s;
      return s || strcmp(kind, "cut") != 0 ? s : cut_off(path);
    }
  }
  return SNUG_E_ARGUMENT;
}
