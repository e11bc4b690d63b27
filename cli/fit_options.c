/* The options of fit. */
#include "fit.h"

#define AT(member) offsetof(fit_options, member)

static const cli_option options[] = {
    JOB_DATA_OPTION(fit_options,
                    "the data: one .npz file with x and y (or x_0, x_1, ..., or the names of the "
                    "model's inputs and outputs), or one .npy or IDX file (also gzipped) per "
                    "array, the labels last",
                    "Data"),
    {"validation-data", 0, CLI_FILES, "FILE", "npz npy gz", NULL, AT(validation_data),
     "data to validate with after every epoch, likewise"},
    {"validation-split", 0, CLI_REAL, "PART", NULL, NULL, AT(validation_split),
     "validate with the last part of the data (0.1), which is then not trained on"},
    {"sample-weight", 0, CLI_FILE, "FILE", "npy", NULL, AT(job.sample_weight),
     "one weight per sample, a .npy file"},
    {"class-weight", 0, CLI_WORDS, "WEIGHTS", NULL, NULL, AT(class_weight),
     "how much samples of a class count: 0:1,1:5. Other classes count once"},
    {"no-shuffle", 0, CLI_FLAG, NULL, NULL, NULL, AT(no_shuffle),
     "take the samples in their order"},

    {"epochs", 0, CLI_AT_LEAST_1, "N", NULL, "Training", AT(epochs), "train up to this epoch (1)"},
    JOB_RUN_OPTIONS(fit_options),
    {"initial-epoch", 0, CLI_COUNT, "N", NULL, NULL, AT(initial_epoch),
     "epochs that were trained before; go on behind them (0)"},
    {"steps-per-epoch", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(steps_per_epoch),
     "batches in an epoch; without it, all the data"},
    {"validation-steps", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_steps),
     "batches to validate with; without it, all"},
    {"validation-batch-size", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_batch_size),
     "samples at a time in validation; without it, those of --batch-size"},
    {"validation-freq", 0, CLI_AT_LEAST_1, "N", NULL, NULL, AT(validation_freq),
     "validate after every N-th epoch (1)"},
    {"seed", 0, CLI_COUNT, "N", NULL, NULL, AT(job.seed),
     "of shuffling, dropout and weights that the file does not hold (0)"},

    JOB_MODEL_OPTIONS(fit_options),
    {"freeze", 0, CLI_WORDS, "LAYERS", NULL, NULL, AT(job.freeze),
     "do not train these layers: names or patterns, separated by commas: 'conv*,block1_*'"},
    {"optimizer", 0, CLI_TEXT, "OPTIMIZER", NULL, NULL, AT(job.optimizer),
     "how to train, as Keras names it: adam, 'sgd(learning_rate=0.1, momentum=0.9)'. What is not "
     "given here is as the file has it; giving any of --optimizer, --loss, --metrics, "
     "--loss-weights and --freeze starts the optimizer anew"},
    {"learning-rate", 0, CLI_REAL, "RATE", NULL, NULL, AT(job.learning_rate),
     "another learning rate than the optimizer has"},
    JOB_COMPILE_OPTIONS(fit_options),

    {"checkpoint", 0, CLI_FILE, "PATH", "keras h5", "While it trains", AT(checkpoint),
     "save the model after every epoch. The path may name values: 'm.{epoch:02d}-{val_loss:.2f}"
     ".keras'"},
    {"monitor", 0, CLI_TEXT, "VALUE", NULL, NULL, AT(monitor),
     "the value that says which checkpoint is best (val_loss)"},
    {"save-best-only", 0, CLI_FLAG, NULL, NULL, NULL, AT(save_best_only),
     "only write a checkpoint that is better than those before"},
    {"save-weights-only", 0, CLI_FLAG, NULL, NULL, NULL, AT(save_weights_only),
     "the checkpoint holds weights alone; its path ends in .weights.h5"},
    {"save-freq", 0, CLI_TEXT, "WHEN", NULL, NULL, AT(save_freq),
     "write checkpoints after every epoch (epoch) or after so many batches"},
    {"early-stopping", 0, CLI_TEXT, "RULE", NULL, NULL, AT(early_stopping),
     "stop when a value no longer improves: val_loss:patience=3,restore-best. Further keys: "
     "min_delta, mode, baseline, start_from_epoch"},
    {"reduce-lr", 0, CLI_TEXT, "RULE", NULL, NULL, AT(reduce_lr),
     "lower the learning rate when a value no longer improves: val_loss:factor=0.1,patience=5. "
     "Further keys: min_delta, mode, cooldown, min_lr"},
    {"lr-schedule", 0, CLI_TEXT, "TABLE", NULL, NULL, AT(lr_schedule),
     "the learning rate by epoch: 0:0.1,10:0.01 is 0.01 from epoch 10 on (the first is 0); or one "
     "of Keras's schedules, counted in epochs: 'CosineDecay(initial_learning_rate=0.1, "
     "decay_steps=20)'"},
    {"csv-log", 0, CLI_FILE, "FILE", "csv", NULL, AT(csv_log),
     "write the values of every epoch there"},
    {"backup", 0, CLI_FOLDER, "FOLDER", NULL, NULL, AT(backup),
     "keep all that it takes to go on there; the same command resumes a run that was interrupted "
     "or "
     "killed, and ends with the same result to the bit"},
    {"terminate-on-nan", 0, CLI_FLAG, NULL, NULL, NULL, AT(terminate_on_nan),
     "stop when the loss is not a finite number"},

    {"output", 'o', CLI_FILE, "FILE", "keras", "Results", AT(output),
     "save the trained model there: .keras, or .weights.h5 for its weights alone. The file appears "
     "complete or not at all"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, AT(force), "replace FILE if it exists"},
    CLI_COMMON_OPTIONS(fit_options),
    {NULL, 'v', CLI_FLAG, NULL, NULL, NULL, AT(more), "print the bytes of every layer, too"},
    {"verbose", 0, CLI_CHOICE, "HOW", "auto|0|1|2", NULL, AT(verbose),
     "progress: 0 none, 1 a bar, 2 a line per epoch, auto a bar on terminals and lines elsewhere"},
    CLI_COLOUR_OPTIONS(fit_options),
};

static const cli_example examples[] = {
    {"snug fit model.keras --data train.npz --epochs 5 --batch-size 64 -o trained.keras",
     "train the model, which says itself how (it was compiled)"},
    {"snug fit model.keras --data x.npy y.npy --validation-split 0.1 -o trained.keras",
     "two files; validate with the last tenth"},
    {"snug fit model.keras --data train.npz --optimizer adam --loss mse -o a.keras",
     "say how to train a model that was not compiled"},
    {"snug fit m.keras --data d.npz --epochs 50 --early-stopping loss:patience=3 -o a.keras",
     "stop when it no longer gets better"},
};

const cli_verb cli_verb_fit = {
    .name = "fit",
    .summary = "train a Keras model",
    .operand = JOB_OPERAND(fit_options, "to train"),
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Trains as Keras does, and says before the first step how many bytes that takes. What is "
        "saved loads in Keras, which goes on with the same next step.\n"
        "Progress goes to standard error, the result to standard output.\n"
        "Ctrl-C or SIGTERM ends the training after the batch that runs; the model is then saved "
        "if -o is given. A second one ends it at once; a file that exists stays whole.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits =
        "3\tit does not fit into memory\n"
        "130\tinterrupted by Ctrl-C\n"
        "143\tinterrupted by SIGTERM\n",
    .computes = true,
    .run = fit_command,
};
