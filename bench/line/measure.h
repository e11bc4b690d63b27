/* Steps of a network of the bench, timed; and what a plan holds. */
#ifndef SNUG_BENCH_LINE_MEASURE_H
#define SNUG_BENCH_LINE_MEASURE_H

#include <snug/plan.h>

#include "train/options.h"

#define MEASURED_MOST 512

/* Seconds of steps, over all calls that added to it. */
typedef struct measured {
  double seconds[MEASURED_MOST];
  int n;
  double least, median; /* by measure_finish */
} measured;

/* A context, and the network as a compiled model in it. */
void measure_open(const bench_options *o, snug_ctx **ctx, snug_model **model);

/* Fit for some steps behind two that are not timed, and add what each took. */
void measure_steps(snug_ctx *ctx, snug_model *model, const snug_data *data,
                   const snug_fit_options *options, int64_t steps, measured *m);
void measure_finish(measured *m);

/* The most bytes of activations, their gradients and scratch that are alive at one moment of the
 * step: what weights, their gradients and the data hold is left out. */
uint64_t measure_activations(const snug_plan *plan);

#endif
