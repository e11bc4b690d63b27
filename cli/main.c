/* snug <verb>: the table of verbs, and what needs none. */
#include <stdarg.h>
#include <string.h>

#include "cli.h"

static const cli_verb verbs[] = {
    {"pack", "give buffers with lifespans their offsets in one block of memory", cli_pack},
};

#define N_VERBS (sizeof verbs / sizeof *verbs)

int cli_fail(int code, const char *format, ...) {
  va_list args;
  fputs("snug: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return code;
}

static void print_help(FILE *out) {
  fputs(
      "snug: training inside a stated number of bytes\n\n"
      "Examples:\n"
      "  snug pack problem.csv --capacity 2GiB -o placed.csv\n"
      "  snug pack --help\n\n"
      "Verbs:\n",
      out);
  for (size_t i = 0; i < N_VERBS; i++) {
    fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
  }
  fputs(
      "\nOptions:\n"
      "  --version    print the version\n"
      "  -h, --help   this text; after a verb, that verb's (also: snug help VERB)\n\n"
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 does not fit.\n",
      out);
}

static int run_verb(const char *name, int n_args, char **args) {
  for (size_t i = 0; i < N_VERBS; i++) {
    if (strcmp(verbs[i].name, name) == 0) {
      return verbs[i].run(n_args, args);
    }
  }
  return cli_fail(CLI_USAGE, "there is no %s \"%s\"; see snug --help",
                  name[0] == '-' ? "option" : "verb", name);
}

/* snug help, snug help VERB */
static int run_help(int n_args, char **args) {
  static char help_option[] = "--help";
  char *only[] = {help_option};
  if (n_args > 0) {
    return run_verb(args[0], 1, only);
  }
  print_help(stdout);
  return CLI_OK;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("snug %s\n", snug_version());
    return CLI_OK;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    return run_help(0, NULL);
  }
  if (strcmp(argv[1], "help") == 0) {
    return run_help(argc - 2, argv + 2);
  }
  return run_verb(argv[1], argc - 2, argv + 2);
}
