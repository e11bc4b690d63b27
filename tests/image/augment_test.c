/* Augmentation: what users write, what is drawn, and what is done to pixels. */
#include "image/augment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

/* ---- the text ---- */

static snug__augment_step parse_one(const char *text) {
  snug_ctx *ctx = test_ctx();
  snug__augment a;
  ASSERT_OK(ctx, snug__augment_parse(ctx, text, &a));
  ASSERT_EQ_INT(a.n, 1);
  return a.steps[0];
}

TEST(nothing_is_a_list) {
  snug_ctx *ctx = test_ctx();
  snug__augment a;
  ASSERT_OK(ctx, snug__augment_parse(ctx, NULL, &a));
  ASSERT_EQ_INT(a.n, 0);
  ASSERT_OK(ctx, snug__augment_parse(ctx, "", &a));
  ASSERT_EQ_INT(a.n, 0);
}

TEST(lists_keep_their_order) {
  snug_ctx *ctx = test_ctx();
  snug__augment a;
  int32_t height = 0, width = 0;
  ASSERT_OK(
      ctx,
      snug__augment_parse(
          ctx, "flip, zoom=0.1,rotation(factor=[-0.1,0.2], fill_mode=constant),crop=20x30", &a));
  ASSERT_EQ_INT(a.n, 4);
  ASSERT_EQ_INT(a.steps[0].kind, SNUG__FLIP);
  ASSERT_EQ_INT(a.steps[1].kind, SNUG__ZOOM);
  ASSERT_EQ_INT(a.steps[2].kind, SNUG__ROTATION);
  ASSERT_EQ_INT(a.steps[2].fill_mode, SNUG__FILL_CONSTANT);
  ASSERT_NEAR(a.steps[2].low[0], -0.1, 0);
  ASSERT_NEAR(a.steps[2].high[0], 0.2, 0);
  ASSERT_TRUE(snug__augment_moves(&a));
  ASSERT_TRUE(snug__augment_crop(&a, &height, &width));
  ASSERT_EQ_INT(height, 20);
  ASSERT_EQ_INT(width, 30);
}

TEST(factors_are_kerass) {
  snug__augment_step s = parse_one("rotation=-0.25");
  ASSERT_NEAR(s.low[0], -0.25, 0);
  ASSERT_NEAR(s.high[0], 0.25, 0);
  ASSERT_EQ_INT(s.fill_mode, SNUG__FILL_REFLECT);
  ASSERT_EQ_INT(s.interpolation, SNUG__BILINEAR);
  s = parse_one("translation(height_factor=0.1,width_factor=[0.2,0.3],interpolation=nearest)");
  ASSERT_NEAR(s.low[0], -0.1, 0);
  ASSERT_NEAR(s.low[1], 0.2, 0);
  ASSERT_NEAR(s.high[1], 0.3, 0);
  ASSERT_EQ_INT(s.interpolation, SNUG__NEAREST);
  s = parse_one("zoom=[0.3,-0.5]");
  ASSERT_NEAR(s.low[0], -0.5, 0);
  ASSERT_NEAR(s.high[0], 0.3, 0);
  ASSERT_TRUE(s.is_tied);
  ASSERT_FALSE(parse_one("zoom(height_factor=0.1,width_factor=0.1)").is_tied);
  s = parse_one("contrast=0.2");
  ASSERT_NEAR(s.low[0], 0.8, 1e-15);
  ASSERT_NEAR(s.high[0], 1.2, 1e-15);
  s = parse_one("contrast=[0.1,0.3]");
  ASSERT_NEAR(s.low[0], 0.9, 1e-15);
  ASSERT_NEAR(s.high[0], 1.3, 1e-15);
  s = parse_one("brightness(factor=0.5,value_range=[0,1])");
  ASSERT_NEAR(s.range[1], 1.0, 0);
  ASSERT_EQ_INT(parse_one("flip=vertical").flip, SNUG__FLIP_VERTICAL);
  ASSERT_EQ_INT(parse_one("flip=horizontal_and_vertical").flip, SNUG__FLIP_BOTH);
  ASSERT_EQ_INT(parse_one("flip").flip, SNUG__FLIP_HORIZONTAL);
}

