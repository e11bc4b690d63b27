/* Memory over time in a bounded number of points: when they are full, two and two become one. */
#ifndef SNUG_WATCH_CURVE_H
#define SNUG_WATCH_CURVE_H

#include <stddef.h>
#include <stdint.h>

#define SNUG__CURVE_MOST 512

/* What was seen in one span of time. */
typedef struct snug__point {
  double sum; /* of all values */
  uint32_t n; /* how many; 0: nothing was seen, while nobody looked */
  uint64_t low, high;
} snug__point;

typedef struct snug__curve {
  snug__point points[SNUG__CURVE_MOST];
  size_t n;    /* points in use; the last one is still being filled */
  double span; /* seconds of one point */
} snug__curve;

void snug__curve_init(snug__curve *c, double span);

/* Add a value; times must not fall. */
void snug__curve_add(snug__curve *c, double seconds, uint64_t value);

#endif
