/* Raw ops that multiply and sum over axes: Matmul, Dot, Tensordot, Einsum.  All are an Einsum of
 * one or two operands, which is brought to a product of matrices, with a batch of them before it.
 */
#include <ctype.h>

#include "model/layers/raw_values.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

/* An operand, or the result: its value and a letter for each of its axes. */
typedef struct term {
  snug__id id;
  int32_t n;
  char label[SNUG_MAX_RANK + 1];
  bool is_constant;
} term;

typedef struct product {
  const snug__layer_call *c;
  term in[2], out;
  int32_t n_in;
} product;

static snug_status refuse(const product *p, const char *why) {
  return snug__fail(p->c->b->ctx, SNUG_E_UNSUPPORTED, "%s (%s): %s", p->c->layer->name,
                    p->c->layer->class_->name, why);
}

static const char *find(const term *t, char label) {
  return t->n > 0 ? memchr(t->label, label, (size_t)t->n) : NULL;
}

static bool has(const term *t, char label) { return find(t, label); }

static int64_t size_of(const product *p, char label) {
  for (int32_t i = 0; i < p->n_in; i++) {
    const char *at = find(&p->in[i], label);
    if (at) {
      return snug__layer_type(p->c, p->in[i].id)->dim[at - p->in[i].label];
    }
  }
  return 0;
}

/* ---- checks: every label one size, once in a term; the first axis of all is the batch ---- */

#define DIAGONAL "a letter that stands twice in one operand (a diagonal)"
#define THREE_OPERANDS "more than two operands"
#define MIXES                                                                              \
  "a batch that is not the first axis of the result and of each tensor; samples would be " \
  "mixed"

static snug_status check_term(const product *p, const term *t) {
  for (int32_t k = 0; k < t->n; k++) {
    if (memchr(t->label + k + 1, t->label[k], (size_t)(t->n - k - 1))) {
      return snug__layer_lacks(p->c, DIAGONAL);
    }
    if (t != &p->out && snug__layer_type(p->c, t->id)->dim[k] != size_of(p, t->label[k])) {
      return refuse(p, "the sizes of axes that belong together differ");
    }
    if (t == &p->out && !has(&p->in[0], t->label[k]) &&
        (p->n_in < 2 || !has(&p->in[1], t->label[k]))) {
      return refuse(p, "a letter of the result is not among those of the operands");
    }
  }
  return SNUG_OK;
}

static snug_status check(const product *p) {
  char batch = 0;
  for (int32_t i = 0; i < p->n_in; i++) {
    SNUG_TRY(check_term(p, &p->in[i]));
    batch = p->in[i].is_constant ? batch : p->in[i].n ? p->in[i].label[0] : 0;
  }
  for (int32_t i = 0; i < p->n_in; i++) {
    bool first = p->in[i].n && p->in[i].label[0] == batch;
    if (p->in[i].is_constant ? has(&p->in[i], batch) : !first) {
      return snug__layer_lacks(p->c, MIXES);
    }
  }
  SNUG_TRY(check_term(p, &p->out));
  return p->out.n && p->out.label[0] == batch ? SNUG_OK : snug__layer_lacks(p->c, MIXES);
}

/* ---- steps ---- */

/* Sum over the axes that neither the result nor the other operand has. */
static snug_status sum_out(product *p, int32_t i) {
  term *t = &p->in[i];
  term kept = {.id = t->id, .is_constant = t->is_constant};
  snug__reduce_params sum;
  memset(&sum, 0, sizeof sum);
  for (int32_t k = 0; k < t->n; k++) {
    bool stays = has(&p->out, t->label[k]) || (p->n_in > 1 && has(&p->in[1 - i], t->label[k]));
    if (stays) {
      kept.label[kept.n++] = t->label[k];
    } else {
      sum.axes.v[sum.axes.n++] = k;
    }
  }
  if (sum.axes.n) {
    SNUG_TRY(SNUG_EMIT(p->c->b->g, sum, &sum, &kept.id, t->id));
  }
  *t = kept;
  return SNUG_OK;
}

