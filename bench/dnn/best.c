#define _POSIX_C_SOURCE 200809L
#include "dnn/best.h"

#include <alloca.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnn/describe.h"
#include "train/options.h"

#define MAX_RUNS 60
#define LEAST_RUNS 4
#define ENOUGH_SECONDS 0.04
#define MOST_SECONDS 1.0
#define HOPELESS 1.4 /* three runs that all take so many times the best end the trial */

/* Everything that a primitive of ours can be given or give. */
static const int arguments[] = {DNNL_ARG_SRC_0,      DNNL_ARG_SRC_1,      DNNL_ARG_DST,
                                DNNL_ARG_WEIGHTS,    DNNL_ARG_BIAS,       DNNL_ARG_MEAN,
                                DNNL_ARG_VARIANCE,   DNNL_ARG_SCALE,      DNNL_ARG_SHIFT,
                                DNNL_ARG_WORKSPACE,  DNNL_ARG_SCRATCHPAD, DNNL_ARG_DIFF_SRC,
                                DNNL_ARG_DIFF_DST,   DNNL_ARG_DIFF_BIAS,  DNNL_ARG_DIFF_WEIGHTS,
                                DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};
#define N_ARGUMENTS ((int)(sizeof arguments / sizeof arguments[0]))

typedef struct known {
  work w;
  dnn_best best;
} known;

struct dnn {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_attr_t attr;
  float *buffers[N_ARGUMENTS]; /* one per argument, as large as was ever asked for */
  size_t bytes[N_ARGUMENTS];
  known *list;
  size_t n, room;
};

static void need(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "bench: oneDNN: %s\n", what);
    exit(1);
  }
}

dnn *dnn_create(int32_t threads) {
  dnn *d = calloc(1, sizeof *d);
  need(d, "no memory");
  if (threads > 0) {
    omp_set_num_threads(threads);
  }
  need(!dnnl_engine_create(&d->engine, dnnl_cpu, 0), "no engine");
  need(!dnnl_stream_create(&d->stream, d->engine, dnnl_stream_default_flags), "no stream");
  need(!dnnl_primitive_attr_create(&d->attr), "no attributes");
  need(!dnnl_primitive_attr_set_scratchpad_mode(d->attr, dnnl_scratchpad_mode_user),
       "no scratch of the user's");
  need(!dnnl_set_primitive_cache_capacity(0), "the cache cannot be turned off");
  return d;
}

void dnn_destroy(dnn *d) {
  for (int i = 0; i < N_ARGUMENTS; i++) {
    free(d->buffers[i]);
  }
  free(d->list);
  dnnl_primitive_attr_destroy(d->attr);
  dnnl_stream_destroy(d->stream);
  dnnl_engine_destroy(d->engine);
  free(d);
}

/* ---- one implementation ---- */

static void *buffer(dnn *d, int i, size_t bytes) {
  if (bytes > d->bytes[i]) {
    free(d->buffers[i]);
    d->bytes[i] = (bytes + 4095) / 4096 * 4096;
    d->buffers[i] = aligned_alloc(4096, d->bytes[i]);
    need(d->buffers[i], "no memory for an operand");
    for (size_t k = 0; k < d->bytes[i] / sizeof(float); k++) {
      d->buffers[i][k] = 0.25f;
    }
  }
  return d->buffers[i];
}

/* Memory for every argument that the primitive has; returns their number. */
static int bind(dnn *d, const_dnnl_primitive_desc_t pd, dnnl_exec_arg_t *out) {
  int n = 0;
  for (int i = 0; i < N_ARGUMENTS; i++) {
    snug__dnn_md md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arguments[i]);
    size_t bytes = md ? dnnl_memory_desc_get_size(md) : 0;
    if (bytes > 0) {
      out[n].arg = arguments[i];
      need(!dnnl_memory_create(&out[n].memory, md, d->engine, buffer(d, i, bytes)), "no operand");
      n++;
    }
  }
  return n;
}

