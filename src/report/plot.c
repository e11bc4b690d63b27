#include "report/plot.h"

#include <math.h>

#define WIDTH 960
#define HEIGHT 320
#define LEFT 90
#define RIGHT 50
#define TOP 30
#define BOTTOM 40
#define MOST_TICKS 8
#define MOST_NUMBERS 20 /* of epochs */
#define MOST_SPANS 100  /* of a stage: more could not be told apart */

static int x_of(const snug__plot *p, double seconds) {
  double part = p->seconds > 0.0 ? seconds / p->seconds : 0.0;
  part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
  return LEFT + (int)lround(part * (WIDTH - LEFT - RIGHT));
}

static int y_of(const snug__plot *p, double bytes) {
  double part = bytes / p->top;
  part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
  return HEIGHT - BOTTOM - (int)lround(part * (HEIGHT - TOP - BOTTOM));
}

/* ---- axes ---- */

/* Powers of two, so that the labels are round in KiB, MiB and GiB. */
static double bytes_step(double top) {
  double step = 1.0;
  while (top / step > 5.0) {
    step *= 2.0;
  }
  return step;
}

static double time_step(double seconds) {
  static const double round[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
  double step = 1e-6;
  for (int i = 0; i < 18 && seconds / step > MOST_TICKS; i++) { /* 1e-6, 2e-6, 5e-6, 1e-5 ... */
    step *= i % 3 == 1 ? 2.5 : 2.0;
  }
  for (size_t i = 0; i < SNUG_COUNT(round) && seconds / step > MOST_TICKS; i++) {
    step = round[i];
  }
  while (seconds / step > MOST_TICKS) {
    step *= 2.0;
  }
  return step;
}

static void put_bytes_axis(const snug__plot *p) {
  double step = bytes_step(p->top);
  char text[SNUG_BYTES_TEXT];
  for (int i = 0; i * step <= p->top; i++) {
    int y = y_of(p, i * step);
    snug__out_format(p->o, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT,
                     WIDTH - RIGHT, y, y);
    snug__out_format(p->o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8,
                     y + 4, i ? snug_bytes_text(snug__whole(i * step), text) : "0");
  }
}

static void put_time_axis(const snug__plot *p) {
  double step = time_step(p->seconds);
  char text[SNUG__TIME_BYTES];
  for (int i = 0; p->seconds > 0.0 && i * step <= p->seconds; i++) {
    snug__out_format(p->o, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                     x_of(p, i * step), HEIGHT - BOTTOM + 20, snug__time_text(i * step, text));
  }
}

void snug__plot_begin(snug__plot *p, const snug__out *o, double seconds, uint64_t most,
                      const char *title) {
  p->o = o;
  p->seconds = seconds;
  p->top = most ? (double)most * 1.06 : 1.0;
  snug__out_format(o, "<svg viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"", WIDTH, HEIGHT);
  snug__out_quoted(o, SNUG_QUOTE_HTML, title);
  snug__out_text(o, "\">\n<title>");
  snug__out_quoted(o, SNUG_QUOTE_HTML, title);
  snug__out_text(o, "</title>\n<g aria-hidden=\"true\">\n");
  put_bytes_axis(p);
  put_time_axis(p);
  snug__out_text(o, "</g>\n");
}

void snug__plot_end(const snug__plot *p) { snug__out_text(p->o, "</svg>\n"); }

/* ---- curves ---- */

/* Steps: from a sample on nothing else is known up to the next. */
static void put_path(const snug__plot *p, size_t n) {
  int before = -1;
  for (size_t i = 0; i < n; i++) {
    int y = y_of(p, (double)p->levels[i]);
    if (i == 0) {
      snug__out_format(p->o, "M%d %d", LEFT, y);
    } else if (y != before) {
      snug__out_format(p->o, "H%dV%d", LEFT + (int)i, y);
    }
    before = y;
  }
  snug__out_format(p->o, "H%d", LEFT + (int)n);
}

void snug__plot_curve(snug__plot *p, const snug__run *run, snug__curve which,
                      const char *line_class, bool area) {
  double part = p->seconds > 0.0 ? run->seconds / p->seconds : 1.0;
  size_t n = (size_t)lround(part * SNUG__PLOT_COLUMNS);
  n = n < 1 ? 1 : n < SNUG__PLOT_COLUMNS ? n : SNUG__PLOT_COLUMNS;
  _Static_assert(SNUG__PLOT_COLUMNS == WIDTH - LEFT - RIGHT, "a column per piece");
  snug__run_curve(run, which, p->seconds, p->levels, SNUG__PLOT_COLUMNS);
  if (area) {
    snug__out_text(p->o, "<path class=\"area\" d=\"");
    put_path(p, n);
    snug__out_format(p->o, "V%dH%dZ\"/>\n", HEIGHT - BOTTOM, LEFT);
  }
  snug__out_format(p->o, "<path class=\"%s\" d=\"", line_class);
  put_path(p, n);
  snug__out_text(p->o, "\"/>\n");
}

void snug__plot_line(const snug__plot *p, uint64_t bytes) {
  char text[SNUG_BYTES_TEXT];
  int y = y_of(p, (double)bytes);
  if (!bytes || (double)bytes > p->top) {
    return;
  }
  snug__out_format(p->o,
                   "<line class=\"line\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n"
                   "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">the line: %s</text>\n",
                   LEFT, WIDTH - RIGHT, y, y, WIDTH - RIGHT - 4, y - 6,
                   snug_bytes_text(bytes, text));
}

/* ---- spans ---- */

static void put_phase(const snug__plot *p, const snug__span *s) {
  int from = x_of(p, s->begin), to = x_of(p, s->end);
  snug__out_format(p->o, "<rect class=\"phase%d\" x=\"%d\" width=\"%d\" y=\"%d\" height=\"%d\"/>\n",
                   s->stage == SNUG__STAGE_VALIDATION ? 1 : 2, from, to > from ? to - from : 1, TOP,
                   HEIGHT - TOP - BOTTOM);
}

static void put_epoch(const snug__plot *p, const snug__epoch_row *e) {
  int x = x_of(p, e->begin);
  snug__out_format(p->o, "<line class=\"mark\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", x, x,
                   TOP, HEIGHT - BOTTOM);
  snug__out_format(p->o, "<text x=\"%d\" y=\"%d\">%lld</text>\n", x + 3, TOP - 8,
                   snug__ordinal(e->epoch));
}

bool snug__plot_shows(const snug__run *run, snug__stage stage) {
  size_t n = 0;
  for (size_t i = 0; i < run->spans.n; i++) {
    n += snug__run_span(run, i)->stage == stage;
  }
  return n > 0 && n <= MOST_SPANS;
}

void snug__plot_spans(const snug__plot *p, const snug__run *run) {
  size_t every = run->epochs.n / MOST_NUMBERS + 1;
  const bool shown[] = {[SNUG__STAGE_VALIDATION] = snug__plot_shows(run, SNUG__STAGE_VALIDATION),
                        [SNUG__STAGE_SAVE] = snug__plot_shows(run, SNUG__STAGE_SAVE)};
  snug__out_text(p->o, "<g aria-hidden=\"true\">\n");
  for (size_t i = 0; i < run->spans.n; i++) {
    if (shown[snug__run_span(run, i)->stage]) {
      put_phase(p, snug__run_span(run, i));
    }
  }
  for (size_t i = 0; i < run->epochs.n; i += every) {
    if (!isnan(snug__run_epoch(run, i)->begin)) {
      put_epoch(p, snug__run_epoch(run, i));
    }
  }
  if (run->epochs.n) {
    snug__out_format(p->o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">epoch</text>\n", LEFT - 8,
                     TOP - 8);
  }
  snug__out_text(p->o, "</g>\n");
}

void snug__plot_point(const snug__plot *p, double seconds, uint64_t bytes, const char *class_name,
                      const char *says) {
  int x = x_of(p, seconds), y = y_of(p, (double)bytes);
  bool is_right = x > WIDTH / 2;
  snug__out_format(p->o,
                   "<g class=\"pt %s\" tabindex=\"0\" role=\"img\" aria-label=\"%s\">"
                   "<circle cx=\"%d\" cy=\"%d\" r=\"5\"/>",
                   class_name, says, x, y);
  snug__out_format(p->o, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text></g>\n",
                   is_right ? x - 8 : x + 8, y > TOP + 14 ? y - 8 : y + 18,
                   is_right ? "end" : "start", says);
}
