/* The colours of curves, light and dark: told apart from each other and from the paper, by all
 * eyes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"
#include "report/screen.h"
#include "snug/tools/report.h"

#define COLOURS 8

typedef double rgb[3]; /* linear light, 0 to 1 */

static void parse(const char *hex, rgb out) {
  long n = strtol(hex, NULL, 16);
  for (int i = 0; i < 3; i++) {
    double c = (double)(n >> (16 - 8 * i) & 255) / 255.0;
    out[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
  }
}

/* What an eye without one of its three kinds of cones makes of a colour (Machado, Oliveira and
 * Fernandes 2009, severity 1). */
static const double eyes[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                     {{0.152286, 1.052583, -0.204868},
                                      {0.114503, 0.786281, 0.099216},
                                      {-0.003882, -0.048116, 1.051998}},
                                     {{0.367322, 0.860646, -0.227968},
                                      {0.280085, 0.672501, 0.047413},
                                      {-0.011820, 0.042940, 0.968881}},
                                     {{1.255528, -0.076749, -0.178779},
                                      {-0.078411, 0.930809, 0.147602},
                                      {0.004733, 0.691367, 0.303900}}};

static double root(double t) { return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116.0; }

/* CIELAB: distances are as eyes see them; 2.3 is just seen. */
static void lab_of(const rgb colour, const double eye[3][3], double lab[3]) {
  double c[3];
  for (int i = 0; i < 3; i++) {
    c[i] = eye[i][0] * colour[0] + eye[i][1] * colour[1] + eye[i][2] * colour[2];
    c[i] = c[i] < 0.0 ? 0.0 : c[i] > 1.0 ? 1.0 : c[i];
  }
  double x = root((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
  double y = root(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
  double z = root((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
  lab[0] = 116.0 * y - 16.0;
  lab[1] = 500.0 * (x - y);
  lab[2] = 200.0 * (y - z);
}

static double distance(const rgb a, const rgb b, int eye) {
  double x[3], y[3];
  lab_of(a, eyes[eye], x);
  lab_of(b, eyes[eye], y);
  return sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
}

static double light(const rgb c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05; }

/* From a theme of the page on: its paper and its colours. */
static void check_theme(const char *theme) {
  rgb colours[COLOURS], paper;
  const char *back = strstr(theme, "--back:#");
  ASSERT_NOT_NULL(back);
  parse(strncmp(back + 8, "fff;", 4) == 0 ? "ffffff" : back + 8, paper);
  for (int i = 0; i < COLOURS; i++) {
    const char name[] = {'-', '-', 'c', (char)('0' + i), ':', '#', 0};
    const char *at = strstr(theme, name);
    ASSERT_NOT_NULL(at);
    parse(at + 6, colours[i]);
    double ratio = light(colours[i]) / light(paper);
    ASSERT_TRUE(fmax(ratio, 1.0 / ratio) >= 2.95); /* WCAG asks 3 of lines that tell something */
  }
  for (int i = 0; i < COLOURS; i++) {
    for (int k = 0; k < i; k++) {
      for (int eye = 0; eye < 4; eye++) {
        ASSERT_TRUE(distance(colours[i], colours[k], eye) >= 15.0);
      }
    }
  }
}

TEST(colours_are_told_apart_by_all_eyes) {
  static screen page;
  snug_page_begin(show, &page, "colours");
  char *dark = strstr(page.text, "prefers-color-scheme:dark");
  ASSERT_NOT_NULL(dark);
  check_theme(dark);
  *dark = 0;
  check_theme(page.text);
}
