/* The options of fit. */
#include "fit_table.h"

static const cli_option options[] = {
    FIT_SHARED_OPTIONS,
    {"output", 'o', CLI_FILE, "FILE", "keras", "Results", AT(output),
     "save the trained model there: .keras, or .weights.h5 for its weights alone. The file appears "
     "complete or not at all"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, AT(force),
     "replace files that exist; a run that goes on from its --backup does so with its own"},
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
    {"snug fit model.keras --data train.npz --memory 2GiB -o trained.keras",
     "the whole process stays under 2 GiB, or is refused before the first step"},
    {"snug fit model.keras --data train.npz --memory-log mem.csv --target-batches 0,10,20-30",
     "write the memory after these batches, and at the ends of epochs"},
    {"snug fit model.keras --data train.npz --record run.snug --target-batches 5,10,25",
     "record the run, to be seen with snug report run.snug --html"},
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
        "With --memory the plan is made to fit under that line, at the least cost in time, and the "
        "process does not pass it. If nothing fits, that is said before the first step, with the "
        "least line that would do and with changes that would help. Without --memory it runs at "
        "full "
        "speed, and is refused in the same way if it needs more than the container or the machine "
        "leaves it.\n"
        "Progress goes to standard error, the result to standard output.\n"
        "Ctrl-C, SIGTERM or a closed terminal ends the training after the batch that runs; the "
        "model "
        "is then saved if -o is given. Another Ctrl-C or SIGTERM ends it at once; a file that "
        "exists "
        "stays whole.\n"
        "What cannot be written is told before the first step: every folder and name is tried, and "
        "the room for -o is reserved. If a file fails later, the training goes on, and ends with "
        "exit code 1; what was trained is then in the file that the message names, in another "
        "folder if it must be (that of -o, --backup or --checkpoint, TMPDIR, /tmp). The same holds "
        "where data cannot be read any more. A backup is removed when the model is saved.\n"
        "No output replaces a file that the run reads, and other files only with --force. A run "
        "that writes a log, a recording or a backup keeps other runs from it.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits =
        "3\tit does not fit under the line or into what the process may hold, and what would fit "
        "is "
        "said; or the system refuses memory\n"
        "129\tinterrupted by SIGHUP: its terminal was closed\n"
        "130\tinterrupted by Ctrl-C\n"
        "143\tinterrupted by SIGTERM\n",
    .computes = true,
    .run = fit_command,
};
