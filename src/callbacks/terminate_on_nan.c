/* TerminateOnNaN: stop when the loss is no number any more. */
#include <math.h>

#include "callbacks/callback.h"

typedef struct options {
  bool raise_error;
} options;

typedef struct terminate_on_nan {
  snug__caller base;
  options o;
} terminate_on_nan;

static const snug__field fields[] = {SNUG_FIELD(options, raise_error, BOOL, "false"), {0}};

static bool batch_end(void *user, int64_t batch, const snug_logs *logs) {
  terminate_on_nan *t = user;
  double loss = 0.0;
  if (!snug__logs_find(logs, "loss", &loss) || isfinite(loss)) {
    return true;
  }
  if (t->o.raise_error) {
    return snug__go_on(&t->base, snug__fail(t->base.ctx, SNUG_E_DATA,
                                            "NaN or Inf loss encountered at batch %lld. Loss "
                                            "value: %g. Terminating training immediately.",
                                            (long long)batch, loss));
  }
  snug__say(&t->base, "Batch %lld: Invalid loss, terminating training", (long long)batch);
  return false;
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  (void)self;
  (void)config;
  out->batch_end = batch_end;
  return SNUG_OK;
}

const snug__callback_class snug__terminate_on_nan = {.name = "TerminateOnNaN",
                                                     .steers = true,
                                                     .bytes = sizeof(terminate_on_nan),
                                                     .fields = fields,
                                                     .options = offsetof(terminate_on_nan, o),
                                                     .create = create};
