#include "pipe/toy.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/size.h"

static void dawdle(int64_t row) {
  struct timespec t = {0, (row * 7919 % 5) * 20000};
  nanosleep(&t, NULL);
}

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  toy *t = user;
  (void)pass;
  ((char *)scratch)[t->source.scratch - 1] = 1;
  if (t->is_slow) {
    dawdle(row);
  }
  if (t->stumbles && row % 16 == 0) {
    nanosleep(&(struct timespec){0, 3000000}, NULL);
  }
  if (t->source.rows < 0 && row >= t->length) {
    return SNUG_E_STOPPED;
  }
  for (int32_t i = 0; i < t->n_bad; i++) {
    if (t->bad[i] == row) {
      snprintf(why, SNUG_WHY_BYTES, "row %lld is broken", (long long)row);
      return SNUG_E_FORMAT;
    }
  }
  for (int32_t k = 0; to[0] && k < 3; k++) {
    ((float *)to[0])[k] = row == t->nan_row && k == 1 ? NAN : (float)row + 0.25f * (float)k;
  }
  if (to[1]) {
    *(int32_t *)to[1] = row == t->label_row ? 9 : (int32_t)(row % 7);
  }
  return SNUG_OK;
}

static snug_status read_next(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                             char *why) {
  toy *t = user;
  if (row != t->next) {
    snprintf(why, SNUG_WHY_BYTES, "row %lld was asked for, not %lld", (long long)row,
             (long long)t->next);
    return SNUG_E_INTERNAL;
  }
  snug_status s = read_row(user, scratch, row, pass, to, why);
  t->next += !s;
  return s;
}

static snug_status restart(void *user, void *scratch, uint64_t pass, char *why) {
  toy *t = user;
  (void)scratch;
  (void)pass;
  (void)why;
  t->next = 0;
  t->restarts++;
  return SNUG_OK;
}

void toy_make(toy *t) {
  *t = (toy){.nan_row = -1, .label_row = -1};
  t->arrays[0] = (snug_array){NULL, SNUG_FLOAT32, 2, {TOY_ROWS, 3}};
  t->arrays[1] = (snug_array){NULL, SNUG_INT32, 1, {TOY_ROWS}};
  t->demands[0] = (snug__demand){.what = "x[0] 'a'",
                                 .feeds = snug__type_of(SNUG_FLOAT32, 2, (const int64_t[]){1, 3}),
                                 .hint = ""};
  t->demands[1] = (snug__demand){.what = "y[0] 'b'",
                                 .feeds = snug__type_of(SNUG_INT32, 1, (const int64_t[]){1}),
                                 .hint = "",
                                 .is_class = true,
                                 .classes = 7,
                                 .ignored = -1};
  t->source = (snug_source){.struct_size = sizeof(snug_source),
                            .name = "toy",
                            .user = t,
                            .rows = TOY_ROWS,
                            .scratch = 100,
                            .read = read_row};
  t->intake = (snug__intake){.source = &t->source,
                             .arrays = t->arrays,
                             .demands = t->demands,
                             .n = 2,
                             .rows = TOY_ROWS,
                             .batch = TOY_BATCH,
                             .shuffled = true,
                             .seed = 5};
}

void toy_make_stream(toy *t) {
  toy_make(t);
  t->source.in_order = true;
  t->source.read = read_next;
  t->source.restart = restart;
}

snug__pipe *toy_open(snug_ctx *ctx, toy *t, int32_t workers, int32_t prefetch) {
  const snug__intake *in = &t->intake;
  snug__pipe *p = NULL;
  t->source.workers = workers;
  t->source.prefetch = prefetch;
  ASSERT_OK(ctx, snug__pipe_open(ctx, &in, 1, 0, &p));
  return p;
}

static void expect_sample(const snug__ready *r, const toy *t, int64_t i) {
  const float *x = (const float *)(const void *)r->at[0] + 3 * i;
  ASSERT_NEAR(x[0], (double)r->row[i], 0);
  ASSERT_NEAR(x[2], (double)r->row[i] + 0.5, 0);
  if (t->arrays[1].data) {
    ASSERT_NULL(r->at[1]);
  } else {
    ASSERT_EQ_INT(((const int32_t *)(const void *)r->at[1])[i], r->row[i] % 7);
  }
}

snug_status toy_pass(snug__pipe *p, const toy *t, const snug__pass *pass, int64_t batches,
                     int64_t *rows, int64_t *n) {
  *n = 0;
  snug__pipe_start(p, &t->intake, pass);
  for (int64_t b = pass->batch; b < batches; b++) {
    snug__ready r;
    snug_status s = snug__pipe_take(p, &r);
    if (s) {
      return s;
    }
    int64_t in_batch =
        t->intake.rows < 0 ? TOY_BATCH : snug__min_i64(TOY_BATCH, t->intake.rows - b * TOY_BATCH);
    for (int64_t i = 0; i < in_batch; i++) {
      expect_sample(&r, t, i);
      rows[(*n)++] = r.row[i];
    }
    snug__pipe_give(p);
  }
  return SNUG_OK;
}
