#include "watch/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUIET 1.0 /* seconds without a change, after which its mark can wait */
#define MARKS 12  /* to read at one time */
#define QUIET_TURNS 20
#define MOST_NEW 4096  /* numbers to look at one by one; beyond, /proc is listed */
#define LIST_EVERY 5.0 /* seconds */
#define PATH_BYTES (SNUG__TREE_ROOT + 64)

/* ---- members ---- */

static snug__member *member_of(const snug__tree *t, int32_t process) {
  for (size_t i = 0; i < t->n; i++) {
    if (t->list[i].process == process) {
      return &t->list[i];
    }
  }
  return NULL;
}

/* A copy of its parent shares all of that one's pages at first. */
static uint64_t shared_at_birth(const snug__member *m, const snug__member *parent) {
  if (!parent || m->borrows || !snug__member_is_alike(m, parent)) {
    return 0;
  }
  return m->resident < parent->resident ? m->resident : parent->resident;
}

static void add(snug__tree *t, int32_t process, int fd, const snug__figures *f, double now) {
  if (t->n == SNUG__TREE_MOST) {
    t->untold++;
    close(fd);
    return;
  }
  snug__member *m = &t->list[t->n++];
  *m = (snug__member){.process = process, .status = fd, .came = now, .changed = now, .began = now};
  m->statm = snug__proc_open(t->root, process, "statm");
  snug__member_update(m, t->root, member_of(t, f->parent), f, now);
  m->overlap = m->copied = shared_at_birth(m, member_of(t, m->parent));
  t->n_seen++;
  t->n_most = t->n > t->n_most ? (uint32_t)t->n : t->n_most;
}

static bool belongs(const snug__tree *t, int32_t process, const snug__figures *f) {
  return f->group == process && (process == t->top || (t->self && f->parent == t->self) ||
                                 member_of(t, f->parent) != NULL);
}

/* Look at a number; false: nobody has it. */
static bool probe(snug__tree *t, int32_t process, double now) {
  char text[SNUG__PROC_TEXT];
  snug__figures f;
  if (process == t->self || member_of(t, process)) {
    return true;
  }
  int fd = snug__proc_open(t->root, process, "status");
  if (fd < 0) {
    t->untold += errno == EACCES || errno == EPERM || errno == EMFILE;
    return errno != ENOENT && errno != ESRCH;
  }
  if (snug__proc_read(fd, text) && snug__figures_parse(text, &f) && belongs(t, process, &f)) {
    add(t, process, fd, &f, now);
  } else {
    close(fd);
  }
  return true;
}

/* ---- finding ---- */

/* The last field of /proc/loadavg; 0 where it is not reported. */
static int64_t last_number(const snug__tree *t) {
  char text[128];
  ssize_t n = t->loadavg < 0 ? -1 : pread(t->loadavg, text, sizeof text - 1, 0);
  text[n < 0 ? 0 : n] = '\0';
  const char *field = strrchr(text, ' ');
  long long value = field ? strtoll(field, NULL, 10) : 0;
  return value > 0 && value <= INT32_MAX ? value : 0;
}

/* Whoever stands in an open folder.  readdir would take memory. */
static void probe_folder(snug__tree *t, int folder, double now) {
  _Alignas(struct dirent64) char entries[SNUG__PROC_TEXT];
  ssize_t n = lseek(folder, 0, SEEK_SET);
  while (n >= 0 && (n = getdents64(folder, entries, sizeof entries)) > 0) {
    for (ssize_t at = 0; at < n;) {
      const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
      long long value = strtoll(entry->d_name, NULL, 10);
      if (value > 0 && value <= INT32_MAX) {
        probe(t, (int32_t)value, now);
      }
      at += entry->d_reclen;
    }
  }
}

/* Everybody in /proc.  A child may stand before its parent, so that it takes several rounds until
 * one finds nobody. */
static void list_all(snug__tree *t, double now) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/proc", t->root);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  size_t before;
  do {
    before = t->n;
    probe_folder(t, folder, now);
  } while (t->n > before && t->n < SNUG__TREE_MOST);
  if (folder >= 0) {
    close(folder);
  }
  t->listed = now;
}

