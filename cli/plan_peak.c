/* The moment of the peak: what runs then, and which values are alive. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define SHOWN_VALUES 5

/* What a layer has alive of one kind. */
typedef struct alive {
  const char *layer, *what;
  uint64_t bytes;
} alive;

static int by_bytes(const void *a, const void *b) {
  uint64_t x = ((const alive *)a)->bytes;
  uint64_t y = ((const alive *)b)->bytes;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void add_alive(alive *list, size_t *n, const snug_plan_buffer *b) {
  size_t i = 0;
  while (i < *n && (strcmp(list[i].layer, b->layer) != 0 || strcmp(list[i].what, b->what) != 0)) {
    i++;
  }
  if (i == *n) {
    list[(*n)++] = (alive){b->layer, b->what, 0};
  }
  list[i].bytes += b->bytes;
}

/* Largest first.  Owns: the list, by free(). */
static alive *collect_alive(const plan_view *v, size_t *n) {
  size_t n_buffers = snug_plan_buffers(v->plan);
  alive *list = calloc(n_buffers ? n_buffers : 1, sizeof *list);
  *n = 0;
  for (size_t i = 0; list && i < n_buffers; i++) {
    snug_plan_buffer b = SNUG_INIT(snug_plan_buffer);
    snug_plan_buffer_at(v->plan, i, &b);
    if (b.first <= v->peak.item && v->peak.item < b.end) {
      add_alive(list, n, &b);
    }
  }
  if (list) {
    qsort(list, *n, sizeof *list, by_bytes);
  }
  return list;
}

static void print_alive(const plan_view *v) {
  char bytes[SNUG_BYTES_TEXT];
  size_t n = 0;
  uint64_t rest = 0;
  alive *list = collect_alive(v, &n);
  for (size_t i = 0; i < n; i++) {
    if (i < SHOWN_VALUES) {
      printf("  %10s  %s%s%s\n", snug_bytes_text(list[i].bytes, bytes), list[i].what,
             *list[i].layer ? " of " : "", list[i].layer);
    } else {
      rest += list[i].bytes;
    }
  }
  if (n > SHOWN_VALUES) {
    printf("  %10s  %zu more\n", snug_bytes_text(rest, bytes), n - SHOWN_VALUES);
  }
  free(list);
}

void plan_print_peak(const plan_view *v) {
  char bytes[SNUG_BYTES_TEXT];
  const snug_plan_moment *p = &v->peak;
  if (!*p->op) {
    return;
  }
  printf("\nThe peak of a %s step is in the %s of %s: %s, %lld of %lld.\n%s alive then:\n",
         p->validation ? "validation" : "training", p->backward ? "backward" : "forward",
         *p->layer ? p->layer : "the model", p->op, (long long)p->item + 1, (long long)p->items,
         snug_bytes_text(p->bytes, bytes));
  print_alive(v);
}