/* A term with its axes in the order of `to`, which has the same labels. */
static snug_status reorder(const product *p, term *t, const char *to) {
  snug__permute_params order;
  bool moved = false;
  memset(&order, 0, sizeof order);
  order.axes.n = t->n;
  for (int32_t k = 0; k < t->n; k++) {
    order.axes.v[k] = (const char *)memchr(t->label, to[k], (size_t)t->n) - t->label;
    moved = moved || order.axes.v[k] != k;
  }
  memcpy(t->label, to, (size_t)t->n);
  return moved ? SNUG_EMIT(p->c->b->g, permute, &order, &t->id, t->id) : SNUG_OK;
}

/* The labels of a term that the other has or has not, and the result has or has not, behind *n. */
static int64_t list(const product *p, const term *t, const term *other, bool in_other, bool in_out,
                    char *labels, int32_t *n) {
  int64_t count = 1;
  for (int32_t k = 0; k < t->n; k++) {
    if (has(other, t->label[k]) == in_other && has(&p->out, t->label[k]) == in_out) {
      labels[(*n)++] = t->label[k];
      count *= size_of(p, t->label[k]);
    }
  }
  return count;
}

/* [batch, rows, inner] times [batch, inner, columns] */
static snug_status multiply(product *p, term *out) {
  term *a = &p->in[0];
  term *b = &p->in[1];
  snug__matmul_params plain = {false, false};
  char left[SNUG_MAX_RANK + 1] = "";
  char right[SNUG_MAX_RANK + 1] = "";
  int32_t n = 0;
  int32_t m = 0;
  int64_t batch = list(p, a, b, true, true, left, &n);
  memcpy(right, left, sizeof left);
  memcpy(out->label, left, sizeof left);
  out->n = m = n;
  int64_t rows = list(p, a, b, false, true, left, &n);
  memcpy(out->label + out->n, left + m, (size_t)(n - m));
  out->n = n;
  int32_t inner_at = m;
  int64_t inner = list(p, a, b, true, false, left, &n);
  memcpy(right + inner_at, left + out->n, (size_t)(n - out->n));
  m += n - out->n;
  int32_t before = m;
  int64_t columns = list(p, b, a, false, true, right, &m);
  if (out->n + m - before > SNUG_MAX_RANK) {
    return refuse(p, "the result has more than 6 axes");
  }
  memcpy(out->label + out->n, right + before, (size_t)(m - before));
  out->n += m - before;
  SNUG_TRY(reorder(p, a, left));
  SNUG_TRY(reorder(p, b, right));
  SNUG_TRY(snug__layer_reshape(p->c, a->id, 3, (const int64_t[]){batch, rows, inner}, &a->id));
  SNUG_TRY(snug__layer_reshape(p->c, b->id, 3, (const int64_t[]){batch, inner, columns}, &b->id));
  return SNUG_EMIT(p->c->b->g, matmul, &plain, &out->id, a->id, b->id);
}

static snug_status run(product *p, snug__layer_call *c) {
  term out = {.id = p->in[0].id};
  int64_t dim[SNUG_MAX_RANK];
  SNUG_TRY(check(p));
  for (int32_t i = 0; i < p->n_in; i++) {
    SNUG_TRY(sum_out(p, i));
  }
  out = p->in[0];
  if (p->n_in > 1) {
    const product sizes = *p; /* what is multiplied changes its shape */
    SNUG_TRY(multiply(p, &out));
    for (int32_t k = 0; k < out.n; k++) {
      dim[k] = size_of(&sizes, out.label[k]);
    }
    SNUG_TRY(snug__layer_reshape(c, out.id, out.n, dim, &out.id));
  }
  SNUG_TRY(reorder(p, &out, p->out.label));
  c->out = out.id;
  return SNUG_OK;
}

