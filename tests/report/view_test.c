/* Views: what is computed of a recording, rules, every form of every kind of run, and what happens
 * when memory runs out. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fault.h"
#include "lib/runs.h"
#include "report/events.h"
#include "report/view.h"

#define MIB (1u << 20)

static const char *const kinds[] = {"fit", "student", "over",    "cut",   "watch", "long",
                                    "one", "bare",    "hostile", "empty", "killed"};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct opened {
  snug_recording *recordings[KINDS];
  size_t n;
  snug_view *view;
} opened;

/* Record, read and look at runs, one after the other at path; names are their kinds. */
static opened look(snug_ctx *ctx, const char *path, const char *const *names, size_t n) {
  opened o = {.n = n};
  for (size_t i = 0; i < n; i++) {
    ASSERT_OK(ctx, test_run_record(ctx, names[i], path));
    ASSERT_OK(ctx, snug_recording_open(ctx, path, &o.recordings[i]));
  }
  const snug_recording *const *all = (const snug_recording *const *)o.recordings;
  ASSERT_OK(ctx, snug_view_create(ctx, all, names, n, &o.view));
  return o;
}

static opened look_at(snug_ctx *ctx, const char *path, const char *kind) {
  return look(ctx, path, &kind, 1);
}

static void end(opened *o) {
  snug_view_destroy(o->view);
  for (size_t i = 0; i < o->n; i++) {
    snug_recording_destroy(o->recordings[i]);
  }
}

/* What a form says, freed by the caller. */
typedef struct paper {
  char *text;
  FILE *stream;
  size_t bytes;
} paper;

static void put(void *user, const char *text, size_t n) { fwrite(text, 1, n, user); }

static paper write_form(const snug_view *v, snug_view_form form) {
  paper p = {.text = NULL};
  p.stream = open_memstream(&p.text, &p.bytes);
  ASSERT_NOT_NULL(p.stream);
  snug_view_options o = {
      .struct_size = sizeof o, .sink = put, .user = p.stream, .columns = 100, .next = "snug"};
  snug_view_write(v, form, &o);
  fclose(p.stream);
  return p;
}

static size_t count(const char *text, const char *part) {
  size_t n = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
    n++;
  }
  return n;
}

/* ---- the digest ---- */

TEST(a_fit_is_digested) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "fit");
  const snug__run *r = &o.view->runs[0];
  ASSERT_EQ_UINT(r->peak, 56 * MIB);
  ASSERT_EQ_INT(r->peak_stage, SNUG__STAGE_VALIDATION);
  ASSERT_EQ_INT(snug_recording_moment(r->of, r->peak_at)->epoch, 1);
  ASSERT_EQ_UINT(r->line, 64 * MIB);
  ASSERT_EQ_UINT(r->planned, 62 * MIB);
  ASSERT_EQ_UINT(r->held, 29 * MIB);
  ASSERT_EQ_UINT(r->epochs.n, 3);
  ASSERT_EQ_INT(snug__run_epoch(r, 2)->batches, 8);
  ASSERT_TRUE(snug__run_epoch(r, 2)->is_whole);
  ASSERT_EQ_UINT(snug__run_epoch(r, 0)->peak, 52 * MIB);
  ASSERT_NEAR(snug_logs_get(&snug__run_epoch(r, 1)->logs, "loss"), 1.0, 0);
  ASSERT_EQ_UINT(r->spans.n, 9);
  ASSERT_NEAR(r->step, 0.1, 1e-9);
  ASSERT_EQ_TEXT(snug__run_holder(r, 0)->name, "conv1");
  ASSERT_EQ_UINT(snug__run_holder(r, 0)->bytes, 12 * MIB);
  ASSERT_EQ_UINT(snug__run_holder(r, 0)->parts[SNUG__OPTIMIZER], 2 * MIB);
  ASSERT_EQ_TEXT(snug__run_class(r, 0)->name, "activations");
  ASSERT_FALSE(r->of_processes);
  end(&o);
}

TEST(a_cut_run_has_open_spans) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "cut");
  const snug__run *r = &o.view->runs[0];
  ASSERT_EQ_INT(r->end, SNUG_RECORDING_CUT);
  ASSERT_EQ_INT(r->last_stage, SNUG__STAGE_TRAINING);
  ASSERT_TRUE(snug__run_span(r, r->spans.n - 1)->is_open);
  ASSERT_FALSE(snug__run_epoch(r, 1)->is_whole);
  char verdict[256];
  snug_view_verdict(o.view, 0, true, verdict, sizeof verdict);
  ASSERT_HAS(verdict, "cut short: the run was killed, or still goes on, peak so far 52.0 MiB");
  end(&o);
}

