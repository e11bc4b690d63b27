/* Archives as people make them, and as nobody should: each is read, or refused with a message. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/reserve.h"
#include "keras/archive.h"
#include "keras_files/zip.h"
#include "lib/mallocs.h"
#include "lib/test.h"

#define MEMBER(the_name, text) .name = (the_name), .data = (text), .bytes = sizeof(text) - 1

/* Read config.json of an archive. */
static snug_status read_config(snug_ctx *ctx, const char *path, char *out, size_t most) {
  snug__archive *a = NULL;
  char *text = NULL;
  size_t n = 0;
  SNUG_TRY(snug__archive_open(ctx, path, &a));
  snug_status s = snug__archive_text(a, "config.json", most, &text, &n);
  if (!s) {
    memcpy(out, text, n + 1);
    snug__give(ctx, SNUG__MEM_MODEL, text, n + 1);
  }
  snug__archive_close(a);
  return s;
}

static void check_read(const char *path, const test_zip *how, const test_member *m, size_t n) {
  snug_ctx *ctx = test_ctx();
  char text[64] = "";
  test_zip_write(path, how, m, n);
  ASSERT_OK(ctx, read_config(ctx, path, text, sizeof text - 1));
  ASSERT_EQ_TEXT(text, "{\"a\": 1}");
  test_ctx_end(ctx);
}

static void check_refused(const char *path, const test_zip *how, const test_member *m, size_t n,
                          const char *part) {
  snug_ctx *ctx = test_ctx();
  char text[64] = "";
  test_zip_write(path, how, m, n);
  ASSERT_STATUS(ctx, read_config(ctx, path, text, sizeof text - 1), SNUG_E_FORMAT, part);
  ASSERT_HAS(snug_message(ctx), "m.keras: ");
  test_ctx_end(ctx);
}

static const test_member plain = {MEMBER("config.json", "{\"a\": 1}")};

TEST(stored_and_deflated_are_read) {
  const char *path = test_path("m.keras");
  test_member m[] = {{MEMBER("other/deep", "xyz")}, plain};
  check_read(path, NULL, m, 2);
  m[1].deflate = true;
  check_read(path, NULL, m, 2);
}

TEST(zip64_is_read) {
  const char *path = test_path("m.keras");
  test_member m = plain;
  test_zip wide = {.zip64 = true};
  m.zip64 = true;
  check_read(path, NULL, &m, 1);
  check_read(path, &wide, &m, 1);
  m.zip64 = false;
  m.deflate = true;
  check_read(path, &wide, &m, 1);
}

TEST(a_comment_may_follow) {
  const char *path = test_path("m.keras");
  test_zip how = {.comment = "made by hand; PK\005\006 is in it, with numbers that mean nothing"};
  check_read(path, &how, &plain, 1);
}

TEST(an_empty_member_is_read) {
  snug_ctx *ctx = test_ctx();
  test_member m = {.name = "config.json", .data = "", .bytes = 0};
  char text[8] = "x";
  test_zip_write(test_path("m.keras"), NULL, &m, 1);
  ASSERT_OK(ctx, read_config(ctx, test_path("m.keras"), text, 7));
  ASSERT_EQ_TEXT(text, "");
}

TEST(other_kinds_of_members_are_refused) {
  const char *path = test_path("m.keras");
  test_member m = plain;
  m.flags = 1;
  check_refused(path, NULL, &m, 1, "config.json is encrypted");
  m.flags = 0;
  m.method = 12;
  check_refused(path, NULL, &m, 1, "config.json is compressed by method 12");
}

TEST(names_that_lead_outside_are_refused) {
  const char *path = test_path("m.keras");
  static const char *const names[] = {"../config.json", "a/../../b", "/etc/passwd", "a\\b", "a/.."};
  for (size_t i = 0; i < SNUG_COUNT(names); i++) {
    test_member m[] = {plain, {MEMBER(NULL, "x")}};
    m[1].name = names[i];
    check_refused(path, NULL, m, 2, names[i]);
  }
}

TEST(names_with_dots_are_read) {
  const char *path = test_path("m.keras");
  test_member m[] = {plain, {MEMBER("assets/..vocabulary..", "x")}, {MEMBER("a..b/c", "x")}};
  check_read(path, NULL, m, 3);
}

