#define _POSIX_C_SOURCE 200809L
#include "exact.h"

#include <stdlib.h>
#include <time.h>

typedef struct section_range {
  int32_t lo, hi;
} section_range;

typedef struct step { /* what was before */
  int64_t level;
  int32_t id;
  enum { OFFSET, FLOOR, PLACED } kind;
} step;

typedef struct exact {
  const snug_pack_item *items; /* in the order to try them */
  int32_t n, sections;
  section_range *lives;
  int64_t *first; /* neighbours in time of i: near[first[i]] to near[first[i + 1]] */
  int32_t *near;
  int64_t *offset; /* the lowest that is left to a buffer; where it is, once placed */
  bool *is_placed;
  int64_t *floors, *rest; /* per section: reached; still to come */
  int32_t *across;        /* per section: buffers to come that live across its beginning */
  step *trail;
  size_t n_trail, trail_room;
  int64_t capacity;
  double deadline;
  bool is_stopped;
} exact;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room_for(size_t n, size_t bytes) {
  void *room = calloc(n ? n : 1, bytes);
  if (!room) {
    abort();
  }
  return room;
}

static void count(exact *e, int32_t id, int sign) {
  for (int32_t t = e->lives[id].lo; t < e->lives[id].hi; t++) {
    e->rest[t] += sign * e->items[id].size;
    e->across[t] += t > e->lives[id].lo ? sign : 0;
  }
  e->is_placed[id] = sign < 0;
}

static void note(exact *e, step s) {
  if (e->n_trail == e->trail_room) {
    e->trail_room = 2 * e->trail_room + 1024;
    e->trail = realloc(e->trail, e->trail_room * sizeof *e->trail);
    if (!e->trail) {
      abort();
    }
  }
  e->trail[e->n_trail++] = s;
}

static void undo(exact *e, size_t mark) {
  while (e->n_trail > mark) {
    step s = e->trail[--e->n_trail];
    if (s.kind == OFFSET) {
      e->offset[s.id] = s.level;
    } else if (s.kind == FLOOR) {
      e->floors[s.id] = s.level;
    } else {
      count(e, s.id, 1);
    }
  }
}

/* What is to come cannot lie below `lowest`, nor below the floor of its section. */
static bool can_take(const exact *e, section_range part, int64_t lowest) {
  for (int32_t t = part.lo; t < part.hi; t++) {
    int64_t floor = e->floors[t] > lowest ? e->floors[t] : lowest;
    if (e->rest[t] && floor + e->rest[t] > e->capacity) {
      return false;
    }
  }
  return true;
}

static void push_up(exact *e, int32_t id) {
  int64_t top = e->offset[id] + e->items[id].size;
  for (int64_t i = e->first[id]; i < e->first[id + 1]; i++) {
    int32_t q = e->near[i];
    if (!e->is_placed[q] && e->offset[q] < top) {
      int64_t align = e->items[q].align;
      note(e, (step){e->offset[q], q, OFFSET});
      e->offset[q] = (top + align - 1) / align * align;
    }
  }
}

static bool solve(exact *e, const int32_t *ids, int32_t n, int64_t lowest, int32_t last);

/* Solve what is left piece by piece. */
static bool solve_pieces(exact *e, const int32_t *ids, int32_t n, section_range part,
                         int64_t lowest, int32_t last) {
  int32_t *piece = room_for((size_t)n, sizeof *piece);
  bool is_solved = true;
  for (int32_t a = part.lo, b; a < part.hi && is_solved; a = b) {
    for (b = a + 1; b < part.hi && e->across[b] > 0; b++) {
    }
    int32_t n_piece = 0;
    for (int32_t i = 0; e->rest[a] && i < n; i++) {
      if (!e->is_placed[ids[i]] && e->lives[ids[i]].lo >= a && e->lives[ids[i]].hi <= b) {
        piece[n_piece++] = ids[i];
      }
    }
    is_solved = n_piece == 0 || solve(e, piece, n_piece, lowest, last);
  }
  free(piece);
  return is_solved;
}

