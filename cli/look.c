#include "look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

/* One sample after the other, in memory of its own. */
typedef struct reader {
  const snug_data *data;
  const look_how *how;
  snug_array *sample; /* per array: one row of it */
  void **to;          /* where a source puts it; NULL: it is in memory */
  char *scratch;
} reader;

static size_t sample_bytes(const snug_array *a) {
  return (size_t)cli_sample_values(a) * snug_dtype_bytes(a->dtype);
}

static int64_t rows_of(const snug_data *d) {
  return d->source ? d->source->rows : d->x[0].shape[0];
}

static void close_reader(reader *r) {
  for (int32_t k = 0; r->to && k < r->data->n_x; k++) {
    free(r->to[k]);
  }
  free(r->scratch);
  free(r->to);
  free(r->sample);
}

static int open_reader(reader *r, const snug_data *data, const look_how *how) {
  size_t n = (size_t)data->n_x;
  *r = (reader){.data = data, .how = how};
  r->sample = calloc(n, sizeof *r->sample);
  r->to = calloc(n, sizeof *r->to);
  r->scratch = calloc(1, data->source ? data->source->scratch + 1 : 1);
  bool is_there = r->sample && r->to && r->scratch;
  for (size_t k = 0; is_there && k < n; k++) {
    r->sample[k] = data->x[k];
    r->to[k] = data->x[k].data ? NULL : malloc(sample_bytes(&data->x[k]) + 1);
    is_there = data->x[k].data || r->to[k];
  }
  return is_there ? CLI_OK : cli_fail(CLI_FAILURE, "data: no memory for a sample");
}

static snug_status restart(reader *r, char *why) {
  const snug_source *s = r->data->source;
  return s && s->restart ? s->restart(s->user, r->scratch, r->how->pass, why) : SNUG_OK;
}

static snug_status read_sample(reader *r, int64_t row, char *why) {
  const snug_source *s = r->data->source;
  snug_status status = s ? s->read(s->user, r->scratch, row, r->how->pass, r->to, why) : SNUG_OK;
  for (int32_t k = 0; k < r->data->n_x && !status; k++) {
    const snug_array *a = &r->data->x[k];
    r->sample[k].data = r->to[k] ? r->to[k] : (const char *)a->data + (size_t)row * sample_bytes(a);
  }
  return status;
}

/* ---- what is in it ---- */

static bool is_whole(snug_dtype d) {
  return d == SNUG_INT8 || d == SNUG_INT32 || d == SNUG_INT64 || d == SNUG_UINT8 || d == SNUG_BOOL;
}

static void count_class(look_array *a, double v) {
  int64_t class_ = v >= 0.0 && v < LOOK_CLASSES ? (int64_t)v : -1;
  if (class_ < 0) {
    free(a->counts); /* not class numbers */
    a->counts = NULL;
    a->classes = 0;
    return;
  }
  a->counts[class_]++;
  a->classes = class_ + 1 > a->classes ? class_ + 1 : a->classes;
}

/* false: a value of the sample is not finite, and `why` says which. */
static bool look_at_array(look_array *a, const snug_array *sample, int64_t row, char *why) {
  int64_t n = cli_sample_values(sample);
  for (int64_t i = 0; i < n; i++) {
    double v = cli_value_at(sample, i);
    if (!isfinite(v)) {
      snprintf(why, SNUG_WHY_BYTES, "%s: sample %lld, element %lld is %g", a->name, (long long)row,
               (long long)i, v);
      return false;
    }
    a->least = v < a->least ? v : a->least;
    a->most = v > a->most ? v : a->most;
    if (a->counts) {
      count_class(a, v);
    }
  }
  return true;
}

static void note_bad(look *l, const char *why) {
  if (l->bad < LOOK_SHOWN) {
    memcpy(l->why[l->bad], why, SNUG_WHY_BYTES);
  }
  l->bad++;
}

