/* Configs as tests write them: JSON with ' in the place of ". */
#ifndef SNUG_TESTS_KERAS_CONFIG_SUPPORT_H
#define SNUG_TESTS_KERAS_CONFIG_SUPPORT_H

#include "keras/config.h"
#include "lib/test.h"

#define CONFIG_BYTES 65536

/* Print a config into out, of CONFIG_BYTES, with " for every '. */
const char *config_text(char *out, const char *format, ...) SNUG_PRINTF(2, 3);

/* Build the model of a config; it must succeed. */
snug_model *config_build(snug_ctx *ctx, const char *text);

/* The status of building a config that must fail; the message is in the context. */
snug_status config_refuse(snug_ctx *ctx, const char *text);

/* "path=name:layer path=name:layer ..." of all places, "-" where there is no layer. */
const char *config_places(const snug_model *m, char *out, size_t bytes);

/* Pieces of configs. */
#define TENSOR(name, node, index)                                                          \
  "{'class_name': '__keras_tensor__', 'config': {'shape': [null, 4], 'dtype': 'float32', " \
  "'keras_history': ['" name "', " #node ", " #index "]}}"
#define NODE(args) "{'args': [" args "], 'kwargs': {}}"
#define INPUT(name, shape)                                                                  \
  "{'module': 'keras.layers', 'class_name': 'InputLayer', 'config': {'batch_shape': " shape \
  ", 'dtype': 'float32', 'sparse': false, 'name': '" name                                   \
  "'}, 'registered_name': null, 'name': "                                                   \
  "'" name "', 'inbound_nodes': []}"
#define LAYER(class_name, name, keys, nodes)                                                   \
  "{'module': 'keras.layers', 'class_name': '" class_name "', 'config': {'name': '" name       \
  "', 'trainable': true, 'dtype': 'float32'" keys "}, 'registered_name': null, 'name': '" name \
  "', 'inbound_nodes': [" nodes "]}"
#define DENSE(name, units, nodes) LAYER("Dense", name, ", 'units': " #units, nodes)
#define FUNCTIONAL(name, layers, inputs, outputs)                                             \
  "{'module': 'keras.src.models.functional', 'class_name': 'Functional', 'config': {'name': " \
  "'" name "', 'trainable': true, 'layers': [" layers "], 'input_layers': " inputs            \
  ", 'output_layers': " outputs "}, 'registered_name': 'Functional'"
#define SEQUENTIAL(name, layers)                                              \
  "{'module': 'keras', 'class_name': 'Sequential', 'config': {'name': '" name \
  "', 'trainable': true, 'dtype': 'float32', 'layers': [" layers "]}, 'registered_name': null"
#define END "}"
#define CALLED(name, nodes) ", 'name': '" name "', 'inbound_nodes': [" nodes "]}"

#endif
