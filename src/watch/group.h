/* The memory control groups of a tree: their limit, their peak, and whom the kernel killed in them.
 *
 * A process may be put into another group while it runs, and its group may be gone when it has
 * ended: groups are looked at while their processes live.  A few are kept; of a tree in more groups
 * than that the later ones are not reported. */
#ifndef SNUG_WATCH_GROUP_H
#define SNUG_WATCH_GROUP_H

#include "watch/tree.h"

#define SNUG__GROUPS_MOST 8
#define SNUG__PLACES_MOST 32

typedef struct snug__group {
  char path[SNUG_WATCH_PATH];   /* the folder of the group that a process is in */
  bool unified;                 /* version 2 */
  char ruling[SNUG_WATCH_PATH]; /* the folder of the group that limits it, itself or around it */
  uint64_t limit;
  uint64_t peak_before, peak; /* of the ruling one; UNTOLD: not reported */
  uint64_t kills_before, kills;
  uint64_t cache; /* of the ruling one, the most that was seen; UNTOLD: not reported */
} snug__group;

typedef struct snug__group_list {
  snug__group list[SNUG__GROUPS_MOST];
  size_t n;
  uint64_t places[SNUG__PLACES_MOST]; /* what was noted already: hashes of /proc/N/cgroup */
  size_t n_places;
  uint64_t machine_before, machine; /* kills on the whole machine */
  char root[SNUG__TREE_ROOT];
} snug__group_list;

void snug__group_list_init(snug__group_list *g, const char *root);

/* Note the group of a process. */
void snug__group_list_note(snug__group_list *g, int32_t process);

/* Read the figures again; `machine`: that of the machine too, which is dear. */
void snug__group_list_read(snug__group_list *g, bool machine);

/* The group to tell of: the one in which processes were killed, else the first. */
void snug__group_list_tell(const snug__group_list *g, snug_watch_report *out);

#endif
