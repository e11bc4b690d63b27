#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/left_over.h"
#include "base/reserve.h"
#include "lib/test.h"

#define CACHESTAT 451 /* a call of Linux 6.5, younger than the headers */

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  ASSERT_NOT_NULL(f);
  ASSERT_TRUE(fputs(text, f) >= 0 && fclose(f) == 0);
}

static const char *get(const char *path) {
  static char text[256];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  text[n] = 0;
  if (f) {
    fclose(f);
  }
  return f ? text : "(no file)";
}

/* Files in the folder of a path. */
static int count_beside(const char *path) {
  char folder[512];
  int n = 0;
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  DIR *d = opendir(folder);
  ASSERT_NOT_NULL(d);
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  }
  closedir(d);
  return n;
}

static snug_status replace(snug_ctx *ctx, const char *path, const char *text) {
  snug__replace r;
  SNUG_TRY(snug__replace_begin(&r, ctx, path));
  snug_status status = snug__replace_write(&r, text, strlen(text));
  if (status) {
    snug__replace_abandon(&r);
    return status;
  }
  return snug__replace_commit(&r);
}

TEST(a_new_file_is_written) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  ASSERT_OK(ctx, replace(ctx, path, "new"));
  ASSERT_EQ_TEXT(get(path), "new");
  ASSERT_EQ_INT(count_beside(path), 1);
}

TEST(the_old_content_stays_until_commit) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  snug__replace r;
  put(path, "old");
  ASSERT_OK(ctx, snug__replace_begin(&r, ctx, path));
  ASSERT_OK(ctx, snug__replace_write(&r, "ne", 2));
  ASSERT_EQ_TEXT(get(path), "old");
  ASSERT_OK(ctx, snug__replace_write(&r, "w", 1));
  ASSERT_OK(ctx, snug__replace_commit(&r));
  ASSERT_EQ_TEXT(get(path), "new");
  snug__replace_abandon(&r);
  ASSERT_EQ_TEXT(get(path), "new");
  ASSERT_EQ_INT(count_beside(path), 1);
}

/* Bytes of a file that the kernel holds until the disk has them; -1 where it does not tell. */
static int64_t unwritten(int fd) {
  struct {
    uint64_t offset, length;
  } all = {0, 0};
  struct {
    uint64_t cached, dirty, on_the_way, evicted, recently_evicted;
  } pages;
  long code = syscall(CACHESTAT, fd, &all, &pages, 0);
  return code == 0 ? (int64_t)(pages.dirty + pages.on_the_way) * sysconf(_SC_PAGESIZE) : -1;
}

TEST(little_of_a_file_waits_for_the_disk) {
  snug_ctx *ctx = test_ctx();
  static char bytes[3 << 20];
  snug__replace r;
  ASSERT_OK(ctx, snug__replace_begin(&r, ctx, test_path("a")));
  if (unwritten(r.fd) < 0 || snug__memory_file_system(r.fd)) {
    snug__replace_abandon(&r);
    test_skip("the kernel does not tell what of a file is not on a disk");
  }
  const size_t sizes[] = {sizeof bytes, 1, 70000, 70000, 70000, sizeof bytes - 5, 140000};
  for (size_t i = 0; i < SNUG_COUNT(sizes); i++) {
    ASSERT_OK(ctx, snug__replace_write(&r, bytes, sizes[i]));
    ASSERT_TRUE(unwritten(r.fd) <= SNUG__ON_THE_WAY_BYTES);
  }
  ASSERT_OK(ctx, snug__replace_commit(&r));
}

TEST(abandon_leaves_nothing) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  snug__replace r;
  put(path, "old");
  ASSERT_OK(ctx, snug__replace_begin(&r, ctx, path));
  ASSERT_OK(ctx, snug__replace_write(&r, "new", 3));
  snug__replace_abandon(&r);
  ASSERT_EQ_TEXT(get(path), "old");
  ASSERT_EQ_INT(count_beside(path), 1);
}

