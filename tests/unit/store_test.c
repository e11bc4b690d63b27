/* The store: what was written is read again, whatever the system's calls do; a folder that cannot
 * hold it is told when it is opened. */
#include "base/store.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "lib/fault.h"

#define PAGE SNUG__STORE_ALIGN
#define MIB (INT64_C(1) << 20)

static snug__store *open_store(snug_ctx *ctx, int64_t bytes, const snug__store_calls *calls) {
  snug__store *s = NULL;
  ASSERT_OK(ctx, snug__store_open(ctx, &(snug__store_options){NULL, bytes, calls}, &s));
  return s;
}

/* ---- moving ---- */

/* Values of all kinds of sizes, written at once and read back in another order. */
static void check_round_trip(const snug__store_calls *calls) {
  static const int64_t sizes[] = {1,         4095,      4096,          4097,    100,     0,
                                  512 << 10, 700 << 10, (1 << 20) + 1, 3 << 20, 64 << 10};
  enum { N = SNUG_COUNT(sizes) };
  snug_ctx *ctx = test_ctx();
  snug__store *s = open_store(ctx, 8 * MIB, calls);
  unsigned char *from[N], *to[N];
  int64_t ticket[N], offset[N + 1];
  offset[0] = 0;
  for (int i = 0; i < N; i++) {
    from[i] = malloc((size_t)sizes[i] + 1);
    to[i] = malloc((size_t)sizes[i] + 1);
    ASSERT_TRUE(from[i] && to[i]);
    test_random_bytes(from[i], (size_t)sizes[i]);
    memset(to[i], 0xCB, (size_t)sizes[i] + 1);
    offset[i + 1] = (offset[i] + sizes[i] + PAGE - 1) / PAGE * PAGE;
    ticket[i] = snug__store_write(s, from[i], offset[i], sizes[i]);
  }
  for (int i = N; i-- > 0;) {
    ASSERT_OK(ctx, snug__store_wait(s, ticket[i]));
    ticket[i] = snug__store_read(s, to[i], offset[i], sizes[i]);
  }
  for (int i = 0; i < N; i++) {
    ASSERT_OK(ctx, snug__store_wait(s, ticket[i]));
    ASSERT_EQ_BYTES(to[i], from[i], (size_t)sizes[i]);
    ASSERT_EQ_INT(to[i][sizes[i]], 0xCB);
    free(from[i]);
    free(to[i]);
  }
  snug__store_close(s);
}

TEST(what_is_written_is_read) { check_round_trip(NULL); }

/* Every call moves at most this much, and every third is interrupted. */
#define MOST_AT_ONCE (64 << 10)
static atomic_int n_calls;

static bool is_interrupted(void) {
  errno = EINTR;
  return atomic_fetch_add(&n_calls, 1) % 3 == 2;
}

static ssize_t short_read(int fd, void *to, size_t n, off_t at) {
  return is_interrupted() ? -1 : pread(fd, to, n < MOST_AT_ONCE ? n : MOST_AT_ONCE, at);
}

static ssize_t short_write(int fd, const void *from, size_t n, off_t at) {
  return is_interrupted() ? -1 : pwrite(fd, from, n < MOST_AT_ONCE ? n : MOST_AT_ONCE, at);
}

TEST(short_counts_and_interruptions_lose_nothing) {
  check_round_trip(&(snug__store_calls){short_read, short_write});
  ASSERT_TRUE(n_calls > 100);
}

