/* The memory at chosen batches and epochs: which ones, a table or CSV file of them, and JSON. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* ---- which ---- */

/* "7" or "20-30" */
static bool parse_span(const char *text, snug_span *out) {
  char first[32];
  const char *dash = strchr(text, '-');
  int n =
      snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text) : (int)strlen(text), text);
  return n < (int)sizeof first && cli_parse_count(first, &out->first) &&
         cli_parse_count(dash ? dash + 1 : first, &out->last) && out->first <= out->last;
}

static int check_spans(const cli_list *list, const char *verb, const char *option) {
  for (int32_t i = 0; i < list->n; i++) {
    snug_span span;
    if (!parse_span(list->items[i], &span)) {
      return cli_fail(CLI_USAGE,
                      "%s: %s: \"%s\" is neither a number from 0 on nor a range of them such as "
                      "20-30",
                      verb, option, list->items[i]);
    }
  }
  return CLI_OK;
}

int samples_check(const fit_options *o, const char *verb) {
  int code = check_spans(&o->target_batches, verb, "--target-batches");
  return code ? code : check_spans(&o->target_epochs, verb, "--target-epochs");
}

static int read_spans(const cli_list *list, snug_span **out) {
  *out = list->n ? malloc((size_t)list->n * sizeof **out) : NULL;
  if (list->n && !*out) {
    return cli_fail(CLI_FAILURE, "no memory for %d ranges", list->n);
  }
  for (int32_t i = 0; i < list->n; i++) {
    parse_span(list->items[i], &(*out)[i]); /* was checked */
  }
  return CLI_OK;
}

int samples_set_up(fit_run *r) {
  static const snug_span all = {0, INT64_MAX};
  const fit_options *o = r->options;
  int code = read_spans(&o->target_batches, &r->target_batches);
  code = code ? code : read_spans(&o->target_epochs, &r->target_epochs);
  r->fit.sampling =
      (snug_sampling){r->target_epochs, o->target_epochs.n, r->target_batches, o->target_batches.n};
  if (o->memory_log && !o->target_batches.n && !o->target_epochs.n) {
    r->fit.sampling.epochs = &all;
    r->fit.sampling.n_epochs = 1;
  }
  return code;
}

/* ---- the values of a sample ---- */

#define MOST_VALUES 12

typedef struct value {
  const char *name;
  uint64_t bytes;
} value;

static void list_values(const snug_memory_sample *s, value out[MOST_VALUES]) {
  const value values[MOST_VALUES] = {
      {"current", s->current},     {"peak", s->peak},           {"weights", s->weights},
      {"gradients", s->gradients}, {"optimizer", s->optimizer}, {"activations", s->activations},
      {"scratch", s->scratch},     {"data", s->data},           {"callbacks", s->callbacks},
      {"runtime", s->runtime},     {"resident", s->resident},   {"process_peak", s->process_peak}};
  memcpy(out, values, sizeof values);
}

/* ---- the file ---- */

#define ROW_BYTES 512

static snug_status write_head(snug_log_file *out) {
  char row[ROW_BYTES];
  value values[MOST_VALUES];
  list_values(&(snug_memory_sample){.struct_size = sizeof(snug_memory_sample), .at = ""}, values);
  size_t n = (size_t)snprintf(row, sizeof row, "epoch,batch,at");
  for (size_t i = 0; i < MOST_VALUES; i++) {
    n += (size_t)snprintf(row + n, sizeof row - n, ",%s", values[i].name);
  }
  n += (size_t)snprintf(row + n, sizeof row - n, "\r\n");
  return snug_log_file_write(out, row, n);
}

/* The log of a run that is resumed goes on; any other one begins with this fit. */
static snug_status begin_log(fit_run *r) {
  snug_log_file *out = &r->memory_log;
  snug_status s = SNUG_OK;
  if (!r->log_is_begun && !r->is_own[FIT_MEMORY_LOG]) {
    s = snug_log_file_cut(out, 0);
  }
  r->log_is_begun = true;
  return s || out->length ? s : write_head(out);
}

