/* Raw ops that take elements from other places, the same ones of every sample or each its own; and
 * those with several results, of which a layer is one (output=0, 1, ...). */
#include "model/layers/raw_values.h"
#include "ops/embedding.h"
#include "ops/take.h"
#include "ops/unary.h"

typedef struct take_config {
  snug__layer_common common;
  snug_ints axis, shift, repeats, pad_width;
  snug_numbers indices_or_sections;
  snug__raw_constant x, indices;
  int64_t num, k, n, output;
  double constant_values;
  int32_t mode;
  bool sorted;
} take_config;

#define NEEDS_AXES .lacks = LAYER_LACKS(RAW_ALL_AXES)
#define TAKE_FIELD(member, kind, initial) SNUG_FIELD(take_config, member, kind, initial)
#define AXIS(initial) TAKE_FIELD(axis, INTS, initial)
#define OUTPUT TAKE_FIELD(output, INT, "0")

static const snug__field axis_fields[] = {SNUG__LAYER_FIELDS, AXIS("-1"), {0}};

static snug_status need_axes(const snug__layer_call *c) {
  const take_config *k = c->config;
  return k->axis.n ? SNUG_OK : snug__layer_lacks(c, RAW_ALL_AXES);
}

static snug_status need_one_axis(const snug__layer_call *c, int32_t *axis) {
  SNUG_TRY(need_axes(c));
  return snug__layer_need_one_axis(c, "axis", &((const take_config *)c->config)->axis, axis);
}

/* v with parts taken along an axis: place i of m is that of number(i, n, of). */
static snug_status take_by(const snug__layer_call *c, snug__id v, int32_t axis, int64_t m,
                           int64_t (*number)(int64_t i, int64_t n, int64_t of), int64_t of,
                           snug__id *out) {
  int64_t n = snug__layer_type(c, v)->dim[axis];
  int64_t *list = NULL;
  if (m > INT32_MAX || n > INT32_MAX) {
    return snug__layer_refuse(c, "axis", axis, "one of less than 2^31 elements");
  }
  SNUG_TRY(SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, (size_t)m, &list));
  for (int64_t i = 0; i < m; i++) {
    list[i] = number(i, n, of);
  }
  snug_status s = snug__raw_take(c, v, axis, list, m, out);
  SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, list, (size_t)m);
  return s;
}

/* ---- Take ---- */

/* Rows of a constant table by the numbers in a tensor. */
static snug_status look_up(snug__layer_call *c) {
  const take_config *k = c->config;
  snug__type ids = *snug__layer_type(c, c->in[0]);
  snug__id table = SNUG_NONE;
  snug__id rows = c->in[0];
  int64_t dim[SNUG_MAX_RANK] = {0};
  if (k->axis.n > 1 || (k->axis.n == 1 && k->axis.v[0] != 0)) {
    return snug__layer_refuse(c, "axis", (double)k->axis.v[0], "0 where a table is looked up");
  }
  SNUG_TRY(snug__raw_whole(c, &k->x, c->b->real, &table));
  snug__type t = *snug__layer_type(c, table);
  if (t.rank < 1 || ids.rank + t.rank - 1 > SNUG_MAX_RANK || (!k->axis.n && t.rank > 1)) {
    return snug__layer_refuse(c, "axis", t.rank, "axis=0, and at most 6 axes in the end");
  }
  int64_t width = 1;
  for (int32_t i = 1; i < t.rank; i++) {
    width *= t.dim[i];
  }
  SNUG_TRY(snug__layer_reshape(c, table, 2, (const int64_t[]){t.dim[0], width}, &table));
  if (!snug__dtype_is_integer(ids.dtype)) {
    SNUG_TRY(snug__raw_cast(c, rows, SNUG_INT32, &rows));
  }
  SNUG_TRY(SNUG_EMIT(c->b->g, embedding, NULL, &c->out, table, rows));
  memcpy(dim, ids.dim, (size_t)ids.rank * sizeof *dim);
  memcpy(dim + ids.rank, t.dim + 1, (size_t)(t.rank - 1) * sizeof *dim);
  return snug__layer_reshape(c, c->out, ids.rank + t.rank - 1, dim, &c->out);
}

