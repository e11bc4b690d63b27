/* The forward of a network with weights from a file, to be compared with another framework's. */
#ifndef SNUG_BENCH_FORWARD_H
#define SNUG_BENCH_FORWARD_H

#include "train/options.h"

/* Elements of all weights, those that are not trained included. */
long long count_parameters(const snug_model *m);

/* Set the weights to those of the file o->weights, which holds all of them in the order in which
 * the layers were made, float32 without gaps; write the outputs for one batch of bench_data to
 * o->output. Prints the number of parameters.  Ends the program if something is wrong. */
void forward_to_file(snug_ctx *ctx, snug_model *m, const bench_options *o);

#endif
