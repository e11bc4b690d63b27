/* What is special about the loops of batch normalization; that they do what the ops say is tested
 * with all kernels, over the tables of cases. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/cpu.h"
#include "device/device.h"
#include "device/host.h"
#include "lib/test.h"
#include "ops/batch_norm.h"
#include "ops/norm.h"

#define MAX_VALUES 8

typedef struct node {
  snug__signature sig;
  snug__type in[MAX_VALUES], out[4];
  const void *read[MAX_VALUES];
  void *written[4];
} node;

static snug__isa isa_of(snug__layout layout) {
  return layout == SNUG__LAYOUT_NCHW8C && snug__isa_best() > SNUG__ISA_BASE ? snug__isa_best() - 1
                                                                            : snug__isa_best();
}

/* Run the first kernel of the op, which must take the layouts as they are. */
static void run_node(node *n, const void *params, int32_t threads, snug__isa isa) {
  snug__needs needs = {0};
  snug__layouts want = {0};
  void *state = NULL;
  n->sig.in = n->in;
  n->sig.out = n->out;
  n->sig.params = params;
  n->sig.target.of[0] = threads;
  n->sig.target.of[1] = (int32_t)isa;
  const snug__kernel *k = snug__cpu.kernel(n->sig.op, snug__host_target(1, isa), 0);
  ASSERT_TRUE(k->fits(&n->sig, &want));
  ASSERT_EQ_INT(want.in[0], n->in[0].layout);
  ASSERT_EQ_INT(want.out[0], n->out[0].layout);
  ASSERT_EQ_INT(k->prepare(NULL, &n->sig, &needs, &state), SNUG_OK);
  void *scratch = malloc((size_t)needs.scratch_bytes + 1);
  memset(scratch, 0xFF, (size_t)needs.scratch_bytes + 1);
  snug__call call = {&n->sig, n->read, n->written, scratch, NULL};
  ASSERT_EQ_INT(k->run(state, &call), SNUG_OK);
  free(scratch);
}

static float *new_floats(int64_t n) {
  float *p = malloc((size_t)n * sizeof *p + 1);
  ASSERT_NOT_NULL(p);
  memset(p, 0xFF, (size_t)n * sizeof *p);
  return p;
}

