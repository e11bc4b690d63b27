/* The transforms of F(4x4, 3x3) at the points 0, P, -P, Q, -Q and infinity, on vectors of channels.
 *
 * 5/8 and 3/2 keep the error near its least (a third of that of 1 and 2), and all powers that occur
 * are exact.  Each function is one side of a transform; a tile goes through it in both directions,
 * and a plane is one of the 36 places of the result. */
#ifndef SNUG_DEVICE_CPU_LOOPS_WINO_TRANSFORM_H
#define SNUG_DEVICE_CPU_LOOPS_WINO_TRANSFORM_H
#include <stdint.h>

#ifdef __AVX2__

#include "device/cpu/loops/wino_vec.h"

#define P 0.625f
#define Q 1.5f
#define P2 (P * P)
#define Q2 (Q * Q)
#define P3 (P * P * P)
#define Q3 (Q * Q * Q)

/* Scale of the kernel at each point: 1 / the product of its distances to the others. */
#define AT_0 (1.0f / (P2 * Q2))
#define AT_P (1.0f / (2.0f * P2 * (P2 - Q2)))
#define AT_Q (1.0f / (2.0f * Q2 * (Q2 - P2)))

/* B': the outer rows of the window's transform, and the two pairs between them. */
INLINE vec window_first(const vec x[6]) {
  return mad(all(P2 * Q2), x[0], mad(all(-(P2 + Q2)), x[2], x[4]));
}

INLINE vec window_last(const vec x[6]) {
  return mad(all(P2 * Q2), x[1], mad(all(-(P2 + Q2)), x[3], x[5]));
}

INLINE void window_pair(const vec x[6], float point, float other2, vec *plus, vec *minus) {
  vec even = mad(all(-other2), x[2], x[4]);
  vec odd = mad(all(-other2), x[1], x[3]);
  *plus = mad(all(point), odd, even);
  *minus = mad(all(-point), odd, even);
}

INLINE void window_line(const vec x[6], float *to, int64_t step) {
  vec plus, minus;
  store(to, window_first(x));
  window_pair(x, P, Q2, &plus, &minus);
  store(to + step, plus);
  store(to + 2 * step, minus);
  window_pair(x, Q, P2, &plus, &minus);
  store(to + 3 * step, plus);
  store(to + 4 * step, minus);
  store(to + 5 * step, window_last(x));
}

/* Two rows of the transform at a time: twelve vectors stay in registers, and nothing is stored
 * but the result.  `row` is the distance of rows in x, `step` that of planes. */
INLINE void window_rows(const float *x, int64_t row, int pair, float *to, int64_t step) {
  vec one[6], two[6];
  for (int j = 0; j < 6; j++) {
    vec column[6];
    for (int i = 0; i < 6; i++) {
      column[i] = load(x + i * row + j * LANES);
    }
    if (pair == 0) {
      one[j] = window_first(column);
      two[j] = window_last(column);
    } else {
      window_pair(column, pair == 1 ? P : Q, pair == 1 ? Q2 : P2, &one[j], &two[j]);
    }
  }
  int first = pair == 0 ? 0 : 2 * pair - 1, second = pair == 0 ? 5 : 2 * pair;
  window_line(one, to + 6 * first * step, step);
  window_line(two, to + 6 * second * step, step);
}

/* B' x B of a 6x6 window into 36 planes. */
INLINE void transform_window(const float *x, int64_t row, float *to, int64_t step) {
  window_rows(x, row, 0, to, step);
  window_rows(x, row, 1, to, step);
  window_rows(x, row, 2, to, step);
}

/* A': six products to four outputs. */
INLINE void output_line(const vec m[6], vec y[4]) {
  vec sum_p = m[1] + m[2], sum_q = m[3] + m[4];
  vec difference_p = m[1] - m[2], difference_q = m[3] - m[4];
  y[0] = m[0] + sum_p + sum_q;
  y[1] = mad(all(P), difference_p, all(Q) * difference_q);
  y[2] = mad(all(P2), sum_p, all(Q2) * sum_q);
  y[3] = mad(all(P3), difference_p, mad(all(Q3), difference_q, m[5]));
}

