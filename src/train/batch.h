/* One batch on its way through the programs of a session: whole, or in micro-batches. */
#ifndef SNUG_TRAIN_BATCH_H
#define SNUG_TRAIN_BATCH_H

#include "train/feed.h"

/* Run the batch of a feed that was taken, number `batch`, with the programs of its slot, and give
 * it back.  In micro-batches: count the divisors of the losses if that is needed, run micro-batch
 * after micro-batch, update.  Fails as snug__program_run does. */
snug_status snug__batch_run(snug__session *s, snug__feed *feed, snug__slot slot,
                            int64_t batch) SNUG_NODISCARD;

#endif
