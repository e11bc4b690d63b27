/* A config on its way to a model: containers, the layers in them, and the calls between these.
 *
 * A container (Sequential or Functional) is read once into a scope; calling a scope replays its
 * nodes on tensors of the one flat model that is built.  A layer of a nested model is named after
 * its way: "outer/inner".  What is called twice shares its layers. */
#ifndef SNUG_KERAS_CONFIG_PARTS_H
#define SNUG_KERAS_CONFIG_PARTS_H

#include "base/map.h"
#include "keras/config.h"
#include "keras/json.h"

#define SNUG__CONFIG_DEPTH 64 /* most models in each other */

typedef enum snug__config_kind {
  SNUG__CONFIG_INPUT,
  SNUG__CONFIG_LAYER, /* also an operation such as x + 1: it has no place in the weights file */
  SNUG__CONFIG_MODEL
} snug__config_kind;

/* An entry of a container's list of layers. */
typedef struct snug__config_item {
  snug__config_kind kind;
  bool is_op;
  const snug__json *object, *config; /* its envelope, and "config" in it */
  const char *class_name;            /* Keras's: "Dense" */
  const char *name;                  /* in its container */
  const char *path;                  /* in the model: "outer/inner" */
  struct snug__config_scope *scope;  /* of a MODEL */
  struct snug__config_item *first;   /* itself, or the entry before that is the same object */
  uint32_t layer;                    /* in the model's layers; SNUG__NO_LAYER until it is called */
  bool is_placed;
  uint32_t first_node, n_nodes; /* in its scope */
} snug__config_item;

/* One call of an entry; an input has one without json.  It is called on the tensors
 * arguments[first .. first + n_values) of its scope; behind them, up to n_all, are masks, which go
 * along with values in Snug and are not computed by nodes. */
typedef struct snug__config_node {
  uint32_t item;
  const snug__json *json;
  uint32_t first, n_values, n_all;
  uint32_t n_used;         /* results that others read: one more than the highest */
  bool is_read, is_needed; /* for an output, as its value */
} snug__config_node;

/* An input, an output or an argument: a tensor of one of a container's nodes. */
typedef struct snug__config_leaf {
  uint32_t node, tensor;
  const char *key; /* of the dict that it stands in; NULL if it does not */
} snug__config_leaf;

typedef struct snug__config_scope {
  const char *name;
  bool is_sequential; /* then there are no nodes and leaves: each layer is called on the one before
                       */
  snug__config_item *items;
  snug__config_node *nodes;
  uint32_t n_items, n_nodes;
  snug__map names; /* of the items: their index */
  snug__config_leaf *inputs, *outputs;
  uint32_t n_inputs, n_outputs;
  snug__vec arguments; /* snug__config_leaf, of the nodes that outputs need */
} snug__config_scope;

typedef struct snug__config {
  snug_ctx *ctx;
  const char *file;
  const snug_load_options *options;
  snug_model *m;
  snug__arena arena;
  snug__vec scopes; /* snug__config_scope *, for their maps */
  snug__map shared; /* of objects that occur twice, by their id: index in shared_items */
  snug__vec shared_items;
  snug_dtype dtype; /* of the layers; SNUG_NO_DTYPE until one says it */
  const char *dtype_of;
  size_t calls, most_calls;
  int32_t depth; /* of the call that is running */
} snug__config;

/* Raise a failure that begins with the file and an entry: "m.keras: layer 'conv1' (Conv2D): ...".
 */
#define snug__config_fail(k, item, code, format, ...)                                 \
  snug__fail((k)->ctx, code, "%s: layer '%s' (%s): " format, (k)->file, (item)->path, \
             (item)->class_name, __VA_ARGS__)

/* Read a container, with those in it; `path` is its own, "" for the model. */
snug_status snug__config_read(snug__config *k, const snug__json *object, const char *path,
                              int32_t depth, snug__config_scope **out) SNUG_NODISCARD;
void snug__config_release(snug__config *k);

/* List the nodes of a Functional's entries. */
snug_status snug__config_list_nodes(snug__config *k, snug__config_scope *scope) SNUG_NODISCARD;

