/* What fit says: the plan before, a box (fit_box.c) or JSON after. */
#include <signal.h>

#include "plan.h"

#define TEXT_BYTES 512

static int64_t validation_samples(const fit_run *r) {
  return r->fit.validation_data ? r->validation.x[0].shape[0] : 0;
}

/* "; 91 nodes run twice (+9 %)", or nothing. */
static const char *price_text(const fit_run *r, char *dst, size_t bytes) {
  char how[TEXT_BYTES / 2], more[32];
  dst[0] = '\0';
  if (*plan_how(&r->point, &r->fastest, "", how, sizeof how)) {
    snprintf(dst, bytes, "; %s (%s)", how,
             plan_more(r->point.seconds, r->fastest.seconds, more, sizeof more));
  }
  return dst;
}

static void announce_plan(const fit_run *r) {
  char needs[SNUG_BYTES_TEXT], size[SNUG_BYTES_TEXT], time[32], price[TEXT_BYTES];
  char result[TEXT_BYTES];
  double seconds = r->point.seconds;
  snug_bytes_text(r->planned.process ? r->planned.process : r->planned.planned, needs);
  if (r->line.bytes) {
    fprintf(stderr, "Plan: fits. %s of %s for the whole process%s", needs,
            snug_bytes_text(r->line.bytes, size), price_text(r, price, sizeof price));
  } else {
    char samples[48] = ""; /* of a stream nobody knows how many */
    if (fit_samples(r)) {
      snprintf(samples, sizeof samples, "on %lld samples ", (long long)fit_samples(r));
    }
    fprintf(stderr, "Plan: training %sin batches of %lld takes %s", samples,
            (long long)r->fit.batch_size, needs);
  }
  fprintf(stderr, "%s%s%s.\n", seconds > 0.0 ? ", about " : "",
          seconds > 0.0 ? terminal_time(seconds, time, sizeof time) : "",
          seconds > 0.0 ? " a step" : "");
  if (*r->line.why) {
    fprintf(stderr, "The line: %s.\n", r->line.why);
  }
  if (r->line.bytes || r->resumes) {
    fprintf(stderr, "The result: %s.\n", plan_result(r, result, sizeof result));
  }
  if (*r->note) {
    fprintf(stderr, "Note: %s.\n", r->note);
  }
}

/* Told however quiet the command is to be: without it the run may end without a word. */
static void warn(const fit_run *r) {
  char text[LINE_WARNING_BYTES];
  if (*line_warning(&r->line, r->planned.process, text)) {
    fprintf(stderr, "Warning: %s.\n", text);
  }
}

void fit_announce(const fit_run *r) {
  warn(r);
  if (r->progress == FIT_SILENT || r->options->common.quiet) {
    return;
  }
  announce_plan(r);
  if (r->job.augmentation) {
    fprintf(stderr, "The model's own augmentation is done while images are read: --augment '%s'.\n",
            r->job.augmentation);
  }
  if (!r->options->output && !r->options->checkpoint) {
    fputs("Nothing will be saved: there is neither -o FILE nor --checkpoint PATH.\n", stderr);
  }
}

static void print_layers(const fit_run *r) {
  char weights[SNUG_BYTES_TEXT], optimizer[SNUG_BYTES_TEXT], step[SNUG_BYTES_TEXT];
  printf("%-32s %10s %10s %12s\n", "layer", "weights", "optimizer", "at the peak");
  for (size_t i = 0; i < r->n_layers; i++) {
    const snug_layer_memory *l = &r->layers[i];
    printf("%-32s %10s %10s %12s\n", l->layer, snug_bytes_text(l->weights, weights),
           snug_bytes_text(l->optimizer, optimizer), snug_bytes_text(l->step, step));
  }
}

/* ---- JSON ---- */

/* As Keras's History: a list per value, and the epochs they belong to. */
static void print_json_history(const fit_run *r, json *j) {
  int64_t epochs = snug_history_epochs(r->history);
  snug_logs first = snug_history_logs(r->history, 0);
  json_array(j, "epoch");
  for (int64_t e = 0; e < epochs; e++) {
    json_int(j, NULL, r->fit.initial_epoch + e);
  }
  json_end(j);
  json_object(j, "history");
  for (size_t i = 0; i < first.n; i++) {
    json_array(j, first.names[i]);
    for (int64_t e = 0; e < epochs; e++) {
      json_real(j, NULL, snug_history_logs(r->history, e).values[i]);
    }
    json_end(j);
  }
  json_end(j);
}

static void print_json(const fit_run *r) {
  char result[TEXT_BYTES];
  json j = json_begin(stdout);
  json_text(&j, "model", r->options->job.model);
  json_int(&j, "samples", fit_samples(r));
  json_int(&j, "validation_samples", validation_samples(r));
  json_int(&j, "batch_size", r->fit.batch_size);
  print_json_history(r, &j);
  plan_json_memory(&j, &r->memory);
  plan_json_data(&j, &r->data);
  plan_json_layers(&j, r);
  samples_print_json(r, &j);
  json_int(&j, "steps", r->steps);
  json_real(&j, "seconds", r->seconds);
  json_real(&j, "step_seconds", r->point.seconds); /* as planned */
  json_bool(&j, "same_bits", plan_same_bits(r));
  json_text(&j, "result", plan_result(r, result, sizeof result));
  json_text(&j, "interrupted",
            !r->interrupted             ? NULL
            : r->interrupted == SIGTERM ? "SIGTERM"
            : r->interrupted == SIGHUP  ? "SIGHUP"
                                        : "SIGINT");
  json_text(&j, "saved", *r->save.saved ? r->save.saved : NULL);
  json_array(&j, "unwritten");
  for (int i = 0; i < r->n_unwritten; i++) {
    json_text(&j, NULL, r->unwritten[i]);
  }
  json_end(&j);
  json_finish(&j);
}

static void print_interrupted(const fit_run *r) {
  char time[32];
  terminal_time(r->seconds, time, sizeof time);
  fprintf(stderr, "Stopped after %lld steps, %s; %s%s.\n", (long long)r->steps, time,
          *r->save.saved ? "saved " : "nothing was saved", r->save.saved);
  if (r->backup && !*snug_callback_unwritten(r->backup)) {
    fprintf(stderr, "The same command goes on from the backup in %s.\n", r->options->backup);
  }
}

void fit_report(const fit_run *r) {
  if (r->options->common.json) {
    print_json(r);
  } else if (r->interrupted) {
    print_interrupted(r);
  } else if (!r->options->common.quiet) {
    if (r->options->more) {
      print_layers(r);
    }
    samples_print(r);
    fit_print_box(r);
  }
}