TEST(processes_are_holders) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "watch");
  const snug__run *r = &o.view->runs[0];
  ASSERT_TRUE(r->of_processes);
  ASSERT_EQ_INT(r->peak_stage, SNUG__STAGE_NONE);
  ASSERT_EQ_UINT(snug__run_holder(r, 1)->pieces, 2);
  ASSERT_EQ_UINT(snug__run_holder(r, 1)->bytes, 54 * MIB);
  ASSERT_EQ_UINT(r->epochs.n, 0);
  end(&o);
}

/* A short peak that no sample saw is where the high-water mark rose. */
TEST(a_peak_between_samples_is_seen) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("short");
  snug_recorder *rec = NULL;
  snug_recording *recording = NULL;
  uint64_t bars[10];
  ASSERT_OK(ctx, snug_recorder_open(ctx, path, true, &rec));
  for (int i = 0; i < 10; i++) {
    snug_moment m = {
        .struct_size = sizeof m, .seconds = i, .at = "sample", .epoch = -1, .batch = -1};
    m.resident = 5 * MIB;
    m.peak = i < 6 ? 5 * MIB : 30 * MIB;
    ASSERT_OK(ctx, snug_recorder_moment(rec, &m));
  }
  ASSERT_OK(ctx, snug_recorder_close(rec));
  ASSERT_OK(ctx, snug_recording_open(ctx, path, &recording));
  snug__run run;
  ASSERT_OK(ctx, snug__run_init(&run, ctx, recording, "short"));
  ASSERT_EQ_UINT(run.peak, 30 * MIB);
  ASSERT_EQ_UINT(run.peak_at, 6);
  snug__run_curve(&run, SNUG__CURVE_RESIDENT, 10.0, bars, 10);
  for (size_t i = 0; i < 10; i++) {
    ASSERT_EQ_UINT(bars[i], i == 6 ? 30 * MIB : 5 * MIB);
  }
  snug__run_release(&run);
  snug_recording_destroy(recording);
}

TEST(figures_have_names) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "fit");
  ASSERT_NEAR(snug_view_figure(o.view, 0, "peak"), 56.0 * MIB, 0);
  ASSERT_NEAR(snug_view_figure(o.view, 0, "held"), 29.0 * MIB, 0);
  ASSERT_NEAR(snug_view_figure(o.view, 0, "time"), 3.54, 1e-9);
  ASSERT_NEAR(snug_view_figure(o.view, 0, "epochs"), 3, 0);
  ASSERT_NEAR(snug_view_figure(o.view, 0, "val_loss"), 2.0 / 3.0 + 0.25, 1e-12);
  ASSERT_TRUE(isnan(snug_view_figure(o.view, 0, "device")));
  ASSERT_TRUE(isnan(snug_view_figure(o.view, 0, "nothing")));
  ASSERT_TRUE(isnan(snug_view_figure(o.view, 1, "peak")));
  ASSERT_TRUE(isnan(snug_view_figure(NULL, 0, "peak")));
  end(&o);
}

/* A recording that a test makes step by step, and looks at. */
typedef struct made {
  snug_ctx *ctx;
  const char *path;
  snug_recorder *recorder;
} made;

static made make(snug_ctx *ctx, const char *path) {
  made m = {.ctx = ctx, .path = path};
  ASSERT_OK(ctx, snug_recorder_open(ctx, path, true, &m.recorder));
  return m;
}

static void tell(const made *m, double seconds, const char *at, int64_t epoch, int64_t batch) {
  snug_moment moment = {
      .struct_size = sizeof moment, .seconds = seconds, .at = at, .epoch = epoch, .batch = batch};
  moment.resident = moment.peak = 5 * MIB;
  ASSERT_OK(m->ctx, snug_recorder_moment(m->recorder, &moment));
}

static void tell_loss(const made *m, int64_t epoch, double loss) {
  const char *const names[] = {"loss"};
  ASSERT_OK(m->ctx, snug_recorder_logs(m->recorder, epoch, &(snug_logs){1, names, &loss}));
}

