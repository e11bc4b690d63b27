/* The memory of the device of a context, by its name. */
#include <string.h>

#include "base/ctx.h"
#include "base/struct_size.h"
#include "device/device.h"

size_t snug_memory_devices(const snug_ctx *ctx) { return ctx ? 1 : 0; }

const char *snug_memory_device_name(const snug_ctx *ctx, size_t index) {
  return ctx && index == 0 ? ctx->queue.device->name : "";
}

static snug_status find_device(snug_ctx *ctx, const char *name) {
  const char *own = ctx->queue.device->name;
  if (name && strcmp(name, own) == 0) {
    return SNUG_OK;
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "there is no device \"%s\" here; there is: %s",
                    name ? name : "", own);
}

snug_status snug_memory_device_get(snug_ctx *ctx, const char *device, snug_memory_info *out) {
  if (!ctx || !out) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(find_device(ctx, device));
  SNUG_TRY(SNUG__CHECK(ctx, snug_memory_info, out));
  snug_memory_get(ctx, out);
  return SNUG_OK;
}

snug_status snug_memory_preallocate(snug_ctx *ctx, const char *device, uint64_t bytes) {
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(find_device(ctx, device));
  uint64_t held = ctx->account.total - ctx->account.current[SNUG__MEM_CONTEXT];
  if (held) {
    return snug__fail(ctx, SNUG_E_STATE,
                      "preallocating %llu bytes of %s comes too late: %llu are held already; it is "
                      "to be done before the first model of the context is made",
                      (unsigned long long)bytes, device, (unsigned long long)held);
  }
  if (bytes > SIZE_MAX) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "%llu bytes are more than can be preallocated",
                      (unsigned long long)bytes);
  }
  return snug__preallocate(ctx, (size_t)bytes);
}
