#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/test.h"
#include "snug/tools/log.h"

static snug_status write_whole(snug_ctx *ctx, const char *path, const char *text, bool replaces) {
  snug_new_file f;
  snug_status s = snug_new_file_begin(&f, ctx, path);
  s = s ? s : snug_new_file_write(&f, text, strlen(text));
  s = s ? s : snug_new_file_end(&f, replaces);
  snug_new_file_drop(&f);
  return s;
}

static void expect_file(const char *path, const char *text) {
  char found[64] = "";
  FILE *f = fopen(path, "r");
  ASSERT_NOT_NULL(f);
  size_t n = fread(found, 1, sizeof found - 1, f);
  fclose(f);
  found[n] = '\0';
  ASSERT_EQ_TEXT(found, text);
}

/* Files in a folder that begin with ".snug-". */
static int count_temporary(const char *folder) {
  char command[600], text[16] = "";
  snprintf(command, sizeof command, "ls -A '%s' | grep -c '^\\.snug-'", folder);
  FILE *out = popen(command, "r");
  ASSERT_NOT_NULL(out);
  ASSERT_NOT_NULL(fgets(text, sizeof text, out));
  pclose(out);
  return (int)strtol(text, NULL, 10);
}

TEST(it_appears_in_the_end) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  snug_new_file f;
  ASSERT_OK(ctx, snug_new_file_begin(&f, ctx, path));
  ASSERT_OK(ctx, snug_new_file_write(&f, "te", 2));
  ASSERT_TRUE(access(path, F_OK) != 0);
  ASSERT_OK(ctx, snug_new_file_write(&f, "xt", 2));
  ASSERT_OK(ctx, snug_new_file_end(&f, false));
  expect_file(path, "text");
  snug_new_file_drop(&f);
  expect_file(path, "text");
}

TEST(what_is_there_is_replaced_when_that_is_said) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  ASSERT_OK(ctx, write_whole(ctx, path, "old", false));
  ASSERT_STATUS(ctx, write_whole(ctx, path, "new", false), SNUG_E_IO, "a: cannot be replaced");
  expect_file(path, "old");
  ASSERT_OK(ctx, write_whole(ctx, path, "new", true));
  expect_file(path, "new");
}

TEST(what_a_killed_run_left_is_removed) {
  snug_ctx *ctx = test_ctx();
  char folder[300], path[400];
  snprintf(folder, sizeof folder, "%.280s", test_path("folder"));
  snprintf(path, sizeof path, "%s/a", folder);
  ASSERT_EQ_INT(mkdir(folder, 0700), 0);
  pid_t child = fork();
  if (child == 0) {
    snug_new_file f;
    _exit(snug_new_file_begin(&f, ctx, path) || snug_new_file_write(&f, "te", 2));
  }
  int code = 1;
  ASSERT_EQ_INT(waitpid(child, &code, 0), child);
  ASSERT_EQ_INT(code, 0);
  ASSERT_EQ_INT(count_temporary(folder), 1);
  ASSERT_OK(ctx, write_whole(ctx, path, "text", false));
  expect_file(path, "text");
  ASSERT_EQ_INT(count_temporary(folder), 0);
}

TEST(what_cannot_be_is_told) {
  snug_ctx *ctx = test_ctx();
  snug_new_file f;
  ASSERT_EQ_INT(snug_new_file_begin(&f, NULL, "a"), SNUG_E_ARGUMENT);
  ASSERT_STATUS(ctx, snug_new_file_begin(&f, ctx, ""), SNUG_E_ARGUMENT, "path");
  ASSERT_STATUS(ctx, snug_new_file_begin(NULL, ctx, "a"), SNUG_E_ARGUMENT, "path");
  ASSERT_STATUS(ctx, snug_new_file_begin(&f, ctx, "/no/such/folder/a"), SNUG_E_IO,
                "/no/such/folder/a: cannot be written: No such file or directory");
  ASSERT_EQ_INT(snug_new_file_write(NULL, "a", 1), SNUG_E_ARGUMENT);
  ASSERT_EQ_INT(snug_new_file_end(NULL, true), SNUG_E_ARGUMENT);
  snug_new_file_drop(NULL);
}
