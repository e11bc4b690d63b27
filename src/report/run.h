/* One recording, digested: the peak and its moment, epochs, spans, who held what.
 *
 * Invariants:
 * 1. A run is computed once, from the recording alone, and is never changed afterwards.
 * 2. Names in it are the recording's: they may hold anything and are quoted when they are written.
 * 3. Figures that a recording does not have are 0 (bytes), NaN (values) or SNUG__NONE (moments). */
#ifndef SNUG_REPORT_RUN_H
#define SNUG_REPORT_RUN_H

#include "base/vec.h"
#include "report/out.h"
#include "snug/tools/record.h"

#define SNUG__NONE SIZE_MAX

/* What a run is about at a moment. */
typedef enum snug__stage {
  SNUG__STAGE_NONE, /* it has no epochs */
  SNUG__STAGE_BEFORE,
  SNUG__STAGE_TRAINING,
  SNUG__STAGE_VALIDATION,
  SNUG__STAGE_SAVE,
  SNUG__STAGE_BETWEEN /* behind the end of an epoch */
} snug__stage;

/* The time from a moment to another: of an epoch, a validation or a save (by its stage). */
typedef struct snug__span {
  snug__stage stage;
  int64_t epoch; /* -1: none */
  double begin, end;
  bool is_open; /* the recording ends within it */
} snug__span;

typedef struct snug__epoch_row {
  int64_t epoch;
  double begin, end; /* NaN: not known */
  bool is_whole;     /* it was seen to end */
  uint64_t peak, held, device;
  int64_t batches;         /* the highest that was seen, plus 1 */
  uint64_t batches_before; /* those of all rows before it */
  snug_logs logs;          /* n = 0: none */
} snug__epoch_row;

/* What a piece may be; the last one is all else. */
enum {
  SNUG__WEIGHTS,
  SNUG__GRADIENTS,
  SNUG__OPTIMIZER,
  SNUG__ACTIVATIONS,
  SNUG__SCRATCH,
  SNUG__DATA,
  SNUG__OTHER,
  SNUG__CLASSES
};
extern const char *const snug__class_names[SNUG__CLASSES];

/* Who held something at the peak: a layer or a process, or a class of memory. */
typedef struct snug__holder {
  const char *name;
  uint64_t bytes, pieces;
  uint64_t parts[SNUG__CLASSES];
} snug__holder;

typedef struct snug__run {
  const snug_recording *of;
  const char *name;
  const char *shown; /* how it is called beside others: its name, without folders if that will do */
  snug_recording_end end;
  uint64_t end_byte; /* where it is cut or damaged */
  double seconds;    /* up to the last moment */
  uint64_t peak, held, device;
  size_t peak_at; /* the moment that first knew of the peak */
  snug__stage peak_stage, last_stage;
  uint64_t line, planned, snug_planned; /* as facts tell: bytes of the process, of Snug */
  uint64_t limit; /* the line, or what a watched command may hold: --max, its control group */
  double step;    /* seconds between two batches, on the average */
  double planned_step;
  bool of_processes;  /* the holders are processes */
  uint64_t in_pieces; /* the sum over the pieces at the peak */
  snug__vec spans;    /* snug__span, in the order of their ends */
  snug__vec epochs;   /* snug__epoch_row, upwards by their numbers, each once */
  snug__vec holders;  /* snug__holder, largest first */
  snug__vec classes;  /* likewise */
} snug__run;

/* Digest a recording.  name: lives as long as the run.  Fails: E_MEMORY, E_LIMIT, E_OVERFLOW; there
 * is then nothing to release. */
snug_status snug__run_init(snug__run *run, snug_ctx *ctx, const snug_recording *of,
                           const char *name) SNUG_NODISCARD;
void snug__run_release(snug__run *run);

/* The parts of it: who held what at the peak (run_holders.c). */
snug_status snug__run_hold(snug__run *run, snug_ctx *ctx) SNUG_NODISCARD;

/* Bring the rows of epochs in order, and values into them (run_epochs.c). */
snug_status snug__run_settle_epochs(snug__run *run, snug_ctx *ctx) SNUG_NODISCARD;

/* The row of an epoch, or NULL; how many epochs the run went through, rows or not. */
const snug__epoch_row *snug__run_find_epoch(const snug__run *run, int64_t epoch);
int64_t snug__run_epochs(const snug__run *run);

/* What was resident up to a moment since the one before it: the sample, or the kernel's peak where
 * that rose. */
uint64_t snug__run_level(const snug__run *run, size_t moment);

/* The elements of the lists. */
const snug__span *snug__run_span(const snug__run *run, size_t i);
const snug__epoch_row *snug__run_epoch(const snug__run *run, size_t i);
const snug__holder *snug__run_holder(const snug__run *run, size_t i);
const snug__holder *snug__run_class(const snug__run *run, size_t i);

/* A fact, or NULL; one that is a whole number, or 0; the text of the run's kind. */
const char *snug__run_fact(const snug__run *run, const char *name);
uint64_t snug__run_number(const snug__run *run, const char *name);
const char *snug__run_kind(const snug__run *run);

/* A value by its name, or NULL: one that is not there differs from one that is NaN. */
const double *snug__run_find_value(const snug_logs *logs, const char *name);

/* The value of the last epoch that has one of that name, NaN or not; NaN if there is none.  A run
 * that diverged must not be described by what it was before. */
double snug__run_value(const snug__run *run, const char *name);

/* ---- in words (run_words.c) ---- */

/* "complete", "cut" or "damaged" */
const char *snug__run_state(const snug__run *run);

/* "training", "validation" ... */
const char *snug__stage_text(snug__stage stage);

/* What happened, and when it held the most and how much: a sentence each. */
void snug__run_ending(const snug__run *run, snug_quoting how, snug__line *line);
void snug__run_peak_says(const snug__run *run, snug_quoting how, snug__line *line);

/* How it ended and its figures in one line; the figures alone. */
void snug__run_figures(const snug__run *run, bool ascii, snug__line *line);
void snug__run_verdict(const snug__run *run, bool ascii, snug__line *line);

/* "epoch 2, batch 17, training, 3.2 s in".  Epochs count from 1, as people see them go by; batches
 * from 0, as people ask for them. */
void snug__run_when(const snug__run *run, size_t moment, snug__stage stage, snug__line *line);

/* "planned 62.1 MiB · measured 61.5 MiB · 600 KiB less" */
void snug__run_planned(uint64_t planned, uint64_t measured, bool ascii, snug__line *line);

/* "activations 5.1 MiB · weights 1.2 MiB, and 3 more": the largest of holders or classes. */
void snug__run_largest(const snug__vec *holders, size_t shown, bool ascii, snug__line *line);

/* What was run: its command, or its kind and model. */
void snug__run_title(const snug__run *run, snug_quoting how, snug__line *line);

/* The number of what has this index; files may hold any. */
static inline long long snug__ordinal(int64_t index) {
  return (long long)(index < INT64_MAX ? index + 1 : index);
}

/* Whole bytes of an amount that was computed. */
static inline uint64_t snug__whole(double bytes) {
  return bytes < 0x1p63 ? (uint64_t)bytes : INT64_MAX;
}

static inline const char *snug__dot(bool ascii) { return ascii ? ", " : " · "; }

#endif
