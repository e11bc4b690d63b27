#include "wino_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define P 0.625
#define Q 1.5

/* 1 / the product of a point's distances to the others. */
#define AT_P (1.0 / (2.0 * P * P * (P * P - Q * Q)))
#define AT_Q (1.0 / (2.0 * Q * Q * (Q * Q - P * P)))

static const double window[6][6] = {{P * P * Q * Q, 0, -P *P - Q *Q, 0, 1, 0},
                                    {0, -P *Q *Q, -Q *Q, P, 1, 0},
                                    {0, P *Q *Q, -Q *Q, -P, 1, 0},
                                    {0, -Q *P *P, -P *P, Q, 1, 0},
                                    {0, Q *P *P, -P *P, -Q, 1, 0},
                                    {0, P *P *Q *Q, 0, -P *P - Q *Q, 0, 1}};
static const double kernel[6][6] = {{1 / (P * P * Q * Q)},        {AT_P, AT_P *P, AT_P *P *P},
                                    {AT_P, -AT_P *P, AT_P *P *P}, {AT_Q, AT_Q *Q, AT_Q *Q *Q},
                                    {AT_Q, -AT_Q *Q, AT_Q *Q *Q}, {0, 0, 1}};
static const double spread[6][6] = {{1},
                                    {1, P, P *P, P *P *P},
                                    {1, -P, P *P, -P *P *P},
                                    {1, Q, Q *Q, Q *Q *Q},
                                    {1, -Q, Q *Q, -Q *Q *Q},
                                    {0, 0, 0, 1}};

typedef double square[6][6];

/* The sign of a number does not matter to a bound: |v| or v * v. */
static double size(double v, int power) { return power == 1 ? fabs(v) : v * v; }

/* out = |m| |in| |m|', or with m transposed, in sizes. */
static void through(const square m, int transposed, int power, square in, square out) {
  square half = {{0}};
  memset(out, 0, sizeof(square));
  for (int k = 0; k < 216; k++) {
    int i = k / 36, j = k / 6 % 6, l = k % 6;
    half[i][j] += size(transposed ? m[l][i] : m[i][l], power) * in[l][j];
  }
  for (int k = 0; k < 216; k++) {
    int i = k / 36, j = k / 6 % 6, l = k % 6;
    out[i][j] += half[i][l] * size(transposed ? m[l][j] : m[j][l], power);
  }
}

/* A part of an image in sizes, zero outside. */
static void cut(const double *image, int64_t h, int64_t w, int64_t y, int64_t x, int n, int power,
                square out) {
  memset(out, 0, sizeof(square));
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < n; j++) {
      if (y + i >= 0 && y + i < h && x + j >= 0 && x + j < w) {
        out[i][j] = size(image[(y + i) * w + x + j], power);
      }
    }
  }
}

static int64_t rows(const snug__wino_shape *s) { return (s->oh + 3) / 4; }
static int64_t columns(const snug__wino_shape *s) { return (s->ow + 3) / 4; }

static void window_of(const snug__wino_shape *s, const double *x, int64_t tile, int64_t channel,
                      int power, square out) {
  square in;
  int64_t image = tile / columns(s) / rows(s);
  int64_t y = tile / columns(s) % rows(s) * 4, left = tile % columns(s) * 4;
  cut(x + (image * s->ci + channel) * s->h * s->w, s->h, s->w, y - s->pad_top, left - s->pad_left,
      6, power, in);
  through(window, 0, power, in, out);
}

static void add_product(square sum, square a, square b) {
  for (int k = 0; k < 36; k++) {
    sum[k / 6][k % 6] += a[k / 6][k % 6] * b[k / 6][k % 6];
  }
}

/* One tile of one output channel, with the windows and kernels of all input channels. */
static void bound_tile(const snug__wino_shape *s, int64_t tile, int64_t o, square *v, square *u,
                       int power, double *to) {
  square sum = {{0}}, y;
  int64_t top = tile / columns(s) % rows(s) * 4, left = tile % columns(s) * 4;
  for (int64_t i = 0; i < s->ci; i++) {
    add_product(sum, v[i], u[o * s->ci + i]);
  }
  through(spread, 1, power, sum, y);
  to += (tile / columns(s) / rows(s) * s->co + o) * s->oh * s->ow;
  for (int64_t k = 0; k < 16; k++) {
    if (top + k / 4 < s->oh && left + k % 4 < s->ow) {
      to[(top + k / 4) * s->ow + left + k % 4] = y[k / 4][k % 4];
    }
  }
}

