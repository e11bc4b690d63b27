/* dropout: the decisions of the reference, 128 of them at once.  Four neighbouring elements of a
 * sample share one counter of Philox. */
#include "ops/dropout.h"

#include "base/noise.h"
#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/philox.h"
#include "device/host.h"
#include "ops/support.h"

enum { X, SEED, STEP, OFFSET };

static int64_t scalar_of(const snug__call *call, int32_t i) {
  return i < call->sig->n_in && call->in[i] ? *(const int64_t *)call->in[i] : 0;
}

/* A word keeps its element if it is this large: word / 2^32 >= rate. */
static double least_word(const snug__signature *sig) {
  return ceil(((const snug__dropout_params *)sig->params)->rate * 0x1p32);
}

typedef struct drop {
  uint64_t key;
  int64_t offset;
  uint32_t least;
  float scale;
} drop;

static drop drop_of(const snug__call *call) {
  const snug__dropout_params *p = call->sig->params;
  return (drop){snug__noise_key(scalar_of(call, SEED), p->layer, scalar_of(call, STEP)),
                scalar_of(call, OFFSET), (uint32_t)least_word(call->sig),
                (float)(1.0 / (1.0 - p->rate))};
}

static void apply(const drop *d, const uint32_t *words, const float *x, float *y, int64_t n) {
  const uint32_t least = d->least;
  const float scale = d->scale;
  SNUG_SIMD for (int64_t i = 0; i < n; i++) {
    float kept = x[i] * scale;
    y[i] = words[i] >= least ? kept : 0.0f;
  }
}

static bool decides_each(const snug__signature *sig) {
  const snug__dropout_params *p = sig->params;
  bool each = sig->in[X].dtype == SNUG_FLOAT32 && least_word(sig) <= (double)UINT32_MAX;
  for (int32_t k = 0; each && k < p->noise_shape.n; k++) {
    each = p->noise_shape.v[k] == -1 || p->noise_shape.v[k] == sig->in[X].dim[k];
  }
  return each;
}

/* ---- plain values ---- */

static bool dropout_fits(const snug__signature *sig, snug__layouts *want) {
  (void)want;
  return decides_each(sig);
}

/* Elements [first, last) of one sample. */
static void drop_sample(const drop *d, int64_t sample, const float *x, float *y, int64_t first,
                        int64_t last) {
  uint64_t counters[SNUG__COUNTERS];
  uint32_t words[SNUG__WORDS];
  for (int64_t base = first / SNUG__WORDS * SNUG__WORDS; base < last; base += SNUG__WORDS) {
    int64_t from = snug__max_i64(first, base);
    int64_t to = snug__min_i64(last, base + SNUG__WORDS);
    for (int i = 0; i < SNUG__COUNTERS; i++) {
      counters[i] = (uint64_t)(base / 4 + i);
    }
    snug__make_words(d->key, counters, (uint64_t)(d->offset + sample), words);
    apply(d, words + (from - base), x + from, y + from, to - from);
  }
}

static void dropout_range(const snug__each *e, const snug__call *call, int64_t begin, int64_t end) {
  const snug__type *t = &call->sig->in[X];
  const drop d = drop_of(call);
  int64_t inside = t->dim[0] ? e->n / t->dim[0] : 0;
  for (int64_t at = begin; at < end;) {
    int64_t sample = at / inside;
    int64_t first = at - sample * inside;
    int64_t last = snug__min_i64(inside, first + end - at);
    drop_sample(&d, sample, (const float *)call->in[X] + sample * inside,
                (float *)call->out[0] + sample * inside, first, last);
    at += last - first;
  }
}

SNUG__EACH_KERNEL(dropout, dropout_fits, dropout_range, SNUG__EACH_COMPUTES);

/* ---- images in blocks: the numbers of an element are those that it has in a plain image ---- */

static bool images_fit(const snug__signature *sig, snug__layouts *want) {
  snug__layout layout = sig->in[X].layout;
  want->in[X] = want->out[0] = layout;
  return snug__layout_is_blocked_image(layout) && sig->in[X].dim[3] % 4 == 0 && decides_each(sig);
}

