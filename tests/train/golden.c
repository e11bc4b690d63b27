#include "train/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers by formula, as the generator has them ---- */

static uint32_t mixed(uint32_t seed, uint64_t i) {
  uint32_t z = (uint32_t)(seed * 0x9E3779B9ULL + 0x1234567U + i * 0x85EBCA6BULL);
  z ^= z >> 16;
  z *= 0x7FEB352DU;
  z ^= z >> 15;
  z *= 0x846CA68BU;
  return z ^ (z >> 16);
}

static double noise(uint32_t seed, uint64_t i) {
  return ((double)(mixed(seed, i) >> 22) - 512.0) / 512.0;
}

static void put(snug_dtype dtype, void *data, int64_t i, double value) {
  if (dtype == SNUG_FLOAT64) {
    ((double *)data)[i] = value;
  } else if (dtype == SNUG_FLOAT32) {
    ((float *)data)[i] = (float)value;
  } else if (dtype == SNUG_UINT8) {
    ((uint8_t *)data)[i] = (uint8_t)value;
  } else {
    ((int32_t *)data)[i] = (int32_t)value;
  }
}

static double element(const golden_array *a, int64_t i) {
  switch (a->kind) {
    case GOLDEN_REAL:
      return a->scale * noise(a->seed, (uint64_t)i) + a->shift;
    case GOLDEN_CLASS:
    case GOLDEN_BYTES:
    case GOLDEN_STEPS:
      return mixed(a->seed, (uint64_t)i) % (uint32_t)a->n;
    case GOLDEN_BITS:
      return mixed(a->seed, (uint64_t)i) % 2;
    case GOLDEN_ONEHOT:
      return mixed(a->seed, (uint64_t)(i / a->n)) % (uint32_t)a->n == i % a->n;
  }
  return 0.0;
}

/* ---- data ---- */

static snug_dtype dtype_of(const golden_array *a, snug_dtype real) {
  return a->kind == GOLDEN_CLASS ? SNUG_INT32 : a->kind == GOLDEN_BYTES ? SNUG_UINT8 : real;
}

static snug_array make_array(const golden_array *from, snug_dtype real) {
  snug_array a = {.dtype = dtype_of(from, real), .rank = from->rank};
  int64_t n = 1;
  for (int32_t i = 0; i < from->rank; i++) {
    a.shape[i] = from->shape[i];
    n *= from->shape[i];
  }
  void *data = malloc((size_t)n * sizeof(double));
  ASSERT_NOT_NULL(data);
  for (int64_t i = 0; i < n; i++) {
    put(a.dtype, data, i, element(from, i));
  }
  a.data = data;
  return a;
}

void golden_make(golden_arrays *a, const golden_data *d, snug_dtype real) {
  memset(a, 0, sizeof *a);
  for (int32_t i = 0; i < d->n_x; i++) {
    a->x[i] = make_array(&d->x[i], real);
  }
  for (int32_t i = 0; i < d->n_y; i++) {
    a->y[i] = make_array(&d->y[i], real);
  }
  if (d->sample_weight) {
    a->sample_weight = make_array(d->sample_weight, real);
  }
  a->data = (snug_data){
      sizeof(snug_data), a->x, d->n_x, a->y, d->n_y, d->sample_weight ? &a->sample_weight : NULL};
}

void golden_free(golden_arrays *a) {
  for (size_t i = 0; i < sizeof a->x / sizeof a->x[0]; i++) {
    free((void *)(uintptr_t)a->x[i].data);
    free((void *)(uintptr_t)a->y[i].data);
  }
  free((void *)(uintptr_t)a->sample_weight.data);
}

/* ---- models ---- */

#define MAX_TENSORS 64

/* The tensors that a text names; returns their number. */
static int32_t find_tensors(const golden_case *c, const snug_tensor *made, const char *names,
                            snug_tensor *out) {
  int32_t n = 0;
  char name[64];
  int length = 0;
  for (; sscanf(names, " %63s%n", name, &length) == 1; names += length) {
    size_t i = 0;
    while (i < c->n_layers && strcmp(c->layers[i].name, name) != 0) {
      i++;
    }
    ASSERT_TRUE(i < c->n_layers);
    out[n++] = made[i];
  }
  return n;
}

static snug_tensor add_layer(snug_model *m, const golden_case *c, const golden_layer *l,
                             const snug_tensor *made) {
  snug_tensor in[MAX_TENSORS];
  if (strcmp(l->class_name, "Input") == 0) {
    return snug_model_input(m, l->name, l->dtype ? l->dtype : c->dtype, l->shape, l->rank);
  }
  int32_t n = find_tensors(c, made, l->in, in);
  return strcmp(l->class_name, "Again") == 0 ? snug_model_again(m, l->config, in, n)
                                             : snug_model_layer(m, l->class_name, l->config, in, n);
}

static void set_weights(snug_ctx *ctx, snug_model *m, const golden_case *c) {
  size_t width = c->dtype == SNUG_FLOAT64 ? sizeof(double) : sizeof(float);
  ASSERT_EQ_UINT(snug_model_weights(m), c->n_weights);
  for (size_t k = 0; k < c->n_weights; k++) {
    const golden_weight *w = &c->weights[k];
    void *data = malloc(w->n * width);
    for (size_t i = 0; i < w->n; i++) {
      put(c->dtype, data, (int64_t)i, w->scale * noise(w->seed, i) + w->shift);
    }
    ASSERT_OK(ctx, snug_model_weight_set(m, w->name, data, w->n * width));
    free(data);
  }
}

snug_model *golden_model(snug_ctx *ctx, const golden_case *c) {
  snug_model_options o = SNUG_INIT(snug_model_options);
  snug_compile_options how = {sizeof how,   c->optimizer,        c->loss,
                              c->n_loss,    c->loss_weights,     c->metrics,
                              c->n_metrics, c->weighted_metrics, c->n_weighted_metrics};
  snug_tensor made[MAX_TENSORS], out[MAX_TENSORS];
  snug_model *m = NULL;
  o.dtype = c->dtype;
  ASSERT_OK(ctx, snug_model_create(ctx, &o, &m));
  for (size_t i = 0; i < c->n_layers; i++) {
    made[i] = add_layer(m, c, &c->layers[i], made);
    ASSERT_OK(ctx, snug_model_status(m));
  }
  ASSERT_OK(ctx, snug_model_outputs(m, out, find_tensors(c, made, c->outputs, out)));
  set_weights(ctx, m, c);
  ASSERT_OK(ctx, snug_model_compile(m, &how));
  return m;
}
