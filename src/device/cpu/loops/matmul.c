/* Products of plain matrices: c = A B for every matrix of a batch, either factor transposed.
 *
 * A piece of B, DEPTH rows of WIDTH columns, is copied so that it lies dense and in the order in
 * which it is used, with zeros where B ends; then each TALL rows of c are computed in registers.
 * Sums run over DEPTH terms in registers and from there into c, in an order that depends on the
 * shape alone. */
#include "ops/matmul.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "device/host.h"
#include "ops/support.h"
#include "ops/window.h"

#if defined(__AVX512F__)
#define LANES 16
#define TALL 8
#elif defined(__AVX2__)
#define LANES 8
#define TALL 6
#else
#define LANES 4
#define TALL 4
#endif
#define WIDTH (2 * LANES)
#define DEPTH 128
#define ROWS 96 /* of c per piece of work: enough to be worth the copy of B, a multiple of TALL */

typedef float vec __attribute__((vector_size(LANES * 4)));
/* As it lies in memory: of any alignment, and elements of an array of float. */
typedef float loose_vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

typedef struct matmul_job {
  const float *a, *b, *bias;
  float *c;
  snug__epilogue epilogue;
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col; /* steps in A and B as they enter the product */
  int64_t row_pieces, column_pieces;
} matmul_job;

/* rows x WIDTH of B from (row, column) on. */
static void pack(const matmul_job *j, const float *b, int64_t row, int64_t rows, int64_t column,
                 float *restrict packed) {
  int64_t columns = snug__min_i64(WIDTH, j->n - column);
  const float *from = b + row * j->b_row + column * j->b_col;
  if (columns < WIDTH) {
    memset(packed, 0, (size_t)(rows * WIDTH) * sizeof *packed);
  }
  if (j->b_col == 1) {
    for (int64_t i = 0; i < rows; i++) {
      memcpy(packed + i * WIDTH, from + i * j->b_row, (size_t)columns * sizeof *packed);
    }
    return;
  }
  for (int64_t k = 0; k < columns; k++) {
    for (int64_t i = 0; i < rows; i++) {
      packed[i * WIDTH + k] = from[k * j->b_col + i];
    }
  }
}

/* TALL x WIDTH products of `depth` terms, or the first half of the columns alone.  Rows of A from
 * `rows` on are the last one again. */
static inline __attribute__((always_inline)) void multiply_halves(const int32_t halves,
                                                                  const matmul_job *j,
                                                                  const float *a, int64_t rows,
                                                                  int64_t depth,
                                                                  const float *packed, float *out) {
  const float *row[TALL];
  vec sum[TALL][2];
  for (int32_t r = 0; r < TALL; r++) {
    row[r] = a + snug__min_i64(r, rows - 1) * j->a_row;
    sum[r][0] = sum[r][1] = (vec){0};
  }
  for (int64_t i = 0; i < depth; i++) {
    for (int32_t h = 0; h < halves; h++) {
      vec b = *(const loose_vec *)(packed + i * WIDTH + h * LANES);
      for (int32_t r = 0; r < TALL; r++) {
        sum[r][h] += row[r][i * j->a_col] * b;
      }
    }
  }
  for (int32_t r = 0; r < TALL; r++) {
    *(loose_vec *)(out + r * WIDTH) = sum[r][0];
    *(loose_vec *)(out + r * WIDTH + LANES) = sum[r][1];
  }
}

static void multiply(const matmul_job *j, const float *a, int64_t rows, int64_t columns,
                     int64_t depth, const float *packed, float *out) {
  if (columns > LANES) {
    multiply_halves(2, j, a, rows, depth, packed, out);
  } else {
    multiply_halves(1, j, a, rows, depth, packed, out);
  }
}

/* Into c, or added to it. */
static void put(const matmul_job *j, const float *tile, int64_t rows, int64_t columns, bool first,
                float *restrict c) {
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t k = 0; k < columns; k++) {
      c[r * j->n + k] = first ? tile[r * WIDTH + k] : c[r * j->n + k] + tile[r * WIDTH + k];
    }
  }
}

static void activate(const snug__epilogue *epilogue, int64_t n, float *restrict v) {
  const float top = (float)epilogue->max_value;
  if (epilogue->activation == SNUG__RELU) {
    for (int64_t k = 0; k < n; k++) {
      float low = v[k] <= 0.0f ? 0.0f : v[k];
      v[k] = low > top ? top : low;
    }
  } else if (epilogue->activation == SNUG__SWISH) {
    for (int64_t k = 0; k < n; k++) {
      v[k] *= snug_sigmoid(v[k]);
    }
  }
}

