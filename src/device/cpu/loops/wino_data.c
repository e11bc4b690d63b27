/* Winograd's convolution, forward and for the gradient of the data (see ../wino.h).
 *
 * The transformed weights are made for one group of output channels at a time, as many as fit into
 * GROUP_BYTES, so that they stay in the shared cache.  Then each thread walks over chunks of tiles
 * on its own: windows of a chunk are transformed for all input channels, and for every WIDE blocks
 * of output channels come 36 products and the transform back, while these lie in its own cache.
 *
 * Scratch: the weights of a group, [wide][plane][input channel][WIDE][LANES], then per thread the
 * windows, [input block][plane][tile][LANES], and the products, [WIDE][plane][tile][LANES].  A
 * vector is left free behind each plane: planes would otherwise lie a power of two apart, and all
 * 36 stores of a transform would fall into one set of the cache. */
#ifdef __AVX2__
#include <string.h>

#include "base/thread.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/wino.h"
#include "device/cpu/loops/wino_tiles.h"

#define SIX 6 /* tiles that a product computes at once */
#define GROUP_BYTES (10 << 20)
#define PAST_CACHE_BYTES (16 << 20)
#ifndef CHUNK
#define CHUNK 24 /* tiles; a multiple of SIX */
#endif
#define STEP ((CHUNK + 1) * LANES) /* floats from plane to plane of windows and products */

typedef struct job {
  snug__wino_shape s; /* of the forward that is computed: swapped for the gradient */
  int turned;         /* weights are read for the gradient of the data */
  int64_t in_blocks, out_blocks;
  int64_t tiles, chunk;    /* tiles in all and in a chunk, a multiple of SIX */
  int64_t wides, in_group; /* sets of WIDE output blocks, in all and in a group */
  int64_t panel;           /* floats from plane to plane of weights */
  images x;
  const float *weights;
  snug__wino_finish finish;
  float *y, *panels, *own;
  int64_t first, end; /* wides of the present group */
  int past_cache;     /* outputs are not to go through the cache */
} job;

/* Chunks as equal as can be, as many for each thread. */
static int64_t chunk_tiles(const job *j) {
  int64_t chunks = round_up(div_up(j->tiles, CHUNK), j->s.threads);
  return round_up(div_up(j->tiles, chunks), SIX);
}

static void plan(job *j) {
  j->in_blocks = div_up(j->s.ci, LANES);
  j->out_blocks = div_up(j->s.co, LANES);
  j->tiles = tile_count(&j->s);
  j->chunk = chunk_tiles(j);
  j->wides = div_up(j->out_blocks, WIDE);
  j->panel = j->in_blocks * LANES * WIDE * LANES + LANES;
  int64_t fit = larger(1, GROUP_BYTES / (PLANES * j->panel * (int64_t)sizeof(float)));
  j->in_group = div_up(j->wides, div_up(j->wides, fit));
}

static int64_t group_floats(const job *j) { return j->in_group * PLANES * j->panel; }

static int64_t own_floats(const job *j) { return (j->in_blocks + WIDE) * PLANES * STEP; }

/* Taps of one block pair with the channels swapped and the kernel turned: [9][LANES of o][LANES of
 * i]. */
static void turn(const float *from, float *to) {
  for (int tap = 0; tap < 9; tap++) {
    const float *w = from + (8 - tap) * LANES * LANES;
    for (int o = 0; o < LANES; o++) {
      for (int i = 0; i < LANES; i++) {
        *to++ = w[i * LANES + o];
      }
    }
  }
}

/* One pair of blocks; `in` and `out` are those of the computed forward. */
static void transform_pair(const job *j, int64_t out, int64_t in) {
  _Alignas(64) float turned[9 * LANES * LANES];
  int64_t wide = out / WIDE, width = smaller(WIDE, j->out_blocks - wide * WIDE);
  int64_t pair = j->turned ? in * j->out_blocks + out : out * j->in_blocks + in;
  const float *w = j->weights + pair * 9 * LANES * LANES;
  float *to = j->panels + (wide - j->first) * PLANES * j->panel;
  to += in * LANES * width * LANES + out % WIDE * LANES;
  if (j->turned) {
    turn(w, turned);
    w = turned;
  }
  for (int i = 0; i < LANES; i++) {
    transform_kernel(w + i * LANES, LANES * LANES, to + i * width * LANES, j->panel);
  }
}

