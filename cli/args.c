#include <string.h>

#include "cli.h"

static const char *current(const cli_args *a) { return a->at < a->n ? a->args[a->at] : NULL; }

static bool is_name(const char *arg, const char *name) { return name && strcmp(arg, name) == 0; }

bool cli_flag(cli_args *a, const char *short_name, const char *long_name) {
  const char *arg = current(a);
  if (!arg || !(is_name(arg, short_name) || is_name(arg, long_name))) {
    return false;
  }
  a->at++;
  return true;
}

bool cli_option(cli_args *a, const char *short_name, const char *long_name) {
  const char *arg = current(a);
  size_t length = strlen(long_name);
  if (arg && strncmp(arg, long_name, length) == 0 && arg[length] == '=') {
    a->value = arg + length + 1;
    a->at++;
    return true;
  }
  if (!arg || !(is_name(arg, short_name) || is_name(arg, long_name))) {
    return false;
  }
  if (a->at + 1 >= a->n) {
    a->is_missing = true;
    return false;
  }
  a->value = a->args[a->at + 1];
  a->at += 2;
  return true;
}

const char *cli_operand(cli_args *a) {
  const char *arg = current(a);
  if (arg && strcmp(arg, "--") == 0) {
    a->at++;
    arg = current(a);
  } else if (arg && arg[0] == '-' && arg[1] != '\0') {
    arg = NULL;
  }
  a->at += arg != NULL;
  return arg;
}

int cli_args_bad(const cli_args *a) {
  const char *arg = current(a);
  if (a->is_missing) {
    return cli_fail(CLI_USAGE, "%s: option %s needs a value", a->verb, arg);
  }
  return cli_fail(CLI_USAGE, "%s: what is \"%s\"? See snug %s --help", a->verb, arg ? arg : "",
                  a->verb);
}
