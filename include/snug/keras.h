/* Files of Keras 3: a model comes from a `.keras` file with its weights, its optimizer and how it
 * is compiled, and goes back into one that Keras loads.
 *
 * Files are not trusted: whatever a damaged or hostile file says, the call ends with a status and a
 * message that names the file, the layer and the way out, and memory stays bounded by what the
 * model's weights need.  A file is written beside, brought to the disk and put in place as a whole.
 */
#ifndef SNUG_KERAS_H
#define SNUG_KERAS_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_load_options {
  uint64_t seed; /* of dropout, shuffling, and weights that the file does not hold */
  const snug_array
      *x; /* arrays, one per input, whose shapes say what the file leaves open (an input
             of [null, null, 3]); their data are not touched.  NULL: nothing is open */
  int32_t n_x;
  bool no_compile; /* leave out how the model is trained, and the optimizer's state */
} snug_load_options;

/* clang-format off */
#define SNUG_LOAD_OPTIONS_DEFAULT {0, NULL, 0, false}
/* clang-format on */

/* Load a `.keras` file, or the folder that one unpacks to.  options may be NULL.  If the file says
 * how the model was compiled, it is compiled, and the optimizer goes on where it stopped.  Owns:
 * *out is the caller's.  Fails: E_IO, E_FORMAT (damaged, or no such file), E_UNSUPPORTED (names
 * what Snug has not: a layer, an argument), E_SHAPE (weights of another model), E_MEMORY, E_LIMIT.
 */
SNUG_API snug_status snug_model_load(snug_ctx *ctx, const char *path,
                                     const snug_load_options *options,
                                     snug_model **out) SNUG_NODISCARD;

/* Compile a loaded model once more as its file says, but for what `changes` has (NULL, or members
 * that are NULL: nothing): after layers were frozen, or with another optimizer.  The optimizer
 * starts anew.  Does nothing if neither the file nor `changes` has a loss.  Fails: E_STATE (the
 * model is not from a file), and as snug_model_compile and snug_model_load. */
SNUG_API snug_status snug_model_recompile(snug_model *model,
                                          const snug_compile_options *changes) SNUG_NODISCARD;

/* Load the weights alone, from `.weights.h5`, from a `.keras` file or from a legacy `.h5` file,
 * into a model that is there.  Fails as snug_model_load; the weights are then as they were. */
SNUG_API snug_status snug_model_load_weights(snug_model *model, const char *path) SNUG_NODISCARD;

/* Save a model so that Keras loads it: as `.keras`, or its weights alone where the path ends in
 * `.weights.h5`.  What the model's file said is kept; what training changed is new.  An existing
 * file is replaced as a whole.  Fails: E_ARGUMENT (another ending), E_IO, E_UNSUPPORTED (something
 * that Keras has not), E_MEMORY, E_LIMIT; the file is then as it was. */
SNUG_API snug_status snug_model_save(snug_model *model, const char *path) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