/* Returns whether more can be read; adds the seconds of that to *reading. */
static bool look_at_sample(look *l, reader *r, int64_t row, double *reading) {
  char why[SNUG_WHY_BYTES] = "";
  double start = terminal_now();
  snug_status s = read_sample(r, row, why);
  *reading += terminal_now() - start;
  if (s == SNUG_E_STOPPED && l->data->source->rows < 0) {
    return false;
  }
  bool is_good = !s;
  for (int32_t k = 0; k < l->data->n_x && is_good; k++) {
    is_good = look_at_array(&l->arrays[k], &r->sample[k], row, why);
  }
  if (!is_good) {
    note_bad(l, why);
  }
  l->samples++;
  return !s || !l->data->source->in_order;
}

static void add_stage(look *l, const char *name, int64_t samples, double seconds) {
  l->stages[l->n_stages++] = (look_stage){name, samples, seconds, false};
}

/* What reading is made of, where that is known. */
static void add_parts(look *l, const reader *r) {
  snug_stage parts[LOOK_PARTS];
  size_t n = snug_arrays_stages(r->how->arrays, parts, LOOK_PARTS);
  for (size_t i = 0; i < n && i < LOOK_PARTS; i++) {
    l->stages[l->n_stages++] = (look_stage){parts[i].name, l->samples, parts[i].seconds, true};
  }
}

static void look_in_order(look *l, reader *r) {
  char why[SNUG_WHY_BYTES] = "";
  int64_t rows = rows_of(l->data), most = r->how->most;
  double start = terminal_now(), reading = 0.0;
  if (restart(r, why)) {
    note_bad(l, why);
    return;
  }
  for (int64_t i = 0; (rows < 0 || i < rows) && (!most || i < most); i++) {
    if (!look_at_sample(l, r, i, &reading)) {
      break;
    }
  }
  add_stage(l, "read in order", l->samples, reading);
  add_parts(l, r);
  add_stage(l, "look at all values", l->samples, terminal_now() - start - reading);
}

/* Rows all over the file, for a while. */
static void look_anywhere(look *l, reader *r) {
  char why[SNUG_WHY_BYTES] = "";
  int64_t rows = rows_of(l->data);
  uint64_t any = 1;
  int64_t n = 0;
  double start = terminal_now();
  if (!l->data->source || l->data->source->in_order) {
    return;
  }
  for (; n < rows && terminal_now() - start < r->how->seconds; n++) {
    any = any * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    (void)!read_sample(r, (int64_t)((any >> 16) % (uint64_t)rows), why);
  }
  add_stage(l, "read in any order", n, terminal_now() - start);
}

/* ---- all of it ---- */

static int open_arrays(look *l, const char *const *names) {
  size_t n = (size_t)l->data->n_x;
  l->arrays = calloc(n ? n : 1, sizeof *l->arrays);
  for (size_t k = 0; l->arrays && k < n; k++) {
    const snug_array *a = &l->data->x[k];
    l->arrays[k] = (look_array){.name = names[k], .array = a, .least = INFINITY, .most = -INFINITY};
    l->bytes += sample_bytes(a);
    if (is_whole(a->dtype) && cli_sample_values(a) == 1) {
      l->arrays[k].counts = calloc(LOOK_CLASSES, sizeof *l->arrays[k].counts);
    }
  }
  return l->arrays ? CLI_OK : cli_fail(CLI_FAILURE, "data: no memory for %zu arrays", n);
}

int look_at(look *l, const snug_data *data, const look_how *how) {
  reader r = {.data = data};
  *l = (look){.data = data};
  int code = open_arrays(l, how->names);
  code = code ? code : open_reader(&r, data, how);
  if (!code) {
    look_in_order(l, &r);
    look_anywhere(l, &r);
  }
  close_reader(&r);
  return code;
}

void look_release(look *l) {
  for (int32_t k = 0; l->arrays && k < l->data->n_x; k++) {
    free(l->arrays[k].counts);
  }
  free(l->arrays);
}
