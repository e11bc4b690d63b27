#include "watch/group.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/groups.h"

#define UNTOLD SNUG_WATCH_UNTOLD

/* ---- figures ---- */

static uint64_t or_untold(uint64_t n) { return n < SNUG__NO_NUMBER ? n : UNTOLD; }

static uint64_t kills_in(const snug__group *g) {
  char text[512] = "";
  const char *file = g->unified ? "memory.events" : "memory.oom_control";
  snug__group_read(g->path, file, text, sizeof text);
  return or_untold(snug__number_of(text, "oom_kill ", UNTOLD));
}

static uint64_t peak_of(const char *group, bool unified) {
  return or_untold(
      snug__group_number(group, unified ? "memory.peak" : "memory.max_usage_in_bytes", UNTOLD));
}

/* Page cache, of the group and those in it. */
static uint64_t cache_of(const char *group, bool unified) {
  char text[4096] = "";
  snug__group_read(group, "memory.stat", text, sizeof text);
  return or_untold(snug__number_of(text, unified ? "file " : "total_cache ", UNTOLD));
}

/* The file is longer than what one read gives. */
static uint64_t machine_kills(const char *root) {
  char text[1u << 14];
  size_t n = 0;
  snprintf(text, sizeof text, "%s/proc/vmstat", root);
  int fd = open(text, O_RDONLY | O_CLOEXEC);
  for (ssize_t got = 1; fd >= 0 && got > 0 && n<sizeof text - 1; n += got> 0 ? (size_t)got : 0) {
    got = read(fd, text + n, sizeof text - 1 - n);
  }
  text[n] = '\0';
  if (fd >= 0) {
    close(fd);
  }
  return or_untold(snug__number_of(text, "oom_kill ", UNTOLD));
}

/* What was added to a count that began as `before`. */
static uint64_t since(uint64_t now, uint64_t before) {
  return now == UNTOLD || before == UNTOLD ? UNTOLD : now > before ? now - before : 0;
}

/* ---- finding ---- */

/* The innermost group is where it is; of all the one with the least limit rules. */
static void visit(void *arg, const char *group, bool unified) {
  snug__group *g = arg;
  const char *held = unified ? "memory.current" : "memory.usage_in_bytes";
  if (snug__group_number(group, held, UNTOLD) == UNTOLD) {
    return; /* not a group of memory, or none that can be seen from here */
  }
  uint64_t limit = or_untold(
      snug__group_number(group, unified ? "memory.max" : "memory.limit_in_bytes", UNTOLD));
  bool is_first = *g->path == '\0';
  if (is_first) {
    g->unified = unified;
    snprintf(g->path, sizeof g->path, "%s", group);
  }
  if (is_first || limit < g->limit) {
    snprintf(g->ruling, sizeof g->ruling, "%s", group);
    g->limit = limit;
  }
}

/* The text of a process's groups as one number; 0 if it cannot be read.  (FNV-1a) */
static uint64_t place_of(const snug__group_list *l, const char *number) {
  char text[4096 + SNUG__TREE_ROOT];
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  snprintf(text, sizeof text, "%s/proc/%s/cgroup", l->root, number);
  if (!snug__read_start(text, text, sizeof text)) {
    return 0;
  }
  for (const char *c = text; *c; c++) {
    hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  }
  return hash;
}

static bool is_new_place(const snug__group_list *l, uint64_t place) {
  size_t i = 0;
  while (i < l->n_places && l->places[i] != place) {
    i++;
  }
  return place && i == l->n_places && i < SNUG__PLACES_MOST;
}

/* A process that ends loses its memory first, and its groups next: it is in the root then, until it
 * was waited for. */
static bool has_ended(const snug__group_list *l, const char *number) {
  char path[SNUG__TREE_ROOT + 32];
  char text[64];
  snprintf(path, sizeof path, "%s/proc/%s/statm", l->root, number);
  const char *resident = snug__read_start(path, text, sizeof text) ? strchr(text, ' ') : NULL;
  return !resident || strtoull(resident, NULL, 10) == 0;
}

static bool is_known(const snug__group_list *l, const char *path) {
  for (size_t i = 0; i < l->n; i++) {
    if (strcmp(l->list[i].path, path) == 0) {
      return true;
    }
  }
  return false;
}

void snug__group_list_note(snug__group_list *l, int32_t process) {
  char number[16];
  snug__group g = {.limit = UNTOLD};
  snprintf(number, sizeof number, "%d", (int)process);
  uint64_t place = place_of(l, number);
  if (l->n == SNUG__GROUPS_MOST || !is_new_place(l, place)) {
    return;
  }
  snug__groups_walk_of(l->root, number, "memory", visit, &g);
  if (has_ended(l, number)) { /* when that was read it may have been in no group any more */
    return;
  }
  l->places[l->n_places++] = place;
  if (*g.path == '\0' || is_known(l, g.path)) {
    return;
  }
  g.kills = g.kills_before = kills_in(&g);
  g.peak = g.peak_before = peak_of(g.ruling, g.unified);
  g.cache = cache_of(g.ruling, g.unified);
  l->list[l->n++] = g;
}

void snug__group_list_init(snug__group_list *l, const char *root) {
  l->n = 0;
  snprintf(l->root, sizeof l->root, "%s", root);
  l->machine = l->machine_before = machine_kills(root);
}

/* A group that is gone keeps what it told last. */
void snug__group_list_read(snug__group_list *l, bool machine) {
  uint64_t on_machine = machine ? machine_kills(l->root) : UNTOLD;
  l->machine = on_machine == UNTOLD ? l->machine : on_machine;
  for (size_t i = 0; i < l->n; i++) {
    snug__group *g = &l->list[i];
    uint64_t kills = kills_in(g);
    uint64_t peak = peak_of(g->ruling, g->unified);
    g->kills = kills == UNTOLD ? g->kills : kills;
    g->peak = peak == UNTOLD ? g->peak : peak;
    uint64_t cache = cache_of(g->ruling, g->unified);
    bool is_more = cache != UNTOLD && (g->cache == UNTOLD || cache > g->cache);
    g->cache = is_more ? cache : g->cache;
  }
}

/* ---- telling ---- */

static bool has_kills(const snug__group *g) {
  uint64_t n = since(g->kills, g->kills_before);
  return n > 0 && n != UNTOLD;
}

void snug__group_list_tell(const snug__group_list *l, snug_watch_report *out) {
  const snug__group *told = l->n ? &l->list[0] : NULL;
  for (size_t i = 0; i < l->n && !has_kills(told); i++) {
    told = has_kills(&l->list[i]) || l->list[i].limit < told->limit ? &l->list[i] : told;
  }
  out->machine_kills = since(l->machine, l->machine_before);
  if (!told) {
    out->group = (snug_watch_group){"", UNTOLD, UNTOLD, false, UNTOLD, UNTOLD};
    return;
  }
  const char *shown = told->ruling + strlen(l->root);
  snprintf(out->group.path, sizeof out->group.path, "%s", shown);
  out->group.limit = told->limit;
  out->group.peak = told->peak;
  out->group.peak_is_new = told->peak != UNTOLD && told->peak > told->peak_before;
  out->group.kills = since(told->kills, told->kills_before);
  out->group.cache = told->cache;
}
