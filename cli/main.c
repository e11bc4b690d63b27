/* snug <verb>. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "cli.h"
#include "patience.h"

int cli_fail(int code, const char *format, ...) {
  va_list args;
  fputs("snug: ", stderr);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return code;
}

int cli_fail_status(const snug_ctx *ctx, snug_status status) {
  const char *message = cli_message(ctx);
  bool no_room = status == SNUG_E_LIMIT || status == SNUG_E_MEMORY;
  return cli_fail(no_room ? CLI_NO_FIT : CLI_FAILURE, "%s",
                  *message ? message : snug_status_text(status));
}

int cli_finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return code;
  }
  if (errno == EPIPE) { /* whoever read has read enough */
    return code ? code : CLI_SIGNAL + SIGPIPE;
  }
  return cli_fail(CLI_FAILURE, "standard output: %s", strerror(errno));
}

int cli_no_verb(const char *name) {
  const char *names[64];
  size_t n = cli_n_verbs < 64 ? cli_n_verbs : 64;
  for (size_t i = 0; i < n; i++) {
    names[i] = cli_verbs[i]->name;
  }
  const char *near = cli_nearest(name, names, n);
  return cli_fail(CLI_USAGE, "there is no %s \"%s\"%s%s%s snug --help",
                  name[0] == '-' ? "option" : "verb", name, near ? "; did you mean " : "",
                  near ? near : "", near ? "? See" : "; see");
}

static bool wants_help(int n_args, char **args) {
  for (int i = 0; i < n_args && strcmp(args[i], "--") != 0; i++) {
    if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

static int run_verb(int argc, char **argv) {
  const char *name = argv[1];
  int n_args = argc - 2;
  char **args = argv + 2;
  const cli_verb *verb = cli_verb_find(name);
  if (!verb) {
    return cli_no_verb(name);
  }
  if (wants_help(n_args, args)) {
    cli_print_help(verb, stdout);
    return cli_finish(CLI_OK);
  }
  if (verb->computes) {
    patience_set(argv);
  }
  if (!verb->runs_others) {
    signal(SIGPIPE, SIG_IGN); /* a closed pipe must not end a training */
    signal(SIGXFSZ, SIG_IGN); /* nor a limit on the size of files */
  }
  return verb->run(verb, n_args, args);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    cli_print_overview(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("snug %s\n", snug_version());
    return cli_finish(CLI_OK);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    cli_print_overview(stdout);
    return cli_finish(CLI_OK);
  }
  return run_verb(argc, argv);
}
