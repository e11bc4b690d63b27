#include "watch/curve.h"

void snug__curve_init(snug__curve *c, double span) {
  c->n = 0;
  c->span = span;
}

static void join(snug__point *into, const snug__point *p) {
  if (p->n) {
    into->low = into->n && into->low < p->low ? into->low : p->low;
    into->high = into->n && into->high > p->high ? into->high : p->high;
    into->sum += p->sum;
    into->n += p->n;
  }
}

static void halve(snug__curve *c) {
  for (size_t i = 0; i < SNUG__CURVE_MOST / 2; i++) {
    snug__point both = {0};
    for (size_t k = 2 * i; k < 2 * i + 2 && k < c->n; k++) {
      join(&both, &c->points[k]);
    }
    c->points[i] = both;
  }
  c->n = (c->n + 1) / 2;
  c->span *= 2.0;
}

void snug__curve_add(snug__curve *c, double seconds, uint64_t value) {
  while (seconds >= c->span * SNUG__CURVE_MOST) {
    halve(c);
  }
  size_t at = seconds > 0.0 ? (size_t)(seconds / c->span) : 0;
  while (c->n <= at) {
    c->points[c->n++] = (snug__point){0};
  }
  join(&c->points[at], &(snug__point){(double)value, 1, value, value});
}
