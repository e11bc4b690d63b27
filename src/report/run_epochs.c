/* The epochs of a run in order, each once: what moments say of them, and their values.  Both are
 * thinned, each in its own way, and a run that was resumed may go through an epoch again. */
#include <math.h>
#include <string.h>

#include "plan/sort.h"
#include "report/run.h"

static snug__epoch_row *row_at(snug__vec *epochs, size_t i) {
  return &SNUG_VEC(epochs, snug__epoch_row, i);
}

/* ---- in order ---- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Of an epoch that ran twice the later time and values count, and the most memory of both. */
static void replace(snug__epoch_row *row, const snug__epoch_row *later) {
  const snug__epoch_row before = *row;
  *row = *later;
  row->peak = larger(before.peak, later->peak);
  row->held = larger(before.held, later->held);
  row->device = larger(before.device, later->device);
}

static bool is_in_order(const snug__run *run) {
  for (size_t i = 1; i < run->epochs.n; i++) {
    if (snug__run_epoch(run, i - 1)->epoch >= snug__run_epoch(run, i)->epoch) {
      return false;
    }
  }
  return true;
}

/* Rows of one epoch stand side by side, the later behind. */
static void put_sorted(snug__vec *epochs, const snug__epoch_row *rows, const snug__key *keys) {
  size_t n = epochs->n;
  epochs->n = 0;
  for (size_t i = 0; i < n; i++) {
    const snug__epoch_row *row = &rows[keys[i].id];
    if (epochs->n && row_at(epochs, epochs->n - 1)->epoch == row->epoch) {
      replace(row_at(epochs, epochs->n - 1), row);
    } else {
      *row_at(epochs, epochs->n++) = *row;
    }
  }
}

static snug_status sort(snug__run *run, snug_ctx *ctx) {
  snug__key *keys = NULL; /* and as much room behind them */
  snug__epoch_row *rows = NULL;
  size_t n = run->epochs.n;
  if (is_in_order(run)) {
    return SNUG_OK;
  }
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &keys);
  s = s ? s : SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &rows);
  if (!s) {
    memcpy(rows, run->epochs.data, n * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
      keys[i] = (snug__key){rows[i].epoch, (int32_t)i};
    }
    snug__sort_keys(keys, keys + n, (int32_t)n);
    put_sorted(&run->epochs, rows, keys);
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, rows, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, keys, 2 * n);
  return s;
}

/* ---- values ---- */

/* Where the epoch stands among the first n rows, which are in order; n if it is none of them. */
static size_t place_of(const snug__run *run, size_t n, int64_t epoch) {
  size_t low = 0;
  size_t high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (snug__run_epoch(run, middle)->epoch < epoch) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n && snug__run_epoch(run, low)->epoch == epoch ? low : n;
}

/* Values of epochs without a moment get rows of their own. */
static snug_status add_logs(snug__run *run) {
  size_t n = run->epochs.n;
  for (size_t i = 0; i < snug_recording_epochs(run->of); i++) {
    snug__epoch_row fresh = {.begin = NAN, .end = NAN, .is_whole = true};
    fresh.logs = snug_recording_logs(run->of, i, &fresh.epoch);
    size_t at = place_of(run, n, fresh.epoch);
    if (at < n) {
      row_at(&run->epochs, at)->logs = fresh.logs;
    } else {
      SNUG_TRY(snug__vec_push(&run->epochs, &fresh, 1));
    }
  }
  return SNUG_OK;
}

snug_status snug__run_settle_epochs(snug__run *run, snug_ctx *ctx) {
  uint64_t before = 0; /* wraps around where a file holds nonsense */
  SNUG_TRY(sort(run, ctx));
  SNUG_TRY(add_logs(run));
  SNUG_TRY(sort(run, ctx));
  for (size_t i = 0; i < run->epochs.n; i++) {
    row_at(&run->epochs, i)->batches_before = before;
    before += (uint64_t)snug__run_epoch(run, i)->batches;
  }
  return SNUG_OK;
}

/* ---- questions ---- */

const snug__epoch_row *snug__run_find_epoch(const snug__run *run, int64_t epoch) {
  size_t at = place_of(run, run->epochs.n, epoch);
  return at < run->epochs.n ? snug__run_epoch(run, at) : NULL;
}

/* By their numbers, since rows are thinned; the first and the last are there. */
int64_t snug__run_epochs(const snug__run *run) {
  size_t n = run->epochs.n;
  return n ? snug__ordinal(snug__run_epoch(run, n - 1)->epoch - snug__run_epoch(run, 0)->epoch) : 0;
}
