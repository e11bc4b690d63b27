/* Winograd's convolution against plain loops in float64, for every instruction set of this machine.
 *
 * Two bounds, with u = 2^-24 and the transforms' own growth (see wino_reference.h):
 * - each error is at most k u times the result on absolute values, where k counts the roundings on
 *   the longest way from an input to a result: 4 in the transform of a window, 10 in a kernel's, 6
 *   in a gradient's, one per term of the sum, 7 behind it (output and bias) or 12 (taps);
 * - the root of their mean square is at most u sqrt(k) times that of the result in squares, which
 *   is what roundings that know nothing of each other give. */
#include "device/cpu/wino.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "lib/test.h"
#include "wino_reference.h"

#define U (1.0 / (1 << 24))

/* A number of plain values, and the same in blocks, padded with zeros. */
typedef struct values {
  int64_t dim[4]; /* [n][c][h][w], or [o][i][3][3] */
  int is_weights;
  int64_t n, stored;
  double *plain;
  float *blocked;
} values;

static int64_t blocks(int64_t c, int64_t lanes) { return (c + lanes - 1) / lanes; }

/* Where plain element k lies. */
static int64_t place(const values *v, int64_t lanes, int64_t k) {
  int64_t x = k % v->dim[3], y = k / v->dim[3] % v->dim[2];
  int64_t c = k / v->dim[3] / v->dim[2] % v->dim[1], n = k / v->dim[3] / v->dim[2] / v->dim[1];
  if (!v->is_weights) {
    int64_t image = n * blocks(v->dim[1], lanes) + c / lanes;
    return ((image * v->dim[2] + y) * v->dim[3] + x) * lanes + c % lanes;
  }
  int64_t pair = n / lanes * blocks(v->dim[1], lanes) + c / lanes;
  return ((pair * 9 + y * 3 + x) * lanes + c % lanes) * lanes + n % lanes;
}

static values take(snug_ctx *ctx, int64_t lanes, int is_weights, int64_t a, int64_t b, int64_t c,
                   int64_t d) {
  values v = {{a, b, c, d}, is_weights, a * b * c * d, 0, NULL, NULL};
  v.stored = (is_weights ? blocks(a, lanes) * lanes : a) * blocks(b, lanes) * lanes * c * d;
  v.plain = calloc((size_t)v.n, sizeof(double));
  ASSERT_OK(ctx, SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, v.stored, &v.blocked));
  return v;
}

static void give(snug_ctx *ctx, values *v) {
  free(v->plain);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, v->blocked, v->stored);
}

static void fill(values *v, int64_t lanes) {
  for (int64_t k = 0; k < v->n; k++) {
    float *to = &v->blocked[place(v, lanes, k)];
    test_random_floats(to, 1, -1.0f, 1.0f);
    v->plain[k] = (double)*to;
  }
}

static void poison(values *v) { memset(v->blocked, 0xff, (size_t)v->stored * sizeof(float)); }

/* Blocked results against expected ones; what is padded must be zero. */
static void compare(const values *v, int64_t lanes, const wino_expected *e, double k) {
  double squares = 0, allowed = 0, sum = 0, plain_sum = 0;
  for (int64_t i = 0; i < v->n; i++) {
    double got = (double)v->blocked[place(v, lanes, i)], error = got - e->exact[i];
    if (!(fabs(error) <= k * U * e->absolute[i])) {
      test_fail(__FILE__, __LINE__, "element %lld of %lld: %.9g, expected %.9g +- %.3g",
                (long long)i, (long long)v->n, got, e->exact[i], k * U * e->absolute[i]);
    }
    squares += error * error;
    allowed += e->squares[i];
    plain_sum += fabs(got);
  }
  for (int64_t i = 0; i < v->stored; i++) {
    sum += (double)fabsf(v->blocked[i]);
  }
  ASSERT_TRUE(squares <= k * U * U * allowed);
  ASSERT_NEAR(sum, plain_sum, 1e-9 * plain_sum);
}

