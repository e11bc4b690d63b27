/* The box at the end: verdict, peak, who, what, shape. */
#include <stdarg.h>
#include <string.h>

#include "watch.h"

typedef struct rows {
  snug_box_row list[14];
  char texts[14][WATCH_TEXT];
  size_t n;
} rows;

static char *next_row(rows *b, const char *label) {
  b->list[b->n] = (snug_box_row){label, b->texts[b->n]};
  b->texts[b->n][0] = '\0';
  return b->texts[b->n++];
}

static void append(char *text, const char *format, ...) SNUG_PRINTF(2, 3);

static void append(char *text, const char *format, ...) {
  size_t n = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + n, WATCH_TEXT - n, format, args);
  va_end(args);
}

/* ---- the peak ---- */

/* Processes of the same name from the i-th on, and their bytes. */
static uint32_t alike(const snug_watch_report *w, uint32_t i, uint64_t *bytes) {
  uint32_t n = 0;
  *bytes = 0;
  for (uint32_t k = 0; k < w->n_who; k++) {
    if (strcmp(w->who[k].name, w->who[i].name) == 0) {
      if (k < i && k > 0) {
        return 0; /* they were told already */
      }
      n += k > 0;
      *bytes += k > 0 ? w->who[k].bytes : 0;
    }
  }
  return n;
}

/* The largest alone, the others by name. */
static void write_who(const watch_run *r, char *text) {
  const snug_watch_report *w = &r->report;
  const char *dot = terminal_dot(&r->out);
  char bytes[SNUG_BYTES_TEXT];
  for (uint32_t i = 0; i < w->n_who; i++) {
    uint64_t sum = w->who[0].bytes;
    uint32_t n = i ? alike(w, i, &sum) : 1;
    if (n == 1) {
      append(text, "%s%s %s", i ? dot : "", w->who[i].name, snug_bytes_text(sum, bytes));
    } else if (n > 1) {
      append(text, "%s%u %s %s each", dot, n, w->who[i].name, snug_bytes_text(sum / n, bytes));
    }
  }
  if (w->peak_processes > w->n_who) {
    append(text, "%sand %u more %s", dot, w->peak_processes - w->n_who,
           snug_bytes_text(w->peak_others, bytes));
  }
}

static void write_peak(const watch_run *r, char *text) {
  char bytes[SNUG_BYTES_TEXT], in[32], at[16];
  struct tm day;
  time_t when = r->began + (time_t)r->report.peak_at;
  if (r->report.peak == 0) {
    append(text, "n/a: it had ended before it could be looked at; under %s",
           snug_bytes_text(r->report.peak_most, bytes));
    return;
  }
  strftime(at, sizeof at, "%H:%M:%S", localtime_r(&when, &day));
  append(text, "%s at %s, %s in", snug_bytes_text(r->report.peak, bytes), at,
         terminal_time(r->report.peak_at, in, sizeof in));
}

/* Only where they are apart. */
static void add_bounds(const watch_run *r, rows *b) {
  const snug_watch_report *w = &r->report;
  char least[SNUG_BYTES_TEXT], most[SNUG_BYTES_TEXT];
  if (w->peak && (double)(w->peak_most - w->peak_least) > 0.02 * (double)w->peak) {
    append(next_row(b, "bounds"), "at least %s%sat most %s, the high-water marks added up",
           snug_bytes_text(w->peak_least, least), terminal_dot(&r->out),
           snug_bytes_text(w->peak_most, most));
  }
}

static void add_split(const watch_run *r, rows *b) {
  const snug_watch_report *w = &r->report;
  const char *dot = terminal_dot(&r->out);
  char one[SNUG_BYTES_TEXT], two[SNUG_BYTES_TEXT], three[SNUG_BYTES_TEXT], in[32];
  uint64_t pages = w->anonymous + w->file_resident + w->shared;
  if (!w->has_split ||
      pages < w->peak - w->peak / 10) { /* it was killed before they were read again */
    return;
  }
  char *text = next_row(b, "what");
  append(text, "anonymous %s%sfiles %s", snug_bytes_text(w->anonymous, one), dot,
         snug_bytes_text(w->file_resident, two));
  if (w->file_resident - w->file > w->file_resident / 20 && w->file_resident > w->file) {
    append(text, ", %s of them shared with other programs",
           snug_bytes_text(w->file_resident - w->file, two));
  }
  append(text, "%sshared memory %s", dot, snug_bytes_text(w->shared, three));
  if (w->swap) {
    append(text, "%sand %s in swap", dot, snug_bytes_text(w->swap, one));
  }
  append(text, "%s%s in", dot, terminal_time(w->split_at, in, sizeof in));
}

/* ---- around it ---- */

