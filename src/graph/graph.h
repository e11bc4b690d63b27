/* The graph: values and nodes by id, in one arena, in execution order.
 *
 * A graph is the computation of one batch size.  It starts as the forward computation, grad/
 * appends the backward, the model's recipe appends the update, pass/ rewrites it; it is never
 * executed itself: plan/ gives every value a place and exec/ runs the result.
 *
 * Invariants (snug__graph_verify checks them):
 * 1. Ids are indices and never change.  The nodes stand in an order in which they can be executed.
 * 2. A temporary has exactly one producer; inputs, weights, states and constants have none.
 * 3. The types of a node's outputs are what its op infers from its parameters and inputs.
 * 4. An output that `writes` an input is a view of that input's memory: after the node the old
 *    content is gone, so every other reader of the old content precedes it.
 * 5. A view shares the memory of its base, view_offset bytes on, and never reaches past its end. */
#ifndef SNUG_GRAPH_GRAPH_H
#define SNUG_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "graph/type.h"

typedef uint32_t snug__id;
#define SNUG_NONE UINT32_MAX

struct snug__op;

typedef enum snug__kind {
  SNUG__INPUT,  /* filled before each step */
  SNUG__WEIGHT, /* a variable of the model: lives as long as the model */
  SNUG__STATE,  /* slots, metrics, counters, learning rate: lives as long as the model's training */
  SNUG__CONSTANT, /* bytes that lie in the graph's arena */
  SNUG__TEMPORARY /* made by a node, dead at the end of the step */
} snug__kind;

/* What the bytes of a value are counted as. */
#define SNUG__CLASS_LIST(X)     \
  X(WEIGHTS, "weights")         \
  X(GRADIENTS, "gradients")     \
  X(OPTIMIZER, "optimizer")     \
  X(ACTIVATIONS, "activations") \
  X(SCRATCH, "scratch")         \
  X(DATA, "data")

typedef enum snug__class {
#define SNUG__CLASS_ENUM(name, text) SNUG__CLASS_##name,
  SNUG__CLASS_LIST(SNUG__CLASS_ENUM)
#undef SNUG__CLASS_ENUM
      SNUG__CLASS_COUNT
} snug__class;

const char *snug__class_text(snug__class c);
const char *snug__kind_text(snug__kind kind);

typedef struct snug__value {
  snug__type type;
  snug__kind kind;
  snug__class class_;
  snug__id producer;   /* node, or SNUG_NONE */
  snug__id layer;      /* whom its bytes belong to, or SNUG_NONE */
  snug__id view_of;    /* base value whose memory this is, or SNUG_NONE; a base is never a view */
  int64_t view_offset; /* bytes from the start of the base */
  snug__id variable;   /* weights and states: index in the model's table of variables */
  const void *data;    /* constants: the bytes */
  const char *name;    /* may be "" */
} snug__value;

typedef struct snug__node {
  const struct snug__op *op;
  const void *params; /* of op->params_bytes, zero-padded; NULL if there are none */
  int32_t n_in, n_out;
  snug__id *in;  /* SNUG_NONE where an optional input is left out */
  snug__id *out; /* SNUG_NONE where an optional output is not wanted */
  snug__id layer;
  bool backward;  /* grad/ made it */
  int32_t kernel; /* which of the kernels that fit: 0 is the preferred one, see device.h */
} snug__node;

#define SNUG__MAX_KERNELS 16 /* that one op can have to choose from */

typedef struct snug__graph {
  snug_ctx *ctx;
  snug__arena arena;
  snug__vec values;   /* snug__value */
  snug__vec nodes;    /* snug__node, in execution order */
  snug__vec layers;   /* const char *: names, for messages and attribution */
  snug__vec outputs;  /* snug__id: values that must exist at the end of the step */
  snug__id layer;     /* set by the builder: owner of what is added next */
  snug__class class_; /* set by the builder: class of the temporaries added next */
  bool backward;      /* set by the builder: of the nodes added next */
} snug__graph;

/* Life cycle.  Owns: *out is the caller's.  Fails: E_MEMORY. */
snug_status snug__graph_create(snug_ctx *ctx, snug__graph **out) SNUG_NODISCARD;
void snug__graph_destroy(snug__graph *g);

/* Add a layer name (copied) and make it the owner of what follows; out may be NULL. */
snug_status snug__graph_layer(snug__graph *g, const char *name, snug__id *out) SNUG_NODISCARD;

