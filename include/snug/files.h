/* Data files: arrays come from `.npz` archives, `.npy` files, IDX files (also gzipped) and tables
 * (`.csv`, or `.tsv` with tabs), and go back into `.npy` and `.npz`.  Images (JPEG, PNG) come from
 * a folder with a folder per class, or from a list: a text file (`.txt`) of lines `path label`.
 *
 * The first bytes of a file decide what it is; for text files, the name does.  Opening reads only
 * headers and checks them against the file. snug_arrays_get reads an array into counted memory,
 * where it stays until snug_arrays_destroy; snug_arrays_data leaves large arrays in their files,
 * and a source reads their rows on demand.  Elements keep their dtype (images of bytes stay bytes);
 * int16 and uint16 become int32, uint32 and uint64 become int64.
 *
 * Files are not trusted: for a damaged or hostile file the call fails with a status and a message
 * that names the file and the array, and never allocates more memory than the file can fill. */
#ifndef SNUG_FILES_H
#define SNUG_FILES_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_arrays snug_arrays;

/* A part of a file.  These names are tried in order, where `x` stands for any array name; inputs
 * and labels use the same name pattern, the first that exists: TRAIN       x  x_train  train_x
 *   VALIDATION  x_val  val_x  x_valid  valid_x
 *   TEST        x_test  test_x  x */
typedef enum snug_part { SNUG_PART_TRAIN, SNUG_PART_VALIDATION, SNUG_PART_TEST } snug_part;

/* Open one `.npz` file or one table, or one `.npy` or IDX file per array: the inputs, then the
 * labels.  The arrays of a `.npz` keep their names; a single file is "x", two
 * are "x" and "y", more are "arr_0", "arr_1", ...  In a table all columns but the label form "x",
 * the label as "y" (texts become 0, 1, ... in the order of the alphabet), and each column under its
 * own name; its first line has the names, if there is a text in it.  Images are "x", their labels
 * "y"; "x_val" and "y_val" are those that a split holds back.  Owns: *out is the caller's, ended by
 * snug_arrays_destroy. Fails: E_IO, E_FORMAT (damaged, or no such file), E_UNSUPPORTED (nothing in
 * it can be used: texts, objects), E_ARGUMENT (no paths, a `.npz` among several), E_MEMORY,
 * E_LIMIT. */
SNUG_API snug_status snug_arrays_open(snug_ctx *ctx, const char *const *paths, int32_t n,
                                      snug_arrays **out) SNUG_NODISCARD;

/* How images become samples.  Strings are those of Keras's image_dataset_from_directory and its
 * layers. */
typedef struct snug_image_options {
  size_t struct_size;
  const char *size;     /* "224x320", height x width, or "224"; NULL: 256x256 */
  const char *channels; /* "rgb", "grayscale" or "rgba"; NULL: rgb */
  const char *dtype;    /* "float32", or "uint8": rounded, in a fourth of the bytes, and neither
                           rescaled nor normalized; NULL: float32 */
  const char *interpolation; /* "bilinear", "nearest" or "area"; NULL: bilinear */
  const char *aspect;        /* where the shape of an image is another one: "stretch", "crop" or
                                "pad"; NULL: stretch */
  const char *rescale;       /* a factor for the values, which are 0 to 255: "1/255"; and what is
                                added then: "1/127.5,-1"; NULL: none */
  const char *normalize;     /* mean and variance of each channel, behind that:
                                "mean=[0.5,0.4,0.4],variance=[0.1,0.1,0.1]"; NULL: none */
  const char *augment;       /* changes at random in training: "flip,rotation=0.1,zoom=0.1"; NULL:
                                none.  docs/DATA.md has the list */
  const char *labels; /* "inferred", "int", "categorical", "binary" or "none"; NULL: inferred */
  const char *decode; /* JPEG: "keras" or "accurate", or "fast": at a smaller size where that
                         will do; NULL: keras */
  double validation_split; /* the part of the files that is for validation; 0: none */
  uint64_t seed;           /* of the order of files, which the split depends on, and of augment */
  int32_t workers;         /* threads that will read at a time; 0: as many as compute */
  bool skip_bad;           /* files that are no images are no reason to fail */
  bool timed;              /* see snug_arrays_stages */
} snug_image_options;

