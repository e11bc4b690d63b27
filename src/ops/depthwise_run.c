/* The three loops of convolution where each input channel c is alone in its group and makes the
 * `m` output channels [c * m, c * m + m): all run along the channels, which are contiguous
 * everywhere. */
#include "ops/conv.h"
#include "ops/support.h"

#define BLOCK 64 /* channels that are accumulated together */

typedef snug__conv_job conv_job;

#define SNUG_REAL_FILE "ops/depthwise_run.inc"
#include "ops/real.h"

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const conv_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    for (int64_t k = 0; k < j->c.cout; k += BLOCK) {
      SNUG_REAL_CALL(j->dtype, depthwise_row, (j, row, k, snug__min_i64(BLOCK, j->c.cout - k)));
    }
  }
}

static void data_rows(void *arg, int64_t begin, int64_t end) {
  const conv_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    for (int64_t k = 0; k < j->c.cin; k += BLOCK) {
      SNUG_REAL_CALL(j->dtype, depthwise_data_row, (j, row, k, snug__min_i64(BLOCK, j->c.cin - k)));
    }
  }
}

static void weight_blocks(void *arg, int64_t begin, int64_t end) {
  const conv_job *j = arg;
  int64_t blocks = snug__ceil_div(j->c.cout, BLOCK);
  for (int64_t i = begin; i < end; i++) {
    int64_t k = i % blocks * BLOCK;
    SNUG_REAL_CALL(j->dtype, depthwise_weight_block,
                   (j, i / blocks, k, snug__min_i64(BLOCK, j->c.cout - k)));
  }
}

static void run(const conv_job *j, int64_t items, void (*body)(void *, int64_t, int64_t)) {
  conv_job copy = *j;
  double macs = snug__conv_macs(&j->c);
  snug__parallel_ranges(j->threads, items, snug__least_items(items, macs), body, &copy);
}

void snug__depthwise_forward(const conv_job *j) { run(j, j->c.batch * j->c.h.out, forward_rows); }

void snug__depthwise_bwd_data(const conv_job *j) { run(j, j->c.batch * j->c.h.in, data_rows); }

void snug__depthwise_bwd_weights(const conv_job *j) {
  run(j, j->c.h.kernel * j->c.w.kernel * snug__ceil_div(j->c.cout, BLOCK), weight_blocks);
}