/* Uniform in [-1, 1). */
static double noise(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/* ---- exactness ---- */

#define ROWS 5000
#define CHANNELS 20

typedef struct reading {
  double mean, variance;
} reading;

static reading exact(const float *x, int64_t c) {
  reading r = {0};
  for (int64_t i = 0; i < ROWS; i++) {
    r.mean += (double)x[i * CHANNELS + c] / ROWS;
  }
  for (int64_t i = 0; i < ROWS; i++) {
    double d = (double)x[i * CHANNELS + c] - r.mean;
    r.variance += d * d / ROWS;
  }
  return r;
}

/* The variance errs by the rounding of its sums alone, however large the mean is against it; the
 * mean by that of what it is stored in, and of sums of eight. */
static void check_statistics(double mean, double deviation, int64_t strange) {
  const int64_t dim[] = {ROWS, CHANNELS};
  snug__type t = snug__type_of(SNUG_FLOAT32, 2, dim);
  snug__type vector = snug__type_of(SNUG_FLOAT32, 1, dim + 1);
  snug__batch_norm_params p = {1e-3};
  uint64_t state = 1;
  float *x = new_floats(ROWS * CHANNELS);
  float *y = new_floats(ROWS * CHANNELS);
  float got[2][CHANNELS];
  for (int64_t i = 0; i < ROWS * CHANNELS; i++) {
    x[i] = i < strange * CHANNELS ? 0.0f : (float)(mean + deviation * noise(&state));
  }
  node n = {.sig = {.op = &snug__op_batch_norm_train, .n_in = 1, .n_out = 3},
            .in = {t},
            .out = {t, vector, vector},
            .read = {x},
            .written = {y, got[0], got[1]}};
  for (snug__isa isa = 0; isa <= snug__isa_best(); isa++) {
    run_node(&n, &p, 1, isa);
    for (int64_t c = 0; c < CHANNELS; c++) {
      reading r = exact(x, c);
      double spread = sqrt(r.variance);
      ASSERT_NEAR((double)got[1][c], r.variance, 4.0 * FLT_EPSILON * r.variance);
      ASSERT_NEAR((double)got[0][c], r.mean, 0.5 * FLT_EPSILON * (fabs(r.mean) + spread));
    }
  }
  free(x);
  free(y);
}

TEST(statistics_are_exact) {
  check_statistics(0.0, 1.0, 0);
  check_statistics(1000.0, 1.0, 0);
  check_statistics(-1e6, 1.0, 0);
  check_statistics(1000.0, 1.0, 1);   /* the first row is far from all others */
  check_statistics(1000.0, 1.0, 100); /* so are many */
  check_statistics(1e-15, 1e-15, 0);
}

/* ---- y once more, and the slope at the ends of relu ---- */

#define N 3
#define H 41 /* enough rows for several parts */
#define C 20

static int64_t stored(snug__layout layout) {
  const int64_t dim[] = {N, H, H, C};
  snug__type t = snug__type_in(snug__type_of(SNUG_FLOAT32, 4, dim), layout);
  return snug__type_bytes(&t) / (int64_t)sizeof(float);
}

/* The channel of a stored element; C or more where there is none. */
static int64_t channel_at(snug__layout layout, int64_t i) {
  int64_t block = layout == SNUG__LAYOUT_PLAIN ? C : snug__layout_block(layout, 3);
  int64_t blocks = (C + block - 1) / block;
  return layout == SNUG__LAYOUT_PLAIN ? i % C : i / (H * H * block) % blocks * block + i % block;
}

static float *new_image(snug__layout layout, uint64_t seed) {
  float *x = new_floats(stored(layout));
  for (int64_t i = 0; i < stored(layout); i++) {
    double v = 2.0 * noise(&seed);
    x[i] = channel_at(layout, i) < C ? (float)v : 0.0f;
  }
  return x;
}

typedef struct layer {
  snug__layout layout;
  int32_t threads;
  snug__epilogue epilogue;
  float *x, *residual, *dy, *y, *again, *dx, *dresidual;
  float gamma[C], beta[C], mean[C], variance[C], dgamma[C], dbeta[C];
} layer;

static void run_layer(layer *l) {
  const int64_t dim[] = {N, H, H, C};
  snug__type t = snug__type_in(snug__type_of(SNUG_FLOAT32, 4, dim), l->layout);
  snug__type v = snug__type_of(SNUG_FLOAT32, 1, dim + 3);
  snug__batch_norm_epilogue_params p;
  snug__batch_norm_epilogue_grad_params back;
  memset(&p, 0, sizeof p);
  memset(&back, 0, sizeof back);
  p.epsilon = back.epsilon = 1e-3;
  p.epilogue = back.epilogue = l->epilogue;
  back.dtype = SNUG_FLOAT32;
  node train = {.sig = {.op = &snug__op_batch_norm_train_epilogue, .n_in = 4, .n_out = 3},
                .in = {t, v, v, l->residual ? t : (snug__type){0}},
                .out = {t, v, v},
                .read = {l->x, l->gamma, l->beta, l->residual},
                .written = {l->y, l->mean, l->variance}};
  node infer = {.sig = {.op = &snug__op_batch_norm_infer_epilogue, .n_in = 6, .n_out = 1},
                .in = {t, v, v, v, v, l->residual ? t : (snug__type){0}},
                .out = {t},
                .read = {l->x, l->gamma, l->beta, l->mean, l->variance, l->residual},
                .written = {l->again}};
  node grad = {
      .sig = {.op = &snug__op_batch_norm_train_epilogue_grad, .n_in = 7, .n_out = 4},
      .in = {t, t, v, v, v, v, l->residual ? t : (snug__type){0}},
      .out = {t, v, v, t},
      .read = {l->dy, l->x, l->mean, l->variance, l->gamma, l->beta, l->residual ? l->y : NULL},
      .written = {l->dx, l->dgamma, l->dbeta, l->dresidual}};
  run_node(&train, &p, l->threads, isa_of(l->layout));
  run_node(&infer, &p, l->threads, isa_of(l->layout));
  run_node(&grad, &back, l->threads, isa_of(l->layout));
}

static void open_layer(layer *l, snug__layout layout, const snug__epilogue *epilogue,
                       bool residual) {
  *l = (layer){.layout = layout, .threads = 1, .epilogue = *epilogue};
  l->x = new_image(layout, 1);
  l->dy = new_image(layout, 2);
  l->residual = residual ? new_image(layout, 3) : NULL;
  l->y = new_floats(stored(layout));
  l->again = new_floats(stored(layout));
  l->dx = new_floats(stored(layout));
  l->dresidual = new_floats(stored(layout));
  for (int64_t c = 0; c < C; c++) {
    l->gamma[c] = 1.0f + 0.1f * (float)(c % 5);
    l->beta[c] = 0.2f * (float)(c % 3) - 0.2f;
  }
}

static void close_layer(layer *l) {
  float *all[] = {l->x, l->dy, l->residual, l->y, l->again, l->dx, l->dresidual};
  for (size_t i = 0; i < SNUG_COUNT(all); i++) {
    free(all[i]);
  }
}

/* y is the same to the bit when it is recomputed; d is dy exactly where y says so, also where it
 * was decided from x; what the layout adds is zero. */
static void check_layer(const layer *l) {
  for (int64_t i = 0; i < stored(l->layout); i++) {
    double slope = snug__epilogue_slope_from_output(&l->epilogue, (double)l->y[i]);
    if (channel_at(l->layout, i) >= C) {
      ASSERT_TRUE(l->y[i] == 0.0f && l->dx[i] == 0.0f && l->dresidual[i] == 0.0f);
    } else if (l->epilogue.activation == SNUG__RELU) {
      ASSERT_TRUE((double)l->dresidual[i] == slope * (double)l->dy[i]);
    }
  }
  ASSERT_EQ_INT(memcmp(l->y, l->again, (size_t)stored(l->layout) * sizeof *l->y), 0);
}

static void check_threads(layer *l) {
  static const int32_t threads[] = {2, -2, -7};
  layer first = *l;
  size_t bytes = (size_t)stored(l->layout) * sizeof *l->y;
  l->y = new_floats(stored(l->layout));
  l->dx = new_floats(stored(l->layout));
  for (size_t i = 0; i < SNUG_COUNT(threads); i++) {
    l->threads = threads[i];
    run_layer(l);
    ASSERT_EQ_INT(memcmp(l->y, first.y, bytes), 0);
    ASSERT_EQ_INT(memcmp(l->dx, first.dx, bytes), 0);
    ASSERT_EQ_INT(memcmp(l->mean, first.mean, sizeof l->mean), 0);
    ASSERT_EQ_INT(memcmp(l->dgamma, first.dgamma, sizeof l->dgamma), 0);
  }
  free(first.y);
  free(first.dx);
}

TEST(made_again_to_the_bit_whatever_the_threads) {
  static const snug__layout layouts[] = {SNUG__LAYOUT_PLAIN, SNUG__LAYOUT_NCHW8C,
                                         SNUG__LAYOUT_NCHW16C};
  static const snug__epilogue epilogues[] = {
      {SNUG__LINEAR, INFINITY}, {SNUG__RELU, INFINITY}, {SNUG__RELU, 1.5}, {SNUG__SWISH, INFINITY}};
  for (size_t a = 0; a < SNUG_COUNT(layouts); a++) {
    for (size_t p = 0; p < SNUG_COUNT(epilogues); p++) {
      for (int32_t residual = 0; residual < 2 && !(p == 3 && residual); residual++) {
        layer l;
        open_layer(&l, layouts[a], &epilogues[p], residual);
        run_layer(&l);
        check_layer(&l);
        check_threads(&l);
        close_layer(&l);
      }
    }
  }
}
