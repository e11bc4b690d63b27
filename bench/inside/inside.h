/* The bench that looks at the inside: where a step's time goes, and what oneDNN alone would take.
 */
#ifndef SNUG_BENCH_INSIDE_H
#define SNUG_BENCH_INSIDE_H

#include "train/options.h"
#include "train/step.h"

/* A network of the bench, compiled as in every measurement: Adam, sparse categorical crossentropy.
 */
typedef struct subject {
  snug_ctx *ctx;
  snug_model *model;
} subject;

subject subject_make(const bench_options *o);
void subject_release(subject *s);

/* The graph of its training step as the model means it, before any pass.  The caller's. */
snug__graph *subject_graph(const subject *s, const bench_options *o);

/* Time each item of a training step, by op and kernel, and the longest items. */
void show_profile(const bench_options *o);

/* Predict the time of a training step from its kernels, and measure it. */
void show_prediction(const bench_options *o);

/* What is alive where a training step needs most memory. */
void show_peak(const bench_options *o);

/* How far a training step's memory can be brought down, and for how many seconds. */
void show_path(const bench_options *o);

/* Time Snug's kernel of each node of a training step beside oneDNN's best for the same. */
void show_ops(const bench_options *o);

/* Add up oneDNN's best times of all that a training step computes; a table or one line of JSON. */
void show_alone(const bench_options *o);

#endif
