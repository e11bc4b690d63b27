/* The networks on which the promises are tested. */
#ifndef SNUG_TESTS_TRAIN_NETS_H
#define SNUG_TESTS_TRAIN_NETS_H

#include "snug/plan.h"
#include "train/data.h"

typedef struct net {
  const char *name;
  snug_status (*build)(snug_model *m); /* one input, one softmax output */
  int64_t shape[3];                    /* of a sample */
  int32_t rank, classes;
  int64_t samples, batch; /* for a short fit with a partial last batch */
} net;

extern const net nets[];
extern const size_t n_nets;

/* A compiled model of a net, and data for it. */
snug_model *net_model(snug_ctx *ctx, const net *n, const char *optimizer);
void net_data(const net *n, toy *t);

/* A fit of a net, ready to be planned and run: in a context of its own, in batches of the net. */
typedef struct job {
  snug_ctx *ctx;
  snug_model *model;
  toy data;
  snug_fit_options options;
} job;

void job_open(job *j, const net *n, const char *optimizer);
void job_close(job *j);

/* Its plan under a line, which its options have from then on.  The caller's. */
snug_plan *job_plan(job *j, uint64_t line);

#endif
