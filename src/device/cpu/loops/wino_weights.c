/* Winograd's gradient of the weights (see ../wino.h).
 *
 * Pairs of channel blocks are worked through in boxes whose sums, 36 per pair of channels, stay in
 * the shared cache.  For a box the tiles are walked over in chunks: first all threads transform
 * windows of x and tiles of dy, each its share of the tiles, then they add the chunk's products to
 * the sums, each its share of the sums.  So every sum is made by one thread at a time, in the order
 * of the tiles: the bits do not depend on the number of threads.
 *
 * Scratch: the sums, [wide][plane][input channel][WIDE][LANES], the windows, [plane][input
 * block][tile][LANES], and the gradients, [plane][wide][tile][WIDE][LANES], with a vector left free
 * behind each plane as in wino_data.c. */
#ifdef __AVX2__
#include "base/thread.h"
#include "device/cpu/loops/wino.h"
#include "device/cpu/loops/wino_tiles.h"

#define FOUR 4           /* input channels that a product computes at once */
#define SUM_CHANNELS 256 /* channels of a box in each direction */
#define CHUNK_BYTES (6 << 20)
#define STRIP 96 /* tiles whose gradients stay in the first cache */
#define MAX_CHUNK (4 * STRIP)

typedef struct job {
  snug__wino_shape s;
  int64_t in_blocks, out_blocks;
  int64_t tiles, chunk;
  int64_t box_in, box_wides;         /* most blocks and wides in a box */
  int64_t panel, windows, gradients; /* floats from plane to plane */
  images x, dy;
  float *dweights, *sums, *v, *z;
  int64_t in, n_in, wide, n_wides; /* the present box */
  int64_t first, n;                /* the present chunk */
} job;

static void plan(job *j, const snug__wino_shape *s) {
  j->s = *s;
  j->in_blocks = div_up(s->ci, LANES);
  j->out_blocks = div_up(s->co, LANES);
  j->tiles = tile_count(s);
  int64_t wides = div_up(j->out_blocks, WIDE), fit = SUM_CHANNELS / LANES / WIDE;
  j->box_in = div_up(j->in_blocks, div_up(j->in_blocks, SUM_CHANNELS / LANES));
  j->box_wides = div_up(wides, div_up(wides, fit));
  int64_t bytes = PLANES * (j->box_in + j->box_wides * WIDE) * (int64_t)sizeof(vec);
  j->chunk = larger(1, smaller(smaller(CHUNK_BYTES / bytes, MAX_CHUNK), j->tiles));
  j->panel = j->box_in * LANES * WIDE * LANES + LANES;
  j->windows = j->box_in * j->chunk * LANES + LANES;
  j->gradients = j->box_wides * j->chunk * WIDE * LANES + LANES;
}

static int64_t sum_floats(const job *j) { return j->box_wides * PLANES * j->panel; }

static int64_t width_of(const job *j, int64_t wide) {
  return smaller(WIDE, j->out_blocks - wide * WIDE);
}

static void load_gradient(const job *j, square at, int64_t block, float *to) {
  _Alignas(64) float border[16 * LANES];
  const float *dy = image_of(&j->dy, at, block);
  int64_t row = j->dy.w * LANES;
  if (is_inside(&j->dy, at, 4)) {
    dy += at.y * row + at.x * LANES;
  } else {
    gather(dy, &j->dy, at, 4, border);
    dy = border;
    row = 4 * LANES;
  }
  transform_gradient(dy, row, to, j->gradients);
}

static void load_gradients(const job *j, const square *at, int64_t t, int64_t n) {
  int64_t end = smaller(j->out_blocks, (j->wide + j->n_wides) * WIDE);
  for (int64_t block = j->wide * WIDE; block < end; block++) {
    int64_t wide = block / WIDE, width = width_of(j, wide);
    float *to = j->z + (wide - j->wide) * j->chunk * WIDE * LANES + block % WIDE * LANES;
    for (int64_t k = 0; k < n; k++) {
      load_gradient(j, at[k], block, to + (t + k) * width * LANES);
    }
  }
}

/* The slot's share of the chunk's tiles. */
static void load_chunk(void *arg, int64_t slot) {
  const job *j = arg;
  square at[MAX_CHUNK];
  int64_t t = share(j->n, slot, j->s.threads), n = share(j->n, slot + 1, j->s.threads) - t;
  for (int64_t k = 0; k < n; k++) {
    at[k] = tile_at(&j->s, j->first + t + k);
  }
  for (int64_t block = 0; block < j->n_in; block++) {
    for (int64_t k = 0; k < n; k++) {
      float *to = j->v + (block * j->chunk + t + k) * LANES;
      load_window(&j->x, &j->s, at[k], j->in + block, to, j->windows);
    }
  }
  load_gradients(j, at, t, n);
}

/* Add the products of n tiles to the sums of FOUR input channels with `width` output blocks. */
INLINE void product(int width, int64_t n, const float *v, const float *z, float *sums) {
  vec sum[FOUR][WIDE];
  for (int c = 0; c < FOUR; c++) {
    for (int k = 0; k < width; k++) {
      sum[c][k] = load(sums + (c * width + k) * LANES);
    }
  }
  for (int64_t t = 0; t < n; t++, v += LANES, z += width * LANES) {
    vec gradients[WIDE];
    for (int k = 0; k < width; k++) {
      gradients[k] = load(z + k * LANES);
    }
    for (int c = 0; c < FOUR; c++) {
      vec x = all(v[c]);
      for (int k = 0; k < width; k++) {
        sum[c][k] = mad(gradients[k], x, sum[c][k]);
      }
    }
  }
  for (int c = 0; c < FOUR; c++) {
    for (int k = 0; k < width; k++) {
      store(sums + (c * width + k) * LANES, sum[c][k]);
    }
  }
}

