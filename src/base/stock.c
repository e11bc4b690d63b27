#include "base/stock.h"

#include <stdint.h>

size_t snug__stock_round(size_t bytes) {
  return bytes <= SIZE_MAX - SNUG__STOCK_GRAIN
             ? (bytes + SNUG__STOCK_GRAIN - 1) / SNUG__STOCK_GRAIN * SNUG__STOCK_GRAIN
             : 0;
}

void snug__stock_open(snug__stock *stock, void *memory, size_t bytes) {
  snug__gap *all = memory;
  *all = (snug__gap){.bytes = bytes};
  *stock = (snug__stock){.start = memory, .bytes = bytes, .idle = bytes, .gaps = all};
}

/* The link to the first gap of so many bytes or more; to NULL if there is none. */
static snug__gap **find_gap(const snug__stock *stock, size_t bytes) {
  snug__gap **link = (snug__gap **)&stock->gaps;
  while (*link && (*link)->bytes < bytes) {
    link = &(*link)->next;
  }
  return link;
}

bool snug__stock_fits(const snug__stock *stock, size_t bytes) {
  size_t whole = snug__stock_round(bytes);
  return whole && *find_gap(stock, whole);
}

bool snug__stock_has(const snug__stock *stock, const void *piece) {
  uintptr_t start = (uintptr_t)stock->start;
  return stock->start && (uintptr_t)piece >= start && (uintptr_t)piece - start < stock->bytes;
}

void *snug__stock_take(snug__stock *stock, size_t bytes) {
  size_t whole = snug__stock_round(bytes);
  snug__gap **link = find_gap(stock, whole);
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
  stock->idle -= whole;
  return gap;
}

/* Let a gap and the one behind it be one, if they touch. */
static void join(snug__gap *gap) {
  if (gap->next && (char *)gap + gap->bytes == (char *)gap->next) {
    gap->bytes += gap->next->bytes;
    gap->next = gap->next->next;
  }
}

void snug__stock_give(snug__stock *stock, void *piece, size_t bytes) {
  snug__gap *gap = piece;
  snug__gap *before = NULL;
  size_t whole = snug__stock_round(bytes);
  for (snug__gap *g = stock->gaps; g && g < gap; g = g->next) {
    before = g;
  }
  *gap = (snug__gap){whole, before ? before->next : stock->gaps};
  *(before ? &before->next : &stock->gaps) = gap;
  stock->idle += whole;
  join(gap);
  if (before) {
    join(before);
  }
}
