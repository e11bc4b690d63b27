/* The box at the end of a fit: what was planned, what was measured, who held it. */
#include <string.h>
#include <sys/stat.h>

#include "fit.h"

#define TEXT_BYTES 512
#define SHOWN_LAYERS 3
#define MOST_ROWS (11 + FIT_MOST_UNWRITTEN)

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
    if (strcmp(logs.names[i], SNUG_PEAK_MEMORY) == 0) {
      continue;
    }
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
  if (r->point.seconds > 0.0) {
    terminal_time(r->point.seconds, step, sizeof step);
    append(text, terminal_dot(&r->out), "planned", step);
  }
}

/* How long steps had no data, how long it took to copy them, and who read them. */
static void write_data(const fit_run *r, char *text) {
  const snug_data_report *d = &r->data;
  const char *dot = terminal_dot(&r->out);
  double percent = r->seconds > 0.0 ? 100.0 / r->seconds : 0.0;
  char time[32];
  size_t n = (size_t)snprintf(text, TEXT_BYTES, "waited %s, %.1f %% of the time%scopied in %.1f %%",
                              terminal_time(d->waited, time, sizeof time), percent * d->waited, dot,
                              percent * d->copied);
  if (d->batches && n < TEXT_BYTES) {
    n += (size_t)snprintf(text + n, TEXT_BYTES - n, "%sat most %d worker%s, %d batch%s ahead", dot,
                          d->n_workers, d->n_workers == 1 ? "" : "s", d->prefetch,
                          d->prefetch == 1 ? "" : "es");
  }
  if (d->skipped && n < TEXT_BYTES) {
    snprintf(text + n, TEXT_BYTES - n, "%sskipped %lld, first %s", dot, (long long)d->skipped,
             d->first_skipped);
  }
}

/* ---- memory ---- */

/* What the process reached; where the fit did not measure it, since the process began. */
static uint64_t process_peak(const fit_run *r) {
  snug_memory_process now = SNUG_INIT(snug_memory_process);
  snug_memory_process_get(&now);
  return r->memory.process_measured ? r->memory.process_measured : now.peak;
}

/* Planned and measured: of the process against its line. */
static void write_title(const fit_run *r, char *text) {
  char peak[SNUG_BYTES_TEXT], planned[SNUG_BYTES_TEXT], line[SNUG_BYTES_TEXT];
  const char *dot = terminal_dot(&r->out);
  uint64_t most = r->line.bytes ? r->line.bytes : r->memory.process;
  size_t n = (size_t)snprintf(text, TEXT_BYTES, "peak %s", snug_bytes_text(process_peak(r), peak));
  if (r->line.bytes) {
    n += (size_t)snprintf(text + n, TEXT_BYTES - n, " of %s", snug_bytes_text(r->line.bytes, line));
  }
  if (r->memory.process) {
    snprintf(text + n, TEXT_BYTES - n, "%splanned %s%s%s", dot,
             snug_bytes_text(r->memory.process, planned), dot,
             process_peak(r) <= most ? "held" : "passed");
  }
}

/* "13.2 MiB less" */
static void write_difference(uint64_t planned, uint64_t measured, char *text, size_t bytes) {
  char size[SNUG_BYTES_TEXT];
  if (planned == measured) {
    snprintf(text, bytes, "equal to the byte");
  } else {
    snprintf(text, bytes, "%s %s",
             snug_bytes_text(measured > planned ? measured - planned : planned - measured, size),
             measured > planned ? "more" : "less");
  }
}

static void write_compared(const fit_run *r, uint64_t planned, uint64_t measured, char *text) {
  char bytes[2][SNUG_BYTES_TEXT], difference[64];
  const char *dot = terminal_dot(&r->out);
  write_difference(planned, measured, difference, sizeof difference);
  snprintf(text, TEXT_BYTES, "planned %s%smeasured %s%s%s", snug_bytes_text(planned, bytes[0]), dot,
           snug_bytes_text(measured, bytes[1]), dot, difference);
}

/* The process around what Snug allocates. */
static void write_around(const fit_run *r, char *text) {
  const snug_memory_report *m = &r->memory;
  const struct {
    const char *name;
    uint64_t bytes;
  } parts[] = {{"code", m->code},
               {"outside", m->outside},
               {"tables", m->tables},
               {"reserve", m->reserve},
               {"idle", m->idle}};
  char bytes[SNUG_BYTES_TEXT];
  *text = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].bytes) {
      append(text, terminal_dot(&r->out), parts[i].name, snug_bytes_text(parts[i].bytes, bytes));
    }
  }
}

/* ---- files ---- */

static void write_saved(const fit_run *r, char *text) {
  struct stat info;
  char bytes[SNUG_BYTES_TEXT];
  uint64_t size = stat(r->save.saved, &info) == 0 ? (uint64_t)info.st_size : 0;
  snprintf(text, TEXT_BYTES, "%s, %s", r->save.saved, snug_bytes_text(size, bytes));
}

static void write_next(const fit_run *r, char *text) {
  if (cli_ends_in(r->save.saved, ".keras")) {
    snprintf(text, TEXT_BYTES, "snug evaluate %s --data FILE", r->save.saved);
  } else {
    snprintf(text, TEXT_BYTES, "snug fit %s ... -o trained.keras", r->options->job.model);
  }
}

static void write_see(const fit_run *r, char *text) {
  snprintf(text, TEXT_BYTES, "snug report %s --html", r->options->record);
}

/* ---- all of it ---- */

typedef struct rows {
  snug_box_row list[MOST_ROWS];
  char texts[MOST_ROWS][TEXT_BYTES];
  size_t n;
} rows;

/* Room for the text of the next row. */
static char *next_row(rows *b, const char *label) {
  b->list[b->n] = (snug_box_row){label, b->texts[b->n]};
  return b->texts[b->n++];
}

static void add_memory(const fit_run *r, rows *b) {
  const snug_memory_report *m = &r->memory;
  if (m->process) {
    write_compared(r, m->process, process_peak(r), next_row(b, "process"));
  }
  write_compared(r, m->planned, m->measured, next_row(b, "snug"));
  snug_memory_text(m, r->out.ascii, next_row(b, "what"), TEXT_BYTES);
  write_who(r, next_row(b, "who"));
  if (m->process) {
    write_around(r, next_row(b, "around"));
  }
}

void fit_print_box(const fit_run *r) {
  char title[TEXT_BYTES];
  rows b = {.n = 0};
  write_title(r, title);
  write_values(r, next_row(&b, "result"));
  add_memory(r, &b);
  write_time(r, next_row(&b, "time"));
  write_data(r, next_row(&b, "data"));
  if (*r->save.saved) {
    write_saved(r, next_row(&b, "saved"));
  }
  for (int i = 0; i < r->n_unwritten; i++) {
    snprintf(next_row(&b, "failed"), TEXT_BYTES, "%s", r->unwritten[i]);
  }
  write_next(r, next_row(&b, "next"));
  if (r->options->record) {
    write_see(r, next_row(&b, "see it"));
  }
  terminal_box(&r->out, title, b.list, b.n);
}
