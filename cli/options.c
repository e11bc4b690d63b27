/* From arguments to the struct of a verb, as its table says. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define NAME_BYTES 64
#define MAX_LIST 4096

typedef struct parser {
  const cli_verb *verb;
  int n, at; /* at: the next argument */
  char **args;
  char *into;
  bool has_operand, options_ended;
} parser;

bool cli_takes_value(const cli_option *o) { return o->kind != CLI_FLAG; }

/* "--name", or "-l" of an option that has no name. */
static const char *full_name(const cli_option *o, char text[NAME_BYTES]) {
  if (o->name) {
    snprintf(text, NAME_BYTES, "--%s", o->name);
  } else {
    snprintf(text, NAME_BYTES, "-%c", o->letter);
  }
  return text;
}

/* ---- lists ---- */

static int push(cli_list *list, const char *item) {
  const char **grown =
      list->n < MAX_LIST ? realloc(list->items, (size_t)(list->n + 1) * sizeof *list->items) : NULL;
  if (!grown) {
    return cli_fail(CLI_FAILURE, "no memory for a list of %d", list->n + 1);
  }
  list->items = grown;
  list->items[list->n++] = item;
  return CLI_OK;
}

int cli_list_add(cli_list *list, const char *item) {
  char *copy = strdup(item);
  int code = copy ? push(list, copy) : cli_fail(CLI_FAILURE, "no memory");
  if (code) {
    free(copy);
  }
  return code;
}

static bool is_open(char c) { return c == '(' || c == '[' || c == '{'; }
static bool is_close(char c) { return c == ')' || c == ']' || c == '}'; }

/* Length up to the next comma outside of brackets. */
static size_t word_length(const char *text) {
  int depth = 0;
  size_t n = 0;
  for (; text[n] && (text[n] != ',' || depth > 0); n++) {
    depth += is_open(text[n]) ? 1 : is_close(text[n]) ? -1 : 0;
  }
  return n;
}

int cli_list_split(cli_list *list, const char *text) {
  for (;;) {
    text += strspn(text, " ");
    size_t n = word_length(text);
    char *word = strndup(text, n);
    int code = word ? push(list, word) : cli_fail(CLI_FAILURE, "no memory");
    if (code) {
      free(word);
      return code;
    }
    if (!text[n]) {
      return CLI_OK;
    }
    text += n + 1;
  }
}

void cli_list_release(cli_list *list) {
  for (int32_t i = 0; i < list->n; i++) {
    free((char *)(uintptr_t)list->items[i]);
  }
  free(list->items);
  *list = (cli_list){0};
}

void cli_options_release(const cli_verb *verb, void *from) {
  for (size_t i = 0; i < verb->n_options; i++) {
    const cli_option *o = &verb->options[i];
    if (o->kind == CLI_FILES || o->kind == CLI_WORDS) {
      cli_list_release((cli_list *)(void *)((char *)from + o->member));
    }
  }
  if (verb->operand.is_list) {
    cli_list_release((cli_list *)(void *)((char *)from + verb->operand.member));
  }
}

/* ---- values ---- */

static const char *wanted(const cli_option *o) {
  switch (o->kind) {
    case CLI_COUNT:
      return "a whole number, 0 or more";
    case CLI_AT_LEAST_1:
      return "a whole number above 0";
    case CLI_REAL:
      return "a number";
    case CLI_SECONDS:
      return "a number of seconds above 0";
    case CLI_BYTES:
      return "a number of bytes such as 4096 or 2GiB";
    case CLI_FILE:
    case CLI_FILE_MAYBE:
    case CLI_FILES:
      return "the name of a file";
    case CLI_FOLDER:
      return "the name of a folder";
    default:
      return "a text";
  }
}

static int bad_value(const parser *p, const cli_option *o, const char *value) {
  char name[NAME_BYTES];
  return cli_fail(CLI_USAGE, "%s: %s is \"%s\"; %s is needed", p->verb->name, full_name(o, name),
                  value, wanted(o));
}