static void transform_weights(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t out = j->first * WIDE, n = smaller(j->end * WIDE, j->out_blocks) - out;
  int64_t end = share(n * j->in_blocks, slot + 1, j->s.threads);
  for (int64_t k = share(n * j->in_blocks, slot, j->s.threads); k < end; k++) {
    transform_pair(j, out + k / j->in_blocks, k % j->in_blocks);
  }
}

/* Products of SIX tiles with `width` output blocks, summed over all input channels. */
INLINE void product(const job *j, int64_t width, const float *u, const float *v, float *m) {
  vec sum[WIDE][SIX] = {{{0}}};
  for (int64_t block = 0; block < j->in_blocks; block++, v += PLANES * STEP) {
    for (int c = 0; c < LANES; c++, u += width * LANES) {
      vec weights[WIDE];
      for (int64_t k = 0; k < width; k++) {
        weights[k] = load(u + k * LANES);
      }
      for (int t = 0; t < SIX; t++) {
        vec x = all(v[t * LANES + c]);
        for (int64_t k = 0; k < width; k++) {
          sum[k][t] = mad(weights[k], x, sum[k][t]);
        }
      }
    }
  }
  for (int64_t k = 0; k < width; k++) {
    for (int t = 0; t < SIX; t++) {
      store(m + k * PLANES * STEP + t * LANES, sum[k][t]);
    }
  }
}

INLINE void products(const job *j, int64_t width, int64_t n, const float *u, const float *v,
                     float *m) {
  for (int64_t t = 0; t < n; t += SIX) {
    product(j, width, u, v + t * LANES, m + t * LANES);
  }
}

/* One plane of n tiles; each width is compiled by itself. */
static void multiply(const job *j, int64_t width, int64_t n, const float *u, const float *v,
                     float *m) {
  switch (width) {
    case 1:
      products(j, 1, n, u, v, m);
      return;
#if WIDE == 4
    case 2:
      products(j, 2, n, u, v, m);
      return;
    case 3:
      products(j, 3, n, u, v, m);
      return;
#endif
    default:
      products(j, WIDE, n, u, v, m);
  }
}

static vec bias_of(const job *j, int64_t block) {
  _Alignas(64) float bias[LANES] = {0};
  if (j->finish.bias) {
    int64_t n = smaller(LANES, j->s.co - block * LANES);
    memcpy(bias, j->finish.bias + block * LANES, (size_t)n * sizeof(float));
  }
  return load(bias);
}

static float *output_at(const job *j, square at, int64_t block) {
  int64_t image = at.image * j->out_blocks + block;
  return j->y + ((image * j->s.oh + at.y) * j->s.ow + at.x) * LANES;
}

static void fetch_output(const job *j, square at, int64_t block) {
  const float *to = output_at(j, at, block);
  for (int k = 0; k < 16; k++) {
    fetch(to, (k / 4 * j->s.ow + k % 4) * LANES, 1);
  }
}

INLINE void store_part(vec y[4][4], int64_t rows, int64_t columns, float *to, int64_t row) {
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t c = 0; c < columns; c++) {
      store(to + r * row + c * LANES, y[r][c]);
    }
  }
}

INLINE void stream_all(vec y[4][4], float *to, int64_t row) {
  for (int k = 0; k < 16; k++) {
    stream(to + k / 4 * row + k % 4 * LANES, y[k / 4][k % 4]);
  }
}

static void store_tile(const job *j, const float *m, square at, int64_t block, vec bias) {
  vec y[4][4], low = all(j->finish.low), high = all(j->finish.high);
  int64_t rows = smaller(4, j->s.oh - at.y), columns = smaller(4, j->s.ow - at.x);
  float *to = output_at(j, at, block);
  transform_output(m, STEP, y);
  for (int k = 0; k < 16; k++) {
    y[k / 4][k % 4] = clip(y[k / 4][k % 4] + bias, low, high);
  }
  if (rows < 4 || columns < 4) {
    store_part(y, rows, columns, to, j->s.ow * LANES);
  } else if (j->past_cache) {
    stream_all(y, to, j->s.ow * LANES);
  } else {
    store_part(y, 4, 4, to, j->s.ow * LANES);
  }
}

