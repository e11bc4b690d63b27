/* Keras's progress display: a bar on terminals, a line per epoch elsewhere. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/struct_size.h"
#include "report/write.h"
#include "snug/memory.h"

#define BAR_WIDTH 20
#define REDRAW_SECONDS 0.05

static void flush(const snug_progress *p, const snug__line *line) {
  if (p->sink) {
    p->sink(p->user, line->text, line->n);
  }
}

static int digits_of(int64_t n) {
  int digits = 1;
  for (; n >= 10; n /= 10) {
    digits++;
  }
  return digits;
}

/* Seconds of a step, the first one left out: it warms things up. */
static double step_seconds(const snug_progress *p, double time) {
  return p->done > 1 ? (time - p->first_step) / (double)(p->done - 1) : time - p->epoch_start;
}

static void add_step_time(snug__line *line, double seconds) {
  if (seconds >= 1.0 || seconds == 0.0) {
    snug__line_add(line, "%.0fs/step", seconds);
  } else if (seconds >= 1e-3) {
    snug__line_add(line, "%.0fms/step", seconds * 1e3);
  } else {
    snug__line_add(line, "%.0fus/step", seconds * 1e6);
  }
}

static void add_eta(snug__line *line, double seconds) {
  long s = lround(seconds);
  if (s > 3600) {
    snug__line_add(line, "%ld:%02ld:%02ld", s / 3600, s % 3600 / 60, s % 60);
  } else if (s > 60) {
    snug__line_add(line, "%ld:%02ld", s / 60, s % 60);
  } else {
    snug__line_add(line, "%lds", s);
  }
}

/* As many values as fit into this many columns; 0: all. */
static void add_logs(snug__line *line, const snug_logs *logs, size_t columns) {
  for (size_t i = 0; logs && i < logs->n; i++) {
    size_t before = line->n;
    double v = logs->values[i];
    if (strcmp(logs->names[i], SNUG_PEAK_MEMORY) == 0) {
      continue; /* bytes: `mem` tells them */
    }
    snug__line_add(line, fabs(v) > 1e-3 ? " - %s: %.4f" : " - %s: %.4e", logs->names[i], v);
    if (columns && snug__columns(line->text, line->n) >= columns) {
      line->n = before;
      return;
    }
  }
}

/* " - mem: 1009MiB", what is resident now.  It comes last and is the first that has no room. */
static void add_memory(const snug_progress *p, snug__line *line, size_t columns) {
  size_t before = line->n;
  char bytes[SNUG_BYTES_TEXT];
  snug_memory_process now = SNUG_INIT(snug_memory_process);
  if (!p->memory) {
    return;
  }
  snug_memory_process_get(&now);
  snug_bytes_text(now.resident, bytes);
  int number = (int)strcspn(bytes, " ");
  snug__line_add(line, " - mem: %.*s%s", number, bytes, bytes + number + 1);
  if (columns && snug__columns(line->text, line->n) >= columns) {
    line->n = before;
  }
}

static void add_bar(const snug_progress *p, snug__line *line) {
  double part = p->steps > 0 ? (double)p->done / (double)p->steps : 1.0;
  size_t filled = part < 0.0 ? 0 : part < 1.0 ? (size_t)(BAR_WIDTH * part) : BAR_WIDTH;
  const char *mark = p->ascii ? "=" : "━";
  if (p->colour) {
    snug__line_add(line, "%s", filled ? "\x1b[32m" : "");
    snug__line_repeat(line, mark, filled);
    snug__line_add(line, "%s\x1b[37m", filled ? "\x1b[0m" : "");
    snug__line_repeat(line, mark, BAR_WIDTH - filled);
    snug__line_add(line, "\x1b[0m");
  } else {
    snug__line_repeat(line, mark, filled);
    snug__line_repeat(line, p->ascii ? "." : "─", BAR_WIDTH - filled);
  }
}