static bool try_one(exact *e, const int32_t *ids, int32_t n, section_range part, int32_t id) {
  size_t mark = e->n_trail;
  int64_t offset = e->offset[id];
  count(e, id, -1);
  note(e, (step){0, id, PLACED});
  for (int32_t t = e->lives[id].lo; t < e->lives[id].hi; t++) {
    note(e, (step){e->floors[t], t, FLOOR});
    e->floors[t] = offset + e->items[id].size;
  }
  push_up(e, id);
  bool is_solved = can_take(e, part, offset) && solve_pieces(e, ids, n, part, offset, id);
  if (!is_solved) {
    undo(e, mark);
  }
  return is_solved;
}

static bool solve(exact *e, const int32_t *ids, int32_t n, int64_t lowest, int32_t last) {
  int64_t least_top = INT64_MAX;
  section_range part = {INT32_MAX, 0};
  if (e->is_stopped || now() > e->deadline) {
    e->is_stopped = true;
    return false;
  }
  for (int32_t i = 0; i < n; i++) {
    int64_t top = e->offset[ids[i]] + e->items[ids[i]].size;
    section_range life = e->lives[ids[i]];
    least_top = top < least_top ? top : least_top;
    part.lo = life.lo < part.lo ? life.lo : part.lo;
    part.hi = life.hi > part.hi ? life.hi : part.hi;
    if (top > e->capacity) {
      return false;
    }
  }
  for (int32_t i = 0; i < n && !e->is_stopped; i++) {
    int64_t offset = e->offset[ids[i]];
    bool is_in_turn = offset > lowest || (offset == lowest && ids[i] > last);
    if (offset < least_top && is_in_turn && try_one(e, ids, n, part, ids[i])) {
      return true;
    }
  }
  return false;
}

/* ---- from items to sections ---- */

