/* The file of timings: what was written is read back, and whatever else lies there is told and
 * replaced. */
#include "base/timings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fault.h"
#include "lib/test.h"

enum { N = 50, MOST = 16384 };

static const char *use_folder(void) {
  const char *folder = test_path("cache/deep");
  setenv("SNUG_CACHE", folder, 1);
  return folder;
}

/* Fill the file of an empty folder; its path. */
static const char *write_some(snug_ctx *ctx) {
  static char path[SNUG__PATH_BYTES];
  snug__timings t;
  use_folder();
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_EQ_TEXT(t.note, "");
  for (uint64_t i = 0; i < N; i++) {
    ASSERT_OK(ctx,
              snug__timings_add(&t, i * UINT64_C(0x9E3779B97F4A7C15), 1.0 / (3.0 + (double)i)));
  }
  snprintf(path, sizeof path, "%s", t.path);
  snug__timings_close(&t);
  return path;
}

static size_t read_all(const char *path, char *text) {
  FILE *file = fopen(path, "rb");
  ASSERT_NOT_NULL(file);
  size_t n = fread(text, 1, MOST - 1, file);
  fclose(file);
  text[n] = 0;
  return n;
}

static void write_all(const char *path, const char *text, size_t n) {
  FILE *file = fopen(path, "wb");
  ASSERT_NOT_NULL(file);
  ASSERT_EQ_UINT(fwrite(text, 1, n, file), n);
  fclose(file);
}

/* How many of them are there, every one to the bit. */
static int count(const snug__timings *t) {
  int found = 0;
  for (uint64_t i = 0; i < N; i++) {
    double seconds = 0.0;
    if (snug__timings_find(t, i * UINT64_C(0x9E3779B97F4A7C15), &seconds)) {
      ASSERT_TRUE(seconds == 1.0 / (3.0 + (double)i));
      found++;
    }
  }
  return found;
}

TEST(comes_back_to_the_bit) {
  snug_ctx *ctx = test_ctx();
  snug__timings t;
  double seconds = 0.0;
  write_some(ctx);
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_EQ_TEXT(t.note, "");
  ASSERT_EQ_INT(count(&t), N);
  ASSERT_FALSE(snug__timings_find(&t, 1, &seconds));
  ASSERT_OK(ctx, snug__timings_add(&t, 1, 5.0));
  ASSERT_OK(ctx, snug__timings_add(&t, 1, 6.0));
  ASSERT_TRUE(snug__timings_find(&t, 1, &seconds) && seconds == 6.0);
  snug__timings_close(&t);
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_TRUE(snug__timings_find(&t, 1, &seconds) && seconds == 6.0);
  ASSERT_EQ_INT(count(&t), N);
  snug__timings_close(&t);
}

/* Two processes at once: neither loses what the other wrote, and what is there already stays, as
 * others may have begun to use it.  What was found to be wrong is replaced. */
TEST(two_at_once_lose_nothing) {
  snug_ctx *ctx = test_ctx();
  snug__timings a, b;
  double value = 0.0;
  write_some(ctx);
  ASSERT_OK(ctx, snug__timings_open(&a, ctx));
  ASSERT_OK(ctx, snug__timings_open(&b, ctx));
  ASSERT_OK(ctx, snug__timings_add(&a, 1, 1.0));
  ASSERT_OK(ctx, snug__timings_add(&b, 2, 2.0));
  ASSERT_OK(ctx, snug__timings_add(&a, 3, 3.0));
  ASSERT_OK(ctx, snug__timings_add(&b, 3, 4.0));
  ASSERT_OK(ctx, snug__timings_add(&b, 0, 5.0)); /* the file had another */
  snug__timings_close(&a);
  snug__timings_close(&b);
  ASSERT_OK(ctx, snug__timings_open(&a, ctx));
  ASSERT_TRUE(snug__timings_find(&a, 1, &value) && value == 1.0);
  ASSERT_TRUE(snug__timings_find(&a, 2, &value) && value == 2.0);
  ASSERT_TRUE(snug__timings_find(&a, 3, &value) && value == 3.0);
  ASSERT_TRUE(snug__timings_find(&a, 0, &value) && value == 5.0);
  snug__timings_close(&a);
}