TEST(a_member_twice_is_refused) {
  const char *path = test_path("m.keras");
  test_member m[] = {plain, plain};
  check_refused(path, NULL, m, 2, "has config.json twice");
}

TEST(a_folder_in_the_archive_is_refused) {
  const char *path = test_path("m.keras");
  test_member m = plain;
  m.name = "model/config.json";
  check_refused(path, NULL, &m, 1, "there is no config.json in it");
}

TEST(lies_about_sizes_are_refused) {
  const char *path = test_path("m.keras");
  static const struct {
    bool deflate;
    int64_t bytes_off, packed_off, header_off;
    const char *part;
  } lies[] = {{false, 1, 0, 0, "instead of"},
              {false, -1, 0, 0, "instead of"},
              {false, 60, 60, 0, "does not lie inside"},
              {false, 40, 40, 0, "config.json is not where"},
              {false, INT32_MAX, INT32_MAX, 0, "config.json"},
              {false, 0, 0, 1, "config.json is not where"},
              {false, 0, 0, 1 << 20, "config.json does not lie inside"},
              {true, 1, 0, 0, "length is wrong"},
              {true, -1, 0, 0, "unpacks to more than the 7 bytes"},
              {true, 0, -1, 0, "damaged"},
              {true, 0, 1 << 20, 0, "config.json does not lie inside"}};
  for (size_t i = 0; i < SNUG_COUNT(lies); i++) {
    test_member m = plain;
    m.deflate = lies[i].deflate;
    m.bytes_off = lies[i].bytes_off;
    m.packed_off = lies[i].packed_off;
    m.header_off = lies[i].header_off;
    check_refused(path, NULL, &m, 1, lies[i].part);
    m.zip64 = true;
    check_refused(path, NULL, &m, 1, "config.json");
  }
}

TEST(wide_lies_are_refused) {
  const char *path = test_path("m.keras");
  static const int64_t sizes[] = {INT64_MAX, INT64_MIN, -9, INT64_MAX - 7};
  for (size_t i = 0; i < SNUG_COUNT(sizes); i++) {
    test_member m = plain;
    m.zip64 = true;
    m.bytes_off = m.packed_off = sizes[i];
    check_refused(path, NULL, &m, 1, "config.json");
    m.bytes_off = m.packed_off = 0;
    m.header_off = sizes[i];
    check_refused(path, NULL, &m, 1, "config.json");
  }
}

TEST(lies_about_the_directory_are_refused) {
  const char *path = test_path("m.keras");
  static const int64_t offs[] = {1, -1, 46, 1000, 65000, INT32_MAX};
  for (size_t i = 0; i < SNUG_COUNT(offs); i++) {
    for (int zip64 = 0; zip64 < 2; zip64++) {
      test_zip how = {.n_off = offs[i], .zip64 = zip64};
      check_refused(path, &how, &plain, 1, NULL);
      how = (test_zip){.size_off = offs[i], .zip64 = zip64};
      check_refused(path, &how, &plain, 1, NULL);
      how = (test_zip){.offset_off = offs[i], .zip64 = zip64};
      check_refused(path, &how, &plain, 1, NULL);
    }
  }
}

TEST(checksums_are_compared) {
  const char *path = test_path("m.keras");
  test_member m = plain;
  m.crc_off = 1;
  check_refused(path, NULL, &m, 1, "config.json is damaged: its checksum is wrong");
  m.deflate = true;
  check_refused(path, NULL, &m, 1, "config.json is damaged: its checksum is wrong");
}

TEST(another_name_at_the_member_is_refused) {
  const char *path = test_path("m.keras");
  test_member m = plain;
  m.local_name = "config.jsoN";
  check_refused(path, NULL, &m, 1, "config.json is not where the directory says");
  m.local_name = "c";
  check_refused(path, NULL, &m, 1, "config.json is not where the directory says");
}

/* 50 MB of zeros in 50 KB: what it says is held against the most that is wanted, and what it is
 * against what it says.  Memory stays small in both. */