static wino_expected expected_of(int64_t n) {
  wino_expected e = {calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)),
                     calloc((size_t)n, sizeof(double))};
  return e;
}

static void expected_free(wino_expected *e) {
  free(e->exact);
  free(e->absolute);
  free(e->squares);
}

typedef struct rig {
  snug_ctx *ctx;
  const snug__wino *wino;
  snug__wino_shape s;
  values x, w, y, bias;
  snug__wino_finish finish;
} rig;

static void set_up(rig *b, const snug__wino *wino, snug__wino_shape s) {
  int64_t lanes = wino->lanes;
  b->ctx = test_ctx();
  b->wino = wino;
  b->s = s;
  b->x = take(b->ctx, lanes, 0, s.n, s.ci, s.h, s.w);
  b->w = take(b->ctx, lanes, 1, s.co, s.ci, 3, 3);
  b->y = take(b->ctx, lanes, 0, s.n, s.co, s.oh, s.ow);
  b->bias = take(b->ctx, 1, 0, 1, s.co, 1, 1);
  fill(&b->bias, 1);
  b->finish = (snug__wino_finish){NULL, -INFINITY, INFINITY};
}

static void tear_down(rig *b) {
  give(b->ctx, &b->x);
  give(b->ctx, &b->w);
  give(b->ctx, &b->y);
  give(b->ctx, &b->bias);
  test_ctx_end(b->ctx);
}

static values *result_of(rig *b, snug__wino_way way) {
  return way == SNUG__WINO_FORWARD ? &b->y : way == SNUG__WINO_BACKWARD_DATA ? &b->x : &b->w;
}

static void call(rig *b, snug__wino_way way, void *scratch) {
  if (way == SNUG__WINO_FORWARD) {
    b->wino->forward(&b->s, b->x.blocked, b->w.blocked, &b->finish, b->y.blocked, scratch);
  } else if (way == SNUG__WINO_BACKWARD_DATA) {
    b->wino->backward_data(&b->s, b->y.blocked, b->w.blocked, b->x.blocked, scratch);
  } else {
    b->wino->backward_weights(&b->s, b->x.blocked, b->y.blocked, b->w.blocked, scratch);
  }
}

/* Results and scratch hold NaN before; bands of the allocator lie around both. */
static void run(rig *b, snug__wino_way way, int32_t threads) {
  unsigned char *scratch = NULL;
  b->s.threads = threads;
  int64_t bytes = b->wino->scratch(&b->s, way);
  ASSERT_OK(b->ctx, SNUG_NEW_ARRAY(b->ctx, SNUG__MEM_SCRATCH, bytes, &scratch));
  memset(scratch, 0xff, (size_t)bytes);
  poison(result_of(b, way));
  call(b, way, scratch);
  SNUG_GIVE_ARRAY(b->ctx, SNUG__MEM_SCRATCH, scratch, bytes);
}

/* With 1, 2 and 7 threads, and twice with the same. */
static void check(rig *b, snug__wino_way way, const wino_expected *e, double k) {
  static const int32_t threads[] = {1, 2, 7};
  values *r = result_of(b, way);
  size_t bytes = (size_t)r->stored * sizeof(float);
  float *before = malloc(bytes);
  for (size_t i = 0; i < SNUG_COUNT(threads); i++) {
    run(b, way, threads[i]);
    compare(r, b->wino->lanes, e, k);
    memcpy(before, r->blocked, bytes);
    run(b, way, threads[i]);
    ASSERT_EQ_BYTES(before, r->blocked, bytes);
  }
  free(before);
}

static void add_finish(rig *b, wino_expected *e) {
  for (int64_t i = 0; i < b->y.n; i++) {
    double bias = b->finish.bias ? b->bias.plain[i / b->s.oh / b->s.ow % b->s.co] : 0.0;
    e->exact[i] = fmin(fmax(e->exact[i] + bias, (double)b->finish.low), (double)b->finish.high);
    e->absolute[i] += fabs(bias);
    e->squares[i] += bias * bias;
  }
}

