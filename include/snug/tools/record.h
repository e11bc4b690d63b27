/* Recordings: the memory of a run, sample by sample, in a file that stays readable if the run is
 * killed.
 *
 * A file has a header and frames, each with its length and a checksum, appended and written
 * immediately: all frames that were complete when the process died can be read.  Its size is
 * bounded: the first 8192 moments of each kind are kept, then 8192 of every second one, of every
 * fourth, and so on.  A new maximum is always kept.  docs/RECORDINGS.md has the format, byte by
 * byte, and the names of facts.
 *
 * Not thread-safe: call from one thread at a time. */
#ifndef SNUG_TOOLS_RECORD_H
#define SNUG_TOOLS_RECORD_H

#include "snug/memory.h"
#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SNUG_RECORD_VERSION 1

/* One moment of a run.  Bytes; 0 where a figure is not known. */
typedef struct snug_moment {
  size_t struct_size;
  double seconds;       /* since the recording began; kept to the microsecond */
  const char *at;       /* "sample", "epoch_begin", "batch_end", "epoch_end", "validation_begin",
                           "validation_end", "save_begin", "save_end", "target", "peak" */
  int64_t epoch, batch; /* from 0; -1: none */
  uint64_t resident;    /* of the process, or of the tree of processes that is watched */
  uint64_t peak;        /* the most since the run began, as the kernel tells it */
  uint64_t held;        /* that Snug holds (its account) */
  uint64_t held_peak;   /* and the most since the moment before */
  uint64_t device;      /* on all accelerators */
  uint64_t device_peak; /* the most since the run began */
  /* Parts of resident (of a tree: of its PSS), where they were read. */
  uint64_t anonymous, file, shared;
  uint32_t processes; /* that were alive */
} snug_moment;

/* ---- writing ---- */

typedef struct snug_recorder snug_recorder;

/* Begin a recording.  A file that is there is replaced only if `replace` is set.  All memory is
 * taken here.  Owns: *out is the caller's, ended by snug_recorder_close before its context.  Fails:
 * E_IO (exists, cannot be written), E_STATE (another run writes it), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_recorder_open(snug_ctx *ctx, const char *path, bool replace,
                                        snug_recorder **out) SNUG_NODISCARD;

/* A fact about the run, by a name with dots: "run.kind" (fit, watch, monitor), "run.command",
 * "run.began" (ISO 8601), "model.name", "machine.cpu", "plan.process", "end.verdict".  Numbers are
 * decimal text.  The last value of a name counts.  After a failure the recorder may still be used:
 * what was written before is whole.  Fails: E_IO, E_ARGUMENT (a name of more than 255 bytes, a
 * value of more than 16000), E_OVERFLOW (the recording would pass 64 MiB). */
SNUG_API snug_status snug_recorder_fact(snug_recorder *r, const char *name,
                                        const char *value) SNUG_NODISCARD;

/* The facts of this machine: "machine.cpu", "machine.cores", "machine.memory", "machine.system",
 * and the version of Snug, "run.snug".  Fails as a fact does. */
SNUG_API snug_status snug_recorder_machine(snug_recorder *r) SNUG_NODISCARD;

/* A moment; it is left out when there are many of its kind.  A new maximum of a figure is not: it
 * is written at once, or, if it is less than a thousandth above the one before it, in front of the
 * next moment that is kept.  One that is earlier than the moment before gets the time of that.
 * Takes no memory.  Fails: E_IO, E_OVERFLOW, E_ARGUMENT. */
SNUG_API snug_status snug_recorder_moment(snug_recorder *r, const snug_moment *m) SNUG_NODISCARD;

/* Values of an epoch, such as loss and metrics; a second call for the same epoch adds to them.
 * Fails: E_IO, E_OVERFLOW, E_ARGUMENT (a name of more than 255 bytes). */
SNUG_API snug_status snug_recorder_logs(snug_recorder *r, int64_t epoch,
                                        const snug_logs *logs) SNUG_NODISCARD;

/* A part of what was alive at the peak: of a fit by layer, op and class; of a watched tree a
 * process (layer: its name, op: its number, what: "process").  begin_peak forgets the parts so far.
 * All of them are written: where peaks come often, wait until one is well above the last.  Texts
 * are cut at 255 bytes.  Fails: E_IO, E_OVERFLOW, E_ARGUMENT. */
SNUG_API snug_status snug_recorder_begin_peak(snug_recorder *r, double seconds) SNUG_NODISCARD;
SNUG_API snug_status snug_recorder_piece(snug_recorder *r,
                                         const snug_memory_piece *piece) SNUG_NODISCARD;

/* End the recording: it is complete, and closed.  NULL is allowed.  Fails: E_IO, and the recorder
 * is gone all the same. */