static opened look_at_made(const made *m) {
  opened o = {.n = 1};
  ASSERT_OK(m->ctx, snug_recorder_close(m->recorder));
  ASSERT_OK(m->ctx, snug_recording_open(m->ctx, m->path, &o.recordings[0]));
  const snug_recording *const *all = (const snug_recording *const *)o.recordings;
  ASSERT_OK(m->ctx, snug_view_create(m->ctx, all, &m->path, 1, &o.view));
  return o;
}

static void check_form(const snug_view *v, snug_view_form form, const char *part) {
  paper p = write_form(v, form);
  ASSERT_HAS(p.text, part);
  free(p.text);
}

TEST(a_run_that_diverged_is_told_by_its_last_value) {
  snug_ctx *ctx = test_ctx();
  made m = make(ctx, test_path("run.snug"));
  tell_loss(&m, 0, 0.5);
  tell_loss(&m, 1, NAN);
  opened o = look_at_made(&m);
  ASSERT_TRUE(isnan(snug_view_figure(o.view, 0, "loss")));
  ASSERT_OK(ctx, snug_view_judge(o.view, &(snug_view_rule){"rule", "loss", SNUG_VIEW_AT_MOST, 9}));
  ASSERT_EQ_UINT(snug_view_broken(o.view), 1);
  check_form(o.view, SNUG_VIEW_TEXT, " nan\n");
  check_form(o.view, SNUG_VIEW_HTML, "<td>nan</td>");
  end(&o);
}

/* Rows are in order and each epoch has one, whatever has moments and whatever has values. */
static void check_rows(const snug__run *r, const int64_t *epochs, size_t n) {
  ASSERT_EQ_UINT(r->epochs.n, n);
  for (size_t i = 0; i < n; i++) {
    ASSERT_EQ_INT(snug__run_epoch(r, i)->epoch, epochs[i]);
  }
}

TEST(moments_and_values_are_merged_by_epoch) {
  snug_ctx *ctx = test_ctx();
  made m = make(ctx, test_path("run.snug"));
  for (int64_t epoch = 2; epoch < 12; epoch++) {
    if (epoch == 4 || epoch == 8) {
      tell(&m, (double)epoch, "epoch_begin", epoch, -1);
      tell(&m, (double)epoch + 0.5, "epoch_end", epoch, 9);
    }
    if (epoch == 2 || epoch % 3 == 2 || epoch == 8) {
      tell_loss(&m, epoch, (double)epoch);
    }
  }
  tell_loss(&m, 5, 55.0);
  opened o = look_at_made(&m);
  const snug__run *r = &o.view->runs[0];
  check_rows(r, (const int64_t[]){2, 4, 5, 8, 11}, 5);
  ASSERT_EQ_UINT(snug__run_epoch(r, 1)->logs.n, 0);
  ASSERT_NEAR(snug_logs_get(&snug__run_epoch(r, 2)->logs, "loss"), 55.0, 0);
  ASSERT_NEAR(snug_logs_get(&snug__run_epoch(r, 3)->logs, "loss"), 8.0, 0);
  ASSERT_EQ_INT(snug__run_epoch(r, 3)->batches, 10);
  ASSERT_NEAR(snug_view_figure(o.view, 0, "loss"), 11.0, 0);
  ASSERT_NEAR(snug_view_figure(o.view, 0, "epochs"), 10.0, 0);
  check_form(o.view, SNUG_VIEW_TEXT, "10 epochs in ");
  end(&o);
}

TEST(an_epoch_that_ran_again_has_one_row) {
  static const int64_t order[] = {0, 1, 2, 1, 2, 3};
  snug_ctx *ctx = test_ctx();
  made m = make(ctx, test_path("run.snug"));
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    tell(&m, 2.0 * (double)i, "epoch_begin", order[i], -1);
    tell(&m, 2.0 * (double)i + 1.0, "epoch_end", order[i], 4);
    tell_loss(&m, order[i], 10.0 * (double)i);
  }
  opened o = look_at_made(&m);
  const snug__run *r = &o.view->runs[0];
  check_rows(r, (const int64_t[]){0, 1, 2, 3}, 4);
  ASSERT_NEAR(snug__run_epoch(r, 1)->begin, 6.0, 0);
  ASSERT_NEAR(snug_logs_get(&snug__run_epoch(r, 2)->logs, "loss"), 40.0, 0);
  ASSERT_EQ_UINT(snug__run_epoch(r, 3)->batches_before, 15);
  check_form(o.view, SNUG_VIEW_CSV, "\n3,epoch_end,1,4,5242880,5242880,,,,,,,,0,30\n");
  end(&o);
}

