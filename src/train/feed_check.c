/* What a model asks of its data, and whether they are that. */
#include <stdio.h>

#include "base/size.h"
#include "train/feed.h"

/* ---- what the model asks for ---- */

static const snug__model_tensor *tensor_at(const snug_model *m, snug_tensor t) {
  return &SNUG_VEC(&m->tensors, snug__model_tensor, t);
}

static void demand_input(const snug_model *m, int32_t i, snug__demand *out) {
  const snug__model_input *input = &SNUG_VEC(&m->inputs, snug__model_input, i);
  *out = (snug__demand){.feeds = tensor_at(m, input->tensor)->type, .hint = ""};
  snprintf(out->what, sizeof out->what, "x[%d] '%s'", i, input->name);
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

static snug_status demand_label(snug_model *m, int32_t i, snug__demand *out) {
  const snug__model_tensor *t = tensor_at(m, SNUG_VEC(&m->outputs, snug_tensor, i));
  const snug__loss *loss = &m->training->losses[i];
  *out =
      (snug__demand){.classes = t->type.dim[t->type.rank - 1], .ignored = snug__loss_ignored(loss)};
  SNUG_TRY(snug__loss_target(m->ctx, loss, &t->type, &out->feeds));
  out->hint = label_hint(&out->feeds, &t->type);
  out->is_class = snug__dtype_is_integer(out->feeds.dtype);
  snprintf(out->what, sizeof out->what, "y[%d] '%s'", i, t->name);
  return SNUG_OK;
}

static void demand_weight(snug__demand *out) {
  *out = (snug__demand){.feeds = snug__type_of(SNUG_FLOAT32, 1, (const int64_t[]){1}), .hint = ""};
  snprintf(out->what, sizeof out->what, "sample_weight");
}

bool snug__feed_is_label(const snug_data *data, int32_t k) {
  return k >= data->n_x && k < data->n_x + snug__data_labels(data);
}

snug_status snug__feed_demand(snug_model *m, const snug_data *data, int32_t k, snug__demand *out) {
  if (snug__feed_is_label(data, k)) {
    return demand_label(m, k - data->n_x, out);
  }
  if (k < data->n_x) {
    demand_input(m, k, out);
  } else {
    demand_weight(out);
  }
  return SNUG_OK;
}

/* ---- checks ---- */

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
  if (data->x[0].rank < 1 || snug__feed_samples(data) == 0) {
    return snug__fail(m->ctx, SNUG_E_DATA, "the data set is empty: x[0] has no samples");
  }
  return SNUG_OK;
}

static snug_status check_source(snug_model *m, const snug_data *data) {
  const snug_source *s = data->source;
  const char *name = s && s->name ? s->name : "data";
  if (s && !s->read) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: the source has no function that reads its rows",
                      name);
  }
  if (s && s->in_order && s->skip_bad) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "%s: is read from front to back, so bad rows cannot be skipped", name);
  }
  return !s || s->rows >= 0 || s->in_order
             ? SNUG_OK
             : snug__fail(m->ctx, SNUG_E_ARGUMENT,
                          "%s: a source of an unknown number of rows is read in order", name);
}

int64_t snug__feed_samples(const snug_data *data) {
  return data->source ? data->source->rows : data->x[0].shape[0];
}

/* An array as it is checked: what a source has, or a map changes, is there in shape alone. */
static snug_array described(const snug_data *data, int32_t k, int64_t rows) {
  snug_array a = *snug__data_array(data, k);
  if (data->source && !a.data) {
    a.data = &snug__no_values;
    a.shape[0] = rows;
  }
  a.data = data->map && a.data ? &snug__no_values : a.data;
  return a;
}

snug_status snug__feed_check(snug_model *m, const snug_data *data, bool with_labels) {
  SNUG_TRY(check_counts(m, data, with_labels));
  SNUG_TRY(check_source(m, data));
  int64_t rows = snug__max_i64(snug__feed_samples(data), 1);
  for (int32_t k = 0; k < snug__data_count(data); k++) {
    snug__demand d;
    snug_array a = described(data, k, rows);
    if (with_labels || !snug__feed_is_label(data, k)) {
      SNUG_TRY(snug__feed_demand(m, data, k, &d));
      SNUG_TRY(snug__array_check(m->ctx, &d, &a, rows));
    }
  }
  return SNUG_OK;
}
