/* resize2d and its gradient.  Pixels are squares: output o lies at (o + 1/2) * in / out - 1/2 of
 * the input, between two of its pixels (bilinear), or inside of one (nearest; a whole factor
 * repeats each pixel).  Beyond the outermost centres the outermost pixel counts. */
#include "ops/resize.h"

#include "device/host.h"
#include "ops/support.h"
#include "ops/unblock.h"
#include "ops/window.h"

static const char *const choices[] = {"nearest", "bilinear", NULL};

static const snug__field fields[] = {
    SNUG_FIELD(snug__resize2d_params, height, INT, NULL),
    SNUG_FIELD(snug__resize2d_params, width, INT, NULL),
    SNUG_CHOICE(snug__resize2d_params, interpolation, choices, "nearest"),
    {0}};
static const snug__field bwd_fields[] = {
    SNUG_FIELD(snug__resize2d_bwd_params, input_shape, INTS, NULL),
    SNUG_CHOICE(snug__resize2d_bwd_params, interpolation, choices, "nearest"),
    {0}};

snug__resize_taps snug__resize_taps_of(const snug__resize_axis *a, int64_t o) {
  float centre = ((float)o + 0.5f) * ((float)a->in / (float)a->out);
  if (!a->bilinear) {
    return (snug__resize_taps){{snug__min_i64((int64_t)centre, a->in - 1), 0}, {1.0, 0.0}};
  }
  float x = centre - 0.5f;
  int64_t low = (int64_t)floorf(x);
  double part = (double)(x - floorf(x));
  return (snug__resize_taps){{snug__max_i64(low, 0), snug__min_i64(low + 1, a->in - 1)},
                             {1.0 - part, part}};
}

#define MOST (INT64_C(1) << 20) /* a position in float is then less than a pixel off */

static bool can_resize(const snug__type *from, int64_t height, int64_t width) {
  return from->dim[1] > 0 && from->dim[2] > 0 && from->dim[1] <= MOST && from->dim[2] <= MOST &&
         height > 0 && width > 0 && height <= MOST && width <= MOST;
}

static snug_status need_resize(const snug__infer *q, const snug__type *from, int64_t height,
                               int64_t width) {
  char text[SNUG__TYPE_TEXT_BYTES];
  return can_resize(from, height, width)
             ? SNUG_OK
             : snug__fail(
                   q->ctx, SNUG_E_SHAPE,
                   "%s: %s cannot be resized to height %lld and width %lld: all four must be "
                   "from 1 to 2^20",
                   q->where, snug__type_text(from, text), (long long)height, (long long)width);
}

static snug_status infer(snug__infer *q) {
  const snug__resize2d_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank(q, 0, 4));
  SNUG_TRY(need_resize(q, &q->in[0], p->height, p->width));
  const int64_t dim[] = {q->in[0].dim[0], p->height, p->width, q->in[0].dim[3]};
  q->out[0] = snug__type_of(q->in[0].dtype, 4, dim);
  return SNUG_OK;
}

static snug_status infer_bwd(snug__infer *q) {
  const snug__resize2d_bwd_params *p = q->params;
  const snug__type *dy = &q->in[0];
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank(q, 0, 4));
  SNUG_TRY(snug__need_shape4(q, "input_shape", &p->input_shape, dy->dtype, &q->out[0]));
  SNUG_TRY(need_resize(q, &q->out[0], dy->dim[1], dy->dim[2]));
  return snug__need_output(q, 0, q->out[0].dim[0], dy->dim[1], dy->dim[2], q->out[0].dim[3]);
}

static snug_status grad(snug__grad *g) {
  const snug__resize2d_params *of = g->params;
  snug__resize2d_bwd_params p;
  memset(&p, 0, sizeof p);
  p.input_shape = snug__shape_param(snug__type_at(g->g, g->in[0]));
  p.interpolation = of->interpolation;
  return SNUG_EMIT(g->g, resize2d_bwd, &p, &g->din[0], g->dout[0]);
}

