/* Data that are larger than memory, under a line: every row is read once an epoch, and the process
 * stays under it.  With SNUG_LARGE=1 in the environment the files are as large as that says;
 * without it they are small, so that the test is quick. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/test.h"

#define LINE (UINT64_C(128) << 20)

static bool is_large(void) { return getenv("SNUG_LARGE") != NULL; }

/* ---- who was read ---- */

/* A source around another one, which looks at what passes. */
typedef struct witness {
  snug_source source;
  const snug_source *inner;
  int64_t (*mark)(const void *x); /* the row that a sample says it is */
  atomic_uchar *seen;             /* per row, how often */
  atomic_llong wrong;
} witness;

static snug_status read_row(void *user, void *scratch, int64_t row, uint64_t pass, void *const *to,
                            char *why) {
  witness *w = user;
  snug_status s = w->inner->read(w->inner->user, scratch, row, pass, to, why);
  if (!s) {
    atomic_fetch_add(&w->seen[row], 1);
    atomic_fetch_add(&w->wrong, to[0] && w->mark(to[0]) != row);
  }
  return s;
}

static snug_status restart(void *user, void *scratch, uint64_t pass, char *why) {
  witness *w = user;
  return w->inner->restart(w->inner->user, scratch, pass, why);
}

static void watch(witness *w, snug_data *data, int64_t (*mark)(const void *x)) {
  *w = (witness){.source = *data->source, .inner = data->source, .mark = mark};
  w->source.user = w;
  w->source.read = read_row;
  w->source.restart = data->source->restart ? restart : NULL;
  w->source.cancel = NULL;
  w->seen = calloc((size_t)data->source->rows, 1);
  ASSERT_NOT_NULL(w->seen);
  data->source = &w->source;
}

static void expect_each(const witness *w, unsigned char times) {
  ASSERT_EQ_INT(atomic_load(&w->wrong), 0);
  for (int64_t i = 0; i < w->source.rows; i++) {
    if (atomic_load(&w->seen[i]) != times) {
      test_fail(__FILE__, __LINE__, "row %lld was read %d times, not %d", (long long)i,
                atomic_load(&w->seen[i]), times);
    }
  }
}

/* ---- training ---- */

typedef struct run {
  snug_ctx *ctx;
  snug_model *m;
  snug_arrays *a;
  snug_data data;
  witness w;
} run;

static void begin(run *r, const char *const *paths, int32_t n, int64_t width,
                  const snug_arrays_options *options, int64_t (*mark)(const void *x)) {
  const char *loss = "sparse_categorical_crossentropy";
  snug_compile_options how = {
      .struct_size = sizeof how, .optimizer = "sgd", .loss = &loss, .n_loss = 1};
  snug_options whole = {.struct_size = sizeof whole, .whole_process = true};
  ASSERT_EQ_INT(snug_ctx_create(&whole, &r->ctx), SNUG_OK);
  ASSERT_OK(r->ctx, snug_model_create(r->ctx, NULL, &r->m));
  snug_model_input(r->m, "in", SNUG_FLOAT32, &width, 1);
  snug_model_add(r->m, "Dense", "units=2 activation=softmax kernel_initializer=zeros");
  ASSERT_OK(r->ctx, snug_model_compile(r->m, &how));
  ASSERT_OK(r->ctx, snug_arrays_open_with(r->ctx, paths, n, options, &r->a));
  r->data = (snug_data)SNUG_INIT(snug_data);
  ASSERT_OK(r->ctx, snug_arrays_data(r->a, r->m, SNUG_PART_TRAIN, true, &r->data));
  ASSERT_NOT_NULL(r->data.source);
  watch(&r->w, &r->data, mark);
}

static void end(run *r) {
  snug_arrays_destroy(r->a);
  snug_model_destroy(r->m);
  snug_ctx_destroy(r->ctx);
  free(r->w.seen);
}

/* An epoch under the line. */
static void train(run *r, const char *what) {
  snug_fit_options o = {.struct_size = sizeof o, .batch_size = 32, .memory = LINE};
  snug_history *h = NULL;
  snug_memory_report m = SNUG_INIT(snug_memory_report);
  snug_data_report d = SNUG_INIT(snug_data_report);
  struct timespec t0, t1;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  ASSERT_OK(r->ctx, snug_fit(r->m, &r->data, &o, &h));
  clock_gettime(CLOCK_MONOTONIC, &t1);
  snug_history_memory(h, &m);
  snug_history_data(h, &d);
  snug_history_destroy(h);
  printf(
      "%s: %lld rows in %.1f s; process %llu of %llu bytes; data: held %llu, batches %llu, "
      "window %llu, workers %llu (%d); waited %.2f s\n",
      what, (long long)r->w.source.rows,
      (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec),
      (unsigned long long)m.process_measured, (unsigned long long)LINE, (unsigned long long)d.held,
      (unsigned long long)d.batches, (unsigned long long)d.window, (unsigned long long)d.workers,
      d.n_workers, d.waited);
  ASSERT_EQ_UINT(m.planned, m.measured);
#ifndef __SANITIZE_ADDRESS__
  ASSERT_TRUE(m.process_measured <= LINE);
#endif
  expect_each(&r->w, 1);
}

