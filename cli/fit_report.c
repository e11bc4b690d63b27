/* What fit says: the plan before, a box or JSON after. */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "fit.h"
#include "json.h"

#define TEXT_BYTES 512
#define SHOWN_LAYERS 3

/* The highest resident memory of this process so far, in bytes; 0 if it cannot be told. */
static uint64_t resident_peak(void) {
  char line[256];
  unsigned long long kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %llu", &kib) != 1) {
  }
  if (f) {
    fclose(f);
  }
  return (uint64_t)kib * 1024;
}

static int64_t validation_samples(const fit_run *r) {
  return r->fit.validation_data ? r->validation.x[0].shape[0] : 0;
}

void fit_announce(const fit_run *r) {
  char bytes[SNUG_BYTES_TEXT];
  if (r->progress == FIT_SILENT || r->options->common.quiet) {
    return;
  }
  fprintf(stderr, "Plan: training on %lld samples in batches of %lld takes %s.\n",
          (long long)fit_samples(r), (long long)r->fit.batch_size,
          snug_bytes_text(r->planned.planned, bytes));
  if (!r->options->output && !r->options->checkpoint) {
    fputs("Nothing will be saved: there is neither -o FILE nor --checkpoint PATH.\n", stderr);
  }
}

/* ---- the box ---- */

/* Append to a text of TEXT_BYTES. */
static void append(char *text, const char *separator, const char *name, const char *value) {
  size_t n = strlen(text);
  snprintf(text + n, TEXT_BYTES - n, "%s%s %s", n ? separator : "", name, value);
}

static void write_who(const fit_run *r, char *text) {
  char bytes[SNUG_BYTES_TEXT];
  char more[32];
  *text = '\0';
  for (size_t i = 0; i < r->n_layers && i < SHOWN_LAYERS; i++) {
    const snug_layer_memory *l = &r->layers[i];
    append(text, terminal_dot(&r->out), l->layer,
           snug_bytes_text(l->weights + l->optimizer + l->step, bytes));
  }
  if (r->n_layers > SHOWN_LAYERS) {
    snprintf(more, sizeof more, "%zu more", r->n_layers - SHOWN_LAYERS);
    append(text, terminal_dot(&r->out), "and", more);
  }
}

static snug_logs last_logs(const fit_run *r) {
  return snug_history_logs(r->history, snug_history_epochs(r->history) - 1);
}

static void write_values(const fit_run *r, char *text) {
  snug_logs logs = last_logs(r);
  char value[32];
  *text = '\0';
  for (size_t i = 0; i < logs.n; i++) {
    append(text, terminal_dot(&r->out), logs.names[i],
           terminal_value(logs.values[i], value, sizeof value));
  }
}

static void write_time(const fit_run *r, char *text) {
  char all[32];
  char step[32];
  int64_t epochs = snug_history_epochs(r->history);
  terminal_time(r->seconds, all, sizeof all);
  terminal_time(r->steps ? r->seconds / (double)r->steps : 0.0, step, sizeof step);
  snprintf(text, TEXT_BYTES, "%lld epoch%s in %s%s%s a step%s", (long long)epochs,
           epochs == 1 ? "" : "s", all, terminal_dot(&r->out), step,
           r->fit.validation_data || r->fit.validation_split > 0.0 ? ", validation included" : "");
}

/* What hooks take and give back, such as saving a checkpoint, is not part of the plan. */
static void write_title(const fit_run *r, char *text) {
  char peak[SNUG_BYTES_TEXT];
  char planned[SNUG_BYTES_TEXT];
  char more[SNUG_BYTES_TEXT];
  char verdict[64] = "equal to the byte";
  const snug_memory_report *m = &r->memory;
  if (m->measured > m->planned) {
    snprintf(verdict, sizeof verdict, "%s more while callbacks ran",
             snug_bytes_text(m->measured - m->planned, more));
  } else if (m->measured < m->planned) {
    snprintf(verdict, sizeof verdict, "held");
  }
  snprintf(text, TEXT_BYTES, "peak %s%splanned %s%s%s", snug_bytes_text(m->measured, peak),
           terminal_dot(&r->out), snug_bytes_text(m->planned, planned), terminal_dot(&r->out),
           verdict);
}

