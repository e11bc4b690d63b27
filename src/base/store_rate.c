/* How fast a folder takes bytes and gives them back. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/statfs.h>

#include "base/clock.h"
#include "base/store.h"
#include "base/store_file.h"
#include "base/timings.h"

#define PIECE (1 << 20)
#define PIECES 24

/* Seconds per byte of all pieces one way. */
static snug_status move(snug__store *s, char *piece, bool is_write, double *out) {
  double begin = snug__seconds(CLOCK_MONOTONIC);
  int64_t ticket = 0;
  for (int64_t i = 0; i < PIECES; i++) {
    ticket = is_write ? snug__store_write(s, piece, i * PIECE, PIECE)
                      : snug__store_read(s, piece, i * PIECE, PIECE);
  }
  snug_status status = snug__store_wait(s, ticket);
  *out = (snug__seconds(CLOCK_MONOTONIC) - begin) / ((double)PIECE * PIECES);
  return status ? snug__store_fail(s, "offload") : SNUG_OK;
}

static snug_status measure(snug_ctx *ctx, const char *folder, char *piece, snug__store_rate *out) {
  snug__store *s = NULL;
  SNUG_TRY(snug__store_open(
      ctx, &(snug__store_options){.folder = folder, .bytes = (int64_t)PIECE * PIECES}, &s));
  double begin = snug__seconds(CLOCK_PROCESS_CPUTIME_ID);
  snug_status status = move(s, piece, true, &out->write);
  status = status ? status : move(s, piece, false, &out->read);
  double busy = (snug__seconds(CLOCK_PROCESS_CPUTIME_ID) - begin) / (2.0 * PIECE * PIECES);
  out->busy = fmin(busy, (out->write + out->read) / 2.0); /* other threads may be busy, too */
  snug__store_close(s);
  return status;
}

snug_status snug__store_measure(snug_ctx *ctx, const char *folder, snug__store_rate *out) {
  void *piece = NULL;
  *out = (snug__store_rate){0};
  SNUG_TRY(snug__take(ctx, SNUG__MEM_SCRATCH, PIECE, &piece));
  snug_status s = measure(ctx, folder, piece, out);
  snug__give(ctx, SNUG__MEM_SCRATCH, piece, PIECE);
  return s;
}

/* A key of the file system that the folder is on, and of what is measured. */
static uint64_t key_of(const char *folder, const char *what) {
  struct statfs fs;
  uint64_t key = snug__key_add(SNUG__KEY_START, what, strlen(what));
  if (statfs(folder, &fs) == 0) {
    key = snug__key_add(key, &fs.f_fsid, sizeof fs.f_fsid);
    key = snug__key_add(key, &fs.f_blocks, sizeof fs.f_blocks);
  }
  return key;
}

static snug_status find_or_measure(snug_ctx *ctx, snug__timings *t, const char *folder,
                                   snug__store_rate *out) {
  uint64_t write = key_of(folder, "seconds per byte written");
  uint64_t read = key_of(folder, "seconds per byte read");
  uint64_t busy = key_of(folder, "seconds per byte of a processor");
  if (snug__timings_find(t, write, &out->write) && snug__timings_find(t, read, &out->read) &&
      snug__timings_find(t, busy, &out->busy)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__store_measure(ctx, folder, out));
  SNUG_TRY(snug__timings_add(t, write, out->write));
  SNUG_TRY(snug__timings_add(t, read, out->read));
  return snug__timings_add(t, busy, out->busy);
}

snug_status snug__store_rate_of(snug_ctx *ctx, const char *folder, snug__store_rate *out) {
  snug__timings t;
  *out = (snug__store_rate){0};
  SNUG_TRY(snug__timings_open(&t, ctx));
  snug_status s = find_or_measure(ctx, &t, snug__store_folder(folder), out);
  snug__timings_close(&t);
  return s;
}
