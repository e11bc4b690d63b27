/* Reading and writing the bytes of variables: the one way for all rooms above exec.
 *
 * Where the memory of the device is the host's, they are read and written in place.  Elsewhere they
 * go through staging memory: one place for all large variables, which they use in turn, and places
 * of their own for the small states (metrics, counters), of which several are looked at together.
 */
#include "base/ctx.h"
#include "base/size.h"
#include "base/store.h"
#include "device/device.h"
#include "model/variables.h"
#include "ops/relayout.h"

#define SMALL_BYTES 4096

static int64_t bytes_of(const snug__variable *v) {
  snug__type stored = snug__variable_stored(v);
  return snug__type_bytes(&stored);
}

/* ---- staging ---- */

static bool is_small(const snug__variable *v) {
  return v->kind == SNUG__STATE && bytes_of(v) <= SMALL_BYTES;
}

/* Where the staging of a variable is: the small ones are behind the place that the others share, so
 * weights have theirs whatever states there are. */
static int64_t staged_at(const snug__variables *vs, const snug__variable *v, int64_t *end) {
  int64_t small = 0, large = 0, at = 0;
  for (snug__id i = 0; i < vs->list.n; i++) {
    const snug__variable *x = snug__variable_at(vs, i);
    const int64_t bytes = snug__round_up(bytes_of(x), SNUG__BLOCK_ALIGN);
    at = x == v ? small : at;
    small += is_small(x) ? bytes : 0;
    large = is_small(x) ? large : snug__max_i64(large, bytes);
  }
  *end = small + large;
  return v && is_small(v) ? large + at : 0;
}

static int64_t staging_bytes(const snug__variables *vs) {
  int64_t end = 0;
  if (!vs->ctx->queue.device->is_host) {
    staged_at(vs, NULL, &end);
  }
  return end;
}

int64_t snug__variables_stage_cost(const snug__variables *vs) {
  return snug__max_i64(0, staging_bytes(vs) - vs->staging_bytes);
}

snug_status snug__variables_stage(snug__variables *vs) {
  const int64_t bytes = staging_bytes(vs);
  if (bytes <= vs->staging_bytes) {
    return SNUG_OK;
  }
  snug__give(vs->ctx, SNUG__MEM_MODEL, vs->staging, (size_t)vs->staging_bytes);
  vs->staging = NULL;
  vs->staging_bytes = 0;
  SNUG_TRY(snug__take(vs->ctx, SNUG__MEM_MODEL, (size_t)bytes, (void **)&vs->staging));
  vs->staging_bytes = bytes;
  return SNUG_OK;
}

/* ---- reading and writing ---- */

void *snug__variable_host(const snug__variables *vs, const snug__variable *v) {
  int64_t end = 0;
  return vs->ctx->queue.device->is_host ? snug__device_host(&vs->ctx->queue, v->place)
                                        : vs->staging + staged_at(vs, v, &end);
}

static snug_status finish(const snug__variable *v, int64_t ticket) {
  return snug__store_wait(v->home.store, ticket) ? snug__store_fail(v->home.store, v->name)
                                                 : SNUG_OK;
}

snug_status snug__variable_read(const snug__variables *vs, const snug__variable *v, void **bytes) {
  const snug__home *h = &v->home;
  *bytes = snug__variable_host(vs, v);
  if (!vs->ctx->queue.device->is_host) {
    snug__device_read(&vs->ctx->queue, *bytes, v->place, bytes_of(v));
  }
  return h->store ? finish(v, snug__store_read(h->store, *bytes, h->offset, bytes_of(v))) : SNUG_OK;
}

snug_status snug__variable_write(const snug__variables *vs, const snug__variable *v) {
  const snug__home *h = &v->home;
  const void *bytes = snug__variable_host(vs, v);
  if (!vs->ctx->queue.device->is_host) {
    snug__device_write(&vs->ctx->queue, v->place, bytes, bytes_of(v));
  }
  return h->store ? finish(v, snug__store_write(h->store, bytes, h->offset, bytes_of(v))) : SNUG_OK;
}

void snug__variable_clear(const snug__variables *vs, const snug__variable *v) {
  snug__queue *q = &vs->ctx->queue;
  q->device->fill(q, v->place, 0, bytes_of(v));
}

/* Through memory of its own, since large variables share their staging. */
static snug_status copy_staged(const snug__variables *vs, const snug__variable *to,
                               const snug__variable *from) {
  const snug__type here = snug__variable_stored(to);
  const snug__type there = snug__variable_stored(from);
  const size_t bytes = (size_t)snug__type_bytes(&there);
  void *content = NULL;
  SNUG_TRY(snug__take(vs->ctx, SNUG__MEM_SCRATCH, bytes, &content));
  snug__device_read(&vs->ctx->queue, content, from->place, (int64_t)bytes);
  snug__relayout(&there, content, &here, snug__variable_host(vs, to));
  snug__give(vs->ctx, SNUG__MEM_SCRATCH, content, bytes);
  return snug__variable_write(vs, to);
}

snug_status snug__variable_copy(const snug__variables *vs, const snug__variable *to,
                                const snug__variable *from) {
  const snug__type here = snug__variable_stored(to);
  const snug__type there = snug__variable_stored(from);
  snug__queue *q = &vs->ctx->queue;
  if (q->device->is_host) {
    snug__relayout(&there, snug__variable_host(vs, from), &here, snug__variable_host(vs, to));
    return SNUG_OK;
  }
  if (here.layout != there.layout) {
    return copy_staged(vs, to, from);
  }
  q->device->copy(q, to->place, from->place, bytes_of(from));
  snug__queue_settle(q);
  return SNUG_OK;
}
