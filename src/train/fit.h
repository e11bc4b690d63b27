/* A fit in the making: everything that is known and made before step 1. */
#ifndef SNUG_TRAIN_FIT_H
#define SNUG_TRAIN_FIT_H

#include "pass/assign_layouts.h"
#include "pass/kernel_list.h"
#include "planning/planning.h"
#include "snug/plan.h"
#include "train/alive.h"
#include "train/feed.h"
#include "train/history.h"

/* Where a fit stands between two steps: with the variables, the history and what callbacks
 * remember, all that it takes to go on from there. */
typedef struct snug__position {
  int64_t epoch, step; /* the next ones */
  uint64_t pass;       /* over the data; goes on across epochs where there are steps_per_epoch */
  int64_t batch;       /* the next in this pass */
  bool stopped;        /* callbacks want no further epoch */
} snug__position;

/* Keeping a fit on disk.  Not hooks of a callback: a backup comes after all callbacks have had
 * their say, whatever their order. */
typedef struct snug__keeper {
  void *user;
  snug_status (*plan)(void *user, struct snug__fit *f); /* before one is chosen: see kept.is_kept */
  snug_status (*resume)(void *user, struct snug__fit *f); /* before the first epoch */
  snug_status (*after_batch)(void *user, struct snug__fit *f, bool goes_on);
  snug_status (*after_epoch)(void *user, struct snug__fit *f);
  snug_status (*without_data)(void *user, struct snug__fit *f); /* the next batch cannot be read */
  snug_status (*finish)(void *user);                            /* the fit came to its end */
} snug__keeper;

/* Who is told when callbacks begin and end to save the model or the fit. */
typedef struct snug__saving {
  void *user;
  void (*tell)(void *user, bool begins); /* NULL: nobody */
} snug__saving;

/* The plan of a backup, which a fit that goes on keeps. */
typedef struct snug__kept {
  bool is_kept;     /* the choice is that of a backup: nothing is chosen */
  int64_t window;   /* samples to shuffle in, as snug__feed_window */
  uint64_t line;    /* the least line that took it; 0: none */
  uint64_t kernels; /* key of the list of the kernels that run, if a backup is kept */
} snug__kept;

typedef struct snug__fit {
  snug_model *model;
  snug_fit_options options; /* with the defaults filled in */
  snug__given given, held;  /* the data, and those to validate with */
  snug__session session;
  snug__planned plan; /* how its steps are run */
  snug__kept kept;
  struct snug__augment *augment; /* of what is trained on; NULL: none */
  snug__feed train, validation;
  bool has_validation;
  int64_t steps;   /* per epoch */
  bool *has_class; /* of the train feed; NULL: all is told of the classes */
  snug__position at;
  snug_history *history;
  snug__alive alive;          /* at the peak of the session as it is made */
  snug_scope since_sample;    /* if memory is recorded */
  bool has_run[SNUG__PHASES]; /* since then */
  const char **log_names;     /* the values as callbacks see them; room for all that there can be */
  double *log_values;
  size_t n_metrics, n_logs, log_room;
  int32_t n_prepared;         /* callbacks that are to be closed */
  const snug__keeper *keeper; /* NULL: nothing is kept */
  bool is_through;            /* the training came to its end */
  snug_status late;           /* what a callback could not write first; the training goes on */
  char late_message[SNUG__MESSAGE_BYTES];
  snug__saving saving;
  bool has_kernels;
  snug__kernel_list kernels; /* that are fixed, if so */
  struct snug__fit *outer;   /* the fit that is open around this one, in a callback of its */
  snug_scope scope;          /* measures the peak of this fit */
  uint64_t scratch;          /* bytes of scratch that others held when it was opened */
} snug__fit;

/* A callback of a fit as this library knows it, in a program of any version. */
snug_callback snug__callback_at(const snug_fit_options *options, int32_t i);

/* Check the data and options, make programs and history, and plan the peak (history->memory).
 * Allocates all but what snug__session_commit takes.  Fails as snug_fit does; nothing is owed then.
 */
