/* From the struct of a verb back to the arguments that it came from. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define NUMBER_BYTES 40

static const void *member_of(const void *from, size_t offset) {
  return (const char *)from + offset;
}

static int add_name(const cli_option *o, cli_list *args) {
  char name[64];
  if (o->name) {
    snprintf(name, sizeof name, "--%s", o->name);
  } else {
    snprintf(name, sizeof name, "-%c", o->letter);
  }
  return cli_list_add(args, name);
}

static int add_files(const cli_option *o, const cli_list *files, cli_list *args) {
  int code = files->n ? add_name(o, args) : CLI_OK;
  for (int32_t i = 0; i < files->n && !code; i++) {
    code = cli_list_add(args, files->items[i]);
  }
  return code;
}

/* Each word under a name of its own: they may hold commas in brackets. */
static int add_words(const cli_option *o, const cli_list *words, cli_list *args) {
  int code = CLI_OK;
  for (int32_t i = 0; i < words->n && !code; i++) {
    code = add_name(o, args);
    code = code ? code : cli_list_add(args, words->items[i]);
  }
  return code;
}

/* The shortest form that reads back as the same number. */
static const char *real_text(double value, char text[NUMBER_BYTES]) {
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, NUMBER_BYTES, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      break;
    }
  }
  return text;
}

static const char *value_text(const cli_option *o, const void *member, char number[NUMBER_BYTES]) {
  switch (o->kind) {
    case CLI_COUNT:
    case CLI_AT_LEAST_1:
    case CLI_BYTES:
      snprintf(number, NUMBER_BYTES, "%lld", (long long)*(const int64_t *)member);
      return number;
    case CLI_REAL:
    case CLI_SECONDS:
      return real_text(*(const double *)member, number);
    default:
      return *(const char *const *)member;
  }
}

static size_t bytes_of(cli_kind kind) {
  return kind == CLI_FLAG ? sizeof(bool) : sizeof(int64_t); /* as long as a double or a pointer */
}

static int add_option(const cli_option *o, const void *member, const void *usual, cli_list *args) {
  char number[NUMBER_BYTES];
  if (o->kind == CLI_FILES) {
    return add_files(o, member, args);
  }
  if (o->kind == CLI_WORDS) {
    return add_words(o, member, args);
  }
  if (memcmp(member, usual, bytes_of(o->kind)) == 0) {
    return CLI_OK;
  }
  int code = add_name(o, args);
  return code || o->kind == CLI_FLAG ? code : cli_list_add(args, value_text(o, member, number));
}

int cli_unparse(const cli_verb *verb, const void *from, const void *defaults, cli_list *args) {
  const char *operand =
      verb->operand.value ? *(const char *const *)member_of(from, verb->operand.member) : NULL;
  int code = operand ? cli_list_add(args, operand) : CLI_OK;
  for (size_t i = 0; i < verb->n_options && !code; i++) {
    const cli_option *o = &verb->options[i];
    code = add_option(o, member_of(from, o->member), member_of(defaults, o->member), args);
  }
  return code;
}

void cli_print_argument(const char *argument, FILE *out) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
  if (*argument && argument[strspn(argument, plain)] == '\0') {
    fputs(argument, out);
    return;
  }
  fputc('\'', out);
  for (const char *c = argument; *c; c++) {
    fputs(*c == '\'' ? "'\\''" : (const char[]){*c, '\0'}, out);
  }
  fputc('\'', out);
}