static void check_forward(const snug__wino *wino, snug__wino_shape s, int bias, float low,
                          float high) {
  rig b;
  set_up(&b, wino, s);
  fill(&b.x, wino->lanes);
  fill(&b.w, wino->lanes);
  b.finish = (snug__wino_finish){bias ? b.bias.blocked : NULL, low, high};
  wino_expected e = expected_of(b.y.n);
  wino_expect_forward(&s, b.x.plain, b.w.plain, &e);
  add_finish(&b, &e);
  check(&b, SNUG__WINO_FORWARD, &e, (double)s.ci + 21.0);
  expected_free(&e);
  tear_down(&b);
}

/* A forward with the kernel turned and the channels swapped: that is what it must be. */
static void check_backward_data(const snug__wino *wino, snug__wino_shape s) {
  snug__wino_shape turned = {s.n, s.co, s.oh,          s.ow,           s.ci,
                             s.h, s.w,  2 - s.pad_top, 2 - s.pad_left, 0};
  rig b;
  set_up(&b, wino, s);
  fill(&b.y, wino->lanes);
  fill(&b.w, wino->lanes);
  wino_expected e = expected_of(b.x.n);
  double *w = calloc((size_t)b.w.n, sizeof(double));
  for (int64_t k = 0; k < b.w.n; k++) {
    w[(k / 9 % s.ci * s.co + k / 9 / s.ci) * 9 + 8 - k % 9] = b.w.plain[k];
  }
  wino_expect_forward(&turned, b.y.plain, w, &e);
  check(&b, SNUG__WINO_BACKWARD_DATA, &e, (double)s.co + 20.0);
  free(w);
  expected_free(&e);
  tear_down(&b);
}

static void check_backward_weights(const snug__wino *wino, snug__wino_shape s) {
  rig b;
  set_up(&b, wino, s);
  fill(&b.x, wino->lanes);
  fill(&b.y, wino->lanes);
  wino_expected e = expected_of(b.w.n);
  wino_expect_weights(&s, b.x.plain, b.y.plain, &e);
  double tiles = (double)(s.n * ((s.oh + 3) / 4) * ((s.ow + 3) / 4));
  check(&b, SNUG__WINO_BACKWARD_WEIGHTS, &e, tiles + 22.0);
  expected_free(&e);
  tear_down(&b);
}

static void for_each_isa(void (*f)(const snug__wino *wino)) {
  int any = 0;
  for (snug__isa isa = 0; isa <= snug__isa_best(); isa++) {
    if (snug__wino_of(isa)) {
      f(snug__wino_of(isa));
      any = 1;
    }
  }
  if (!any) {
    test_skip("this processor has no AVX2");
  }
}

/* n, ci, h, w, co, oh, ow, pad_top, pad_left: every padding, sizes around a tile and around a block
 * of channels, one tile and many. */
static const snug__wino_shape shapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 0},     {2, 3, 3, 3, 5, 1, 1, 0, 0, 0},
    {5, 16, 4, 4, 16, 4, 4, 1, 1, 0},   {1, 17, 5, 7, 33, 5, 7, 1, 1, 0},
    {3, 8, 7, 7, 64, 7, 7, 1, 1, 0},    {1, 20, 17, 19, 30, 17, 19, 1, 1, 0},
    {2, 32, 6, 6, 48, 8, 8, 2, 2, 0},   {2, 5, 9, 4, 7, 7, 2, 0, 0, 0},
    {1, 33, 8, 11, 16, 9, 10, 2, 0, 0}, {1, 16, 11, 8, 33, 10, 9, 0, 2, 0},
    {4, 24, 2, 13, 40, 3, 12, 1, 0, 0}, {2, 70, 13, 2, 66, 12, 3, 0, 1, 0},
    {1, 130, 6, 5, 100, 6, 5, 1, 1, 0}, {3, 12, 16, 12, 14, 15, 13, 1, 2, 0},
};