/* The numbers of a constant, those from the end counted from the front; and checked. */
static snug_status read_indices(const snug__layer_call *c, int64_t n, double *read, int64_t *list) {
  const snug_numbers *values = &((const take_config *)c->config)->indices.values;
  snug__numbers_read(values, read);
  for (int64_t i = 0; i < values->n; i++) {
    if (!(read[i] >= (double)-n && read[i] < (double)n)) {
      return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: indices: %g is not one of %lld",
                        c->layer->name, read[i], (long long)n);
    }
    list[i] = (int64_t)read[i] + (read[i] < 0.0 ? n : 0);
  }
  return SNUG_OK;
}

static snug_status take_parts(snug__layer_call *c, int32_t axis) {
  const take_config *k = c->config;
  size_t m = (size_t)k->indices.values.n;
  int64_t *list = NULL;
  double *read = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, m, &list));
  snug_status s = SNUG_NEW_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, m, &read);
  if (!s) {
    s = read_indices(c, snug__layer_type(c, c->in[0])->dim[axis], read, list);
    s = s ? s : snug__raw_take(c, c->in[0], axis, list, (int64_t)m, &c->out);
    SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, read, m);
  }
  SNUG_GIVE_ARRAY(c->b->ctx, SNUG__MEM_SCRATCH, list, m);
  return s;
}

#define TWO_TENSORS                                                                        \
  "x and indices that are both tensors; one is a constant: the numbers that are taken of " \
  "every sample, or the table. TakeAlongAxis takes others of each sample"

/* The axis becomes those of the numbers: none for one number. */
static snug_status take(snug__layer_call *c) {
  const take_config *k = c->config;
  snug__type x = *snug__layer_type(c, c->in[0]);
  snug__id numbers = SNUG_NONE;
  int64_t dim[2 * SNUG_MAX_RANK] = {0};
  int32_t axis = 0;
  if (k->x.values.n && !k->indices.values.n && c->n_in == 1) {
    return look_up(c);
  }
  if (!k->indices.values.n || c->n_in != 1) {
    return snug__layer_lacks(c, TWO_TENSORS);
  }
  SNUG_TRY(need_one_axis(c, &axis));
  SNUG_TRY(snug__raw_whole(c, &k->indices, SNUG_INT32, &numbers));
  const snug__type shape = *snug__layer_type(c, numbers);
  int32_t rank = x.rank - 1 + shape.rank;
  if (rank > SNUG_MAX_RANK) {
    return snug__layer_refuse(c, "indices", rank, "at most 6 axes in the end");
  }
  SNUG_TRY(take_parts(c, axis));
  memcpy(dim, x.dim, (size_t)axis * sizeof *dim);
  memcpy(dim + axis, shape.dim, (size_t)shape.rank * sizeof *dim);
  memcpy(dim + axis + shape.rank, x.dim + axis + 1, (size_t)(x.rank - axis - 1) * sizeof *dim);
  return snug__layer_reshape(c, c->out, rank, dim, &c->out);
}

static const snug__field take_fields[] = {SNUG__LAYER_FIELDS,
                                          AXIS(NULL),
                                          RAW_CONSTANT(take_config, x),
                                          RAW_CONSTANT(take_config, indices),
                                          {0}};
RAW_CLASS(Take, take_config, take_fields, 1, 2, take, .operands = "x indices",
          .lacks = LAYER_LACKS(RAW_ALL_AXES, TWO_TENSORS));

static snug_status take_along(snug__layer_call *c) {
  snug__take_params p = {0};
  int32_t axis = 0;
  snug__id numbers = SNUG_NONE;
  SNUG_TRY(need_one_axis(c, &axis));
  p.axis = axis;
  SNUG_TRY(snug__raw_cast(c, c->in[1], SNUG_INT32, &numbers));
  return SNUG_EMIT(c->b->g, take_along, &p, &c->out, c->in[0], numbers);
}

