/* A folder of images as the data of a fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/make.h"
#include "lib/fault.h"
#include "lib/mallocs.h"
#include "lib/test.h"

#define PER_CLASS 9

static void write_file(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  ASSERT_EQ_UINT(fwrite(bytes, 1, n, f), n);
  ASSERT_EQ_INT(fclose(f), 0);
}

/* "folder/cat/3.jpg", ... of mixed sizes; dogs are PNG. */
static const char *make_folder(void) {
  static char root[512];
  char path[600];
  snprintf(root, sizeof root, "%s", test_path("photos"));
  mkdir(root, 0777);
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", root, k ? "dog" : "cat");
    mkdir(path, 0777);
    for (int i = 0; i < PER_CLASS; i++) {
      test_jpeg jpeg = {.width = 20 + 3 * i, .height = 31 - i, .components = 3, .h = 2, .v = 2};
      test_png png = {.width = 12 + i, .height = 17 + 2 * i, .type = 2, .bits = 8};
      test_file f = k ? test_make_png(&png) : test_make_jpeg(&jpeg);
      snprintf(path, sizeof path, "%s/%s/%d.%s", root, k ? "dog" : "cat", i, k ? "png" : "jpg");
      write_file(path, f.bytes, f.n);
      test_file_free(&f);
    }
  }
  return root;
}

static snug_status open_folder(snug_ctx *ctx, const char *path, const snug_image_options *images,
                               snug_arrays **out) {
  snug_arrays_options o = {.struct_size = sizeof o, .images = images};
  return snug_arrays_open_with(ctx, &path, 1, &o, out);
}

/* What Rescaling and Normalization would do to the same samples. */
TEST(rescaled_and_normalized) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *plain = NULL, *changed = NULL;
  const char *folder = make_folder();
  snug_image_options o = {.struct_size = sizeof o, .size = "8"};
  const snug_array *x = NULL, *y = NULL;
  ASSERT_OK(ctx, open_folder(ctx, folder, &o, &plain));
  o.rescale = "1/127.5,-1";
  o.normalize = "mean=[0.1,0.2,-0.3], variance=[4,0.25,1]";
  ASSERT_OK(ctx, open_folder(ctx, folder, &o, &changed));
  ASSERT_OK(ctx, snug_arrays_get(plain, "x", &x));
  ASSERT_OK(ctx, snug_arrays_get(changed, "x", &y));
  for (int i = 0; i < 2 * PER_CLASS * 8 * 8 * 3; i++) {
    static const double mean[] = {0.1, 0.2, -0.3}, root[] = {2.0, 0.5, 1.0};
    double rescaled = (double)((const float *)x->data)[i] / 127.5 - 1.0;
    ASSERT_NEAR(((const float *)y->data)[i], (rescaled - mean[i % 3]) / root[i % 3], 1e-5);
  }
  snug_arrays_destroy(plain);
  snug_arrays_destroy(changed);
  o.normalize = "mean=[0.1,0.2], variance=[1,1]";
  ASSERT_STATUS(ctx, open_folder(ctx, folder, &o, &plain), SNUG_E_ARGUMENT,
                "2 means and 2 variances for 3 channels");
  o.normalize = "mean=[0.1,0.2,0.3]";
  ASSERT_STATUS(ctx, open_folder(ctx, folder, &o, &plain), SNUG_E_ARGUMENT, "variance");
}

TEST(samples_of_bytes) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *plain = NULL, *bytes = NULL;
  const char *folder = make_folder();
  snug_image_options o = {.struct_size = sizeof o, .size = "8"};
  const snug_array *x = NULL, *y = NULL;
  ASSERT_OK(ctx, open_folder(ctx, folder, &o, &plain));
  o.dtype = "uint8";
  ASSERT_OK(ctx, open_folder(ctx, folder, &o, &bytes));
  ASSERT_OK(ctx, snug_arrays_get(plain, "x", &x));
  ASSERT_OK(ctx, snug_arrays_get(bytes, "x", &y));
  ASSERT_EQ_INT(y->dtype, SNUG_UINT8);
  for (int i = 0; i < 2 * PER_CLASS * 8 * 8 * 3; i++) {
    ASSERT_NEAR(((const uint8_t *)y->data)[i], ((const float *)x->data)[i], 0.5);
  }
  snug_arrays_destroy(plain);
  snug_arrays_destroy(bytes);
  o.rescale = "1/255";
  ASSERT_STATUS(ctx, open_folder(ctx, folder, &o, &plain), SNUG_E_ARGUMENT,
                "cannot be rescaled or normalized; take float32");
  o.dtype = "int8";
  ASSERT_STATUS(ctx, open_folder(ctx, folder, &o, &plain), SNUG_E_ARGUMENT,
                "'int8' is not one of float32, uint8");
}