static void bound_forward(const snug__wino_shape *s, const double *x, const double *w, int power,
                          double *to) {
  square *u = malloc((size_t)(s->co * s->ci) * sizeof *u);
  square *v = malloc((size_t)s->ci * sizeof *v);
  square in;
  for (int64_t k = 0; k < s->co * s->ci; k++) {
    cut(w + 9 * k, 3, 3, 0, 0, 3, power, in);
    through(kernel, 0, power, in, u[k]);
  }
  for (int64_t tile = 0; tile < s->n * rows(s) * columns(s); tile++) {
    for (int64_t i = 0; i < s->ci; i++) {
      window_of(s, x, tile, i, power, v[i]);
    }
    for (int64_t o = 0; o < s->co; o++) {
      bound_tile(s, tile, o, v, u, power, to);
    }
  }
  free(u);
  free(v);
}

static void bound_weights(const snug__wino_shape *s, const double *x, const double *dy, int power,
                          double *to) {
  square *sums = calloc((size_t)(s->co * s->ci), sizeof *sums);
  square *v = malloc((size_t)s->ci * sizeof *v);
  square in, z;
  for (int64_t tile = 0; tile < s->n * rows(s) * columns(s); tile++) {
    for (int64_t i = 0; i < s->ci; i++) {
      window_of(s, x, tile, i, power, v[i]);
    }
    for (int64_t k = 0; k < s->co * s->ci; k++) {
      int64_t image = tile / columns(s) / rows(s) * s->co + k / s->ci;
      cut(dy + image * s->oh * s->ow, s->oh, s->ow, tile / columns(s) % rows(s) * 4,
          tile % columns(s) * 4, 4, power, in);
      through(spread, 0, power, in, z);
      add_product(sums[k], v[k % s->ci], z);
    }
  }
  for (int64_t k = 0; k < s->co * s->ci; k++) {
    through(kernel, 1, power, sums[k], z);
    for (int t = 0; t < 9; t++) {
      to[9 * k + t] = z[t / 3][t % 3];
    }
  }
  free(sums);
  free(v);
}

/* Call f for each product x * w that goes into an output y: their places. */
typedef void on_product(void *arg, int64_t x, int64_t w, int64_t y);

static void each_tap(const snug__wino_shape *s, int64_t y, int64_t i, on_product *f, void *arg) {
  int64_t left = y % s->ow - s->pad_left, top = y / s->ow % s->oh - s->pad_top;
  int64_t o = y / s->ow / s->oh % s->co, n = y / s->ow / s->oh / s->co;
  for (int64_t t = 0; t < 9; t++) {
    int64_t row = top + t / 3, column = left + t % 3;
    if (row >= 0 && row < s->h && column >= 0 && column < s->w) {
      f(arg, ((n * s->ci + i) * s->h + row) * s->w + column, (o * s->ci + i) * 9 + t, y);
    }
  }
}

static void each_product(const snug__wino_shape *s, on_product *f, void *arg) {
  for (int64_t y = 0; y < s->n * s->co * s->oh * s->ow; y++) {
    for (int64_t i = 0; i < s->ci; i++) {
      each_tap(s, y, i, f, arg);
    }
  }
}

typedef struct operands {
  const double *x, *w, *dy;
  double *out;
} operands;

static void add_output(void *arg, int64_t x, int64_t w, int64_t y) {
  operands *o = arg;
  o->out[y] += o->x[x] * o->w[w];
}

static void add_weight(void *arg, int64_t x, int64_t w, int64_t y) {
  operands *o = arg;
  o->out[w] += o->x[x] * o->dy[y];
}

void wino_expect_forward(const snug__wino_shape *s, const double *x, const double *w,
                         wino_expected *out) {
  operands o = {.x = x, .w = w, .out = out->exact};
  memset(out->exact, 0, (size_t)(s->n * s->co * s->oh * s->ow) * sizeof(double));
  each_product(s, add_output, &o);
  bound_forward(s, x, w, 1, out->absolute);
  bound_forward(s, x, w, 2, out->squares);
}

void wino_expect_weights(const snug__wino_shape *s, const double *x, const double *dy,
                         wino_expected *out) {
  operands o = {.x = x, .dy = dy, .out = out->exact};
  memset(out->exact, 0, (size_t)(s->co * s->ci * 9) * sizeof(double));
  each_product(s, add_weight, &o);
  bound_weights(s, x, dy, 1, out->absolute);
  bound_weights(s, x, dy, 2, out->squares);
}
