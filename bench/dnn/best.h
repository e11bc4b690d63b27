/* oneDNN's best time for a work: all implementations in all layouts that come into question, direct
 * and Winograd, the fastest by the clock.
 *
 * Implementations whose names say "ref" or "gemm" are left out: they are slow, or take memory while
 * they run.  The weight gradient of a depthwise kernel wider than 3, for which oneDNN has nothing
 * else, counts as much as its data gradient, which is as much arithmetic. */
#ifndef SNUG_BENCH_BEST_H
#define SNUG_BENCH_BEST_H

#include "dnn/work.h"

typedef struct dnn_best {
  double seconds; /* infinite: there is no implementation */
  char name[64];  /* of the implementation, with the layout of its source */
} dnn_best;

typedef struct dnn dnn;

/* Threads must not change while it lives.  Ends the program if oneDNN refuses to start. */
dnn *dnn_create(int32_t threads);
void dnn_destroy(dnn *d);

/* The best time; works that were asked for before are remembered. */
dnn_best dnn_best_of(dnn *d, const work *w);

#endif
