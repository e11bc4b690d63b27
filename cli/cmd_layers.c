/* snug layers: what there is of Keras, and what of it is not supported. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "terminal.h"

#define REFUSED " that are not supported"
#define NAME_COLUMN 32 /* where the texts beside names begin */

typedef struct layers_command {
  const char *name;
  bool markdown;
  cli_common common;
} layers_command;

/* ---- texts ---- */

static const char *plural_ending(snug_known_sort sort) {
  return sort == SNUG_KNOWN_LOSS ? "es" : "s";
}

/* Whether a word is the name of a sort: "loss", "Losses". */
static bool is_sort(const char *word, snug_known_sort sort) {
  char plural[32];
  snprintf(plural, sizeof plural, "%s%s", snug_known_sort_text(sort), plural_ending(sort));
  return strcasecmp(word, plural) == 0 || strcasecmp(word, snug_known_sort_text(sort)) == 0;
}

static void print_heading(snug_known_sort sort, const char *before, const char *behind, FILE *out) {
  const char *text = snug_known_sort_text(sort);
  fprintf(out, "%s%c%s%s%s", before, toupper((unsigned char)text[0]), text + 1, plural_ending(sort),
          behind);
  fputs(sort == SNUG_KNOWN_OPERATION ? " (keras.ops)\n" : "\n", out);
}

/* "data_format: only channels_last; permute the data". */
static void limit_text(const snug_known_limit *l, char *out, size_t bytes) {
  const char *only = l->option && strcmp(l->only, "none") == 0 ? "null" : l->only;
  if (l->option) {
    snprintf(out, bytes, "%s: only %s%s%s", l->option, only, l->says ? "; " : "",
             l->says ? l->says : "");
  } else {
    snprintf(out, bytes, "not %s", l->says);
  }
}

static void option_text(const snug_known_option *o, char *out, size_t bytes) {
  size_t n = (size_t)snprintf(out, bytes, "%s", o->choices ? "" : o->kind);
  for (int i = 0; o->choices && o->choices[i] && n < bytes; i++) {
    n += (size_t)snprintf(out + n, bytes - n, "%s%s", i ? "|" : "", o->choices[i]);
  }
  bool is_only = strcmp(o->kind, "only") == 0;
  if (n < bytes) {
    snprintf(out + n, bytes - n,
             is_only      ? " %s"
             : o->initial ? " (%s)"
                          : "; it must be given",
             o->initial);
  }
}

/* Words from a column on; lines after the first are indented to it.  width 0: one line. */
static void print_wrapped(const char *text, size_t column, size_t width, FILE *out) {
  for (size_t at = column; *(text += strspn(text, " "));) {
    size_t n = strcspn(text, " ");
    if (at > column && width && at + 1 + n > width) {
      fprintf(out, "\n%*s", (int)column, "");
      at = column;
    } else if (at > column) {
      fputc(' ', out);
      at++;
    }
    fwrite(text, 1, n, out);
    at += n;
    text += n;
  }
  fputc('\n', out);
}

static void print_pair(const char *name, const char *text, size_t width, FILE *out) {
  if (!*text) {
    fprintf(out, "  %s\n", name);
    return;
  }
  fprintf(out, "  %-*s", NAME_COLUMN - 2, name);
  fputs(strlen(name) + 2 >= NAME_COLUMN ? " " : "", out);
  print_wrapped(text, NAME_COLUMN, width, out);
}

/* ---- the list ---- */

static void print_line(size_t i, const snug_known *known, size_t width) {
  char text[1024] = "";
  size_t n = 0;
  for (size_t k = 0; k < known->n_limits && n < sizeof text; k++) {
    snug_known_limit limit = SNUG_INIT(snug_known_limit);
    char one[400];
    snug_known_limit_get(i, k, &limit);
    limit_text(&limit, one, sizeof one);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k ? ". " : "", one);
  }
  print_pair(known->name, known->instead ? known->instead : text, width, stdout);
}

static void print_rules(size_t width) {
  fputs("\nOf all models\n", stdout);
  for (size_t i = 0; snug_known_rule(i); i++) {
    fputs("  ", stdout);
    print_wrapped(snug_known_rule(i), 2, width, stdout);
  }
}

/* All things, or those of one sort; what is not supported of it under a heading of its own. */
static void print_list(const char *sort, size_t width) {
  snug_known before = {.struct_size = sizeof before, .sort = SNUG_KNOWN_SORTS};
  snug_known known = SNUG_INIT(snug_known);
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    if (sort && !is_sort(sort, known.sort)) {
      continue;
    }
    if (known.sort != before.sort) {
      print_heading(known.sort, before.sort == SNUG_KNOWN_SORTS ? "" : "\n", "", stdout);
    } else if (known.instead && !before.instead) {
      print_heading(known.sort, "\n", REFUSED, stdout);
    }
    print_line(i, &known, width);
    before = known;
  }
  if (!sort) {
    print_rules(width);
  }
}

/* ---- one thing ---- */

