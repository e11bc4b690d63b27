/* A session: the programs that one fit, evaluate or predict needs, and the one block in which they
 * run in turn.
 *
 * Programs: the full batch and the partial last batch, for training and for validation.  All are
 * made and planned before step 1; the block is as large as the largest of them needs.
 *
 * Where batches are run in micro-batches, a slot is for one size of micro-batches; before it
 * stands, if losses need it, the program that counts their divisors; and there is one update.  The
 * sums of the gradients lie at the front of the block as long as a batch is under way, in front of
 * the micro-batches' own memory; validation, which comes between two batches, has the whole block
 * for itself.
 *
 * Invariants:
 * 1. After snug__session_commit nothing is allocated until snug__session_release.
 * 2. What commit takes is snug__session_cost, to the byte. */
#ifndef SNUG_TRAIN_SESSION_H
#define SNUG_TRAIN_SESSION_H

#include "base/thread.h"
#include "exec/program.h"
#include "planning/frontier.h"
#include "train/step.h"

typedef enum snug__slot {
  SNUG__SLOT_MAIN,           /* a full batch of the main data, or a full micro-batch of it */
  SNUG__SLOT_MAIN_REMAINDER, /* its last, partial batch, or the last micro-batch of a full batch */
  SNUG__SLOT_MAIN_PARTIAL_REMAINDER, /* in micro-batches: the last micro-batch of the partial batch
                                      */
  SNUG__SLOT_VALIDATION,
  SNUG__SLOT_VALIDATION_REMAINDER,
  SNUG__SLOT_VALIDATION_PARTIAL_REMAINDER,
  SNUG__SLOT_COUNT,
  SNUG__SLOT_SIZES = SNUG__SLOT_VALIDATION /* slots of one source of data */
} snug__slot;

typedef struct snug__run {
  snug__program *program; /* NULL: this slot is not needed */
  snug__step step;
  int64_t base; /* where its memory begins in the block: behind the sums, in micro-batches of
                   training */
} snug__run;

typedef struct snug__session {
  snug_model *model;
  snug__run runs[SNUG__SLOT_COUNT];
  snug__run counts[SNUG__SLOT_COUNT]; /* of divisors, for micro-batches of that size */
  snug__run update;                   /* after the last micro-batch */
  int64_t *sums; /* per trained weight: where its sum lies; NULL: no micro-batches */
  int64_t sums_bytes;
  double *divisors; /* per output, of the batch under way */
  bool has_state;   /* the programs touch the state of training: all but predict do */
  snug__block block;
  int64_t block_bytes;   /* that it has, or will have */
  snug__place constants; /* of all programs, on a device whose memory is not the host's */
  int64_t constants_bytes;
  void *staging; /* for what the host fills and reads there */
  int64_t staging_bytes;
  int64_t file_bytes;        /* of values that wait in a file; 0: none do */
  const char *disk_folder;   /* where that is; NULL: TMPDIR, or /tmp */
  struct snug__store *store; /* the file, from commit on */
  bool has_entered;          /* the queue of the device is set up for its programs */
} snug__session;

/* What a session is to be made for.  A batch of 0 means that the slot is not needed. */
typedef struct snug__session_spec {
  snug__step_kind main_kind;
  int64_t batch[SNUG__SLOT_COUNT];
  snug__step_choice choice;
  struct snug__kernel_list *kernels; /* that are fixed; NULL: none */
  bool in_micro_batches[SNUG__SLOT_COUNT];
  bool allow_batch_statistics; /* micro-batches also through layers that normalize over a batch */
  bool weighted, validation_weighted;
  const snug__plan_options *plan; /* NULL: the defaults */
  const char *disk_folder;        /* for what waits in a file; NULL: TMPDIR, or /tmp */
} snug__session_spec;

snug_status snug__session_init(snug__session *s, snug_model *m,
                               const snug__session_spec *spec) SNUG_NODISCARD;
void snug__session_release(snug__session *s);

/* Bytes that commit takes from the allocator. */
int64_t snug__session_cost(const snug__session *s);

/* Take the block and the state, open the file if one is needed, bind all programs.  Fails:
 * E_MEMORY, E_LIMIT, E_IO naming the folder of the file. */
snug_status snug__session_commit(snug__session *s) SNUG_NODISCARD;

/* The run for so many rows: that of `slot` or of one of the slots behind it, for the same data. */
const snug__run *snug__session_run(const snug__session *s, snug__slot slot, int64_t rows);

/* The run that needs the largest block. */
const snug__run *snug__session_largest(const snug__session *s);

/* Whether the batches of a slot are run in micro-batches. */
bool snug__session_in_micro_batches(const snug__session *s, snug__slot slot);

/* A run by number, for walks over all of them; NULL behind the last.  Some have no program. */
snug__run *snug__session_run_at(snug__session *s, size_t i);

#endif
