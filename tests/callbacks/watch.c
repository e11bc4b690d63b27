#include "callbacks/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void watch_text(void *user, const char *text, size_t n) {
  watch *w = user;
  size_t folder = w->folder ? strlen(w->folder) : 0;
  for (size_t i = 0; i < n;) {
    bool is_folder = folder && n - i >= folder && memcmp(text + i, w->folder, folder) == 0;
    ASSERT_TRUE(w->n + 1 < sizeof w->text);
    w->text[w->n++] = is_folder ? '@' : text[i];
    i += is_folder ? folder : 1;
  }
  w->text[w->n] = 0;
}

const char *watch_root(void) {
  static const char *root; /* tests have a process each */
  if (!root && access("/dev/shm", W_OK) == 0) {
    setenv("TMPDIR", "/dev/shm", 1); /* hundreds of files that are brought to the disk */
  }
  root = root ? root : test_path(".");
  return root;
}

const char *watch_folder(const char *name) {
  static char folder[4096];
  snprintf(folder, sizeof folder, "%s/%s", watch_root(), name);
  ASSERT_EQ_INT(mkdir(folder, 0777), 0);
  return folder;
}

void watch_write(const char *path, const char *content) {
  FILE *f = fopen(path, "wb");
  ASSERT_NOT_NULL(f);
  ASSERT_EQ_UINT(fwrite(content, 1, strlen(content), f), strlen(content));
  ASSERT_EQ_INT(fclose(f), 0);
}

char *watch_read(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = calloc(1, 65536);
  ASSERT_NOT_NULL(f);
  ASSERT_NOT_NULL(text);
  ASSERT_TRUE(fread(text, 1, 65535, f) < 65535);
  fclose(f);
  return text;
}

bool watch_exists(const char *path) { return access(path, F_OK) == 0; }
