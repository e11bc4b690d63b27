/* The inside of a model: layers, the calls between them, variables, and how it is trained.
 *
 * While a model is built, every call is emitted at once into a prototype graph of batch 1: shapes
 * are known and errors are reported where they are made.  Graphs of other batch sizes replay the
 * list of calls. */
#ifndef SNUG_MODEL_MODEL_H
#define SNUG_MODEL_MODEL_H

#include "base/map.h"
#include "model/build.h"
#include "model/layer.h"
#include "snug/model.h"

typedef struct snug__model_call {
  uint32_t layer;
  int32_t n_in;
  snug_tensor *in;
  snug_tensor out;
  bool needed; /* by an output; steps leave the others out */
} snug__model_call;

typedef struct snug__model_input {
  const char *name;
  snug_tensor tensor;
} snug__model_input;

typedef struct snug__model_tensor {
  snug__type type;  /* at batch 1 */
  snug__id proto;   /* its value in the prototype graph */
  snug__id mask;    /* its mask there, or SNUG_NONE */
  const char *name; /* of the layer or input that made it, or of the output that it is */
} snug__model_tensor;

struct snug_model {
  snug_ctx *ctx;
  snug__arena arena;
  const char *name;
  snug_dtype real;
  snug__habits habits;
  uint64_t seed;
  snug_status status;  /* first failure of building */
  const char *failure; /* its message; NULL if there was no memory to keep it */
  snug__variables variables;
  snug__vec layers;   /* snug__layer */
  snug__vec calls;    /* snug__model_call, in the order they were made */
  snug__vec tensors;  /* snug__model_tensor */
  snug__vec inputs;   /* snug__model_input */
  snug__vec outputs;  /* snug_tensor */
  snug__map names;    /* of layers: their index; of inputs: SNUG__NO_LAYER */
  snug__map counters; /* of default names: the next number to try */
  snug__build proto;
  snug__place weights; /* block of all weights, made with the first use of one */
  size_t weights_bytes;
  const struct snug__plan_options *plan; /* NULL: the defaults; tests try others */
  const struct snug__pass_options *pass; /* NULL: the defaults; tests try others */
  struct snug__training *training;       /* set by compile; made and ended by train/ */
  uint64_t compiles;                     /* how often it was compiled */
  struct snug__keras *keras;             /* what its file said; made and ended by keras/ */
  const char *uncompiled;                /* why it is not compiled as its file says, or NULL */
  bool is_augmented;                     /* see snug_model_set_augmented */
  const char *left_out;                  /* metrics of its file that it goes without, or NULL */
};

#define SNUG__NO_LAYER (UINT32_MAX - 1)

/* Raise the first failure of building again, with its message; OK if there was none. */
snug_status snug__model_check(const snug_model *m) SNUG_NODISCARD;

/* The layer of a name, or NULL. */
const snug__layer *snug__model_find_layer(const snug_model *m, const char *name);

/* Whether a variable is a weight that training changes by its gradient: neither it nor its layer is
 * frozen. */
bool snug__model_trains(const snug_model *m, const snug__variable *v);

/* End of building: the last tensor becomes the output if none was set.  Fails: the first failure
 * of building; E_ARGUMENT as snug_model_outputs. */
snug_status snug__model_finish(snug_model *m) SNUG_NODISCARD;

/* Emit the forward of a finished model at a batch size: inputs are added as graph inputs; values of
 * the model's inputs and outputs go to in[] and out[], masks of the outputs to masks[] unless that
 * is NULL. */
snug_status snug__model_emit(snug_model *m, snug__build *b, int64_t batch, snug__id *in,
                             snug__id *out, snug__id *masks) SNUG_NODISCARD;

/* See that there is memory for the weights, unless they are there.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__model_check_weights(const snug_model *m) SNUG_NODISCARD;

void snug__model_give_weights(snug_model *m);

/* Make the block of the weights and fill in the initial values, unless it is there. */
snug_status snug__model_commit_weights(snug_model *m) SNUG_NODISCARD;

/* Bring the weights into these layouts, one per variable (those of states do not matter).  Fails:
 * E_MEMORY; unchanged. */
snug_status snug__model_assign_weight_layouts(snug_model *m,
                                              const snug__layout *layout) SNUG_NODISCARD;

/* End what compile and fit made of the model; defined by train/. */
void snug__training_destroy(snug_model *m);

/* End what is kept of the model's file; defined by keras/. */
void snug__keras_destroy(snug_model *m);

#endif
