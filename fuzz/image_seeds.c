/* Write small images of every kind, the seeds of image_fuzz.  Usage: image_seeds FOLDER */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "image/make.h"

static int failed = 0;

static void keep(const char *folder, const char *kind, int number, test_file file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%d.%s", folder, number, kind);
  FILE *f = fopen(path, "wb");
  failed |= !f || fwrite(file.bytes, 1, file.n, f) != file.n || fclose(f);
  test_file_free(&file);
}

static void write_jpegs(const char *folder) {
  int number = 0;
  for (int32_t components = 1; components <= 4; components += components == 1 ? 2 : 1) {
    for (int how = 0; how < 16; how++) {
      test_jpeg of = {.width = 33,
                      .height = 19,
                      .components = components,
                      .h = how & 1 ? 2 : 1,
                      .v = how & 1 ? 2 : 1,
                      .progressive = how & 2,
                      .arithmetic = how & 4,
                      .separate_scans = how & 8,
                      .ycck = components == 4 && how & 2,
                      .without_adobe = components == 4 && how & 4,
                      .restart = how & 8 ? 1 : 0};
      keep(folder, "jpg", number++, test_make_jpeg(&of));
    }
  }
}

static void write_pngs(const char *folder) {
  static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_PALETTE, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGBA, PNG_COLOR_TYPE_GRAY_ALPHA};
  for (int i = 0; i < 20; i++) {
    int type = types[i % 5];
    int bits = i < 10 ? 8 : type == PNG_COLOR_TYPE_PALETTE ? 4 : 16;
    keep(folder, "png", i,
         test_make_png(&(test_png){21, 17, type, bits, i / 5 % 2, i >= 15 && i % 5 < 3}));
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: image_seeds FOLDER\n");
    return 2;
  }
  write_jpegs(argv[1]);
  write_pngs(argv[1]);
  return failed;
}