/* Blanks over what is left of a longer line before. */
static void add_padding(snug_progress *p, snug__line *line) {
  size_t width = snug__columns(line->text, line->n);
  size_t left = p->width > width ? p->width - width : 0;
  p->width = width;
  snug__line_repeat(line, " ", left);
}

static void draw(snug_progress *p, const snug_logs *logs, bool finished) {
  snug__line line = {.n = 0};
  double time = snug__now();
  double step = step_seconds(p, time);
  const char *bold = p->colour ? "\x1b[1m" : "";
  const char *plain = p->colour ? "\x1b[0m" : "";
  snug__line_add(&line, "\r%s%*lld/%lld%s ", bold, digits_of(p->steps), (long long)p->done,
                 (long long)p->steps, plain);
  add_bar(p, &line);
  snug__line_add(&line, " %s", bold);
  if (finished) {
    snug__line_add(&line, "%.0fs", time - p->epoch_start);
  } else {
    add_eta(&line, step * ((double)p->steps - (double)p->done));
  }
  snug__line_add(&line, "%s ", plain);
  add_step_time(&line, step);
  add_logs(&line, logs, finished ? 0 : p->columns);
  add_memory(p, &line, finished ? 0 : p->columns);
  add_padding(p, &line);
  if (finished) {
    snug__line_end(&line);
  }
  p->last_drawn = time;
  p->width = finished ? 0 : p->width;
  flush(p, &line);
}

static void write_epoch_line(const snug_progress *p, const snug_logs *logs) {
  snug__line line = {.n = 0};
  double time = snug__now();
  snug__line_add(&line, "%lld/%lld - %.0fs - ", (long long)p->done, (long long)p->steps,
                 time - p->epoch_start);
  add_step_time(&line, step_seconds(p, time));
  add_logs(&line, logs, 0);
  add_memory(p, &line, 0);
  snug__line_end(&line);
  flush(p, &line);
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  snug_progress *p = user;
  p->epochs = epochs;
  p->steps = steps;
  p->width = 0;
  return true;
}

static bool epoch_begin(void *user, int64_t epoch) {
  snug_progress *p = user;
  snug__line line = {.n = 0};
  p->done = 0;
  p->epoch_start = p->first_step = snug__now();
  p->last_drawn = 0.0;
  if (p->epochs > 1) {
    snug__line_add(&line, "Epoch %lld/%lld\n", (long long)epoch + 1, (long long)p->epochs);
    flush(p, &line);
  }
  return true;
}

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  snug_progress *p = user;
  p->done = batch < INT64_MAX ? batch + 1 : batch;
  if (p->done == 1) {
    p->first_step = snug__now();
  }
  if (p->bar && p->done < p->steps && snug__now() - p->last_drawn >= REDRAW_SECONDS) {
    draw(p, logs, false);
  }
  return true;
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  snug_progress *p = user;
  (void)epoch;
  if (p->bar) {
    draw(p, logs, true);
  } else {
    write_epoch_line(p, logs);
  }
  return true;
}

void snug_progress_callback(snug_progress *p, snug_callback *out) {
  const snug_callback none = {.user = NULL};
  const snug_callback made = {.user = p,
                              .train_begin = train_begin,
                              .epoch_begin = epoch_begin,
                              .batch_end = batch_end,
                              .epoch_end = epoch_end};
  SNUG__WRITE(snug_callback, p && !SNUG__WHOLE(NULL, snug_progress, p) ? &made : &none, out);
}

/* ---- the memory of the process as a value of every epoch ---- */

static bool keep_peak(void *user, int64_t epoch, const snug_logs *logs) {
  snug_memory_process now = SNUG_INIT(snug_memory_process);
  (void)epoch;
  (void)logs;
  snug_memory_process_get(&now);
  *(double *)user = (double)now.peak;
  return true;
}

void snug_peak_memory_callback(double *peak, snug_callback *out) {
  const snug_callback none = {.user = NULL};
  const snug_callback made = {
      .user = peak, .epoch_end = keep_peak, .adds = SNUG_PEAK_MEMORY, .added = peak};
  SNUG__WRITE(snug_callback, peak ? &made : &none, out);
}
