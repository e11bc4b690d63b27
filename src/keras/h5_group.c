/* The links of a group: in a tree of symbols with names in a heap (old), as messages of the group,
 * or in a heap of links (many of them). */
#include <string.h>

#include "keras/h5_file.h"

#define MOST_LINKS 65536
#define MOST_NAMES (2u << 20) /* bytes of the names of a group */
#define MOST_LEVELS 8         /* of a tree: more than 65536 links need with 4 children each */
#define NODE_HEAD 24
#define SYMBOL_BYTES 40
#define SYMBOL_IS_SOFT 2

void snug__h5_groups_init(snug__h5 *h5) {
  for (int i = 0; i < SNUG__H5_GROUPS; i++) {
    snug__h5_group *g = &h5->group[i];
    g->address = SNUG__H5_NOWHERE;
    snug__arena_init(&g->arena, h5->ctx, SNUG__MEM_SCRATCH);
    snug__vec_init(&g->links, h5->ctx, SNUG__MEM_SCRATCH, sizeof(snug__h5_link), MOST_LINKS);
  }
}

static void forget(snug__h5_group *g) {
  g->address = SNUG__H5_NOWHERE;
  g->used = 0;
  g->names_bytes = 0;
  snug__arena_release(&g->arena);
  snug__vec_release(&g->links);
}

void snug__h5_groups_release(snug__h5 *h5) {
  for (int i = 0; i < SNUG__H5_GROUPS; i++) {
    forget(&h5->group[i]);
  }
}

static snug_status fail_group(snug__h5 *h5) {
  return SNUG__BAD_H5(h5, "is damaged: the list of a group's members cannot be read");
}

/* A name of a link: text without a slash. */
static bool is_name(const char *text, size_t n) {
  return n > 0 && n < SNUG__H5_NAME_BYTES && !memchr(text, 0, n) && !memchr(text, '/', n);
}

static snug_status add(snug__h5 *h5, snug__h5_group *g, const char *name, size_t n,
                       uint64_t address) {
  void *copy = NULL;
  if (!is_name(name, n) || g->links.n >= MOST_LINKS || n > MOST_NAMES - g->names_bytes) {
    return fail_group(h5);
  }
  g->names_bytes += n;
  SNUG_TRY(snug__arena_take(&g->arena, n + 1, &copy));
  memcpy(copy, name, n);
  snug__h5_link link = {copy, address};
  return snug__vec_push(&g->links, &link, 1);
}

snug_status snug__h5_add_link(snug__h5 *h5, snug__h5_group *g, snug__cursor c) {
  uint64_t version = snug__get(&c, 1), flags = snug__get(&c, 1);
  uint64_t kind = flags & 8 ? snug__get(&c, 1) : 0;
  snug__skip(&c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0));
  uint64_t n = snug__get(&c, (size_t)1 << (flags & 3));
  const uint8_t *name = snug__skip(&c, (size_t)n);
  uint64_t address = kind == 0 ? snug__get(&c, 8) : SNUG__H5_NOWHERE;
  if (version != 1 || c.over || (kind == 0 && address == SNUG__H5_NOWHERE)) {
    return fail_group(h5);
  }
  return add(h5, g, (const char *)name, (size_t)n, address);
}

/* An old group while it is read. */
typedef struct symbols {
  snug__h5 *h5;
  snug__h5_group *g;
  char *names; /* the heap */
  size_t names_bytes;
} symbols;

static snug_status add_symbol(symbols *s, snug__cursor *c) {
  uint64_t name = snug__get(c, 8), address = snug__get(c, 8), kind = snug__get(c, 4);
  snug__skip(c, SYMBOL_BYTES - 20);
  const char *end =
      name < s->names_bytes ? memchr(s->names + name, 0, s->names_bytes - name) : NULL;
  if (c->over || !end || (address == SNUG__H5_NOWHERE && kind != SYMBOL_IS_SOFT)) {
    return fail_group(s->h5);
  }
  return add(s->h5, s->g, s->names + name, (size_t)(end - (s->names + name)),
             kind == SYMBOL_IS_SOFT ? SNUG__H5_NOWHERE : address);
}

/* A leaf: a node with the symbols themselves. */
static snug_status add_leaf(symbols *s, uint64_t address) {
  uint8_t head[8], symbol[SYMBOL_BYTES];
  SNUG_TRY(snug__h5_read(s->h5, head, sizeof head, address));
  snug__cursor c = snug__cursor_of(head + 6, 2);
  if (memcmp(head, "SNOD", 4) != 0) {
    return fail_group(s->h5);
  }
  uint64_t n = snug__get(&c, 2);
  for (uint64_t i = 0; i < n; i++) {
    SNUG_TRY(snug__h5_read(s->h5, symbol, sizeof symbol, address + 8 + i * SYMBOL_BYTES));
    c = snug__cursor_of(symbol, sizeof symbol);
    SNUG_TRY(add_symbol(s, &c));
  }
  return SNUG_OK;
}