static void write_saved(const fit_run *r, char *text) {
  struct stat info;
  char bytes[SNUG_BYTES_TEXT];
  uint64_t size = stat(r->options->output, &info) == 0 ? (uint64_t)info.st_size : 0;
  snprintf(text, TEXT_BYTES, "%s, %s", r->options->output, snug_bytes_text(size, bytes));
}

static void write_next(const fit_run *r, char *text) {
  if (r->saved && cli_ends_in(r->options->output, ".keras")) {
    snprintf(text, TEXT_BYTES, "snug evaluate %s --data FILE", r->options->output);
  } else {
    snprintf(text, TEXT_BYTES, "snug fit %s ... -o trained.keras", r->options->job.model);
  }
}

static void print_box(const fit_run *r) {
  char title[TEXT_BYTES], values[TEXT_BYTES], what[TEXT_BYTES], who[TEXT_BYTES], when[TEXT_BYTES],
      process[TEXT_BYTES], saved[TEXT_BYTES], next[TEXT_BYTES], bytes[SNUG_BYTES_TEXT];
  snug_box_row rows[8];
  size_t n = 0;
  write_title(r, title);
  write_values(r, values);
  rows[n++] = (snug_box_row){"result", values};
  snug_memory_text(&r->memory, r->out.ascii, what, sizeof what);
  rows[n++] = (snug_box_row){"what", what};
  write_who(r, who);
  rows[n++] = (snug_box_row){"who", who};
  write_time(r, when);
  rows[n++] = (snug_box_row){"time", when};
  snprintf(process, sizeof process, "%s resident at most, data and libraries included",
           snug_bytes_text(resident_peak(), bytes));
  rows[n++] = (snug_box_row){"process", process};
  if (r->saved) {
    write_saved(r, saved);
    rows[n++] = (snug_box_row){"saved", saved};
  }
  write_next(r, next);
  rows[n++] = (snug_box_row){"next", next};
  terminal_box(&r->out, title, rows, n);
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

static void print_json_memory(const fit_run *r, json *j) {
  const snug_memory_report *m = &r->memory;
  json_object(j, "memory");
  json_int(j, "planned", (int64_t)m->planned);
  json_int(j, "measured", (int64_t)m->measured);
  json_int(j, "weights", (int64_t)m->weights);
  json_int(j, "gradients", (int64_t)m->gradients);
  json_int(j, "optimizer", (int64_t)m->optimizer);
  json_int(j, "activations", (int64_t)m->activations);
  json_int(j, "scratch", (int64_t)m->scratch);
  json_int(j, "data", (int64_t)m->data);
  json_int(j, "callbacks", (int64_t)m->callbacks);
  json_int(j, "runtime", (int64_t)m->runtime);
  json_int(j, "resident_peak", (int64_t)resident_peak());
  json_end(j);
}

static void print_json_layers(const fit_run *r, json *j) {
  json_array(j, "layers");
  for (size_t i = 0; i < r->n_layers; i++) {
    const snug_layer_memory *l = &r->layers[i];
    json_object(j, NULL);
    json_text(j, "layer", l->layer);
    json_int(j, "weights", (int64_t)l->weights);
    json_int(j, "optimizer", (int64_t)l->optimizer);
    json_int(j, "step", (int64_t)l->step);
    json_end(j);
  }
  json_end(j);
}

static void print_json(const fit_run *r) {
  json j = json_begin(stdout);
  json_text(&j, "model", r->options->job.model);
  json_int(&j, "samples", fit_samples(r));
  json_int(&j, "validation_samples", validation_samples(r));
  json_int(&j, "batch_size", r->fit.batch_size);
  print_json_history(r, &j);
  print_json_memory(r, &j);
  print_json_layers(r, &j);
  json_int(&j, "steps", r->steps);
  json_real(&j, "seconds", r->seconds);
  json_text(&j, "interrupted",
            !r->interrupted             ? NULL
            : r->interrupted == SIGTERM ? "SIGTERM"
                                        : "SIGINT");
  json_text(&j, "saved", r->saved ? r->options->output : NULL);
  json_finish(&j);
}

static void print_interrupted(const fit_run *r) {
  char time[32];
  terminal_time(r->seconds, time, sizeof time);
  fprintf(stderr, "Stopped after %lld steps, %s; %s%s.\n", (long long)r->steps, time,
          r->saved ? "saved " : "nothing was saved", r->saved ? r->options->output : "");
  if (r->options->backup) {
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
    print_box(r);
  }
}
