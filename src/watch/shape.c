/* What is judged begins behind the start, in which a program loads itself and its data.  How long
 * that takes is not known: a tenth of the time is left out in any case, and more of it, up to the
 * half, if what comes then is flat or growing.  The last twenty-fifth is the end of the program.
 *
 * Growing is what a leak looks like, also one below the ups and downs of epochs: cut into eighths,
 * both their means and their lowest values rise from each to the next (once they may not), no
 * single rise is most of it, and it goes on at about the same pace all along.  A rise of half a
 * percent is enough, if it is that steady.  A program that loads itself, its data and its first
 * batch rises as well, but in spurts, and not for long: what rises without that pace, or for half a
 * minute and without epochs to be seen, is rising, and nobody can tell yet what it is.  Stepped is
 * what rises by few jumps, with nothing in between. */
#include "watch/shape.h"

#include <math.h>
#include <string.h>

#define LEAST_POINTS 24
#define LEAST_SECONDS 2.0
#define START_SECONDS 30.0     /* that a start may take */
#define START_WITH_EPOCHS 10.0 /* the same where the curve repeats itself */
#define LEAST_PACE 0.4         /* of a quarter, in parts of the mean */
#define MOST_PACE 2.0
#define PARTS 8
#define MIB 1048576.0

/* The part of a curve that is judged, without the points in which nobody looked. */
typedef struct series {
  double mean[SNUG__CURVE_MOST], low[SNUG__CURVE_MOST], at[SNUG__CURVE_MOST];
  size_t n;
  double span;
} series;

/* Where what is judged ends: programs give back much while they end. */
static double end_of(const snug__curve *c) {
  double end = (double)c->n * c->span;
  return end - (0.04 * end > 2.0 * c->span ? 0.04 * end : 2.0 * c->span);
}

static void take(series *s, const snug__curve *c, double from) {
  s->n = 0;
  s->span = c->span;
  for (size_t i = 0; i < c->n; i++) {
    const snug__point *p = &c->points[i];
    double at = ((double)i + 0.5) * c->span;
    if (p->n && at >= from && at < end_of(c)) {
      s->mean[s->n] = p->sum / p->n;
      s->low[s->n] = (double)p->low;
      s->at[s->n++] = at;
    }
  }
}

static double mean_of(const double *values, size_t from, size_t to) {
  double sum = 0.0;
  for (size_t i = from; i < to; i++) {
    sum += values[i];
  }
  return to > from ? sum / (double)(to - from) : 0.0;
}

static double least_of(const double *values, size_t from, size_t to) {
  double least = values[from];
  for (size_t i = from + 1; i < to; i++) {
    least = values[i] < least ? values[i] : least;
  }
  return least;
}

static double most_of(const double *values, size_t from, size_t to) {
  double most = values[from];
  for (size_t i = from + 1; i < to; i++) {
    most = values[i] > most ? values[i] : most;
  }
  return most;
}

/* What is given back at the end, which takes longer than a twenty-fifth of a short run, is no more
 * than that: the last tenth may fall. */
static bool is_flat(const series *s) {
  double most = most_of(s->mean, 0, s->n);
  double range = most - least_of(s->mean, 0, s->n - s->n / 10);
  return range <= 0.05 * most || range <= MIB;
}

/* ---- repeating ---- */

/* Bytes a second, by least squares. */
static double slope_of(const series *s) {
  double middle = mean_of(s->at, 0, s->n);
  double level = mean_of(s->mean, 0, s->n);
  double up = 0.0, down = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    up += (s->at[i] - middle) * (s->mean[i] - level);
    down += (s->at[i] - middle) * (s->at[i] - middle);
  }
  return down > 0.0 ? up / down : 0.0;
}

/* How alike the curve without its slope is to itself `lag` points later: 1 is the same. */
static double likeness(const double *v, size_t n, size_t lag) {
  double both = 0.0, first = 0.0, second = 0.0;
  for (size_t i = 0; i + lag < n; i++) {
    both += v[i] * v[i + lag];
    first += v[i] * v[i];
    second += v[i + lag] * v[i + lag];
  }
  return first > 0.0 && second > 0.0 ? both / sqrt(first * second) : 0.0;
}

