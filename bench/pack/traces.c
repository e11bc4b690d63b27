/* The packer and other ways of packing on traces, CSV files as bench/pack/trace_*.py write them.
 *
 * usage: traces [-s SECONDS] FILE ...      SECONDS: for the exact method (10)
 *
 * The other ways: first-fit in four orders, best-fit in the order of time (as an allocator sees
 * it), and the exact method of exact.h, asked for a packing at the load. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exact.h"

#define EXACT_MOST 4000 /* buffers */

typedef struct trace {
  snug_pack_item *items;
  size_t n;
  int64_t *offsets;
} trace;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *why) {
  fprintf(stderr, "traces: %s: %s\n", what, why);
  exit(1);
}

static void *room_for(size_t n, size_t bytes) {
  void *room = calloc(n ? n : 1, bytes);
  if (!room) {
    stop("memory", "there is none");
  }
  return room;
}

static trace read_trace(const char *path) {
  trace t = {0};
  size_t room = 0;
  char line[256];
  FILE *file = fopen(path, "r");
  if (!file || !fgets(line, sizeof line, file)) {
    stop(path, "cannot be read");
  }
  while (fgets(line, sizeof line, file)) {
    long long lower, upper, size, align;
    const char *rest = strchr(line, ',');
    if (!rest || sscanf(rest, ",%lld,%lld,%lld,%lld", &lower, &upper, &size, &align) != 4) {
      stop(path, "a line is not id,lower,upper,size,alignment");
    }
    if (t.n == room) {
      room = 2 * room + 1024;
      t.items = realloc(t.items, room * sizeof *t.items);
      if (!t.items) {
        stop(path, "no memory");
      }
    }
    t.items[t.n++] = (snug_pack_item){lower, upper, size, align, -1};
  }
  fclose(file);
  t.offsets = room_for(t.n, sizeof *t.offsets);
  return t;
}

/* ---- first-fit and best-fit ---- */

typedef struct ranked {
  double key;
  size_t id;
} ranked;

typedef struct used {
  int64_t from, to;
} used;

static int by_key(const void *a, const void *b) {
  const ranked *x = a;
  const ranked *y = b;
  return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                          : (x->id > y->id) - (x->id < y->id);
}

static int by_from(const void *a, const void *b) {
  const used *x = a;
  const used *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static double order_key(const snug_pack_item *b, int kind) {
  double length = (double)(b->upper - b->lower);
  switch (kind) {
    case 0:
      return -(double)b->size;
    case 1:
      return -length;
    case 2:
      return -length * (double)b->size;
    default:
      return (double)b->lower;
  }
}

/* The lowest gap, or the smallest that will do. */
static int64_t find_gap(const used *taken, size_t n, const snug_pack_item *b, int is_best) {
  int64_t reach = 0;
  int64_t found = -1;
  int64_t smallest = INT64_MAX;
  for (size_t i = 0; i < n; i++) {
    int64_t offset = (reach + b->align - 1) / b->align * b->align;
    int64_t gap = taken[i].from - reach;
    if (offset + b->size <= taken[i].from && gap < smallest) {
      found = offset;
      smallest = is_best ? gap : 0;
    }
    reach = taken[i].to > reach ? taken[i].to : reach;
  }
  return found >= 0 ? found : (reach + b->align - 1) / b->align * b->align;
}

static int64_t place_all(const trace *t, int kind, int is_best) {
  ranked *order = room_for(t->n, sizeof *order);
  used *taken = room_for(t->n, sizeof *taken);
  int64_t height = 0;
  for (size_t i = 0; i < t->n; i++) {
    order[i] = (ranked){order_key(&t->items[i], kind), i};
  }
  qsort(order, t->n, sizeof *order, by_key);
  for (size_t i = 0; i < t->n; i++) {
    const snug_pack_item *b = &t->items[order[i].id];
    size_t n = 0;
    for (size_t j = 0; j < i; j++) {
      const snug_pack_item *q = &t->items[order[j].id];
      if (q->lower < b->upper && b->lower < q->upper) {
        int64_t offset = t->offsets[order[j].id];
        taken[n++] = (used){offset, offset + q->size};
      }
    }
    qsort(taken, n, sizeof *taken, by_from);
    int64_t offset = find_gap(taken, n, b, is_best);
    t->offsets[order[i].id] = offset;
    height = offset + b->size > height ? offset + b->size : height;
  }
  free(order);
  free(taken);
  return height;
}

/* ---- the table ---- */

static double above(int64_t height, int64_t load) {
  return 100.0 * (double)(height - load) / (double)load;
}

static void measure(const char *path, double seconds) {
  trace t = read_trace(path);
  snug_ctx *ctx = NULL;
  snug_pack_result r = SNUG_INIT(snug_pack_result);
  double start = now();
  if (snug_ctx_create(NULL, &ctx) || snug_pack(ctx, t.items, t.n, NULL, t.offsets, &r)) {
    stop(path, ctx ? snug_message(ctx) : "no memory");
  }
  double took = now() - start;
  int64_t first = INT64_MAX;
  for (int kind = 0; kind < 4; kind++) {
    int64_t height = place_all(&t, kind, 0);
    first = height < first ? height : first;
  }
  int64_t best = place_all(&t, 3, 1);
  const char *name = strrchr(path, '/');
  printf("%-30s %6zu %12lld %8.4f %% %6.2f s %8.4f %% %8.4f %% ", name ? name + 1 : path, t.n,
         (long long)r.load, above(r.height, r.load), took, above(first, r.load),
         above(best, r.load));
  start = now();
  if (t.n > EXACT_MOST) {
    puts("        -");
  } else if (exact_pack(t.items, t.n, r.load, seconds, t.offsets)) {
    bool is_right = !snug_pack_check(ctx, t.items, t.n, t.offsets, r.load);
    printf("%7.2f s%s\n", now() - start, is_right ? "" : ", wrong");
  } else {
    puts("     none");
  }
  fflush(stdout);
  snug_ctx_destroy(ctx);
  free(t.items);
  free(t.offsets);
}

int main(int argc, char **argv) {
  int first = argc > 2 && strcmp(argv[1], "-s") == 0 ? 3 : 1;
  double seconds = first == 3 ? strtod(argv[2], NULL) : 10.0;
  puts(
      "above the load:                                           snug               first-fit   "
      "best-fit  exact");
  for (int i = first; i < argc; i++) {
    measure(argv[i], seconds);
  }
  return 0;
}
