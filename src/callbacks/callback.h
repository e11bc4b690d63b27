/* What Keras's callbacks share.
 *
 * Each is one object: the members that all have (snug__caller), its options as parsed, what it
 * remembers.  What it remembers and a backup must keep is plain bytes, told by its state hook. */
#ifndef SNUG_CALLBACKS_CALLBACK_H
#define SNUG_CALLBACKS_CALLBACK_H

#include "base/fields.h"
#include "snug/callbacks.h"
#include "train/fit.h"

#define SNUG__CONFIG_BYTES 1024   /* longest config */
#define SNUG__UNWRITTEN_BYTES 600 /* longest text of a failure to write, with its NUL */

/* Every object begins with this. */
typedef struct snug__caller {
  snug_ctx *ctx;
  snug_model *model;
  const char *class_name;
  snug_callback_target target; /* its path is the object's own */
  const char *config;          /* as it was given; the object's own */
  bool steers;                 /* the result of a fit depends on it */
  snug_status failure;
  char unwritten[SNUG__UNWRITTEN_BYTES]; /* what could not be written first, and why; "": nothing */
  size_t bytes;                          /* of the object */
} snug__caller;

typedef struct snug__callback_class {
  const char *name;
  size_t bytes; /* of an object */
  const snug__field
      *fields; /* of the options, which lie at `options`; NULL: config is left alone */
  size_t options;
  bool needs_path;
  bool steers; /* the result of a fit depends on it */
  /* Check the options and set the hooks.  Owes nothing if it fails. */
  snug_status (*create)(void *self, const char *config, snug_callback *out);
} snug__callback_class;

extern const snug__callback_class snug__early_stopping, snug__model_checkpoint, snug__reduce_lr,
    snug__lr_scheduler, snug__csv_logger, snug__terminate_on_nan, snug__backup;

/* The object of a callback that is one of Keras's; NULL for those of others. */
const snug__caller *snug__caller_of(const snug_callback *c);

/* Write a message as Keras does: followed by a line break. */
void snug__say(const snug__caller *c, const char *format, ...) SNUG_PRINTF(2, 3);

/* The end of a hook: true if s is OK; otherwise the fit will fail with it. */
bool snug__go_on(snug__caller *c, snug_status s);

/* What came of writing: unless s is OK, it is said once, training continues, and the fit fails
 * with it at its end. */
void snug__cannot_write(snug__caller *c, snug_status s);

/* "a,b,c": the names of logs for a warning, into out (cut to fit). */
void snug__log_names(const snug_logs *logs, char *out, size_t bytes);

/* Whether logs have a value of a name; it goes to *out. */
bool snug__logs_find(const snug_logs *logs, const char *name, double *out);

/* Fails with E_STATE if the learning rate is not a number that can be set. */
snug_status snug__rate_is_free(const snug__caller *c) SNUG_NODISCARD;

/* Bring a config into the form of base/fields: keys with _, key=true for a key alone, the monitor
 * as a key.  Fails: E_ARGUMENT if it is too long. */
snug_status snug__config_spell(snug_ctx *ctx, const char *class_name, const char *config,
                               char out[SNUG__CONFIG_BYTES]) SNUG_NODISCARD;

/* ---- frequency ---- */

/* How often something is done by batches: "epoch" (not at all) or a number.  Fails: E_ARGUMENT. */
snug_status snug__freq_parse(const snug__caller *c, const char *text, int64_t *out) SNUG_NODISCARD;

/* Batches since the last time. */
typedef struct snug__freq {
  int64_t seen;
} snug__freq;

/* Count a batch; true every freq batches, never if freq is 0. */
bool snug__freq_is_due(snug__freq *f, int64_t freq);

/* ---- monitors ---- */

typedef enum snug__mode { SNUG__MODE_AUTO, SNUG__MODE_MIN, SNUG__MODE_MAX } snug__mode;

extern const char *const snug__modes[];

typedef struct snug__monitor {
  char monitor[SNUG__NAME_BYTES];
  int32_t mode; /* snug__mode */
  double min_delta;
  bool is_up;     /* more is better; set by snug__monitor_settle */
  bool is_double; /* Keras compares in the model's float type */
} snug__monitor;

#define SNUG__MONITOR_FIELDS(type, member, delta)                                       \
  {"monitor", SNUG__FIELD_TEXT, offsetof(type, member.monitor), "val_loss", NULL},      \
      {"mode", SNUG__FIELD_CHOICE, offsetof(type, member.mode), "auto", snug__modes}, { \
    "min_delta", SNUG__FIELD_FLOAT, offsetof(type, member.min_delta), (delta), NULL     \
  }

/* Find the direction.  Fails: E_ARGUMENT if it is auto and not known. */
snug_status snug__monitor_settle(const snug__caller *c, snug__monitor *m) SNUG_NODISCARD;

/* The best value so far. */
typedef struct snug__best {
  double value;
  uint64_t is_set; /* as wide as the value: backups hold no padding */
} snug__best;

/* Whether a value improves on a best one; it always does where there is none. */
bool snug__monitor_improves(const snug__monitor *m, double value, snug__best best);

/* ---- path templates ---- */

/* What can stand in a template besides logs. */
typedef struct snug__template_values {
  int64_t epoch; /* from 1 on */
  int64_t batch; /* likewise; 0: not known */
  const snug_logs *logs;
} snug__template_values;

/* Write a template "m.{epoch:02d}-{val_loss:.2f}.keras" with its values as Python's format does.
 * Fails: E_ARGUMENT naming what is wrong or not there. */
snug_status snug__template_fill(snug_ctx *ctx, const char *text, const snug__template_values *v,
                                char *out, size_t bytes) SNUG_NODISCARD;

/* Whether the epoch is the only value in it, or none is. */
bool snug__template_is_by_epoch(const char *text);

/* Check the form alone; names are checked against `names` if that is not NULL. */
snug_status snug__template_check(snug_ctx *ctx, const char *text, const snug_logs *names,
                                 bool has_batch) SNUG_NODISCARD;

#endif