TEST(wrong_texts_say_why) {
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"flop", "there is no 'flop'; steps are flip, rotation"},
      {"zoom", "zoom wants a number or two, as zoom=0.1"},
      {"zoom=1.5", "zoom=1.5 is outside of (-1, 1]"},
      {"zoom=-1", "zoom=-1 is outside of (-1, 1]"},
      {"rotation=[-2,0]", "rotation=-2 is outside of [-1, 1]"},
      {"contrast=-0.1", "contrast=-0.1 is outside of [0, 1]"},
      {"rotation=[1,0,1]", "rotation wants a number or two"},
      {"rotation=fast", "augment: rotation: factor=fast: expected"},
      {"rotation(speed=1)", "there is no 'speed' here; known: factor, fill_mode"},
      {"rotation(factor=0.1", "there is no 'rotation(factor=0.1'"},
      {"rotation(factor=0.1,fill_mode=black)", "expected one of reflect, wrap, constant, nearest"},
      {"flip=sideways", "flip: mode=sideways: expected"},
      {"zoom(factor=0.1,width_factor=0.2)", "zoom has a factor and one for an axis"},
      {"translation(height_factor=0.1)", "translation wants a number or two"},
      {"crop", "augment: crop: size must be given"},
      {"crop=20", NULL},
      {"crop=axb", "'axb' is not a size; write HEIGHTxWIDTH"},
      {"crop=2x2,crop=1x1", "images are cropped twice"},
      {"brightness(factor=0.1,value_range=[1,0])", "value_range of brightness is two numbers"},
      {"flip,", "ends with a comma"},
      {"flip,,flip", "a step that is empty"},
      {"flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip,flip",
       "more than 16"}};
  snug_ctx *ctx = test_ctx();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snug__augment a;
    snug_status s = snug__augment_parse(ctx, cases[i].text, &a);
    if (cases[i].part) {
      ASSERT_STATUS(ctx, s, SNUG_E_ARGUMENT, cases[i].part);
    } else {
      ASSERT_OK(ctx, s);
    }
  }
}

/* ---- what is drawn ---- */

TEST(draws_depend_on_seed_epoch_sample_and_step) {
  snug_ctx *ctx = test_ctx();
  snug__augment a;
  ASSERT_OK(ctx, snug__augment_parse(ctx, "brightness=0.5,brightness=0.5", &a));
  static const uint64_t keys[][3] = {{1, 2, 3}, {1, 2, 3}, {4, 2, 3}, {1, 4, 3}, {1, 2, 4}};
  float first[5];
  for (int i = 0; i < 5; i++) {
    float pixels[3] = {100, 110, 120};
    snug__canvas c = {1, 1, 3, pixels, NULL};
    snug__augment one = a;
    one.n = 1;
    snug__augment_run(&one, keys[i][0], keys[i][1], keys[i][2], &c);
    first[i] = pixels[0];
    snug__augment_run(&a, keys[i][0], keys[i][1], keys[i][2], &c);
    ASSERT_TRUE(fabsf(pixels[0] - first[i]) > 1e-3F); /* the second step draws anew */
  }
  ASSERT_TRUE(first[0] == first[1]);
  ASSERT_TRUE(first[0] != first[2] && first[0] != first[3] && first[0] != first[4]);
}

/* Over many samples draws fill their range, half of the flips happen, all places are cropped. */
TEST(draws_fill_their_range) {
  snug__augment_step rotation = parse_one("rotation=[-0.1,0.3]"), flip = parse_one("flip");
  snug__augment_step crop = parse_one("crop=3x2");
  float least = 1e9F, most = -1e9F;
  int flips = 0, seen[4][5] = {{0}};
  for (uint64_t i = 0; i < 4000; i++) {
    snug__noise noise = {.key = snug__noise_key(7, 0, 0), .sample = i, .block = -1};
    double unit[2] = {snug__noise_unit(&noise, 0), snug__noise_unit(&noise, 1)};
    snug__augment_draw d = snug__augment_drawn(&rotation, unit, 10, 10);
    float angle = atan2f(d.affine.m[3], d.affine.m[0]) / 6.2831853F;
    least = fminf(least, angle);
    most = fmaxf(most, angle);
    flips += snug__augment_drawn(&flip, unit, 10, 10).flips;
    d = snug__augment_drawn(&crop, unit, 6, 6);
    ASSERT_TRUE(d.top >= 0 && d.top <= 3 && d.left >= 0 && d.left <= 4);
    seen[d.top][d.left]++;
  }
  ASSERT_NEAR(least, -0.1, 2e-3);
  ASSERT_NEAR(most, 0.3, 2e-3);
  ASSERT_NEAR(flips, 2000, 150);
  for (int i = 0; i < 20; i++) {
    ASSERT_NEAR(seen[i / 5][i % 5], 200, 80);
  }
}

