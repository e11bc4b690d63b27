/* Made-up data for a network of the bench. */
#ifndef SNUG_BENCH_DATA_H
#define SNUG_BENCH_DATA_H

#include "nets/nets.h"
#include "snug/train.h"

typedef struct bench_data {
  snug_array x, y; /* float32; int32 labels */
  snug_data data;  /* of the two; the struct must stay where it is */
  size_t bytes;
} bench_data;

/* Numbers from -1 to 1 (images) and labels, the same in every run.  Ends the program if there is no
 * memory. */
void bench_data_make(bench_data *d, const net *n, int64_t n_batches);
void bench_data_release(bench_data *d);

#endif