/* Whether a word is in "a|b|c". */
static bool is_choice(const char *choices, const char *word) {
  size_t n = strlen(word);
  for (const char *at = choices; *at; at += *at == '|') {
    size_t length = strcspn(at, "|");
    if (length == n && memcmp(at, word, n) == 0) {
      return true;
    }
    at += length;
  }
  return false;
}

static int set_choice(const parser *p, const cli_option *o, const char *value) {
  char name[NAME_BYTES];
  if (!is_choice(o->choices, value)) {
    return cli_fail(CLI_USAGE, "%s: %s is \"%s\"; there is %s", p->verb->name, full_name(o, name),
                    value, o->choices);
  }
  *(const char **)(void *)(p->into + o->member) = value;
  return CLI_OK;
}

static bool set_number(const cli_option *o, const char *value, void *member) {
  switch (o->kind) {
    case CLI_COUNT:
      return cli_parse_count(value, member);
    case CLI_AT_LEAST_1:
      return cli_parse_count(value, member) && *(int64_t *)member > 0;
    case CLI_BYTES:
      return cli_parse_bytes(value, member) && *(int64_t *)member > 0;
    case CLI_SECONDS:
      return cli_parse_seconds(value, member);
    default:
      return cli_parse_real(value, member);
  }
}

/* The arguments behind a list of files belong to it too, but for the model. */
static int push_files(parser *p, cli_list *list, const char *first) {
  int code = CLI_OK;
  for (const char *file = first; file && !code;) {
    code = cli_list_add(list, file);
    file = p->at < p->n ? p->args[p->at] : NULL;
    file = file && file[0] != '-' && !cli_ends_in(file, ".keras") ? file : NULL;
    p->at += file != NULL;
  }
  return code;
}

static int set_value(parser *p, const cli_option *o, const char *value) {
  void *member = p->into + o->member;
  if (!*value && o->kind != CLI_FILE_MAYBE) {
    return bad_value(p, o, value);
  }
  switch (o->kind) {
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_FILE_MAYBE:
    case CLI_FOLDER:
      *(const char **)member = value;
      return CLI_OK;
    case CLI_CHOICE:
      return set_choice(p, o, value);
    case CLI_FILES:
      return push_files(p, member, value);
    case CLI_WORDS:
      return cli_list_split(member, value);
    default:
      return set_number(o, value, member) ? CLI_OK : bad_value(p, o, value);
  }
}

/* ---- options ---- */

static int no_value(const parser *p, const cli_option *o) {
  char name[NAME_BYTES];
  return cli_fail(CLI_USAGE, "%s: option %s needs a value: %s", p->verb->name, full_name(o, name),
                  o->value);
}

/* Whether an argument ends as the files of an option do. */
static bool has_ending(const cli_option *o, const char *argument) {
  for (const char *at = o->choices; *at; at += *at == ' ') {
    char ending[NAME_BYTES];
    size_t n = strcspn(at, " ");
    snprintf(ending, sizeof ending, ".%.*s", (int)n, at);
    if (argument[0] != '-' && cli_ends_in(argument, ending)) {
      return true;
    }
    at += n;
  }
  return false;
}

/* The value is in the argument itself, or it is the next one.  One that begins with two dashes is
 * rather an option, and the value was forgotten. */
static int take_value(parser *p, const cli_option *o, const char *attached) {
  if (attached) {
    return set_value(p, o, attached);
  }
  if (o->kind == CLI_FILE_MAYBE && !(p->at < p->n && has_ending(o, p->args[p->at]))) {
    return set_value(p, o, "");
  }
  if (p->at >= p->n || strncmp(p->args[p->at], "--", 2) == 0) {
    return no_value(p, o);
  }
  return set_value(p, o, p->args[p->at++]);
}

static const cli_option *find_long(const cli_verb *verb, const char *name, size_t n) {
  for (size_t i = 0; i < verb->n_options; i++) {
    const char *known = verb->options[i].name;
    if (known && strlen(known) == n && memcmp(known, name, n) == 0) {
      return &verb->options[i];
    }
  }
  return NULL;
}

static const cli_option *find_short(const cli_verb *verb, char letter) {
  for (size_t i = 0; i < verb->n_options; i++) {
    if (verb->options[i].letter == letter) {
      return &verb->options[i];
    }
  }
  return NULL;
}

