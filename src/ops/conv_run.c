/* The three loops of convolution.  Each output element is summed by one thread in an order that
 * depends on the shapes alone.
 *
 * forward      y[p][co]  = sum over taps, ci of x[p + tap][ci] * k[tap][ci][co]
 * bwd_data     dx[p][ci] = sum over taps, co of dy[p - tap][co] * k[tap][ci][co]
 * bwd_weights  dk[tap][ci][co] = sum over pixels of x[p + tap][ci] * dy[p][co]
 *
 * Forward and weights run along co, which is contiguous in kernel and output, into a block of
 * accumulators that stays in the nearest cache; bwd_data sums along co in LANES partial sums. */
#include "ops/conv.h"
#include "ops/support.h"

#define CO_BLOCK 64 /* output channels that are accumulated together */
#define CI_BLOCK 16 /* input channels of a block of the kernel's gradient */
#define DOTS 4      /* input channels of bwd_data that share the loads of dy */
#define LANES 2

/* Its constant arguments must reach the loops, which are then unrolled. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

typedef snug__conv_job conv_job;

/* Channels [first, first + n) of one group: first counts over all groups. */
typedef struct channel_block {
  int64_t group, first, n;
} channel_block;

/* Block i of channels that are split into groups and these into blocks of at most `most`. */
static channel_block block_at(int64_t channels, int64_t groups, int64_t most, int64_t i) {
  int64_t size = channels / groups;
  int64_t per_group = snug__ceil_div(size, most);
  int64_t begin = i % per_group * most;
  return (channel_block){i / per_group, i / per_group * size + begin,
                         snug__min_i64(most, size - begin)};
}

static int64_t block_count(int64_t channels, int64_t groups, int64_t most) {
  return groups * snug__ceil_div(channels / groups, most);
}

#define SNUG_REAL_FILE "ops/conv_run.inc"
#include "ops/real.h"

static void run(const conv_job *j, int64_t items, void (*body)(void *, int64_t, int64_t)) {
  conv_job copy = *j;
  double macs = snug__conv_macs(&j->c);
  snug__parallel_ranges(j->threads, items, snug__least_items(items, macs), body, &copy);
}

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const conv_job *j = arg;
  int64_t blocks = block_count(j->c.cout, j->c.groups, CO_BLOCK);
  for (int64_t row = begin; row < end; row++) {
    for (int64_t i = 0; i < blocks; i++) {
      SNUG_REAL_CALL(j->dtype, conv_forward_row,
                     (j, row, block_at(j->c.cout, j->c.groups, CO_BLOCK, i)));
    }
  }
}

static void data_rows(void *arg, int64_t begin, int64_t end) {
  const conv_job *j = arg;
  int64_t blocks = block_count(j->c.cin, j->c.groups, DOTS);
  int64_t stride = j->c.w.stride;
  for (int64_t i = begin * j->c.w.in; i < end * j->c.w.in; i++) {
    int64_t ix = i % j->c.w.in;
    for (int64_t k = 0; ix / stride % 2 == 0 && k < blocks; k++) {
      SNUG_REAL_CALL(j->dtype, conv_data_block,
                     (j, i / j->c.w.in, ix, block_at(j->c.cin, j->c.groups, DOTS, k)));
    }
  }
}

/* Items: kernel position, then block of input channels in a group, then block of output ones. */
static int64_t weight_items(const snug__conv *c) {
  return c->h.kernel * c->w.kernel * snug__ceil_div(c->cin / c->groups, CI_BLOCK) *
         block_count(c->cout, c->groups, CO_BLOCK);
}

static void weight_blocks(void *arg, int64_t begin, int64_t end) {
  const conv_job *j = arg;
  int64_t n_co = block_count(j->c.cout, j->c.groups, CO_BLOCK);
  int64_t n_ci = snug__ceil_div(j->c.cin / j->c.groups, CI_BLOCK);
  for (int64_t i = begin; i < end; i++) {
    channel_block out = block_at(j->c.cout, j->c.groups, CO_BLOCK, i % n_co);
    channel_block in = block_at(j->c.cin / j->c.groups, 1, CI_BLOCK, i / n_co % n_ci);
    SNUG_REAL_CALL(j->dtype, conv_weight_block, (j, i / n_co / n_ci, in, out));
  }
}

static bool is_depthwise(const snug__conv *c) { return c->groups > 1 && c->cin == c->groups; }

void snug__conv_forward(const conv_job *j) {
  if (is_depthwise(&j->c)) {
    snug__depthwise_forward(j);
  } else {
    run(j, j->c.batch * j->c.h.out, forward_rows);
  }
}

void snug__conv_bwd_data(const conv_job *j) {
  if (is_depthwise(&j->c)) {
    snug__depthwise_bwd_data(j);
  } else {
    run(j, j->c.batch * j->c.h.in, data_rows);
  }
}

void snug__conv_bwd_weights(const conv_job *j) {
  if (is_depthwise(&j->c)) {
    snug__depthwise_bwd_weights(j);
  } else {
    run(j, weight_items(&j->c), weight_blocks);
  }
}
