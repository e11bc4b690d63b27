/* Keras's callbacks, with its decisions, messages and files.
 *
 *   snug_callback stop;
 *   s = snug_callback_create(m, "EarlyStopping", "val_loss:patience=3,restore-best", &to, &stop);
 *   options.callbacks = &stop, options.n_callbacks = 1;
 *   ... snug_fit, as often as you like ...
 *   snug_callback_destroy(&stop);
 *
 * Classes and their keys, with Keras's defaults:
 *   EarlyStopping          monitor min_delta patience mode baseline restore_best_weights
 *                          start_from_epoch
 *   ModelCheckpoint        monitor save_best_only save_weights_only mode save_freq
 *                          initial_value_threshold; path: a template as in Python, such as
 *                          "m.{epoch:02d}-{val_loss:.2f}.keras"
 *   ReduceLROnPlateau      monitor factor patience mode min_delta cooldown min_lr
 *   LearningRateScheduler  a table "0:0.1,10:0.01" (from epoch 10 on 0.01) or a schedule by epochs,
 *                          "CosineDecay(initial_learning_rate=0.1, decay_steps=20)"
 *   CSVLogger              separator append; path: the file
 *   TerminateOnNaN
 *   BackupAndRestore       save_freq delete_checkpoint; path: the folder
 * A config is "key=value,key=value"; a - in a key is a _, a key alone is key=true, and what stands
 * before a colon is the monitor: "val_loss:patience=3".
 *
 * Callbacks are called in the order of the list.  What ReduceLROnPlateau and LearningRateScheduler
 * add to the logs (learning_rate) is visible to later callbacks.  A fit that is resumed from a
 * backup equals the uninterrupted one bit for bit, wherever BackupAndRestore is in the list. */
#ifndef SNUG_CALLBACKS_H
#define SNUG_CALLBACKS_H

#include <signal.h>

#include "snug/train.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a callback writes; members that it does not use are zero. */
typedef struct snug_callback_target {
  size_t struct_size;
  snug_sink *sink;  /* of messages, with Keras's line breaks; NULL: none (Keras's verbose=0) */
  void *user;       /* of the sink */
  const char *path; /* copied */
  /* For BackupAndRestore, may be NULL: once this is not 0 (set it where a signal is handled), what
   * the batch left is kept, nothing later is, and the folder stays: the next run goes on there. */
  const volatile sig_atomic_t *interrupted;
  /* For ModelCheckpoint, may be NULL: asked before a path is written to, unless the file there is
   * one that the fit wrote itself.  NULL: it may; otherwise why not, in words that follow the path.
   */
  const char *(*refuses)(void *user, const char *path);
  void *user_of_refuses;
} snug_callback_target;

/* Create a callback for fits of a model. config may be NULL.  Owns: the caller destroys *out with
 * snug_callback_destroy before the model.  Fails: E_ARGUMENT (no such class, key or value; a path
 * that is missing or will not do), E_MEMORY, E_LIMIT; *out is then empty.
 *
 * A fit with it fails before step 1 with E_ARGUMENT if the direction of a monitor is not known or
 * the path names values that are not there, with E_STATE if a rate is to be set and the optimizer
 * has a schedule, the folder holds the backup of another fit, or another run writes the log or the
 * backup, E_FORMAT if a backup is damaged, E_IO where nothing can be written: no right, no room, a
 * name that is not possible.  Where writing fails later, the training goes on, each file is tried
 * again when it is due, and the fit fails with the first of these failures at its end. */
SNUG_API snug_status snug_callback_create(snug_model *model, const char *class_name,
                                          const char *config, const snug_callback_target *target,
                                          snug_callback *out) SNUG_NODISCARD;

/* What the last fit of one of these callbacks could not write, and why; "" if it has written all.
 */
SNUG_API const char *snug_callback_unwritten(const snug_callback *callback);

/* Remove the backup that a BackupAndRestore with delete_checkpoint=false has left, once the model
 * is saved elsewhere.  Fails: E_ARGUMENT (another callback), E_STATE (another run uses it), E_IO.
 */
SNUG_API snug_status snug_backup_remove(const snug_callback *backup) SNUG_NODISCARD;

/* Whether the fit whose backup lies in a folder has a path among its outputs (snug_fit_options), so
 * that a file there is what that fit wrote.  *out is false where there is no backup.  Fails:
 * E_ARGUMENT, E_STATE (of another version), E_FORMAT (damaged), E_IO; *out is then false. */
SNUG_API snug_status snug_backup_names(snug_ctx *ctx, const char *folder, const char *path,
                                       bool *out) SNUG_NODISCARD;

/* The file in a backup's folder without which there is nothing to go on from. */
#define SNUG_BACKUP_FILE "snug.backup"

/* End a callback that no fit is using any more, also one of the caller's own (its destroy hook);
 * *callback is then empty.  NULL is allowed. */
SNUG_API void snug_callback_destroy(snug_callback *callback);

#ifdef __cplusplus
}
#endif
#endif