TEST(images_and_labels) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_image_options o = {
      .struct_size = sizeof o, .size = "8x10", .labels = "categorical", .rescale = "1/255"};
  ASSERT_OK(ctx, open_folder(ctx, make_folder(), &o, &a));
  const snug_array *x = snug_arrays_find(a, "x"), *y = snug_arrays_find(a, "y");
  ASSERT_EQ_INT(x->rank, 4);
  ASSERT_TRUE(x->shape[0] == 2 * PER_CLASS && x->shape[1] == 8 && x->shape[2] == 10 &&
              x->shape[3] == 3);
  ASSERT_EQ_INT(x->dtype, SNUG_FLOAT32);
  ASSERT_TRUE(y->rank == 2 && y->shape[1] == 2 && y->dtype == SNUG_FLOAT32);
  ASSERT_NULL(snug_arrays_find(a, "x_val"));
  ASSERT_EQ_TEXT(snug_arrays_class(a, 0), "cat");
  ASSERT_EQ_TEXT(snug_arrays_class(a, 1), "dog");
  ASSERT_NULL(snug_arrays_class(a, 2));
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  for (int i = 0; i < 2 * PER_CLASS * 8 * 10 * 3; i++) {
    float v = ((const float *)x->data)[i];
    ASSERT_TRUE(v >= 0.0f && v <= 1.0f);
  }
  snug_arrays_destroy(a);
}

TEST(where_the_time_goes_is_told_if_it_is_asked_for) {
  static const char *const names[] = {"files", "decode", "resize", "change"};
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_image_options o = {.struct_size = sizeof o, .size = "8", .rescale = "1/255", .timed = true};
  const snug_array *x = NULL;
  snug_stage stages[5] = {{"", -1.0}, {"", -1.0}, {"", -1.0}, {"", -1.0}, {"none", -1.0}};
  ASSERT_OK(ctx, open_folder(ctx, make_folder(), &o, &a));
  ASSERT_EQ_UINT(snug_arrays_stages(a, stages, 5), 4);
  ASSERT_TRUE(stages[1].seconds == 0.0); /* what was decoded to make ready does not count */
  ASSERT_OK(ctx, snug_arrays_get(a, "x", &x));
  ASSERT_EQ_UINT(snug_arrays_stages(a, stages, 5), 4);
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ_TEXT(stages[i].name, names[i]);
    ASSERT_TRUE(stages[i].seconds > 0.0 && stages[i].seconds < 60.0);
  }
  ASSERT_EQ_TEXT(stages[4].name, "none");
  snug_arrays_destroy(a);
  o.timed = false;
  ASSERT_OK(ctx, open_folder(ctx, make_folder(), &o, &a));
  ASSERT_EQ_UINT(snug_arrays_stages(a, stages, 5), 0);
  snug_arrays_destroy(a);
}

/* As Keras has them: (n, 1) of float32. */
TEST(labels_of_two_classes) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const snug_array *y = NULL;
  snug_image_options o = {.struct_size = sizeof o, .size = "8", .labels = "binary"};
  ASSERT_OK(ctx, open_folder(ctx, make_folder(), &o, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "y", &y));
  ASSERT_TRUE(y->rank == 2 && y->shape[1] == 1 && y->dtype == SNUG_FLOAT32);
  int ones = 0;
  for (int i = 0; i < 2 * PER_CLASS; i++) {
    float label = ((const float *)y->data)[i];
    ASSERT_TRUE(label == 0.0f || label == 1.0f);
    ones += label == 1.0f;
  }
  ASSERT_EQ_INT(ones, PER_CLASS);
  snug_arrays_destroy(a);
}

TEST(a_split_is_of_files) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_image_options o = {.struct_size = sizeof o, .size = "8", .validation_split = 0.3, .seed = 7};
  const snug_array *y = NULL, *y_val = NULL;
  int64_t dogs = 0;
  ASSERT_OK(ctx, open_folder(ctx, make_folder(), &o, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "y", &y));
  ASSERT_OK(ctx, snug_arrays_get(a, "y_val", &y_val));
  ASSERT_EQ_INT(y->shape[0], 13); /* int(0.3 * 18) are held back */
  ASSERT_EQ_INT(y_val->shape[0], 5);
  for (int i = 0; i < 18; i++) {
    dogs += i < 13 ? ((const int32_t *)y->data)[i] : ((const int32_t *)y_val->data)[i - 13];
  }
  ASSERT_EQ_INT(dogs, PER_CLASS);
  snug_arrays_destroy(a);
}

