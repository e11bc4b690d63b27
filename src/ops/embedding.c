/* embedding: rows of a table by their numbers, and the gradient of the table. */
#include "ops/embedding.h"

#include "device/host.h"
#include "ops/support.h"

static snug_status need_integer(const snug__infer *q, int32_t i) {
  char text[SNUG__TYPE_TEXT_BYTES];
  if (snug__dtype_is_integer(q->in[i].dtype)) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input %d is %s and must be of integers", q->where, i,
                    snug__type_text(&q->in[i], text));
}

static snug_status infer(snug__infer *q) {
  SNUG_TRY(snug__need_rank(q, 0, 2));
  SNUG_TRY(need_integer(q, 1));
  if (q->in[1].rank >= SNUG_MAX_RANK) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the ids have %d axes; there may be at most %d",
                      q->where, q->in[1].rank, SNUG_MAX_RANK - 1);
  }
  q->out[0] = snug__type_of(q->in[0].dtype, q->in[1].rank, q->in[1].dim);
  q->out[0].dim[q->out[0].rank++] = q->in[0].dim[1];
  return SNUG_OK;
}

/* Before anything is written, so that the first bad id is told whatever the threads do. */
static snug_status check_ids(const snug__call *call, int32_t input, int64_t rows) {
  const snug__type *t = &call->sig->in[input];
  int64_t n = snug__type_count(t);
  for (int64_t i = 0; i < n; i++) {
    double id = snug__element_get(t->dtype, call->in[input], i);
    if (!(id >= 0.0 && id < (double)rows)) {
      *call->fault = (snug__fault){"embedding id out of range", i, id, (double)rows};
      return SNUG_E_DATA;
    }
  }
  return SNUG_OK;
}

static int64_t id_at(const snug__call *call, int32_t input, int64_t i) {
  return (int64_t)snug__element_get(call->sig->in[input].dtype, call->in[input], i);
}

static void gather_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  size_t bytes = (size_t)c->sig->in[0].dim[1] * snug_dtype_bytes(c->sig->in[0].dtype);
  for (int64_t i = begin; i < end; i++) {
    memcpy((char *)c->out[0] + (size_t)i * bytes,
           (const char *)c->in[0] + (size_t)id_at(c, 1, i) * bytes, bytes);
  }
}

static snug_status reference(const snug__call *call) {
  snug__call shared = *call;
  int64_t width = call->sig->in[0].dim[1];
  SNUG_TRY(check_ids(call, 1, call->sig->in[0].dim[0]));
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->in[1]),
                        1 + 16384 / (1 + width), gather_range, &shared);
  return SNUG_OK;
}

static snug_status grad(snug__grad *g) {
  snug__embedding_grad_params p = {snug__type_at(g->g, g->in[0])->dim[0]};
  return g->wants[0] ? SNUG_EMIT(g->g, embedding_grad, &p, &g->din[0], g->in[1], g->dout[0])
                     : SNUG_OK;
}

/* Of the table, the rows that are read count. */
static snug__cost cost(const snug__signature *sig) {
  double out = (double)snug__type_bytes(&sig->out[0]);
  return (snug__cost){0.0, 2.0 * out + (double)snug__type_bytes(&sig->in[1])};
}

const snug__op snug__op_embedding = {
    .name = "embedding",
    .doc = "(table, ids) -> the rows of the table with these numbers",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .cost = cost};

/* ---- the gradient: each row of the table sums what came out of it, in the order of the ids ----
 *
 * The scratch is a list per row: the first of its ids, and to each id the next with that number. */

#define BLOCK 64 /* columns that are summed at once */

static const snug__field grad_fields[] = {SNUG_FIELD(snug__embedding_grad_params, rows, INT, NULL),
                                          {0}};

static snug_status grad_infer(snug__infer *q) {
  const snug__embedding_grad_params *p = q->params;
  const snug__type *ids = &q->in[0];
  SNUG_TRY(need_integer(q, 0));
  SNUG_TRY(snug__need_real(q, 1));
  SNUG_TRY(snug__need_rank(q, 1, ids->rank + 1));
  if (memcmp(ids->dim, q->in[1].dim, (size_t)ids->rank * sizeof *ids->dim) != 0 || p->rows < 0 ||
      p->rows > INT32_MAX || snug__type_count(ids) > INT32_MAX) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: dy must have the axes of the ids and one more, and rows=%lld and the "
                      "number of ids must be below 2^31",
                      q->where, (long long)p->rows);
  }
  q->out[0] = snug__type_of(q->in[1].dtype, 2, (int64_t[]){p->rows, q->in[1].dim[ids->rank]});
  return SNUG_OK;
}

