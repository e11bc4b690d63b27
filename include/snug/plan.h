/* The plan of a fit: its peak memory, the parts of that peak, and the time that less memory would
 * cost.  Nothing is trained.
 *
 * A plan is made of points, the frontier of bytes and seconds: each is one way to run the step, and
 * none is both larger and slower than another.  The plan takes the fastest point under the line, so
 * a smaller line never gives a larger block and a larger line never a slower step. */
#ifndef SNUG_PLAN_H
#define SNUG_PLAN_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Plan the fit without running it.  Owns: the caller destroys *out with snug_plan_destroy before
 * its context (the model may be destroyed first; NULL is allowed).  Fails as fit does, with one
 * exception: if nothing fits under the line (options->memory), the plan is that of the smallest
 * point, and snug_plan_fits is false. */
SNUG_API snug_status snug_plan_fit(snug_model *model, const snug_data *data,
                                   const snug_fit_options *options, snug_plan **out) SNUG_NODISCARD;
SNUG_API void snug_plan_destroy(snug_plan *plan);

/* The same without data: for a number of samples with the shapes of the model's inputs.  The bytes
 * of the samples are not counted. */
SNUG_API snug_status snug_plan_samples(snug_model *model, int64_t samples,
                                       const snug_fit_options *options,
                                       snug_plan **out) SNUG_NODISCARD;

/* The memory of the planned fit. */
SNUG_API void snug_plan_memory(const snug_plan *plan, snug_memory_report *out);

/* The part of it that reading the data takes, by stage. */
SNUG_API void snug_plan_data(const snug_plan *plan, snug_data_report *out);

/* Bytes by layer: its weights, its optimizer slots, and its values that are alive at the peak of
 * the step.
 */
typedef struct snug_layer_memory {
  size_t struct_size;
  const char *layer; /* valid as long as the plan */
  uint64_t weights, optimizer, step;
} snug_layer_memory;

/* Number of layers, and the bytes of one of them (all zero with the name "" when out of range). */
SNUG_API size_t snug_plan_layers(const snug_plan *plan);
SNUG_API void snug_plan_layer(const snug_plan *plan, size_t i, snug_layer_memory *out);

/* ---- the line ---- */

/* Whether the fit stays under its line; without a line, under what snug_memory_set_available has
 * set (the plan is then the fastest in any case). */
SNUG_API bool snug_plan_fits(const snug_plan *plan);

/* Whether the plan comes from a backup that the fit resumes from: nothing was chosen, and the plan
 * has this one point. */
SNUG_API bool snug_plan_resumes(const snug_plan *plan);

/* The smallest line that the fit would be accepted under, with the levers that it may use. */
SNUG_API uint64_t snug_plan_least(const snug_plan *plan);

/* ---- kernels ---- */

/* The kernels that the fit would run, by layer and op, where there are several: a string for
 * snug_fit_options.kernels, which fixes them for the same thread count and instruction set.  Valid
 * as long as the plan. */
SNUG_API const char *snug_plan_kernels(const snug_plan *plan);

/* A note about how the times were obtained, such as a damaged file of timings; "" if there is none.
 * Valid as long as the plan. */
SNUG_API const char *snug_plan_note(const snug_plan *plan);

/* ---- points ---- */

typedef struct snug_plan_point {
  size_t struct_size;
  uint64_t block;      /* bytes of the step */
  uint64_t process;    /* of the whole process with it: the line that it needs */
  double seconds;      /* of a step, predicted */
  int64_t micro_batch; /* samples at a time */
  int64_t recomputed;  /* nodes that run a second time */
  double recompute_seconds;
  int64_t direct; /* convolutions that take a slower implementation with less scratch */
  double direct_seconds;
  uint64_t on_disk; /* bytes that wait in a file */
  uint64_t slots;   /* of them, optimizer slots */
  double disk_seconds;
} snug_plan_point;

/* Number of points from the fastest to the smallest, one of them, and the index of the chosen one
 * (their number if nothing fits); snug_fit_options decides which points exist.  All zero when out
 * of range. */
SNUG_API size_t snug_plan_points(const snug_plan *plan);
SNUG_API void snug_plan_point_at(const snug_plan *plan, size_t i, snug_plan_point *out);
SNUG_API size_t snug_plan_chosen(const snug_plan *plan);

/* ---- the block over time ---- */

/* A piece of the block: where it lies, and from which item of the step until before which. */
typedef struct snug_plan_buffer {
  size_t struct_size;
  uint64_t offset, bytes;
  int64_t first, end;
  const char *layer, *op, *what; /* what: "activations", "gradients", "scratch", "data", ... */
} snug_plan_buffer;

SNUG_API size_t snug_plan_buffers(const snug_plan *plan);
SNUG_API void snug_plan_buffer_at(const snug_plan *plan, size_t i, snug_plan_buffer *out);

/* The moment of the peak: the item that runs then, its layer and op. */
typedef struct snug_plan_moment {
  size_t struct_size;
  int64_t item, items;
  const char *layer, *op;
  bool backward;
  bool validation; /* the peak, and the map of the block, are those of a validation step */
  uint64_t bytes;
} snug_plan_moment;

SNUG_API void snug_plan_peak(const snug_plan *plan, snug_plan_moment *out);

/* Bytes of the block that validation needs; 0 if there is none. */
SNUG_API uint64_t snug_plan_validation(const snug_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
