/* GetItem: x[key], with the key as Python writes it; see raw_ops.h. */
#include <ctype.h>

#include "base/number.h"
#include "model/layers/raw_values.h"

typedef struct get_item_config {
  snug__layer_common common;
  char key[SNUG__NAME_BYTES];
} get_item_config;

static const snug__field fields[] = {
    SNUG__LAYER_FIELDS, SNUG_FIELD(get_item_config, key, TEXT, NULL), {0}};

/* ---- reading a key ---- */

typedef enum part_kind { PART_INDEX, PART_SLICE, PART_ELLIPSIS, PART_NEW_AXIS } part_kind;

/* One part of a key; start and stop are those of a slice where it has them. */
typedef struct part {
  part_kind kind;
  bool has_start, has_stop;
  int64_t start, stop, step; /* an index is in start */
} part;

#define MAX_PARTS (2 * SNUG_MAX_RANK)

typedef struct parts {
  int32_t n;
  part v[MAX_PARTS];
} parts;

static void skip_blanks(const char **at) {
  while (isspace((unsigned char)**at)) {
    (*at)++;
  }
}

static bool read_word(const char **at, const char *word) {
  size_t n = strlen(word);
  if (strncmp(*at, word, n) != 0) {
    return false;
  }
  *at += n;
  return true;
}

/* A number if there is one; *has tells. */
static void read_bound(const char **at, bool *has, int64_t *out) {
  skip_blanks(at);
  *has = snug__read_int(at, out);
  skip_blanks(at);
}

/* 3, a:b, a:b:c with each number left out or not */
static bool read_numbers(const char **at, part *p) {
  bool has_step = false;
  *p = (part){.kind = PART_INDEX, .step = 1};
  read_bound(at, &p->has_start, &p->start);
  if (**at != ':') {
    return p->has_start;
  }
  p->kind = PART_SLICE;
  ++*at;
  read_bound(at, &p->has_stop, &p->stop);
  if (**at == ':') {
    ++*at;
    read_bound(at, &has_step, &p->step);
  }
  return p->step != 0;
}

static bool read_part(const char **at, part *p) {
  *p = (part){.kind = PART_ELLIPSIS};
  if (read_word(at, "...")) {
    return true;
  }
  p->kind = PART_NEW_AXIS;
  return read_word(at, "None") || read_numbers(at, p);
}

static bool read_key(const char *at, parts *out) {
  out->n = 0;
  skip_blanks(&at);
  if (*at++ != '[') {
    return false;
  }
  for (char separator = ','; separator == ',';) {
    skip_blanks(&at);
    if (out->n == MAX_PARTS || !read_part(&at, &out->v[out->n++])) {
      return false;
    }
    skip_blanks(&at);
    separator = *at++;
    if (separator != ',' && separator != ']') {
      return false;
    }
  }
  skip_blanks(&at);
  return *at == 0;
}

/* ---- taking apart ---- */

/* What is taken of the input, and the shape that is made of it. */
typedef struct taking {
  snug__slice_params slice;
  uint32_t backwards; /* axes that are turned round when they have been taken */
  int64_t dim[SNUG_MAX_RANK];
  int32_t rank, axis; /* of the output so far; the next axis of the input */
} taking;

static snug_status refuse(const snug__layer_call *c, const char *why) {
  const get_item_config *k = c->config;
  char text[SNUG__TYPE_TEXT_BYTES];
  return snug__fail(c->b->ctx, SNUG_E_ARGUMENT, "%s: key=%s of %s: %s", c->layer->name, k->key,
                    snug__type_batch_text(snug__layer_type(c, c->in[0]), text), why);
}

static snug_status put_axis(const snug__layer_call *c, taking *t, int64_t size) {
  if (t->rank == SNUG_MAX_RANK) {
    return refuse(c, "the result has more than 6 axes");
  }
  t->dim[t->rank++] = size;
  return SNUG_OK;
}

/* A bound as Python has it: from the end if negative, and cut to 0 .. n. */
static int64_t bound(bool has, int64_t v, int64_t absent, int64_t n) {
  int64_t at = !has ? absent : v < -n ? 0 : v < 0 ? v + n : v;
  return at > n ? n : at;
}

/* What a slice with a negative step takes, in rising order: from *begin to before *end. */
static void turn(const part *p, int64_t n, int64_t *begin, int64_t *end) {
  int64_t first = p->has_start ? (p->start < 0 ? p->start + n : p->start) : n - 1;
  int64_t stop = p->has_stop ? (p->stop < 0 ? p->stop + n : p->stop) : -1;
  first = snug__min_i64(first, n - 1);
  stop = snug__max_i64(stop, -1);
  *end = first + 1;
  *begin = first > stop ? first - (first - stop - 1) / -p->step * -p->step : *end;
}