typedef struct gather_job {
  const void *dy;
  void *table;
  snug_dtype dtype;
  int64_t width;
  const int32_t *first, *next; /* -1: none */
} gather_job;

#define SNUG_REAL_FILE "ops/embedding_ref.inc"
#include "ops/real.h"

static void rows_range(void *arg, int64_t begin, int64_t end) {
  const gather_job *j = arg;
  for (int64_t row = begin; row < end; row++) {
    SNUG_REAL_CALL(j->dtype, sum_row, (j, row));
  }
}

static snug_status grad_reference(const snug__call *call) {
  const snug__embedding_grad_params *p = call->sig->params;
  int64_t n = snug__type_count(&call->sig->in[0]);
  int32_t *first = call->scratch;
  int32_t *next = first + p->rows;
  int64_t width = call->sig->out[0].dim[1];
  gather_job j = {call->in[1], call->out[0], call->sig->out[0].dtype, width, first, next};
  SNUG_TRY(check_ids(call, 0, p->rows));
  memset(first, 0xFF, (size_t)p->rows * sizeof *first);
  for (int64_t i = n - 1; i >= 0; i--) {
    int64_t id = id_at(call, 0, i);
    next[i] = first[id];
    first[id] = (int32_t)i;
  }
  snug__parallel_ranges(snug__threads(call->sig), p->rows, 1 + 16384 / (1 + width), rows_range, &j);
  return SNUG_OK;
}

static size_t grad_scratch(const snug__signature *sig) {
  const snug__embedding_grad_params *p = sig->params;
  return (size_t)(p->rows + snug__type_count(&sig->in[0])) * sizeof(int32_t);
}

static snug__cost grad_cost(const snug__signature *sig) {
  return (snug__cost){(double)snug__type_count(&sig->in[1]), snug__bytes_moved(sig)};
}

const snug__op snug__op_embedding_grad = {.name = "embedding_grad",
                                          .doc = "(ids, dy) -> the gradient of the whole table",
                                          .params_bytes = sizeof(snug__embedding_grad_params),
                                          .fields = grad_fields,
                                          .min_in = 2,
                                          .max_in = 2,
                                          .min_out = 1,
                                          .max_out = 1,
                                          .infer = grad_infer,
                                          .reference = grad_reference,
                                          .scratch = grad_scratch,
                                          .cost = grad_cost};

/* ---- one_hot ---- */

static const snug__field hot_fields[] = {
    SNUG_FIELD(snug__one_hot_params, depth, INT, NULL),
    SNUG_CHOICE(snug__one_hot_params, dtype, snug__dtype_choices, "float32"),
    {0}};

static snug_status hot_infer(snug__infer *q) {
  const snug__one_hot_params *p = q->params;
  SNUG_TRY(need_integer(q, 0));
  if (p->depth < 1 || p->dtype == SNUG_NO_DTYPE || q->in[0].rank >= SNUG_MAX_RANK) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: depth=%lld must be 1 or more, there must be a dtype, and the labels may "
                      "have %d axes, not %d",
                      q->where, (long long)p->depth, SNUG_MAX_RANK - 1, q->in[0].rank);
  }
  q->out[0] = snug__type_of((snug_dtype)p->dtype, q->in[0].rank, q->in[0].dim);
  q->out[0].dim[q->out[0].rank++] = p->depth;
  return SNUG_OK;
}

static void hot_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  const snug__one_hot_params *p = c->sig->params;
  size_t bytes = (size_t)p->depth * snug_dtype_bytes((snug_dtype)p->dtype);
  for (int64_t i = begin; i < end; i++) {
    int64_t label = id_at(c, 0, i);
    memset((char *)c->out[0] + (size_t)i * bytes, 0, bytes);
    if (label >= 0 && label < p->depth) {
      snug__element_set((snug_dtype)p->dtype, c->out[0], i * p->depth + label, 1.0);
    }
  }
}

static snug_status hot_reference(const snug__call *call) {
  const snug__one_hot_params *p = call->sig->params;
  snug__call shared = *call;
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->in[0]),
                        1 + 16384 / p->depth, hot_range, &shared);
  return SNUG_OK;
}

const snug__op snug__op_one_hot = {
    .name = "one_hot",
    .doc = "1 at the label along a new last axis, else 0; all 0 for a label outside of [0, depth)",
    .params_bytes = sizeof(snug__one_hot_params),
    .fields = hot_fields,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = hot_infer,
    .reference = hot_reference,
    .cost = snug__move_cost};
