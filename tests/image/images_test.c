/* The images of a list as rows, by several threads. */
#include "image/images.h"

#include <png.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/make.h"
#include "lib/fault.h"
#include "lib/test.h"

#define N 24

static void save(const char *root, const char *name, test_file f) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "wb");
  ASSERT_NOT_NULL(file);
  ASSERT_EQ_UINT(fwrite(f.bytes, 1, f.n, file), f.n);
  fclose(file);
  test_file_free(&f);
}

/* N images of many sizes in two classes; the tenth progressive and the largest. */
static const char *make_folder(void) {
  const char *root = test_path("images");
  char name[1024];
  ASSERT_EQ_INT(mkdir(root, 0700), 0);
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s/%c", root, "ab"[i]);
    ASSERT_EQ_INT(mkdir(name, 0700), 0);
  }
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "%c/%02d.%s", "ab"[i * 2 / N], i, i % 3 ? "jpg" : "png");
    test_jpeg jpeg = {.width = 20 + 5 * i, .height = 90 - 3 * i, .components = 3, .h = 2, .v = 2};
    jpeg.progressive = i == 10;
    jpeg.width = i == 10 ? 300 : jpeg.width;
    save(root, name,
         i % 3 ? test_make_jpeg(&jpeg)
               : test_make_png(&(test_png){30 + i, 40, PNG_COLOR_TYPE_RGB, 8, i == 6, false}));
  }
  return root;
}

typedef struct stand {
  snug_ctx *ctx;
  snug__image_list list;
  snug__survey survey;
  snug__images im;
} stand;

static void stand_up(stand *s, const char *root, const char *augment) {
  snug_ctx *ctx = s->ctx = test_ctx();
  snug__list_init(&s->list, ctx);
  ASSERT_OK(ctx, snug__list_folder(&s->list, root, true));
  ASSERT_OK(ctx, snug__images_survey(&s->list, 0, snug__list_count(&s->list), 2, &s->survey));
  s->im = (snug__images){.list = &s->list,
                         .recipe = snug__recipe_of(16, 16, 3),
                         .labels = SNUG__LABEL_INT,
                         .seed = 5,
                         .decode_bytes = s->survey.decode_bytes};
  ASSERT_OK(ctx, snug__augment_parse(ctx, augment, &s->im.recipe.augment));
  ASSERT_OK(ctx, snug__recipe_check(ctx, &s->im.recipe));
  ASSERT_OK(ctx, snug__readers_create(ctx, 2, &s->im.readers));
}

static void stand_down(stand *s) {
  snug__readers_destroy(s->im.readers);
  snug__list_release(&s->list);
}

TEST(surveys) {
  stand s;
  stand_up(&s, make_folder(), "");
  ASSERT_EQ_INT(s.survey.n_jpeg, 16);
  ASSERT_EQ_INT(s.survey.n_png, 8);
  ASSERT_EQ_INT(s.survey.n_whole, 2);
  ASSERT_EQ_INT(s.survey.n_bad, 0);
  ASSERT_EQ_INT(s.survey.largest, 10);
  ASSERT_EQ_INT(s.survey.most_width, 300);
  ASSERT_EQ_INT(s.survey.least_height, 21);
  stand_down(&s);
}

TEST(bad_files_are_surveyed) {
  const char *root = make_folder();
  char text[512];
  stand s;
  for (int i = 0; i < 12; i++) {
    char name[32];
    snprintf(name, sizeof name, "b/9%02d.jpg", i);
    save(root, name, (test_file){(uint8_t *)strdup("junk"), 4});
  }
  stand_up(&s, root, "");
  ASSERT_EQ_INT(s.survey.n_bad, 12);
  ASSERT_EQ_INT(s.survey.bad[0], N);
  ASSERT_EQ_INT(s.survey.bad[SNUG__SURVEY_BAD - 1], N + SNUG__SURVEY_BAD - 1);
  snug__images_trouble(&s.list, s.survey.bad[1], text, sizeof text);
  ASSERT_HAS(text, "/images/b/901.jpg is neither JPEG nor PNG");
  char few[48];
  snug__images_trouble(&s.list, s.survey.bad[1], few, sizeof few);
  ASSERT_EQ_UINT(strlen(few), sizeof few - 1); /* of a long path the end is left */
  ASSERT_TRUE(memcmp(few, "...", 3) == 0);
  ASSERT_HAS(few, "mages/b/901.jpg is neither JPEG nor PNG");
  snug__images_trouble(&s.list, 0, text, sizeof text);
  ASSERT_EQ_TEXT(text, "");
  snug__survey alone;
  ASSERT_OK(s.ctx, snug__images_survey(&s.list, 0, N + 12, 1, &alone));
  ASSERT_EQ_BYTES(&alone, &s.survey, sizeof alone);
  stand_down(&s);
}