/* More transfers than can be under way. */
TEST(many_small_transfers) {
  enum { N = 1000 };
  snug_ctx *ctx = test_ctx();
  snug__store *s = open_store(ctx, N * PAGE, NULL);
  static int64_t from[N], to[N];
  int64_t first = 0, last = 0;
  for (int64_t i = 0; i < N; i++) {
    from[i] = i * i;
    last = snug__store_write(s, &from[i], i * PAGE, sizeof from[i]);
    first = first ? first : last;
  }
  ASSERT_OK(ctx, snug__store_wait(s, first)); /* its place was given to others long ago */
  snug__store_settle(s);
  for (int64_t i = 0; i < N; i++) {
    last = snug__store_read(s, &to[i], i * PAGE, sizeof to[i]);
  }
  snug__store_settle(s);
  ASSERT_OK(ctx, snug__store_wait(s, last));
  ASSERT_EQ_BYTES(to, from, sizeof to);
  snug__store_close(s);
}

TEST(closing_drops_what_waits) {
  snug_ctx *ctx = test_ctx();
  snug__store *s = open_store(ctx, 32 * MIB, NULL);
  char *bytes = calloc(1, (size_t)MIB);
  ASSERT_NOT_NULL(bytes);
  for (int64_t i = 0; i < 32; i++) {
    snug__store_write(s, bytes, i * MIB, MIB);
  }
  snug__store_close(s);
  free(bytes); /* a sanitizer would see who still reads it */
}

TEST(open_takes_what_it_costs) {
  snug_ctx *ctx = test_ctx();
  snug_memory_info before = SNUG_INIT(snug_memory_info), after = SNUG_INIT(snug_memory_info);
  snug_memory_get(ctx, &before);
  snug__store *s = open_store(ctx, 5000, NULL);
  snug_memory_get(ctx, &after);
  ASSERT_EQ_INT(after.current - before.current, snug__store_cost());
  snug__store_close(s);
}

/* ---- failures ---- */

static ssize_t no_read(int fd, void *to, size_t n, off_t at) {
  (void)fd, (void)to, (void)n, (void)at;
  errno = EIO;
  return -1;
}

static ssize_t no_write(int fd, const void *from, size_t n, off_t at) {
  (void)fd, (void)from, (void)n, (void)at;
  errno = ENOSPC;
  return -1;
}

static ssize_t end_of_file(int fd, void *to, size_t n, off_t at) {
  (void)fd, (void)to, (void)n, (void)at;
  return 0;
}

static void check_failure(snug__store_calls calls, const char *verb, int code) {
  snug_ctx *ctx = test_ctx();
  snug__store *s = open_store(ctx, MIB, &calls);
  static char bytes[100000];
  int64_t write = snug__store_write(s, bytes, 0, sizeof bytes);
  int64_t read = snug__store_read(s, bytes, 0, sizeof bytes);
  snug__store_settle(s);
  ASSERT_EQ_INT(snug__store_wait(s, read), SNUG_E_IO);
  ASSERT_EQ_INT(snug__store_wait(s, write), SNUG_E_IO);
  ASSERT_STATUS(ctx, snug__store_fail(s, "conv1"), SNUG_E_IO, verb);
  ASSERT_HAS(snug_message(ctx), strerror(code));
  ASSERT_HAS(snug_message(ctx), "conv1: ");
  snug__store_close(s);
}

TEST(a_failure_is_told_by_every_wait) {
  check_failure((snug__store_calls){pread, no_write}, "writing", ENOSPC);
  check_failure((snug__store_calls){no_read, pwrite}, "reading", EIO);
  check_failure((snug__store_calls){end_of_file, pwrite}, "reading", EIO);
}

static void refuse(const char *folder, int64_t bytes, const char *part) {
  snug_ctx *ctx = test_ctx();
  snug__store *s = NULL;
  ASSERT_STATUS(ctx, snug__store_open(ctx, &(snug__store_options){folder, bytes, NULL}, &s),
                SNUG_E_IO, part);
  ASSERT_NULL(s);
  ASSERT_HAS(snug_message(ctx), folder ? folder : "/");
}

TEST(folders_that_will_not_do) {
  refuse("/nowhere/at/all", MIB, "no file can be made");
  refuse("/dev/null", MIB, "no file can be made");
  struct statfs fs;
  if (statfs("/dev/shm", &fs) == 0 && fs.f_type == 0x01021994) {
    refuse("/dev/shm", MIB, "lies in memory (tmpfs)");
  }
}

