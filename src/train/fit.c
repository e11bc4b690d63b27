/* Opening and closing a fit, and the plan of one that is not run. */
#include "train/fit.h"

#include <math.h>

#include "base/heap.h"
#include "base/size.h"
#include "base/store.h"
#include "base/struct_size.h"
#include "train/fit_memory.h"
#include "train/fit_plan.h"
#include "train/kept.h"
#include "train/lower.h"
#include "train/samples.h"
#include "train/slots.h"

/* ---- options ---- */

static snug_status refuse_option(snug_model *m, const char *name, double value,
                                 const char *allowed) {
  return snug__fail(m->ctx, SNUG_E_ARGUMENT, "fit: %s=%g; it must be %s", name, value, allowed);
}

static snug_status check_options(snug_model *m, const snug_fit_options *o) {
  const struct {
    const char *name;
    int64_t value;
  } counts[] = {{"batch_size", o->batch_size},
                {"initial_epoch", o->initial_epoch},
                {"epochs", o->epochs},
                {"steps_per_epoch", o->steps_per_epoch},
                {"validation_batch_size", o->validation_batch_size},
                {"validation_steps", o->validation_steps},
                {"validation_freq", o->validation_freq},
                {"micro_batch", o->micro_batch}};
  for (size_t i = 0; i < SNUG_COUNT(counts); i++) {
    if (counts[i].value < 0) {
      return refuse_option(m, counts[i].name, (double)counts[i].value, "0 or more");
    }
  }
  if (!(o->validation_split >= 0.0 && o->validation_split < 1.0)) {
    return refuse_option(m, "validation_split", o->validation_split, "from 0 up to, but not, 1");
  }
  if (o->n_callbacks < 0 || (o->n_callbacks && !o->callbacks) || o->n_class_weight < 0 ||
      (o->n_class_weight && !o->class_weight)) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "fit: %d callbacks or %lld class weights are counted but not given",
                      o->n_callbacks, (long long)o->n_class_weight);
  }
  return SNUG_OK;
}

static snug_status check_weights(snug_model *m, const snug_data *data, const snug_fit_options *o) {
  if (o->class_weight && data->sample_weight) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "fit: class_weight and sample_weight exclude each other");
  }
  if (o->class_weight && data->n_y != 1) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "fit: class_weight needs a model of one output, not %d", data->n_y);
  }
  for (int64_t i = 0; i < o->n_class_weight; i++) {
    if (!isfinite(o->class_weight[i])) {
      return refuse_option(m, "class_weight", o->class_weight[i], "finite");
    }
  }
  return SNUG_OK;
}

static const snug_callback *callback_at(const snug_fit_options *o, int32_t i) {
  const char *first = (const char *)o->callbacks;
  return (const snug_callback *)(const void *)(first + (size_t)i * o->callbacks->struct_size);
}

snug_callback snug__callback_at(const snug_fit_options *o, int32_t i) {
  snug_callback c;
  snug_status s = SNUG__READ(NULL, snug_callback, callback_at(o, i), &c);
  return s ? (snug_callback)SNUG_INIT(snug_callback) : c; /* they were checked */
}

static snug_status check_callbacks(snug_model *m, const snug_fit_options *o) {
  for (int32_t i = 0; i < o->n_callbacks; i++) {
    snug_callback c;
    const snug_callback *given = callback_at(o, i);
    SNUG_TRY(SNUG__READ(m->ctx, snug_callback, given, &c));
    if (given->struct_size != o->callbacks->struct_size) {
      return snug__fail(
          m->ctx, SNUG_E_ARGUMENT,
          "fit: callback %d has %zu bytes, the first has %zu: in an array, all are of "
          "one size",
          i, given->struct_size, o->callbacks->struct_size);
    }
  }
  return SNUG_OK;
}

/* ---- all of them ---- */

static snug_status set_up(snug__fit *f, const snug_data *data, const snug_fit_options *options) {
  snug_fit_options *o = &f->options;
  SNUG_TRY(SNUG__READ(f->model->ctx, snug_fit_options, options, o));
  SNUG_TRY(snug__data_read(f->model->ctx, data, &f->given));
  SNUG_TRY(snug__data_read(f->model->ctx, o->validation_data, &f->held));
  data = &f->given.data;
  o->validation_data = o->validation_data ? &f->held.data : NULL;
  SNUG_TRY(check_options(f->model, o));
  SNUG_TRY(check_callbacks(f->model, o));
  SNUG_TRY(snug__sampling_check(f->model, &o->sampling));
  o->epochs = o->epochs ? o->epochs : 1;
  o->batch_size = o->batch_size ? o->batch_size : SNUG__DEFAULT_BATCH;
  o->validation_batch_size = o->validation_batch_size ? o->validation_batch_size : o->batch_size;
  o->validation_freq = o->validation_freq ? o->validation_freq : 1;
  SNUG_TRY(snug__feed_check(f->model, data, true));
  SNUG_TRY(o->validation_data ? snug__feed_check(f->model, o->validation_data, true) : SNUG_OK);
  SNUG_TRY(check_weights(f->model, data, o));
  return snug__fit_open_feeds(f, data);
}

/* ---- programs, logs, history ---- */

snug_status snug__fit_make_session(snug__fit *f, const snug__step_choice *choice) {
  const snug__feed *t = &f->train;
  const snug__feed *v = &f->validation;
  snug__session_spec spec = {.main_kind = SNUG__STEP_TRAIN,
                             .choice = *choice,
                             .kernels = snug__fit_rules(f->model).fixed,
                             .weighted = t->data->sample_weight || t->class_weight,
                             .validation_weighted = f->has_validation && v->data->sample_weight,
                             .allow_batch_statistics = f->options.allow_batch_statistics,
                             .plan = f->model->plan,
                             .disk_folder = f->options.disk_folder};
  snug__feed_sizes(t, SNUG__SLOT_MAIN, &spec);
  if (f->has_validation) {
    snug__feed_sizes(v, SNUG__SLOT_VALIDATION, &spec);
  }
  SNUG_TRY(snug__session_init(&f->session, f->model, &spec));
  return snug__fit_memory(f, &f->history->memory);
}