/* ---- operands ---- */

typedef struct product_config {
  snug__layer_common common;
  snug__raw_constant constant;
  bool constant_first;
  char subscripts[SNUG__NAME_BYTES];
  snug_ints axes;
} product_config;

#define PRODUCT_CONSTANT \
  RAW_CONSTANT(product_config, constant), SNUG_FIELD(product_config, constant_first, BOOL, "false")

static snug_status open(product *p, const snug__layer_call *c) {
  const product_config *k = c->config;
  int32_t at = k->constant_first ? 0 : 1;
  *p = (product){.c = c, .n_in = c->n_in + (k->constant.values.n ? 1 : 0)};
  if (p->n_in > 2) {
    return snug__layer_lacks(p->c, THREE_OPERANDS);
  }
  for (int32_t i = 0, next = 0; i < p->n_in; i++) {
    p->in[i].is_constant = k->constant.values.n && i == at;
    SNUG_TRY(p->in[i].is_constant ? snug__raw_whole(c, &k->constant, c->b->real, &p->in[i].id)
                                  : snug__layer_as_real(c, c->in[next++], &p->in[i].id));
    p->in[i].n = snug__layer_type(c, p->in[i].id)->rank;
  }
  return SNUG_OK;
}

/* ---- Einsum ---- */

/* The letters of a term up to `end`, an ellipsis as the digits of as many axes as are left. */
static bool read_term(const char **at, term *t, int32_t rank) {
  int32_t letters = 0;
  bool open_end = false;
  const char *begin = *at;
  for (const char *x = begin; *x && *x != ',' && *x != '-'; x++) {
    letters += isalpha((unsigned char)*x) != 0;
    open_end = open_end || *x == '.';
  }
  int32_t dots = open_end ? rank - letters : 0;
  t->n = 0;
  for (; **at && **at != ',' && **at != '-'; ++*at) {
    if (strncmp(*at, "...", 3) == 0 && dots >= 0) {
      for (int32_t k = dots; k > 0 && t->n < SNUG_MAX_RANK; k--) {
        t->label[t->n++] = (char)('0' + k);
      }
      *at += 2;
    } else if (isalpha((unsigned char)**at) && t->n < SNUG_MAX_RANK) {
      t->label[t->n++] = **at;
    } else if (**at != ' ') {
      return false;
    }
  }
  return t->n == rank;
}

static int32_t dots_of(const product *p) {
  int32_t n = 0;
  for (char d = '1'; d <= '6'; d++) {
    n += has(&p->in[0], d) || (p->n_in > 1 && has(&p->in[1], d));
  }
  return n;
}

/* Without "->": the ellipsis, then the letters that stand once, in their order. */
static void default_out(product *p) {
  for (char d = '6'; d >= '1'; d--) {
    if (has(&p->in[0], d) || (p->n_in > 1 && has(&p->in[1], d))) {
      p->out.label[p->out.n++] = d;
    }
  }
  for (char x = 'A'; x <= 'z'; x++) {
    bool once = has(&p->in[0], x) != (p->n_in > 1 && has(&p->in[1], x));
    if (once && p->out.n < SNUG_MAX_RANK) {
      p->out.label[p->out.n++] = x;
    }
  }
}

static bool read_subscripts(product *p, const char *at) {
  for (int32_t i = 0; i < p->n_in; i++) {
    if (!read_term(&at, &p->in[i], p->in[i].n) || (i + 1 < p->n_in && *at++ != ',')) {
      return false;
    }
  }
  if (!*at) {
    default_out(p);
    return true;
  }
  if (strncmp(at, "->", 2) != 0) {
    return false;
  }
  at += 2;
  int32_t rank = strstr(at, "...") ? dots_of(p) : 0;
  for (const char *x = at; *x; x++) {
    rank += isalpha((unsigned char)*x) != 0;
  }
  return rank <= SNUG_MAX_RANK && read_term(&at, &p->out, rank) && !*at;
}

