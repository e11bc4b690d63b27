/* Whether what a file holds has room in the process (base/gate.h), before it is read, and the
 * message where it has not: how much is needed, for what, and the way out. */
#ifndef SNUG_KERAS_LOAD_ROOM_H
#define SNUG_KERAS_LOAD_ROOM_H

#include "keras/archive.h"
#include "keras/state.h"

#define SNUG__KERAS_WEIGHTS "model.weights.h5"

/* Before it was built so far that its parts are known: what the file holds and what will be read of
 * it comes on top of what the process came to. */
snug_status snug__load_fail_early(const snug__archive *a, snug_ctx *ctx, const char *path,
                                  const snug_load_options *options, uint64_t before);

/* Before it is compiled, which asks kernels about its shapes: whether there is room for weights. */
snug_status snug__load_check_weights(const snug__archive *a, const snug_model *m, const char *path,
                                     const snug_load_options *options) SNUG_NODISCARD;

/* Before a weight is read: whether there is room for all that will be. */
snug_status snug__load_check_room(const snug_model *m, snug__h5 *h5) SNUG_NODISCARD;

#endif