/* Let callbacks take what they will hold.  The first failure ends it; f->n_prepared tells how far
 * it came. */
static snug_status prepare_callbacks(snug__fit *f) {
  for (; f->n_prepared < f->options.n_callbacks; f->n_prepared++) {
    const snug_callback c = snug__callback_at(&f->options, f->n_prepared);
    SNUG_TRY(c.prepare ? c.prepare(c.user) : SNUG_OK);
  }
  return SNUG_OK;
}

static void close_callbacks(snug__fit *f) {
  while (f->n_prepared > 0) {
    const snug_callback c = snug__callback_at(&f->options, --f->n_prepared);
    if (c.close) {
      c.close(c.user);
    }
  }
}

/* A plan that could not be run because its file has no room is told now. */
static snug_status check_disk(const snug__fit *f) {
  const snug__training *t = f->model->training;
  int64_t bytes = f->session.file_bytes + (snug__place_is_set(t->state) ? 0 : t->slots_bytes);
  return bytes && f->plan.chosen < f->plan.n_points
             ? snug__store_check(f->model->ctx, f->options.disk_folder, bytes)
             : SNUG_OK;
}

static snug_status open_all(snug__fit *f, const snug_data *data, const snug_fit_options *options) {
  SNUG_TRY(set_up(f, data, options));
  SNUG_TRY(snug__fit_note_options(f));
  SNUG_TRY(snug__settle_layouts(f->model, SNUG__STEP_TRAIN)); /* callbacks ask how weights lie */
  SNUG_TRY(snug__fit_fix_kernels(f));
  SNUG_TRY(snug__logs_create(f));
  SNUG_TRY(snug__samples_create(f));
  SNUG_TRY(prepare_callbacks(f));
  SNUG_TRY(snug__fit_plan(f));
  SNUG_TRY(check_disk(f));
  SNUG_TRY(f->has_kernels ? snug__kernel_list_check(&f->kernels) : SNUG_OK);
  return snug__fit_check_limit(f, &f->history->memory);
}

snug_status snug__fit_open(snug__fit *f, snug_model *m, const snug_data *data,
                           const snug_fit_options *options) {
  *f = (snug__fit){
      .model = m, .session = {.model = m}, .scratch = m->ctx->account.current[SNUG__MEM_SCRATCH]};
  SNUG_TRY(snug__training_need(m));
  f->outer = m->training->fit;
  m->training->fit = f;
  snug_scope_begin(m->ctx, &f->scope);
  snug__fit_count_process(f);
  snug_status s = open_all(f, data, options);
  if (s) {
    snug__fit_close(f, s, NULL);
  }
  return s;
}

void snug__fit_close(snug__fit *f, snug_status s, snug_history **history) {
  snug_ctx *ctx = f->model->ctx;
  if (f->history) {
    snug__fit_report_feeds(f, &f->history->data);
  }
  snug__fit_forget_classes(f);
  snug__fit_close_feeds(f);
  snug__augment_destroy(ctx, f->augment);
  snug__alive_release(&f->alive, ctx);
  snug__samples_end(f);
  snug__session_release(&f->session);
  snug__slots_decide(f->model, false); /* unless this fit has made the state */
  snug__planned_release(&f->plan, ctx);
  close_callbacks(f);
  snug__logs_release(f);
  snug__fit_free_kernels(f);
  f->model->training->fit = f->outer;
  snug_status ended = snug_scope_end(ctx, &f->scope);
  if ((!s || s == SNUG_E_STOPPED || f->is_through) && !ended && history) {
    f->history->memory.measured = f->scope.peak;
    f->history->memory.process_measured = snug__fit_process_peak();
    *history = f->history;
    f->history = NULL;
  }
  snug_history_destroy(f->history);
  snug__fit_forget(f->model); /* what follows, a save or another fit, starts from what is held */
}

static snug_status check_line(const snug__fit *f) {
  return snug__fit_is_planned(f) ? SNUG_OK
         : f->kept.is_kept && f->options.memory
             ? snug__kept_refuse(f)
             : snug__fit_refuse(f, &f->history->memory, f->plan.least);
}

/* A plan that stays within what the process may hold was judged as a whole: from here on nobody
 * asks again at each piece, where a page of noise would end a training that was promised to run.
 * The reserve of the plan does not count: what the system tells of a control group varies by as
 * much (pages charged ahead, what the kernel keeps for files). */
static snug_status run_planned(snug__fit *f) {
  snug__gate *gate = &f->model->ctx->account.gate;
  const snug__gate before = *gate;
  const snug_memory_report *r = &f->history->memory;
  if (r->process - r->reserve <= before.most) {
    snug__gate_set(gate, 0);
  }
  snug_status s = snug__fit_committed(f, snug__session_commit(&f->session));
  s = s ? s : snug__fit_run(f);
  snug__gate_set(gate, before.most);
  return s;
}

snug_status snug_fit(snug_model *m, const snug_data *data, const snug_fit_options *options,
                     snug_history **history) {
  snug__fit f;
  if (history) {
    *history = NULL;
  }
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__fit_open(&f, m, data, options));
  snug_status s = snug__fit_show_plan(&f);
  s = s ? s : check_line(&f);
  s = s ? s : run_planned(&f);
  snug__fit_close(&f, s, history);
  return s;
}
