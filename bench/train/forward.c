#include "train/forward.h"

#include <stdio.h>
#include <stdlib.h>

#include "train/data.h"

static long long elements(const snug_weight_info *w) {
  long long n = 1;
  for (int32_t k = 0; k < w->rank; k++) {
    n *= w->shape[k];
  }
  return n;
}

long long count_parameters(const snug_model *m) {
  long long n = 0;
  snug_weight_info w = SNUG_INIT(snug_weight_info);
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    n += snug_model_weight_info(m, i, &w) ? 0 : elements(&w);
  }
  return n;
}

static void need(bool ok, const char *what, const char *path) {
  if (!ok) {
    fprintf(stderr, "bench: cannot %s %s\n", what, path);
    exit(1);
  }
}

static void read_weights(snug_ctx *ctx, snug_model *m, FILE *f, const char *path) {
  snug_weight_info w = SNUG_INIT(snug_weight_info);
  for (size_t i = 0; i < snug_model_weights(m); i++) {
    bench_need(ctx, snug_model_weight_info(m, i, &w));
    if (w.dtype != SNUG_FLOAT32) {
      continue; /* the count of a Normalization */
    }
    void *values = malloc(w.bytes);
    need(values && fread(values, 1, w.bytes, f) == w.bytes, "read all weights from", path);
    bench_need(ctx, snug_model_weight_set(m, w.name, values, w.bytes));
    free(values);
  }
}

static size_t output_values(const net *n) {
  return (size_t)(n->batch * n->classes * (n->per_pixel ? n->size * n->size : 1));
}

void forward_to_file(snug_ctx *ctx, snug_model *m, const bench_options *o) {
  FILE *in = fopen(o->weights ? o->weights : "", "rb");
  FILE *out = fopen(o->output, "wb");
  size_t n_y = output_values(&o->net);
  float *y = malloc(n_y * sizeof *y);
  bench_data d;
  need(in, "read", o->weights ? o->weights : "(no --weights)");
  need(out && y, "write", o->output);
  bench_data_make(&d, &o->net, 1);
  read_weights(ctx, m, in, o->weights);
  d.data.n_y = 0;
  bench_need(ctx, snug_predict(m, &d.data, o->net.batch, (void *const[]){y}, 1));
  need(fwrite(y, sizeof *y, n_y, out) == n_y, "write", o->output);
  printf("{\"parameters\": %lld}\n", count_parameters(m));
  free(y);
  fclose(in);
  fclose(out);
  bench_data_release(&d);
}
