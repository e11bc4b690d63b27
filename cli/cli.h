/* What the verbs of the command share.  stdout carries results, stderr all else. */
#ifndef SNUG_CLI_H
#define SNUG_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "snug/snug.h"

typedef enum cli_exit {
  CLI_OK = 0,
  CLI_FAILURE = 1,
  CLI_USAGE = 2,
  CLI_NO_FIT = 3 /* a plan says that it does not fit */
} cli_exit;

/* A verb: `snug <name> ...`; args are what follows the name. */
typedef struct cli_verb {
  const char *name, *summary;
  int (*run)(int n_args, char **args);
} cli_verb;

int cli_pack(int n_args, char **args);

/* Print "snug: " and a line to stderr; returns code. */
int cli_fail(int code, const char *format, ...) SNUG_PRINTF(2, 3);

/* Options of a verb, taken one by one.  An option that is not known, or lacks its value, is
 * reported by cli_args_bad. */
typedef struct cli_args {
  const char *verb;
  int n;
  char **args;
  int at;            /* the next one */
  const char *value; /* of the last option, from "--name=value" or the argument after it */
  bool is_missing;   /* an option lacked its value */
} cli_args;

/* Is the next argument this option without a value (or NULL for either name)?  Steps past it. */
bool cli_flag(cli_args *a, const char *short_name, const char *long_name);

/* The same for an option with a value, which is then in a->value. */
bool cli_option(cli_args *a, const char *short_name, const char *long_name);

/* The next argument if it is not an option, else NULL.  "--" ends the options, "-" is an argument.
 */
const char *cli_operand(cli_args *a);

/* Report the argument that nothing wanted; returns CLI_USAGE. */
int cli_args_bad(const cli_args *a);

/* Read a number of bytes such as 2GiB, 2G (the same), 2GB (decimal) or 4096. */
bool cli_parse_bytes(const char *text, int64_t *out);

/* Read a whole number >= 0, or a number of seconds > 0. */
bool cli_parse_count(const char *text, int64_t *out);
bool cli_parse_seconds(const char *text, double *out);

/* Write bytes for people, e.g. "1.50 MiB", into 16 characters at least; returns dst. */
const char *cli_bytes_text(int64_t bytes, char *dst, size_t dst_bytes);

/* A file that appears under its name complete or not at all: it is written beside, brought to disk
 * and renamed. */
typedef struct cli_file {
  FILE *stream;
  char *path, *beside;
  bool force;
} cli_file;

/* Is there something at path that may not be replaced?  Reports it; returns 0 or an exit code. */
int cli_file_check(const char *path, bool force);

/* Begin and end writing; both report and return 0 or an exit code.  Every begun file must be ended
 * or dropped. */
int cli_file_begin(cli_file *f, const char *path, bool force);
int cli_file_end(cli_file *f);
void cli_file_drop(cli_file *f);

/* Read a whole file ("-": standard input).  Owns: *text is the caller's, freed by free(), with a
 * NUL after its n bytes.  Reports; returns 0 or an exit code. */
int cli_file_read(const char *path, char **text, size_t *n);

/* Write text as a JSON string. */
void cli_json_text(FILE *out, const char *text, size_t n);

#endif