/* Read the arguments of all nodes that its outputs, which are known, need. */
snug_status snug__config_read_arguments(snug__config *k, snug__config_scope *scope) SNUG_NODISCARD;

/* The tensor of a history ["name", node, tensor].  offset: 1 where a nested Functional counts a
 * call of its own before the first, as in lists of inputs and outputs. */
snug_status snug__config_find_node(snug__config *k, const snug__config_scope *scope,
                                   const snug__json *history, int64_t offset,
                                   snug__config_leaf *out) SNUG_NODISCARD;

/* The members of a dict in the order of their keys, which is how Keras flattens it; they live as
 * long as the config.  Fails: E_FORMAT if there are thousands. */
snug_status snug__config_sort(snug__config *k, const snug__json *dict, snug__json_member **out,
                              size_t *n) SNUG_NODISCARD;

/* What a class of Keras is called here: "Dense", "ops.Add".  Fails: E_UNSUPPORTED, saying what
 * would do. */
snug_status snug__config_class(snug__config *k, const snug__config_item *item,
                               const snug__layer_class **out) SNUG_NODISCARD;

/* Whether an object is an operation, not a layer: x + 1, keras.ops.mean(x). */
bool snug__config_is_op(const snug__json *object);

/* Look at the dtype policies of the model, and say what it computes in. */
snug_status snug__config_read_dtypes(snug__config *k,
                                     const snug__config_scope *scope) SNUG_NODISCARD;

/* The text of a layer for the model's builder, from its config. */
snug_status snug__config_layer_text(snug__config *k, const snug__config_item *item,
                                    const snug__layer_class *class_,
                                    snug__text *out) SNUG_NODISCARD;

/* Append what a node gives its entry beside tensors: the constants of an operation.  Fails:
 * E_UNSUPPORTED for what the class does not take. */
snug_status snug__config_call_text(snug__config *k, const snug__config_item *item,
                                   const snug__layer_class *class_, const snug__json *node,
                                   snug__text *out) SNUG_NODISCARD;

/* Append ` key=value` for a field; nothing for a null that means the default. */
snug_status snug__config_value(snug__config *k, const snug__config_item *item, const snug__field *f,
                               const snug__json *value, snug__text *out) SNUG_NODISCARD;

/* The field of a name, or NULL. */
const snug__field *snug__config_field(const snug__layer_class *class_, const char *key);

/* Whether a key that a class has not in Snug says nothing at this value. */
bool snug__config_is_harmless(const char *key, const snug__json *value);

/* Whether a value is null, false, 0 or an empty list. */
bool snug__config_says_nothing(const snug__json *j);

/* Whether a value is a tensor of the graph. */
bool snug__config_is_tensor(const snug__json *j);

/* A number, a bool, or a list of numbers and of such lists; and its text.  A size that is left open
 * in a list (null) is -1. */
bool snug__config_is_numbers(const snug__json *j);
snug_status snug__config_add_numbers(const snug__json *j, snug__text *out) SNUG_NODISCARD;

/* Whether a member of an object is to be left out of its text; null always is. */
typedef bool snug__config_skip(const char *key, const snug__json *value);

/* Append `Name(key=value, ...)` for an object, a bare name for a text or a function.  Fails:
 * E_UNSUPPORTED for a value that has no such text; `where` names the thing in the message. */
snug_status snug__config_named(snug_ctx *ctx, const char *where, const snug__json *object,
                               snug__config_skip *skip, snug__text *out) SNUG_NODISCARD;

/* Call a scope on tensors; its outputs are appended to out (snug_tensor). */
snug_status snug__config_call(snug__config *k, snug__config_scope *scope, const snug_tensor *in,
                              size_t n, snug__vec *out) SNUG_NODISCARD;

/* Add the model's inputs. */
snug_status snug__config_add_inputs(snug__config *k, const snug__json *object,
                                    snug__config_scope *scope, snug__vec *out) SNUG_NODISCARD;

/* Note where each layer's weights lie in the weights file. */
snug_status snug__config_place(snug__config *k, snug__config_scope *scope) SNUG_NODISCARD;

#endif