TEST(a_run_without_epochs_has_no_number_of_them) {
  snug_ctx *ctx = test_ctx();
  opened o = look_at(ctx, test_path("run.snug"), "watch");
  ASSERT_TRUE(isnan(snug_view_figure(o.view, 0, "epochs")));
  end(&o);
}

TEST(sums_of_nonsense_do_not_wrap_around) {
  snug_ctx *ctx = test_ctx();
  made m = make(ctx, test_path("run.snug"));
  const snug_memory_piece piece = {"layer", "op", "weights", UINT64_MAX - 5};
  tell(&m, 1.0, "sample", -1, -1);
  ASSERT_OK(ctx, snug_recorder_begin_peak(m.recorder, 1.0));
  ASSERT_OK(ctx, snug_recorder_piece(m.recorder, &piece));
  ASSERT_OK(ctx, snug_recorder_piece(m.recorder, &piece));
  opened o = look_at_made(&m);
  const snug__run *r = &o.view->runs[0];
  ASSERT_EQ_UINT(snug__run_holder(r, 0)->bytes, UINT64_MAX);
  ASSERT_EQ_UINT(snug__run_holder(r, 0)->parts[SNUG__WEIGHTS], UINT64_MAX);
  ASSERT_EQ_UINT(r->in_pieces, UINT64_MAX);
  end(&o);
}

TEST(bytes_are_told_from_values) {
  static const char *const bytes[] = {"peak",       "device",          "peak_memory",
                                      "gpu_memory", "peak_gpu_memory", "peak_gpu_memory_1"};
  static const char *const values[] = {"memory_cell_loss", "loss", "gpu_memory_share",
                                       "val_memory"};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    ASSERT_TRUE(snug__figure_is_bytes(bytes[i]));
  }
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    ASSERT_FALSE(snug__figure_is_bytes(values[i]));
  }
}

TEST(differences_from_what_is_not_above_zero_are_plain) {
  char text[SNUG__TIME_BYTES];
  ASSERT_EQ_TEXT(snug__percent_text(-2.0, -1.0, text), "");
  ASSERT_EQ_TEXT(snug__percent_text(1.0, 0.0, text), "");
  ASSERT_EQ_TEXT(snug__percent_text(1.5, 1.0, text), "+50.0 %");
  ASSERT_EQ_TEXT(snug__more_text(-2.0, -1.0, text), "-1.0000");
  ASSERT_EQ_TEXT(snug__more_text(0.25, 0.0, text), "+0.2500");
}

/* ---- traces ---- */

TEST(counters_fall_to_zero) {
  snug_ctx *ctx = test_ctx();
  made m = make(ctx, test_path("run.snug"));
  for (int i = 0; i < 3; i++) {
    snug_moment moment = {.struct_size = sizeof moment,
                          .seconds = i,
                          .at = "sample",
                          .epoch = -1,
                          .batch = -1,
                          .resident = MIB};
    moment.held = i == 1 ? MIB : 0;
    ASSERT_OK(ctx, snug_recorder_moment(m.recorder, &moment));
  }
  opened o = look_at_made(&m);
  paper p = write_form(o.view, SNUG_VIEW_TRACE);
  ASSERT_EQ_UINT(count(p.text, "\"held by Snug\""), 2);
  ASSERT_HAS(p.text, "{\"held\":0}");
  ASSERT_NULL(strstr(p.text, "device memory"));
  free(p.text);
  end(&o);
}

/* ---- pages ---- */

static void check_headline(snug_ctx *ctx, const char *path, const char *name, const char *value,
                           const char *headline) {
  made m = make(ctx, path);
  tell(&m, 1.0, "sample", -1, -1);
  ASSERT_OK(ctx, snug_recorder_fact(m.recorder, name, value));
  opened o = look_at_made(&m);
  check_form(o.view, SNUG_VIEW_HTML, headline);
  end(&o);
}