TEST(a_full_disk_is_told_when_it_is_opened) {
  refuse(NULL, INT64_C(1) << 52, "no room for a file of 4503599627370496 bytes");
}

/* A file system of 8 MiB, where root may make one; false if not. */
static bool mount_small(const char *folder) {
  char command[1024];
  snprintf(command, sizeof command,
           "exec 2>/dev/null; truncate -s 8M '%s.img' && mkfs.ext2 -q '%s.img' && mkdir '%s' && "
           "mount -o loop '%s.img' '%s'",
           folder, folder, folder, folder, folder);
  return geteuid() == 0 && system(command) == 0;
}

TEST(a_disk_that_is_full_stays_as_it_is) {
  const char *folder = test_path("small");
  snug_ctx *ctx = test_ctx();
  snug__store *s = NULL;
  struct statfs before, after;
  if (!mount_small(folder)) {
    test_skip("no small file system can be made here");
  }
  snug_status fits = snug__store_open(ctx, &(snug__store_options){folder, 4 * MIB, NULL}, &s);
  snug__store_close(s);
  statfs(folder, &before);
  snug_status full = snug__store_open(ctx, &(snug__store_options){folder, 9 * MIB, NULL}, &s);
  statfs(folder, &after);
  umount2(folder, MNT_DETACH);
  ASSERT_OK(ctx, fits);
  ASSERT_STATUS(ctx, full, SNUG_E_IO, "no room for a file of 9437184 bytes: No space left");
  ASSERT_EQ_INT(before.f_bfree, after.f_bfree);
}

/* A limit on the size of files would end the process by a signal. */
TEST(a_limit_on_files_is_told_when_it_is_opened) {
  struct rlimit before, small;
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){MIB, before.rlim_max};
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
  refuse(NULL, 2 * MIB, "no room for a file of 2097152 bytes: File too large");
  snug__store_close(open_store(test_ctx(), MIB, NULL));
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
}

TEST(tmpdir_is_used) {
  const char *given = getenv("TMPDIR");
  char *before = given ? strdup(given) : NULL;
  setenv("TMPDIR", "/nowhere/either", 1);
  refuse(NULL, MIB, "/nowhere/either: no file can be made");
  if (before) {
    setenv("TMPDIR", before, 1);
  } else {
    unsetenv("TMPDIR");
  }
  free(before);
}

static snug_status measure(snug_ctx *ctx, void *arg) {
  snug__store_rate *rate = arg;
  return snug__store_measure(ctx, NULL, rate);
}

/* With a file of timings the same folder has the same rate. */
TEST(rates_are_kept) {
  snug__store_rate first, second;
  ASSERT_EQ_INT(mkdir(test_path("cache"), 0777), 0);
  setenv("SNUG_CACHE", test_path("cache"), 1);
  snug_ctx *ctx = test_ctx();
  ASSERT_OK(ctx, snug__store_rate_of(ctx, NULL, &first));
  ASSERT_OK(ctx, snug__store_rate_of(ctx, NULL, &second));
  ASSERT_TRUE(first.write == second.write && first.read == second.read);
  ASSERT_TRUE(first.busy == second.busy && first.busy > 0.0 && first.busy < 1e-6);
  ASSERT_STATUS(ctx, snug__store_rate_of(ctx, "/nowhere/at/all", &first), SNUG_E_IO, "/nowhere");
}

TEST(rates_are_measured_and_memory_may_fail) {
  snug__store_rate rate;
  ASSERT_OK(NULL, measure(test_ctx(), &rate));
  ASSERT_TRUE(rate.write > 0.0 && rate.read > 0.0 && rate.write < 1e-3 && rate.read < 1e-3);
  test_fault_sweep(measure, &rate);
}
