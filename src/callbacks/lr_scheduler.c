/* LearningRateScheduler: the learning rate of each epoch, from a table or a schedule. */
#include <ctype.h>

#include "base/number.h"
#include "callbacks/callback.h"
#include "model/schedule.h"

#define MOST_ROWS 64

/* From an epoch on, a rate. */
typedef struct row {
  int64_t epoch;
  double rate;
} row;

typedef struct lr_scheduler {
  snug__caller base;
  row rows[MOST_ROWS]; /* the table, epochs rising; before the first of them the rate is left alone
                        */
  size_t n_rows;
  snug__schedule schedule; /* if there is no table */
  double rate;             /* for the logs */
} lr_scheduler;

static void skip_blanks(const char **at) {
  while (isspace((unsigned char)**at)) {
    (*at)++;
  }
}

/* One "epoch:rate". */
static bool read_row(const char **at, row *out) {
  if (!snug__read_int(at, &out->epoch) || **at != ':') {
    return false;
  }
  (*at)++;
  return snug__read_float(at, &out->rate) && out->rate >= 0.0;
}

static snug_status read_table(lr_scheduler *l, const char *config) {
  const char *at = config;
  bool is_good = true;
  while (is_good && *at && l->n_rows < MOST_ROWS) {
    row *r = &l->rows[l->n_rows++];
    is_good = read_row(&at, r) && r->epoch >= 0 && (r == l->rows || r->epoch > r[-1].epoch);
    skip_blanks(&at);
    is_good = is_good && (*at == ',' || *at == 0);
    at += is_good && *at == ',';
    skip_blanks(&at);
  }
  return is_good && !*at && l->n_rows > 0
             ? SNUG_OK
             : snug__fail(l->base.ctx, SNUG_E_ARGUMENT,
                          "LearningRateScheduler: '%.60s' is no table: it must be epoch:rate, "
                          "epoch:rate with rising epochs from 0 on and at most %d of them, as "
                          "0:0.1,10:0.01",
                          config, MOST_ROWS);
}

/* The rate of an epoch; of one before the table, the rate that is set. */
static double rate_of(const lr_scheduler *l, int64_t epoch) {
  double rate = snug_model_learning_rate(l->base.model);
  if (l->schedule.kind) {
    return snug__schedule_rate(&l->schedule, epoch);
  }
  for (size_t i = 0; i < l->n_rows && l->rows[i].epoch <= epoch; i++) {
    rate = l->rows[i].rate;
  }
  return rate;
}

static snug_status prepare(void *user) {
  const lr_scheduler *l = user;
  return snug__rate_is_free(&l->base);
}

static bool epoch_begin(void *user, int64_t epoch) {
  lr_scheduler *l = user;
  char text[SNUG__NUMBER_BYTES];
  double rate = rate_of(l, epoch);
  if (!snug__go_on(&l->base, snug_model_set_learning_rate(l->base.model, rate))) {
    return false;
  }
  snug__say(&l->base, "\nEpoch %lld: LearningRateScheduler setting learning rate to %s.",
            (long long)epoch + 1, snug__print_repr(rate, text));
  return true;
}

static bool epoch_end(void *user, int64_t epoch, const snug_logs *logs) {
  lr_scheduler *l = user;
  (void)epoch;
  (void)logs;
  l->rate = snug_model_learning_rate(l->base.model);
  return true;
}

static snug_status create(void *self, const char *config, snug_callback *out) {
  lr_scheduler *l = self;
  skip_blanks(&config);
  SNUG_TRY(isalpha((unsigned char)*config) ? snug__schedule_parse(l->base.ctx, config, &l->schedule)
                                           : read_table(l, config));
  out->prepare = prepare;
  out->epoch_begin = epoch_begin;
  out->epoch_end = epoch_end;
  out->adds = "learning_rate";
  out->added = &l->rate;
  return SNUG_OK;
}

const snug__callback_class snug__lr_scheduler = {.name = "LearningRateScheduler",
                                                 .steers = true,
                                                 .bytes = sizeof(lr_scheduler),
                                                 .create = create};