/* ---- what is done ---- */

static void fill(float *pixels, int n) {
  for (int i = 0; i < n; i++) {
    pixels[i] = (float)(i + 1);
  }
}

/* A row of four, read from -8 to 11. */
static void check_mode(const char *text, const char *want) {
  char got[64] = "";
  snug__augment_step s = parse_one(text);
  for (int at = -8; at < 12; at++) {
    float pixels[4] = {1, 2, 3, 4}, moved[4];
    snug__affine a = {
        {1, 0, (float)at, 0, 1, 0}, s.interpolation, s.fill_mode, (float)s.fill_value};
    snug__affine_apply(&a, 1, 4, 1, pixels, moved);
    snprintf(got + strlen(got), sizeof got - strlen(got), "%d", (int)moved[0]);
  }
  ASSERT_EQ_TEXT(got, want);
}

TEST(fill_modes) {
  check_mode("rotation(factor=0,fill_mode=reflect)", "12344321123443211234");
  check_mode("rotation(factor=0,fill_mode=nearest)", "11111111123444444444");
  check_mode("rotation(factor=0,fill_mode=constant,fill_value=7)", "77777777123477777777");
  check_mode("rotation(factor=0,fill_mode=reflect,interpolation=nearest)", "12344321123443211234");
}

/* Wrapping has the period that TensorFlow gives it, near the image. */
TEST(wrapping_near_the_image) {
  float pixels[4] = {1, 2, 3, 4}, moved[4];
  snug__affine a = {{1, 0, -2, 0, 1, 0}, SNUG__NEAREST, SNUG__FILL_WRAP, 0.0F};
  snug__affine_apply(&a, 1, 4, 1, pixels, moved);
  ASSERT_EQ_BYTES(moved, ((float[]){3, 4, 1, 2}), sizeof moved);
  a.m[2] = 2;
  snug__affine_apply(&a, 1, 4, 1, pixels, moved);
  ASSERT_EQ_BYTES(moved, ((float[]){3, 4, 1, 2}), sizeof moved);
}

TEST(coordinates_that_are_no_numbers) {
  float pixels[4] = {1, 2, 3, 4}, moved[4];
  for (int mode = SNUG__FILL_REFLECT; mode <= SNUG__FILL_NEAREST; mode++) {
    for (int method = SNUG__NEAREST; method <= SNUG__BILINEAR; method++) {
      snug__affine a = {{INFINITY, NAN, 1e30F, -INFINITY, 1e38F, -1e38F},
                        (snug__interpolation)method,
                        (snug__fill_mode)mode,
                        5.0F};
      snug__affine_apply(&a, 2, 2, 1, pixels, moved);
    }
  }
}

