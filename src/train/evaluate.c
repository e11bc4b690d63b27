/* evaluate and predict: one pass over the data in order. */
#include <string.h>

#include "base/size.h"
#include "train/fit.h"
#include "train/fit_memory.h"

static snug__feed whole_feed(const snug_data *data, int64_t batch) {
  int64_t rows = snug__feed_samples(data);
  return (snug__feed){.data = data,
                      .rows = rows,
                      .batch = snug__min_i64(batch ? batch : SNUG__DEFAULT_BATCH, rows)};
}

/* The programs and the data of one pass. */
typedef struct whole {
  snug_model *model;
  snug__session session;
  snug__feed feed;
} whole;

static snug_status open_session(whole *w, snug__step_kind kind) {
  const snug__kernel_rules rules = snug__fit_rules(w->model);
  snug__session_spec spec = {.main_kind = kind,
                             .choice = {.most_scratch = rules.most_scratch},
                             .kernels = rules.fixed,
                             .weighted = kind == SNUG__STEP_TEST && w->feed.data->sample_weight,
                             .plan = w->model->plan};
  snug__feed_sizes(&w->feed, SNUG__SLOT_MAIN, &spec);
  SNUG_TRY(snug__session_init(&w->session, w->model, &spec));
  SNUG_TRY(snug__session_check_room(&w->session, kind == SNUG__STEP_TEST ? "evaluate" : "predict",
                                    w->feed.batch));
  return snug__session_commit(&w->session);
}

static void close_whole(whole *w) {
  snug__feed *feed = &w->feed;
  snug__feeds_close(w->model->ctx, &feed, 1);
  snug__session_release(&w->session);
}

static snug_status open_whole(whole *w, snug_model *m, const snug_data *data, int64_t batch_size,
                              snug__step_kind kind) {
  snug__feed *feed = &w->feed;
  *w = (whole){.model = m, .session = {.model = m}, .feed = whole_feed(data, batch_size)};
  snug_status s = snug__feeds_open(m, &feed, 1, kind == SNUG__STEP_TEST, 0);
  s = s ? s : open_session(w, kind);
  if (s) {
    close_whole(w);
  }
  return s;
}

/* One pass ends where the data do, and there must be such an end. */
static snug_status check_data(snug_model *m, const snug_data *data, bool with_labels) {
  SNUG_TRY(snug__feed_check(m, data, with_labels));
  return snug__feed_samples(data) >= 0
             ? SNUG_OK
             : snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: its number of samples is unknown",
                          data->source->name ? data->source->name : "data");
}

static snug_status check_batch(snug_model *m, int64_t batch_size) {
  return batch_size < 0
             ? snug__fail(m->ctx, SNUG_E_ARGUMENT, "batch_size=%lld; it must be 0 (for 32) or more",
                          (long long)batch_size)
             : SNUG_OK;
}

snug_status snug_evaluate(snug_model *m, const snug_data *data, int64_t batch_size, double *values,
                          size_t n) {
  snug__given given;
  whole w;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__training_need(m));
  SNUG_TRY(snug__data_read(m->ctx, data, &given));
  SNUG_TRY(check_batch(m, batch_size));
  if (!values || n != m->training->tracked.n) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "evaluate gives %zu values; there is room for %zu",
                      m->training->tracked.n, values ? n : 0);
  }
  SNUG_TRY(check_data(m, &given.data, true));
  SNUG_TRY(open_whole(&w, m, &given.data, batch_size, SNUG__STEP_TEST));
  snug_status status =
      snug__test_run(&w.session, &w.feed, SNUG__SLOT_MAIN, snug__feed_batches(&w.feed));
  status = status ? status : snug__training_results(m, values);
  close_whole(&w);
  return status;
}

/* Copy the predictions of one batch behind those of the batches before it. */
static void store_outputs(const snug__run *run, int64_t first_row, void *const *out,
                          int32_t n_out) {
  for (int32_t k = 0; k < n_out; k++) {
    const snug__type *t = snug__type_at(run->program->graph, run->step.out[k]);
    size_t bytes = (size_t)snug__type_bytes(t);
    size_t row = bytes / (size_t)run->step.batch;
    memcpy((char *)out[k] + (size_t)first_row * row,
           snug__program_data(run->program, run->step.out[k]), bytes);
  }
}

static snug_status predict_all(snug__session *s, snug__feed *feed, void *const *out,
                               int32_t n_out) {
  snug__feed_start(feed, 0, SNUG_NOT_TRAINING, 0);
  for (int64_t batch = 0; batch < snug__feed_batches(feed); batch++) {
    const snug__run *run = snug__session_run(s, SNUG__SLOT_MAIN, snug__feed_rows(feed, batch));
    SNUG_TRY(snug__feed_take(feed));
    snug__feed_fill(feed, batch, 0, run);
    snug__feed_give(feed);
    SNUG_TRY(snug__program_run(run->program));
    store_outputs(run, batch * feed->batch, out, n_out);
  }
  return SNUG_OK;
}

static snug_status check_predict(snug_model *m, const snug_data *data, int64_t batch_size,
                                 void *const *out, int32_t n_out) {
  SNUG_TRY(snug__model_finish(m));
  SNUG_TRY(check_batch(m, batch_size));
  if (n_out != (int32_t)m->outputs.n) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "predict: the model has %zu outputs, there is room for %d", m->outputs.n,
                      n_out);
  }
  for (int32_t k = 0; k < n_out; k++) {
    if (!out || !out[k]) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT, "predict: there is no room for output %d", k);
    }
  }
  return check_data(m, data, false);
}

snug_status snug_predict(snug_model *m, const snug_data *data, int64_t batch_size, void *const *out,
                         int32_t n_out) {
  snug__given given;
  whole w;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__data_read(m->ctx, data, &given));
  SNUG_TRY(check_predict(m, &given.data, batch_size, out, n_out));
  SNUG_TRY(snug__model_commit_weights(m));
  SNUG_TRY(open_whole(&w, m, &given.data, batch_size, SNUG__STEP_PREDICT));
  snug_status status = predict_all(&w.session, &w.feed, out, n_out);
  close_whole(&w);
  return status;
}
