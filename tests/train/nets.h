/* The networks on which the promises are tested. */
#ifndef SNUG_TESTS_TRAIN_NETS_H
#define SNUG_TESTS_TRAIN_NETS_H

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

#endif