/* The curve less its slope. */
static void level_out(const series *s, double slope, double *v) {
  double level = mean_of(s->mean, 0, s->n), middle = mean_of(s->at, 0, s->n);
  for (size_t i = 0; i < s->n; i++) {
    v[i] = s->mean[i] - level - slope * (s->at[i] - middle);
  }
}

/* The shortest time after which the curve is like itself again, seen three times at least, with a
 * time in between at which it is not.  Multiples of it are as alike, up to the noise. */
static double period_of(const series *s, double slope) {
  double v[SNUG__CURVE_MOST];
  double like[SNUG__CURVE_MOST / 3 + 2];
  size_t most = s->n / 3, first = 0;
  double best = 0.0;
  level_out(s, slope, v);
  for (size_t lag = 1; lag <= most; lag++) {
    like[lag] = likeness(v, s->n, lag);
    first = first == 0 && like[lag] < 0.3 ? lag : first;
    best = first && like[lag] > best ? like[lag] : best;
  }
  for (size_t lag = first + 1; first && best > 0.5 && lag < most; lag++) {
    if (lag >= 3 && like[lag] >= 0.9 * best && like[lag] >= like[lag + 1]) {
      return (double)lag * s->span;
    }
  }
  return 0.0;
}

/* ---- growing ---- */

/* Whether values rise all along, given by parts. */
static bool is_rising(const double parts[PARTS], double least_rise) {
  double rise = parts[PARTS - 1] - parts[0];
  int ups = 0;
  double largest = 0.0;
  for (int i = 1; i < PARTS; i++) {
    double step = parts[i] - parts[i - 1];
    ups += step > 0.0;
    largest = step > largest ? step : largest;
  }
  return rise >= least_rise && ups >= PARTS - 2 && largest <= 0.5 * rise;
}

/* Whether it rises at about the same pace in every quarter. */
static bool is_steady(const double parts[PARTS]) {
  static const int from[] = {0, 2, 4, 5};
  double pace = (parts[PARTS - 1] - parts[0]) / (PARTS - 1);
  for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
    double own = 0.5 * (parts[from[i] + 2] - parts[from[i]]);
    if (own < LEAST_PACE * pace || own > MOST_PACE * pace) {
      return false;
    }
  }
  return true;
}

/* Means and lowest values of a period from each point on: whole epochs are compared with each
 * other, and the slope does not hang on where the last one was cut off. */
static void over_periods(const series *s, double period, series *out) {
  size_t width = (size_t)(period / s->span + 0.5);
  width = width ? width : 1;
  out->n = s->n - width + 1; /* a period is a third of them at most */
  out->span = s->span;
  for (size_t i = 0; i < out->n; i++) {
    out->mean[i] = mean_of(s->mean, i, i + width);
    out->low[i] = least_of(s->low, i, i + width);
    out->at[i] = mean_of(s->at, i, i + width);
  }
}

typedef enum growth { NO_GROWTH, RISES, GROWS } growth;

/* GROWS: per_minute and period are filled in.  seconds: of the whole curve. */
static growth growth_of(const series *s, double seconds, snug_watch_report *out) {
  series whole;
  double means[PARTS], lows[PARTS];
  double most = most_of(s->mean, 0, s->n);
  double least_rise = 0.005 * most > 0.25 * MIB ? 0.005 * most : 0.25 * MIB;
  double period = period_of(s, slope_of(s));
  over_periods(s, period, &whole);
  for (size_t i = 0; i < PARTS; i++) {
    size_t from = whole.n * i / PARTS;
    size_t to = whole.n * (i + 1) / PARTS;
    means[i] = mean_of(whole.mean, from, to);
    lows[i] = least_of(whole.low, from, to);
  }
  if (!is_rising(means, least_rise) || !is_rising(lows, 0.5 * least_rise)) {
    return NO_GROWTH;
  }
  if (seconds < (period > 0.0 ? START_WITH_EPOCHS : START_SECONDS) || !is_steady(means)) {
    return RISES;
  }
  out->per_minute = 60.0 * slope_of(&whole);
  out->period = period;
  return GROWS;
}

