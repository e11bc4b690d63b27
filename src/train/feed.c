#include "train/feed.h"

#include <math.h>

#include "base/clock.h"
#include "base/size.h"

/* ---- batches ---- */

void snug__feed_start(snug__feed *f, uint64_t seed, uint64_t pass, int64_t batch) {
  f->order = snug__shuffle_make((uint64_t)snug__max_i64(f->rows, 1), seed, pass);
  if (f->pipe) {
    snug__pipe_start(f->pipe, &f->intake, &(snug__pass){pass, batch});
  }
}

snug_status snug__feed_take(snug__feed *f) {
  if (!f->pipe) {
    return SNUG_OK;
  }
  double start = snug__now();
  snug_status s = snug__pipe_take(f->pipe, &f->ready);
  f->waited += snug__now() - start;
  return s;
}

void snug__feed_give(snug__feed *f) {
  if (f->pipe) {
    snug__pipe_give(f->pipe);
  }
}

int64_t snug__feed_batches(const snug__feed *f) {
  return f->rows < 0 ? INT64_MAX : snug__ceil_div(f->rows, f->batch);
}

int64_t snug__feed_rows(const snug__feed *f, int64_t batch) {
  return f->rows < 0 ? f->batch : snug__min_i64(f->batch, f->rows - batch * f->batch);
}

/* ---- filling ---- */

#define PART 64 /* samples whose rows are found at a time */

/* Samples of a batch: which rows of the data they are, and which of the slot that was taken. */
typedef struct part {
  snug__row_list rows, places;
} part;

/* `order` has room for their rows, where those have to be found. */
static part part_at(const snug__feed *f, int64_t batch, const snug__row_list *places,
                    int64_t order[PART]) {
  int64_t position = batch * f->batch + places->first;
  part p = {.rows = {NULL, f->first + position, places->n}, .places = *places};
  if (f->pipe) {
    p.rows.row = f->ready.row + places->first;
  } else if (f->shuffled) {
    p.rows.row = order;
    snug__shuffle_list(&f->order, (uint64_t)position, places->n, order);
    for (int64_t i = 0; f->first && i < places->n; i++) {
      order[i] += f->first;
    }
  }
  return p;
}

/* Array k where it has the samples, and the rows that they are there. */
static snug_array place_of(const snug__feed *f, int32_t k, const part *p, snug__row_list *rows) {
  bool is_read = f->pipe && f->ready.at[k];
  snug_array a = is_read ? f->intake.arrays[k] : *snug__data_array(f->data, k);
  *rows = is_read ? p->places : p->rows;
  a.data = is_read ? f->ready.at[k] : a.data;
  return a;
}

static void fill_rows(const snug__feed *f, int32_t k, const part *p, const snug__program *program,
                      snug__id value, int64_t index) {
  snug__row_list rows;
  if (value != SNUG_NONE) {
    snug_array a = place_of(f, k, p, &rows);
    snug__array_copy_rows(&a, &rows, snug__type_at(program->graph, value),
                          snug__program_data(program, value), index);
  }
}

/* The label of a sample: the number, or the place of the largest entry of a one-hot one. */
static int64_t label_of(const snug_array *y, int64_t row) {
  int64_t n = snug__array_row(y);
  int64_t label = 0;
  for (int64_t k = 1; k < n; k++) {
    label = snug__element_get(y->dtype, y->data, row * n + k) >
                    snug__element_get(y->dtype, y->data, row * n + label)
                ? k
                : label;
  }
  return n > 1 ? label : llround(snug__element_get(y->dtype, y->data, row));
}

/* The weight of a label, which has come by then. */
static double class_weight_of(const snug__feed *f, int64_t label) {
  bool is_weighted = label >= 0 && label < f->n_class_weight;
  if (is_weighted && f->has_class) {
    f->has_class[label] = true;
  }
  return is_weighted ? f->class_weight[label] : 1.0;
}

bool snug__feed_see_classes(const snug__feed *f) {
  const snug_array *y = &f->data->y[0];
  bool is_there = f->rows >= 0 && !f->data->map && y->data && y->data != &snug__no_values;
  for (int64_t i = 0; is_there && i < f->rows; i++) {
    class_weight_of(f, label_of(y, f->first + i));
  }
  return is_there;
}

/* The weight of a sample: its own, or its class's. */
static double weight_of(const snug__feed *f, const part *p, int64_t i) {
  snug__row_list rows;
  if (f->data->sample_weight) {
    snug_array a = place_of(f, f->data->n_x + snug__data_labels(f->data), p, &rows);
    return snug__element_get(a.dtype, a.data, snug__row_at(&rows, i));
  }
  if (!f->class_weight) {
    return 1.0;
  }
  snug_array y = place_of(f, f->data->n_x, p, &rows);
  return class_weight_of(f, label_of(&y, snug__row_at(&rows, i)));
}

static void fill_weights(const snug__feed *f, const part *p, const snug__run *run, int64_t index) {
  snug__id weight = run->step.weight;
  for (int64_t i = 0; weight != SNUG_NONE && i < p->rows.n; i++) {
    snug__element_set(snug__type_at(run->program->graph, weight)->dtype,
                      snug__program_data(run->program, weight), index + i, weight_of(f, p, i));
  }
}

/* Copy samples to the places from `index` on of every input of a run. */
static void fill_part(const snug__feed *f, const part *p, const snug__run *run, int64_t index) {
  const snug__step *step = &run->step;
  int32_t n_x = f->data->n_x;
  for (int32_t k = 0; k < n_x; k++) {
    fill_rows(f, k, p, run->program, step->x[k], index);
  }
  for (int32_t k = 0; step->y && k < snug__data_labels(f->data); k++) {
    fill_rows(f, n_x + k, p, run->program, step->y[k], index);
  }
  fill_weights(f, p, run, index);
}

void snug__feed_fill(snug__feed *f, int64_t batch, int64_t first, const snug__run *run) {
  double start = snug__now();
  int64_t order[PART];
  for (int64_t i = 0; i < run->step.batch; i += PART) {
    snug__row_list places = {NULL, first + i, snug__min_i64(PART, run->step.batch - i)};
    part p = part_at(f, batch, &places, order);
    fill_part(f, &p, run, i);
  }
  f->copied += snug__now() - start;
}

void snug__feed_sizes(const snug__feed *f, snug__slot slot, snug__session_spec *spec) {
  int64_t rest = f->rows < 0 ? 0 : f->rows % f->batch;
  spec->batch[slot] = f->batch;
  spec->batch[slot + 1] = rest;
  if (spec->choice.micro && spec->choice.micro < f->batch) {
    int64_t last = f->batch % spec->choice.micro;
    int64_t tail = rest % spec->choice.micro;
    const int64_t sizes[SNUG__SLOT_SIZES] = {spec->choice.micro, last, tail == last ? 0 : tail};
    for (unsigned i = 0; i < SNUG__SLOT_SIZES; i++) {
      spec->batch[slot + i] = sizes[i];
      spec->in_micro_batches[slot + i] = true;
    }
  }
}
