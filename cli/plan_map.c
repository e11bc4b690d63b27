/* The block over the time of a step: offsets upwards, items across, a character for what lies
 * there. */
#include <ctype.h>
#include <string.h>

#include "plan.h"

#define ROWS 20
#define MOST_COLUMNS 100
#define AXIS_COLUMNS 11

/* A kind of value and how it is shown. */
typedef struct kind {
  const char *what;
  char letter;
  const char *colour;
} kind;

static const kind kinds[] = {
    {"activations", 'a', "\x1b[34m"}, {"gradients", 'g', "\x1b[32m"}, {"scratch", 's', "\x1b[33m"},
    {"data", 'd', "\x1b[35m"},        {"", 'o', "\x1b[36m"},
};

#define N_KINDS (sizeof kinds / sizeof *kinds)

typedef struct map {
  size_t columns;
  int64_t items;
  uint64_t height;
  /* The kind that covers most of a cell, and how much that is. */
  unsigned char cells[ROWS][MOST_COLUMNS]; /* its kind */
  bool is_odd[ROWS][MOST_COLUMNS];         /* every second buffer is shown in another shade */
  double covered[ROWS][MOST_COLUMNS];
} map;

static size_t kind_of(const char *what) {
  size_t i = 0;
  while (i + 1 < N_KINDS && strcmp(kinds[i].what, what) != 0) {
    i++;
  }
  return i;
}

/* How much of the cell from a to a+1 lies between two places. */
static double overlap(size_t a, double from, double to) {
  double low = from > (double)a ? from : (double)a;
  double high = to < (double)a + 1.0 ? to : (double)a + 1.0;
  return high > low ? high - low : 0.0;
}

static void cover(map *m, const snug_plan_buffer *b, bool is_odd) {
  double left = (double)b->first / (double)m->items * (double)m->columns;
  double right = (double)b->end / (double)m->items * (double)m->columns;
  double low = (double)b->offset / (double)m->height * ROWS;
  double high = (double)(b->offset + b->bytes) / (double)m->height * ROWS;
  for (size_t r = (size_t)low; r < ROWS && (double)r < high; r++) {
    for (size_t c = (size_t)left; c < m->columns && (double)c < right; c++) {
      double part = overlap(r, low, high) * overlap(c, left, right);
      if (part > m->covered[r][c]) {
        m->covered[r][c] = part;
        m->cells[r][c] = (unsigned char)kind_of(b->what);
        m->is_odd[r][c] = is_odd;
      }
    }
  }
}

/* What covers little of its cell is left out: most of it is free. */
#define LEAST_PART 0.05

/* NULL: the cell is free. */
static const kind *kind_at(const map *m, size_t r, size_t c) {
  return m->covered[r][c] > LEAST_PART ? &kinds[m->cells[r][c]] : NULL;
}

static void print_cell(const plan_view *v, const kind *k, bool is_odd) {
  if (k && v->run->out.colour) {
    printf("%s%s%s\x1b[0m", is_odd ? "\x1b[2m" : "", k->colour, v->run->out.ascii ? "#" : "█");
  } else {
    putchar(!k ? ' ' : is_odd ? toupper((unsigned char)k->letter) : k->letter);
  }
}

static void print_rows(const plan_view *v, const map *m) {
  char bytes[SNUG_BYTES_TEXT];
  for (size_t i = 0; i < ROWS; i++) {
    size_t r = ROWS - 1 - i;
    uint64_t top = m->height / ROWS * (r + 1);
    bool is_labelled = i == 0 || r == ROWS / 2 - 1;
    printf("%*s %s", AXIS_COLUMNS - 2,
           is_labelled ? snug_bytes_text(i == 0 ? m->height : top, bytes) : "",
           v->run->out.ascii ? "|" : "│");
    size_t n = m->columns;
    while (n > 0 && !kind_at(m, r, n - 1)) {
      n--;
    }
    for (size_t c = 0; c < n; c++) {
      print_cell(v, kind_at(m, r, c), m->is_odd[r][c]);
    }
    putchar('\n');
  }
}

/* The axis of time, with the place of the peak. */
static void print_axis(const plan_view *v, const map *m) {
  size_t peak = (size_t)((double)v->peak.item / (double)m->items * (double)m->columns);
  printf("%*s%s", AXIS_COLUMNS - 1, "", v->run->out.ascii ? "+" : "└");
  for (size_t c = 0; c < m->columns; c++) {
    fputs(v->run->out.ascii ? "-" : "─", stdout);
  }
  printf("\n%*s%*s the peak, at %lld of %lld\n", AXIS_COLUMNS, "", (int)peak + 1, "^",
         (long long)v->peak.item + 1, (long long)m->items);
}

static void print_kinds(const plan_view *v) {
  printf("%*s", AXIS_COLUMNS, "");
  for (size_t i = 0; i < N_KINDS; i++) {
    const char *name = *kinds[i].what ? kinds[i].what : "other";
    fputs(i ? "  " : "", stdout);
    print_cell(v, &kinds[i], false);
    printf(" %s", name);
  }
  putchar('\n');
}

void plan_print_map(const plan_view *v) {
  map m = {.items = v->peak.items ? v->peak.items : 1};
  size_t n = snug_plan_buffers(v->plan);
  size_t width = v->run->out.width;
  m.columns = width > AXIS_COLUMNS + 20 ? width - AXIS_COLUMNS - 1 : 20;
  m.columns = m.columns < MOST_COLUMNS ? m.columns : MOST_COLUMNS;
  for (size_t i = 0; i < n; i++) {
    snug_plan_buffer b = SNUG_INIT(snug_plan_buffer);
    snug_plan_buffer_at(v->plan, i, &b);
    m.height = b.offset + b.bytes > m.height ? b.offset + b.bytes : m.height;
  }
  for (size_t i = 0; i < n && m.height; i++) {
    snug_plan_buffer b = SNUG_INIT(snug_plan_buffer);
    snug_plan_buffer_at(v->plan, i, &b);
    cover(&m, &b, i % 2);
  }
  printf("\nThe block over a %s step of %lld items:\n",
         v->peak.validation ? "validation" : "training", (long long)m.items);
  print_rows(v, &m);
  print_axis(v, &m);
  print_kinds(v);
}