/* The first sentence tells how it ended, when it held the most, and where a step needs the most. */
TEST(a_report_begins_with_sentences) {
  static const struct {
    const char *kind, *says;
  } cases[] = {
      {"fit",
       "Ended, 3.54 s after it began. It held the most, 56.0 MiB of the 64.0 MiB that it may, "
       "in the validation of epoch 2; a step needs the most in the backward of conv1."},
      {"cut",
       "Cut short: the run was killed, or still goes on; it was last seen during epoch 2. It "},
      {"killed",
       "Killed by the kernel for memory, 5.00 s after it began. It held the most, 124 MiB, "
       "1.25 s after it began."},
      {"bare", "Ended. No memory was recorded."}};
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    opened o = look_at(ctx, path, cases[i].kind);
    check_form(o.view, SNUG_VIEW_JSON, cases[i].says);
    end(&o);
  }
}

TEST(a_failed_run_has_a_bad_headline) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  check_headline(ctx, path, "end.verdict", "failed: no data", "<h1 class=\"bad\">");
  check_headline(ctx, path, "end.verdict", "trained to the end", "<h1 class=\"good\">");
  check_headline(ctx, path, "result.exit_code", "-9", "<h1 class=\"bad\">");
  check_headline(ctx, path, "result.exit_code", "1", "<h1 class=\"bad\">");
  check_headline(ctx, path, "result.exit_code", "0", "<h1 class=\"good\">");
}

/* What is held may be more than what is resident: pages that were never touched. */
TEST(the_axis_reaches_to_what_is_held) {
  snug_ctx *ctx = test_ctx();
  made m = make(ctx, test_path("run.snug"));
  snug_moment moment = {
      .struct_size = sizeof moment, .seconds = 1.0, .at = "sample", .epoch = -1, .batch = -1};
  moment.resident = moment.peak = 5 * MIB;
  moment.held = moment.held_peak = 40 * MIB;
  ASSERT_OK(ctx, snug_recorder_moment(m.recorder, &moment));
  opened o = look_at_made(&m);
  check_form(o.view, SNUG_VIEW_HTML, ">40 MiB</text>");
  end(&o);
}

/* Axes end at round numbers, and their steps are round, whatever the run held. */
TEST(axes_have_round_numbers) {
  static const struct {
    double mib;
    const char *labels[3];
  } cases[] = {{1.1, {">0.2 MiB<", ">1 MiB<", ">1.2 MiB<"}},
               {47.0, {">10 MiB<", ">40 MiB<", ">50 MiB<"}},
               {766.0, {">200 MiB<", ">600 MiB<", ">800 MiB<"}},
               {1990.0, {">0.5 GiB<", ">1 GiB<", ">2 GiB<"}}};
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < SNUG_COUNT(cases); i++) {
    made m = make(ctx, test_path("run.snug"));
    snug_moment moment = {
        .struct_size = sizeof moment, .seconds = 23.0, .at = "sample", .epoch = -1, .batch = -1};
    moment.resident = moment.peak = (uint64_t)(cases[i].mib * MIB);
    ASSERT_OK(ctx, snug_recorder_moment(m.recorder, &moment));
    opened o = look_at_made(&m);
    for (int k = 0; k < 3; k++) {
      check_form(o.view, SNUG_VIEW_HTML, cases[i].labels[k]);
    }
    check_form(o.view, SNUG_VIEW_HTML, ">15 s<");
    end(&o);
  }
}

/* The page of several: who they are, what they may hold, how their values went on. */
TEST(a_compare_page_tells_models_limits_and_losses) {
  static const char *const parts[] = {
      "student held the least, 28.0 MiB: -77.4 % beside killed, 124 MiB</h1>",
      "4 runs compared",
      ">cnn.keras</td>",
      ">python train.py --fast</td>",
      ">Killed by the kernel for memory, 5.00 s after it began.</td>",
      "in the backward of conv1.</td>",
      "limit of killed: 120 MiB</text>",
      ">limit: 64.0 MiB</text>",
      "<h2>loss over the epochs</h2>",
      "<h2>accuracy over the epochs</h2>",
      "<li>paler: val_loss</li>",
      "<th scope=\"row\">val_accuracy</th>"};
  const char *const names[] = {"fit", "student", "over", "killed"};
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look(ctx, path, names, 4);
  for (size_t i = 0; i < SNUG_COUNT(parts); i++) {
    check_form(o.view, SNUG_VIEW_HTML, parts[i]);
  }
  end(&o);
}