/* ---- rows ---- */

typedef struct reading {
  const snug__images *im;
  float *images; /* of all rows */
  int32_t labels[N];
  int first, step;
  int failed;
} reading;

static void *read_some(void *arg) {
  reading *r = arg;
  size_t bytes = snug__images_scratch(r->im);
  void *scratch = malloc(bytes);
  char why[512];
  memset(scratch, 0, bytes);
  for (int i = r->first; i < N; i += r->step) {
    r->failed += snug__images_read(r->im, scratch, i, 3, r->images + i * 16 * 16 * 3, &r->labels[i],
                                   why, sizeof why) != SNUG_OK;
  }
  free(scratch);
  return NULL;
}

/* Four threads and two readers: the same samples as of one thread. */
TEST(rows_do_not_depend_on_threads) {
  stand s;
  reading readings[5];
  pthread_t threads[4];
  float *all = calloc(2 * N * 16 * 16 * 3, sizeof *all);
  stand_up(&s, make_folder(), "flip,rotation=0.1,zoom=0.2,brightness=0.1");
  readings[4] = (reading){.im = &s.im, .images = all, .step = 1};
  read_some(&readings[4]);
  ASSERT_EQ_INT(readings[4].failed, 0);
  for (int i = 0; i < 4; i++) {
    readings[i] = (reading){.im = &s.im, .images = all + N * 16 * 16 * 3, .first = i, .step = 4};
    ASSERT_EQ_INT(pthread_create(&threads[i], NULL, read_some, &readings[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    ASSERT_EQ_INT(readings[i].failed, 0);
  }
  ASSERT_EQ_BYTES(all, all + N * 16 * 16 * 3, N * 16 * 16 * 3 * sizeof *all);
  for (int i = 0; i < N; i++) {
    ASSERT_EQ_INT(readings[4].labels[i], i * 2 / N);
  }
  free(all);
  stand_down(&s);
}

TEST(rows_that_cannot_be_read) {
  const char *root = make_folder();
  stand s;
  float image[16 * 16 * 3];
  int32_t label = -1;
  char why[512], path[1024];
  stand_up(&s, root, "");
  void *scratch = calloc(1, snug__images_scratch(&s.im));
  ASSERT_EQ_INT(
      snug__images_read(&s.im, scratch, 23, SNUG__NO_EPOCH, NULL, &label, why, sizeof why),
      SNUG_OK);
  ASSERT_EQ_INT(label, 1);
  snprintf(path, sizeof path, "%s/b/23.jpg", root);
  ASSERT_EQ_INT(remove(path), 0);
  ASSERT_EQ_INT(snug__images_read(&s.im, scratch, 23, SNUG__NO_EPOCH, image, NULL, why, sizeof why),
                SNUG_E_IO);
  ASSERT_HAS(why, "/images/b/23.jpg cannot be opened: No such file");
  save(root, "b/23.jpg",
       test_make_jpeg(&(test_jpeg){
           .width = 900, .height = 900, .components = 3, .progressive = true})); /* it grew */
  ASSERT_EQ_INT(snug__images_read(&s.im, scratch, 23, SNUG__NO_EPOCH, image, NULL, why, sizeof why),
                SNUG_E_LIMIT);
  ASSERT_HAS(why, "/images/b/23.jpg does not come row by row: its 900x900 pixels need");
  snprintf(path, sizeof path, "%s/b/22.jpg", root);
  FILE *f = fopen(path, "r+");
  ASSERT_EQ_INT(ftruncate(fileno(f), 700), 0); /* it shrank */
  fclose(f);
  ASSERT_EQ_INT(snug__images_read(&s.im, scratch, 22, SNUG__NO_EPOCH, image, NULL, why, sizeof why),
                SNUG_E_FORMAT);
  ASSERT_HAS(why, "/images/b/22.jpg ends too early, in the middle of a JPEG");
  ASSERT_EQ_INT(snug__images_read(&s.im, scratch, 20, SNUG__NO_EPOCH, image, NULL, why, sizeof why),
                SNUG_OK);
  free(scratch);
  stand_down(&s);
}

static snug_status make_and_survey(snug_ctx *ctx, void *arg) {
  snug__image_list l;
  snug__readers *readers = NULL;
  snug__survey survey;
  snug__list_init(&l, ctx);
  snug_status s = snug__list_folder(&l, arg, true);
  s = s ? s : snug__images_survey(&l, 0, snug__list_count(&l), 1, &survey);
  s = s ? s : snug__readers_create(ctx, 3, &readers);
  snug__readers_destroy(readers);
  snug__list_release(&l);
  return s;
}

TEST(memory_faults) { test_fault_sweep(make_and_survey, (void *)(uintptr_t)make_folder()); }
