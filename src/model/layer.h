/* A layer class: its configuration and one function that emits its nodes.
 *
 * The function is called for every graph made for the model (batch 1 while the model is built, then
 * training, validation, prediction at their batch sizes).  It asks for its weights by name; the
 * first call makes them. */
#ifndef SNUG_MODEL_LAYER_H
#define SNUG_MODEL_LAYER_H

#include "base/fields.h"
#include "model/build.h"
#include "model/named.h"

/* Every config struct begins with this member, named `common`. */
typedef struct snug__layer_common {
  char name[SNUG__NAME_BYTES]; /* "": made from the class */
  bool trainable;
  char activity_regularizer[SNUG__NAME_BYTES];
} snug__layer_common;

/* The first entries of every field table. */
#define SNUG__LAYER_FIELDS                                                                        \
  {"name", SNUG__FIELD_TEXT, offsetof(snug__layer_common, name), "\"\"", NULL},                   \
      {"trainable", SNUG__FIELD_BOOL, offsetof(snug__layer_common, trainable), "true", NULL}, {   \
    "activity_regularizer", SNUG__FIELD_TEXT, offsetof(snug__layer_common, activity_regularizer), \
        "\"\"", NULL                                                                              \
  }

typedef struct snug__layer {
  const struct snug__layer_class *class_;
  const char *name;
  void *config;
  uint32_t index; /* position in the model */
} snug__layer;

#define SNUG__CALL_INPUTS 64 /* most inputs of one call */

/* What a layer sees when it is called.
 *
 * A mask goes along with a value where an Embedding made one: bool, of the value's shape without
 * its last axis, false where there is nothing but padding. */
typedef struct snug__layer_call {
  snug__build *b;
  const snug__layer *layer;
  const void *config;
  const snug__id *in;
  const snug__id *masks; /* per input; SNUG_NONE: it has none */
  int32_t n_in;
  uint32_t index; /* of the call in the model: distinguishes random streams */
  snug__id out;   /* to be set */
  snug__id mask;  /* of the output; set by what the class says, or by the call */
} snug__layer_call;

/* What becomes of the masks of the inputs, as in Keras. */
typedef enum snug__masking {
  SNUG__MASK_ENDS,   /* the output has none */
  SNUG__MASK_PASSES, /* that of the input is the output's */
  SNUG__MASK_JOINS,  /* where one of the inputs has something, if all have masks */
  SNUG__MASK_OWN     /* the call sets it */
} snug__masking;

typedef struct snug__layer_class {
  const char *name; /* Keras's class name; of a raw op "ops." and that */
  size_t config_bytes;
  const snug__field *fields;
  int32_t min_in, max_in;
  snug_status (*call)(snug__layer_call *c);
  snug__masking masking;
  const char *operands; /* of a raw op: what the arguments of a call are named, in order, where they
                           may be constants that are keys; NULL: two, and `constant` is one */
  const char *const *lacks; /* see LAYER_LACKS; ended by NULL, or NULL */
} snug__layer_class;

/* Emit a call of a layer: `b`, `layer`, `in`, `masks`, `n_in` and `index` are given, the rest is
 * set here. */
snug_status snug__layer_emit(snug__layer_call *c) SNUG_NODISCARD;

/* How a weight is to be made; texts as in Keras ("glorot_uniform", "l2(0.01)", "max_norm(2)"), ""
 * for none. */
typedef struct snug__weight_spec {
  const char *name; /* "kernel" */
  const char *initializer;
  const char *regularizer;
  const char *constraint;
  bool frozen; /* never trained, e.g. moving averages */
} snug__weight_spec;

/* The layer's weight of that name, as a value of the graph; made on first use.
 * Fails: E_SHAPE if the layer is called again on another shape, E_ARGUMENT for an unknown
 * initializer. */
snug_status snug__layer_weight(snug__layer_call *c, const snug__weight_spec *spec, snug__type type,
                               snug__id *value) SNUG_NODISCARD;
/* Its variable, for layers that write it (moving averages). */
snug__id snug__layer_variable(const snug__layer_call *c, const char *name);

/* The random streams of the model: seed and step as int64 scalars (states), for dropout. */
snug_status snug__layer_random(snug__layer_call *c, snug__id *seed, snug__id *step) SNUG_NODISCARD;

/* Add l1 Σ|v| + l2 Σv² of a value to the loss, divided by the batch size. */
snug_status snug__layer_penalize(const snug__layer_call *c, snug__id v, double l1,
                                 double l2) SNUG_NODISCARD;

/* True where one of two masks is. */
snug_status snug__layer_join_masks(const snug__layer_call *c, snug__id a, snug__id b,
                                   snug__id *out) SNUG_NODISCARD;

/* Whether the layer is not frozen, as last set. */
bool snug__layer_is_trainable(const snug__layer *layer);

/* Whether this call is in training and the layer is trainable (batch normalization needs both). */
bool snug__layer_is_training(const snug__layer_call *c);

/* An activation by Keras's name ("relu", "softmax", "linear", ...) on a value.  Fails: E_ARGUMENT
 * naming the known ones. */
snug_status snug__emit_activation(snug__build *b, const char *where, const char *name, snug__id in,
                                  snug__id *out) SNUG_NODISCARD;

/* How many activations there are, and one of them: its names, its options. */
size_t snug__activations(void);
snug__named snug__activation_at(size_t i);

/* What an activation of a file of Keras lacks; NULL: nothing. */
const char *snug__activation_lack(const char *name);

/* Keras's own name of an activation ("swish" is "silu"), and whether arguments follow it, which
 * say something.  Fails: as snug__emit_activation. */
snug_status snug__activation_name(snug_ctx *ctx, const char *where, const char *text,
                                  char out[SNUG__NAME_BYTES], bool *has_arguments) SNUG_NODISCARD;

/* All classes, and the class of a name; NULL if there is none. */
extern const snug__layer_class *const snug__layer_classes[];
extern const size_t snug__layer_n_classes;
const snug__layer_class *snug__layer_class_find(const char *name);

/* "Dense, Dropout": the classes with the first letter of a name, into out (as many as fit), for
 * messages; returns out. */
const char *snug__layer_classes_like(const char *name, char *out, size_t bytes);

/* What Keras makes of a class name: "GlobalAveragePooling2D" -> "global_average_pooling2d", "ReLU"
 * -> "re_lu", "ops.Add" -> "add". */
void snug__layer_snake_case(const char *class_name, char out[SNUG__NAME_BYTES]);

/* The classes of all layers, from layers.def. */
#define LAYER(name) extern const snug__layer_class snug__layer_##name;
#define RAW_OP(name) extern const snug__layer_class snug__raw_##name;
#include "model/layers.def"
#undef RAW_OP
#undef LAYER

#endif
