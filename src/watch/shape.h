/* The verdict on a curve: flat, growing, stepped, or up and down; and whether it repeats. */
#ifndef SNUG_WATCH_SHAPE_H
#define SNUG_WATCH_SHAPE_H

#include "snug/tools/watch.h"
#include "watch/curve.h"

/* Fills in shape, shape_from, low, high, per_minute, period, steps, last_step_at and step_bytes. */
void snug__shape_judge(const snug__curve *curve, snug_watch_report *out);

#endif
