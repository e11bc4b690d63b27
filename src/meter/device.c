/* The memory of devices, by their names.  There is one so far: the processor, whose memory is the
 * host's. */
#include <string.h>

#include "base/ctx.h"

static const char *const devices[] = {"cpu"};

size_t snug_memory_devices(const snug_ctx *ctx) { return ctx ? SNUG_COUNT(devices) : 0; }

const char *snug_memory_device_name(const snug_ctx *ctx, size_t index) {
  return ctx && index < SNUG_COUNT(devices) ? devices[index] : "";
}

static snug_status find_device(snug_ctx *ctx, const char *name) {
  if (name && strcmp(name, devices[0]) == 0) {
    return SNUG_OK;
  }
  return snug__fail(ctx, SNUG_E_ARGUMENT, "there is no device \"%s\" here; there is: %s",
                    name ? name : "", devices[0]);
}

snug_status snug_memory_device_get(snug_ctx *ctx, const char *device, snug_memory_info *out) {
  if (!ctx || !out) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(find_device(ctx, device));
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