static void print_thing(size_t i, const snug_known *known, size_t width) {
  char text[1024];
  const char *sort = snug_known_sort_text(known->sort);
  printf("%s%s: %s %s%s%s%s\n", known->sort == SNUG_KNOWN_OPERATION ? "keras.ops." : "",
         known->name, strchr("aio", sort[0]) ? "an" : "a", sort, *known->aliases ? ", also " : "",
         known->aliases, known->instead ? " that is not supported" : "");
  if (known->instead) {
    fputs("  ", stdout);
    print_wrapped(known->instead, 2, width, stdout);
  }
  for (size_t k = 0; k < known->n_options; k++) {
    snug_known_option option = SNUG_INIT(snug_known_option);
    snug_known_option_get(i, k, &option);
    option_text(&option, text, sizeof text);
    print_pair(option.name, text, width, stdout);
  }
  fputs(known->n_limits ? "Not supported:\n" : "", stdout);
  for (size_t k = 0; k < known->n_limits; k++) {
    snug_known_limit limit = SNUG_INIT(snug_known_limit);
    snug_known_limit_get(i, k, &limit);
    if (limit.option) {
      snprintf(text, sizeof text, "anything but %s%s%s",
               strcmp(limit.only, "none") == 0 ? "null" : limit.only, limit.says ? "; " : "",
               limit.says ? limit.says : "");
      print_pair(limit.option, text, width, stdout);
    } else {
      fputs("  ", stdout);
      print_wrapped(limit.says, 2, width, stdout);
    }
  }
}

/* ---- the page ---- */

static void print_row(size_t i, const snug_known *known) {
  printf("| `%s` | ", known->name);
  for (size_t k = 0; k < known->n_options; k++) {
    snug_known_option o = SNUG_INIT(snug_known_option);
    snug_known_option_get(i, k, &o);
    bool has_default = o.initial && strcmp(o.initial, "none") != 0;
    printf("%s%s%s%s", k ? ", " : "", o.name, has_default ? "=" : "", has_default ? o.initial : "");
  }
  fputs(" | ", stdout);
  for (size_t k = 0; k < known->n_limits; k++) {
    snug_known_limit limit = SNUG_INIT(snug_known_limit);
    char one[400];
    snug_known_limit_get(i, k, &limit);
    limit_text(&limit, one, sizeof one);
    printf("%s%s", k ? ". " : "", one);
  }
  puts(" |");
}

static void print_page(void) {
  int before = SNUG_KNOWN_SORTS;
  snug_known known = SNUG_INIT(snug_known);
  puts(
      "# What there is of Keras, and what of it is not\n\n"
      "`snug layers` prints this list, `snug layers Conv2D` one entry of it with all its options. "
      "It "
      "is made of the tables\nby which a model is read and refused. `make man` writes this "
      "page.\n\n"
      "Every layer also takes `name`, `trainable` and `activity_regularizer`. An option without a "
      "default must be given, or\nis nothing.\n\n"
      "## All models\n");
  for (size_t i = 0; snug_known_rule(i); i++) {
    printf("- %s.\n", snug_known_rule(i));
  }
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    bool is_new = (int)known.sort != before;
    if (is_new) {
      print_heading(known.sort, "\n## ", "", stdout);
      puts("\n| name | options | not supported |\n|---|---|---|");
      before = (int)known.sort;
    }
    if (!known.instead) {
      print_row(i, &known);
    }
  }
  before = SNUG_KNOWN_SORTS;
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    if (known.instead && (int)known.sort != before) {
      print_heading(known.sort, "\n## ", REFUSED, stdout);
      puts("\n| name | why, and what would do |\n|---|---|");
      before = (int)known.sort;
    }
    if (known.instead) {
      printf("| `%s` | %s |\n", known.name, known.instead);
    }
  }
}

/* ---- JSON ---- */

static void print_json_lists(json *j, size_t i, const snug_known *known) {
  json_array(j, "options");
  for (size_t k = 0; k < known->n_options; k++) {
    snug_known_option o = SNUG_INIT(snug_known_option);
    snug_known_option_get(i, k, &o);
    json_object(j, NULL);
    json_text(j, "name", o.name);
    json_text(j, "kind", o.kind);
    json_bool(j, "required", !o.initial);
    json_text(j, "default", o.initial);
    json_array(j, "choices");
    for (int c = 0; o.choices && o.choices[c]; c++) {
      json_text(j, NULL, o.choices[c]);
    }
    json_end(j);
    json_end(j);
  }
  json_end(j);
  json_array(j, "limits");
  for (size_t k = 0; k < known->n_limits; k++) {
    snug_known_limit limit = SNUG_INIT(snug_known_limit);
    snug_known_limit_get(i, k, &limit);
    json_object(j, NULL);
    json_text(j, "option", limit.option);
    json_text(j, "only", limit.only);
    json_text(j, "says", limit.says);
    json_end(j);
  }
  json_end(j);
}

