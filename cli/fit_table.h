/* The options that say what is trained, and how: those of fit, and of plan, which plans the same.
 */
#ifndef SNUG_CLI_FIT_TABLE_H
#define SNUG_CLI_FIT_TABLE_H

#include "fit.h"

#define AT(member) offsetof(fit_options, member)

/* clang-format off */
#define FIT_SHARED_OPTIONS                                                                        \
    JOB_DATA_OPTION(fit_options,                                                                  \
                    "the data: one .npz file with x and y (or x_0, x_1, ..., or the names of the "\
                    "model's inputs and outputs), a table (.csv, .tsv), a folder of images with "  \
                    "a folder per class, a list of them (.txt: path label), records (- is "       \
                    "standard input), or one .npy or IDX file (also gzipped) per array, the "      \
                    "labels last",                                                                \
                    "Data"),                                                                      \
    {"validation-data", 0, CLI_FILES, "FILE", "npz npy gz csv tsv txt", NULL, AT(validation_data),\
     "data to validate with after every epoch, likewise"},                                        \
    {"validation-split", 0, CLI_REAL, "PART", NULL, NULL, AT(validation_split),                   \
     "validate with the last part of the data (0.1), which is then not trained on; of images, as " \
     "Keras does: the last part of the files in an order that --seed says"},                       \
    {"sample-weight", 0, CLI_FILE, "FILE", "npy", NULL, AT(job.sample_weight),                    \
     "one weight per sample, a .npy file"},                                                       \
    {"class-weight", 0, CLI_WORDS, "WEIGHTS", NULL, NULL, AT(class_weight),                       \
     "how much samples of a class count: 0:1,1:5. Other classes count once"},                     \
    {"no-shuffle", 0, CLI_FLAG, NULL, NULL, NULL, AT(no_shuffle),                                 \
     "take the samples in their order"},                                                          \
    {"shuffle-window", 0, CLI_TEXT, "BYTES", "auto", NULL, AT(job.window),                        \
     "memory to shuffle samples in that can only be read from front to back (gzipped, deflated, "  \
     "standard input): auto is 64MiB, or half of that, a quarter, ..., within an eighth of the "   \
     "line; the plan says if that makes another order. All others are shuffled without"},         \
    JOB_READ_OPTIONS(fit_options),                                                                \
    JOB_IMAGE_OPTIONS(fit_options),                                                               \
    JOB_AUGMENT_OPTION(fit_options),                                                              \
    {"epochs", 0, CLI_AT_LEAST_1, "N", NULL, "Training", AT(epochs), "train up to this epoch (1)"},\
    JOB_RUN_OPTIONS(fit_options),                                                                 \
    {"initial-epoch", 0, CLI_COUNT, "N", NULL, NULL, AT(initial_epoch),                           \
     "epochs that were trained before; go on behind them (0)"},                                   \
    {"steps-per-epoch", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(steps_per_epoch),                  \
     "batches in an epoch; without it, all the data"},                                            \
    {"validation-steps", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_steps),                \
     "batches to validate with; without it, all"},                                                \
    {"validation-batch-size", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_batch_size),      \
     "samples at a time in validation; without it, those of --batch-size"},                       \
    {"validation-freq", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_freq),                  \
     "validate after every N-th epoch (1)"},                                                      \
    {"seed", 0, CLI_COUNT, "N", NULL, NULL, AT(job.seed),                                         \
     "of shuffling, dropout and weights that the file does not hold (0)"},                        \
    JOB_MODEL_OPTIONS(fit_options),                                                               \
    {"freeze", 0, CLI_WORDS, "LAYERS", NULL, NULL, AT(job.freeze),                                \
     "do not train these layers: names or patterns, separated by commas: 'conv*,block1_*'"},      \
    {"optimizer", 0, CLI_TEXT, "OPTIMIZER", NULL, NULL, AT(job.optimizer),                        \
     "how to train, as Keras names it: adam, 'sgd(learning_rate=0.1, momentum=0.9)'. What is not "\
     "given here is as the file has it; giving any of --optimizer, --loss, --metrics, "           \
     "--loss-weights and --freeze starts the optimizer anew"},                                    \
    {"learning-rate", 0, CLI_REAL, "RATE", NULL, NULL, AT(job.learning_rate),                     \
     "another learning rate than the optimizer has"},                                             \
    JOB_COMPILE_OPTIONS(fit_options),                                                             \
    {"memory", 0, CLI_TEXT, "LINE", "auto|none|70%", "Memory", AT(memory),                        \
     "bytes that the whole process may hold: 2GiB (the same as 2G), 512MB, 70% of what auto finds, "\
     "or auto: the least of the container's limit, the process's own limits and what is free. "   \
     "Without it, SNUG_MEMORY; without that there is no line: the plan is that of full speed, and " \
     "is refused if it needs more than auto finds. none: no line, and nothing is refused"},       \
    {"recompute", 0, CLI_TEXT, "WHAT", "auto|none|activations|full", NULL, AT(recompute),         \
     "values that are made again in the backward pass instead of being kept: auto (what the line "\
     "asks for), none, activations (what one pass over its values makes), full, or layers, "      \
     "separated by commas. The result is the same to the bit"},                                   \
    {"micro-batch", 0, CLI_TEXT, "N", "auto", NULL, AT(micro_batch),                              \
     "run each batch in pieces of N samples and update once, as the whole batch would; auto is "  \
     "what the line asks for"},                                                                   \
    {"allow", 0, CLI_WORDS, "WHAT", "disk|batch-statistics", NULL, AT(allow),                     \
     "what else may be done to stay under the line: disk (values of a step and optimizer slots "  \
     "wait in a file, and packed data are unpacked to one; the result is the same to the bit), "   \
     "batch-statistics "                                                                          \
     "(micro-batches through BatchNormalization, which then sees fewer samples: other results)"}, \
    {"disk-folder", 0, CLI_FOLDER, "FOLDER", NULL, NULL, AT(disk_folder),                         \
     "where --allow disk keeps its file; without it, TMPDIR or /tmp"},                            \
    {"kernels", 0, CLI_FILE, "FILE", NULL, NULL, AT(kernels),                                     \
     "use the implementations that this list names"},                                             \
    {"preallocate", 0, CLI_BYTES, "BYTES", NULL, NULL, AT(job.preallocate),                       \
     "take so many bytes before anything else, and put weights, the optimizer's state and the "   \
     "step into them. Without it memory is taken as it is needed, once, before the first step"},  \
    {"checkpoint", 0, CLI_FILE, "PATH", "keras h5", "While it trains", AT(checkpoint),            \
     "save the model after every epoch. The path may name values: 'm.{epoch:02d}-{val_loss:.2f}"  \
     ".keras'"},                                                                                  \
    {"monitor", 0, CLI_TEXT, "VALUE", NULL, NULL, AT(monitor),                                    \
     "the value that says which checkpoint is best (val_loss)"},                                  \
    {"save-best-only", 0, CLI_FLAG, NULL, NULL, NULL, AT(save_best_only),                         \
     "only write a checkpoint that is better than those before"},                                 \
    {"save-weights-only", 0, CLI_FLAG, NULL, NULL, NULL, AT(save_weights_only),                   \
     "the checkpoint holds weights alone; its path ends in .weights.h5"},                         \
    {"save-freq", 0, CLI_TEXT, "WHEN", NULL, NULL, AT(save_freq),                                 \
     "write checkpoints after every epoch (epoch) or after so many batches"},                     \
    {"early-stopping", 0, CLI_TEXT, "RULE", NULL, NULL, AT(early_stopping),                       \
     "stop when a value no longer improves: val_loss:patience=3,restore-best. Further keys: "     \
     "min_delta, mode, baseline, start_from_epoch"},                                              \
    {"reduce-lr", 0, CLI_TEXT, "RULE", NULL, NULL, AT(reduce_lr),                                 \
     "lower the learning rate when a value no longer improves: val_loss:factor=0.1,patience=5. "  \
     "Further keys: min_delta, mode, cooldown, min_lr"},                                          \
    {"lr-schedule", 0, CLI_TEXT, "TABLE", NULL, NULL, AT(lr_schedule),                            \
     "the learning rate by epoch: 0:0.1,10:0.01 is 0.01 from epoch 10 on (the first is 0); or one "\
     "of Keras's schedules, counted in epochs: 'CosineDecay(initial_learning_rate=0.1, "          \
     "decay_steps=20)'"},                                                                         \
    {"csv-log", 0, CLI_FILE, "FILE", "csv", NULL, AT(csv_log),                                    \
     "write the values of every epoch there"},                                                    \
    {"memory-log", 0, CLI_FILE, "FILE", "csv", NULL, AT(memory_log),                              \
     "write the memory at the beginning and the end of every epoch there, in bytes: what is held "\
     "now, the most since the row before and what that was, what is resident"},                   \
    {"record", 0, CLI_FILE, "FILE", "snug", NULL, AT(record),                                     \
     "record the run there: memory, phases, values, and what was alive at the peak. A run that is "\
     "killed leaves all that it told; snug report shows it"},                                     \
    {"target-batches", 0, CLI_WORDS, "BATCHES", NULL, NULL, AT(target_batches),                   \
     "record the memory after these batches of an epoch, too: 0,10,20-30 (the first is 0). Without "\
     "--memory-log it is in --json, or a table at the end"},                                      \
    {"target-epochs", 0, CLI_WORDS, "EPOCHS", NULL, NULL, AT(target_epochs),                      \
     "record the memory in these epochs alone (the first is 0)"},                                 \
    {"backup", 0, CLI_FOLDER, "FOLDER", NULL, NULL, AT(backup),                                   \
     "keep all that it takes to go on there; the same command resumes a run that was interrupted "\
     "or "                                                                                        \
     "killed, by the plan that it began with, and ends with the same result to the bit. Of the "   \
     "options, --epochs, --memory and where results go may be others then; any other that was "   \
     "changed is refused by its name"},                                                           \
    {"replan", 0, CLI_FLAG, NULL, NULL, NULL, AT(replan),                                         \
     "go on from a --backup with the options as they are now and a plan made anew: other results "\
     "than without the interruption"},                                                            \
    {"terminate-on-nan", 0, CLI_FLAG, NULL, NULL, NULL, AT(terminate_on_nan),                     \
     "stop when the loss is not a finite number"}
/* clang-format on */

#endif