TEST(bad_options_and_folders_are_told) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const char *folder = make_folder();
  ASSERT_STATUS(
      ctx,
      open_folder(ctx, folder,
                  &(snug_image_options){.struct_size = sizeof(snug_image_options), .size = "ax3"},
                  &a),
      SNUG_E_ARGUMENT, "image size");
  ASSERT_STATUS(
      ctx,
      open_folder(
          ctx, folder,
          &(snug_image_options){.struct_size = sizeof(snug_image_options), .augment = "spin"}, &a),
      SNUG_E_ARGUMENT, "spin");
  ASSERT_STATUS(
      ctx,
      open_folder(
          ctx, folder,
          &(snug_image_options){.struct_size = sizeof(snug_image_options), .labels = "some"}, &a),
      SNUG_E_ARGUMENT, "labels");
  const char *empty = test_path("empty");
  mkdir(empty, 0777);
  ASSERT_STATUS(ctx, open_folder(ctx, empty, NULL, &a), SNUG_E_DATA, "empty");
  char cats[600];
  snprintf(cats, sizeof cats, "%s/cat", folder);
  ASSERT_STATUS(ctx, open_folder(ctx, cats, NULL, &a), SNUG_E_DATA,
                "photos/cat: has no folders in it; images are in a folder per class");
  ASSERT_NULL(a);
}

/* Looked at when the folder is opened; nothing is taken for it. */
TEST(a_huge_image_is_refused_by_its_name) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  char path[600];
  const char *folder = make_folder();
  test_file f = test_make_png(&(test_png){.width = 16, .height = 16, .type = 2, .bits = 8});
  static const uint8_t size[8] = {0, 0, 60000 >> 8, 60000 & 255, 0, 0, 60000 >> 8, 60000 & 255};
  memcpy(f.bytes + 16, size, sizeof size);
  snprintf(path, sizeof path, "%s/dog/5.png", folder);
  write_file(path, f.bytes, f.n);
  test_file_free(&f);
  ASSERT_STATUS(ctx, open_folder(ctx, folder, NULL, &a), SNUG_E_DATA,
                "1 of 18 images cannot be read; the first: ");
  ASSERT_HAS(snug_message(ctx), "photos/dog/5.png says it is 60000x60000 pixels large");
}

/* ---- training ---- */

static snug_model *model_of(snug_ctx *ctx) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options how = {
      .struct_size = sizeof how, .optimizer = "sgd", .loss = &loss, .n_loss = 1};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "in", SNUG_FLOAT32, (const int64_t[]){8, 8, 3}, 3);
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=2 activation=softmax");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}

typedef struct outcome {
  float kernel[8 * 8 * 3 * 2];
  double val_loss;
  snug_data_report data;
} outcome;

static snug_status train(snug_ctx *ctx, const char *folder, const snug_image_options *images,
                         int32_t workers, bool skips, outcome *out) {
  snug_model *m = model_of(ctx);
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data), validation = SNUG_INIT(snug_data);
  snug_source source = SNUG_INIT(snug_source), validation_source = SNUG_INIT(snug_source);
  snug_history *h = NULL;
  snug_fit_options o = {
      .struct_size = sizeof o, .batch_size = 4, .epochs = 2, .validation_data = &validation};
  snug_status s = open_folder(ctx, folder, images, &a);
  s = s ? s : snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data);
  s = s ? s : snug_arrays_data(a, m, SNUG_PART_VALIDATION, true, &validation);
  if (!s) {
    source = *data.source;
    validation_source = *validation.source;
    source.workers = validation_source.workers = workers;
    source.skip_bad = validation_source.skip_bad = skips;
    data.source = &source;
    validation.source = &validation_source;
    s = snug_fit(m, &data, &o, &h);
  }
  if (!s) {
    snug_memory_report memory = SNUG_INIT(snug_memory_report);
    snug_weight_info w = SNUG_INIT(snug_weight_info);
    snug_logs logs = snug_history_logs(h, 1);
    snug_history_memory(h, &memory);
    ASSERT_EQ_UINT(memory.planned, memory.measured);
    out->data = (snug_data_report)SNUG_INIT(snug_data_report);
    snug_history_data(h, &out->data);
    out->val_loss = snug_logs_get(&logs, "val_loss");
    ASSERT_OK(ctx, snug_model_weight_info(m, 0, &w));
    ASSERT_OK(ctx, snug_model_weight_get(m, w.name, out->kernel, sizeof out->kernel));
  }
  snug_history_destroy(h);
  snug_arrays_destroy(a);
  snug_model_destroy(m);
  return s;
}

