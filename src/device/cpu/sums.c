#include "device/cpu/sums.h"

#include "base/ctx.h"
#include "device/cpu/each.h"
#include "device/host.h"
#include "ops/support.h"

#define CHUNK 4096        /* sums side by side that a task makes at once */
#define MAX_PIECES 16     /* of one sum */
#define PIECE_LEAST 32768 /* elements worth a piece */
#define PIECE_ALIGN 64    /* elements that a piece of a run is a multiple of */

/* Where there are few sums, each is made in pieces. */
static void cut(snug__sums *s) {
  const snug__reduce_view *v = &s->view;
  int64_t rows = v->lanes ? v->n_out / v->lanes : 0;
  int64_t elements = v->n_out * v->steps * v->run;
  s->chunks = (v->lanes + CHUNK - 1) / CHUNK;
  s->pieces = 1;
  if (rows * s->chunks < MAX_PIECES) {
    int64_t most = v->steps > 1 ? v->steps : v->run;
    s->pieces = snug__min_i64(snug__min_i64(MAX_PIECES, most), elements / PIECE_LEAST);
    s->pieces = snug__max_i64(1, s->pieces);
  }
  s->tasks = rows * s->chunks * s->pieces;
  s->weight = 1 + elements / (1 + s->tasks);
}

snug_status snug__sums_prepare(snug_ctx *ctx, const snug__type *in, uint32_t mask, bool is_mean,
                               const snug__sum_bodies *bodies, snug__needs *needs, void **state) {
  snug__sums *s = NULL;
  *state = NULL;
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_PROGRAM, &s));
  s->bodies = bodies;
  snug__reduce_view_of(in, mask, &s->view);
  cut(s);
  s->scale = is_mean ? 1.0 / (double)(s->view.steps * s->view.run) : 1.0;
  needs->scratch_bytes = s->pieces > 1 ? s->pieces * s->view.n_out * (int64_t)sizeof(double) : 0;
  *state = s;
  return SNUG_OK;
}

void snug__sums_release(snug_ctx *ctx, void *state) {
  snug__give(ctx, SNUG__MEM_PROGRAM, state, sizeof(snug__sums));
}

typedef struct sums_job {
  const snug__sums *s;
  const float *a, *b;
  float *out;
  double *partial; /* [pieces, n_out] */
} sums_job;

static const float *moved(const float *p, int64_t by) { return p ? p + by : NULL; }

/* Positions [begin, end) of the reduced axes, of sums that begin at the element `base`. */
static void sum_lanes(const sums_job *j, int64_t base, int64_t begin, int64_t end, int64_t lanes,
                      double *sums) {
  const snug__reduce_view *v = &j->s->view;
  int64_t inner = v->n_reduced ? v->reduced_dim[0] : 1;
  int64_t stride = v->n_reduced ? v->reduced_stride[0] : 0;
  int64_t rows = 0;
  for (int64_t at = begin; at < end; at += rows) {
    int64_t from = base + snug__reduce_step(v, at);
    rows = snug__min_i64(inner - at % inner, end - at);
    j->s->bodies->lanes(sums, j->a + from, moved(j->b, from), rows, stride, lanes);
  }
}

static double sum_runs(const sums_job *j, int64_t base, int64_t begin, int64_t end) {
  const snug__reduce_view *v = &j->s->view;
  double sum = 0.0;
  for (int64_t at = begin; at < end; at++) {
    int64_t from = base + snug__reduce_step(v, at);
    sum += j->s->bodies->run(j->a + from, moved(j->b, from), v->run);
  }
  return sum;
}

/* A piece of the one run that goes into a sum. */
static double sum_part(const sums_job *j, int64_t base, int64_t piece) {
  int64_t n = j->s->view.run;
  int64_t each = snug__round_up((n + j->s->pieces - 1) / j->s->pieces, PIECE_ALIGN);
  int64_t first = snug__min_i64(piece * each, n);
  int64_t from = base + first;
  return j->s->bodies->run(j->a + from, moved(j->b, from), snug__min_i64(each, n - first));
}

static void finish(const sums_job *j, int64_t piece, int64_t out, int64_t n, const double *sums) {
  if (j->s->pieces > 1) {
    memcpy(j->partial + piece * j->s->view.n_out + out, sums, (size_t)n * sizeof *sums);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    j->out[out + i] = (float)(sums[i] * j->s->scale);
  }
}

static void run_task(const sums_job *j, int64_t task) {
  const snug__sums *s = j->s;
  const snug__reduce_view *v = &s->view;
  double sums[CHUNK];
  int64_t piece = task % s->pieces;
  int64_t chunk = task / s->pieces % s->chunks;
  int64_t row = task / s->pieces / s->chunks;
  int64_t first = chunk * CHUNK;
  int64_t n = snug__min_i64(CHUNK, v->lanes - first);
  int64_t base = snug__reduce_base(v, row) + first;
  int64_t begin = piece * v->steps / s->pieces;
  int64_t end = (piece + 1) * v->steps / s->pieces;
  memset(sums, 0, (size_t)n * sizeof *sums);
  if (v->lanes > 1) {
    sum_lanes(j, base, begin, end, n, sums);
  } else {
    sums[0] =
        v->steps > 1 || s->pieces == 1 ? sum_runs(j, base, begin, end) : sum_part(j, base, piece);
  }
  finish(j, piece, row * v->lanes + first, n, sums);
}

static void run_tasks(void *arg, int64_t begin, int64_t end) {
  for (int64_t task = begin; task < end; task++) {
    run_task(arg, task);
  }
}

/* Each run of neighbours is a sum of its own. */
static void run_neighbours(void *arg, int64_t begin, int64_t end) {
  const sums_job *j = arg;
  int64_t n = j->s->view.run;
  for (int64_t i = begin; i < end; i++) {
    double sum = j->s->bodies->run(j->a + i * n, moved(j->b, i * n), n);
    j->out[i] = (float)(sum * j->s->scale);
  }
}

static void join_pieces(const sums_job *j) {
  const snug__sums *s = j->s;
  for (int64_t i = 0; i < s->view.n_out; i++) {
    double sum = 0.0;
    for (int64_t piece = 0; piece < s->pieces; piece++) {
      sum += j->partial[piece * s->view.n_out + i];
    }
    j->out[i] = (float)(sum * s->scale);
  }
}

snug_status snug__sums_run(const void *state, const snug__call *call) {
  const snug__sums *s = state;
  sums_job j = {s, call->in[0], call->sig->n_in > 1 ? call->in[1] : NULL, call->out[0],
                call->scratch};
  bool neighbours = s->view.run > 1 && s->view.steps == 1 && s->pieces == 1;
  snug__parallel_ranges(snug__threads(call->sig), s->tasks, 1 + SNUG__EACH_COPIES / s->weight,
                        neighbours ? run_neighbours : run_tasks, &j);
  if (s->pieces > 1) {
    join_pieces(&j);
  }
  return SNUG_OK;
}
