/* Data files: arrays come from `.npz` archives, `.npy` files and IDX files (also gzipped), and go
 * back into `.npy` and `.npz`.
 *
 * What a file is, is seen from its first bytes, not from its name.  Opening reads headers alone and
 * checks them against the file; the elements of an array are read into counted memory when it is
 * asked for, and stay there until snug_arrays_destroy.  Elements keep their dtype (images of bytes
 * stay bytes); int16 and uint16 become int32, uint32 and uint64 become int64.
 *
 * Files are not trusted: whatever a damaged or hostile file says, the call ends with a status and a
 * message that names the file and the array, and no more memory is taken than the file can fill. */
#ifndef SNUG_FILES_H
#define SNUG_FILES_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_arrays snug_arrays;

/* Which samples of a file are meant.  The names that are looked for, where `x` stands for any name
 * of an array; inputs and labels are taken with one and the same of them, the first that is there:
 *   TRAIN       x  x_train  train_x
 *   VALIDATION  x_val  val_x  x_valid  valid_x
 *   TEST        x_test  test_x  x */
typedef enum snug_part { SNUG_PART_TRAIN, SNUG_PART_VALIDATION, SNUG_PART_TEST } snug_part;

/* Open one `.npz` file, or one `.npy` or IDX file per array: the inputs, then the labels.  The
 * arrays of a `.npz` have the names that they have there; a single file is "x", two are "x" and
 * "y", more are "arr_0", "arr_1", ...  Owns: *out is the caller's, ended by snug_arrays_destroy.
 * Fails: E_IO, E_FORMAT (damaged, or no such file), E_UNSUPPORTED (nothing in it can be used:
 * texts, objects), E_ARGUMENT (no paths, a `.npz` among several), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_arrays_open(snug_ctx *ctx, const char *const *paths, int32_t n,
                                      snug_arrays **out) SNUG_NODISCARD;

/* Give back the arrays and all that was handed out of them.  NULL is allowed. */
SNUG_API void snug_arrays_destroy(snug_arrays *arrays);

/* Number of arrays, and the name of the i-th in the order of the file (NULL when out of range). */
SNUG_API size_t snug_arrays_count(const snug_arrays *arrays);
SNUG_API const char *snug_arrays_name(const snug_arrays *arrays, size_t i);

/* What the array of a name is; `data` is NULL if it has not been read, the dtype SNUG_NO_DTYPE if
 * it cannot be.  NULL if there is none of that name. */
SNUG_API const snug_array *snug_arrays_find(const snug_arrays *arrays, const char *name);

/* Read the array of a name, unless that was done.  Fails: E_ARGUMENT (there is none), E_UNSUPPORTED
 * (texts, objects, records, more axes than SNUG_MAX_RANK), E_FORMAT, E_IO, E_DATA (a uint64 beyond
 * int64), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_arrays_get(snug_arrays *arrays, const char *name,
                                     const snug_array **out) SNUG_NODISCARD;

/* Whether the arrays have inputs for the model in a part, by name. */
SNUG_API bool snug_arrays_has(const snug_arrays *arrays, const snug_model *model, snug_part part);

/* Read what feeds a model.  An input is found under its own name or as x_0, x_1, ..., a single one
 * also as x, X or images; outputs likewise with y, Y or labels; arrays without names (`.npy` files,
 * arr_0, arr_1, ...) in their order.  sample_weight is taken if it is there and labels are wanted.
 * Ends building.  Borrows: what *out points to lives as long as the arrays.  Fails as
 * snug_arrays_get; E_ARGUMENT says what the file has and what the model needs; the first failure of
 * building. */
SNUG_API snug_status snug_arrays_data(snug_arrays *arrays, snug_model *model, snug_part part,
                                      bool with_labels, snug_data *out) SNUG_NODISCARD;

/* The arrays that are the inputs as far as that can be told without the model, for
 * snug_load_options.x: x, or x_0, x_1, ..., or all files but the last; not read.  *n is 0 if there
 * are none.  Borrows as snug_arrays_data.  Fails: E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_arrays_inputs(snug_arrays *arrays, snug_part part, const snug_array **x,
                                        int32_t *n) SNUG_NODISCARD;

/* Save an array as `.npy`, or n arrays under their names as `.npz` (not compressed).  bfloat16 is
 * written as float32, which NumPy knows.  An existing file is replaced as a whole.  Fails:
 * E_ARGUMENT (no array, a name that is empty, too long, no path inside of an archive, or there
 * twice), E_SHAPE, E_IO, E_MEMORY, E_LIMIT; the file is then as it was. */
SNUG_API snug_status snug_npy_save(snug_ctx *ctx, const char *path,
                                   const snug_array *array) SNUG_NODISCARD;
SNUG_API snug_status snug_npz_save(snug_ctx *ctx, const char *path, const char *const *names,
                                   const snug_array *arrays, int32_t n) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
