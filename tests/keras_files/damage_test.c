/* Damaged files: cut off at every byte, and with bytes that changed.  Whatever happens, it ends
 * with a status and a message that names the file, and nothing is left over. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keras/h5.h"
#include "keras_files/walk.h"
#include "lib/test.h"

#define MOST_BYTES (1 << 17)

typedef struct image {
  uint8_t bytes[MOST_BYTES];
  size_t n;
  int fd; /* a file with these bytes */
  char path[64];
} image;

static image the_image;

static void make_file(image *i) {
  i->fd = memfd_create("image", MFD_CLOEXEC);
  ASSERT_EQ_INT(pwrite(i->fd, i->bytes, i->n, 0), i->n);
  snprintf(i->path, sizeof i->path, "/proc/self/fd/%d", i->fd);
}

static image *load_archive(const char *name) {
  image *i = &the_image;
  char path[512];
  snprintf(path, sizeof path, "%s/keras/%s.keras", SNUG_TEST_DATA, name);
  FILE *f = fopen(path, "rb");
  ASSERT_NOT_NULL(f);
  i->n = fread(i->bytes, 1, sizeof i->bytes, f);
  fclose(f);
  make_file(i);
  return i;
}

/* The weights in an archive, alone. */
static image *load_weights(const char *name) {
  snug_ctx *ctx = test_ctx();
  image *i = load_archive(name);
  snug__archive *a = NULL;
  snug__range range;
  ASSERT_OK(ctx, snug__archive_open(ctx, i->path, &a));
  ASSERT_OK(ctx, snug__archive_range(a, "model.weights.h5", MOST_BYTES, &range));
  i->n = (size_t)range.bytes;
  ASSERT_EQ_INT(pread(range.fd, i->bytes, i->n, range.offset), range.bytes);
  snug__archive_close(a);
  close(i->fd);
  make_file(i);
  return i;
}

TEST(archives_cut_off_at_every_byte) {
  snug_ctx *ctx = test_ctx();
  image *i = load_archive("compact");
  snug__archive *a = NULL;
  for (size_t n = i->n; n-- > 0;) {
    ASSERT_EQ_INT(ftruncate(i->fd, (off_t)n), 0);
    ASSERT_STATUS(ctx, snug__archive_open(ctx, i->path, &a), SNUG_E_FORMAT, i->path);
  }
}

TEST(weights_cut_off_at_every_byte) {
  snug_ctx *ctx = test_ctx();
  image *i = load_weights("keras-3.0.5");
  snug__h5 *h5 = NULL;
  for (size_t n = i->n; n-- > 0;) {
    snug__range range = {i->fd, 0, (int64_t)n};
    ASSERT_STATUS(ctx, snug__h5_open(ctx, "file", &range, &h5), SNUG_E_FORMAT, "file: ");
  }
}

static void walk_changed(snug_ctx *ctx, image *i, bool is_archive, size_t at, uint8_t value) {
  test_walk w;
  ASSERT_EQ_INT(pwrite(i->fd, &value, 1, (off_t)at), 1);
  bool good =
      is_archive ? test_walk_archive(ctx, i->path, &w) : test_walk_h5(ctx, i->path, i->fd, &w);
  if (!good) {
    test_fail(__FILE__, __LINE__, "byte %zu as %d: %s", at, value, w.message);
  }
  ASSERT_EQ_INT(pwrite(i->fd, &i->bytes[at], 1, (off_t)at), 1);
}

/* Every stride-th byte, from a random one on, gets a random bit wrong, or all of them. */
static void change_bytes(image *i, bool is_archive, int64_t stride) {
  snug_ctx *ctx = test_ctx();
  for (size_t at = (size_t)test_random_between(0, stride - 1); at < i->n; at += (size_t)stride) {
    uint8_t bit = (uint8_t)(1u << test_random_between(0, 7));
    walk_changed(ctx, i, is_archive, at,
                 test_random_between(0, 2) ? i->bytes[at] ^ bit : (uint8_t)~i->bytes[at]);
  }
}

TEST(archives_with_a_byte_wrong) { change_bytes(load_archive("compact"), true, 11); }
TEST(old_weights_with_a_byte_wrong) { change_bytes(load_weights("keras-3.15.1"), false, 41); }
TEST(new_weights_with_a_byte_wrong) { change_bytes(load_weights("latest"), false, 211); }
TEST(old_chunks_with_a_byte_wrong) { change_bytes(load_weights("gzip"), false, 211); }
TEST(new_chunks_with_a_byte_wrong) { change_bytes(load_weights("latest-gzip"), false, 211); }
