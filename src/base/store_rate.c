/* How fast a folder takes bytes and gives them back. */
#include <stdbool.h>
#include <time.h>

#include "base/store.h"

#define PIECE (4 << 20)
#define PIECES 8

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds per byte of all pieces one way. */
static snug_status move(snug__store *s, char *piece, bool is_write, double *out) {
  double begin = now();
  int64_t ticket = 0;
  for (int64_t i = 0; i < PIECES; i++) {
    ticket = is_write ? snug__store_write(s, piece, i * PIECE, PIECE)
                      : snug__store_read(s, piece, i * PIECE, PIECE);
  }
  snug_status status = snug__store_wait(s, ticket);
  *out = (now() - begin) / ((double)PIECE * PIECES);
  return status ? snug__store_fail(s, "offload") : SNUG_OK;
}

static snug_status measure(snug_ctx *ctx, const char *folder, char *piece, snug__store_rate *out) {
  snug__store *s = NULL;
  SNUG_TRY(snug__store_open(
      ctx, &(snug__store_options){.folder = folder, .bytes = (int64_t)PIECE * PIECES}, &s));
  snug_status status = move(s, piece, true, &out->write);
  status = status ? status : move(s, piece, false, &out->read);
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
