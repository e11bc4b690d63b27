/* Winograd's gradient of the weights (see ../wino.h).
 *
 * Pairs of channel blocks are worked through in boxes, 36 sums per pair of channels.  For a box the
 * tiles are walked over in strips: windows of x and tiles of dy are transformed, then their
 * products are added to the sums.  Where the sums are few, each thread has its own and its share of
 * the tiles, all of which stays in its own cache; the sums are added up at the end in the order of
 * the threads.  Where they are many, all threads work on one strip: first each transforms its share
 * of the tiles, then each adds up its share of the sums.  Either way a sum is made in a fixed
 * order.
 *
 * Scratch: the sums, [wide][plane][input channel][WIDE][LANES], the windows, [input
 * block][plane][tile][LANES], and the gradients, [wide][plane][tile][WIDE][LANES], once or per
 * thread, with a vector left free behind each plane as in wino_data.c. */
#ifdef __AVX2__
#include <string.h>

#include "base/thread.h"
#include "device/cpu/loops/wino.h"
#include "device/cpu/loops/wino_tiles.h"

#define FOUR 4                       /* input channels that a product computes at once */
#define BOX_CHANNELS 256             /* of each side */
#define SUM_BYTES (10 << 20)         /* sums of all threads */
#define STRIP 48                     /* tiles */
#define V_STEP ((STRIP + 1) * LANES) /* floats from plane to plane */
#define Z_STEP ((STRIP * WIDE + 1) * LANES)

typedef struct job {
  snug__wino_shape s;
  int64_t in_blocks, out_blocks;
  int64_t box_in, box_wides; /* most blocks and wides in a box */
  int64_t panel;             /* floats from plane to plane of sums */
  int64_t copies;            /* of the sums: one, or one per thread */
  images x, dy;
  float *dweights, *sums, *v, *z;
  int64_t in, n_in, wide, n_wides; /* the present box */
  int64_t first, n;                /* the present strip of tiles */
  int32_t crew;                    /* threads that share it */
} job;

static int64_t sum_floats(const job *j) { return j->box_wides * PLANES * j->panel; }

static int64_t v_floats(const job *j) { return j->box_in * PLANES * V_STEP; }

static int64_t own_floats(const job *j) {
  return sum_floats(j) + v_floats(j) + j->box_wides * PLANES * Z_STEP;
}

static void plan(job *j, const snug__wino_shape *s) {
  j->s = *s;
  j->in_blocks = div_up(s->ci, LANES);
  j->out_blocks = div_up(s->co, LANES);
  int64_t wides = div_up(j->out_blocks, WIDE);
  j->box_in = div_up(j->in_blocks, div_up(j->in_blocks, BOX_CHANNELS / LANES));
  j->box_wides = div_up(wides, div_up(wides, BOX_CHANNELS / LANES / WIDE));
  j->panel = j->box_in * LANES * WIDE * LANES + LANES;
  int64_t all_sums = s->threads * sum_floats(j) * (int64_t)sizeof(float);
  j->copies = all_sums <= SUM_BYTES ? s->threads : 1;
}

static int64_t width_of(const job *j, int64_t wide) {
  return smaller(WIDE, j->out_blocks - wide * WIDE);
}

INLINE void load_gradient(const job *j, square at, int64_t block, float *to) {
  _Alignas(64) float border[16 * LANES];
  const float *dy = image_of(&j->dy, at, block);
  if (is_inside(&j->dy, at, 4)) {
    transform_gradient(dy + (at.y * j->dy.w + at.x) * LANES, j->dy.w * LANES, to, Z_STEP);
  } else {
    gather(dy, &j->dy, at, 4, border);
    transform_gradient(border, 4 * LANES, to, Z_STEP);
  }
}

static void load_gradients(const job *j, const square *at, int64_t t, int64_t n) {
  int64_t end = smaller(j->out_blocks, (j->wide + j->n_wides) * WIDE);
  for (int64_t block = j->wide * WIDE; block < end; block++) {
    int64_t wide = block / WIDE, width = width_of(j, wide);
    float *to = j->z + (wide - j->wide) * PLANES * Z_STEP + block % WIDE * LANES;
    for (int64_t k = 0; k < n; k++) {
      int64_t next = k + AHEAD;
      fetch_square(&j->dy, at[next < n ? next : 0], block + (next >= n), 4, 0);
      load_gradient(j, at[k], block, to + (t + k) * width * LANES);
    }
  }
}

/* The slot's share of the strip's tiles. */
static void load_strip(void *arg, int64_t slot) {
  const job *j = arg;
  square at[STRIP];
  int64_t t = share(j->n, slot, j->crew), n = share(j->n, slot + 1, j->crew) - t;
  for (int64_t k = 0; k < n; k++) {
    at[k] = tile_at(&j->s, j->first + t + k);
  }
  load_windows(&j->x, &j->s, at, n, j->in, j->n_in, j->v + t * LANES, V_STEP);
  load_gradients(j, at, t, n);
}