TEST(the_same_training_with_any_number_of_workers) {
  static const int32_t workers[] = {-1, 1, 8};
  outcome first, other;
  const char *folder = make_folder();
  snug_image_options o = {.struct_size = sizeof o,
                          .size = "8",
                          .rescale = "1/255",
                          .augment = "flip,rotation=0.1,zoom=0.2,contrast=0.1",
                          .validation_split = 0.3,
                          .seed = 3};
  snug_ctx *ctx = test_ctx();
  for (int i = 0; i < 3; i++) {
    ASSERT_OK(ctx, train(ctx, folder, &o, workers[i], false, i ? &other : &first));
    if (i) {
      ASSERT_EQ_BYTES(first.kernel, other.kernel, sizeof first.kernel);
      ASSERT_NEAR(first.val_loss, other.val_loss, 0);
    }
  }
  o.augment = NULL;
  ASSERT_OK(ctx, train(ctx, folder, &o, 1, false, &other));
  ASSERT_TRUE(memcmp(first.kernel, other.kernel, sizeof first.kernel) != 0);
}

/* Keras reads them, and counts them among the images of a folder; here they are told before
 * anything is trained, with what to do. */
TEST(images_of_other_formats) {
  static const char *const files[][3] = {{"gif", "GIF89a.....", "is a GIF; convert it"},
                                         {"bmp", "BM.........", "is a BMP; convert it"}};
  snug_ctx *ctx = test_ctx();
  for (int i = 0; i < 2; i++) {
    outcome out;
    char path[600], told[600];
    const char *folder = make_folder();
    snug_image_options o = {
        .struct_size = sizeof o, .size = "8", .validation_split = 0.3, .seed = 3};
    snprintf(path, sizeof path, "%s/dog/other.%s", folder, files[i][0]);
    write_file(path, files[i][1], strlen(files[i][1]));
    ASSERT_STATUS(ctx, train(ctx, folder, &o, 2, false, &out), SNUG_E_DATA,
                  "1 of 19 images cannot be read; the first: ");
    snprintf(told, sizeof told, "photos/dog/other.%s %s to JPEG or PNG", files[i][0], files[i][2]);
    ASSERT_HAS(snug_message(ctx), told);
    ASSERT_HAS(snug_message(ctx), "skip_bad of snug_image_options");
    o.skip_bad = true;
    ASSERT_OK(ctx, train(ctx, folder, &o, 2, true, &out));
    ASSERT_EQ_INT(out.data.skipped, 2); /* once in each epoch */
    ASSERT_HAS(out.data.first_skipped, told);
    ASSERT_EQ_INT(remove(path), 0);
  }
}

/* A file with a good header that breaks off, and one that is no image at all. */
TEST(broken_images) {
  snug_ctx *ctx = test_ctx();
  outcome out;
  char path[600];
  const char *folder = make_folder();
  snug_image_options o = {.struct_size = sizeof o, .size = "8", .validation_split = 0.3, .seed = 3};
  test_file f =
      test_make_jpeg(&(test_jpeg){.width = 300, .height = 300, .components = 3, .h = 1, .v = 1});
  snprintf(path, sizeof path, "%s/cat/4.jpg", folder);
  write_file(path, f.bytes, f.n / 2);
  test_file_free(&f);
  ASSERT_STATUS(ctx, train(ctx, folder, &o, 2, false, &out), SNUG_E_FORMAT, "photos/cat/4.jpg ");
  ASSERT_OK(ctx, train(ctx, folder, &o, 2, true, &out));
  ASSERT_TRUE(out.data.skipped == 2);
  ASSERT_HAS(out.data.first_skipped, "photos/cat/4.jpg ");
  snprintf(path, sizeof path, "%s/dog/2.png", folder);
  write_file(path, "none", 4);
  ASSERT_STATUS(ctx, train(ctx, folder, &o, 2, true, &out), SNUG_E_DATA,
                "1 of 18 images cannot be read; the first: ");
  ASSERT_HAS(snug_message(ctx), "photos/dog/2.png ");
  o.skip_bad = true;
  ASSERT_OK(ctx, train(ctx, folder, &o, 2, true, &out));
  ASSERT_TRUE(out.data.skipped >= 4);
}

