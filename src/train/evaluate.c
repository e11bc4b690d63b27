/* evaluate and predict: one pass over the data in order. */
#include <string.h>

#include "base/size.h"
#include "train/fit.h"

static snug__feed whole_feed(const snug_data *data, int64_t batch) {
  int64_t rows = data->x[0].shape[0];
  return (snug__feed){.data = data,
                      .rows = rows,
                      .batch = snug__min_i64(batch ? batch : SNUG__DEFAULT_BATCH, rows)};
}

static snug_status open_session(snug__session *s, snug_model *m, const snug__feed *feed,
                                snug__step_kind kind) {
  snug__session_spec spec = {.main_kind = kind,
                             .weighted = kind == SNUG__STEP_TEST && feed->data->sample_weight,
                             .plan = m->plan};
  snug__feed_sizes(feed, SNUG__SLOT_MAIN, &spec);
  SNUG_TRY(snug__session_init(s, m, &spec));
  snug_status status = snug__session_commit(s);
  if (status) {
    snug__session_release(s);
  }
  return status;
}

static snug_status check_batch(snug_model *m, int64_t batch_size) {
  return batch_size < 0
             ? snug__fail(m->ctx, SNUG_E_ARGUMENT, "batch_size=%lld; it must be 0 (for 32) or more",
                          (long long)batch_size)
             : SNUG_OK;
}

snug_status snug_evaluate(snug_model *m, const snug_data *data, int64_t batch_size, double *values,
                          size_t n) {
  snug__session s;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__training_need(m));
  SNUG_TRY(check_batch(m, batch_size));
  if (!values || n != m->training->tracked.n) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "evaluate gives %zu values; there is room for %zu",
                      m->training->tracked.n, values ? n : 0);
  }
  SNUG_TRY(snug__feed_check(m, data, true));
  snug__feed feed = whole_feed(data, batch_size);
  SNUG_TRY(open_session(&s, m, &feed, SNUG__STEP_TEST));
  snug_status status = snug__test_run(&s, &feed, SNUG__SLOT_MAIN, snug__feed_batches(&feed));
  status = status ? status : snug__training_results(m, values);
  snug__session_release(&s);
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

static snug_status predict_all(snug__session *s, const snug__feed *feed, void *const *out,
                               int32_t n_out) {
  for (int64_t batch = 0; batch < snug__feed_batches(feed); batch++) {
    const snug__run *run = snug__session_run(s, SNUG__SLOT_MAIN, snug__feed_rows(feed, batch));
    snug__feed_fill(feed, batch, run);
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
  return snug__feed_check(m, data, false);
}

snug_status snug_predict(snug_model *m, const snug_data *data, int64_t batch_size, void *const *out,
                         int32_t n_out) {
  snug__session s;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(check_predict(m, data, batch_size, out, n_out));
  SNUG_TRY(snug__model_commit_weights(m));
  snug__feed feed = whole_feed(data, batch_size);
  SNUG_TRY(open_session(&s, m, &feed, SNUG__STEP_PREDICT));
  snug_status status = predict_all(&s, &feed, out, n_out);
  snug__session_release(&s);
  return status;
}
