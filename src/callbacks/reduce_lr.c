/* ReduceLROnPlateau: a smaller learning rate when a value gets no better. */
#include "base/number.h"
#include "callbacks/callback.h"

typedef struct options {
  snug__monitor watch;
  double factor, min_lr;
  int64_t patience, cooldown;
} options;

typedef struct memory {
  snug__best best;
  int64_t wait, cooldown;
} memory;

typedef struct reduce_lr {
  snug__caller base;
  options o;
  memory m;
  double rate; /* for the logs: as it was during the epoch */
} reduce_lr;

static const snug__field fields[] = {
    SNUG__MONITOR_FIELDS(options, watch, "1e-4"), SNUG_FIELD(options, factor, FLOAT, "0.1"),
    SNUG_FIELD(options, patience, INT, "10"),     SNUG_FIELD(options, cooldown, INT, "0"),
    SNUG_FIELD(options, min_lr, FLOAT, "0"),      {0}};

static snug_status prepare(void *user) {
  reduce_lr *r = user;
  SNUG_TRY(snug__rate_is_free(&r->base));
  return snug__monitor_settle(&r->base, &r->o.watch);
}

static void *state(void *user, size_t *bytes) {
  reduce_lr *r = user;
  *bytes = sizeof r->m;
  return &r->m;
}

static bool train_begin(void *user, int64_t epochs, int64_t steps) {
  reduce_lr *r = user;
  (void)epochs;
  (void)steps;
  r->m = (memory){0};
  return true;
}

/* The new rate is told as the product in double, and set as float32. */
static snug_status reduce(reduce_lr *r, int64_t epoch) {
  char text[SNUG__NUMBER_BYTES];
  if (!(r->rate > (double)(float)r->o.min_lr)) {
    return SNUG_OK;
  }
  double rate = r->rate * r->o.factor;
  rate = rate > r->o.min_lr ? rate : r->o.min_lr;
  SNUG_TRY(snug_model_set_learning_rate(r->base.model, rate));
  r->m.cooldown = r->o.cooldown;
  r->m.wait = 0;
  snug__say(&r->base, "\nEpoch %lld: ReduceLROnPlateau reducing learning rate to %s.",
            (long long)epoch + 1, snug__print_repr(rate, text));
  return SNUG_OK;
}

/* As in Keras, where the logs have the rate already when they are shown here. */
static void warn_missing(const reduce_lr *r, const snug_logs *logs) {
  char names[512];
  double value = 0.0;
  snug__log_names(logs, names, sizeof names);
  snug__say(&r->base,
            "Learning rate reduction is conditioned on metric `%s` which is not available. "
            "Available metrics are: %s%s.",
            r->o.watch.monitor, names,
            snug__logs_find(logs, "learning_rate", &value) ? "" : ",learning_rate");
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  reduce_lr *r = user;
  double value = 0.0;
  r->rate = snug_model_learning_rate(r->base.model);
  if (!snug__logs_find(logs, r->o.watch.monitor, &value)) {
    warn_missing(r, logs);
    return true;
  }
  if (r->m.cooldown > 0) {
    r->m.cooldown--;
    r->m.wait = 0;
  }
  if (snug__monitor_improves(&r->o.watch, value, r->m.best)) {
    r->m.best = (snug__best){value, true};
    r->m.wait = 0;
  } else if (r->m.cooldown == 0 && ++r->m.wait >= r->o.patience) {
    return snug__go_on(&r->base, reduce(r, epoch));
  }
  return true;
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  reduce_lr *r = self;
  (void)config;
  if (!(r->o.factor < 1.0) || r->o.factor < 0.0 || r->o.min_lr < 0.0 || r->o.patience < 0 ||
      r->o.cooldown < 0) {
    return snug__fail(
        r->base.ctx, SNUG_E_ARGUMENT,
        "ReduceLROnPlateau: factor=%g must be 0 or more and below 1; min_lr, patience "
        "and cooldown 0 or more",
        r->o.factor);
  }
  out->prepare = prepare;
  out->state = state;
  out->train_begin = train_begin;
  out->epoch_end = epoch_end;
  out->adds = "learning_rate";
  out->added = &r->rate;
  return SNUG_OK;
}

const snug__callback_class snug__reduce_lr = {.name = "ReduceLROnPlateau",
                                              .steers = true,
                                              .bytes = sizeof(reduce_lr),
                                              .fields = fields,
                                              .options = offsetof(reduce_lr, o),
                                              .create = create};
