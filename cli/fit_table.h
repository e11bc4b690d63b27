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
     "validation data, in the same forms; evaluated after every epoch"},                                        \
    {"validation-split", 0, CLI_REAL, "PART", NULL, NULL, AT(validation_split),                   \
     "hold back the last part of the data (0.1) for validation. Image files are first put in "    \
     "the order that --seed gives, as in Keras"},                                                 \
    {"sample-weight", 0, CLI_FILE, "FILE", "npy", NULL, AT(job.sample_weight),                    \
     "one weight per sample, a .npy file"},                                                       \
    {"class-weight", 0, CLI_WORDS, "WEIGHTS", NULL, NULL, AT(class_weight),                       \
     "weight of the samples of each class: 0:1,1:5. Other classes have weight 1"},                     \
    {"no-shuffle", 0, CLI_FLAG, NULL, NULL, NULL, AT(no_shuffle),                                 \
     "keep the order of the samples"},                                                          \
    {"shuffle-window", 0, CLI_TEXT, "BYTES", "auto", NULL, AT(job.window),                        \
     "size of the shuffle buffer for data that can only be read sequentially (gzipped, "          \
     "deflated, standard input). auto is 64MiB, halved until it is within an eighth of the "      \
     "line; the plan reports if that changes the order. All other data are shuffled without a "   \
     "buffer"},                                                                                   \
    JOB_READ_OPTIONS(fit_options),                                                                \
    JOB_IMAGE_OPTIONS(fit_options),                                                               \
    JOB_AUGMENT_OPTION(fit_options),                                                              \
    {"epochs", 0, CLI_AT_LEAST_1, "N", NULL, "Training", AT(epochs), "the last epoch to train (1)"},\
    JOB_RUN_OPTIONS(fit_options),                                                                 \
    {"initial-epoch", 0, CLI_COUNT, "N", NULL, NULL, AT(initial_epoch),                           \
     "number of epochs already trained; training continues after them (0)"},                                   \
    {"steps-per-epoch", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(steps_per_epoch),                  \
     "batches per epoch; default: all the data"},                                            \
    {"validation-steps", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_steps),                \
     "batches per validation; default: all"},                                                \
    {"validation-batch-size", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_batch_size),      \
     "batch size of validation; default: --batch-size"},                       \
    {"validation-freq", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_freq),                  \
     "validate after every N-th epoch (1)"},                                                      \
    {"seed", 0, CLI_COUNT, "N", NULL, NULL, AT(job.seed),                                         \
     "seed of shuffling, dropout and of weights that the file does not contain (0)"},                        \
    JOB_MODEL_OPTIONS(fit_options),                                                               \
    {"freeze", 0, CLI_WORDS, "LAYERS", NULL, NULL, AT(job.freeze),                                \
     "do not train these layers: names or patterns, separated by commas: 'conv*,block1_*'"},      \
    {"optimizer", 0, CLI_TEXT, "OPTIMIZER", NULL, NULL, AT(job.optimizer),                        \
     "the optimizer, by its Keras name: adam, 'sgd(learning_rate=0.1, momentum=0.9)'. Settings "  \
     "that are not given come from the file. Any of --optimizer, --loss, --metrics, "             \
     "--loss-weights and --freeze resets the optimizer"},                                         \
    {"learning-rate", 0, CLI_REAL, "RATE", NULL, NULL, AT(job.learning_rate),                     \
     "override the optimizer's learning rate"},                                             \
    JOB_COMPILE_OPTIONS(fit_options),                                                             \
    {"memory", 0, CLI_TEXT, "LINE", "auto|none|70%", "Memory", AT(memory),                        \
     "bytes that the whole process may hold: 2GiB (the same as 2G), 512MB, 70% of what auto finds, "\
     "or auto: the smallest of the container's limit, the process's own limits and the free "     \
     "memory. Default: SNUG_MEMORY; if that is not set there is no line: the fastest plan is "    \
     "used, and refused if it needs more than auto finds. none: no line, and no refusal"},        \
    {"recompute", 0, CLI_TEXT, "WHAT", "auto|none|activations|full", NULL, AT(recompute),         \
     "values to recompute in the backward pass instead of keeping them: auto (as the line "       \
     "requires), none, activations (those that one element-wise pass recomputes), full, or "      \
     "layers, separated by commas. The result is identical to the bit"},                          \
    {"micro-batch", 0, CLI_TEXT, "N", "auto", NULL, AT(micro_batch),                              \
     "run each batch in micro-batches of N samples, with one update per batch; auto: as the "     \
     "line requires"},                                                                            \
    {"allow", 0, CLI_WORDS, "WHAT", "disk|batch-statistics", NULL, AT(allow),                     \
     "further means to stay under the line: disk (offload values of a step and optimizer slots "  \
     "to a file, and unpack compressed data to one; the result is identical to the bit), "        \
     "batch-statistics (micro-batches through BatchNormalization, which then sees fewer "         \
     "samples: the results differ)"},                                                             \
    {"disk-folder", 0, CLI_FOLDER, "FOLDER", NULL, NULL, AT(disk_folder),                         \
     "folder of the file of --allow disk; default: TMPDIR or /tmp"},                            \
    {"kernels", 0, CLI_FILE, "FILE", NULL, NULL, AT(kernels),                                     \
     "use the kernels in this list, which snug plan writes"},                                             \
    {"preallocate", 0, CLI_BYTES, "BYTES", NULL, NULL, AT(job.preallocate),                       \
     "allocate this much before anything else, and place weights, optimizer state and the step "  \
     "in it. Without it memory is allocated as needed, once, before the first step"},             \
    {"checkpoint", 0, CLI_FILE, "PATH", "keras h5", "While it trains", AT(checkpoint),            \
     "save the model after every epoch. The path may name values: 'm.{epoch:02d}-{val_loss:.2f}"  \
     ".keras'"},                                                                                  \
    {"monitor", 0, CLI_TEXT, "VALUE", NULL, NULL, AT(monitor),                                    \
     "the value that decides which checkpoint is best (val_loss)"},                                  \
    {"save-best-only", 0, CLI_FLAG, NULL, NULL, NULL, AT(save_best_only),                         \
     "write a checkpoint only if it is better than all before it"},                                 \
    {"save-weights-only", 0, CLI_FLAG, NULL, NULL, NULL, AT(save_weights_only),                   \
     "save only weights in the checkpoint; its path ends in .weights.h5"},                         \
    {"save-freq", 0, CLI_TEXT, "WHEN", NULL, NULL, AT(save_freq),                                 \
     "write checkpoints after every epoch (epoch) or after this many batches"},                     \
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
     "write the logs of every epoch to FILE"},                                                    \
    {"memory-log", 0, CLI_FILE, "FILE", "csv", NULL, AT(memory_log),                              \
     "write memory figures to FILE at the beginning and the end of every epoch, in bytes: held "  \
     "now, the peak since the previous row and its parts, resident"},                             \
    {"record", 0, CLI_FILE, "FILE", "snug", NULL, AT(record),                                     \
     "record the run to FILE: memory, phases, logs, and what was alive at the peak. The "         \
     "recording of a killed run stays readable; snug report shows it"},                           \
    {"target-batches", 0, CLI_WORDS, "BATCHES", NULL, NULL, AT(target_batches),                   \
     "also record memory after these batches of an epoch: 0,10,20-30 (the first is 0). Without "  \
     "--memory-log the figures are in --json, or in a table at the end"},                         \
    {"target-epochs", 0, CLI_WORDS, "EPOCHS", NULL, NULL, AT(target_epochs),                      \
     "record memory in these epochs only (the first is 0)"},                                 \
    {"backup", 0, CLI_FOLDER, "FOLDER", NULL, NULL, AT(backup),                                   \
     "keep a backup of the training in FOLDER. The same command resumes a run that was "          \
     "interrupted or killed, with the plan that it began with, and gives the identical result "   \
     "to the bit. --epochs, --memory and output paths may change between runs; any other "        \
     "changed option is refused by name"},                                                        \
    {"replan", 0, CLI_FLAG, NULL, NULL, NULL, AT(replan),                                         \
     "resume from a --backup with the current options and a new plan: the results differ from "   \
     "those of an uninterrupted run"},                                                            \
    {"terminate-on-nan", 0, CLI_FLAG, NULL, NULL, NULL, AT(terminate_on_nan),                     \
     "stop when the loss is not a finite number"}
/* clang-format on */

#endif
