#include "graph/layout.h"

#include <string.h>

static const struct {
  const char *text, *tag;
  int32_t rank;
} layouts[SNUG__LAYOUT_COUNT] = {
#define SNUG__LAYOUT_ROW(name, text, rank, tag) [SNUG__LAYOUT_##name] = {text, tag, rank},
    SNUG__LAYOUT_LIST(SNUG__LAYOUT_ROW)
#undef SNUG__LAYOUT_ROW
};

const char *snug__layout_text(snug__layout layout) {
  return layout < SNUG__LAYOUT_COUNT ? layouts[layout].text : "none";
}

snug__layout snug__layout_find(const char *text) {
  snug__layout l = 0;
  while (l < SNUG__LAYOUT_COUNT && strcmp(layouts[l].text, text) != 0) {
    l++;
  }
  return l;
}

bool snug__layout_is_for(snug__layout layout, int32_t rank) {
  return layout == SNUG__LAYOUT_PLAIN ||
         (layout < SNUG__LAYOUT_COUNT && layouts[layout].rank == rank);
}

snug__blocking snug__layout_blocking(snug__layout layout) {
  snug__blocking b = {.rank = layouts[layout].rank};
  const char *tag = layouts[layout].tag;
  for (int32_t i = 0; i < b.rank; i++) {
    b.order[i] = *tag++ - 'a';
  }
  while (*tag) {
    int32_t size = 0;
    while (*tag <= '9') {
      size = size * 10 + (*tag++ - '0');
    }
    b.block_size[b.n_blocks] = size;
    b.block_axis[b.n_blocks++] = *tag++ - 'a';
  }
  return b;
}

int32_t snug__layout_block(snug__layout layout, int32_t axis) {
  snug__blocking b = snug__layout_blocking(layout);
  int32_t size = 1;
  for (int32_t i = 0; i < b.n_blocks; i++) {
    size *= b.block_axis[i] == axis ? b.block_size[i] : 1;
  }
  return size;
}