TEST(a_zip_bomb_is_stopped) {
  enum { HUGE_BYTES = 50000000 };
  snug_ctx *ctx = test_ctx();
  void *zeros = calloc(1, HUGE_BYTES);
  test_member m = {.name = "config.json", .data = zeros, .bytes = HUGE_BYTES, .deflate = true};
  snug_memory_info memory = SNUG_INIT(snug_memory_info);
  char text[8];
  test_zip_write(test_path("honest"), NULL, &m, 1);
  m.bytes_off = 1000 - HUGE_BYTES;
  test_zip_write(test_path("lying"), NULL, &m, 1);
  free(zeros);
  ASSERT_STATUS(ctx, read_config(ctx, test_path("honest"), text, 7), SNUG_E_FORMAT,
                "has 50000000 bytes; at most 7 are read");
  ASSERT_STATUS(ctx, read_config(ctx, test_path("lying"), text, 1 << 20), SNUG_E_FORMAT,
                "unpacks to more than the 1000 bytes");
  snug_memory_get(ctx, &memory);
  ASSERT_TRUE(memory.peak < 300000);
}

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  ASSERT_NOT_NULL(f);
  fputs(text, f);
  fclose(f);
}

TEST(what_is_no_archive_is_refused) {
  snug_ctx *ctx = test_ctx();
  char text[8];
  write_text(test_path("empty"), "");
  write_text(test_path("text"), "this is no archive, it is a text of some length, as one sees");
  ASSERT_STATUS(ctx, read_config(ctx, test_path("empty"), text, 7), SNUG_E_FORMAT, "not a zip");
  ASSERT_STATUS(ctx, read_config(ctx, test_path("text"), text, 7), SNUG_E_FORMAT, "not a zip");
  ASSERT_STATUS(ctx, read_config(ctx, test_path("none"), text, 7), SNUG_E_IO, "none: cannot be");
  ASSERT_STATUS(ctx, read_config(ctx, "/dev/null", text, 7), SNUG_E_IO, "/dev/null: is no file");
}

TEST(text_before_the_archive_is_refused) {
  const char *path = test_path("m.keras");
  test_zip how = {.before = "#!/bin/sh\n", .offset_off = -10};
  check_refused(path, &how, &plain, 1, "does not lie where it says");
}

TEST(no_place_to_unpack) {
  snug_ctx *ctx = test_ctx();
  test_member m = plain;
  char text[64];
  m.deflate = true;
  test_zip_write(test_path("m.keras"), NULL, &m, 1);
  setenv("TMPDIR", test_path("missing"), 1);
  ASSERT_STATUS(ctx, read_config(ctx, test_path("m.keras"), text, 63), SNUG_E_IO, "TMPDIR");
  unsetenv("TMPDIR");
}

/* ---- a folder that lies in memory ---- */

#define UNPACKED_BYTES (8 << 20)
#define MIB ((uint64_t)1 << 20)
#define IN_MEMORY "/dev/shm"

static bool lies_in_memory(const char *folder) {
  int fd = snug__open_nameless(folder);
  bool does = fd >= 0 && snug__memory_file_system(fd);
  if (fd >= 0) {
    close(fd);
  }
  return does;
}

/* Weights that are small as long as they are packed. */
static void write_packed(const char *path) {
  test_member m = {.name = "model.weights.h5",
                   .data = calloc(1, UNPACKED_BYTES),
                   .bytes = UNPACKED_BYTES,
                   .deflate = true};
  test_zip_write(path, NULL, &m, 1);
  free((void *)(uintptr_t)m.data);
}

/* Where they are when they are unpacked, and what may be taken then. */
static snug_status unpack(snug_ctx *ctx, const char *path, bool *in_memory, uint64_t *room) {
  snug__archive *a = NULL;
  snug__range range = {.fd = -1};
  SNUG_TRY(snug__archive_open(ctx, path, &a));
  snug_status s = snug__archive_range(a, "model.weights.h5", INT64_MAX, &range);
  *in_memory = !s && snug__memory_file_system(range.fd);
  *room = snug__gate_room(&ctx->account.gate);
  snug__archive_close(a);
  return s;
}