TEST(a_path_without_a_folder_is_here) {
  snug_ctx *ctx = test_ctx();
  char folder[512];
  const char *path = test_path("here");
  ASSERT_OK(ctx, replace(ctx, path, "x")); /* makes sure that the folder is there */
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  ASSERT_EQ_INT(chdir(folder), 0);
  ASSERT_OK(ctx, replace(ctx, "fresh", "new"));
  ASSERT_EQ_TEXT(get(test_path("fresh")), "new");
  ASSERT_EQ_INT(chdir("/"), 0);
}

TEST(permissions_are_kept) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  struct stat info;
  put(path, "old");
  ASSERT_EQ_INT(chmod(path, 0640), 0);
  ASSERT_OK(ctx, replace(ctx, path, "new"));
  ASSERT_EQ_INT(stat(path, &info), 0);
  ASSERT_EQ_INT(info.st_mode & 0777, 0640);
}

TEST(links_are_followed) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  const char *link = test_path("link");
  struct stat info;
  put(path, "old");
  ASSERT_EQ_INT(symlink(path, link), 0);
  ASSERT_OK(ctx, replace(ctx, link, "new"));
  ASSERT_EQ_TEXT(get(path), "new");
  ASSERT_EQ_INT(lstat(link, &info), 0);
  ASSERT_TRUE(S_ISLNK(info.st_mode));
}

/* A temporary file of a process, by its number. */
static const char *temporary_of(long pid) {
  char name[64];
  snprintf(name, sizeof name, ".snug-%ld-0.tmp", pid);
  const char *path = test_path(name);
  put(path, "theirs");
  return path;
}

TEST(temporary_files_that_somebody_writes_are_left) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  const char *of_this = temporary_of((long)getpid()), *of_none = temporary_of(999999999);
  int a = open(of_this, O_RDONLY), b = open(of_none, O_RDONLY);
  ASSERT_TRUE(flock(a, LOCK_EX) == 0 && flock(b, LOCK_EX) == 0);
  ASSERT_OK(ctx, replace(ctx, path, "new"));
  ASSERT_EQ_TEXT(get(of_this), "theirs");
  ASSERT_EQ_TEXT(get(of_none), "theirs");
  ASSERT_EQ_INT(count_beside(path), 3);
  close(a);
  close(b);
}

/* Also those with the number of this process: in a container every run may have the same. */
TEST(temporary_files_that_nobody_writes_are_removed) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  temporary_of((long)getpid());
  temporary_of(999999999);
  const char *const others[] = {".snug-1.tmp", ".snug-1-2.tmp.keras", "a.snug-1-2.tmp",
                                ".snug-x-2.tmp", ".snug-1-.tmp"};
  for (size_t i = 0; i < SNUG_COUNT(others); i++) {
    put(test_path(others[i]), "of somebody else");
  }
  ASSERT_EQ_INT(mkdir(test_path(".snug-3-3.tmp"), 0700), 0);
  ASSERT_OK(ctx, replace(ctx, path, "new"));
  ASSERT_EQ_INT(count_beside(path), 1 + (int)SNUG_COUNT(others) + 1);
}

TEST(what_cannot_be_replaced_is_told_at_once) {
  snug_ctx *ctx = test_ctx();
  char name[300];
  struct stat info;
  snug__replace r;
  memset(name, 'n', 256);
  name[256] = 0;
  ASSERT_STATUS(ctx, snug__replace_begin(&r, ctx, test_path(name)), SNUG_E_IO,
                "cannot be written: File name too long");
  const char *path = test_path("a");
  ASSERT_OK(ctx, snug__replace_rehearse(ctx, path, 1 << 20));
  ASSERT_TRUE(stat(path, &info) != 0);
  put(path, "old");
  ASSERT_OK(ctx, snug__replace_rehearse(ctx, path, 1 << 20));
  ASSERT_EQ_TEXT(get(path), "old");
  ASSERT_STATUS(ctx, snug__replace_rehearse(ctx, path, (int64_t)1 << 60), SNUG_E_IO,
                "there is no room for 1152921504606846976 bytes");
  ASSERT_EQ_TEXT(get(path), "old");
  ASSERT_EQ_INT(count_beside(path), 1);
}

