/* In the place of dnn.c in a build without oneDNN: there is no kernel for anything. */
#include "base/ctx.h"
#include "device/cpu/dnn.h"

bool snug__dnn_has(const snug__dnn_conv *conv) {
  (void)conv;
  return false;
}

snug_status snug__dnn_create(snug_ctx *ctx, const snug__dnn_conv *conv, snug__dnn **out) {
  (void)conv;
  *out = NULL;
  return snug__fail(ctx, SNUG_E_UNSUPPORTED, "this build has no oneDNN");
}

void snug__dnn_destroy(snug_ctx *ctx, snug__dnn *dnn) { (void)ctx, (void)dnn; }

void snug__dnn_forget(void) {}

int64_t snug__dnn_scratch_bytes(const snug__dnn *dnn) {
  (void)dnn;
  return 0;
}

int64_t snug__dnn_scratch_for(const snug__dnn_conv *conv) {
  (void)conv;
  return 0;
}

const char *snug__dnn_name(const snug__dnn *dnn) {
  (void)dnn;
  return "";
}

snug_status snug__dnn_run(const snug__dnn *dnn, const snug__call *call,
                          const snug__dnn_args *args) {
  (void)dnn, (void)args;
  *call->fault = (snug__fault){.what = "this build has no oneDNN"};
  return SNUG_E_DATA;
}