/* ---- stepped ---- */

/* A jump: the level behind a point against the one before it, over a 16th of the time. */
static double jump_at(const series *s, size_t i, size_t width) {
  size_t from = i > width ? i - width : 0;
  size_t to = i + width < s->n ? i + width : s->n;
  return mean_of(s->mean, i, to) - mean_of(s->mean, from, i);
}

/* Whether most of a jump is there from one point to the next but one, and it is no slope. */
static bool is_sharp(const series *s, size_t i, double jump) {
  size_t before = i > 1 ? i - 2 : 0;
  size_t behind = i + 3 < s->n ? i + 3 : s->n;
  double sharp = mean_of(s->mean, i + 1, behind) - mean_of(s->mean, before, i);
  return behind > i + 1 && sharp >= 0.7 * jump;
}

static bool is_largest_near(const series *s, size_t i, size_t width, double jump) {
  return jump_at(s, i - 1, width) <= jump && (i + width >= s->n || jump_at(s, i + 1, width) < jump);
}

static bool is_stepped(const series *s, snug_watch_report *out) {
  size_t width = s->n / 16 > 2 ? s->n / 16 : 2;
  double most = most_of(s->mean, 0, s->n);
  double rise = mean_of(s->mean, s->n - width, s->n) - mean_of(s->mean, 0, width);
  double least = 0.1 * rise > 0.02 * most ? 0.1 * rise : 0.02 * most;
  double sum = 0.0;
  for (size_t i = width; i + width <= s->n; i++) {
    double jump = jump_at(s, i, width);
    if (jump >= least && is_largest_near(s, i, width, jump) && is_sharp(s, i, jump)) {
      sum += jump;
      out->steps++;
      out->last_step_at = s->at[i];
      i += width - 1;
    }
  }
  out->step_bytes = (uint64_t)sum;
  return rise >= MIB && out->steps >= 1 && out->steps <= 8 && fabs(sum - rise) <= 0.25 * rise;
}

/* ---- all of it ---- */

static void take_range(const snug__curve *c, double from, snug_watch_report *out) {
  out->low = UINT64_MAX;
  out->high = 0;
  for (size_t i = 0; i < c->n; i++) {
    const snug__point *p = &c->points[i];
    double at = ((double)i + 0.5) * c->span;
    if (p->n && at >= from && at < end_of(c)) {
      out->low = p->low < out->low ? p->low : out->low;
      out->high = p->high > out->high ? p->high : out->high;
    }
  }
  out->low = out->low == UINT64_MAX ? 0 : out->low;
}

static snug_watch_shape judge(series *s, const snug__curve *c, double end, snug_watch_report *out) {
  static const double starts[] = {0.1, 0.25, 0.5};
  bool rises = false;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    out->shape_from = starts[i] * end;
    take(s, c, out->shape_from);
    if (s->n < LEAST_POINTS || end < LEAST_SECONDS) {
      break;
    }
    growth g = growth_of(s, end, out);
    if (g == GROWS) {
      return SNUG_WATCH_GROWING;
    }
    if (is_flat(s)) { /* what rises within it is too little, or too short, to be told */
      return SNUG_WATCH_FLAT;
    }
    rises = rises || g == RISES;
  }
  out->shape_from = starts[0] * end;
  take(s, c, out->shape_from);
  if (s->n < LEAST_POINTS || end < LEAST_SECONDS) {
    return SNUG_WATCH_SHORT;
  }
  if (is_stepped(s, out)) {
    return SNUG_WATCH_STEPPED;
  }
  out->steps = 0;
  return rises ? SNUG_WATCH_RISING : SNUG_WATCH_VARYING;
}

void snug__shape_judge(const snug__curve *curve, snug_watch_report *out) {
  series s;
  double end = (double)curve->n * curve->span;
  out->shape = judge(&s, curve, end, out);
  take_range(curve, out->shape_from, out);
  if (out->shape == SNUG_WATCH_VARYING || out->shape == SNUG_WATCH_STEPPED) {
    out->period = period_of(&s, slope_of(&s));
  }
}