/* Pixels [begin, end) of one block of channels, of which the first is `channel`. */
static void drop_pixels(const drop *d, const snug__type *t, int64_t sample, int64_t channel,
                        const float *x, float *y) {
  uint64_t counters[SNUG__COUNTERS];
  uint32_t words[SNUG__WORDS];
  int64_t block = snug__layout_block(t->layout, 3);
  int64_t pixels = t->dim[1] * t->dim[2];
  int64_t each = SNUG__WORDS / block; /* pixels at once */
  for (int64_t at = 0; at < pixels; at += each) {
    for (int64_t i = 0; i < SNUG__COUNTERS; i++) {
      int64_t pixel = at + i * 4 / block;
      counters[i] = (uint64_t)((pixel * t->dim[3] + channel + i * 4 % block) / 4);
    }
    snug__make_words(d->key, counters, (uint64_t)(d->offset + sample), words);
    apply(d, words, x + at * block, y + at * block, snug__min_i64(each, pixels - at) * block);
  }
}

typedef struct images_job {
  const snug__call *call;
  drop d;
} images_job;

static void images_range(void *arg, int64_t begin, int64_t end) {
  const images_job *j = arg;
  const snug__type *t = &j->call->sig->in[X];
  int64_t block = snug__layout_block(t->layout, 3);
  int64_t blocks = snug__type_stored(t, 3) / block;
  int64_t plane = t->dim[1] * t->dim[2] * block;
  for (int64_t i = begin; i < end; i++) {
    drop_pixels(&j->d, t, i / blocks, i % blocks * block, (const float *)j->call->in[X] + i * plane,
                (float *)j->call->out[0] + i * plane);
  }
}

static snug_status prepare_images(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                                  void **state) {
  (void)ctx;
  *state = NULL;
  snug__needs_in_place_as_op(needs, sig->op);
  return SNUG_OK;
}

static snug_status run_images(const void *state, const snug__call *call) {
  const snug__type *t = &call->sig->in[X];
  images_job j = {call, drop_of(call)};
  int64_t planes = t->dim[0] * (snug__type_stored(t, 3) / snug__layout_block(t->layout, 3));
  int64_t each = t->dim[1] * t->dim[2] * snug__layout_block(t->layout, 3);
  (void)state;
  snug__parallel_ranges(snug__threads(call->sig), planes, 1 + SNUG__EACH_COMPUTES / (1 + each),
                        images_range, &j);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(dropout_images) = {"dropout_images", images_fit, prepare_images,
                                                run_images, NULL};

/* ---- one decision per sample: whole samples, in whatever order their elements lie ---- */

static bool samples_fit(const snug__signature *sig, snug__layouts *want) {
  const snug__dropout_params *p = sig->params;
  const snug__type *x = &sig->in[X];
  bool fits = x->dtype == SNUG_FLOAT32 && p->noise_shape.n == x->rank && x->rank > 1 &&
              p->noise_shape.v[0] != 1 && least_word(sig) <= (double)UINT32_MAX;
  for (int32_t k = 1; fits && k < x->rank; k++) {
    fits = p->noise_shape.v[k] == 1;
  }
  if (snug__layout_is_blocked_image(x->layout)) {
    want->in[X] = want->out[0] = x->layout;
  }
  return fits;
}

static void samples_range(void *arg, int64_t begin, int64_t end) {
  const images_job *j = arg;
  const snug__type *t = &j->call->sig->in[X];
  int64_t inside = snug__type_bytes(t) / (int64_t)sizeof(float) / t->dim[0];
  for (int64_t at = begin, last; at < end; at = last) {
    int64_t sample = at / inside;
    snug__noise noise = {.key = j->d.key, .sample = (uint64_t)(j->d.offset + sample), .block = -1};
    snug__noise_block(&noise, 0);
    float factor = noise.words.v[0] >= j->d.least ? j->d.scale : 0.0f;
    const float *x = j->call->in[X];
    float *y = j->call->out[0];
    last = snug__min_i64(end, (sample + 1) * inside);
    SNUG_SIMD for (int64_t i = at; i < last; i++) { y[i] = factor == 0.0f ? 0.0f : x[i] * factor; }
  }
}

static snug_status run_samples(const void *state, const snug__call *call) {
  images_job j = {call, drop_of(call)};
  int64_t n = snug__type_bytes(&call->sig->in[X]) / (int64_t)sizeof(float);
  (void)state;
  snug__parallel_ranges(snug__threads(call->sig), n, SNUG__EACH_COMPUTES, samples_range, &j);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(dropout_samples) = {"dropout_samples", samples_fit, prepare_images,
                                                 run_samples, NULL};