/* TMPDIR lies in memory, and the process may hold so many bytes more; 0: any number. */
static snug_status unpack_within(const char *path, uint64_t more, bool *in_memory, uint64_t *room) {
  snug_ctx *ctx = test_ctx();
  snug_memory_set_bound(ctx, more ? snug__gate_held() + more : 0);
  setenv("TMPDIR", IN_MEMORY, 1);
  snug_status s = unpack(ctx, path, in_memory, room);
  unsetenv("TMPDIR");
  if (s) {
    ASSERT_HAS(snug_message(ctx), "model.weights.h5 is compressed, and " IN_MEMORY " (TMPDIR)");
    ASSERT_HAS(snug_message(ctx), "lies in memory");
  } else {
    uint64_t after = snug__gate_room(&ctx->account.gate);
    bool is_counted = more && test_mallocs_work(); /* sanitizers keep what is freed */
    ASSERT_TRUE(!is_counted || after >= *room + (*in_memory ? UNPACKED_BYTES - MIB : 0));
  }
  test_ctx_end(ctx);
  return s;
}

TEST(what_is_unpacked_goes_to_a_disk_if_there_is_one) {
  bool in_memory = false;
  uint64_t room = 0;
  const char *path = test_path("m.keras");
  if (!lies_in_memory(IN_MEMORY) || lies_in_memory(test_path(""))) {
    test_skip("it needs a folder in memory, and one on a disk");
  }
  write_packed(path);
  ASSERT_EQ_INT(unpack_within(path, 4 * MIB, &in_memory, &room), SNUG_OK);
  ASSERT_TRUE(!in_memory);
  ASSERT_TRUE(room > 2 * MIB);
}

TEST(what_is_unpacked_to_memory_counts) {
  bool in_memory = false;
  uint64_t room = 0;
  char folder[] = IN_MEMORY "/snug-test-XXXXXX";
  char path[64];
  if (!lies_in_memory(IN_MEMORY) || !mkdtemp(folder)) {
    test_skip("no folder lies in memory");
  }
  snprintf(path, sizeof path, "%s/m.keras", folder);
  write_packed(path);
  snug_status refused = unpack_within(path, 6 * MIB, &in_memory, &room);
  snug_status fits = unpack_within(path, 16 * MIB, &in_memory, &room);
  bool lay_in_memory = in_memory;
  uint64_t left = room;
  snug_status unbound = unpack_within(path, 0, &in_memory, &room);
  unlink(path);
  rmdir(folder);
  ASSERT_EQ_INT(refused, SNUG_E_LIMIT);
  ASSERT_EQ_INT(fits, SNUG_OK);
  ASSERT_TRUE(lay_in_memory && left < 9 * MIB);
  ASSERT_EQ_INT(unbound, SNUG_OK);
  ASSERT_TRUE(in_memory);
}

/* Nothing but the last byte of them is written. */
static snug_status write_end(void *user, int fd, int64_t at, int64_t *bytes) {
  *bytes = *(const int64_t *)user;
  return pwrite(fd, "", 1, at + *bytes - 1) == 1 ? SNUG_OK : SNUG_E_IO;
}

/* A sparse file stands for the weights; the sizes need the fields of Zip64.  Writes 2 GiB. */
TEST(large_weights_are_written_wide) {
  snug_ctx *ctx = test_ctx();
  if (!getenv("SNUG_TEST_LARGE")) {
    test_skip("SNUG_TEST_LARGE is not set");
  }
  int64_t bytes = ((int64_t)1 << 31) + 5;
  const char *path = test_path("m.keras");
  snug__archive_content content = {"{}", "{\"a\": 1}", 8, write_end, &bytes, true};
  snug__replace r;
  snug__archive *a = NULL;
  snug__range range;
  char text[64];
  ASSERT_OK(ctx, snug__replace_begin(&r, ctx, path));
  ASSERT_OK(ctx, snug__replace_end(&r, snug__archive_write(&r, &content)));
  ASSERT_OK(ctx, read_config(ctx, path, text, 63));
  ASSERT_OK(ctx, snug__archive_open(ctx, path, &a));
  ASSERT_OK(ctx, snug__archive_range(a, "model.weights.h5", INT64_MAX, &range));
  ASSERT_EQ_INT(range.bytes, bytes);
  snug__archive_close(a);
}
