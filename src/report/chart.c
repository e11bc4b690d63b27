/* Memory over time as characters. */
#include <math.h>
#include <string.h>

#include "report/view.h"

#define ROWS 8
#define MOST_COLUMNS 100
#define LEAST_COLUMNS 16
#define AXIS_COLUMNS 11

static uint64_t level(const snug__run *run, snug__curve which, size_t i) {
  const snug_moment *m = snug_recording_moment(run->of, i);
  switch (which) {
    case SNUG__CURVE_HELD:
      return m->held_peak > m->held ? m->held_peak : m->held;
    case SNUG__CURVE_DEVICE:
      return m->device;
    default:
      return snug__run_level(run, i);
  }
}

static size_t piece_of(double at, double seconds, size_t n) {
  double piece = seconds > 0.0 ? at / seconds * (double)n : 0.0;
  return piece < 0.0 || isnan(piece) ? 0 : piece < (double)n ? (size_t)piece : n - 1;
}

void snug__run_curve(const snug__run *run, snug__curve which, double seconds, uint64_t *out,
                     size_t n) {
  size_t at = 0; /* pieces before it are filled */
  const snug_moment *first = snug_recording_moment(run->of, 0);
  uint64_t now = !first                          ? 0 /* at the last moment, as a sample tells */
                 : which == SNUG__CURVE_RESIDENT ? first->resident
                                                 : level(run, which, 0);
  memset(out, 0, n * sizeof *out);
  for (size_t i = 0; i < snug_recording_moments(run->of); i++) {
    const snug_moment *m = snug_recording_moment(run->of, i);
    size_t piece = piece_of(m->seconds, seconds, n);
    uint64_t high = level(run, which, i);
    for (; at < piece; at++) {
      out[at] = out[at] > now ? out[at] : now;
    }
    out[piece] = out[piece] > high ? out[piece] : high;
    now = which == SNUG__CURVE_RESIDENT ? m->resident : high;
  }
  for (; at <= piece_of(run->seconds, seconds, n); at++) {
    out[at] = out[at] > now ? out[at] : now;
  }
}

size_t snug__out_bar(const snug__out *o, double part, size_t columns, bool ascii) {
  static const char *const ends[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  double known = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
  size_t eighths = (size_t)lround(known * 8.0 * (double)columns);
  eighths = known > 0.0 && eighths == 0 ? 1 : eighths;
  const char *end = !ascii ? ends[eighths % 8] : eighths % 8 >= 4 ? "-" : "";
  for (size_t i = 0; i < eighths / 8; i++) {
    snug__out_text(o, ascii ? "#" : "█");
  }
  snug__out_text(o, end);
  return eighths / 8 + (*end != '\0');
}

/* ---- rows ---- */

typedef struct chart {
  const snug__run *run;
  const snug__out *o;
  bool ascii;
  size_t columns;
  double top; /* bytes that the highest row ends at */
  uint64_t bars[MOST_COLUMNS];
} chart;

/* How much of a cell is filled, in eighths; row 0 is the highest. */
static size_t eighths_of(const chart *c, size_t column, size_t row) {
  double filled = (double)c->bars[column] / c->top * ROWS - (double)(ROWS - 1 - row);
  size_t eighths = filled <= 0.0 ? 0 : filled >= 1.0 ? 8 : (size_t)(filled * 8.0 + 0.5);
  bool is_lowest = row == ROWS - 1 && c->bars[column] > 0;
  return is_lowest && eighths == 0 ? 1 : eighths;
}

/* The row that the line lies in; ROWS if it is not in the picture. */
static size_t line_row(const chart *c) {
  double from_below = (double)c->run->line / c->top * ROWS;
  return c->run->line && from_below <= ROWS ? ROWS - (size_t)ceil(from_below - 1e-9) : ROWS;
}

static void put_row(const chart *c, size_t row) {
  static const char *const cells[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char plain[] = "  ..::###";
  size_t columns = c->columns;
  bool is_line = row == line_row(c);
  while (!is_line && columns > 0 && eighths_of(c, columns - 1, row) == 0) {
    columns--;
  }
  for (size_t i = 0; i < columns; i++) {
    size_t eighths = eighths_of(c, i, row);
    if (is_line && eighths == 0) {
      snug__out_text(c->o, c->ascii ? "-" : "╌");
    } else if (c->ascii) {
      snug__out_format(c->o, "%c", plain[eighths]);
    } else {
      snug__out_text(c->o, cells[eighths]);
    }
  }
  snug__out_text(c->o, is_line ? " the line\n" : "\n");
}

static void put_rows(const chart *c) {
  char text[SNUG_BYTES_TEXT];
  for (size_t row = 0; row < ROWS; row++) {
    bool is_named = row == 0 || row == ROWS / 2;
    double bytes = c->top * (double)(ROWS - row) / ROWS;
    snug__out_format(c->o, "%*s %s", AXIS_COLUMNS - 2,
                     is_named ? snug_bytes_text(snug__whole(bytes), text) : "",
                     c->ascii ? "|" : "│");
    put_row(c, row);
  }
}

/* ---- the axis ---- */

/* Marks where epochs begin, each with its number while there is room. */
static void put_epochs(const chart *c) {
  char marks[MOST_COLUMNS + 1];
  size_t free_from = 0;
  size_t used = 0;
  memset(marks, ' ', sizeof marks);
  for (size_t i = 0; i < c->run->epochs.n; i++) {
    const snug__epoch_row *e = snug__run_epoch(c->run, i);
    char text[24];
    size_t at = isnan(e->begin) ? c->columns : piece_of(e->begin, c->run->seconds, c->columns);
    int n = snprintf(text, sizeof text, "%lld", snug__ordinal(e->epoch));
    if (at >= free_from && at + (size_t)n < c->columns) {
      memcpy(marks + at, text, (size_t)n);
      used = at + (size_t)n;
      free_from = used + 1;
    }
  }
  if (used) {
    snug__out_format(c->o, "%*s %.*s\n", AXIS_COLUMNS - 1, "epoch", (int)used, marks);
  }
}

static void put_axis(const chart *c) {
  char time[SNUG__TIME_BYTES];
  snug__out_format(c->o, "%*s%s", AXIS_COLUMNS - 1, "", c->ascii ? "+" : "└");
  for (size_t i = 0; i < c->columns; i++) {
    snug__out_text(c->o, c->ascii ? "-" : "─");
  }
  snug__out_format(c->o, "\n%*s0 s%*s\n", AXIS_COLUMNS, "", (int)c->columns - 3,
                   snug__time_text(c->run->seconds, time));
}

void snug__out_chart(const snug__run *run, const snug__out *o, bool ascii, size_t columns) {
  chart c = {.run = run, .o = o, .ascii = ascii};
  size_t free = columns > AXIS_COLUMNS + 10 + LEAST_COLUMNS ? columns - AXIS_COLUMNS - 10 : 0;
  c.columns = free < LEAST_COLUMNS ? LEAST_COLUMNS : free < MOST_COLUMNS ? free : MOST_COLUMNS;
  snug__run_curve(run, SNUG__CURVE_RESIDENT, run->seconds, c.bars, c.columns);
  bool shows_line = run->line && run->line >= run->peak && run->line / 2 <= run->peak;
  c.top = (double)(shows_line ? run->line : run->peak);
  put_rows(&c);
  put_epochs(&c);
  put_axis(&c);
}
