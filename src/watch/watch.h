/* A watch from the inside: the tree, what is known of it, and when to look again. */
#ifndef SNUG_WATCH_WATCH_H
#define SNUG_WATCH_WATCH_H

#include "watch/curve.h"
#include "watch/gpu.h"
#include "watch/group.h"
#include "watch/peak.h"
#include "watch/record.h"
#include "watch/split.h"
#include "watch/tree.h"

struct snug_watch {
  snug_ctx *ctx;
  double interval;
  uint64_t maximum;
  bool adopts; /* orphans come to this process since the watch began, and no longer behind it */
  bool exceeded;
  snug__tree tree;
  snug__peak peak;
  snug__splits splits;
  snug__group_list groups;
  snug__curve curve;
  snug__gpu gpu;
  snug__tape tape;
  uint64_t samples;
  double began, now;          /* now: of the last look */
  double next;                /* when to look again */
  double sampled, asked;      /* the last sample; when groups were last read */
  double confirmed;           /* when the maximum was last held against a fresh reading of pages */
  double spent, credit, paid; /* processor time: in all, that may be spent, settled until */
};

/* The same as the public ones, on a machine whose files lie under `root` and at a time that is
 * told. */
snug_status snug__watch_create_at(snug_ctx *ctx, const char *root,
                                  const snug_watch_options *options, double now,
                                  snug_watch **out) SNUG_NODISCARD;
double snug__watch_look_at(snug_watch *w, double now);

#endif
