/* Files of Keras 3: load a model from a `.keras` file with its weights, optimizer and compile
 * settings, and save it to one that Keras loads.
 *
 * Files are not trusted: for a damaged or hostile file the call fails with a status and a message
 * that names the file, the layer and a remedy, and memory is bounded by what the model's weights
 * need.  Saving writes a temporary file beside the target, syncs it, and renames it.
 */
#ifndef SNUG_KERAS_H
#define SNUG_KERAS_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_load_options {
  size_t struct_size;
  uint64_t seed; /* of dropout, shuffling, and weights that the file does not hold */
  const snug_array
      *x; /* arrays, one per input, whose shapes say what the file leaves open (an input
             of [null, null, 3]); their data are not touched.  NULL: nothing is open */
  int32_t n_x;
  bool no_compile; /* ignore the compile settings and the optimizer state */
  bool no_weights; /* load only the configuration: all weights are 0 until they are set, and the
                      optimizer is in its initial state */
  uint64_t memory; /* the line: bytes that the whole process may hold while this loads; 0: none, or
                      what snug_memory_set_bound says */
} snug_load_options;

/* Load a `.keras` file, or the folder that one unpacks to.  options may be NULL.  If the file has
 * compile settings, the model is compiled, and the optimizer continues where it stopped.  An
 * unknown loss or optimizer does not fail the load; calls that need a compiled model report it.  An
 * unknown metric is left out, see snug_model_left_out.  Owns: *out is the caller's.  Fails: E_IO,
 * E_FORMAT (damaged, or no such file), E_UNSUPPORTED (names the layer or argument that is not
 * supported), E_SHAPE (weights of another model), E_MEMORY, E_LIMIT: the memory that the file needs
 * is determined before any weight is read, so the line is never exceeded. */
SNUG_API snug_status snug_model_load(snug_ctx *ctx, const char *path,
                                     const snug_load_options *options,
                                     snug_model **out) SNUG_NODISCARD;

/* Compile a loaded model again with the settings of its file, overridden by `changes` (NULL, or
 * NULL members: no change), e.g. after freezing layers, or with another optimizer.  Resets the
 * optimizer.  Does nothing if neither the file nor `changes` has a loss.  Fails: E_STATE (the model
 * is not from a file), and as snug_model_compile and snug_model_load. */
SNUG_API snug_status snug_model_recompile(snug_model *model,
                                          const snug_compile_options *changes) SNUG_NODISCARD;

/* The metrics of the model's file that Snug does not support and does not compute, "my_metric,
 * other"; NULL if there are none.  Valid as long as the model. */
SNUG_API const char *snug_model_left_out(const snug_model *model);

/* Why a loaded model is not compiled as its file requests, with a remedy on a second line; NULL if
 * it is, or if the file has no compile settings.  Valid as long as the model. */
SNUG_API const char *snug_model_uncompiled(const snug_model *model);

/* Load only weights, from a `.weights.h5`, `.keras` or legacy `.h5` file, into an existing model.
 * Fails as snug_model_load; the weights are then unchanged. */
SNUG_API snug_status snug_model_load_weights(snug_model *model, const char *path) SNUG_NODISCARD;

/* Save a model for Keras: as `.keras`, or only its weights if the path ends in `.weights.h5`.
 * Everything in the model's original file is kept, except what training changed.  An existing file
 * is replaced atomically.  Fails: E_ARGUMENT (another ending), E_IO, E_UNSUPPORTED (something that
 * Keras has not), E_MEMORY, E_LIMIT; the file is then as it was. */
SNUG_API snug_status snug_model_save(snug_model *model, const char *path) SNUG_NODISCARD;

/* ---- the file that a training ends with ---- */

/* A file that the model will be saved to, in storage of the caller, who sets the first members and
 * zeroes the rest.  Begin it before training and end it after: obstacles to the save are then
 * reported before step 1, and a later failure loses nothing:
 *
 *   snug_save_file file = {.struct_size = sizeof file, .path = "trained.keras"};
 *   s = snug_save_file_begin(&file, m);
 *   ... snug_fit, which may fail ...
 *   s = snug_save_file_end(&file);      or, if nothing was trained, snug_save_file_drop
 */
