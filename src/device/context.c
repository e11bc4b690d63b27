/* The making of a context, which has a device. */
#include <stdio.h>

#include "base/struct_size.h"
#include "device/registry.h"

const char *snug_device_name(size_t index) {
  const snug__device *device = snug__device_at(index);
  return device ? device->name : "";
}

snug_status snug_device_check(const char *name, char *why) {
  if (!name || snug__device_find(name)) {
    return SNUG_OK;
  }
  int n = why ? snprintf(why, SNUG_DEVICE_TEXT, "there is no device '%.60s' here; there is: %s",
                         name, snug_device_name(0))
              : 0;
  for (size_t i = 1; why && n < SNUG_DEVICE_TEXT && *snug_device_name(i); i++) {
    n += snprintf(why + n, (size_t)(SNUG_DEVICE_TEXT - n), ", %s", snug_device_name(i));
  }
  return SNUG_E_UNSUPPORTED;
}

static snug_status open_device(snug_ctx *ctx, const char *name) {
  const snug__device *device = name ? snug__device_find(name) : snug__device_at(0);
  if (!device) {
    return SNUG_E_UNSUPPORTED;
  }
  ctx->queue = (snug__queue){.ctx = ctx, .device = device};
  ctx->target = device->target(ctx);
  return device->open(&ctx->queue);
}

snug_status snug_ctx_create(const snug_options *options, snug_ctx **out) {
  snug_options o;
  SNUG_TRY(snug__ctx_make(options, out));
  snug_status s = SNUG__READ(NULL, snug_options, options, &o);
  s = s ? s : open_device(*out, o.device);
  if (s) {
    snug__ctx_end(*out);
    *out = NULL;
  }
  return s;
}

void snug_ctx_destroy(snug_ctx *ctx) {
  if (ctx) {
    ctx->queue.device->close(&ctx->queue);
    snug__ctx_end(ctx);
  }
}