static snug_status write_sample(fit_run *r, const snug_memory_sample *s) {
  char row[ROW_BYTES];
  value values[MOST_VALUES];
  snug_status status = begin_log(r);
  list_values(s, values);
  size_t n = (size_t)snprintf(row, sizeof row, "%lld,%lld,%s", (long long)s->epoch,
                              (long long)s->batch, s->at);
  for (size_t i = 0; i < MOST_VALUES; i++) {
    n += (size_t)snprintf(row + n, sizeof row - n, ",%llu", (unsigned long long)values[i].bytes);
  }
  n += (size_t)snprintf(row + n, sizeof row - n, "\r\n");
  return status ? status : snug_log_file_write(&r->memory_log, row, n);
}

/* The training goes on without the rows that cannot be written. */
static bool write_row(void *user, const snug_memory_sample *s) {
  fit_run *r = user;
  if (write_sample(r, s) && !r->log_failed) {
    r->log_failed = true;
    fit_note_unwritten(r, cli_message(r->job.ctx), false);
  }
  return true;
}

int samples_open_log(fit_run *r) {
  const char *path = r->options->memory_log;
  snug_status s = path ? snug_log_file_open(&r->memory_log, r->job.ctx, path) : SNUG_OK;
  return s ? cli_fail_status(r->job.ctx, s) : CLI_OK;
}

snug_callback samples_callback(fit_run *r) {
  return (snug_callback){
      .struct_size = sizeof(snug_callback), .user = r, .memory_sample = write_row};
}

void samples_close_log(fit_run *r) {
  if (snug_log_file_close(&r->memory_log) && !r->log_failed) {
    fit_note_unwritten(r, cli_message(r->job.ctx), false);
  }
}

void samples_release(fit_run *r) {
  free(r->target_batches);
  free(r->target_epochs);
}

/* ---- what is shown ---- */

void samples_print_json(const fit_run *r, json *j) {
  json_array(j, "memory_samples");
  for (size_t i = 0; i < snug_history_samples(r->history); i++) {
    snug_memory_sample s = SNUG_INIT(snug_memory_sample);
    value values[MOST_VALUES];
    snug_history_sample(r->history, i, &s);
    list_values(&s, values);
    json_object(j, NULL);
    json_int(j, "epoch", s.epoch);
    json_int(j, "batch", s.batch);
    json_text(j, "at", s.at);
    for (size_t k = 0; k < MOST_VALUES; k++) {
      json_int(j, values[k].name, (int64_t)values[k].bytes);
    }
    json_end(j);
  }
  json_end(j);
}

/* A log has them already. */
void samples_print(const fit_run *r) {
  size_t n = r->options->memory_log ? 0 : snug_history_samples(r->history);
  if (n) {
    printf("%6s %8s %-12s %10s %10s %11s %10s\n", "epoch", "batch", "at", "current", "peak",
           "activations", "resident");
  }
  for (size_t i = 0; i < n; i++) {
    snug_memory_sample s = SNUG_INIT(snug_memory_sample);
    char current[SNUG_BYTES_TEXT], peak[SNUG_BYTES_TEXT], activations[SNUG_BYTES_TEXT],
        resident[SNUG_BYTES_TEXT], batch[24] = "";
    snug_history_sample(r->history, i, &s);
    if (s.batch >= 0) {
      snprintf(batch, sizeof batch, "%lld", (long long)s.batch);
    }
    printf("%6lld %8s %-12s %10s %10s %11s %10s\n", (long long)s.epoch, batch, s.at,
           snug_bytes_text(s.current, current), snug_bytes_text(s.peak, peak),
           snug_bytes_text(s.activations, activations), snug_bytes_text(s.resident, resident));
  }
}