typedef struct snug_save_file {
  size_t struct_size;
  const char *path;           /* NULL: nothing is begun, and ending takes one of the places below */
  const char *const *instead; /* folders for a file that cannot be written at its path */
  int32_t n_instead;
  /* read-only */
  snug_model *model;
  char saved[SNUG_PATH_BYTES]; /* where the model was saved; "": nowhere */
  /* private */
  bool is_begun;
  uint64_t room[2 * SNUG_PATH_BYTES / 8 + 8];
} snug_save_file;

/* Rehearse the save and reserve its disk space, in a temporary file in the folder of the path (if
 * the folder is in memory, space is checked, not reserved).  A file at the path stays.  Fails:
 * E_ARGUMENT (another ending), E_IO (no such folder, no right, no room, a name that is too long),
 * E_UNSUPPORTED, E_MEMORY, E_LIMIT; there is then nothing to end. */
SNUG_API snug_status snug_save_file_begin(snug_save_file *file, snug_model *model) SNUG_NODISCARD;

/* Save the model, as snug_model_save does.  If that cannot be, it is saved under a new name in the
 * first of these that takes it: the folder of the path, the folders `instead`, TMPDIR, /tmp, the
 * current folder.  Slots of the optimizer that wait in a file and cannot be read from it are left
 * out: whoever loads the model has its weights, and an optimizer at its start.  Fails: as
 * snug_model_save; the message says where the model is then, what it lacks and why, and `saved`
 * says where. */
SNUG_API snug_status snug_save_file_end(snug_save_file *file) SNUG_NODISCARD;

/* Drop the file; the path is unchanged.  Does nothing after an end. */
SNUG_API void snug_save_file_drop(snug_save_file *file);

/* ---- single variables ---- */

/* A variable of a model as a weights file of Keras counts them: a weight, or one of the optimizer's
 * (its steps, its learning rate, a slot). */
typedef struct snug_variable_info {
  size_t struct_size;
  const char *path; /* of its dataset: "layers/conv2d/vars/0", "optimizer/vars/3"; gone when the
                       visit ends */
  const char *name; /* for snug_model_variable_get: "conv1/kernel", "optimizer/iteration",
                       "optimizer/momentum/conv1/kernel"; lives as long as the model, and that of an
                       optimizer's until the next compile.  NULL: a slot that is not kept here since
                       no gradient reaches its weight */
  snug_dtype dtype;
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
  double initial; /* what all elements of a slot that is not kept are */
} snug_variable_info;

typedef void snug_variable_visit(void *user, const snug_variable_info *variable);

/* Visit all variables in Keras's order: weights layer by layer, then, if the model is compiled,
 * those of the optimizer.  A weight that lies at several paths comes once for each.  Ends building.
 * Fails: the first failure of building, E_UNSUPPORTED (something that Keras has not), E_MEMORY,
 * E_LIMIT. */
SNUG_API snug_status snug_model_variables(snug_model *model, snug_variable_visit *visit,
                                          void *user) SNUG_NODISCARD;

/* Copy n elements of a variable, from number `first` on in row-major order, out or in, in its own
 * dtype; makes weights and the optimizer's state if they are not there.  Takes no memory once they
 * are, so callbacks of a fit may call it.  One whose bytes wait in a file comes from there as a
 * whole at each call.  Fails: E_ARGUMENT for an unknown name, elements that it has not, or a number
 * of steps or a learning rate that none can be; the first failure of building; E_IO, E_MEMORY,
 * E_LIMIT. */
SNUG_API snug_status snug_model_variable_get(snug_model *model, const char *name, int64_t first,
                                             int64_t n, void *data) SNUG_NODISCARD;
SNUG_API snug_status snug_model_variable_set(snug_model *model, const char *name, int64_t first,
                                             int64_t n, const void *data) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
