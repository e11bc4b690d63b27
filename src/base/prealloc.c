#include "base/prealloc.h"

#include <stdint.h>

size_t snug__prealloc_round(size_t bytes) {
  return bytes <= SIZE_MAX - SNUG__PREALLOC_GRAIN
             ? (bytes + SNUG__PREALLOC_GRAIN - 1) / SNUG__PREALLOC_GRAIN * SNUG__PREALLOC_GRAIN
             : 0;
}

void snug__prealloc_open(snug__prealloc *prealloc, void *memory, size_t bytes) {
  snug__gap *all = memory;
  *all = (snug__gap){.bytes = bytes};
  *prealloc = (snug__prealloc){.start = memory, .bytes = bytes, .idle = bytes, .gaps = all};
}

/* The link to the first gap of this many bytes or more; to NULL if there is none. */
static snug__gap **find_gap(const snug__prealloc *prealloc, size_t bytes) {
  snug__gap **link = (snug__gap **)&prealloc->gaps;
  while (*link && (*link)->bytes < bytes) {
    link = &(*link)->next;
  }
  return link;
}

bool snug__prealloc_fits(const snug__prealloc *prealloc, size_t bytes) {
  size_t whole = snug__prealloc_round(bytes);
  return whole && *find_gap(prealloc, whole);
}

bool snug__prealloc_has(const snug__prealloc *prealloc, const void *piece) {
  uintptr_t start = (uintptr_t)prealloc->start;
  return prealloc->start && (uintptr_t)piece >= start && (uintptr_t)piece - start < prealloc->bytes;
}

void *snug__prealloc_take(snug__prealloc *prealloc, size_t bytes) {
  size_t whole = snug__prealloc_round(bytes);
  snug__gap **link = find_gap(prealloc, whole);
  snug__gap *gap = *link;
  if (!whole || !gap) {
    return NULL;
  }
  *link = gap->next;
  if (gap->bytes > whole) {
    snug__gap *rest = (snug__gap *)(void *)((char *)gap + whole);
    *rest = (snug__gap){gap->bytes - whole, gap->next};
    *link = rest;
  }
  prealloc->idle -= whole;
  return gap;
}

/* Let a gap and the one behind it be one, if they touch. */
static void join(snug__gap *gap) {
  if (gap->next && (char *)gap + gap->bytes == (char *)gap->next) {
    gap->bytes += gap->next->bytes;
    gap->next = gap->next->next;
  }
}

void snug__prealloc_give(snug__prealloc *prealloc, void *piece, size_t bytes) {
  snug__gap *gap = piece;
  snug__gap *before = NULL;
  size_t whole = snug__prealloc_round(bytes);
  for (snug__gap *g = prealloc->gaps; g && g < gap; g = g->next) {
    before = g;
  }
  *gap = (snug__gap){whole, before ? before->next : prealloc->gaps};
  *(before ? &before->next : &prealloc->gaps) = gap;
  prealloc->idle += whole;
  join(gap);
  if (before) {
    join(before);
  }
}
