#include "report/plot.h"

#include <math.h>

#define WIDTH 960
#define HEIGHT 320
#define LEFT 90
#define RIGHT 50
#define TOP 30
#define BOTTOM 40
#define MOST_TICKS 8
#define MOST_BYTES_STEPS 6
#define MOST_NUMBERS 20 /* of epochs */
#define MOST_SPANS 100  /* of a stage: more could not be distinguished */

static int x_of(const snug__plot *p, double seconds) {
  double part = p->seconds > 0.0 ? (seconds - p->first) / p->seconds : 0.0;
  part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
  return LEFT + (int)lround(part * (WIDTH - LEFT - RIGHT));
}

static int y_of(const snug__plot *p, double value) {
  double part = (value - p->low) / (p->top - p->low);
  part = part > 0.0 ? part < 1.0 ? part : 1.0 : 0.0;
  return HEIGHT - BOTTOM - (int)lround(part * (HEIGHT - TOP - BOTTOM));
}

/* ---- axes ---- */

/* Of 1, 2 and 5 times a power of ten of a unit the least that needs no more than so many steps. */
static double round_step(double top, double unit, double most) {
  static const double factors[] = {2.0, 2.5, 2.0}; /* 1, 2, 5, 10 ... */
  double step = unit;
  for (int i = 0; top / step > most; i++) {
    step *= factors[i % 3];
  }
  return step;
}

/* Round numbers of B, KiB, MiB or GiB, at least two of them: 0.5 GiB, 1 GiB, 1.5 GiB. */
static double bytes_step(double most) {
  double unit = 1.0;
  while (most >= 1024.0 * unit && unit < 0x1p60) {
    unit *= 1024.0;
  }
  return round_step(most, unit > 1.0 ? 0.1 * unit : 1.0, MOST_BYTES_STEPS);
}

/* In the unit of what the axis ends at. */
static const char *bytes_label(double bytes, double top, char out[SNUG_BYTES_TEXT]) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; top >= 1024.0 && unit + 1 < SNUG_COUNT(units); unit++) {
    top /= 1024.0;
    bytes /= 1024.0;
  }
  long tenths = lround(bytes * 10.0);
  if (tenths % 10 == 0) {
    snprintf(out, SNUG_BYTES_TEXT, "%ld %s", tenths / 10, units[unit]);
  } else {
    snprintf(out, SNUG_BYTES_TEXT, "%ld.%ld %s", tenths / 10, tenths % 10, units[unit]);
  }
  return out;
}

static double time_step(double seconds) {
  static const double round[] = {15,   30,   60,   120,   300,   600,   900,
                                 1800, 3600, 7200, 10800, 21600, 43200, 86400};
  double step = round_step(seconds < 80.0 ? seconds : 0.0, 1e-6, MOST_TICKS);
  for (size_t i = 0; i < SNUG_COUNT(round) && seconds / step > MOST_TICKS; i++) {
    step = round[i];
  }
  while (seconds / step > MOST_TICKS) {
    step *= 2.0;
  }
  return step;
}

/* "5 s", "0.5 s"; what is shorter or longer as everywhere. */
static const char *time_label(double seconds, double step, char out[SNUG__TIME_BYTES]) {
  if (seconds == 0.0) {
    snprintf(out, SNUG__TIME_BYTES, "0 s");
  } else if (step >= 1.0 && seconds < 60.0) {
    snprintf(out, SNUG__TIME_BYTES, "%ld s", lround(seconds));
  } else if (step >= 0.1 && seconds < 60.0) {
    long tenths = lround(seconds * 10.0);
    snprintf(out, SNUG__TIME_BYTES, tenths % 10 ? "%ld.%ld s" : "%ld s", tenths / 10, tenths % 10);
  } else {
    snug__time_text(seconds, out);
  }
  return out;
}

/* With as many digits as the step needs. */
static const char *value_label(double value, double step, char out[SNUG__TIME_BYTES]) {
  double scale = 1.0;
  int digits = 0;
  while (digits < 6 && fabs(step * scale - nearbyint(step * scale)) > 1e-6 * step * scale) {
    scale *= 10.0;
    digits++;
  }
  double whole = nearbyint(fabs(value) * scale);
  if (whole > 1e9 || step * scale < 0.5) {
    return snug__value_text(value, out);
  }
  long n = (long)whole;
  const char *sign = value < 0.0 && n ? "-" : "";
  if (digits) {
    snprintf(out, SNUG__TIME_BYTES, "%s%ld.%0*ld", sign, n / (long)scale, digits, n % (long)scale);
  } else {
    snprintf(out, SNUG__TIME_BYTES, "%s%ld", sign, n);
  }
  return out;
}

