/* A session: the programs that one fit, evaluate or predict needs, and the one block in which they
 * run in turn.
 *
 * Programs: the full batch and the partial last batch, for training and for validation.  All are
 * made and planned before step 1; the block is as large as the largest of them needs.
 *
 * Invariants:
 * 1. After snug__session_commit nothing is allocated until snug__session_release.
 * 2. What commit takes is snug__session_cost, to the byte. */
#ifndef SNUG_TRAIN_SESSION_H
#define SNUG_TRAIN_SESSION_H

#include "exec/program.h"
#include "train/step.h"

typedef enum snug__slot {
  SNUG__SLOT_MAIN,      /* a full batch of the main data */
  SNUG__SLOT_MAIN_REST, /* its last, partial batch */
  SNUG__SLOT_VALIDATION,
  SNUG__SLOT_VALIDATION_REST,
  SNUG__SLOT_COUNT
} snug__slot;

typedef struct snug__run {
  snug__program *program; /* NULL: this slot is not needed */
  snug__step step;
} snug__run;

typedef struct snug__session {
  snug_model *model;
  snug__run runs[SNUG__SLOT_COUNT];
  bool has_state; /* the programs touch the state of training: all but predict do */
  void *block;
  int64_t block_bytes;
  int64_t file_bytes;        /* of values that wait in a file; 0: none do */
  const char *disk_folder;   /* where that is; NULL: TMPDIR, or /tmp */
  struct snug__store *store; /* the file, from commit on */
  uint32_t *modes;  /* of floating-point of the worker threads, as they were; one per thread */
  bool is_flushing; /* they are to be set back */
} snug__session;

/* What a session is to be made for.  A batch of 0 means that the slot is not needed. */
typedef struct snug__session_spec {
  snug__step_kind main_kind;
  int64_t batch[SNUG__SLOT_COUNT];
  bool weighted, validation_weighted;
  const snug__plan_options *plan; /* NULL: the defaults */
  const char *disk_folder;        /* for values that wait in a file; NULL: TMPDIR, or /tmp */
} snug__session_spec;

snug_status snug__session_init(snug__session *s, snug_model *m,
                               const snug__session_spec *spec) SNUG_NODISCARD;
void snug__session_release(snug__session *s);

/* Bytes that commit takes from the allocator. */
int64_t snug__session_cost(const snug__session *s);

/* Take the block and the state, open the file if one is needed, bind all programs.  Fails:
 * E_MEMORY, E_LIMIT, E_IO naming the folder of the file. */
snug_status snug__session_commit(snug__session *s) SNUG_NODISCARD;

/* The run for so many rows: of a full batch (`slot`), or of its rest (the slot behind it). */
const snug__run *snug__session_run(const snug__session *s, snug__slot slot, int64_t rows);

/* The run that needs the largest block. */
const snug__run *snug__session_largest(const snug__session *s);

#endif