/* ---- the files ---- */

static int64_t mark_u8(const void *x) {
  int64_t row;
  memcpy(&row, x, sizeof row);
  return row;
}

/* So many rows of 64 KiB, with holes but for their number; and labels. */
static void write_npy(const char *x_path, const char *y_path, int64_t rows) {
  char header[128];
  memset(header, ' ', sizeof header);
  memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
  int n = snprintf(header + 10, 118,
                   "{'descr': '|u1', 'fortran_order': False, 'shape': (%lld, 65536), }",
                   (long long)rows);
  header[10 + n] = ' ';
  header[127] = '\n';
  FILE *f = fopen(x_path, "wb");
  ASSERT_NOT_NULL(f);
  fwrite(header, 1, sizeof header, f);
  fflush(f);
  ASSERT_EQ_INT(ftruncate(fileno(f), (off_t)(128 + rows * 65536)), 0);
  for (int64_t i = 0; i < rows; i++) {
    ASSERT_EQ_INT(pwrite(fileno(f), &i, sizeof i, (off_t)(128 + i * 65536)), sizeof i);
  }
  ASSERT_EQ_INT(fclose(f), 0);
  snug_ctx *ctx = test_ctx();
  uint8_t *labels = calloc((size_t)rows, 1);
  snug_array y = {labels, SNUG_UINT8, 1, {rows}};
  ASSERT_OK(ctx, snug_npy_save(ctx, y_path, &y));
  free(labels);
}

TEST(npy) {
  run r;
  int64_t rows = is_large() ? 320000 : 3000;
  const char *paths[] = {test_path("x.npy"), test_path("y.npy")};
  write_npy(paths[0], paths[1], rows);
  begin(&r, paths, 2, 65536, NULL, mark_u8);
  ASSERT_FALSE(r.data.source->in_order);
  train(&r, ".npy");
  end(&r);
  unlink(paths[0]);
}

static int64_t mark_float(const void *x) { return (int64_t)((const float *)x)[0]; }

TEST(csv) {
  run r;
  int64_t rows = is_large() ? 2000000 : 50000;
  const char *path = test_path("t.csv");
  FILE *f = fopen(path, "w");
  ASSERT_NOT_NULL(f);
  fputs("row,a,b,c,\"d, quoted\",label\n", f);
  for (int64_t i = 0; i < rows; i++) {
    fprintf(f, "%lld,%.3f,%d,\"%d\",-1e-3,%d\n", (long long)i, (double)(i % 1000) * 0.001,
            (int)(i % 7), (int)(i % 11), (int)(i % 2));
  }
  ASSERT_EQ_INT(fclose(f), 0);
  begin(&r, &path, 1, 5,
        &(snug_arrays_options){.struct_size = sizeof(snug_arrays_options), .small = -1},
        mark_float);
  ASSERT_EQ_INT(r.data.source->rows, rows);
  ASSERT_FALSE(r.data.source->in_order);
  train(&r, "CSV");
  end(&r);
}

TEST(idx_gz) {
  run r;
  int64_t rows = is_large() ? 300000 : 4000;
  const char *paths[] = {test_path("x.idx.gz"), test_path("y.npy")};
  unsigned char head[] = {0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 784 / 256, 784 % 256};
  uint8_t row[784] = {0};
  for (int i = 0; i < 4; i++) {
    head[4 + i] = (unsigned char)(rows >> (8 * (3 - i)));
  }
  gzFile gz = gzopen(paths[0], "wb1");
  gzwrite(gz, head, sizeof head);
  for (int64_t i = 0; i < rows; i++) {
    memcpy(row, &i, sizeof i);
    gzwrite(gz, row, sizeof row);
  }
  ASSERT_EQ_INT(gzclose(gz), Z_OK);
  snug_ctx *ctx = test_ctx();
  uint8_t *labels = calloc((size_t)rows, 1);
  ASSERT_OK(ctx, snug_npy_save(ctx, paths[1], &(snug_array){labels, SNUG_UINT8, 1, {rows}}));
  free(labels);
  begin(&r, paths, 2, 784,
        &(snug_arrays_options){.struct_size = sizeof(snug_arrays_options), .hold = 1 << 20},
        mark_u8);
  ASSERT_TRUE(r.data.source->in_order);
  train(&r, "IDX.gz");
  end(&r);
}