/* Add a value that no node makes.  Names are copied.  Fails: E_SHAPE for a type that is not valid.
 */
snug_status snug__graph_input(snug__graph *g, const char *name, snug__type type,
                              snug__id *out) SNUG_NODISCARD;
snug_status snug__graph_variable(snug__graph *g, const char *name, snug__kind kind,
                                 snug__class class_, snug__type type, snug__id variable,
                                 snug__id *out) SNUG_NODISCARD;
/* A constant; the bytes of its data are copied. */
snug_status snug__graph_constant(snug__graph *g, const char *name, snug__type type,
                                 const void *data, snug__id *out) SNUG_NODISCARD;

/* Add a node: copies params (NULL: the op has none), infers and adds its outputs; outs receives
 * n_out ids.  Optional outputs are made for the first n_out only.
 * Fails: as op->infer does, with layer and op named; the graph is unchanged. */
snug_status snug__graph_add(snug__graph *g, const struct snug__op *op, const void *params,
                            const snug__id *in, int32_t n_in, snug__id *outs,
                            int32_t n_out) SNUG_NODISCARD;

/* Give an existing node one more of its optional outputs (what a backward wants kept). */
snug_status snug__graph_want_output(snug__graph *g, snug__id node, int32_t index,
                                    snug__id *out) SNUG_NODISCARD;

/* Mark a value as needed after the step. */
snug_status snug__graph_output(snug__graph *g, snug__id value) SNUG_NODISCARD;

static inline snug__value *snug__value_at(const snug__graph *g, snug__id id) {
  return &SNUG_VEC(&g->values, snug__value, id);
}
static inline snug__node *snug__node_at(const snug__graph *g, snug__id id) {
  return &SNUG_VEC(&g->nodes, snug__node, id);
}
static inline const snug__type *snug__type_at(const snug__graph *g, snug__id id) {
  return &snug__value_at(g, id)->type;
}

/* The types of n values; SNUG_NO_DTYPE where the id is SNUG_NONE. */
void snug__graph_types(const snug__graph *g, const snug__id *ids, int32_t n, snug__type *types);

/* The value whose memory this is: itself, or the base of a view. */
snug__id snug__value_base(const snug__graph *g, snug__id id);

/* Name of a layer, "" for SNUG_NONE. */
const char *snug__layer_name(const snug__graph *g, snug__id layer);

/* Check the invariants above.  Fails: E_INTERNAL naming node, op, layer and value; E_MEMORY. */
snug_status snug__graph_verify(const snug__graph *g) SNUG_NODISCARD;

/* The first input that no node reads and that is no output, or SNUG_NONE.  That is no fault of a
 * graph, but usually one of the model. */
snug__id snug__graph_unused_input(const snug__graph *g);

/* A stable, diffable text of the whole graph, and back to an equal one: the same ids, classes,
 * layers, parameters and constants to the bit.  One item per line; data of a constant in lines of
 * their own:
 *
 *   snug-graph 1
 *   layer 0 "dense"
 *   %0 = input float32[32,10] "x" class=data
 *   %1 = weight float32[10,4] "dense/kernel" var=0 class=weights @0
 *   %3 = constant int32[2] "axes" class=weights
 *     0 1
 *   %2 float32[32,4] class=activations, _ = some_op(%0, -, %1) {size=[2,2]} @0
 *   %4 float32[128] class=activations view=%2 = reshape(%2) {shape=[128]} @0 backward
 *   %5 float32[32,4] class=activations = some_op(%0, -, %1) kernel=1 @0
 *   output %4
 *   end
 *
 * First what no node makes, in order of id, then the nodes in order of execution.  "_" is an
 * output that is not wanted, "-" an input that is left out, @n the layer (for an output only where
 * it is not its node's; "@-" then means none), view=%base+bytes the memory that is shared.
 *
 * Reading takes nothing on trust and verifies the result; its memory is bounded by the length of
 * the text.  Fails: E_FORMAT (or as the op does that refuses) naming the line and what was
 * expected; *out is NULL.  Printing fails: E_OVERFLOW where a name makes a line too long to be read
 * back, E_MEMORY; part of the text is then in out. */
snug_status snug__graph_print(const snug__graph *g, snug__text *out) SNUG_NODISCARD;
snug_status snug__graph_read(snug_ctx *ctx, const char *text, snug__graph **out) SNUG_NODISCARD;

#endif
