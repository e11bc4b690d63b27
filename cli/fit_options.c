/* The options of fit. */
#include "fit_table.h"

static const cli_option options[] = {
    FIT_SHARED_OPTIONS,
    {"output", 'o', CLI_FILE, "FILE", "keras", "Results", AT(output),
     "save the trained model to FILE: .keras, or .weights.h5 for the weights only. The file "
     "appears complete or not at all"},
    {"force", 'f', CLI_FLAG, NULL, NULL, NULL, AT(force),
     "replace existing files; a run that resumes from its --backup replaces its own without this "
     "option"},
    CLI_COMMON_OPTIONS(fit_options),
    {NULL, 'v', CLI_FLAG, NULL, NULL, NULL, AT(more), "also print the bytes of every layer"},
    {"verbose", 0, CLI_CHOICE, "HOW", "auto|0|1|2", NULL, AT(verbose),
     "progress: 0 none, 1 a bar, 2 a line per epoch, auto a bar on terminals and lines elsewhere"},
    CLI_COLOUR_OPTIONS(fit_options),
};

static const cli_example examples[] = {
    {"snug fit model.keras --data train.npz --epochs 5 --batch-size 64 -o trained.keras",
     "train a model that was compiled in Keras"},
    {"snug fit model.keras --data x.npy y.npy --validation-split 0.1 -o trained.keras",
     "two files; the last tenth is for validation"},
    {"snug fit model.keras --data train.npz --optimizer adam --loss mse -o a.keras",
     "choose optimizer and loss for a model that was not compiled"},
    {"snug fit m.keras --data d.npz --epochs 50 --early-stopping loss:patience=3 -o a.keras",
     "stop when the loss no longer improves"},
    {"snug fit model.keras --data train.npz --memory 2GiB -o trained.keras",
     "the whole process stays under 2 GiB, or is refused before the first step"},
    {"snug fit model.keras --data train.npz --memory-log mem.csv --target-batches 0,10,20-30",
     "log memory after these batches and at the end of each epoch"},
    {"snug fit model.keras --data train.npz --record run.snug --target-batches 5,10,25",
     "record the run; view it with snug report run.snug --html"},
};

const cli_verb cli_verb_fit = {
    .name = "fit",
    .summary = "train a Keras model",
    .operand = JOB_OPERAND(fit_options, "to train"),
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "Trains as Keras does, and reports before the first step how many bytes that takes. Keras "
        "loads the saved model and continues with the same next step.\n"
        "With --memory Snug chooses the fastest plan under that line, and the process stays under "
        "it. If no plan fits, Snug stops before the first step and prints the smallest line that "
        "would do and changes that would help. Without --memory it uses the fastest plan, and "
        "refuses in the same way if that needs more than the container or the machine allows.\n"
        "Progress goes to standard error, the result to standard output.\n"
        "Ctrl-C, SIGTERM or a closed terminal ends the training after the current batch; the model "
        "is then saved if -o is given. A second Ctrl-C or SIGTERM ends it at once; existing files "
        "stay intact.\n"
        "All output paths are checked before the first step, and disk space for -o is reserved. If "
        "a file cannot be written later, the training continues and ends with exit code 1; the "
        "model is then in the file that the message names, in another folder if necessary (that of "
        "-o, --backup or --checkpoint, TMPDIR, /tmp). The same applies if data can no longer be "
        "read. A backup is removed when the model is saved.\n"
        "An output never replaces a file that the run reads; it replaces other files only with "
        "--force. Two runs cannot write the same log, recording or backup at the same time.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits =
        "3\tit does not fit under the line or in the memory that the process may use, and what "
        "would fit is printed; or the system refused memory\n"
        "129\tinterrupted by SIGHUP: its terminal was closed\n"
        "130\tinterrupted by Ctrl-C\n"
        "143\tinterrupted by SIGTERM\n",
    .computes = true,
    .run = fit_command,
};
