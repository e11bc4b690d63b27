/* What the programs of the bench are told on their command lines. */
#ifndef SNUG_BENCH_OPTIONS_H
#define SNUG_BENCH_OPTIONS_H

#include "nets/nets.h"

typedef struct bench_options {
  net net; /* with batch and size as told */
  int32_t threads;
  int64_t steps;                /* at most, behind the first ones that are not timed */
  int64_t warm;                 /* steps that are not timed */
  double seconds;               /* stop when so many have passed */
  int64_t n_batches;            /* of data that are held */
  const char *weights, *output; /* files for a forward that is compared; NULL: none */
  int64_t pieces, line;         /* of a profile: samples at a time, MiB of the line; 0: none */
  bool marks;                   /* tell when timing begins, and print when which step was done */
  bool json;                    /* print one line for a program instead of a table */
} bench_options;

/* Read --model, --batch, --size, --threads, --steps, --warm, --seconds, --batches, --pieces,
 * --line, --marks, --json.  Prints what is wrong and ends the program with 2 if something is. */
bench_options bench_options_read(int argc, char **argv);

/* Seconds on the clock that all processes share. */
double bench_now(void);

/* End the program with the message of the context if s is a failure. */
void bench_need(const snug_ctx *ctx, snug_status s);

/* Compile a model as all networks of the bench are trained: classes, with Adam. */
void bench_compile(snug_ctx *ctx, snug_model *m);

#endif