/* Add the products of n tiles to the sums of FOUR input channels with `width` output blocks.  They
 * are summed up by themselves first: that keeps the error of a sum over many tiles small. */
INLINE void product(int width, int64_t n, const float *v, const float *z, float *sums) {
  vec sum[FOUR][WIDE] = {{{0}}};
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
      float *to = sums + (c * width + k) * LANES;
      store(to, load(to) + sum[c][k]);
    }
  }
}

INLINE void products(int width, int64_t n, const float *v, const float *z, float *sums) {
  for (int c = 0; c < LANES; c += FOUR) {
    product(width, n, v + c, z, sums + c * width * LANES);
  }
}

/* All channels of one input block; each width is compiled by itself. */
static void multiply(int64_t width, int64_t n, const float *v, const float *z, float *sums) {
  switch (width) {
    case 1:
      products(1, n, v, z, sums);
      return;
#if WIDE == 4
    case 2:
      products(2, n, v, z, sums);
      return;
    case 3:
      products(3, n, v, z, sums);
      return;
#endif
    default:
      products(WIDE, n, v, z, sums);
  }
}

/* One plane, a range of input blocks. */
static void add_plane(const job *j, int64_t plane, int64_t block, int64_t end) {
  for (int64_t k = 0; k < j->n_wides; k++) {
    int64_t width = width_of(j, j->wide + k);
    const float *z = j->z + (k * PLANES + plane) * Z_STEP;
    float *sums = j->sums + (k * PLANES + plane) * j->panel;
    for (int64_t b = block; b < end; b++) {
      const float *v = j->v + (b * PLANES + plane) * V_STEP;
      multiply(width, j->n, v, z, sums + b * LANES * width * LANES);
    }
  }
}

static void add_strip(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t k = share(PLANES * j->n_in, slot, j->crew);
  int64_t end = share(PLANES * j->n_in, slot + 1, j->crew);
  while (k < end) {
    int64_t plane = k / j->n_in, next = smaller(end, (plane + 1) * j->n_in);
    add_plane(j, plane, k % j->n_in, next - plane * j->n_in);
    k = next;
  }
}

static void clear_sums(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t n = sum_floats(j), first = share(n, slot, j->crew);
  memset(j->sums + first, 0, (size_t)(share(n, slot + 1, j->crew) - first) * sizeof(float));
}

/* Tiles [first, end) by a crew of threads. */
static void run_tiles(job *j, int64_t first, int64_t end) {
  snug__parallel_for(j->crew, j->crew, clear_sums, j);
  for (j->first = first; j->first < end; j->first += j->n) {
    j->n = smaller(STRIP, end - j->first);
    snug__parallel_for(j->crew, j->crew, load_strip, j);
    snug__parallel_for(j->crew, j->crew, add_strip, j);
  }
}

/* A thread on its own. */
static void run_share(void *arg, int64_t slot) {
  job own = *(const job *)arg;
  int64_t tiles = tile_count(&own.s), offset = slot * own_floats(&own);
  own.sums += offset;
  own.v += offset;
  own.z += offset;
  own.crew = 1;
  run_tiles(&own, share(tiles, slot, own.copies), share(tiles, slot + 1, own.copies));
}

/* The first copy of the sums plus the others. */
static void merge(void *arg, int64_t slot) {
  const job *j = arg;
  int64_t n = sum_floats(j), end = share(n, slot + 1, j->s.threads);
  for (int64_t copy = 1; copy < j->copies; copy++) {
    const float *more = j->sums + copy * own_floats(j);
    for (int64_t i = share(n, slot, j->s.threads); i < end; i++) {
      j->sums[i] += more[i];
    }
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

static void run_box(job *j) {
  if (j->copies > 1) {
    snug__parallel_for(j->s.threads, j->s.threads, run_share, j);
    snug__parallel_for(j->s.threads, j->s.threads, merge, j);
  } else {
    j->crew = j->s.threads;
    run_tiles(j, 0, tile_count(&j->s));
  }
  snug__parallel_for(j->s.threads, j->s.threads, finish_box, j);
}

int64_t SNUG_LOOP(wino_weights_scratch)(const snug__wino_shape *s) {
  job j;
  plan(&j, s);
  return j.copies * own_floats(&j) * (int64_t)sizeof(float);
}

void SNUG_LOOP(wino_backward_weights)(const snug__wino_shape *s, const float *x, const float *dy,
                                      float *dweights, void *scratch) {
  job j = {.dweights = dweights, .sums = scratch};
  plan(&j, s);
  j.x = (images){x, j.in_blocks, s->h, s->w};
  j.dy = (images){dy, j.out_blocks, s->oh, s->ow};
  j.v = j.sums + sum_floats(&j);
  j.z = j.v + v_floats(&j);
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
