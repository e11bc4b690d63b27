/* What a fit will hold, layer by layer. */
#include <stdlib.h>
#include <string.h>

#include "fit.h"

static uint64_t bytes_of(const snug_layer_memory *l) { return l->weights + l->optimizer + l->step; }

static int compare(const void *a, const void *b) {
  uint64_t x = bytes_of(a);
  uint64_t y = bytes_of(b);
  return x < y ? 1 : x > y ? -1 : 0;
}

/* The layers that hold something.  Without memory for them the table is shorter, no more. */
static void copy_layers(fit_run *r, const snug_plan *plan) {
  size_t n = snug_plan_layers(plan);
  r->layers = calloc(n ? n : 1, sizeof *r->layers);
  for (size_t i = 0; r->layers && i < n; i++) {
    snug_layer_memory l;
    snug_plan_layer(plan, i, &l);
    const char *name = l.layer[0] && bytes_of(&l) ? strdup(l.layer) : NULL;
    if (name) {
      l.layer = name;
      r->layers[r->n_layers++] = l;
    }
  }
  if (r->layers) {
    qsort(r->layers, r->n_layers, sizeof *r->layers, compare);
  }
}

snug_status fit_plan(fit_run *r) {
  snug_plan *plan = NULL;
  snug_status s = snug_plan_fit(r->job.model, &r->job.data, &r->fit, &plan);
  if (!s) {
    snug_plan_memory(plan, &r->planned);
    copy_layers(r, plan);
  }
  snug_plan_destroy(plan);
  return s;
}

void fit_end_plan(fit_run *r) {
  while (r->n_layers > 0) {
    free((char *)(uintptr_t)r->layers[--r->n_layers].layer);
  }
  free(r->layers);
}