typedef struct run {
  const dnn *d;
  dnnl_primitive_t primitive;
  const dnnl_exec_arg_t *args;
  int n;
} run;

/* oneDNN's element-wise backward is twice as fast at some alignments of the stack as at others. */
static double run_once(const run *r, int place) {
  volatile char *room = alloca((size_t)(16 + 16 * place));
  room[0] = 0;
  double start = bench_now();
  need(!dnnl_primitive_execute(r->primitive, r->d->stream, r->n, r->args) &&
           !dnnl_stream_wait(r->d->stream),
       "a primitive failed");
  return bench_now() - start;
}

/* Runs until there are enough of them had none been disturbed: on a machine that does other work a
 * short one can take a thousand times as long. */
static double time_run(const run *r, double best) {
  double shortest = INFINITY;
  double start = bench_now();
  (void)run_once(r, 0);
  for (int i = 0; i < MAX_RUNS && bench_now() - start < MOST_SECONDS; i++) {
    shortest = fmin(shortest, run_once(r, i % 4));
    bool hopeless = i == 2 && shortest > HOPELESS * best;
    bool enough = i + 1 >= LEAST_RUNS && i * shortest > ENOUGH_SECONDS;
    if (hopeless || enough) {
      break;
    }
  }
  return shortest;
}

static void try_one(dnn *d, dnnl_primitive_desc_t pd, const dnn_way *way, dnn_best *best) {
  dnnl_exec_arg_t args[N_ARGUMENTS];
  const char *name = NULL;
  run r = {d, NULL, args, 0};
  (void)dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
  if (!name || strstr(name, "ref") || strstr(name, "gemm") ||
      dnnl_primitive_create(&r.primitive, pd)) {
    return;
  }
  r.n = bind(d, pd, args);
  double seconds = time_run(&r, best->seconds);
  if (seconds < best->seconds) {
    best->seconds = seconds;
    snprintf(best->name, sizeof best->name, "%s %s", name, way->text);
  }
  for (int i = 0; i < r.n; i++) {
    dnnl_memory_destroy(args[i].memory);
  }
  dnnl_primitive_destroy(r.primitive);
}

/* ---- all of them ---- */

/* A backward is made with its forward. */
static void try_way(dnn *d, const work *w, const dnn_way *way, dnn_best *best) {
  snug__dnn_walk forward = {0}, walk;
  work before = *w;
  before.pass = PASS_FORWARD;
  if (w->pass != PASS_FORWARD) {
    dnn_walk_work(&forward, &before, way, d->attr, d->engine, NULL);
  }
  if (w->pass == PASS_FORWARD || forward.pd) {
    dnn_walk_work(&walk, w, way, d->attr, d->engine, forward.pd);
    for (; walk.pd; snug__dnn_walk_next(&walk)) {
      try_one(d, walk.pd, way, best);
    }
    snug__dnn_walk_end(&walk);
  }
  snug__dnn_walk_end(&forward);
}

static dnn_best measure(dnn *d, work w) {
  dnn_best best = {INFINITY, "none"};
  if (w.pass == PASS_WEIGHTS && w.conv.groups > 1 && w.conv.h.kernel > 3) {
    w.pass = PASS_DATA;
  }
  const dnn_way *way = NULL;
  for (int i = 0; (way = dnn_way_of(&w, i)); i++) {
    try_way(d, &w, way, &best);
  }
  return best;
}

static known *remember(dnn *d, const work *w) {
  if (d->n == d->room) {
    d->room = 2 * d->room + 64;
    d->list = realloc(d->list, d->room * sizeof *d->list);
    need(d->list, "no memory");
  }
  d->list[d->n] = (known){*w, measure(d, *w)};
  return &d->list[d->n++];
}

dnn_best dnn_best_of(dnn *d, const work *w) {
  for (size_t i = 0; i < d->n; i++) {
    if (memcmp(&d->list[i].w, w, sizeof *w) == 0) {
      return d->list[i].best;
    }
  }
  return remember(d, w)->best;
}