static snug_status grad_bwd(snug__grad *g) {
  const snug__resize2d_bwd_params *of = g->params;
  snug__resize2d_params p;
  memset(&p, 0, sizeof p);
  p.height = snug__type_at(g->g, g->in[0])->dim[1];
  p.width = snug__type_at(g->g, g->in[0])->dim[2];
  p.interpolation = of->interpolation;
  return SNUG_EMIT(g->g, resize2d, &p, &g->din[0], g->dout[0]);
}

#define BLOCK 64 /* channels that are summed together */

typedef struct resize_job {
  snug__resize_axis h, w;
  int64_t channels;
  snug_dtype dtype;
  const void *in;
  void *out;
} resize_job;

#define SNUG_REAL_FILE "ops/resize.inc"
#include "ops/real.h"

static void forward_rows(void *arg, int64_t begin, int64_t end) {
  const resize_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, resize_row, (j, row));
  }
}

static void backward_rows(void *arg, int64_t begin, int64_t end) {
  const resize_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, resize_bwd_row, (j, row));
  }
}

static resize_job job_of(const snug__call *call, const snug__type *x, const snug__type *y,
                         int32_t interpolation) {
  bool bilinear = interpolation == SNUG__INTERPOLATION_BILINEAR;
  return (resize_job){.h = {x->dim[1], y->dim[1], bilinear},
                      .w = {x->dim[2], y->dim[2], bilinear},
                      .channels = x->dim[3],
                      .dtype = x->dtype,
                      .in = call->in[0],
                      .out = call->out[0]};
}

/* At most four products per pixel of the larger image. */
static snug__cost cost(const snug__signature *s) {
  int64_t n = snug__max_i64(snug__type_count(&s->in[0]), snug__type_count(&s->out[0]));
  return (snug__cost){8.0 * (double)n, snug__bytes_moved(s)};
}

static snug_status reference(const snug__call *call) {
  const snug__signature *s = call->sig;
  const snug__resize2d_params *p = s->params;
  resize_job j = job_of(call, &s->in[0], &s->out[0], p->interpolation);
  int64_t rows = s->in[0].dim[0] * j.h.out;
  snug__parallel_ranges(snug__threads(s), rows, snug__least_items(rows, cost(s).flops),
                        forward_rows, &j);
  return SNUG_OK;
}

static snug_status reference_bwd(const snug__call *call) {
  const snug__signature *s = call->sig;
  const snug__resize2d_bwd_params *p = s->params;
  resize_job j = job_of(call, &s->out[0], &s->in[0], p->interpolation);
  int64_t rows = s->in[0].dim[0] * j.h.in;
  snug__parallel_ranges(snug__threads(s), rows, snug__least_items(rows, cost(s).flops),
                        backward_rows, &j);
  return SNUG_OK;
}

static bool unblock_bwd(const snug__signature *sig, snug__plain_call *plain) {
  bool ok = snug__unblock_planes(sig, plain);
  ((snug__resize2d_bwd_params *)plain->params)->input_shape = snug__shape_param(&plain->out[0]);
  return ok;
}

const snug__op snug__op_resize2d = {.name = "resize2d",
                                    .doc = "images at another height and width",
                                    .params_bytes = sizeof(snug__resize2d_params),
                                    .fields = fields,
                                    .min_in = 1,
                                    .max_in = 1,
                                    .min_out = 1,
                                    .max_out = 1,
                                    .infer = infer,
                                    .grad = grad,
                                    .reference = reference,
                                    .unblock = snug__unblock_planes,
                                    .cost = cost};

const snug__op snug__op_resize2d_bwd = {.name = "resize2d_bwd",
                                        .doc = "gradient of resize2d's x from dy",
                                        .params_bytes = sizeof(snug__resize2d_bwd_params),
                                        .fields = bwd_fields,
                                        .min_in = 1,
                                        .max_in = 1,
                                        .min_out = 1,
                                        .max_out = 1,
                                        .infer = infer_bwd,
                                        .grad = grad_bwd,
                                        .reference = reference_bwd,
                                        .unblock = unblock_bwd,
                                        .cost = cost};