static snug_status take_slice(const snug__layer_call *c, taking *t, const part *p) {
  int32_t k = t->axis++;
  int64_t n = snug__layer_type(c, c->in[0])->dim[k];
  int64_t step = snug__min_i64(p->step < 0 ? -p->step : p->step, snug__max_i64(n, 1));
  bool all = p->step == 1 && (!p->has_start || p->start == 0) && !p->has_stop;
  if (k == 0 && !all) {
    return refuse(c, "the first axis is the batch, which can only be taken as a whole (:)");
  }
  int64_t begin = bound(p->has_start, p->start, 0, n);
  int64_t end = bound(p->has_stop, p->stop, n, n);
  if (p->step < 0) {
    turn(&(part){.has_start = p->has_start,
                 .has_stop = p->has_stop,
                 .start = p->start,
                 .stop = p->stop,
                 .step = -step},
         n, &begin, &end);
    t->backwards |= 1u << k;
  }
  if (k > 0 && end <= begin) {
    return refuse(c, "nothing is left of an axis");
  }
  t->slice.begin.v[k] = begin;
  t->slice.strides.v[k] = step;
  t->slice.size.v[k] = k ? (end - begin - 1) / step + 1 : n;
  return put_axis(c, t, t->slice.size.v[k]);
}

static snug_status take_index(const snug__layer_call *c, taking *t, const part *p) {
  int32_t k = t->axis++;
  int64_t n = snug__layer_type(c, c->in[0])->dim[k];
  if (k == 0) {
    return refuse(c, "the first axis is the batch, of which no one sample can be taken");
  }
  if (p->start < -n || p->start >= n) {
    return refuse(c, "an index is out of range");
  }
  t->slice.begin.v[k] = p->start < 0 ? p->start + n : p->start;
  t->slice.size.v[k] = t->slice.strides.v[k] = 1;
  return SNUG_OK;
}

static snug_status take(const snug__layer_call *c, taking *t, const part *p) {
  static const part all = {.kind = PART_SLICE, .step = 1};
  int32_t rank = snug__layer_type(c, c->in[0])->rank;
  if (p->kind == PART_NEW_AXIS) {
    return t->axis == 0 ? refuse(c, "the batch must stay the first axis") : put_axis(c, t, 1);
  }
  if (p->kind == PART_ELLIPSIS) { /* start: how many axes it stands for */
    for (int64_t i = 0; i < p->start; i++) {
      SNUG_TRY(take_slice(c, t, &all));
    }
    return SNUG_OK;
  }
  if (t->axis == rank) {
    return refuse(c, "there are more parts than axes");
  }
  return p->kind == PART_INDEX ? take_index(c, t, p) : take_slice(c, t, p);
}

/* An ellipsis at the end if there is none, and how many axes it stands for. */
static snug_status resolve_ellipsis(const snug__layer_call *c, parts *key) {
  int64_t open = snug__layer_type(c, c->in[0])->rank;
  part *ellipsis = NULL;
  for (int32_t i = 0; i < key->n; i++) {
    open -= key->v[i].kind == PART_INDEX || key->v[i].kind == PART_SLICE;
    if (key->v[i].kind == PART_ELLIPSIS && ellipsis) {
      return refuse(c, "there are two ellipses");
    }
    ellipsis = key->v[i].kind == PART_ELLIPSIS ? &key->v[i] : ellipsis;
  }
  if (!ellipsis) {
    if (key->n == MAX_PARTS) {
      return refuse(c, "there are too many parts");
    }
    ellipsis = &key->v[key->n++];
    *ellipsis = (part){.kind = PART_ELLIPSIS};
  }
  ellipsis->start = snug__max_i64(open, 0);
  return SNUG_OK;
}

static bool takes_all(const snug__type *x, const snug__slice_params *p) {
  return memcmp(p->size.v, x->dim, (size_t)x->rank * sizeof x->dim[0]) == 0;
}

static snug_status get_item(snug__layer_call *c) {
  const get_item_config *k = c->config;
  parts key;
  taking t;
  memset(&t, 0, sizeof t);
  t.slice.begin.n = t.slice.size.n = t.slice.strides.n = snug__layer_type(c, c->in[0])->rank;
  if (!read_key(k->key, &key)) {
    return refuse(c, "expected numbers, slices, ... and None, as in [:, 0]");
  }
  SNUG_TRY(resolve_ellipsis(c, &key));
  for (int32_t i = 0; i < key.n; i++) {
    SNUG_TRY(take(c, &t, &key.v[i]));
  }
  c->out = c->in[0];
  if (!takes_all(snug__layer_type(c, c->in[0]), &t.slice)) {
    SNUG_TRY(SNUG_EMIT(c->b->g, slice, &t.slice, &c->out, c->in[0]));
  }
  for (int32_t axis = 0; axis < SNUG_MAX_RANK; axis++) {
    if (t.backwards >> axis & 1) {
      SNUG_TRY(snug__raw_flip(c, c->out, axis, &c->out));
    }
  }
  return snug__layer_reshape(c, c->out, t.rank, t.dim, &c->out);
}

RAW_CLASS(GetItem, get_item_config, fields, 1, 1, get_item);