static int unknown(const parser *p, const char *argument, size_t n) {
  const char *names[128];
  size_t n_names = 0;
  char name[NAME_BYTES];
  for (size_t i = 0; i < p->verb->n_options && n_names < 128; i++) {
    if (p->verb->options[i].name) {
      names[n_names++] = p->verb->options[i].name;
    }
  }
  snprintf(name, sizeof name, "%.*s", (int)n, argument);
  size_t dashes = strspn(name, "-");
  const char *near =
      name[dashes] && name[dashes + 1] ? cli_nearest(name + dashes, names, n_names) : NULL;
  return cli_fail(CLI_USAGE, "%s: there is no option \"%s\"%s%s%s snug %s --help", p->verb->name,
                  name, near ? "; did you mean --" : "", near ? near : "", near ? "? See" : "; see",
                  p->verb->name);
}

/* "--name", "--name=value", "--name value" */
static int parse_long(parser *p, const char *argument) {
  size_t n = strcspn(argument + 2, "=");
  const char *attached = argument[2 + n] ? argument + 3 + n : NULL;
  const cli_option *o = find_long(p->verb, argument + 2, n);
  if (!o) {
    return unknown(p, argument, n + 2);
  }
  if (cli_takes_value(o)) {
    return take_value(p, o, attached);
  }
  if (attached) {
    return cli_fail(CLI_USAGE, "%s: option --%s takes no value", p->verb->name, o->name);
  }
  *(bool *)(void *)(p->into + o->member) = true;
  return CLI_OK;
}

/* "-o value", "-ovalue", "-qf" */
static int parse_short(parser *p, const char *argument) {
  for (const char *letter = argument + 1; *letter; letter++) {
    const cli_option *o = find_short(p->verb, *letter);
    if (!o && letter == argument + 1) { /* as "-epochs 5" */
      return unknown(p, argument, strcspn(argument, "="));
    }
    if (!o) {
      char text[3] = {'-', *letter, '\0'};
      return unknown(p, text, 2);
    }
    if (cli_takes_value(o)) {
      return take_value(p, o, letter[1] ? letter + 1 + (letter[1] == '=') : NULL);
    }
    *(bool *)(void *)(p->into + o->member) = true;
  }
  return CLI_OK;
}

static int parse_operand(parser *p, const char *argument) {
  const cli_operand *operand = &p->verb->operand;
  if (!operand->value || (p->has_operand && !operand->is_list)) {
    return cli_fail(CLI_USAGE, "%s: what is \"%s\"? See snug %s --help", p->verb->name, argument,
                    p->verb->name);
  }
  if (!*argument) {
    return CLI_OK; /* and so it is missing */
  }
  if (operand->choices && !operand->is_file && !is_choice(operand->choices, argument)) {
    return cli_fail(CLI_USAGE, "%s: there is no %s \"%s\"; there is %s", p->verb->name,
                    operand->value, argument, operand->choices);
  }
  p->has_operand = true;
  void *member = p->into + operand->member;
  if (operand->is_list) {
    return cli_list_add(member, argument);
  }
  *(const char **)member = argument;
  return CLI_OK;
}

static int parse_one(parser *p) {
  const char *argument = p->args[p->at++];
  if (p->options_ended || argument[0] != '-' || argument[1] == '\0') {
    return parse_operand(p, argument);
  }
  if (strcmp(argument, "--") == 0) {
    p->options_ended = true;
    return CLI_OK;
  }
  return argument[1] == '-' ? parse_long(p, argument) : parse_short(p, argument);
}

int cli_parse(const cli_verb *verb, int n_args, char **args, void *into) {
  parser p = {.verb = verb, .n = n_args, .args = args, .into = into};
  while (p.at < p.n) {
    int code = parse_one(&p);
    if (code) {
      return code;
    }
  }
  if (verb->operand.value && !p.has_operand && !verb->operand.is_optional) {
    return cli_fail(CLI_USAGE, "%s: which %s? It is needed: %s; see snug %s --help", verb->name,
                    verb->operand.is_file ? "file" : verb->operand.value, verb->operand.what,
                    verb->name);
  }
  return CLI_OK;
}
