/* What op files share: checks for infer, emission for grad, loops over real dtypes for references.
 */
#ifndef SNUG_OPS_SUPPORT_H
#define SNUG_OPS_SUPPORT_H

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "base/thread.h"
#include "ops/ops.h"

/* ---- infer ---- */

/* Each check fails with a message that begins with q->where and says what input i is and should be.
 */
snug_status snug__need_real(const snug__infer *q, int32_t i) SNUG_NODISCARD;
snug_status snug__need_rank(const snug__infer *q, int32_t i, int32_t rank) SNUG_NODISCARD;
snug_status snug__need_rank_from(const snug__infer *q, int32_t i, int32_t least) SNUG_NODISCARD;
snug_status snug__need_dtype_of(const snug__infer *q, int32_t i, int32_t j) SNUG_NODISCARD;
snug_status snug__need_shape_of(const snug__infer *q, int32_t i, int32_t j) SNUG_NODISCARD;
snug_status snug__need_type_of(const snug__infer *q, int32_t i, int32_t j) SNUG_NODISCARD;
snug_status snug__need_scalar(const snug__infer *q, int32_t i) SNUG_NODISCARD;

/* An update's optional input `enabled`: a float scalar, if it is there; see snug__is_disabled. */
snug_status snug__need_enabled(const snug__infer *q, int32_t i) SNUG_NODISCARD;

/* infer of an op whose one output has the type of its first, real input. */
snug_status snug__infer_same(snug__infer *q) SNUG_NODISCARD;

/* infer of a gradient op (dy, x or y, ...) -> dx: inputs 0 and 1 have one type, which is dx's. */
snug_status snug__infer_same_pair(snug__infer *q) SNUG_NODISCARD;

/* The NumPy broadcast of inputs i and j into *out (dtype of i).  Fails: E_SHAPE naming both. */
snug_status snug__broadcast(const snug__infer *q, int32_t i, int32_t j,
                            snug__type *out) SNUG_NODISCARD;

/* An axis given as in Python (negative from the end) as an index; fails: E_ARGUMENT. */
snug_status snug__need_axis(const snug__infer *q, const char *name, int64_t axis, int32_t rank,
                            int32_t *out) SNUG_NODISCARD;

/* Choices of a dtype parameter, which is then a snug_dtype. */
extern const char *const snug__dtype_choices[];

/* What statistics, norms and losses of values of a real dtype are kept in: float32 at least. */
static inline snug_dtype snug__wide_dtype(snug_dtype d) {
  return d == SNUG_FLOAT64 ? SNUG_FLOAT64 : SNUG_FLOAT32;
}

/* ---- grad ---- */

/* Emit a node with one output: SNUG_EMIT(g, matmul, &params, &out, a, b). */
#define SNUG_EMIT(g, op, params, out, ...)                                        \
  snug__graph_add((g), &snug__op_##op, (params), (const snug__id[]){__VA_ARGS__}, \
                  (int32_t)(sizeof((const snug__id[]){__VA_ARGS__}) / sizeof(snug__id)), (out), 1)

/* Sum the gradient d over the axes along which a value of type `to` was broadcast. */
snug_status snug__emit_sum_to(snug__graph *g, snug__id d, const snug__type *to,
                              snug__id *out) SNUG_NODISCARD;

/* ---- references ---- */

/* Strides in elements of `t` seen as broadcast to `to`: 0 along broadcast axes. */
void snug__broadcast_strides(const snug__type *t, const snug__type *to,
                             int64_t strides[SNUG_MAX_RANK]);

/* The offset into a tensor with these strides of the linear index i of a shape. */
int64_t snug__strided_offset(const snug__type *shape, const int64_t strides[SNUG_MAX_RANK],
                             int64_t i);

/* Element 0 of input i; `absent` if it is not there. */
double snug__scalar_input(const snug__call *call, int32_t i, double absent);

/* Whether the input `enabled` is there and 0: the update must then change no bit. */
bool snug__is_disabled(const snug__call *call, int32_t i);

/* All inputs and outputs in bytes: what a call moves at least. */
double snug__bytes_moved(const snug__signature *sig);

/* The cost of an op that computes nothing and moves every element once. */
snug__cost snug__move_cost(const snug__signature *sig);

/* Split n items into pieces large enough to be worth a thread (a negative number of threads: into
 * that many whatever their size, for tests): body(arg, begin, end) over [0, n).
 */
void snug__parallel_ranges(int32_t threads, int64_t n, int64_t least,
                           void (*body)(void *arg, int64_t begin, int64_t end), void *arg);

/* Before a loop: iteration i touches elements i alone, also where the output lies over an input.
 * Nothing with clang, which takes it as an order and warns for the dtypes where it cannot obey. */
#if defined(_OPENMP) && !defined(__clang__)
#define SNUG_SIMD _Pragma("omp simd")
#else
#define SNUG_SIMD
#endif

/* How many of `items` pieces of work, of so many multiplications together, are worth a thread. */
static inline int64_t snug__least_items(int64_t items, double work) {
  double least = 20000.0 * (double)items / (work + 1.0);
  return 1 + (int64_t)(least < 1e9 ? least : 1e9);
}

/* Run a reference written once per real dtype (see real.h): SNUG_REAL_CALL(dtype, gemm, (call)). */
#define SNUG_REAL_CALL(dtype, function, arguments) \
  do {                                             \
    switch (dtype) {                               \
      case SNUG_FLOAT32:                           \
        function##_float32 arguments;              \
        break;                                     \
      case SNUG_FLOAT64:                           \
        function##_float64 arguments;              \
        break;                                     \
      case SNUG_FLOAT16:                           \
        function##_float16 arguments;              \
        break;                                     \
      case SNUG_BFLOAT16:                          \
        function##_bfloat16 arguments;             \
        break;                                     \
      default:                                     \
        break;                                     \
    }                                              \
  } while (0)

#endif