/* Bias and activation of complete sums. */
static void finish(const matmul_job *j, int64_t rows, int64_t columns, int64_t column,
                   float *restrict c) {
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t k = 0; j->bias && k < columns; k++) {
      c[r * j->n + k] += j->bias[column + k];
    }
    activate(&j->epilogue, columns, c + r * j->n);
  }
}

/* One piece: up to ROWS rows and WIDTH columns of one matrix c. */
static void run_piece(const matmul_job *j, int64_t piece) {
  float packed[DEPTH * WIDTH], tile[TALL * WIDTH];
  int64_t column = piece % j->column_pieces * WIDTH;
  int64_t begin = piece / j->column_pieces % j->row_pieces * ROWS;
  int64_t matrix = piece / j->column_pieces / j->row_pieces;
  int64_t end = snug__min_i64(j->m, begin + ROWS);
  int64_t columns = snug__min_i64(WIDTH, j->n - column);
  const float *a = j->a + matrix * j->m * j->k;
  float *c = j->c + matrix * j->m * j->n;
  for (int64_t at = 0; at < j->k; at += DEPTH) {
    int64_t depth = snug__min_i64(DEPTH, j->k - at);
    pack(j, j->b + matrix * j->k * j->n, at, depth, column, packed);
    for (int64_t row = begin; row < end; row += TALL) {
      int64_t rows = snug__min_i64(TALL, end - row);
      multiply(j, a + row * j->a_row + at * j->a_col, rows, columns, depth, packed, tile);
      put(j, tile, rows, columns, at == 0, c + row * j->n + column);
    }
  }
  finish(j, end - begin, columns, column, c + begin * j->n + column);
}

static void run_pieces(void *arg, int64_t piece) { run_piece(arg, piece); }

/* The parameters of matmul_epilogue begin with those of matmul. */
static matmul_job job_of(const snug__call *call) {
  const snug__matmul_params *p = call->sig->params;
  const snug__type *a = &call->sig->in[0];
  const snug__type *c = &call->sig->out[0];
  int32_t last = c->rank - 1;
  matmul_job j = {.a = call->in[0],
                  .b = call->in[1],
                  .c = call->out[0],
                  .m = c->dim[last - 1],
                  .n = c->dim[last],
                  .k = a->dim[p->transpose_a ? last - 1 : last]};
  j.a_row = p->transpose_a ? 1 : j.k;
  j.a_col = p->transpose_a ? j.m : 1;
  j.b_row = p->transpose_b ? 1 : j.n;
  j.b_col = p->transpose_b ? j.k : 1;
  j.row_pieces = snug__ceil_div(j.m, ROWS);
  j.column_pieces = snug__ceil_div(j.n, WIDTH);
  return j;
}

/* From so many products on, more than one thread is worth it. */
#define LEAST_SHARED 1e6

static snug_status run_job(const snug__call *call, const matmul_job *j) {
  const int64_t elements = snug__type_count(&call->sig->out[0]);
  const int64_t pieces = elements / (j->m * j->n) * j->row_pieces * j->column_pieces;
  const bool shared =
      snug__threads(call->sig) < 0 || (double)elements * (double)j->k > LEAST_SHARED;
  matmul_job copy = *j;
  snug__parallel_for(shared ? snug__threads(call->sig) : 1, pieces, run_pieces, &copy);
  return SNUG_OK;
}

static snug_status run(const void *state, const snug__call *call) {
  (void)state;
  matmul_job j = job_of(call);
  return run_job(call, &j);
}

static snug_status run_epilogue(const void *state, const snug__call *call) {
  (void)state;
  const snug__matmul_epilogue_params *p = call->sig->params;
  matmul_job j = job_of(call);
  j.bias = call->sig->n_in > 2 ? call->in[2] : NULL;
  j.epilogue = snug__epilogue_for(&p->epilogue, SNUG_FLOAT32);
  return run_job(call, &j);
}

static bool fits(const snug__signature *sig, snug__layouts *want) {
  (void)want;
  return sig->in[0].dtype == SNUG_FLOAT32 && snug__type_count(&sig->in[0]) > 0 &&
         snug__type_count(&sig->in[1]) > 0;
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx, (void)sig, (void)needs;
  *state = NULL;
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(matmul) = {"matmul", fits, prepare, run, NULL};
const snug__kernel SNUG_LOOP(matmul_epilogue) = {"matmul_epilogue", fits, prepare, run_epilogue,
                                                 NULL};
