/* The command line as tables.  An option is described once; parsing, --help, the manual pages and
 * the completions of shells follow from it. */
#ifndef SNUG_CLI_OPTIONS_H
#define SNUG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option takes, and the type of the member that it sets. */
typedef enum cli_kind {
  CLI_FLAG,       /* bool */
  CLI_TEXT,       /* const char *, not empty */
  CLI_FILE,       /* const char *: the name of a file */
  CLI_FILE_MAYBE, /* const char *: the name of a file behind "=", or the next argument if it has one
                     of the endings in `choices`; otherwise "" */
  CLI_FOLDER,     /* const char * */
  CLI_CHOICE,     /* const char *: one of `choices` */
  CLI_FILES, /* cli_list: the value and the arguments behind it, up to the next option or model */
  CLI_WORDS, /* cli_list: separated by commas outside of brackets; may be given several times */
  CLI_COUNT, /* int64_t, 0 or more */
  CLI_AT_LEAST_1, /* int64_t */
  CLI_REAL,       /* double, finite */
  CLI_SECONDS,    /* double, above 0 */
  CLI_BYTES       /* int64_t, above 0: 4096, 2GiB */
} cli_kind;

typedef struct cli_list {
  const char **items;
  int32_t n;
} cli_list;

typedef struct cli_option {
  const char *name; /* without the dashes; NULL: the letter alone */
  char letter;      /* '\0': none */
  cli_kind kind;
  const char *value;   /* what the texts call its value: "FILE" */
  const char *choices; /* CLI_CHOICE: "auto|0|1"; texts and words: some that shells may offer,
                          likewise; files: the endings to complete, "npz npy" */
  const char *group;   /* heading it stands under; NULL: that of the option before */
  size_t member;       /* offsetof the member in the struct of the verb */
  const char *help;    /* sentences; the first begins in lower case and has no full stop */
} cli_option;

/* The argument that is no option. */
typedef struct cli_operand {
  const char *value;   /* "MODEL"; NULL: there is none */
  const char *what;    /* "the .keras file to train" */
  const char *choices; /* "bash|zsh|fish", or endings as in cli_option if is_file */
  bool is_file, is_optional;
  size_t member;   /* of a const char *, or of a cli_list if is_list */
  bool is_list;    /* one or more of them */
  bool is_command; /* with its arguments, behind "--" */
} cli_operand;

typedef struct cli_example {
  const char *command, *says;
} cli_example;

typedef struct cli_verb {
  const char *name, *summary;
  cli_operand operand;
  const cli_example *examples;
  size_t n_examples;
  const char *description; /* paragraphs, each ended by a line break */
  const cli_option *options;
  size_t n_options;
  const char *exits; /* more exit codes than 0, 1, 2: "3\ttext\n" lines; NULL: none */
  const char *shown; /* a transcript for the manual page; NULL: none */
  bool computes;     /* with threads */
  bool runs_others;  /* programs, which get signals as they were before */
  int (*run)(const struct cli_verb *verb, int n_args, char **args);
} cli_verb;

/* Options that many verbs have; the struct of the verb has a member `common`. */
typedef struct cli_common {
  bool json, quiet, no_colour;
  const char *colour;
} cli_common;

/* clang-format off */
#define CLI_COMMON_OPTIONS(type)                                                                   \
  {"json", 0, CLI_FLAG, NULL, NULL, "Output", offsetof(type, common.json),                         \
   "print the result as one JSON object. Bytes are integers, values that are not finite are null"},\
  {"quiet", 'q', CLI_FLAG, NULL, NULL, NULL, offsetof(type, common.quiet),                         \
   "no progress and no notes"}
#define CLI_COLOUR_OPTIONS(type)                                                                   \
  {"color", 0, CLI_CHOICE, "WHEN", "auto|always|never", NULL, offsetof(type, common.colour),       \
   "use colours: auto (on terminals), always or never"},                                           \
  {"no-color", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(type, common.no_colour),                    \
   "the same as --color=never"}
/* clang-format on */

/* Every verb there is. */
extern const cli_verb *const cli_verbs[];
extern const size_t cli_n_verbs;
const cli_verb *cli_verb_find(const char *name);

/* Read the arguments of a verb into its struct, which holds the defaults.  Reports; returns 0 or an
 * exit code.  Owns: lists are the caller's in any case, ended by cli_options_release. */
int cli_parse(const cli_verb *verb, int n_args, char **args, void *into);
void cli_options_release(const cli_verb *verb, void *from);

/* The other way round: append the arguments that make `from` of `defaults`, the operand first.
 * Reports; 0 or an exit code. */
int cli_unparse(const cli_verb *verb, const void *from, const void *defaults, cli_list *args);

/* Print an argument as a shell takes it. */
void cli_print_argument(const char *argument, FILE *out);

/* Append a copy of a text.  Reports; 0 or an exit code. */
int cli_list_add(cli_list *list, const char *item);

/* Split a text at commas outside of brackets and append the parts.  Reports; 0 or an exit code. */
int cli_list_split(cli_list *list, const char *text);
void cli_list_release(cli_list *list);

/* The name among n that `wrong` may have been meant to be, or NULL. */
const char *cli_nearest(const char *wrong, const char *const *names, size_t n);

/* The texts that are made of the tables. */
void cli_print_help(const cli_verb *verb, FILE *out);
void cli_print_man(const cli_verb *verb, FILE *out);
void cli_print_overview(FILE *out);     /* snug --help */
void cli_print_man_overview(FILE *out); /* snug(1) */
void cli_print_bash(FILE *out);
void cli_print_zsh(FILE *out);
void cli_print_fish(FILE *out);

/* Whether an option takes a value. */
bool cli_takes_value(const cli_option *option);

#endif