/* A node of the tree: keys (which are not needed) between the addresses of children. */
static snug_status add_node(symbols *s, uint64_t address, uint32_t level, uint32_t most_level) {
  uint8_t head[NODE_HEAD], child[8];
  SNUG_TRY(snug__h5_read(s->h5, head, sizeof head, address));
  uint32_t is_leaf = head[5] == 0, n = head[6] | (uint32_t)head[7] << 8;
  bool good = memcmp(head, "TREE", 4) == 0 && head[4] == 0 && head[5] <= most_level;
  if (!good || (level != UINT32_MAX && head[5] != level)) {
    return fail_group(s->h5);
  }
  for (uint32_t i = 0; i < n; i++) {
    SNUG_TRY(snug__h5_read(s->h5, child, sizeof child, address + NODE_HEAD + 8 + (uint64_t)i * 16));
    snug__cursor c = snug__cursor_of(child, sizeof child);
    uint64_t at = snug__get(&c, 8);
    SNUG_TRY(is_leaf ? add_leaf(s, at) : add_node(s, at, head[5] - 1u, most_level));
  }
  return SNUG_OK;
}

static snug_status read_names(symbols *s, uint64_t heap) {
  uint8_t head[32];
  SNUG_TRY(snug__h5_read(s->h5, head, sizeof head, heap));
  snug__cursor c = snug__cursor_of(head + 8, sizeof head - 8);
  uint64_t n = snug__get(&c, 8);
  snug__skip(&c, 8);
  uint64_t address = snug__get(&c, 8);
  if (memcmp(head, "HEAP", 4) != 0 || n > MOST_NAMES || !snug__h5_inside(s->h5, address, n)) {
    return fail_group(s->h5);
  }
  SNUG_TRY(SNUG_NEW_ARRAY(s->h5->ctx, SNUG__MEM_SCRATCH, n + 1, &s->names));
  s->names_bytes = (size_t)n;
  return snug__h5_read(s->h5, s->names, (size_t)n, address);
}

static snug_status read_old(snug__h5 *h5, snug__h5_group *g, const snug__h5_message *m) {
  symbols s = {.h5 = h5, .g = g};
  snug__cursor c = snug__cursor_of(m->body, m->bytes);
  uint64_t tree = snug__get(&c, 8), heap = snug__get(&c, 8);
  snug_status status = c.over ? fail_group(h5) : read_names(&s, heap);
  status = status ? status : add_node(&s, tree, UINT32_MAX, MOST_LEVELS);
  if (s.names) {
    SNUG_GIVE_ARRAY(h5->ctx, SNUG__MEM_SCRATCH, s.names, s.names_bytes + 1);
  }
  return status;
}

static snug_status visit_link(snug__h5 *h5, void *group, snug__cursor c) {
  return snug__h5_add_link(h5, group, c);
}

static snug_status read_new(snug__h5 *h5, snug__h5_group *g, const snug__h5_object *o) {
  const snug__h5_message *info = snug__h5_find(o, SNUG__H5_LINK_INFO);
  for (size_t i = 0; i < o->messages.n; i++) {
    const snug__h5_message *m = &SNUG_VEC(&o->messages, snug__h5_message, i);
    if (m->kind == SNUG__H5_LINK) {
      SNUG_TRY(snug__h5_add_link(h5, g, snug__cursor_of(m->body, m->bytes)));
    }
  }
  snug__cursor c = snug__cursor_of(info->body, info->bytes);
  snug__skip(&c, 1);
  uint64_t flags = snug__get(&c, 1);
  snug__skip(&c, flags & 1 ? 8 : 0);
  uint64_t heap = snug__get(&c, 8), tree = snug__get(&c, 8);
  if (c.over) {
    return fail_group(h5);
  }
  return heap == SNUG__H5_NOWHERE ? SNUG_OK : snug__h5_heap_each(h5, heap, tree, visit_link, g);
}

static snug_status read_group(snug__h5 *h5, snug__h5_group *g, uint64_t address) {
  const snug__h5_object *o = NULL;
  SNUG_TRY(snug__h5_object_at(h5, address, &o));
  const snug__h5_message *table = snug__h5_find(o, SNUG__H5_SYMBOLS);
  if (table) {
    return read_old(h5, g, table);
  }
  if (snug__h5_find(o, SNUG__H5_LINK_INFO)) {
    return read_new(h5, g, o);
  }
  return SNUG_OK; /* a dataset: nothing lies in it */
}

/* The group with this address, or else the one whose last use is longest ago. */
static snug__h5_group *find_place(snug__h5 *h5, uint64_t address) {
  snug__h5_group *oldest = &h5->group[0];
  for (int i = 0; i < SNUG__H5_GROUPS; i++) {
    snug__h5_group *g = &h5->group[i];
    if (g->address == address) {
      return g;
    }
    oldest = g->used < oldest->used ? g : oldest;
  }
  return oldest;
}

snug_status snug__h5_group_at(snug__h5 *h5, uint64_t address, const snug__h5_group **out) {
  snug__h5_group *g = find_place(h5, address);
  if (g->address != address) {
    forget(g);
    snug_status s = read_group(h5, g, address);
    if (s) {
      forget(g);
      return s;
    }
    g->address = address;
  }
  g->used = ++h5->clock;
  *out = g;
  return SNUG_OK;
}