RAW_CLASS(TakeAlongAxis, take_config, axis_fields, 2, 2, take_along, NEEDS_AXES);

/* ---- order ---- */

static snug_status order_of(const snug__layer_call *c, snug__id x, int32_t axis, bool descending,
                            snug__id *out) {
  snug__sort_params p;
  memset(&p, 0, sizeof p);
  p.axis = axis;
  p.descending = descending;
  SNUG_TRY(snug__raw_cast(c, x, snug__raw_work(snug__layer_type(c, x)->dtype), out));
  return SNUG_EMIT(c->b->g, argsort, &p, out, *out);
}

static snug_status argsort(snug__layer_call *c) {
  int32_t axis = 0;
  SNUG_TRY(need_one_axis(c, &axis));
  return order_of(c, c->in[0], axis, false, &c->out);
}

static snug_status sort(snug__layer_call *c) {
  snug__take_params p = {0};
  int32_t axis = 0;
  SNUG_TRY(need_one_axis(c, &axis));
  p.axis = axis;
  SNUG_TRY(order_of(c, c->in[0], axis, false, &c->out));
  return SNUG_EMIT(c->b->g, take_along, &p, &c->out, c->in[0], c->out);
}

RAW_CLASS(Argsort, take_config, axis_fields, 1, 1, argsort, NEEDS_AXES);
RAW_CLASS(Sort, take_config, axis_fields, 1, 1, sort, NEEDS_AXES);

/* Elements begin .. begin + size of an axis. */
static snug_status part(const snug__layer_call *c, snug__id v, int32_t axis, int64_t begin,
                        int64_t size, snug__id *out) {
  const snug__type *x = snug__layer_type(c, v);
  snug__slice_params p;
  memset(&p, 0, sizeof p);
  p.begin.n = p.size.n = x->rank;
  memcpy(p.size.v, x->dim, sizeof x->dim);
  p.begin.v[axis] = begin;
  p.size.v[axis] = size;
  return SNUG_EMIT(c->b->g, slice, &p, out, v);
}

static snug_status need_output(const snug__layer_call *c, int64_t n) {
  int64_t output = ((const take_config *)c->config)->output;
  return output >= 0 && output < n
             ? SNUG_OK
             : snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: output=%lld: there are %lld",
                          c->layer->name, (long long)output, (long long)n);
}

/* Output 0: the k largest of the last axis; 1: their numbers. */
static snug_status top_k(snug__layer_call *c) {
  const take_config *k = c->config;
  int32_t axis = snug__layer_type(c, c->in[0])->rank - 1;
  snug__take_params p = {axis};
  int64_t n = axis > 0 ? snug__layer_type(c, c->in[0])->dim[axis] : 0;
  if (k->k < 1 || k->k > n) {
    return snug__layer_refuse(c, "k", (double)k->k, "1 or more, as many as there are at most");
  }
  SNUG_TRY(need_output(c, 2));
  SNUG_TRY(order_of(c, c->in[0], axis, true, &c->out));
  SNUG_TRY(part(c, c->out, axis, 0, k->k, &c->out));
  return k->output ? SNUG_OK : SNUG_EMIT(c->b->g, take_along, &p, &c->out, c->in[0], c->out);
}

static const snug__field top_fields[] = {
    SNUG__LAYER_FIELDS, TAKE_FIELD(k, INT, NULL), TAKE_FIELD(sorted, BOOL, "true"), OUTPUT, {0}};
RAW_CLASS(TopK, take_config, top_fields, 1, 1, top_k, NEEDS_AXES);

/* ---- the same elements in other places ---- */

static int64_t from_end(int64_t i, int64_t n, int64_t of) {
  (void)of;
  return n - 1 - i;
}

static int64_t shifted(int64_t i, int64_t n, int64_t by) {
  int64_t at = (i - by % n) % n;
  return at < 0 ? at + n : at;
}

