/* Packed files that are damaged, and are read from front to back or unpacked to a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays.h"
#include "files/open.h"

#define MOST_BYTES (64 << 10)

static const snug_arrays_options streamed = {
    .struct_size = sizeof streamed, .small = -1, .hold = 1};
static const snug_arrays_options spilled = {
    .struct_size = sizeof spilled, .small = -1, .hold = 1, .allow_disk = true};

static snug_model *model_for(snug_ctx *ctx, const int64_t *shape, int32_t rank) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options how = {
      .struct_size = sizeof how, .optimizer = "sgd", .loss = &loss, .n_loss = 1};
  snug_model *m = NULL;
  ASSERT_OK(ctx, snug_model_create(ctx, NULL, &m));
  snug_model_input(m, "a", SNUG_FLOAT32, shape, rank);
  snug_model_add(m, "Flatten", NULL);
  snug_model_add(m, "Dense", "units=60 activation=softmax");
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}

/* What reading all rows of a file in their order gave: the bytes, or a message. */
typedef struct outcome {
  snug_status status;
  char message[2 * SNUG_WHY_BYTES];
  char bytes[MOST_BYTES];
  size_t n;
} outcome;

static snug_status read_all(const snug_data *d, char *scratch, outcome *out, char *why) {
  const snug_source *s = d->source;
  snug_status status = s->in_order ? s->restart(s->user, scratch, 0, why) : SNUG_OK;
  for (int64_t row = 0; row < s->rows && !status; row++) {
    void *to[2] = {NULL, NULL};
    for (int32_t k = 0; k < snug__data_count(d); k++) {
      to[k] = out->bytes + out->n;
      out->n += snug__array_row_bytes(snug__data_array(d, k));
      ASSERT_TRUE(out->n <= MOST_BYTES);
    }
    status = s->read(s->user, scratch, row, 0, to, why);
  }
  return status;
}

static void read_file(const char *path, const snug_arrays_options *options, const int64_t *shape,
                      int32_t rank, bool with_labels, outcome *out) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  snug_model *m = model_for(ctx, shape, rank);
  *out = (outcome){.n = 0};
  out->status = snug_arrays_open_with(ctx, &path, 1, options, &a);
  out->status =
      out->status ? out->status : snug_arrays_data(a, m, SNUG_PART_TEST, with_labels, &data);
  snprintf(out->message, sizeof out->message, "%s", out->status ? snug_message(ctx) : "");
  if (!out->status) {
    char why[SNUG_WHY_BYTES] = "", *scratch = calloc(1, data.source->scratch);
    out->status = read_all(&data, scratch, out, why);
    snprintf(out->message, sizeof out->message, "%s: %s", data.source->name, why);
    free(scratch);
  }
  snug_arrays_destroy(a);
  snug_model_destroy(m);
  test_ctx_end(ctx);
}

/* Whatever byte is another one: the file is named, or the samples are what they were. */
static void expect_damage_told(const char *name, const snug_arrays_options *options,
                               const int64_t *shape, int32_t rank, bool with_labels) {
  static outcome good, got;
  size_t n = 0;
  size_t told = 0;
  unsigned char *bytes = slurp(data_path(name), &n);
  const char *path = test_path(name);
  read_file(data_path(name), options, shape, rank, with_labels, &good);
  ASSERT_EQ_TEXT(good.status ? good.message : "", "");
  for (size_t at = 0; at < n; at++) {
    bytes[at] ^= 0x55;
    spill(path, bytes, n);
    bytes[at] ^= 0x55;
    read_file(path, options, shape, rank, with_labels, &got);
    if (got.status) {
      ASSERT_HAS(got.message, name);
      told++;
    } else {
      ASSERT_EQ_UINT(got.n, good.n);
      ASSERT_EQ_BYTES(got.bytes, good.bytes, good.n);
    }
  }
  free(bytes);
  ASSERT_TRUE(told > 0);
}

static const int64_t image[] = {2, 2};
static const int64_t forty[] = {40};

TEST(damage_of_a_gzipped_file_is_told) {
  expect_damage_told("images.idx.gz", &streamed, image, 2, false);
  expect_damage_told("images.idx.gz", &spilled, image, 2, false);
}

TEST(damage_of_deflated_members_is_told) {
  expect_damage_told("deflated.npz", &streamed, forty, 1, true);
}

TEST(damage_of_deflated_members_is_told_when_they_are_unpacked) {
  expect_damage_told("deflated.npz", &spilled, forty, 1, true);
}

/* A byte inside what is packed of the member x; its name ends before. */
static const char *damaged_member(size_t behind_name) {
  size_t n = 0;
  size_t at = 0;
  unsigned char *bytes = slurp(data_path("deflated.npz"), &n);
  const char *path = test_path("deflated.npz");
  while (at + 5 < n && memcmp(bytes + at, "x.npy", 5) != 0) {
    at++;
  }
  ASSERT_TRUE(at + 5 + behind_name < n);
  bytes[at + 5 + behind_name] ^= 0x55;
  spill(path, bytes, n);
  free(bytes);
  return path;
}

/* In a fit that shuffles through a window: nothing of the member is trained on before. */
TEST(a_fit_names_the_file_and_the_member) {
  snug_ctx *ctx = test_ctx();
  snug_arrays *a = NULL;
  snug_data data = SNUG_INIT(snug_data);
  snug_history *h = NULL;
  const char *path = damaged_member(122);
  snug_model *m = model_for(ctx, forty, 1);
  ASSERT_OK(ctx, snug_arrays_open_with(ctx, &path, 1, &streamed, &a));
  ASSERT_OK(ctx, snug_arrays_data(a, m, SNUG_PART_TRAIN, true, &data));
  ASSERT_TRUE(data.source->in_order);
  ASSERT_STATUS(
      ctx,
      snug_fit(m, &data,
               &(snug_fit_options){.struct_size = sizeof(snug_fit_options), .batch_size = 8}, &h),
      SNUG_E_FORMAT, "deflated.npz: x: row ");
  ASSERT_HAS(snug_message(ctx), "damaged");
  snug_arrays_destroy(a);
  snug_model_destroy(m);
}