/* Files that go, or become others, while they are trained on. */
static bool damage_files(void *user, int64_t batch, const snug_logs *logs) {
  const char *folder = user;
  char path[600];
  (void)batch;
  (void)logs;
  for (int i = 0; i < PER_CLASS; i++) {
    snprintf(path, sizeof path, "%s/cat/%d.jpg", folder, i);
    unlink(path);
    snprintf(path, sizeof path, "%s/dog/%d.png", folder, i);
    write_file(path, "none", 4);
  }
  return true;
}

TEST(images_that_go_are_told) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  snug_history *h = NULL;
  static char folder[512];
  snprintf(folder, sizeof folder, "%s", make_folder());
  snug_callback damages = {
      .struct_size = sizeof damages, .user = folder, .batch_end = damage_files};
  snug_fit_options o = {.struct_size = sizeof o,
                        .batch_size = 4,
                        .epochs = 4,
                        .callbacks = &damages,
                        .n_callbacks = 1};
  snug_model *m = model_of(ctx);
  ASSERT_OK(ctx,
            open_folder(
                ctx, folder,
                &(snug_image_options){.struct_size = sizeof(snug_image_options), .size = "8"}, &a));
  ASSERT_OK(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data));
  ASSERT_TRUE(snug_fit(m, &data, &o, &h) != SNUG_OK);
  ASSERT_HAS(snug_message(ctx), "photos/");
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}

TEST(a_list_of_images) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  const char *folder = make_folder(), *list = test_path("list.txt");
  char text[2048];
  const snug_array *y = NULL;
  snprintf(text, sizeof text, "%s/cat/0.jpg 5\n%s/dog/1.png 2\n", folder, folder);
  write_file(list, text, strlen(text));
  ASSERT_OK(ctx,
            open_folder(
                ctx, list,
                &(snug_image_options){.struct_size = sizeof(snug_image_options), .size = "8"}, &a));
  ASSERT_OK(ctx, snug_arrays_get(a, "y", &y));
  ASSERT_EQ_INT(y->shape[0], 2);
  ASSERT_EQ_INT(((const int32_t *)y->data)[0] + ((const int32_t *)y->data)[1], 7);
  snug_arrays_destroy(a);
}

/* ---- memory ---- */

/* Count what is asked of the C library from the second batch of the first epoch to the last of the
 * second. */
typedef struct counter {
  int64_t batches;
  test_mallocs counted;
} counter;

static bool count_mallocs(void *user, int64_t batch, const snug_logs *logs) {
  counter *c = user;
  (void)batch;
  (void)logs;
  c->batches++;
  if (c->batches == 2) {
    test_mallocs_start();
  } else if (c->batches == 10) {
    c->counted = test_mallocs_stop();
  }
  return true;
}

TEST(reading_images_takes_no_memory) {
  snug_ctx *ctx = test_ctx();
  snug_model *m = model_of(ctx);
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  counter c = {0};
  snug_callback callback = {.struct_size = sizeof callback, .user = &c, .batch_end = count_mallocs};
  snug_fit_options o = {.struct_size = sizeof o,
                        .batch_size = 4,
                        .epochs = 2,
                        .callbacks = &callback,
                        .n_callbacks = 1};
  snug_image_options images = {
      .struct_size = sizeof images, .size = "8", .augment = "flip,zoom=0.1"};
  if (!test_mallocs_work()) {
    test_skip("a sanitizer brings an allocator of its own");
  }
  ASSERT_OK(ctx, open_folder(ctx, make_folder(), &images, &a));
  ASSERT_OK(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data));
  snug_source source = *data.source;
  source.workers = 3;
  data.source = &source;
  ASSERT_OK(ctx, snug_fit(m, &data, &o, NULL));
  ASSERT_EQ_INT(c.batches, 10);
  ASSERT_EQ_INT(c.counted.held, 0);
  ASSERT_TRUE(c.counted.most < 1024);
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}

static snug_status open_and_get(snug_ctx *ctx, void *folder) {
  snug_arrays *a = NULL;
  const snug_array *x = NULL;
  snug_status s = open_folder(
      ctx, folder, &(snug_image_options){.struct_size = sizeof(snug_image_options), .size = "8"},
      &a);
  s = s ? s : snug_arrays_get(a, "x", &x);
  snug_arrays_destroy(a);
  return s;
}

TEST(without_memory) {
  char folder[512];
  snprintf(folder, sizeof folder, "%s", make_folder());
  test_fault_sweep(open_and_get, folder);
}