static void finish_wide(const job *j, int64_t wide, const square *at, int64_t n, const float *m) {
  for (int64_t block = wide * WIDE; block < smaller(j->out_blocks, wide * WIDE + WIDE); block++) {
    vec bias = bias_of(j, block);
    for (int64_t t = 0; t < n; t++) {
      if (!j->past_cache && t + AHEAD < n) {
        fetch_output(j, at[t + AHEAD], block);
      }
      store_tile(j, m + block % WIDE * PLANES * STEP + t * LANES, at[t], block, bias);
    }
  }
}

static void run_chunk(const job *j, int64_t t, int64_t n, float *windows, float *products) {
  square at[CHUNK];
  int64_t whole = round_up(n, SIX);
  for (int64_t k = 0; k < whole; k++) {
    at[k] = tile_at(&j->s, smaller(t + k, j->tiles - 1));
  }
  load_windows(&j->x, &j->s, at, whole, 0, j->in_blocks, windows, STEP);
  for (int64_t wide = j->first; wide < j->end; wide++) {
    int64_t width = smaller(WIDE, j->out_blocks - wide * WIDE);
    const float *u = j->panels + (wide - j->first) * PLANES * j->panel;
    for (int64_t p = 0; p < PLANES; p++) {
      multiply(j, width, whole, u + p * j->panel, windows + p * STEP, products + p * STEP);
    }
    finish_wide(j, wide, at, n, products);
  }
}

static void run_chunks(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t chunks = div_up(j->tiles, j->chunk), end = share(chunks, slot + 1, j->s.threads);
  float *windows = j->own + slot * own_floats(j),
        *products = windows + j->in_blocks * PLANES * STEP;
  for (int64_t k = share(chunks, slot, j->s.threads); k < end; k++) {
    run_chunk(j, k * j->chunk, smaller(j->chunk, j->tiles - k * j->chunk), windows, products);
  }
  _mm_sfence(); /* what went past the cache is in memory before another thread reads it */
}

/* Whether outputs will have left the cache before anybody reads them. */
static int goes_past_cache(const job *j) {
  int64_t bytes = j->s.n * j->out_blocks * j->s.oh * j->s.ow * (int64_t)sizeof(vec);
  return bytes > PAST_CACHE_BYTES && (uintptr_t)j->y % sizeof(vec) == 0;
}

static void run_groups(job *j, void *scratch) {
  j->past_cache = goes_past_cache(j);
  j->panels = scratch;
  j->own = j->panels + group_floats(j);
  for (j->first = 0; j->first < j->wides; j->first = j->end) {
    j->end = smaller(j->wides, j->first + j->in_group);
    snug__parallel_for(j->s.threads, j->s.threads, transform_weights, j);
    snug__parallel_for(j->s.threads, j->s.threads, run_chunks, j);
  }
}

/* The forward that computes the gradient of the data. */
static snug__wino_shape swapped(const snug__wino_shape *s) {
  return (snug__wino_shape){.n = s->n,
                            .ci = s->co,
                            .h = s->oh,
                            .w = s->ow,
                            .co = s->ci,
                            .oh = s->h,
                            .ow = s->w,
                            .pad_top = 2 - s->pad_top,
                            .pad_left = 2 - s->pad_left,
                            .threads = s->threads};
}

int64_t SNUG_LOOP(wino_data_scratch)(const snug__wino_shape *s, int backward) {
  job j = {.s = backward ? swapped(s) : *s};
  plan(&j);
  return (group_floats(&j) + j.s.threads * own_floats(&j)) * (int64_t)sizeof(float);
}

void SNUG_LOOP(wino_forward)(const snug__wino_shape *s, const float *x, const float *weights,
                             const snug__wino_finish *finish, float *y, void *scratch) {
  job j = {.s = *s, .weights = weights, .finish = *finish, .y = y};
  plan(&j);
  j.x = (images){x, j.in_blocks, s->h, s->w};
  run_groups(&j, scratch);
}

void SNUG_LOOP(wino_backward_data)(const snug__wino_shape *s, const float *dy, const float *weights,
                                   float *dx, void *scratch) {
  job j = {.s = swapped(s), .turned = 1, .weights = weights, .y = dx};
  j.finish = (snug__wino_finish){NULL, -__builtin_inff(), __builtin_inff()};
  plan(&j);
  j.x = (images){dy, j.in_blocks, s->oh, s->ow};
  run_groups(&j, scratch);
}
#endif
