/* The record of an op: everything the rest of the house asks about it.  One file in ops/ fills it.
 *
 * An op sees signatures (parameters and types), never the graph, except in `grad`, which emits
 * nodes. So the same record serves a planned program, another batch size and single calls. */
#ifndef SNUG_GRAPH_OP_H
#define SNUG_GRAPH_OP_H

#include "base/fields.h"
#include "base/queue.h"
#include "graph/graph.h"

#define SNUG__MAX_IN 64 /* concat and add_n take many */
#define SNUG__MAX_OUT 6

/* What infer sees and fills. */
typedef struct snug__infer {
  snug_ctx *ctx;
  const char *where; /* "conv1 (conv2d)": begin messages with it */
  const void *params;
  int32_t n_in;
  const snug__type *in; /* dtype SNUG_NO_DTYPE where an optional input is left out */
  snug__type *out;      /* filled for every output the op can have, wanted or not */
} snug__infer;

/* A call without memory: what cost, scratch and kernels may depend on. */
typedef struct snug__signature {
  const struct snug__op *op;
  const void *params;
  int32_t n_in, n_out;
  const snug__type *in, *out; /* dtype SNUG_NO_DTYPE where left out */
  snug__target target;        /* what it is to run on; the device reads it */
  int32_t kernel;             /* as snug__node.kernel */
} snug__signature;

/* A layout for each input and output of a call. */
typedef struct snug__layouts {
  snug__layout in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
} snug__layouts;

/* A call on values that are not plain, seen as one on plain values in the same memory: of other
 * shapes, e.g. images [n,h,w,c] in blocks of 16 channels as [n,c/16,h*w,16], and with parameters
 * that say the same about these. */
#define SNUG__PLAIN_PARAMS_BYTES 512
typedef struct snug__plain_call {
  snug__layouts want; /* the layouts for which this holds */
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT];
  _Alignas(16) unsigned char params[SNUG__PLAIN_PARAMS_BYTES];
} snug__plain_call;

/* Where a call found data that it cannot work with, e.g. a label out of range. */
typedef struct snug__fault {
  const char *what; /* static text, e.g. "label out of range" */
  int64_t index;    /* element of which input */
  double value, limit;
} snug__fault;

/* A call with memory.  Pointers are NULL where an optional input or output is left out. */
typedef struct snug__call {
  const snug__signature *sig;
  const void *const *in;
  void *const *out;
  void *scratch; /* of scratch(sig) bytes, contents undefined */
  snug__fault *fault;
  struct snug__store *store; /* where values wait, for ops with SNUG__OP_STORE */
  snug__queue *queue;        /* in which it runs */
} snug__call;

typedef struct snug__cost {
  double flops;
  double bytes; /* read and written */
} snug__cost;

/* A node that makes output 0 of another again, to the same bits, from what that read and made. */
#define SNUG__RECOMPUTE_INPUTS 8
typedef struct snug__recompute {
  const struct snug__op *op;
  snug__id in[SNUG__RECOMPUTE_INPUTS]; /* inputs, or further outputs, of the other */
  int32_t n_in;
  _Alignas(16) unsigned char params[128];
} snug__recompute;

/* What grad sees and fills: dout[k] is the gradient of output k or SNUG_NONE (none flows);
 * din[i] is to be set where wants[i], else left at SNUG_NONE. */
typedef struct snug__grad {
  snug__graph *g;
  snug__id node;
  const snug__id *in, *out; /* of the node; copies that stay valid while nodes are added */
  int32_t n_in;
  const void *params;
  const snug__id *dout;
  const bool *wants;
  snug__id *din;
} snug__grad;

typedef enum snug__op_flag {
  SNUG__OP_VIEW = 1,         /* output 0 is the memory of input 0; nothing runs */
  SNUG__OP_NO_RECOMPUTE = 2, /* must not be recomputed (writes state) */
  SNUG__OP_ANY_LAYOUT = 4,   /* every kernel works on whatever layouts inputs and outputs have */
  SNUG__OP_CHEAP = 8,        /* element by element: recomputed in one pass over its values */
  SNUG__OP_PASSES = 16,      /* output 0 is the memory of input 0, once the node has run */
  SNUG__OP_AT_ONCE = 32,     /* runs as soon as it can: it begins or ends work beside other work */
  SNUG__OP_STORE = 64,       /* needs call->store; may fail with E_IO, told by snug__store_fail */
  SNUG__OP_BATCH_STATISTICS = 128 /* takes statistics over the samples of a batch: a part of them
                                    gives others */
} snug__op_flag;

struct snug__rewrite;

typedef struct snug__op {
  const char *name;
  const char *doc; /* one line: what it computes */
  size_t params_bytes;
  const snug__field *fields;
  int32_t min_in, max_in;
  int32_t min_out, max_out; /* outputs from min_out on are optional */
  uint32_t flags;
  /* Bit i of in_place[k]: output k may take over the memory of input i, if that dies here and is as
   * long.  The reference must then read each element of input i before it writes that place. */
  uint64_t in_place[SNUG__MAX_OUT];
  /* i + 1: output k is the new content of input i (a weight or state); 0: it is not. */
  uint8_t writes[SNUG__MAX_OUT];
  snug_status (*infer)(snug__infer *q);
  /* NULL: refused where a gradient would have to pass through a real output.  A rule that sets
   * nothing stops it instead. */
  snug_status (*grad)(snug__grad *g);
  /* Plain C, double accumulation; test oracle, fallback, documentation.  Returns E_DATA with
   * call->fault filled if the data are impossible; never anything else. */
  snug_status (*reference)(const snug__call *call);
  /* How a call whose inputs have these layouts (of outputs they do not matter) could run without
   * reordering all of them: fills *plain, whose layouts, types and parameters start as those of the
   * plain call.  False: on plain values only.  NULL: never.  See ops/unblock.h. */
  bool (*unblock)(const snug__signature *sig, snug__plain_call *plain);
  /* A replacement for a node of this op, and for others around it, by something better: see
   * graph/rewrite.h.  Sets *replaced if it made one.  NULL: there is none. */
  snug_status (*rewrite)(struct snug__rewrite *r, snug__id node, bool *replaced);
  /* Why the call wants all samples of a batch at once, as the end of "the batch cannot be run in
   * pieces: ..."; NULL if it does not.  NULL: it never does. */
  const char *(*whole_batch)(const snug__signature *sig);
  /* How output 0 of a node can be recomputed in one pass, if not (SNUG__OP_CHEAP) as it was. */
  void (*recompute)(const snug__node *node, snug__recompute *out);
  size_t (*scratch)(const snug__signature *sig);  /* NULL: none */
  snug__cost (*cost)(const snug__signature *sig); /* NULL: one flop per output element */
} snug__op;

/* The op of a name; NULL if there is none. */
const snug__op *snug__op_find(const char *name);

/* The whole table, and its length. */
extern const snug__op *const snug__op_table[];
extern const int32_t snug__op_count;

/* FLOPs and bytes moved by a call. */
snug__cost snug__op_cost(const snug__signature *sig);

#endif