/* Whatever byte is another, whatever is missing: told, not used, and replaced by the next. */
TEST(damage_is_found) {
  snug_ctx *ctx = test_ctx();
  const char *path = write_some(ctx);
  char good[MOST], bad[MOST];
  size_t n = read_all(path, good);
  snug__timings t;
  for (size_t i = 0; i < 2 * n; i += 37) {
    size_t at = i % n;
    memcpy(bad, good, n + 1);
    bad[at] ^= 1;
    write_all(path, bad, i < n ? n : at);
    ASSERT_OK(ctx, snug__timings_open(&t, ctx));
    ASSERT_EQ_INT(count(&t), 0);
    ASSERT_HAS(t.note, "measured anew");
    ASSERT_HAS(t.note, path);
    snug__timings_close(&t);
  }
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_OK(ctx, snug__timings_add(&t, 1, 5.0));
  snug__timings_close(&t);
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_EQ_TEXT(t.note, "");
  snug__timings_close(&t);
}

/* A whole file of another version or machine: its sum is right, its head is not ours. */
static void refuse_head(const char *line, const char *instead, const char *said) {
  snug_ctx *ctx = test_ctx();
  const char *path = write_some(ctx);
  char good[MOST], bad[MOST];
  snug__timings t;
  read_all(path, good);
  char *at = strstr(good, line);
  ASSERT_NOT_NULL(at);
  *at = 0;
  snprintf(bad, sizeof bad, "%s%s%s", good, instead, strchr(at + 1, '\n'));
  write_all(path, bad, strlen(bad));
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_HAS(t.note, said);
  ASSERT_EQ_INT(count(&t), 0);
  snug__timings_close(&t);
}

TEST(another_version_is_told) {
  refuse_head("version", "version 0.0.0", "another version of snug");
}

TEST(another_machine_is_told) {
  refuse_head("machine", "machine Abacus, 12 cores", "another machine");
}

TEST(works_without_a_file) {
  snug_ctx *ctx = test_ctx();
  const char *folder = use_folder();
  snug__timings t;
  write_all(test_path("cache"), "x", 1); /* a file where the folder should be */
  for (int i = 0; i < 2; i++) {
    double seconds = 0.0;
    ASSERT_OK(ctx, snug__timings_open(&t, ctx));
    ASSERT_FALSE(snug__timings_find(&t, 1, &seconds));
    ASSERT_OK(ctx, snug__timings_add(&t, 1, 5.0));
    ASSERT_TRUE(snug__timings_find(&t, 1, &seconds));
    snug__timings_close(&t);
    ASSERT_TRUE(access(folder, F_OK) != 0);
    setenv("SNUG_CACHE", "", 1);
  }
}

TEST(a_folder_in_its_place_is_told) {
  snug_ctx *ctx = test_ctx();
  const char *path = write_some(ctx);
  snug__timings t;
  ASSERT_EQ_INT(unlink(path), 0);
  ASSERT_EQ_INT(mkdir(path, 0777), 0);
  ASSERT_OK(ctx, snug__timings_open(&t, ctx));
  ASSERT_HAS(t.note, "no file of timings");
  ASSERT_OK(ctx, snug__timings_add(&t, 1, 5.0));
  snug__timings_close(&t);
}

static snug_status use(snug_ctx *ctx, void *arg) {
  snug__timings t;
  (void)arg;
  SNUG_TRY(snug__timings_open(&t, ctx));
  snug_status s = snug__timings_add(&t, 7, 1.0);
  snug__timings_close(&t);
  return s;
}

TEST(every_allocation_may_fail) {
  write_some(test_ctx());
  test_fault_sweep(use, NULL);
}