/* In CI both are called run.snug. */
TEST(files_of_one_name_keep_their_folders) {
  const char *const kinds_of[] = {"fit", "student", "over"};
  const char *const names[] = {"main/run.snug", "branch/run.snug", "old/other.snug"};
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look(ctx, path, kinds_of, 3);
  snug_view_destroy(o.view);
  const snug_recording *const *all = (const snug_recording *const *)o.recordings;
  ASSERT_OK(ctx, snug_view_create(ctx, all, names, 3, &o.view));
  for (snug_view_form form = SNUG_VIEW_TEXT; form <= SNUG_VIEW_HTML; form += 4) {
    check_form(o.view, form, "main/run.snug");
    check_form(o.view, form, "branch/run.snug");
    check_form(o.view, form, "other.snug");
    paper p = write_form(o.view, form);
    ASSERT_NULL(strstr(p.text, "old/other"));
    free(p.text);
  }
  end(&o);
}

/* ---- rules ---- */

static size_t broken_by(snug_ctx *ctx, const char *path, const char *figure, snug_view_bound bound,
                        double limit) {
  const char *const names[] = {"fit", "student"};
  opened o = look(ctx, path, names, 2);
  ASSERT_OK(ctx, snug_view_judge(o.view, &(snug_view_rule){"rule", figure, bound, limit}));
  size_t n = snug_view_broken(o.view);
  end(&o);
  return n;
}

TEST(rules_bound_figures) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_AT_MOST, 56.0 * MIB), 0);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_AT_MOST, 55.0 * MIB), 1);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_AT_MOST, 1.0), 2);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_ABOVE, 0.0), 0);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_BELOW, 28.0 * MIB), 0);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_BELOW, 27.0 * MIB), 1);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_BELOW_PART, 0.5), 0);
  ASSERT_EQ_UINT(broken_by(ctx, path, "peak", SNUG_VIEW_BELOW_PART, 0.49), 1);
  ASSERT_EQ_UINT(broken_by(ctx, path, "loss", SNUG_VIEW_ABOVE_PART, 0.0), 0);
  ASSERT_EQ_UINT(broken_by(ctx, path, "device", SNUG_VIEW_AT_MOST, 1e12), 2);
  ASSERT_EQ_UINT(broken_by(ctx, path, "device", SNUG_VIEW_ABOVE_PART, 1.0), 1);
}

TEST(bad_calls_are_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "one");
  snug_view *v = NULL;
  const snug_recording *none = NULL;
  const snug_recording *const *all = (const snug_recording *const *)o.recordings;
  ASSERT_STATUS(ctx, snug_view_create(ctx, all, NULL, 0, &v), SNUG_E_ARGUMENT, "1 to 64");
  ASSERT_STATUS(ctx, snug_view_create(ctx, &none, NULL, 1, &v), SNUG_E_ARGUMENT, NULL);
  ASSERT_STATUS(ctx, snug_view_create(ctx, NULL, NULL, 1, &v), SNUG_E_ARGUMENT, NULL);
  ASSERT_NULL(v);
  const snug_view_rule wrong[] = {{NULL, "peak", SNUG_VIEW_ABOVE, 1.0},
                                  {"x", NULL, SNUG_VIEW_ABOVE, 1.0},
                                  {"x", "peak", SNUG_VIEW_ABOVE, -1.0},
                                  {"x", "peak", SNUG_VIEW_ABOVE, NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ASSERT_STATUS(ctx, snug_view_judge(o.view, &wrong[i]), SNUG_E_ARGUMENT, "a rule has");
  }
  ASSERT_STATUS(ctx, snug_view_tensorboard(o.view, "", false), SNUG_E_ARGUMENT, "folder");
  snug_view_write(o.view, SNUG_VIEW_TEXT, NULL);
  snug_view_write(NULL, SNUG_VIEW_TEXT,
                  &(snug_view_options){.struct_size = sizeof(snug_view_options), .sink = put});
  snug_view_verdict(NULL, 0, false, NULL, 0);
  snug_view_destroy(NULL);
  end(&o);
}

/* ---- forms ---- */

static json_t *parse(const paper *p) {
  json_error_t error;
  json_t *root = json_loadb(p->text, p->bytes, JSON_REJECT_DUPLICATES, &error);
  if (!root) {
    test_fail(__FILE__, __LINE__, "not JSON: %s at %d: %.200s", error.text, error.position,
              p->text);
  }
  return root;
}

