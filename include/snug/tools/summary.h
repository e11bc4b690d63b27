/* What a model is made of, layer by layer, as Keras's model.summary() tells it, and what it costs:
 * bytes of outputs, bytes that the backward pass needs of each layer, FLOPs, and the totals that
 * people copy into papers. */
#ifndef SNUG_TOOLS_SUMMARY_H
#define SNUG_TOOLS_SUMMARY_H

#include "snug/tools/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_summary snug_summary;

/* One layer or input, in Keras's order; layers of a nested model stand for themselves, as
 * "inner/dense".  Texts live as long as the summary. */
typedef struct snug_summary_row {
  size_t struct_size;
  const char *name, *class_name; /* "conv2d", "Conv2D" */
  int32_t rank;                  /* of the output, without the batch axis */
  int64_t shape[SNUG_MAX_RANK];
  snug_dtype dtype;
  uint64_t parameters; /* elements of its weights */
  bool trainable;      /* the layer is not frozen */
  const char
      *connected; /* "conv2d[0][0], re_lu[0][0]": layer, its call, its output; "" of inputs */
  uint64_t output_bytes; /* of a batch; of all its calls */
  uint64_t saved_bytes;  /* made in its forward and read by the backward, as the step is planned: a
                            value that is kept belongs to the layer that made it */
  double flops;          /* forward, of one sample; a multiplication and an addition are two */
} snug_summary_row;

/* A number of parameters, and their bytes. */
typedef struct snug_summary_count {
  uint64_t parameters, bytes;
} snug_summary_count;

typedef struct snug_summary_totals {
  size_t struct_size;
  snug_summary_count weights, trainable, frozen;
  snug_summary_count optimizer; /* as Keras counts it: slots, iteration, learning rate */
  double flops;                 /* forward, of one sample */
  int64_t batch;
  bool is_compiled;     /* otherwise what follows, the optimizer and saved_bytes are not known: 0 */
  uint64_t saved_bytes; /* of all layers and of the loss: activation memory */
  uint64_t peak_bytes;  /* all that Snug holds in a fit with this batch, without the data set */
} snug_summary_totals;

/* Look at a model with a batch size (0: 32).  Ends building; makes the weights if the model is
 * compiled.  Owns: *out is the caller's, ended by snug_summary_destroy before its context; the
 * model may go first.  Fails: the first failure of building, E_ARGUMENT (a negative batch), E_SHAPE
 * (a batch whose bytes cannot be counted), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_summary_create(snug_model *model, int64_t batch_size,
                                         snug_summary **out) SNUG_NODISCARD;
SNUG_API void snug_summary_destroy(snug_summary *summary); /* NULL is allowed */

/* Number of rows, one of them (all zero with the name "" when out of range), and the totals. */
SNUG_API size_t snug_summary_rows(const snug_summary *summary);
SNUG_API void snug_summary_row_get(const snug_summary *summary, size_t i, snug_summary_row *out);
SNUG_API void snug_summary_totals_get(const snug_summary *summary, snug_summary_totals *out);

/* Print Keras's table with our columns, Keras's totals, and a box with ours.  width: columns of the
 * terminal.  What is wider than its column goes on in the line below; where that is not enough,
 * columns of the table are left out, and a line tells which.  0: as wide as it gets. */
SNUG_API void snug_summary_print(const snug_summary *summary, snug_sink *sink, void *user,
                                 bool ascii, int32_t width);

#ifdef __cplusplus
}
#endif
#endif