/* A number is given a moment before the process can be seen. */
static void probe_range(snug__tree *t, int64_t last, double now) {
  int32_t absent[SNUG__TREE_ABSENT];
  size_t n = t->n_absent;
  memcpy(absent, t->absent, n * sizeof *absent);
  t->n_absent = 0;
  for (size_t i = 0; i < n; i++) {
    probe(t, absent[i], now);
  }
  for (int64_t p = t->cursor + 1; p <= last; p++) {
    if (!probe(t, (int32_t)p, now) && t->n_absent < SNUG__TREE_ABSENT) {
      t->absent[t->n_absent++] = (int32_t)p;
    }
  }
}

void snug__tree_find(snug__tree *t, double now) {
  int64_t last = last_number(t);
  bool is_told = last > 0 && t->cursor > 0;
  if (!is_told || last < t->cursor || last - t->cursor > MOST_NEW || now - t->listed > LIST_EVERY) {
    t->n_absent = 0;
    list_all(t, now);
  } else if (last > t->cursor || t->n_absent) {
    probe_range(t, last, now);
  }
  t->cursor = last;
}

/* ---- reading ---- */

static void forget(snug__tree *t, size_t i) {
  snug__member_close(&t->list[i]);
  t->list[i] = t->list[--t->n];
}

void snug__tree_forget(snug__tree *t, int32_t process) {
  for (size_t i = t->n; i-- > 0;) {
    if (t->list[i].process == process || snug__member_has_ended(&t->list[i])) {
      forget(t, i);
    }
  }
}

/* How many turns it takes until all marks were read: of the young, and of those who move. */
static void count_turns(const snug__tree *t, double now, uint32_t *young, uint32_t *moving) {
  uint32_t n_young = 0, n_moving = 0;
  for (size_t i = 0; i < t->n; i++) {
    bool is_young = snug__member_is_young(&t->list[i], now);
    n_young += is_young;
    n_moving += !is_young && now - t->list[i].changed < QUIET;
  }
  *young = 1 + n_young / (MARKS + 1);
  *moving = 1 + n_moving / (MARKS + 1);
}

void snug__tree_read(snug__tree *t, double now, bool sample) {
  uint32_t young, moving;
  count_turns(t, now, &young, &moving);
  t->turn += sample || young > 1;
  for (size_t i = t->n; i-- > 0;) { /* from the end: who takes a free place was read already */
    snug__member *m = &t->list[i];
    bool is_young = snug__member_is_young(m, now);
    uint32_t turns = is_young ? young : now - m->changed < QUIET ? moving : QUIET_TURNS;
    bool mark = (t->turn + (uint32_t)m->process) % turns == 0;
    bool is_turn = turns < QUIET_TURNS || (t->turn + (uint32_t)m->process) % 2 == 0;
    bool is_due = is_young ? sample || mark : sample && (mark || is_turn);
    const snug__member *parent = mark && is_young ? member_of(t, m->parent) : NULL;
    if (is_due && m->came != now && !snug__member_read(m, t->root, parent, now, mark)) {
      forget(t, i);
    }
  }
}

/* ---- beginning and end ---- */

snug_status snug__tree_init(snug__tree *t, snug_ctx *ctx, const char *root, int32_t self,
                            int32_t top, double now) {
  char path[PATH_BYTES];
  *t = (snug__tree){.ctx = ctx, .self = self, .top = top, .loadavg = -1};
  if ((size_t)snprintf(t->root, sizeof t->root, "%s", root) >= sizeof t->root) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "watch: the path %s is too long", root);
  }
  snprintf(path, sizeof path, "%s/proc/%d/status", root, (int)(top ? top : self));
  if (access(path, R_OK) != 0) {
    return snug__fail(ctx, errno == ENOENT && top ? SNUG_E_ARGUMENT : SNUG_E_UNSUPPORTED,
                      "watch: %s cannot be read: %s", path, strerror(errno));
  }
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_WATCH, SNUG__TREE_MOST, &t->list));
  snprintf(path, sizeof path, "%s/proc/loadavg", root);
  t->loadavg = open(path, O_RDONLY | O_CLOEXEC);
  t->cursor = last_number(t);
  list_all(t, now);
  for (size_t i = 0; i < t->n; i++) { /* what they reached before is not of this watch */
    t->list[i].was_here = true;
    t->list[i].counted = t->list[i].borrows ? 0 : t->list[i].resident;
  }
  return SNUG_OK;
}

void snug__tree_release(snug__tree *t) {
  while (t->n) {
    forget(t, t->n - 1);
  }
  if (t->list && t->loadavg >= 0) {
    close(t->loadavg);
  }
  SNUG_GIVE_ARRAY(t->ctx, SNUG__MEM_WATCH, t->list, SNUG__TREE_MOST);
  t->list = NULL;
}