static snug_status einsum(snug__layer_call *c) {
  const product_config *k = c->config;
  product p;
  SNUG_TRY(open(&p, c));
  if (!read_subscripts(&p, k->subscripts)) {
    return snug__fail(c->b->ctx, SNUG_E_ARGUMENT,
                      "%s: subscripts=%s do not fit the %d operands, or their axes", c->layer->name,
                      k->subscripts, p.n_in);
  }
  return run(&p, c);
}

static const snug__field einsum_fields[] = {
    SNUG__LAYER_FIELDS, PRODUCT_CONSTANT, SNUG_FIELD(product_config, subscripts, TEXT, NULL), {0}};
RAW_CLASS(Einsum, product_config, einsum_fields, 1, 2, einsum,
          .lacks = LAYER_LACKS(MIXES, DIAGONAL, THREE_OPERANDS));

/* ---- Dot, Tensordot ---- */

/* Letters from `first` on for a term; those of `shared` axes are then the other's. */
static void name_axes(term *t, char first) {
  for (int32_t k = 0; k < t->n; k++) {
    t->label[k] = (char)(first + k);
  }
}

/* The axes that are not summed over, the left operand's first. */
static snug_status name_out(product *p) {
  for (int32_t i = 0; i < 2; i++) {
    for (int32_t k = 0; k < p->in[i].n; k++) {
      if (!has(&p->in[1 - i], p->in[i].label[k])) {
        if (p->out.n == SNUG_MAX_RANK) {
          return refuse(p, "the result has more than 6 axes");
        }
        p->out.label[p->out.n++] = p->in[i].label[k];
      }
    }
  }
  return SNUG_OK;
}

static snug_status contract(snug__layer_call *c, product *p, const int64_t *a, const int64_t *b,
                            int32_t n) {
  name_axes(&p->in[0], 'a');
  name_axes(&p->in[1], 'n');
  for (int32_t k = 0; k < n; k++) {
    int64_t i = a[k] < 0 ? a[k] + p->in[0].n : a[k];
    int64_t j = b[k] < 0 ? b[k] + p->in[1].n : b[k];
    if (i < 0 || i >= p->in[0].n || j < 0 || j >= p->in[1].n) {
      return refuse(p, "an axis is out of range");
    }
    p->in[1].label[j] = p->in[0].label[i];
  }
  SNUG_TRY(name_out(p));
  return run(p, c);
}

static snug_status need_two(const product *p) {
  return p->n_in == 2 ? SNUG_OK : refuse(p, "expected two operands");
}

static snug_status dot(snug__layer_call *c) {
  product p;
  SNUG_TRY(open(&p, c));
  SNUG_TRY(need_two(&p));
  const int64_t last = -1;
  const int64_t of_right = p.in[1].n > 1 ? -2 : -1;
  return contract(c, &p, &last, &of_right, p.in[0].n && p.in[1].n ? 1 : 0);
}

/* axes: n for the last n of the left with the first n of the right, or a list of each. */
static snug_status tensordot(snug__layer_call *c) {
  const snug_ints *axes = &((const product_config *)c->config)->axes;
  product p;
  SNUG_TRY(open(&p, c));
  SNUG_TRY(need_two(&p));
  int64_t a[SNUG__LIST_MAX] = {0};
  int64_t b[SNUG__LIST_MAX] = {0};
  int32_t n = axes->n == 1 ? (int32_t)snug__max_i64(snug__min_i64(axes->v[0], 7), 0) : axes->n / 2;
  for (int32_t k = 0; k < n; k++) {
    a[k] = axes->n == 1 ? p.in[0].n - n + k : axes->v[k];
    b[k] = axes->n == 1 ? k : axes->v[n + k];
  }
  return contract(c, &p, a, b, n);
}

