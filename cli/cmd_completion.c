/* snug completion, snug help: texts that are made of the tables. */
#include <string.h>

#include "cli.h"

typedef struct completion_command {
  const char *shell;
} completion_command;

static int run_completion(const cli_verb *verb, int n_args, char **args) {
  completion_command c = {0};
  int code = cli_parse(verb, n_args, args, &c);
  if (code) {
    return code;
  }
  void (*print)(FILE *) = strcmp(c.shell, "bash") == 0  ? cli_print_bash
                          : strcmp(c.shell, "zsh") == 0 ? cli_print_zsh
                                                        : cli_print_fish;
  print(stdout);
  return cli_finish(CLI_OK);
}

static const cli_example completion_examples[] = {
    {"source <(snug completion bash)", "completion in this shell"},
    {"snug completion fish > ~/.config/fish/completions/snug.fish", "permanently, in fish"},
};

const cli_verb cli_verb_completion = {
    .name = "completion",
    .summary = "print the script that completes snug's verbs and options in a shell",
    .operand = {"SHELL", "bash, zsh or fish", "bash|zsh|fish", false, false,
                offsetof(completion_command, shell)},
    .examples = completion_examples,
    .n_examples = sizeof completion_examples / sizeof *completion_examples,
    .run = run_completion,
};

typedef struct help_command {
  const char *verb;
  bool man;
} help_command;

static int run_help(const cli_verb *verb, int n_args, char **args) {
  help_command c = {0};
  int code = cli_parse(verb, n_args, args, &c);
  const cli_verb *about = c.verb ? cli_verb_find(c.verb) : NULL;
  if (!code && c.verb && !about) {
    code = cli_no_verb(c.verb);
  }
  if (code) {
    return code;
  }
  if (about) {
    (c.man ? cli_print_man : cli_print_help)(about, stdout);
  } else {
    (c.man ? cli_print_man_overview : cli_print_overview)(stdout);
  }
  return cli_finish(CLI_OK);
}

static const cli_example help_examples[] = {
    {"snug help pack", "the same as snug pack --help"},
    {"snug help --man pack | man -l -", "read the manual page"},
};

static const cli_option help_options[] = {
    {"man", 0, CLI_FLAG, NULL, NULL, "Options", offsetof(help_command, man),
     "print the manual page, in roff"},
};

const cli_verb cli_verb_help = {
    .name = "help",
    .summary = "list the verbs, or print the help of one",
    .operand = {"VERB", "the verb to tell about; without it, all are listed", NULL, false, true,
                offsetof(help_command, verb)},
    .examples = help_examples,
    .n_examples = sizeof help_examples / sizeof *help_examples,
    .options = help_options,
    .n_options = sizeof help_options / sizeof *help_options,
    .run = run_help,
};