static int64_t repeated(int64_t i, int64_t n, int64_t of) {
  (void)of;
  return i % n;
}

snug_status snug__raw_flip(const snug__layer_call *c, snug__id in, int32_t axis, snug__id *out) {
  return take_by(c, in, axis, snug__layer_type(c, in)->dim[axis], from_end, 0, out);
}

static snug_status flip(snug__layer_call *c) {
  const take_config *k = c->config;
  const int32_t rank = snug__layer_type(c, c->in[0])->rank;
  uint32_t set = 0;
  SNUG_TRY(need_axes(c));
  SNUG_TRY(snug__layer_need_axes(c, "axis", &k->axis, rank, &set));
  c->out = c->in[0];
  for (int32_t axis = 0; axis < rank; axis++) {
    if (set >> axis & 1) {
      SNUG_TRY(snug__raw_flip(c, c->out, axis, &c->out));
    }
  }
  return SNUG_OK;
}

static snug_status roll(snug__layer_call *c) {
  const take_config *k = c->config;
  const int32_t rank = snug__layer_type(c, c->in[0])->rank;
  SNUG_TRY(need_axes(c));
  if (k->shift.n != 1 && k->shift.n != k->axis.n) {
    return snug__layer_refuse(c, "shift", k->shift.n, "one number, or one per axis");
  }
  c->out = c->in[0];
  for (int32_t i = 0; i < k->axis.n; i++) {
    int32_t axis = 0;
    SNUG_TRY(snug__layer_need_axis(c, "axis", k->axis.v[i], rank, &axis));
    int64_t n = snug__layer_type(c, c->out)->dim[axis];
    SNUG_TRY(take_by(c, c->out, axis, n, shifted, k->shift.v[k->shift.n > 1 ? i : 0], &c->out));
  }
  return SNUG_OK;
}

#define REPEATS_OF_BATCH "repeats of the batch, the first axis; repeat it once"

static snug_status tile(snug__layer_call *c) {
  const take_config *k = c->config;
  const int32_t rank = snug__layer_type(c, c->in[0])->rank;
  int32_t ahead = k->repeats.n - rank;
  for (int32_t i = 0; i <= ahead && i < k->repeats.n; i++) {
    if (k->repeats.v[i] != 1 || i < ahead) {
      return snug__layer_lacks(c, REPEATS_OF_BATCH);
    }
  }
  c->out = c->in[0];
  for (int32_t axis = 1; axis < rank; axis++) {
    int32_t at = axis + ahead;
    int64_t n = snug__layer_type(c, c->out)->dim[axis];
    int64_t m = 0;
    int64_t times = at < 0 ? 1 : k->repeats.v[at];
    if (times < 1 || !snug__mul_i64(n, times, &m)) {
      return snug__layer_refuse(c, "repeats", (double)times, "1 or more");
    }
    SNUG_TRY(times == 1 ? SNUG_OK : take_by(c, c->out, axis, m, repeated, 0, &c->out));
  }
  return SNUG_OK;
}

static const snug__field flip_fields[] = {SNUG__LAYER_FIELDS, AXIS(NULL), {0}};
static const snug__field roll_fields[] = {
    SNUG__LAYER_FIELDS, TAKE_FIELD(shift, INTS, NULL), AXIS(NULL), {0}};
static const snug__field tile_fields[] = {SNUG__LAYER_FIELDS, TAKE_FIELD(repeats, INTS, NULL), {0}};
RAW_CLASS(Flip, take_config, flip_fields, 1, 1, flip, NEEDS_AXES);
RAW_CLASS(Roll, take_config, roll_fields, 1, 1, roll, NEEDS_AXES);
RAW_CLASS(Tile, take_config, tile_fields, 1, 1, tile, .lacks = LAYER_LACKS(REPEATS_OF_BATCH));

/* ---- Pad ---- */

