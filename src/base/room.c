/* Each rule is turned into the same question: how many bytes may be resident in this process at one
 * time?  What it holds already is part of that; what others hold is not. */
#include "base/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/groups.h"
#include "base/number.h"
#include "base/process.h"

#define PATH_BYTES 4096
#define TEXT_BYTES 8192
#define PATH_SHOWN 160
#define NONE SNUG__NO_NUMBER

/* A search for the least. */
typedef struct search {
  snug__process self;
  snug_available *least;
} search;

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* Whether this many bytes are less than what was found so far; they are kept then. */
static bool is_least(search *s, uint64_t bytes) {
  if (bytes >= s->least->bytes) {
    return false;
  }
  s->least->bytes = bytes;
  return true;
}

/* ---- control groups ---- */

/* Bytes that a group is charged for though nobody holds them, as each processor takes them in
 * advance; and by as much the figures of a process are behind, of which each processor counts some.
 */
#define CHARGED_AHEAD_PER_CPU (UINT64_C(32) * 4096)
#define BEHIND_PER_CPU (UINT64_C(32) * 4096)

/* What the kernel charges for itself to a group with one small process. */
#define KERNEL_BYTES (UINT64_C(64) << 10)

static uint64_t held_by_nobody(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return (n > 0 ? (uint64_t)n : 1) * (CHARGED_AHEAD_PER_CPU + BEHIND_PER_CPU) + KERNEL_BYTES;
}

/* What the group holds and cannot drop at once, without this process.  Pages of files can be read
 * again: the kernel gives them up before it refuses anybody.  Where nobody else is in the group,
 * files in memory may still be. */
static uint64_t held_by_others(const search *s, const char *group, bool unified) {
  char stat[TEXT_BYTES] = "";
  snug__group_read(group, "memory.stat", stat, sizeof stat);
  if (snug__group_is_alone(group)) {
    return less(snug__number_of(stat, unified ? "shmem " : "total_shmem ", 0), s->self.shared);
  }
  uint64_t held =
      snug__group_number(group, unified ? "memory.current" : "memory.usage_in_bytes", 0);
  uint64_t files = snug__number_of(stat, unified ? "inactive_file " : "total_inactive_file ", 0) +
                   snug__number_of(stat, unified ? "active_file " : "total_active_file ", 0);
  uint64_t own =
      s->self.anonymous + s->self.shared + s->self.tables + snug__process_kernel(&s->self);
  uint64_t others = less(less(held, files), own);
  return others > held_by_nobody() ? others : 0;
}

static void look_at_group(void *arg, const char *group, bool unified) {
  search *s = arg;
  char whole[SNUG__NUMBER_BYTES];
  char others[SNUG__NUMBER_BYTES];
  uint64_t limit =
      snug__group_number(group, unified ? "memory.max" : "memory.limit_in_bytes", NONE);
  uint64_t high = unified ? snug__group_number(group, "memory.high", NONE) : NONE;
  limit = high < limit ? high : limit;
  if (limit == NONE) {
    return;
  }
  uint64_t taken = held_by_others(s, group, unified);
  if (is_least(s, less(limit, taken))) {
    snprintf(s->least->who, sizeof s->least->who,
             taken ? "cgroup %.*s: %s, others hold %s" : "cgroup %.*s: %s", PATH_SHOWN, group,
             snug__print_bytes(limit, whole), snug__print_bytes(taken, others));
  }
}

/* ---- resource limits ---- */

/* A limit that counts addresses, touched or not: what is mapped and not resident is lost for it. */
static void look_at_limit(search *s, const char *limits, const char *line, const char *name,
                          uint64_t mapped) {
  char whole[SNUG__NUMBER_BYTES];
  char idle[SNUG__NUMBER_BYTES];
  uint64_t limit = snug__number_of(limits, line, NONE);
  uint64_t untouched = less(mapped, s->self.resident);
  if (limit != NONE && is_least(s, less(limit, untouched))) {
    snprintf(s->least->who, sizeof s->least->who, "%s: %s, %s of it mapped and not resident", name,
             snug__print_bytes(limit, whole), snug__print_bytes(untouched, idle));
  }
}

static void look_at_limits(search *s, const char *root) {
  char path[PATH_BYTES];
  char text[TEXT_BYTES];
  snprintf(path, sizeof path, "%s/proc/self/limits", root);
  if (snug__read_start(path, text, sizeof text)) {
    look_at_limit(s, text, "Max address space", "RLIMIT_AS", s->self.mapped);
    look_at_limit(s, text, "Max data size", "RLIMIT_DATA", s->self.data);
  }
}

/* ---- the machine ---- */

static void look_at_machine(search *s, const char *root) {
  char path[PATH_BYTES];
  char text[TEXT_BYTES];
  char free_[SNUG__NUMBER_BYTES];
  char held[SNUG__NUMBER_BYTES];
  snprintf(path, sizeof path, "%s/proc/meminfo", root);
  uint64_t kib = snug__read_start(path, text, sizeof text)
                     ? snug__number_of(text, "MemAvailable:", NONE)
                     : NONE;
  if (kib < NONE / 1024 && is_least(s, kib * 1024 + s->self.resident)) {
    snprintf(s->least->who, sizeof s->least->who, "MemAvailable: %s, and %s held already",
             snug__print_bytes(kib * 1024, free_), snug__print_bytes(s->self.resident, held));
  }
}

bool snug__room_find(const char *root, snug_available *out) {
  search s = {.least = out};
  *out = (snug_available){.struct_size = sizeof(snug_available), .bytes = NONE};
  snug__process_read(root, &s.self);
  snug__process_ask_groups(root, &s.self);
  snug__groups_walk(root, "memory", look_at_group, &s);
  look_at_limits(&s, root);
  look_at_machine(&s, root);
  return out->bytes < NONE;
}
