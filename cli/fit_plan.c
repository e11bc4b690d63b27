/* What a fit will hold, layer by layer. */
#include <math.h>
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
    snug_layer_memory l = SNUG_INIT(snug_layer_memory);
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

/* How many samples stand for data that are not there: whole batches, also of validation. */
static int64_t samples_for(const fit_run *r) {
  const fit_options *o = r->options;
  double split = o->validation_split;
  int64_t batch = r->fit.batch_size;
  int64_t validation = o->validation_batch_size ? o->validation_batch_size : batch;
  if (o->samples || split <= 0.0) {
    return o->samples ? o->samples : batch;
  }
  double rows = (double)batch / (1.0 - split);
  double held = (double)validation / split;
  return (int64_t)ceil(rows > held ? rows : held);
}

int64_t fit_samples(const fit_run *r) {
  return r->options->job.data.n ? r->job.data.x[0].shape[0] : samples_for(r);
}

snug_status fit_make_plan(fit_run *r, snug_plan **plan) {
  return r->options->job.data.n ? snug_plan_fit(r->job.model, &r->job.data, &r->fit, plan)
                                : snug_plan_samples(r->job.model, samples_for(r), &r->fit, plan);
}

void fit_keep_plan(fit_run *r, const snug_plan *plan) {
  size_t last = snug_plan_points(plan) - 1;
  size_t chosen = snug_plan_chosen(plan);
  snug_plan_memory(plan, &r->planned);
  snug_plan_data(plan, &r->data);
  snug_plan_point_at(plan, 0, &r->fastest);
  snug_plan_point_at(plan, chosen < last ? chosen : last, &r->point);
  r->fits = snug_plan_fits(plan);
  r->resumes = snug_plan_resumes(plan);
  r->least = snug_plan_least(plan);
  snug_plan_moment peak = SNUG_INIT(snug_plan_moment);
  snug_plan_peak(plan, &peak);
  r->peaks_in_validation = peak.validation;
  snprintf(r->note, sizeof r->note, "%s", snug_plan_note(plan));
  r->planning = terminal_now() - r->opened;
  copy_layers(r, plan);
}

void fit_end_plan(fit_run *r) {
  while (r->n_layers > 0) {
    free((char *)(uintptr_t)r->layers[--r->n_layers].layer);
  }
  free(r->layers);
}