snug_status snug__fit_open(snug__fit *f, snug_model *m, const snug_data *data,
                           const snug_fit_options *options) SNUG_NODISCARD;

/* In fit_notes.c: tell what options of an open fit have no effect.  Fails: E_MEMORY, E_LIMIT. */
snug_status snug__fit_note_options(snug__fit *f) SNUG_NODISCARD;

/* The same of class weights whose labels are read as they are needed, once all were. */
void snug__fit_note_classes(snug__fit *f);
void snug__fit_forget_classes(snug__fit *f);

/* Show the plan of an open fit to whom its options name; its bytes are part of what is planned.
 * Fails: E_STOPPED when that does not want it, E_MEMORY. */
snug_status snug__fit_show_plan(snug__fit *f) SNUG_NODISCARD;

/* Give everything back; *history (may be NULL) takes the history if s is OK. */
void snug__fit_close(snug__fit *f, snug_status s, snug_history **history);

/* In fit_kernels.c: read the kernels that the options fix.  Fails as snug__kernel_list_read.
 * Freeing is needed in any case. */
snug_status snug__fit_fix_kernels(snug__fit *f) SNUG_NODISCARD;
void snug__fit_free_kernels(snug__fit *f);

/* What the innermost open fit of a model says of kernels, also for what is run in its callbacks:
 * the list that is fixed, and the most scratch. */
snug__kernel_rules snug__fit_rules(const snug_model *m);

/* Make the session that a choice says, and measure it (history->memory). */
snug_status snug__fit_make_session(snug__fit *f, const snug__step_choice *choice) SNUG_NODISCARD;

/* Of the list of the kernels that the session runs: a key.  Fails: E_MEMORY. */
snug_status snug__fit_kernels_key(const snug__fit *f, uint64_t *out) SNUG_NODISCARD;

/* The loop itself, in loop.c. */
snug_status snug__fit_run(snug__fit *f) SNUG_NODISCARD;

/* A callback could not write something; the message of the context says what.  The training goes
 * on, and the fit fails with that at its end. */
void snug__fit_fails_late(snug__fit *f, snug_status s);

/* A callback begins or ends to save. */
static inline void snug__fit_saves(const snug__fit *f, bool begins) {
  if (f->saving.tell) {
    f->saving.tell(f->saving.user, begins);
  }
}

/* Run `steps` batches of a feed through test programs and leave the results in the metrics (also
 * for evaluate). */
snug_status snug__test_run(snug__session *s, snug__feed *feed, snug__slot slot,
                           int64_t steps) SNUG_NODISCARD;

/* In fit_feeds.c: split the data into feeds and open them, when the options are filled in.  Fails:
 * E_DATA, E_ARGUMENT, and as snug__feeds_open.  Close is due in any case; the report is of open
 * ones. */
snug_status snug__fit_open_feeds(snug__fit *f, const snug_data *data) SNUG_NODISCARD;
void snug__fit_close_feeds(snug__fit *f);

/* Open them once more, with a window of so many samples to shuffle in.  Fails: E_STATE if the data
 * come in another order now, and as snug__feeds_open. */
snug_status snug__fit_fix_window(snug__fit *f, int64_t window) SNUG_NODISCARD;
void snug__fit_report_feeds(const snug__fit *f, snug_data_report *out);

/* In logs.c: the logs of a batch (the metrics so far) or of an epoch, and one more value of the
 * epoch, which the running row of the history gets too. */
snug_status snug__logs_of_batch(snug__fit *f, snug_logs *logs) SNUG_NODISCARD;
void snug__logs_start_epoch(snug__fit *f, bool validated);
void snug__logs_add(snug__fit *f, const char *name, double value);
snug_logs snug__logs_of_epoch(const snug__fit *f);

/* Make room for all logs, and the history. */
snug_status snug__logs_create(snug__fit *f) SNUG_NODISCARD;
void snug__logs_release(snug__fit *f);

#endif