enum { PAD_CONSTANT, PAD_REFLECT, PAD_SYMMETRIC };
static const char *const pad_modes[] = {"constant", "reflect", "symmetric", NULL};

/* There and back again: with the ends once (reflect) or twice (symmetric). */
static int64_t reflected(int64_t i, int64_t n, int64_t before) {
  int64_t period = n > 1 ? 2 * (n - 1) : 1;
  int64_t at = (i - before) % period;
  at += at < 0 ? period : 0;
  return at < n ? at : period - at;
}

static int64_t mirrored(int64_t i, int64_t n, int64_t before) {
  int64_t at = (i - before) % (2 * n);
  at += at < 0 ? 2 * n : 0;
  return at < n ? at : 2 * n - 1 - at;
}

#define PADDED_BATCH "a pad_width of the batch, the first axis, other than (0, 0)"

static snug_status pad(snug__layer_call *c) {
  const take_config *k = c->config;
  const snug__type x = *snug__layer_type(c, c->in[0]);
  snug__pad_params p;
  memset(&p, 0, sizeof p);
  p.before.n = p.after.n = x.rank;
  p.value = k->constant_values;
  for (int32_t i = 0; i < x.rank; i++) {
    int32_t at = k->pad_width.n == 2 * x.rank ? 2 * i : 0;
    p.before.v[i] = k->pad_width.v[at];
    p.after.v[i] = k->pad_width.v[k->pad_width.n > 1 ? at + 1 : at];
    bool fits = p.before.v[i] >= 0 && p.after.v[i] >= 0 && p.before.v[i] < INT32_MAX &&
                p.after.v[i] < INT32_MAX;
    bool inside = k->mode == PAD_CONSTANT || i == 0 ||
                  snug__max_i64(p.before.v[i], p.after.v[i]) <= x.dim[i] - (k->mode == PAD_REFLECT);
    if (!fits || !inside || k->pad_width.n < 1) {
      return snug__layer_refuse(c, "pad_width", (double)p.before.v[i],
                                "numbers from 0 on, and for reflections not more than there is");
    }
  }
  if (p.before.v[0] || p.after.v[0]) {
    return snug__layer_lacks(c, PADDED_BATCH);
  }
  if (k->mode == PAD_CONSTANT) {
    return SNUG_EMIT(c->b->g, pad, &p, &c->out, c->in[0]);
  }
  c->out = c->in[0];
  for (int32_t i = 1; i < x.rank; i++) {
    int64_t m = x.dim[i] + p.before.v[i] + p.after.v[i];
    SNUG_TRY(m == x.dim[i] ? SNUG_OK
                           : take_by(c, c->out, i, m, k->mode == PAD_REFLECT ? reflected : mirrored,
                                     p.before.v[i], &c->out));
  }
  return SNUG_OK;
}

static const snug__field pad_fields[] = {SNUG__LAYER_FIELDS,
                                         TAKE_FIELD(pad_width, INTS, NULL),
                                         SNUG_CHOICE(take_config, mode, pad_modes, "constant"),
                                         TAKE_FIELD(constant_values, FLOAT, "0"),
                                         {0}};
RAW_CLASS(Pad, take_config, pad_fields, 1, 1, pad, .lacks = LAYER_LACKS(PADDED_BATCH));

/* ---- parts ---- */

#define MOST_PARTS 4096