TEST(json_is_json_whatever_was_recorded) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  for (size_t i = 0; i < KINDS; i++) {
    opened o = look_at(ctx, path, kinds[i]);
    paper p = write_form(o.view, SNUG_VIEW_JSON);
    json_t *root = parse(&p);
    ASSERT_EQ_INT(json_integer_value(json_object_get(root, "schema")), SNUG_VIEW_SCHEMA);
    ASSERT_EQ_UINT(json_array_size(json_object_get(root, "moments")),
                   snug_recording_moments(o.recordings[0]));
    json_decref(root);
    free(p.text);
    end(&o);
  }
}

/* Of each counter of each process, in the order of the file. */
static void check_trace(json_t *events) {
  size_t i, counters = 0, spans = 0;
  json_t *event;
  json_int_t at = 0, process = 0;
  json_array_foreach(events, i, event) {
    const char *kind = json_string_value(json_object_get(event, "ph"));
    json_int_t now = json_integer_value(json_object_get(event, "ts"));
    json_int_t of = json_integer_value(json_object_get(event, "pid"));
    at = of == process ? at : 0;
    process = of;
    if (strcmp(kind, "C") == 0) {
      ASSERT_TRUE(now >= at);
      at = now;
      counters++;
    }
    if (strcmp(kind, "X") == 0) {
      ASSERT_TRUE(json_integer_value(json_object_get(event, "dur")) >= 0);
      spans++;
    }
  }
  ASSERT_TRUE(counters > 100 && spans > 900);
}

TEST(traces_go_forward_in_time) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  const char *const names[] = {"long", "watch", "fit", "hostile"};
  opened o = look(ctx, path, names, 4);
  paper p = write_form(o.view, SNUG_VIEW_TRACE);
  json_t *root = parse(&p);
  check_trace(json_object_get(root, "traceEvents"));
  json_decref(root);
  free(p.text);
  end(&o);
}

/* Every element that is opened is ended, and nothing of a recording became one. */
static void check_page(const char *html) {
  static const char *const elements[] = {"main", "svg",   "table", "tr", "td",     "h1",
                                         "h2",   "title", "div",   "g",  "details"};
  char open[16], open_with[16], close[16];
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    snprintf(open, sizeof open, "<%s>", elements[i]);
    snprintf(open_with, sizeof open_with, "<%s ", elements[i]);
    snprintf(close, sizeof close, "</%s>", elements[i]);
    ASSERT_EQ_UINT(count(html, open) + count(html, open_with), count(html, close));
  }
  ASSERT_NULL(strstr(html, "<script"));
  ASSERT_NULL(strstr(html, "nan"));
  ASSERT_NULL(strchr(html, '\x1b'));
}

TEST(pages_are_whole_whatever_was_recorded) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  for (size_t i = 0; i < KINDS; i++) {
    opened o = look_at(ctx, path, kinds[i]);
    paper p = write_form(o.view, SNUG_VIEW_HTML);
    check_page(p.text);
    free(p.text);
    end(&o);
  }
  opened o = look(ctx, path, kinds, KINDS);
  paper p = write_form(o.view, SNUG_VIEW_HTML);
  check_page(p.text);
  free(p.text);
  end(&o);
}

TEST(texts_do_nothing_to_a_terminal) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look(ctx, path, kinds, KINDS);
  for (size_t i = 0; i <= KINDS; i++) {
    opened single = look_at(ctx, path, kinds[i % KINDS]);
    paper p = write_form(i < KINDS ? single.view : o.view, SNUG_VIEW_TEXT);
    for (const char *c = p.text; *c; c++) {
      ASSERT_TRUE((unsigned char)*c >= ' ' || *c == '\n');
      ASSERT_TRUE(*c != 0x7F);
    }
    free(p.text);
    end(&single);
  }
  end(&o);
}

/* The split of pages is that of the moment at which the peak was seen: it is told where that is the
 * peak's own, not where the high-water mark told of it later; then it is told since when that may
 * have been. */
