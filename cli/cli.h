/* What the verbs of the command share.  stdout carries results, stderr all else. */
#ifndef SNUG_CLI_H
#define SNUG_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"
#include "snug/tools.h"

typedef enum cli_exit {
  CLI_OK = 0,
  CLI_FAILURE = 1,
  CLI_USAGE = 2,
  CLI_NO_FIT = 3,        /* a plan says that it does not fit */
  CLI_EXCEEDED = 4,      /* a maximum was passed while it ran */
  CLI_NOT_WATCHED = 125, /* as env and timeout have them: snug itself failed, */
  CLI_NOT_RUN = 126,     /* a command may not be run, */
  CLI_NOT_FOUND = 127,   /* or is not there */
  CLI_SIGNAL = 128       /* plus the number of the signal that ended it early */
} cli_exit;

/* Print "snug: " and a line to stderr; returns code. */
int cli_fail(int code, const char *format, ...) SNUG_PRINTF(2, 3);

/* Report a verb that is not there; returns CLI_USAGE. */
int cli_no_verb(const char *name);

/* What the library says, with options in place of what a program would set ("replan of
 * snug_fit_options"): into out, which is returned; of the last failure, until the next call. */
#define CLI_MESSAGE_BYTES 1200
const char *cli_in_options(const char *message, char out[CLI_MESSAGE_BYTES]);
const char *cli_message(const snug_ctx *ctx);

/* Report the failure of a library call by its message; returns CLI_FAILURE or CLI_NO_FIT. */
int cli_fail_status(const snug_ctx *ctx, snug_status status);

/* End a command whose result went to stdout: a full disk is a failure, a closed pipe is quiet. */
int cli_finish(int code);

/* Read a number of bytes such as 2GiB, 2G (the same), 2GB (decimal) or 4096. */
bool cli_parse_bytes(const char *text, int64_t *out);

/* Read a whole number >= 0, a number of seconds > 0, or any finite number. */
bool cli_parse_count(const char *text, int64_t *out);
bool cli_parse_seconds(const char *text, double *out);
bool cli_parse_real(const char *text, double *out);

/* Read the shape of a sample, "28,28,1" or "28x28x1", and move *at behind it, to the end of the
 * text or a ";".  Returns the number of axes, up to `most`; 0 if it is no shape. */
int32_t cli_parse_shape(const char **at, int64_t *shape, int32_t most);

/* Read the shapes of samples that a file may leave open, "224,224,3" or, of several inputs,
 * "224,224,3;8", into as many arrays without data.  Reports; returns 0 or an exit code. */
#define CLI_MOST_INPUTS 64
int cli_parse_shapes(const char *text, snug_array x[CLI_MOST_INPUTS], int32_t *n);

/* Element i of an array, and the elements of one sample. */
double cli_value_at(const snug_array *a, int64_t i);
int64_t cli_sample_values(const snug_array *a);

/* A file that appears under its name complete or not at all. */
typedef struct cli_file {
  FILE *stream;
  snug_ctx *ctx; /* the caller's */
  bool force;
  snug_new_file file;
} cli_file;

/* Whether there is something before an ending such as ".keras". */
bool cli_ends_in(const char *text, const char *ending);

/* Is there something at path that may not be replaced?  Reports it; returns 0 or an exit code. */
int cli_file_check(const char *path, bool force);

/* Can a file be made in the folder of path?  Likewise. */
int cli_file_check_folder(const char *path);

/* Begin and end writing; both report and return 0 or an exit code.  Every begun file must be ended.
 */
int cli_file_begin(cli_file *f, snug_ctx *ctx, const char *path, bool force);
int cli_file_end(cli_file *f);

/* Read a whole file ("-": standard input) while there is room (NULL: not looked at).  Owns: *text
 * is the caller's, freed by free(), with a NUL after its n bytes.  Reports; returns 0 or an exit
 * code.
 */
struct cli_room;
int cli_file_read(const char *path, const struct cli_room *room, char **text, size_t *n);

/* The verbs, each in a file of its own. */
extern const cli_verb cli_verb_fit, cli_verb_plan, cli_verb_evaluate, cli_verb_predict,
    cli_verb_summary, cli_verb_layers, cli_verb_data, cli_verb_init, cli_verb_pack, cli_verb_report,
    cli_verb_compare, cli_verb_watch, cli_verb_completion, cli_verb_help;

#endif