TEST(reserved_room_is_no_part_of_the_file) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("a");
  snug__replace r;
  ASSERT_OK(ctx, snug__replace_begin(&r, ctx, path));
  ASSERT_OK(ctx, snug__replace_reserve(&r, 1 << 20));
  ASSERT_OK(ctx, snug__replace_write(&r, "new", 3));
  ASSERT_OK(ctx, snug__replace_commit(&r));
  struct stat info;
  ASSERT_EQ_INT(stat(path, &info), 0);
  ASSERT_EQ_INT(info.st_size, 3);
  ASSERT_EQ_TEXT(get(path), "new");
}

/* ---- locks ---- */

TEST(a_second_run_is_told_who_holds_it) {
  snug_ctx *ctx = test_ctx();
  char expected[64];
  const char *path = test_path("log");
  put(path, "");
  int a = open(path, O_WRONLY), b = open(path, O_WRONLY);
  ASSERT_OK(ctx, snug__lock(ctx, a, "log"));
  snprintf(expected, sizeof expected, "log is in use by process %ld", (long)getpid());
  ASSERT_STATUS(ctx, snug__lock(ctx, b, "log"), SNUG_E_STATE, expected);
  close(a);
  ASSERT_OK(ctx, snug__lock(ctx, b, "log"));
  close(b);
}

TEST(a_long_name_is_no_obstacle) {
  snug_ctx *ctx = test_ctx();
  char name[256];
  memset(name, 'n', 255);
  name[255] = 0;
  const char *path = test_path(name);
  ASSERT_OK(ctx, replace(ctx, path, "new"));
  ASSERT_EQ_TEXT(get(path), "new");
}

TEST(failures_name_path_and_reason) {
  snug_ctx *ctx = test_ctx();
  ASSERT_STATUS(ctx, replace(ctx, "/no/such/folder/a", "x"), SNUG_E_IO,
                "/no/such/folder/a: cannot be written: No such file or directory");
  ASSERT_STATUS(ctx, replace(ctx, "/tmp", "x"), SNUG_E_IO, "Is a directory");
  char path[2 * SNUG__PATH_BYTES];
  memset(path, 'x', sizeof path);
  path[sizeof path - 1] = 0;
  ASSERT_STATUS(ctx, replace(ctx, path, "x"), SNUG_E_IO, "File name too long");
}

TEST(what_is_not_a_file_is_written_directly) {
  snug_ctx *ctx = test_ctx();
  struct stat info;
  ASSERT_OK(ctx, replace(ctx, "/dev/null", "x"));
  ASSERT_EQ_INT(stat("/dev/null", &info), 0);
  ASSERT_TRUE(S_ISCHR(info.st_mode));
  ASSERT_STATUS(ctx, replace(ctx, "/dev/full", "x"), SNUG_E_IO,
                "/dev/full: writing failed: No space left on device");
}

/* Run body in a process of its own and return its wait status. */
static int in_child(void (*body)(const char *path), const char *path) {
  int state = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    body(path);
    _exit(0);
  }
  ASSERT_TRUE(child > 0 && waitpid(child, &state, 0) == child);
  return state;
}