static int compare_moments(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int32_t find_moment(const int64_t *moments, int32_t n, int64_t moment) {
  int32_t low = 0;
  while (n > 1) {
    int32_t half = n / 2;
    low += moments[low + half] <= moment ? half : 0;
    n -= half;
  }
  return low;
}

static void make_sections(exact *e) {
  int64_t *moments = room_for(2 * (size_t)e->n, sizeof *moments);
  int32_t n = 0;
  for (int32_t i = 0; i < e->n; i++) {
    moments[2 * i] = e->items[i].lower;
    moments[2 * i + 1] = e->items[i].upper;
  }
  qsort(moments, 2 * (size_t)e->n, sizeof *moments, compare_moments);
  for (int32_t i = 0; i < 2 * e->n; i++) {
    if (i == 0 || moments[i] != moments[n - 1]) {
      moments[n++] = moments[i];
    }
  }
  for (int32_t i = 0; i < e->n; i++) {
    e->lives[i].lo = find_moment(moments, n, e->items[i].lower);
    e->lives[i].hi = find_moment(moments, n, e->items[i].upper);
  }
  e->sections = n;
  free(moments);
}

static bool do_meet(const exact *e, int32_t i, int32_t j) {
  return e->lives[i].lo < e->lives[j].hi && e->lives[j].lo < e->lives[i].hi;
}

static void find_neighbours(exact *e) {
  for (int32_t i = 0; i < e->n; i++) {
    for (int32_t j = 0; j < e->n; j++) {
      e->first[i + 1] += i != j && do_meet(e, i, j);
    }
    e->first[i + 1] += e->first[i];
  }
  e->near = room_for((size_t)e->first[e->n], sizeof *e->near);
  for (int32_t i = 0; i < e->n; i++) {
    int64_t at = e->first[i];
    for (int32_t j = 0; j < e->n; j++) {
      if (i != j && do_meet(e, i, j)) {
        e->near[at++] = j;
      }
    }
  }
}

static bool run(const snug_pack_item *sorted, size_t n, int64_t capacity, double deadline,
                int64_t *offsets) {
  exact e = {.items = sorted, .n = (int32_t)n, .capacity = capacity, .deadline = deadline};
  int32_t *ids = room_for(n, sizeof *ids);
  e.lives = room_for(n, sizeof *e.lives);
  e.first = room_for(n + 1, sizeof *e.first);
  e.offset = room_for(n, sizeof *e.offset);
  e.is_placed = room_for(n, sizeof *e.is_placed);
  make_sections(&e);
  find_neighbours(&e);
  e.floors = room_for((size_t)e.sections, sizeof *e.floors);
  e.rest = room_for((size_t)e.sections, sizeof *e.rest);
  e.across = room_for((size_t)e.sections + 1, sizeof *e.across);
  for (int32_t i = 0; i < e.n; i++) {
    ids[i] = i;
    count(&e, i, 1);
  }
  bool is_solved = solve_pieces(&e, ids, e.n, (section_range){0, e.sections}, 0, -1);
  for (size_t i = 0; i < n && is_solved; i++) {
    offsets[i] = e.offset[i];
  }
  free(e.lives);
  free(e.first);
  free(e.near);
  free(e.offset);
  free(e.is_placed);
  free(e.floors);
  free(e.rest);
  free(e.across);
  free(e.trail);
  free(ids);
  return is_solved;
}

/* ---- orders ---- */

typedef struct ranked {
  snug_pack_item item;
  size_t id;
  double keys[3]; /* larger first: load at its fullest moment, area, length */
} ranked;

static int compare_by(const void *a, const void *b, int first) {
  const ranked *x = a;
  const ranked *y = b;
  for (int i = 0; i < 3; i++) {
    double p = x->keys[(first + i) % 3];
    double q = y->keys[(first + i) % 3];
    if (p != q) {
      return p < q ? 1 : -1;
    }
  }
  return 0;
}

static int by_load(const void *a, const void *b) { return compare_by(a, b, 0); }
static int by_area(const void *a, const void *b) { return compare_by(a, b, 1); }
static int by_length(const void *a, const void *b) { return compare_by(a, b, 2); }

static void rank(const snug_pack_item *items, size_t n, ranked *out) {
  for (size_t i = 0; i < n; i++) {
    double length = (double)(items[i].upper - items[i].lower);
    out[i] = (ranked){items[i], i, {0.0, length * (double)items[i].size, length}};
  }
  for (size_t j = 0; j < n;
       j++) { /* a fullest moment of i is the beginning of some j, or its own */
    double load = 0.0;
    int64_t t = items[j].lower;
    for (size_t i = 0; i < n; i++) {
      load += items[i].lower <= t && t < items[i].upper ? (double)items[i].size : 0.0;
    }
    for (size_t i = 0; i < n; i++) {
      if (items[i].lower <= t && t < items[i].upper && load > out[i].keys[0]) {
        out[i].keys[0] = load;
      }
    }
  }
}

bool exact_pack(const snug_pack_item *items, size_t n, int64_t capacity, double seconds,
                int64_t *offsets) {
  static int (*const orders[])(const void *, const void *) = {by_load, by_area, by_length};
  ranked *all = room_for(n, sizeof *all);
  snug_pack_item *sorted = room_for(n, sizeof *sorted);
  double end = now() + seconds;
  int64_t *found = room_for(n, sizeof *found);
  bool is_solved = false;
  rank(items, n, all);
  for (double share = seconds / 50.0; !is_solved && now() < end; share *= 2.0) {
    for (int k = 0; k < 3 && !is_solved && now() < end; k++) {
      qsort(all, n, sizeof *all, orders[k]);
      for (size_t i = 0; i < n; i++) {
        sorted[i] = all[i].item;
      }
      double deadline = now() + share;
      is_solved = run(sorted, n, capacity, deadline < end ? deadline : end, found);
      for (size_t i = 0; i < n && is_solved; i++) {
        offsets[all[i].id] = found[i];
      }
    }
  }
  free(all);
  free(sorted);
  free(found);
  return is_solved;
}
