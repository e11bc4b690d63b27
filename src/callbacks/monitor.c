/* Watching a value: which direction is better, and what is an improvement. */
#include <math.h>
#include <string.h>

#include "callbacks/callback.h"

const char *const snug__modes[] = {"auto", "min", "max", NULL};

/* The direction of a value of the logs, without val_: that of the metric behind it. */
static int direction_of(const snug__training *t, const char *name) {
  if (strcmp(name, "loss") == 0) {
    return -1;
  }
  for (size_t i = 0; i < t->tracked.n; i++) {
    const snug__tracked *x = &SNUG_VEC(&t->tracked, snug__tracked, i);
    if (strcmp(x->name, name) == 0) {
      return x->of_loss ? -1 : snug__metric_direction(&x->metric);
    }
  }
  return 0;
}

snug_status snug__monitor_settle(const snug__caller *c, snug__monitor *m) {
  bool is_val = strncmp(m->monitor, "val_", 4) == 0;
  int direction = m->mode == SNUG__MODE_AUTO
                      ? direction_of(c->model->training, m->monitor + (is_val ? 4 : 0))
                      : (m->mode == SNUG__MODE_MAX ? 1 : -1);
  if (direction == 0) {
    return snug__fail(c->ctx, SNUG_E_ARGUMENT,
                      "%s: it is not known whether more or less of monitor='%s' is better; give "
                      "mode=max or mode=min",
                      c->class_name, m->monitor);
  }
  m->is_up = direction > 0;
  m->is_double = c->model->real == SNUG_FLOAT64;
  return SNUG_OK;
}

/* The difference is taken in double and compared in the model's float type: Keras makes tensors of
 * both sides. */
bool snug__monitor_improves(const snug__monitor *m, double value, snug__best best) {
  double delta = fabs(m->min_delta);
  double moved = m->is_up ? value - delta : value + delta;
  double reference = best.value;
  if (!best.is_set) {
    return true;
  }
  if (!m->is_double) {
    return m->is_up ? (float)moved > (float)reference : (float)moved < (float)reference;
  }
  return m->is_up ? moved > reference : moved < reference;
}