/* A' m A of 36 planes into 4x4 outputs. */
INLINE void transform_output(const float *m, int64_t step, vec y[4][4]) {
  vec half[6][4];
  for (int j = 0; j < 6; j++) {
    vec column[6];
    for (int i = 0; i < 6; i++) {
      column[i] = load(m + (6 * i + j) * step);
    }
    output_line(column, half[j]);
  }
  for (int i = 0; i < 4; i++) {
    vec line[6] = {half[0][i], half[1][i], half[2][i], half[3][i], half[4][i], half[5][i]};
    output_line(line, y[i]);
  }
}

/* A: four gradients of outputs to six. */
INLINE void spread_line(const vec y[4], vec z[6]) {
  vec even = mad(all(P2), y[2], y[0]), odd = mad(all(P3), y[3], all(P) * y[1]);
  z[0] = y[0];
  z[1] = even + odd;
  z[2] = even - odd;
  even = mad(all(Q2), y[2], y[0]);
  odd = mad(all(Q3), y[3], all(Q) * y[1]);
  z[3] = even + odd;
  z[4] = even - odd;
  z[5] = y[3];
}

/* A dy A' of 4x4 into 36 planes. */
INLINE void transform_gradient(const float *dy, int64_t row, float *to, int64_t step) {
  vec half[4][6];
  for (int j = 0; j < 4; j++) {
    vec column[4];
    for (int i = 0; i < 4; i++) {
      column[i] = load(dy + i * row + j * LANES);
    }
    spread_line(column, half[j]);
  }
  for (int i = 0; i < 6; i++) {
    vec line[4] = {half[0][i], half[1][i], half[2][i], half[3][i]}, z[6];
    spread_line(line, z);
    for (int j = 0; j < 6; j++) {
      store(to + (6 * i + j) * step, z[j]);
    }
  }
}

/* G: three taps of a kernel to six. */
INLINE void kernel_line(const vec w[3], vec u[6]) {
  vec even = mad(all(AT_P * P2), w[2], all(AT_P) * w[0]), odd = all(AT_P * P) * w[1];
  u[0] = all(AT_0) * w[0];
  u[1] = even + odd;
  u[2] = even - odd;
  even = mad(all(AT_Q * Q2), w[2], all(AT_Q) * w[0]);
  odd = all(AT_Q * Q) * w[1];
  u[3] = even + odd;
  u[4] = even - odd;
  u[5] = w[2];
}

/* G w G' of 3x3 taps, each `tap` further on, into 36 planes. */
INLINE void transform_kernel(const float *w, int64_t tap, float *to, int64_t step) {
  vec half[3][6];
  for (int j = 0; j < 3; j++) {
    vec column[3] = {load(w + j * tap), load(w + (3 + j) * tap), load(w + (6 + j) * tap)};
    kernel_line(column, half[j]);
  }
  for (int i = 0; i < 6; i++) {
    vec line[3] = {half[0][i], half[1][i], half[2][i]}, u[6];
    kernel_line(line, u);
    for (int j = 0; j < 6; j++) {
      store(to + (6 * i + j) * step, u[j]);
    }
  }
}

/* G': six products to three taps. */
INLINE void taps_line(const vec p[6], vec w[3]) {
  vec sum_p = p[1] + p[2], sum_q = p[3] + p[4];
  vec difference_p = p[1] - p[2], difference_q = p[3] - p[4];
  w[0] = mad(all(AT_0), p[0], mad(all(AT_P), sum_p, all(AT_Q) * sum_q));
  w[1] = mad(all(AT_P * P), difference_p, all(AT_Q * Q) * difference_q);
  w[2] = mad(all(AT_P * P2), sum_p, mad(all(AT_Q * Q2), sum_q, p[5]));
}

/* G' p G of 36 planes into 3x3 taps. */
INLINE void transform_taps(const float *p, int64_t step, float *w, int64_t tap) {
  vec half[6][3];
  for (int j = 0; j < 6; j++) {
    vec column[6];
    for (int i = 0; i < 6; i++) {
      column[i] = load(p + (6 * i + j) * step);
    }
    taps_line(column, half[j]);
  }
  for (int i = 0; i < 3; i++) {
    vec line[6] = {half[0][i], half[1][i], half[2][i], half[3][i], half[4][i], half[5][i]}, out[3];
    taps_line(line, out);
    for (int j = 0; j < 3; j++) {
      store(w + (3 * i + j) * tap, out[j]);
    }
  }
}

#endif
#endif