/* Where part `output` begins and ends: of n equal ones, or between the places of a list. */
static snug_status find_part(const snug__layer_call *c, int64_t size, int64_t *begin,
                             int64_t *end) {
  const take_config *k = c->config;
  const snug_numbers *list = &k->indices_or_sections;
  double places[MOST_PARTS] = {0};
  if (list->n < 1 || list->n > MOST_PARTS) {
    return snug__layer_refuse(c, "indices_or_sections", (double)list->n, "1 to 4096 numbers");
  }
  snug__numbers_read(list, places);
  if (list->text[0] != '[') {
    bool is_count = places[0] >= 1.0 && places[0] <= (double)size;
    int64_t parts = is_count ? (int64_t)places[0] : 1;
    if (!is_count || size % parts) {
      return snug__layer_refuse(c, "indices_or_sections", places[0], "a divisor of the axis");
    }
    SNUG_TRY(need_output(c, parts));
    *begin = k->output * (size / parts);
    *end = *begin + size / parts;
    return SNUG_OK;
  }
  SNUG_TRY(need_output(c, list->n + 1));
  *begin = k->output ? (int64_t)places[k->output - 1] : 0;
  *end = k->output < list->n ? (int64_t)places[k->output] : size;
  return *begin >= 0 && *begin <= *end && *end <= size
             ? SNUG_OK
             : snug__layer_refuse(c, "indices_or_sections", (double)*begin,
                                  "places of the axis in rising order");
}

static snug_status split(snug__layer_call *c) {
  int64_t begin = 0;
  int64_t end = 0;
  int32_t axis = 0;
  SNUG_TRY(need_one_axis(c, &axis));
  SNUG_TRY(find_part(c, snug__layer_type(c, c->in[0])->dim[axis], &begin, &end));
  return part(c, c->in[0], axis, begin, end - begin, &c->out);
}

static snug_status without_axis(snug__layer_call *c, int32_t axis) {
  const snug__type x = *snug__layer_type(c, c->out);
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = 0;
  for (int32_t i = 0; i < x.rank; i++) {
    if (i != axis) {
      dim[rank++] = x.dim[i];
    }
  }
  return snug__layer_reshape(c, c->out, rank, dim, &c->out);
}

static snug_status unstack(snug__layer_call *c) {
  const take_config *k = c->config;
  int32_t axis = 0;
  SNUG_TRY(need_one_axis(c, &axis));
  SNUG_TRY(need_output(c, snug__layer_type(c, c->in[0])->dim[axis]));
  SNUG_TRY(part(c, c->in[0], axis, k->output, 1, &c->out));
  return without_axis(c, axis);
}

static const snug__field split_fields[] = {
    SNUG__LAYER_FIELDS, TAKE_FIELD(indices_or_sections, NUMBERS, NULL), AXIS(NULL), OUTPUT, {0}};
static const snug__field unstack_fields[] = {
    SNUG__LAYER_FIELDS, TAKE_FIELD(num, INT, "0"), AXIS("0"), OUTPUT, {0}};
RAW_CLASS(Split, take_config, split_fields, 1, 1, split, NEEDS_AXES);
RAW_CLASS(Unstack, take_config, unstack_fields, 1, 1, unstack, NEEDS_AXES);

/* x[1:] - x[:-1], n times */
static snug_status diff(snug__layer_call *c) {
  const take_config *k = c->config;
  snug_dtype dtype = snug__layer_type(c, c->in[0])->dtype;
  int32_t axis = 0;
  SNUG_TRY(need_one_axis(c, &axis));
  SNUG_TRY(snug__raw_cast(c, c->in[0], snug__raw_work(dtype), &c->out));
  if (k->n < 0 || k->n >= snug__layer_type(c, c->out)->dim[axis]) {
    return snug__layer_refuse(c, "n", (double)k->n, "fewer differences than elements");
  }
  for (int64_t i = 0; i < k->n; i++) {
    int64_t size = snug__layer_type(c, c->out)->dim[axis] - 1;
    snug__id later = SNUG_NONE;
    SNUG_TRY(part(c, c->out, axis, 1, size, &later));
    SNUG_TRY(part(c, c->out, axis, 0, size, &c->out));
    SNUG_TRY(SNUG_EMIT(c->b->g, subtract, NULL, &c->out, later, c->out));
  }
  return snug__raw_cast(c, c->out, dtype, &c->out);
}

static const snug__field diff_fields[] = {
    SNUG__LAYER_FIELDS, TAKE_FIELD(n, INT, "1"), AXIS("-1"), {0}};
RAW_CLASS(Diff, take_config, diff_fields, 1, 1, diff, NEEDS_AXES);