static const snug__field dot_fields[] = {SNUG__LAYER_FIELDS, PRODUCT_CONSTANT, {0}};
static const snug__field tensordot_fields[] = {
    SNUG__LAYER_FIELDS, PRODUCT_CONSTANT, SNUG_FIELD(product_config, axes, INTS, "2"), {0}};
RAW_CLASS(Dot, product_config, dot_fields, 1, 2, dot, .lacks = LAYER_LACKS(MIXES));
RAW_CLASS(Tensordot, product_config, tensordot_fields, 1, 2, tensordot,
          .lacks = LAYER_LACKS(MIXES));

/* ---- Matmul: of the last two axes; the axes before them are a batch ---- */

/* v with the axes before the last two repeated to those of the other. */
static snug_status with_leading(const snug__layer_call *c, snug__id v, snug__id other_id,
                                snug__id *out) {
  const snug__type *t = snug__layer_type(c, v);
  const snug__type *other = snug__layer_type(c, other_id);
  snug__type to = *t;
  for (int32_t k = 0; k < t->rank - 2; k++) {
    to.dim[k] = t->dim[k] == 1 ? other->dim[k] : t->dim[k];
  }
  *out = v;
  return snug__shape_equal(t, &to) ? SNUG_OK : snug__emit_broadcast(c->b->g, v, &to, 1.0, out);
}

static snug_status matmul_pair(snug__layer_call *c, const product *p) {
  snug__matmul_params plain = {false, false};
  snug__id pair[2];
  if (p->in[0].n != p->in[1].n) {
    char a[SNUG__TYPE_TEXT_BYTES];
    char b[SNUG__TYPE_TEXT_BYTES];
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: %s and %s have different numbers of axes, so that samples would be "
                      "mixed; reshape one of them",
                      c->layer->name, snug__type_batch_text(snug__layer_type(c, p->in[0].id), a),
                      snug__type_batch_text(snug__layer_type(c, p->in[1].id), b));
  }
  if (p->in[0].n < 3) {
    return snug__fail(c->b->ctx, SNUG_E_SHAPE,
                      "%s: the product of two values with less than 3 axes would mix samples",
                      c->layer->name);
  }
  SNUG_TRY(with_leading(c, p->in[0].id, p->in[1].id, &pair[0]));
  SNUG_TRY(with_leading(c, p->in[1].id, p->in[0].id, &pair[1]));
  return snug__graph_add(c->b->g, &snug__op_matmul, &plain, pair, 2, &c->out, 1);
}

/* A tensor times a matrix of numbers on its right is a Dot; else the constant gets the axes that it
 * lacks. */
static snug_status matmul(snug__layer_call *c) {
  product p;
  SNUG_TRY(open(&p, c));
  SNUG_TRY(need_two(&p));
  int32_t at = p.in[0].is_constant ? 0 : 1;
  if (!p.in[at].is_constant) {
    return matmul_pair(c, &p);
  }
  if (at == 1 && (p.in[1].n == 1 || p.in[1].n == 2)) {
    return dot(c);
  }
  const snug__type *k = snug__layer_type(c, p.in[at].id);
  int32_t rank = p.in[1 - at].n;
  int64_t dim[SNUG_MAX_RANK] = {1, 1, 1, 1, 1, 1};
  if (k->rank < 2 || k->rank > rank || (k->rank == rank && k->dim[0] != 1)) {
    return refuse(&p, "the constant has an axis that would stand beside the samples");
  }
  memcpy(dim + rank - k->rank, k->dim, (size_t)k->rank * sizeof *dim);
  SNUG_TRY(snug__layer_reshape(c, p.in[at].id, rank, dim, &p.in[at].id));
  p.in[at].n = rank;
  return matmul_pair(c, &p);
}

RAW_CLASS(Matmul, product_config, dot_fields, 1, 2, matmul, .lacks = LAYER_LACKS(MIXES));
