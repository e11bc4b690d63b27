#include "train/feed.h"

#include <math.h>
#include <stdio.h>

#include "base/size.h"
#include "data/arrays.h"

#define WHAT_BYTES 128

static const snug__model_tensor *tensor_at(const snug_model *m, snug_tensor t) {
  return &SNUG_VEC(&m->tensors, snug__model_tensor, t);
}

static snug_status check_inputs(snug_model *m, const snug_data *data, int64_t rows) {
  char what[WHAT_BYTES];
  for (int32_t i = 0; i < data->n_x; i++) {
    const snug__model_input *input = &SNUG_VEC(&m->inputs, snug__model_input, i);
    snprintf(what, sizeof what, "x[%d] '%s'", i, input->name);
    SNUG_TRY(
        snug__array_check(m->ctx, what, &data->x[i], &tensor_at(m, input->tensor)->type, rows, ""));
  }
  return SNUG_OK;
}

/* The mistake behind labels of another shape, more often than not. */
static const char *label_hint(const snug__type *target, const snug__type *out) {
  if (snug__dtype_is_integer(target->dtype)) {
    return "; one-hot labels go with categorical_crossentropy";
  }
  return out->rank > 1 && out->dim[out->rank - 1] > 1
             ? "; labels that are class numbers go with sparse_categorical_crossentropy"
             : "";
}

static snug_status check_labels(snug_model *m, const snug_data *data, int64_t rows) {
  char what[WHAT_BYTES];
  for (int32_t i = 0; i < data->n_y; i++) {
    const snug__model_tensor *out = tensor_at(m, SNUG_VEC(&m->outputs, snug_tensor, i));
    const snug__loss *loss = &m->training->losses[i];
    snug__type target;
    SNUG_TRY(snug__loss_target(m->ctx, loss, &out->type, &target));
    snprintf(what, sizeof what, "y[%d] '%s'", i, out->name);
    SNUG_TRY(snug__array_check(m->ctx, what, &data->y[i], &target, rows,
                               label_hint(&target, &out->type)));
    if (snug__dtype_is_integer(target.dtype)) {
      SNUG_TRY(snug__array_check_labels(
          m->ctx, what, &data->y[i], out->type.dim[out->type.rank - 1], snug__loss_ignored(loss)));
    }
  }
  return SNUG_OK;
}

static snug_status check_weights(snug_model *m, const snug_data *data, int64_t rows) {
  snug__type one = snug__type_of(SNUG_FLOAT32, 1, (const int64_t[]){1});
  return data->sample_weight
             ? snug__array_check(m->ctx, "sample_weight", data->sample_weight, &one, rows, "")
             : SNUG_OK;
}

static snug_status check_counts(snug_model *m, const snug_data *data, bool with_labels) {
  if (!data || !data->x || data->n_x != (int32_t)m->inputs.n) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "the model has %zu inputs; %d arrays were given for x", m->inputs.n,
                      data && data->x ? data->n_x : 0);
  }
  if (with_labels && (!data->y || data->n_y != (int32_t)m->outputs.n)) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "the model has %zu outputs; %d arrays were given for y", m->outputs.n,
                      data->y ? data->n_y : 0);
  }
  if (data->x[0].rank < 1 || data->x[0].shape[0] < 1) {
    return snug__fail(m->ctx, SNUG_E_DATA, "the data set is empty: x[0] has no samples");
  }
  return SNUG_OK;
}

snug_status snug__feed_check(snug_model *m, const snug_data *data, bool with_labels) {
  SNUG_TRY(check_counts(m, data, with_labels));
  int64_t rows = data->x[0].shape[0];
  SNUG_TRY(check_inputs(m, data, rows));
  SNUG_TRY(with_labels ? check_labels(m, data, rows) : SNUG_OK);
  return check_weights(m, data, rows);
}

int64_t snug__feed_batches(const snug__feed *f) { return (f->rows + f->batch - 1) / f->batch; }

int64_t snug__feed_rows(const snug__feed *f, int64_t batch) {
  return snug__min_i64(f->batch, f->rows - batch * f->batch);
}

/* The row of the data that stands at a position of the feed. */
static int64_t row_at(const snug__feed *f, int64_t position) {
  return f->first +
         (f->shuffled ? (int64_t)snug__shuffle_at(&f->order, (uint64_t)position) : position);
}

static void fill_row(const snug_array *a, int64_t row, const snug__program *p, snug__id value,
                     int64_t index) {
  if (value != SNUG_NONE) {
    snug__array_copy_row(a, row, snug__type_at(p->graph, value), snug__program_data(p, value),
                         index);
  }
}

/* The weight of a sample: its own, or its class's (of the label, or of the largest entry of a
 * one-hot one). */
static double weight_of(const snug__feed *f, int64_t row) {
  if (f->data->sample_weight) {
    return snug__element_get(f->data->sample_weight->dtype, f->data->sample_weight->data, row);
  }
  if (!f->class_weight) {
    return 1.0;
  }
  const snug_array *y = &f->data->y[0];
  int64_t n = snug__array_row(y);
  int64_t label = 0;
  for (int64_t k = 1; k < n; k++) {
    label = snug__element_get(y->dtype, y->data, row * n + k) >
                    snug__element_get(y->dtype, y->data, row * n + label)
                ? k
                : label;
  }
  label = n > 1 ? label : llround(snug__element_get(y->dtype, y->data, row));
  return label >= 0 && label < f->n_class_weight ? f->class_weight[label] : 1.0;
}

/* Copy one sample to place `index` of every input of a run. */
static void fill_sample(const snug__feed *f, int64_t row, const snug__run *run, int64_t index) {
  const snug__step *step = &run->step;
  for (int32_t i = 0; i < f->data->n_x; i++) {
    fill_row(&f->data->x[i], row, run->program, step->x[i], index);
  }
  for (int32_t i = 0; step->y && i < f->data->n_y; i++) {
    fill_row(&f->data->y[i], row, run->program, step->y[i], index);
  }
  if (step->weight != SNUG_NONE) {
    snug__element_set(snug__type_at(run->program->graph, step->weight)->dtype,
                      snug__program_data(run->program, step->weight), index, weight_of(f, row));
  }
}

void snug__feed_fill_piece(const snug__feed *f, int64_t batch, int64_t first,
                           const snug__run *run) {
  for (int64_t i = 0; i < run->step.batch; i++) {
    fill_sample(f, row_at(f, batch * f->batch + first + i), run, i);
  }
}

void snug__feed_fill(const snug__feed *f, int64_t batch, const snug__run *run) {
  snug__feed_fill_piece(f, batch, 0, run);
}

void snug__feed_sizes(const snug__feed *f, snug__slot slot, snug__session_spec *spec) {
  int64_t rest = f->rows % f->batch;
  spec->batch[slot] = f->batch;
  spec->batch[slot + 1] = rest;
  if (spec->micro && spec->micro < f->batch) {
    int64_t last = f->batch % spec->micro;
    int64_t tail = rest % spec->micro;
    const int64_t sizes[SNUG__SLOT_SIZES] = {spec->micro, last, tail == last ? 0 : tail};
    for (unsigned i = 0; i < SNUG__SLOT_SIZES; i++) {
      spec->batch[slot + i] = sizes[i];
      spec->in_pieces[slot + i] = true;
    }
  }
}
