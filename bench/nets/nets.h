/* The networks of the bench, built with the public calls alone.
 *
 * The large ones are layer for layer those of keras.applications with weights=None, in the order in
 * which Keras makes them: paddings, epsilons, momenta, biases, dropouts.  `bench/run.sh --check`
 * compares weights and outputs with Keras. */
#ifndef SNUG_BENCH_NETS_H
#define SNUG_BENCH_NETS_H

#include "snug/model.h"

/* What a network is fed with by default, and how it is built. */
typedef struct net {
  const char *name;
  int64_t batch, size; /* size: height and width of the images, or the number of features */
  int64_t channels;    /* of the images; 0: a row of features */
  int64_t classes;
  bool per_pixel; /* a label for every pixel instead of one for the image */
  snug_status (*build)(snug_model *m, const struct net *n);
} net;

/* The network of a name; NULL if there is none. */
const net *net_find(const char *name);

/* All of them, ended by a NULL name. */
extern const net net_list[];

/* Add the input and all layers to an empty model.  Fails: the first failure of building. */
snug_status net_mlp(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_cnn(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_unet(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_vgg16(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_resnet50(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_mobilenet_v2(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_efficientnet_b0(snug_model *m, const net *n) SNUG_NODISCARD;
snug_status net_densenet121(snug_model *m, const net *n) SNUG_NODISCARD;

#endif