static void put_grid_line(const snug__plot *p, double value, const char *label) {
  int y = y_of(p, value);
  snug__out_format(p->o, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT,
                   WIDTH - RIGHT, y, y);
  snug__out_format(p->o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 4,
                   label);
}

static void put_x_label(const snug__plot *p, double at, const char *label) {
  snug__out_format(p->o, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(p, at),
                   HEIGHT - BOTTOM + 20, label);
}

static void put_bytes_axis(const snug__plot *p, double step) {
  char text[SNUG_BYTES_TEXT];
  for (int i = 0; i * step <= p->top * (1.0 + 1e-9); i++) {
    put_grid_line(p, i * step, i ? bytes_label(i * step, p->top, text) : "0");
  }
}

static void put_time_axis(const snug__plot *p) {
  double step = time_step(p->seconds);
  char text[SNUG__TIME_BYTES];
  for (int i = 0; p->seconds > 0.0 && i * step <= p->seconds; i++) {
    put_x_label(p, i * step, time_label(i * step, step, text));
  }
}

static void begin_picture(const snug__plot *p, const char *title) {
  snug__out_format(p->o, "<svg viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"", WIDTH, HEIGHT);
  snug__out_quoted(p->o, SNUG_QUOTE_HTML, title);
  snug__out_text(p->o, "\">\n<title>");
  snug__out_quoted(p->o, SNUG_QUOTE_HTML, title);
  snug__out_text(p->o, "</title>\n<g aria-hidden=\"true\">\n");
}

void snug__plot_begin(snug__plot *p, const snug__out *o, double seconds, uint64_t most,
                      const char *title) {
  double step = bytes_step(most ? (double)most : 1.0);
  *p = (snug__plot){.o = o, .seconds = seconds};
  p->top = step * ceil((most ? (double)most : 1.0) / step * (1.0 - 1e-9));
  begin_picture(p, title);
  put_bytes_axis(p, step);
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

void snug__plot_line(const snug__plot *p, uint64_t bytes, const char *name) {
  char text[SNUG_BYTES_TEXT];
  int y = y_of(p, (double)bytes);
  if (!bytes || (double)bytes > p->top) {
    return;
  }
  snug__out_format(p->o,
                   "<line class=\"line\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n"
                   "<text class=\"over\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s: %s</text>\n",
                   LEFT, WIDTH - RIGHT, y, y, WIDTH - RIGHT - 4, y > TOP + 14 ? y - 6 : y + 16,
                   name, snug_bytes_text(bytes, text));
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
  snug__out_format(p->o, "<text x=\"%d\" y=\"%d\">%lld</text>\n", x + 3, TOP - 14,
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
                     TOP - 14);
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

/* ---- values of epochs ---- */

void snug__plot_begin_values(snug__plot *p, const snug__out *o, double first, double last,
                             const double range[2], const char *title) {
  double low = range[0], high = range[1] > range[0] ? range[1] : range[0] + 1.0;
  double size = high - low, unit = 1e-300;
  char text[SNUG__TIME_BYTES];
  while (unit * 1e3 < size) {
    unit *= 10.0;
  }
  double step = round_step(size, unit, MOST_BYTES_STEPS);
  *p = (snug__plot){.o = o, .first = first, .seconds = last - first};
  p->low = step * floor(low / step + 1e-9);
  p->top = step * ceil(high / step - 1e-9);
  begin_picture(p, title);
  for (int i = 0; p->low + i * step <= p->top + 0.5 * step; i++) {
    put_grid_line(p, p->low + i * step, value_label(p->low + i * step, step, text));
  }
  double every = round_step(last - first > 1.0 ? last - first : 1.0, 1.0, MOST_NUMBERS / 2.0);
  for (double at = first; at <= last; at += every) {
    snprintf(text, sizeof text, "%ld", lround(at));
    put_x_label(p, at, text);
  }
  snug__out_format(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">epoch</text>\n</g>\n", LEFT - 8,
                   HEIGHT - BOTTOM + 20);
}

void snug__plot_values(const snug__plot *p, const snug__run *run, const char *name,
                       const char *line_class) {
  bool is_open = false;
  snug__out_format(p->o, "<path class=\"%s\" d=\"", line_class);
  for (size_t i = 0; i < run->epochs.n; i++) {
    const snug__epoch_row *e = snug__run_epoch(run, i);
    const double *value = snug__run_find_value(&e->logs, name);
    if (value && isfinite(*value)) {
      int x = x_of(p, (double)snug__ordinal(e->epoch)), y = y_of(p, *value);
      snug__out_format(p->o, "%c%d %d", is_open ? 'L' : 'M', x, y);
      if (!is_open) { /* an epoch alone is seen, too */
        snug__out_format(p->o, "h1");
      }
    }
    is_open = value && isfinite(*value);
  }
  snug__out_text(p->o, "\"/>\n");
}
