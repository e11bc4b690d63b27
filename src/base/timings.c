#include "base/timings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "base/thread.h"

#define MOST_TIMINGS 100000
#define MOST_BYTES (8 << 20) /* of a file */
#define MACHINE_BYTES 256
#define LOCK_TRIES 100 /* a millisecond each */
#define KEY_PRIME UINT64_C(0x100000001b3)
#define MOST_VALUE 0x1p53 /* bytes, too */

typedef struct timing {
  uint64_t key;
  double seconds;
  bool is_new;   /* the file that was read has not got it, */
  bool replaces; /* or has another one, which was found to be wrong */
} timing;

uint64_t snug__key_add(uint64_t key, const void *bytes, size_t n) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) {
    key = (key ^ at[i]) * KEY_PRIME;
  }
  return key;
}

/* ---- the table ---- */

static timing *timing_at(const snug__timings *t, size_t i) {
  return &SNUG_VEC(&t->list, timing, i);
}

/* Where a key is, or would be. */
static size_t place_of(const snug__timings *t, uint64_t key) {
  size_t low = 0;
  size_t high = t->list.n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (timing_at(t, middle)->key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool snug__timings_find(const snug__timings *t, uint64_t key, double *seconds) {
  size_t i = place_of(t, key);
  if (i == t->list.n || timing_at(t, i)->key != key) {
    return false;
  }
  *seconds = timing_at(t, i)->seconds;
  return true;
}

static snug_status put(snug__timings *t, timing added) {
  size_t i = place_of(t, added.key);
  if (i == t->list.n || timing_at(t, i)->key != added.key) {
    SNUG_TRY(snug__vec_push(&t->list, NULL, 1));
    memmove(timing_at(t, i) + 1, timing_at(t, i), (t->list.n - 1 - i) * sizeof added);
  }
  *timing_at(t, i) = added;
  return SNUG_OK;
}

snug_status snug__timings_add(snug__timings *t, uint64_t key, double seconds) {
  double before = 0.0;
  bool replaces = snug__timings_find(t, key, &before);
  SNUG_TRY(put(t, (timing){key, seconds, .is_new = true, .replaces = replaces}));
  t->has_new = true;
  return SNUG_OK;
}

/* ---- this machine ---- */

static bool read_model(char *out, size_t bytes) {
  char line[512];
  bool found = false;
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && !found && fgets(line, sizeof line, file)) {
    const char *colon = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    if (colon) {
      snprintf(out, bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
      out[strcspn(out, "\n")] = 0;
      found = true;
    }
  }
  if (file) {
    fclose(file);
  }
  return found;
}

/* "AMD EPYC, 2 cores". */
static void describe_machine(char *out, size_t bytes) {
  char model[128] = "";
  if (!read_model(model, sizeof model)) {
    snprintf(model, sizeof model, "unknown processor");
  }
  snprintf(out, bytes, "%s, %d cores", model, (int)snug__cores());
}

/* ---- the file's place ---- */

static bool join(char *out, size_t bytes, const char *folder, const char *rest) {
  int n = snprintf(out, bytes, "%s%s", folder, rest);
  return n > 0 && (size_t)n < bytes;
}

static bool find_folder(char *out, size_t bytes) {
  const char *own = getenv("SNUG_CACHE");
  const char *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (own) {
    return *own && join(out, bytes, own, "");
  }
  if (cache && *cache == '/') {
    return join(out, bytes, cache, "/snug");
  }
  return home && *home && join(out, bytes, home, "/.cache/snug");
}

/* One file per machine: a home may be seen by several. */
static void find_path(snug__timings *t, const char *machine) {
  char folder[SNUG__PATH_BYTES];
  char name[64];
  uint64_t key = snug__key_add(SNUG__KEY_START, machine, strlen(machine));
  snprintf(name, sizeof name, "/timings-%08" PRIx32 ".txt", (uint32_t)(key >> 32));
  if (!find_folder(folder, sizeof folder) || !join(t->path, sizeof t->path, folder, name)) {
    t->path[0] = 0;
  }
}

/* ---- reading ---- */

static void note(snug__timings *t, const char *what) {
  snprintf(t->note, sizeof t->note, "%.300s: %s", t->path, what);
}

/* The whole file as text.  *text is NULL if there is none that can be used. */
static snug_status read_file(snug__timings *t, char **text, size_t *bytes) {
  struct stat info;
  *text = NULL;
  int fd = *t->path ? open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (fd < 0) {
    if (*t->path && errno != ENOENT) {
      note(t, "the timings cannot be read and are measured anew");
    }
    return SNUG_OK;
  }
  snug_status s = SNUG_OK;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size < MOST_BYTES) {
    *bytes = (size_t)info.st_size + 1;
    s = snug__take(t->ctx, SNUG__MEM_SCRATCH, *bytes, (void **)text);
    ssize_t n = s ? 0 : read(fd, *text, *bytes - 1);
    if (!s && n >= 0) {
      (*text)[n] = 0;
    }
  } else {
    note(t, "this is no file of timings; they are measured anew");
  }
  close(fd);
  return s;
}

/* Behind a line that says exactly this; NULL if it says another thing. */
static const char *skip_line(const char *at, const char *line) {
  size_t n = strlen(line);
  return strncmp(at, line, n) == 0 && at[n] == '\n' ? at + n + 1 : NULL;
}

static bool read_key(const char **at, uint64_t *key) {
  char *end = NULL;
  if (strspn(*at, "0123456789abcdef") != 16) {
    return false;
  }
  *key = strtoull(*at, &end, 16);
  *at = end;
  return true;
}

static bool read_timing(const char **at, timing *out) {
  *out = (timing){0};
  if (!read_key(at, &out->key) || *(*at)++ != ' ' || !snug__read_float(at, &out->seconds) ||
      *(*at)++ != '\n') {
    return false;
  }
  return out->seconds >= 0.0 && out->seconds < MOST_VALUE;
}

/* From behind the head on.  *whole: every line was one, and the sum is right. */
static snug_status read_list(snug__timings *t, const char *text, const char *at, bool *whole) {
  uint64_t sum = 0;
  *whole = false;
  while (*at && strncmp(at, "sum ", 4) != 0) {
    timing read;
    if (t->list.n == MOST_TIMINGS || !read_timing(&at, &read)) {
      return SNUG_OK;
    }
    SNUG_TRY(put(t, read));
  }
  uint64_t right = snug__key_add(SNUG__KEY_START, text, (size_t)(at - text));
  *whole = *at && (at += 4, read_key(&at, &sum)) && sum == right && strcmp(at, "\n") == 0;
  return SNUG_OK;
}

static snug_status read_text(snug__timings *t, const char *text, const char *machine) {
  char line[MACHINE_BYTES + 16];
  bool whole = false;
  const char *at = skip_line(text, "snug-timings 1");
  if (!at) {
    note(t, "this is no file of timings; they are measured anew");
    return SNUG_OK;
  }
  snprintf(line, sizeof line, "version %s", snug_version());
  if (!(at = skip_line(at, line))) {
    note(t, "the timings are those of another version of snug and are measured anew");
    return SNUG_OK;
  }
  snprintf(line, sizeof line, "machine %s", machine);
  if (!(at = skip_line(at, line))) {
    note(t, "the timings are those of another machine and are measured anew");
    return SNUG_OK;
  }
  SNUG_TRY(read_list(t, text, at, &whole));
  if (!whole) {
    t->list.n = 0;
    note(t, "the file is damaged; the timings are measured anew");
  }
  return SNUG_OK;
}

snug_status snug__timings_open(snug__timings *t, snug_ctx *ctx) {
  char machine[MACHINE_BYTES];
  char *text = NULL;
  size_t bytes = 0;
  t->ctx = ctx;
  t->has_new = false;
  t->path[0] = t->note[0] = 0;
  snug__vec_init(&t->list, ctx, SNUG__MEM_SCRATCH, sizeof(timing), MOST_TIMINGS);
  describe_machine(machine, sizeof machine);
  find_path(t, machine);
  snug_status s = read_file(t, &text, &bytes);
  s = s || !text ? s : read_text(t, text, machine);
  snug__give(ctx, SNUG__MEM_SCRATCH, text, bytes);
  if (s) {
    snug__vec_release(&t->list);
  }
  return s;
}

/* ---- writing ---- */

static snug_status print(const snug__timings *t, snug__text *out) {
  char machine[MACHINE_BYTES];
  char number[SNUG__NUMBER_BYTES];
  describe_machine(machine, sizeof machine);
  SNUG_TRY(
      snug__text_add(out, "snug-timings 1\nversion %s\nmachine %s\n", snug_version(), machine));
  for (size_t i = 0; i < t->list.n; i++) {
    const timing *one = timing_at(t, i);
    SNUG_TRY(snug__text_add(out, "%016" PRIx64 " %s\n", one->key,
                            snug__print_float(one->seconds, number)));
  }
  uint64_t sum = snug__key_add(SNUG__KEY_START, snug__text_get(out), out->chars.n);
  return snug__text_add(out, "sum %016" PRIx64 "\n", sum);
}

static snug_status write_file(const snug__timings *t, const snug__text *text) {
  snug__replace r;
  SNUG_TRY(snug__replace_begin(&r, t->ctx, t->path));
  snug_status s = snug__replace_write(&r, snug__text_get(text), text->chars.n);
  if (s) {
    snug__replace_abandon(&r);
  }
  return s ? s : snug__replace_commit(&r);
}

static snug_status add_new(snug__timings *to, const snug__timings *from) {
  for (size_t i = 0; i < from->list.n; i++) {
    const timing *one = timing_at(from, i);
    double there = 0.0;
    bool wanted = one->is_new && (one->replaces || !snug__timings_find(to, one->key, &there));
    if (wanted) {
      SNUG_TRY(put(to, *one));
    }
  }
  return SNUG_OK;
}

static snug_status print_and_write(const snug__timings *t) {
  snug__text text;
  snug__text_init(&text, t->ctx, MOST_BYTES);
  snug_status s = print(t, &text);
  s = s ? s : write_file(t, &text);
  snug__text_release(&text);
  return s;
}

/* The folder, locked if nobody holds it for long; -1: not. */
static int lock_folder(const snug__timings *t) {
  char folder[SNUG__PATH_BYTES];
  memcpy(folder, t->path, sizeof folder);
  *strrchr(folder, '/') = 0;
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return fd;
}

/* What others wrote since the file was read stays. */
static snug_status merge(const snug__timings *t) {
  snug__timings now;
  SNUG_TRY(snug__timings_open(&now, t->ctx));
  snug_status s = add_new(&now, t);
  s = s ? s : print_and_write(&now);
  snug__vec_release(&now.list);
  return s;
}

static snug_status write_new(const snug__timings *t) {
  SNUG_TRY(snug__make_folders(t->ctx, t->path));
  int lock = lock_folder(t);
  snug_status s = merge(t);
  if (lock >= 0) {
    close(lock);
  }
  return s;
}

/* What cannot be written is measured again the next time; that is told once. */
void snug__timings_close(snug__timings *t) {
  snug_status s = t->has_new && *t->path ? write_new(t) : SNUG_OK;
  if (s && !t->ctx->told_timings) {
    t->ctx->told_timings = true;
    snug__note(t->ctx,
               "timings cannot be kept (%.300s): kernels are timed in every run, and a line may "
               "then get another plan; SNUG_CACHE names another folder",
               t->ctx->message);
  }
  snug__vec_release(&t->list);
}