static void print_json_thing(json *j, size_t i, const snug_known *known) {
  json_object(j, NULL);
  json_text(j, "sort", snug_known_sort_text(known->sort));
  json_text(j, "name", known->name);
  json_array(j, "aliases");
  for (const char *at = known->aliases; *at;) {
    size_t n = strcspn(at, " ");
    json_text_n(j, NULL, at, n);
    at += n + (at[n] == ' ');
  }
  json_end(j);
  json_bool(j, "supported", !known->instead);
  json_text(j, "instead", known->instead);
  json_int(j, "least_inputs", known->least_inputs);
  json_int(j, "most_inputs", known->most_inputs);
  print_json_lists(j, i, known);
  json_end(j);
}

/* ---- the verb ---- */

/* What a word asks for. */
typedef enum wanted { ALL, SORT, NAME, PATTERN, NOTHING } wanted;

/* "*Attention" is told where nothing has the name itself. */
static bool is_wanted(wanted what, const char *word, size_t i, const snug_known *known) {
  bool is_pattern = strchr(known->name, '*');
  return what == ALL || (what == SORT && is_sort(word, known->sort)) ||
         (what == NAME && !is_pattern && snug_known_is(i, word)) ||
         (what == PATTERN && is_pattern && snug_known_is(i, word));
}

static wanted find(const char *word) {
  wanted what = word ? SORT : ALL;
  for (; what < NOTHING; what = (wanted)(what + 1)) {
    snug_known known = SNUG_INIT(snug_known);
    for (size_t i = 0; snug_known_get(i, &known); i++) {
      if (is_wanted(what, word, i, &known)) {
        return what;
      }
    }
  }
  return what;
}

static int fail_name(const char *word) {
  cli_list names = {0};
  snug_known known = SNUG_INIT(snug_known);
  int code = CLI_OK;
  for (size_t i = 0; !code && snug_known_get(i, &known); i++) {
    code = cli_list_add(&names, known.name);
  }
  const char *near = cli_nearest(word, names.items, (size_t)names.n);
  code = code ? code
              : cli_fail(CLI_USAGE,
                         "there is no layer, operation, loss ... \"%s\"%s%s%s snug layers", word,
                         near ? "; did you mean " : "", near ? near : "", near ? "? See" : "; see");
  cli_list_release(&names);
  return code;
}

static void print_json(wanted what, const char *word) {
  snug_known known = SNUG_INIT(snug_known);
  json j = json_begin(stdout);
  json_array(&j, "rules");
  for (size_t i = 0; snug_known_rule(i); i++) {
    json_text(&j, NULL, snug_known_rule(i));
  }
  json_end(&j);
  json_array(&j, "things");
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    if (is_wanted(what, word, i, &known)) {
      print_json_thing(&j, i, &known);
    }
  }
  json_end(&j);
  json_finish(&j);
}

static void print_things(wanted what, const char *word, size_t width) {
  bool is_first = true;
  snug_known known = SNUG_INIT(snug_known);
  for (size_t i = 0; snug_known_get(i, &known); i++) {
    if (is_wanted(what, word, i, &known)) {
      fputs(is_first ? "" : "\n", stdout);
      print_thing(i, &known, width);
      is_first = false;
    }
  }
}

static int run(const cli_verb *verb, int n_args, char **args) {
  layers_command c = {0};
  int code = cli_parse(verb, n_args, args, &c);
  if (code) {
    return code;
  }
  terminal out = terminal_of(stdout, &c.common);
  size_t width = out.is_terminal ? out.width : 0;
  wanted what = find(c.name);
  if (what == NOTHING) {
    return fail_name(c.name);
  }
  if (c.markdown) {
    print_page();
  } else if (c.common.json) {
    print_json(what, c.name);
  } else if (what == NAME || what == PATTERN) {
    print_things(what, c.name, width);
  } else {
    print_list(what == SORT ? c.name : NULL, width);
  }
  return cli_finish(CLI_OK);
}

static const cli_example examples[] = {
    {"snug layers", "everything, with what is not supported"},
    {"snug layers Conv2D", "its options and their defaults"},
    {"snug layers losses", "one group: layers, operations, activations, losses, metrics, ..."},
};

static const cli_option options[] = {
    {"markdown", 0, CLI_FLAG, NULL, NULL, "Options", offsetof(layers_command, markdown),
     "print everything as a Markdown page"},
    {"json", 0, CLI_FLAG, NULL, NULL, NULL, offsetof(layers_command, common.json),
     "print the result as one JSON object"},
};

const cli_verb cli_verb_layers = {
    .name = "layers",
    .summary = "list the supported layers, losses, ..., and what is not supported",
    .operand = {"NAME",
                "a layer, operation, loss, ... by its Keras name, or a group of them; default: all",
                NULL, false, true, offsetof(layers_command, name)},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "The list is generated from the tables that models are parsed with: layers, operations of "
        "keras.ops, activations, losses, metrics, optimizers, learning rate schedules, "
        "initializers, regularizers and constraints. In a file or a pipe each entry is one line, "
        "for grep.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
