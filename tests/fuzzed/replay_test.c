/* What the fuzzers once found, and seeds of theirs: none of it may break a rule again. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"
#include "one.h"

#define MOST_BYTES (1 << 20)

static void replay(const char *path, void (*one)(const uint8_t *data, size_t bytes)) {
  uint8_t *data = malloc(MOST_BYTES);
  FILE *f = fopen(path, "rb");
  ASSERT_NOT_NULL(data);
  ASSERT_NOT_NULL(f);
  size_t n = fread(data, 1, MOST_BYTES, f);
  fclose(f);
  printf("%s: %zu bytes\n", path, n);
  uint8_t *exact = realloc(data, n ? n : 1); /* so that a byte too far is seen */
  one(exact, n);
  free(exact);
}

/* Every file of a folder under tests/data; at least `least`. */
static void replay_all(const char *folder, void (*one)(const uint8_t *data, size_t bytes),
                       int least) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", SNUG_TEST_DATA, folder);
  DIR *dir = opendir(path);
  ASSERT_NOT_NULL(dir);
  int n = 0;
  for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
    if (d->d_name[0] != '.') {
      snprintf(path, sizeof path, "%s/%s/%s", SNUG_TEST_DATA, folder, d->d_name);
      replay(path, one);
      n++;
    }
  }
  closedir(dir);
  ASSERT_TRUE(n >= least);
}

TEST(files_once_found) { replay_all("fuzz/file", fuzz_one_file, 1); }
TEST(configs_once_found) { replay_all("fuzz/config", fuzz_one_config, 1); }
TEST(data_once_found) { replay_all("fuzz/data", fuzz_one_data, 1); }
TEST(data_seeds) { replay_all("arrays", fuzz_one_data, 40); }
TEST(images_once_found) { replay_all("fuzz/image", fuzz_one_image, 1); }
TEST(recordings) { replay_all("fuzz/record", fuzz_one_record, 4); }
TEST(file_seeds) { replay_all("keras", fuzz_one_file, 14); }
TEST(config_seeds) { replay_all("configs", fuzz_one_config, 3); }