/* A disk that is full after 100000 bytes; no assertions in here, as this is another process. */
static void write_too_much(const char *path) {
  static char block[65536];
  struct rlimit limit = {100000, 100000};
  snug_ctx *ctx = NULL;
  snug__replace r;
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || snug_ctx_create(NULL, &ctx) != SNUG_OK ||
      snug__replace_begin(&r, ctx, path) != SNUG_OK ||
      snug__replace_write(&r, block, sizeof block) != SNUG_OK) {
    _exit(1);
  }
  if (snug__replace_write(&r, block, sizeof block) != SNUG_E_IO ||
      !strstr(snug_message(ctx), ": writing failed: File too large")) {
    _exit(2);
  }
  snug__replace_abandon(&r);
  snug_ctx_destroy(ctx);
}

TEST(a_full_disk_leaves_the_old_file) {
  const char *path = test_path("a");
  put(path, "old");
  ASSERT_EQ_INT(in_child(write_too_much, path), 0);
  ASSERT_EQ_TEXT(get(path), "old");
  ASSERT_EQ_INT(count_beside(path), 1);
}

static void die_before_commit(const char *path) {
  snug_ctx *ctx = NULL;
  snug__replace r;
  if (snug_ctx_create(NULL, &ctx) != SNUG_OK || snug__replace_begin(&r, ctx, path) != SNUG_OK ||
      snug__replace_write(&r, "new", 3) != SNUG_OK) {
    _exit(1);
  }
  kill(getpid(), SIGKILL);
}

TEST(being_killed_leaves_the_old_file) {
  const char *path = test_path("a");
  put(path, "old");
  ASSERT_EQ_INT(WTERMSIG(in_child(die_before_commit, path)), SIGKILL);
  ASSERT_EQ_TEXT(get(path), "old");
}

#define LARGE 200000

static void replace_for_ever(const char *path) {
  static char block[LARGE];
  snug_ctx *ctx = NULL;
  if (snug_ctx_create(NULL, &ctx) != SNUG_OK) {
    _exit(1);
  }
  for (int i = 0;; i++) {
    snug__replace r;
    memset(block, 'a' + i % 2, sizeof block);
    if (snug__replace_begin(&r, ctx, path) || snug__replace_write(&r, block, sizeof block / 2) ||
        snug__replace_write(&r, block, sizeof block / 2) || snug__replace_commit(&r)) {
      _exit(1);
    }
  }
}

/* Whether the file is all of one letter and of full length. */
static bool is_whole(const char *path) {
  static char text[LARGE + 1];
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof text, f) : 0;
  if (f) {
    fclose(f);
  }
  return n == LARGE && (text[0] == 'a' || text[0] == 'b') && memcmp(text, text + 1, LARGE - 1) == 0;
}

TEST(being_killed_at_any_moment_leaves_a_whole_file) {
  const char *path = test_path("a");
  char first[LARGE + 1];
  memset(first, 'a', LARGE);
  first[LARGE] = 0;
  put(path, first);
  for (int i = 0; i < 20; i++) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      replace_for_ever(path);
    }
    usleep((useconds_t)test_random_between(0, 15000));
    int state = 0;
    kill(child, SIGKILL);
    ASSERT_TRUE(waitpid(child, &state, 0) == child);
    ASSERT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL);
    ASSERT_TRUE(is_whole(path));
  }
}

TEST(folders_of_a_path_are_made) {
  snug_ctx *ctx = test_ctx();
  const char *path = test_path("some/folders/in/a/row.txt");
  struct stat info;
  ASSERT_OK(ctx, snug__make_folders(ctx, path));
  ASSERT_OK(ctx, snug__make_folders(ctx, path)); /* they may be there */
  ASSERT_EQ_INT(stat(test_path("some/folders/in/a"), &info), 0);
  ASSERT_TRUE(S_ISDIR(info.st_mode));
  ASSERT_TRUE(stat(path, &info) != 0);
  ASSERT_OK(ctx, snug__make_folders(ctx, "beside.txt"));
  ASSERT_STATUS(ctx, snug__make_folders(ctx, "/dev/null/a/b.txt"), SNUG_E_IO,
                "/dev/null/a: the folder cannot be made");
}
