/* A fit whose data fail in the middle is kept, and goes on once they are mended. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "callbacks/lab.h"
#include "data/arrays.h"

/* Rows of data in memory, one of which cannot be read for a while. */
typedef struct rows {
  const snug_data *whole;
  snug_source source;
  snug_array x, y;
  snug_data data;
  int64_t bad;       /* row */
  uint64_t bad_pass; /* in which it fails */
  atomic_bool saw_first_pass;
} rows;

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  rows *r = user;
  const snug_array *from[] = {&r->whole->x[0], &r->whole->y[0]};
  (void)scratch;
  if (pass == 0) {
    atomic_store(&r->saw_first_pass, true);
  }
  if (row == r->bad && pass == r->bad_pass) {
    snprintf(why, SNUG_WHY_BYTES, "row %lld is gone", (long long)row);
    return SNUG_E_IO;
  }
  for (int k = 0; k < 2; k++) {
    size_t bytes = snug__array_row_bytes(from[k]);
    memcpy(to[k], (const char *)from[k]->data + (size_t)row * bytes, bytes);
  }
  return SNUG_OK;
}

static void rows_make(rows *r, const lab *l) {
  *r = (rows){.whole = lab_data(l), .bad = -1};
  r->x = r->whole->x[0];
  r->y = r->whole->y[0];
  r->x.data = r->y.data = NULL;
  r->source = (snug_source){.struct_size = sizeof(snug_source),
                            .name = "rows",
                            .user = r,
                            .rows = r->x.shape[0],
                            .read = read_row,
                            .workers = 2};
  r->data = (snug_data){sizeof(snug_data), &r->x, 1, &r->y, 1, NULL, &r->source};
}

static snug_status fit(snug_ctx *ctx, const lab *l, const rows *r, const char *folder,
                       lab_outcome *out) {
  snug_model *m = lab_model(ctx, l);
  snug_fit_options o = lab_options(l);
  snug_callback backup = SNUG_INIT(snug_callback);
  snug_history *h = NULL;
  const snug_callback_target target = {.struct_size = sizeof target, .path = folder};
  ASSERT_OK(ctx, snug_callback_create(m, "BackupAndRestore", "save_freq=1000", &target, &backup));
  o.callbacks = &backup;
  o.n_callbacks = 1;
  snug_status s = snug_fit(m, &r->data, &o, &h);
  if (!s) {
    lab_collect(m, h, out);
  }
  snug_history_destroy(h);
  snug_callback_destroy(&backup);
  snug_model_destroy(m);
  return s;
}

TEST(bad_data_leave_a_backup_that_goes_on) {
  for (size_t i = 0; i < n_all_labs && i < 3; i++) {
    const lab *l = &all_labs[i];
    rows r;
    lab_outcome whole, resumed;
    snug_ctx *ctx = test_ctx();
    char name[32];
    snprintf(name, sizeof name, "whole%zu", i);
    rows_make(&r, l);
    ASSERT_OK(ctx, fit(ctx, l, &r, test_path(name), &whole));
    snprintf(name, sizeof name, "broken%zu", i);
    const char *folder = test_path(name);
    r.bad = 7;
    r.bad_pass = 1;
    ASSERT_STATUS(ctx, fit(ctx, l, &r, folder, &resumed), SNUG_E_IO, "rows: row 7 is gone");
    r.bad = -1;
    r.saw_first_pass = false;
    ASSERT_OK(ctx, fit(ctx, l, &r, folder, &resumed));
    ASSERT_FALSE(r.saw_first_pass); /* it went on where the data failed */
    lab_expect_same(&whole, &resumed, l->name);
    lab_free(&whole);
    lab_free(&resumed);
    test_ctx_end(ctx);
  }
}
