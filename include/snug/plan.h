/* The plan of a fit: what it will hold at its peak, what that is made of, and what it would cost to
 * hold less.  Nothing is trained.
 *
 * A plan is made of points.  Each is one way to run the step: so many bytes, so many seconds; none
 * of them is both larger and slower than another.  A line takes the fastest point that lies under
 * it, so a smaller line never gives a larger block and a larger one never a slower step. */
#ifndef SNUG_PLAN_H
#define SNUG_PLAN_H

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Plan the fit without running it: what would be held, and by whom.  Owns: *out is the caller's,
 * ended by snug_plan_destroy before its context (the model may go first; NULL is allowed).  Fails
 * as fit does, but for a line (options->memory) that nothing fits under: that is a plan too, of
 * the least point, and snug_plan_fits is false. */
SNUG_API snug_status snug_plan_fit(snug_model *model, const snug_data *data,
                                   const snug_fit_options *options, snug_plan **out) SNUG_NODISCARD;
SNUG_API void snug_plan_destroy(snug_plan *plan);

/* The same for data that are not there: so many samples of the shapes that the model takes, whose
 * own bytes are not counted. */
SNUG_API snug_status snug_plan_samples(snug_model *model, int64_t samples,
                                       const snug_fit_options *options,
                                       snug_plan **out) SNUG_NODISCARD;

/* The memory of the planned fit. */
SNUG_API void snug_plan_memory(const snug_plan *plan, snug_memory_report *out);

/* The part of it that reading the data takes, by stage. */
SNUG_API void snug_plan_data(const snug_plan *plan, snug_data_report *out);

/* Bytes by layer: its weights and optimizer slots, and what it has alive at the peak of the step.
 */
typedef struct snug_layer_memory {
  const char *layer; /* lives as long as the plan */
  uint64_t weights, optimizer, step;
} snug_layer_memory;

/* Number of layers, and the bytes of one of them (all zero with the name "" when out of range). */
SNUG_API size_t snug_plan_layers(const snug_plan *plan);
SNUG_API void snug_plan_layer(const snug_plan *plan, size_t i, snug_layer_memory *out);

/* ---- the line ---- */

/* Whether the fit stays under its line; without one, what snug_memory_set_available says of it:
 * such a plan is that of full speed all the same. */
SNUG_API bool snug_plan_fits(const snug_plan *plan);

/* Whether the plan is the one that a backup keeps, which the fit goes on with: there was nothing to
 * choose, and of its points there is this one. */
SNUG_API bool snug_plan_resumes(const snug_plan *plan);

/* The least line that the fit would be accepted under, with the levers that it may use. */
SNUG_API uint64_t snug_plan_least(const snug_plan *plan);

/* ---- kernels ---- */

/* Which implementations the fit would run, by layer and op, where there are several: a text for
 * snug_levers.kernels, which fixes them for the same threads and instruction set.  Lives as long as
 * the plan. */
SNUG_API const char *snug_plan_kernels(const snug_plan *plan);

/* What the caller should know of how the plan's seconds were found, such as a file of timings that
 * was damaged; "" if there is nothing.  Lives as long as the plan. */
SNUG_API const char *snug_plan_note(const snug_plan *plan);

/* ---- points ---- */

typedef struct snug_plan_point {
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

/* Points from the fastest to the least, one of them, and which one the line takes (their number if
 * nothing fits); snug_levers says which there are.  All zero when out of range. */
SNUG_API size_t snug_plan_points(const snug_plan *plan);
SNUG_API void snug_plan_point_at(const snug_plan *plan, size_t i, snug_plan_point *out);
SNUG_API size_t snug_plan_chosen(const snug_plan *plan);

/* ---- the block over time ---- */

/* A piece of the block: where it lies, and from which item of the step until before which. */
typedef struct snug_plan_buffer {
  uint64_t offset, bytes;
  int64_t first, end;
  const char *layer, *op, *what; /* what: "activations", "gradients", "scratch", "data", ... */
} snug_plan_buffer;

SNUG_API size_t snug_plan_buffers(const snug_plan *plan);
SNUG_API void snug_plan_buffer_at(const snug_plan *plan, size_t i, snug_plan_buffer *out);

/* The moment of the peak: the item that runs then, and whose it is. */
typedef struct snug_plan_moment {
  int64_t item, items;
  const char *layer, *op;
  bool backward;
  bool validation; /* of a step that validates, and so is the map of the block */
  uint64_t bytes;
} snug_plan_moment;

SNUG_API void snug_plan_peak(const snug_plan *plan, snug_plan_moment *out);

/* Bytes of the block that validation needs; 0 if there is none. */
SNUG_API uint64_t snug_plan_validation(const snug_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