/* What may be held in memory, and what else is allowed. */
typedef struct snug_arrays_options {
  size_t struct_size;
  int64_t small; /* bytes of arrays that are read whole in any case; 0: 1 MiB; below 0: of none.
                    Of rows under 4 KiB, 16 times that, within a quarter of `hold` */
  int64_t hold;  /* bytes of arrays that are held whole because their rows cannot be read in places
                    (gzipped, deflated, in Fortran order); 0: any.  Larger packed ones are read from
                    front to back, unless they may go to a file; Fortran order is then refused */
  bool allow_disk;         /* unpack them to a nameless file, which can be read in places */
  const char *disk_folder; /* its folder; NULL: TMPDIR, or /tmp */
  const char *label;       /* of a table: the column that is "y"; NULL: one that is called label,
                              labels, y, target or class, if there is one */
  const snug_image_options *images; /* of a folder or a list of images; NULL: the defaults */
} snug_arrays_options;

/* The same with options, whose texts must live as long as the arrays. */
SNUG_API snug_status snug_arrays_open_with(snug_ctx *ctx, const char *const *paths, int32_t n,
                                           const snug_arrays_options *options,
                                           snug_arrays **out) SNUG_NODISCARD;

/* Give back the arrays and all that was handed out of them.  NULL is allowed. */
SNUG_API void snug_arrays_destroy(snug_arrays *arrays);

/* Number of arrays, and the name of the i-th in the order of the file (NULL when out of range). */
SNUG_API size_t snug_arrays_count(const snug_arrays *arrays);
SNUG_API const char *snug_arrays_name(const snug_arrays *arrays, size_t i);

/* What the array of a name is; `data` is NULL if it has not been read, the dtype SNUG_NO_DTYPE if
 * it cannot be.  NULL if there is none of that name. */
SNUG_API const snug_array *snug_arrays_find(const snug_arrays *arrays, const char *name);

/* The name of class i of "y": a folder of images, or a string of a table's label column.  NULL: it
 * has no name.  Valid as long as the arrays. */
SNUG_API const char *snug_arrays_class(const snug_arrays *arrays, int64_t i);

/* How the time of reading images divides, summed over all threads, since they were opened with
 * snug_image_options.timed: "files", "decode", "resize" and "change" (augment, rescale, normalize).
 * Fills up to n of them, and returns how many there are; 0: nothing is measured. */
typedef struct snug_stage {
  const char *name;
  double seconds;
} snug_stage;
SNUG_API size_t snug_arrays_stages(const snug_arrays *arrays, snug_stage *out, size_t n);

/* Read the array of a name, unless that was done.  Fails: E_ARGUMENT (there is none), E_UNSUPPORTED
 * (texts, objects, records, more axes than SNUG_MAX_RANK), E_FORMAT, E_IO, E_DATA (a uint64 beyond
 * int64), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_arrays_get(snug_arrays *arrays, const char *name,
                                     const snug_array **out) SNUG_NODISCARD;

/* Whether the arrays have inputs for the model in a part, by name. */
SNUG_API bool snug_arrays_has(const snug_arrays *arrays, const snug_model *model, snug_part part);

/* Find what feeds a model; arrays that are not held have rows in out->source.  An input is found
 * under its own name or as x_0, x_1, ..., a single one also as x, X or images; outputs likewise
 * with y, Y or labels; arrays without names (`.npy` files, arr_0, arr_1, ...) in their order.
 * sample_weight is taken if it is there and labels are wanted. Ends building.  Borrows: what *out
 * points to lives as long as the arrays.  Fails as snug_arrays_get; E_ARGUMENT says what the file
 * has and what the model needs; the first failure of building. */
SNUG_API snug_status snug_arrays_data(snug_arrays *arrays, snug_model *model, snug_part part,
                                      bool with_labels, snug_data *out) SNUG_NODISCARD;

/* All arrays that can be used, in the order of the file, as the x of *out; for looking at data
 * without a model.  Borrows and fails as snug_arrays_data. */
SNUG_API snug_status snug_arrays_all(snug_arrays *arrays, snug_data *out) SNUG_NODISCARD;

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