/* All channels of one input block. */
#define PRODUCTS(width)                                                                  \
  static void products_##width(int64_t n, const float *v, const float *z, float *sums) { \
    for (int c = 0; c < LANES; c += FOUR) {                                              \
      product(width, n, v + c, z, sums + c * width * LANES);                             \
    }                                                                                    \
  }
PRODUCTS(1)
PRODUCTS(2)
#if WIDE == 4
PRODUCTS(3)
PRODUCTS(4)
#endif

static void multiply(int64_t width, int64_t n, const float *v, const float *z, float *sums) {
  switch (width) {
#if WIDE == 4
    case 4:
      products_4(n, v, z, sums);
      return;
    case 3:
      products_3(n, v, z, sums);
      return;
#endif
    case 2:
      products_2(n, v, z, sums);
      return;
    default:
      products_1(n, v, z, sums);
  }
}

/* One plane, a range of input blocks: strip by strip, so that what is summed stays near. */
static void add_plane(const job *j, int64_t plane, int64_t block, int64_t end) {
  for (int64_t t = 0; t < j->n; t += STRIP) {
    int64_t n = smaller(STRIP, j->n - t);
    for (int64_t k = 0; k < j->n_wides; k++) {
      int64_t width = width_of(j, j->wide + k);
      const float *z = j->z + plane * j->gradients + (k * j->chunk * WIDE + t * width) * LANES;
      float *sums = j->sums + (k * PLANES + plane) * j->panel;
      for (int64_t b = block; b < end; b++) {
        const float *v = j->v + plane * j->windows + (b * j->chunk + t) * LANES;
        multiply(width, n, v, z, sums + b * LANES * width * LANES);
      }
    }
  }
}

static void add_chunk(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t k = share(PLANES * j->n_in, slot, j->s.threads);
  int64_t end = share(PLANES * j->n_in, slot + 1, j->s.threads);
  while (k < end) {
    int64_t plane = k / j->n_in, next = smaller(end, (plane + 1) * j->n_in);
    add_plane(j, plane, k % j->n_in, next - plane * j->n_in);
    k = next;
  }
}

static void finish_pair(const job *j, int64_t out, int64_t in) {
  int64_t wide = out / WIDE, width = width_of(j, wide);
  const float *sums = j->sums + (wide - j->wide) * PLANES * j->panel + out % WIDE * LANES;
  float *to = j->dweights + (out * j->in_blocks + in) * 9 * LANES * LANES;
  for (int64_t i = 0; i < LANES; i++) {
    const float *p = sums + ((in - j->in) * LANES + i) * width * LANES;
    transform_taps(p, j->panel, to + i * LANES, LANES * LANES);
  }
}

static void finish_box(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t out = j->wide * WIDE, n = smaller(j->out_blocks, out + j->n_wides * WIDE) - out;
  int64_t end = share(n * j->n_in, slot + 1, j->s.threads);
  for (int64_t k = share(n * j->n_in, slot, j->s.threads); k < end; k++) {
    finish_pair(j, out + k / j->n_in, j->in + k % j->n_in);
  }
}

static void clear_box(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t n = sum_floats(j), first = share(n, slot, j->s.threads);
  memset(j->sums + first, 0, (size_t)(share(n, slot + 1, j->s.threads) - first) * sizeof(float));
}

static void run_box(job *j) {
  snug__parallel_for(j->s.threads, j->s.threads, clear_box, j);
  for (j->first = 0; j->first < j->tiles; j->first += j->n) {
    j->n = smaller(j->chunk, j->tiles - j->first);
    snug__parallel_for(j->s.threads, j->s.threads, load_chunk, j);
    snug__parallel_for(j->s.threads, j->s.threads, add_chunk, j);
  }
  snug__parallel_for(j->s.threads, j->s.threads, finish_box, j);
}

int64_t SNUG_LOOP(wino_weights_scratch)(const snug__wino_shape *s) {
  job j;
  plan(&j, s);
  return (sum_floats(&j) + PLANES * (j.windows + j.gradients)) * (int64_t)sizeof(float);
}

void SNUG_LOOP(wino_backward_weights)(const snug__wino_shape *s, const float *x, const float *dy,
                                      float *dweights, void *scratch) {
  job j = {.dweights = dweights, .sums = scratch};
  plan(&j, s);
  j.x = (images){x, j.in_blocks, s->h, s->w};
  j.dy = (images){dy, j.out_blocks, s->oh, s->ow};
  j.v = j.sums + sum_floats(&j);
  j.z = j.v + PLANES * j.windows;
  int64_t wides = div_up(j.out_blocks, WIDE);
  for (j.wide = 0; j.wide < wides; j.wide += j.n_wides) {
    j.n_wides = smaller(j.box_wides, wides - j.wide);
    for (j.in = 0; j.in < j.in_blocks; j.in += j.n_in) {
      j.n_in = smaller(j.box_in, j.in_blocks - j.in);
      run_box(&j);
    }
  }
}
#endif