SNUG_API snug_status snug_recorder_close(snug_recorder *r) SNUG_NODISCARD;

/* ---- a fit ---- */

#define SNUG_RECORD_WHY 256

/* A recording of a fit, in storage of the caller's, who initializes it and sets the first
 * members. */
typedef struct snug_fit_record {
  size_t struct_size;
  /* set by caller */
  snug_model *model;
  const char *path; /* must live as long as this */
  bool replace;
  bool goes_on;    /* a recording that is there is gone on with: the fit is resumed from a backup */
  bool stays_open; /* after the fit the caller adds to the recording, and closes it: `recorder`,
                      unless that is NULL */
  /* read-only */
  snug_recorder *recorder;   /* from train_begin on, for facts of the caller's */
  double began;              /* its second 0, by the monotonic clock */
  snug_status failed;        /* the first failure to write; the training went on */
  char why[SNUG_RECORD_WHY]; /* and its message */
  uint64_t process;          /* the most that it told of the whole process, in bytes */
  /* private */
  snug_recorder *made;
  snug_scope since; /* the moment before */
  bool has_scope, is_complete;
  int64_t epoch, batch;
  double last_batch, spent;
  int64_t told;
  bool tells_epoch;
  uint64_t told_peak;
} snug_fit_record;

/* A callback for snug_fit_options.callbacks, to *out, behind those whose values are to be recorded;
 * the record must stay in place while it is used.  It records what the fit is, what was planned for
 * it, epochs (where they are so short that it would be felt, not all), batches (20 a second at
 * most), validations, saves of other callbacks, the batches that snug_fit_options.sampling names,
 * the values of epochs, and what was alive at the peak, if the context has not held more before
 * (see snug_memory_reset_peak).  Its bytes are part of the plan.  A file that cannot be made ends
 * the fit before step 1; a failure to write later does not.  Of NULL: a callback that does nothing.
 */
SNUG_API void snug_fit_record_callback(snug_fit_record *record, snug_callback *out);

/* A moment of the caller's, between the fit and the end of a recording that stays open: "sample",
 * "save_begin", "save_end".  Does nothing if there is no recorder. */
SNUG_API void snug_fit_record_moment(snug_fit_record *record, const char *at);

/* ---- reading ---- */

typedef struct snug_recording snug_recording;

/* Read a whole recording, up to its last complete frame.  Texts come as UTF-8 without control
 * characters but for newlines and tabs: '?' stands for what is neither.  Owns: *out is the
 * caller's, ended by snug_recording_destroy before its context.  Fails: E_IO, E_DATA (not a
 * recording, a newer version, a damaged head, too much of everything), E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_recording_open(snug_ctx *ctx, const char *path,
                                         snug_recording **out) SNUG_NODISCARD;
SNUG_API void snug_recording_destroy(snug_recording *recording);

/* How it ended: closed, cut (the run was killed or still goes on), or damaged in the middle (then
 * what lies before is here). */
typedef enum snug_recording_end {
  SNUG_RECORDING_CLOSED,
  SNUG_RECORDING_CUT,
  SNUG_RECORDING_DAMAGED
} snug_recording_end;

/* at_byte (may be NULL): where the last complete frame ends.  Of NULL: cut at 0. */
SNUG_API snug_recording_end snug_recording_ended(const snug_recording *recording,
                                                 uint64_t *at_byte);

/* Moments in the order of their time.  What is returned lives as long as the recording.  Out of
 * range: NULL, or all zero. */
SNUG_API size_t snug_recording_moments(const snug_recording *recording);
SNUG_API const snug_moment *snug_recording_moment(const snug_recording *recording, size_t i);

/* Facts in the order in which their names came first.  "run.id", a number that no other recording
 * has, is always among them. */
SNUG_API size_t snug_recording_facts(const snug_recording *recording);
SNUG_API const char *snug_recording_fact_name(const snug_recording *recording, size_t i);
SNUG_API const char *snug_recording_fact_value(const snug_recording *recording, size_t i);
SNUG_API const char *snug_recording_fact(const snug_recording *recording,
                                         const char *name); /* NULL: none */

/* Epochs with logs, and those of one. */
SNUG_API size_t snug_recording_epochs(const snug_recording *recording);
SNUG_API snug_logs snug_recording_logs(const snug_recording *recording, size_t i, int64_t *epoch);

/* What was alive at the peak, and when that was (seconds may be NULL). */
SNUG_API size_t snug_recording_pieces(const snug_recording *recording, double *seconds);
SNUG_API const snug_memory_piece *snug_recording_piece(const snug_recording *recording, size_t i);

#ifdef __cplusplus
}
#endif
#endif