static void forward_shapes(const snug__wino *wino) {
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    check_forward(wino, shapes[i], 0, -INFINITY, INFINITY);
  }
}

TEST(forward) { for_each_isa(forward_shapes); }

static void data_shapes(const snug__wino *wino) {
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    check_backward_data(wino, shapes[i]);
  }
}

TEST(backward_data) { for_each_isa(data_shapes); }

static void weights_shapes(const snug__wino *wino) {
  for (size_t i = 0; i < SNUG_COUNT(shapes); i++) {
    check_backward_weights(wino, shapes[i]);
  }
}

TEST(backward_weights) { for_each_isa(weights_shapes); }

static void finishes(const snug__wino *wino) {
  check_forward(wino, shapes[3], 1, -INFINITY, INFINITY);
  check_forward(wino, shapes[3], 0, 0.0f, INFINITY);
  check_forward(wino, shapes[3], 1, 0.0f, INFINITY);
  check_forward(wino, shapes[11], 1, 0.0f, 6.0f);
}

TEST(bias_and_clipping) { for_each_isa(finishes); }

static void nan_goes_through(const snug__wino *wino) {
  rig b;
  set_up(&b, wino, shapes[2]);
  fill(&b.x, wino->lanes);
  fill(&b.w, wino->lanes);
  b.x.blocked[0] = NAN;
  b.finish = (snug__wino_finish){NULL, 0.0f, 6.0f};
  run(&b, SNUG__WINO_FORWARD, 1);
  ASSERT_TRUE(isnan(b.y.blocked[0]));
  tear_down(&b);
}

TEST(clipping_keeps_nan) { for_each_isa(nan_goes_through); }

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* n cut into equal parts of at most `most`, which counts as 1 at least. */
static int64_t part(int64_t n, int64_t most) { return up(n, up(n, most < 1 ? 1 : most)); }

/* The formulas of device/cpu/wino.h. */
static void check_scratch(const snug__wino *wino, int64_t ci, int64_t co, int32_t threads) {
  const int64_t b = wino->lanes, w = b == 16 ? 4 : 2, limit = 10 << 20;
  const snug__wino_shape s = {2, ci, 9, 9, co, 9, 9, 1, 1, threads};
  int64_t i = up(ci, b), sets = up(up(co, b), w), panel = 36 * (i * b * w + 1) * b * 4;
  int64_t data = part(sets, limit / panel) * panel + 900 * threads * (i + w) * b * 4;
  ASSERT_EQ_INT(wino->scratch(&s, SNUG__WINO_FORWARD), data);
  i = part(i, 256 / b);
  sets = part(sets, 256 / b / w);
  int64_t sums = 36 * sets * (i * b * w + 1) * b * 4;
  int64_t rest = 36 * (49 * i + sets * (48 * w + 1)) * b * 4;
  ASSERT_EQ_INT(wino->scratch(&s, SNUG__WINO_BACKWARD_WEIGHTS),
                (threads * sums <= limit ? threads : 1) * (sums + rest));
}

static void scratch_sizes(const snug__wino *wino) {
  const snug__wino_shape large = {16, 512, 28, 28, 512, 28, 28, 1, 1, 2};
  for (int64_t k = 0; k < 400; k++) {
    check_scratch(wino, 1 + k % 20 * 53, 1 + k / 20 * 47, 1 + (int32_t)(k % 7));
  }
  for (int way = SNUG__WINO_FORWARD; way <= SNUG__WINO_BACKWARD_WEIGHTS; way++) {
    ASSERT_TRUE(wino->scratch(&large, (snug__wino_way)way) <= 13 << 20);
  }
}

TEST(scratch_is_as_told) { for_each_isa(scratch_sizes); }