TEST(pages_are_those_of_the_peak) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("pages");
  static const char *const names[] = {"run"};
  for (int is_seen = 0; is_seen < 2; is_seen++) {
    snug_recorder *rec = NULL;
    opened o = {.n = 1};
    ASSERT_OK(ctx, snug_recorder_open(ctx, path, true, &rec));
    snug_moment m = {
        .struct_size = sizeof m, .seconds = 1, .at = "sample", .epoch = -1, .batch = -1};
    m.resident = m.peak = 5 * MIB;
    ASSERT_OK(ctx, snug_recorder_moment(rec, &m));
    m.seconds = 3;
    m.peak = 40 * MIB;
    m.resident = is_seen ? 40 * MIB : 5 * MIB;
    m.anonymous = m.resident - MIB;
    m.file = MIB;
    ASSERT_OK(ctx, snug_recorder_moment(rec, &m));
    ASSERT_OK(ctx, snug_recorder_close(rec));
    ASSERT_OK(ctx, snug_recording_open(ctx, path, &o.recordings[0]));
    const snug_recording *const *all = (const snug_recording *const *)o.recordings;
    ASSERT_OK(ctx, snug_view_create(ctx, all, names, 1, &o.view));
    paper p = write_form(o.view, SNUG_VIEW_TEXT);
    ASSERT_EQ_UINT(count(p.text, "anonymous"), is_seen);
    ASSERT_EQ_UINT(count(p.text, "1.00 s to 3.00 s"),
                   is_seen ? 0 : 2); /* in a sentence and a row */
    free(p.text);
    end(&o);
  }
}

/* ---- event files ---- */

TEST(crc32c_is_castagnolis) {
  ASSERT_EQ_UINT(snug__crc32c("123456789", 9), 0xE3069283u);
  ASSERT_EQ_UINT(snug__crc32c("", 0), 0);
}

static size_t file_bytes(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? (size_t)info.st_size : 0;
}

TEST(event_files_are_replaced_only_if_told) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "fit");
  char file[4096];
  const char *folder = test_path("logs");
  snprintf(file, sizeof file, "%s/train/events.out.tfevents.1767323045.snug.0.0", folder);
  ASSERT_OK(ctx, snug_view_tensorboard(o.view, folder, false));
  size_t bytes = file_bytes(file);
  ASSERT_TRUE(bytes > 1000);
  ASSERT_STATUS(ctx, snug_view_tensorboard(o.view, folder, false), SNUG_E_IO, "exists");
  ASSERT_OK(ctx, snug_view_tensorboard(o.view, folder, true));
  ASSERT_EQ_UINT(file_bytes(file), bytes);
  ASSERT_STATUS(ctx, snug_view_tensorboard(o.view, "/dev/null/x", false), SNUG_E_IO, "/dev/null");
  end(&o);
}

TEST(a_folder_that_is_too_long_is_refused) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("run.snug");
  opened o = look_at(ctx, path, "one");
  char folder[5000];
  memset(folder, 'x', sizeof folder);
  folder[sizeof folder - 1] = '\0';
  ASSERT_STATUS(ctx, snug_view_tensorboard(o.view, folder, false), SNUG_E_OVERFLOW, "too long");
  end(&o);
}

/* ---- memory ---- */

static snug_status view_all(snug_ctx *ctx, void *arg) {
  const char *const *paths = arg;
  snug_recording *recordings[2] = {NULL, NULL};
  snug_view *v = NULL;
  snug_status s = snug_recording_open(ctx, paths[0], &recordings[0]);
  s = s ? s : snug_recording_open(ctx, paths[1], &recordings[1]);
  s = s ? s : snug_view_create(ctx, (const snug_recording *const *)recordings, paths, 2, &v);
  const snug_view_rule rule = {"peak:+5%", "peak", SNUG_VIEW_ABOVE_PART, 0.05};
  s = s ? s : snug_view_judge(v, &rule);
  s = s ? s : snug_view_tensorboard(v, paths[2], true);
  if (!s) {
    for (int form = SNUG_VIEW_TEXT; form <= SNUG_VIEW_HTML; form++) {
      free(write_form(v, (snug_view_form)form).text);
    }
  }
  snug_view_destroy(v);
  snug_recording_destroy(recordings[0]);
  snug_recording_destroy(recordings[1]);
  return s;
}

TEST(every_request_for_memory_may_fail) {
  snug_ctx *ctx = test_ctx();
  const char *paths[] = {test_path("a"), test_path("b"), test_path("logs")};
  ASSERT_OK(ctx, test_run_record(ctx, "fit", paths[0]));
  ASSERT_OK(ctx, test_run_record(ctx, "watch", paths[1]));
  test_fault_sweep(view_all, paths);
}