TEST(flips) {
  float pixels[12];
  snug__canvas c = {2, 3, 2, pixels, NULL};
  snug__augment_draw yes = {.flips = true}, no = {.flips = false};
  snug__augment_step s = parse_one("flip");
  fill(pixels, 12);
  snug__augment_apply(&s, &no, &c);
  ASSERT_EQ_BYTES(pixels, ((float[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), sizeof pixels);
  snug__augment_apply(&s, &yes, &c);
  ASSERT_EQ_BYTES(pixels, ((float[]){5, 6, 3, 4, 1, 2, 11, 12, 9, 10, 7, 8}), sizeof pixels);
  s = parse_one("flip=vertical");
  fill(pixels, 12);
  snug__augment_apply(&s, &yes, &c);
  ASSERT_EQ_BYTES(pixels, ((float[]){7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6}), sizeof pixels);
  s = parse_one("flip=horizontal_and_vertical");
  fill(pixels, 12);
  snug__augment_apply(&s, &yes, &c);
  ASSERT_EQ_BYTES(pixels, ((float[]){11, 12, 9, 10, 7, 8, 5, 6, 3, 4, 1, 2}), sizeof pixels);
}

TEST(colors_and_crops) {
  float pixels[12];
  snug__canvas c = {2, 2, 3, pixels, NULL};
  snug__augment_step s = parse_one("contrast(factor=0.5,value_range=[0,12])");
  snug__augment_draw d = {.factor = 2.0F};
  fill(pixels, 12);
  snug__augment_apply(&s, &d, &c); /* means 5.5, 6.5 and 7.5 */
  ASSERT_EQ_BYTES(pixels, ((float[]){0, 0, 0, 2.5, 3.5, 4.5, 8.5, 9.5, 10.5, 12, 12, 12}),
                  sizeof pixels);
  s = parse_one("brightness(factor=0.5,value_range=[0,10])");
  d = snug__augment_drawn(&s, (double[]){0.9, 0.0}, 2, 2);
  ASSERT_NEAR(d.delta, 4.0, 1e-6);
  fill(pixels, 12);
  snug__augment_apply(&s, &d, &c);
  ASSERT_NEAR(pixels[0], 5.0, 1e-6);
  ASSERT_NEAR(pixels[11], 10.0, 0);
  s = parse_one("crop=2x1");
  fill(pixels, 12);
  snug__augment_apply(&s, &(snug__augment_draw){.top = 0, .left = 1}, &c);
  ASSERT_EQ_BYTES(pixels, ((float[]){4, 5, 6, 10, 11, 12}), 6 * sizeof *pixels);
  ASSERT_EQ_INT(c.height, 2);
  ASSERT_EQ_INT(c.width, 1);
}

/* A quarter of a turn of a square, to the pixel. */
TEST(rotation_by_a_quarter) {
  float pixels[9], spare[9];
  snug__canvas c = {3, 3, 1, pixels, spare};
  snug__augment_step s = parse_one("rotation=[0.25,0.25]");
  snug__augment_draw d = snug__augment_drawn(&s, (double[]){0.3, 0.0}, 3, 3);
  fill(pixels, 9);
  snug__augment_apply(&s, &d, &c);
  ASSERT_TRUE(c.pixels == spare);
  static const float want[9] = {3, 6, 9, 2, 5, 8, 1, 4, 7};
  for (int i = 0; i < 9; i++) {
    ASSERT_NEAR(c.pixels[i], want[i], 1e-5);
  }
}

/* All of a pixel at once is the same as one number after the other: channel k of an image of three
 * or four is what an image of that channel alone becomes. */
TEST(channels_do_not_meet) {
  enum { H = 9, W = 7 };
  static const float m[][6] = {{1, 0, 0, 0, 1, 0},
                               {0.9F, 0.2F, -1.5F, -0.2F, 0.9F, 2.0F},
                               {1, 0, 0.5F, 0, 1, 0.25F},
                               {-1, 0, W - 1, 0, -1, H - 1},
                               {3, 1, -9, 1, 3, -9}};
  for (int32_t channels = 3; channels <= 4; channels++) {
    for (int k = 0; k < 5 * 8; k++) {
      float src[H * W * 4], one[H * W], moved[H * W * 4], alone[H * W];
      test_random_floats(src, (size_t)(H * W * channels), 0.0F, 255.0F);
      snug__affine a = {{0}, (snug__interpolation)(k / 5 % 2), (snug__fill_mode)(k / 10), 9.0F};
      memcpy(a.m, m[k % 5], sizeof a.m);
      snug__affine_apply(&a, H, W, channels, src, moved);
      for (int32_t c = 0; c < channels; c++) {
        for (int i = 0; i < H * W; i++) {
          one[i] = src[i * channels + c];
        }
        snug__affine_apply(&a, H, W, 1, one, alone);
        for (int i = 0; i < H * W; i++) {
          ASSERT_TRUE(moved[i * channels + c] == alone[i]);
        }
      }
    }
  }
}