static void add_group(const watch_run *r, rows *b) {
  const snug_watch_group *g = &r->report.group;
  char bytes[SNUG_BYTES_TEXT];
  if (!g->path[0] || (g->limit == SNUG_WATCH_UNTOLD && !g->peak_is_new)) {
    return;
  }
  char *text = next_row(b, "group");
  if (g->peak != SNUG_WATCH_UNTOLD) {
    append(text, "peak %s%s", snug_bytes_text(g->peak, bytes),
           g->peak_is_new ? "" : ", from before");
  }
  if (g->limit != SNUG_WATCH_UNTOLD) {
    append(text, "%slimit %s", *text ? terminal_dot(&r->out) : "",
           snug_bytes_text(g->limit, bytes));
  }
  bool is_much =
      g->cache != SNUG_WATCH_UNTOLD && g->peak != SNUG_WATCH_UNTOLD && g->cache > g->peak / 10;
  if (is_much) {
    append(text, "%spage cache up to %s, given back when needed", terminal_dot(&r->out),
           snug_bytes_text(g->cache, bytes));
  }
  append(text, "%s%s", terminal_dot(&r->out), g->path);
}

/* Of a machine without any nobody has to hear. */
static void add_gpu(const watch_run *r, rows *b) {
  const snug_watch_report *w = &r->report;
  char bytes[SNUG_BYTES_TEXT], in[32];
  if (w->devices && *w->device_why) {
    append(next_row(b, "gpu"), "n/a: %s", w->device_why);
  } else if (w->device_peak) {
    append(next_row(b, "gpu"), "peak %s, %s in%s%u device%s",
           snug_bytes_text(w->device_peak, bytes), terminal_time(w->device_peak_at, in, sizeof in),
           terminal_dot(&r->out), w->devices, w->devices == 1 ? "" : "s");
  }
}

static void write_time(const watch_run *r, char *text) {
  const snug_watch_report *w = &r->report;
  const char *dot = terminal_dot(&r->out);
  char time[32];
  append(text, "%s%s%llu sample%s%s%llu process%s, %u at one time",
         terminal_time(w->seconds, time, sizeof time), dot, (unsigned long long)w->samples,
         w->samples == 1 ? "" : "s", dot, (unsigned long long)w->processes,
         w->processes == 1 ? "" : "es", w->most_processes);
}

static void add_notes(const watch_run *r, rows *b) {
  const snug_watch_report *w = &r->report;
  const char *dot = terminal_dot(&r->out);
  if (!w->left && !w->unsplit && !w->untold) {
    return;
  }
  char *text = next_row(b, "note");
  if (w->left) {
    append(text, "%u process%s of it still run%s", w->left, w->left == 1 ? "" : "es",
           w->left == 1 ? "s" : "");
  }
  if (w->unsplit) {
    append(text, "%spages of %llu may not be read (another user's)", *text ? dot : "",
           (unsigned long long)w->unsplit);
  }
  if (w->untold) {
    append(text, "%s%llu could not be followed", *text ? dot : "", (unsigned long long)w->untold);
  }
}

/* What went wrong, or else the peak. */
static void write_title(const watch_run *r, char title[WATCH_TEXT]) {
  char verdict[WATCH_TEXT], peak[SNUG_BYTES_TEXT];
  bool is_wrong = r->exceeded || watch_killed(r) != WATCH_NOT_KILLED;
  watch_write_verdict(r, verdict);
  *title = '\0';
  if (!is_wrong) {
    append(title, "peak %s%s", r->report.peak ? snug_bytes_text(r->report.peak, peak) : "n/a",
           terminal_dot(&r->out));
  }
  append(title, "%s", verdict);
}

static void add_if_any(const watch_run *r, rows *b, const char *label,
                       bool (*write)(const watch_run *r, char text[WATCH_TEXT])) {
  char text[WATCH_TEXT];
  if (write(r, text)) {
    append(next_row(b, label), "%s", text);
  }
}

void watch_print_box(const watch_run *r) {
  char title[WATCH_TEXT], next[WATCH_COMMAND + 64];
  rows b = {.n = 0};
  write_title(r, title);
  write_peak(r, next_row(&b, "peak"));
  if (r->report.n_who) {
    write_who(r, next_row(&b, "who"));
  }
  add_bounds(r, &b);
  add_split(r, &b);
  watch_write_shape(r, next_row(&b, "shape"));
  add_group(r, &b);
  add_if_any(r, &b, "above", watch_write_above);
  add_gpu(r, &b);
  write_time(r, next_row(&b, "time"));
  add_notes(r, &b);
  add_if_any(r, &b, "help", watch_write_help);
  terminal_box(&r->out, title, b.list, b.n);
  watch_write_next(r, next);
  fprintf(r->out.stream, "next: %s\n", next);
}
