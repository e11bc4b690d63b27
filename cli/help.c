/* --help: examples first, then the options by group, wrapped to 80 columns. */
#include <ctype.h>
#include <string.h>

#include "cli.h"

#define TEXT_COLUMN 28
#define LAST_COLUMN 80

/* Words of a text from a column on; lines after the first are indented to it. */
static void print_wrapped(const char *text, int column, int at, FILE *out) {
  while (*(text += strspn(text, " \n"))) {
    int n = (int)strcspn(text, " \n");
    if (at > column && at + 1 + n > LAST_COLUMN) {
      fprintf(out, "\n%*s", column, "");
      at = column;
    } else if (at > column) {
      fputc(' ', out);
      at++;
    }
    fprintf(out, "%.*s", n, text);
    at += n;
    text += n;
  }
  fputc('\n', out);
}

static int print_names(const cli_option *o, FILE *out) {
  int n = fprintf(out, "  ");
  n += o->letter ? fprintf(out, "-%c%s", o->letter, o->name ? ", " : "") : 0;
  n += o->name ? fprintf(out, "--%s", o->name) : 0;
  if (o->kind == CLI_FILE_MAYBE) {
    n += fprintf(out, "[=%s]", o->value);
  } else if (cli_takes_value(o)) {
    n += fprintf(out, " %s%s", o->value, o->kind == CLI_FILES ? "..." : "");
  }
  return n;
}

static void print_option(const cli_option *o, FILE *out) {
  int used = print_names(o, out);
  if (used > TEXT_COLUMN - 2) {
    fputc('\n', out);
    used = 0;
  }
  fprintf(out, "%*s", TEXT_COLUMN - used, "");
  print_wrapped(o->help, TEXT_COLUMN, TEXT_COLUMN, out);
}

static void print_examples(const cli_verb *verb, FILE *out) {
  fputs("Examples:\n", out);
  for (size_t i = 0; i < verb->n_examples; i++) {
    const cli_example *e = &verb->examples[i];
    fprintf(out, "  %s\n", e->command);
    if (e->says) {
      fprintf(out, "      %s\n", e->says);
    }
  }
}

static void print_usage(const cli_verb *verb, FILE *out) {
  const cli_operand *o = &verb->operand;
  fprintf(out, "Usage: snug %s", verb->name);
  if (o->value && !o->is_command) {
    fprintf(out, o->is_optional ? " [%s]" : " %s", o->value);
    fputs(o->is_list ? "..." : "", out);
  }
  fputs(" [option...]", out);
  if (o->is_command) {
    fprintf(out, " -- %s [argument...]", o->value);
  }
  fputc('\n', out);
  if (o->value) {
    fprintf(out, "  %-*s", TEXT_COLUMN - 2, o->value);
    print_wrapped(o->what, TEXT_COLUMN, TEXT_COLUMN, out);
  }
}

static void print_description(const char *text, FILE *out) {
  for (const char *at = text; at && *at;) {
    size_t n = strcspn(at, "\n");
    char paragraph[1024];
    snprintf(paragraph, sizeof paragraph, "%.*s", (int)n, at);
    fputc('\n', out);
    print_wrapped(paragraph, 0, 0, out);
    at += n + (at[n] == '\n');
  }
}

static void print_exits(const cli_verb *verb, FILE *out) {
  char text[1024] = "Exit codes: 0 ok, 1 failure, 2 usage";
  size_t used = strlen(text);
  for (const char *at = verb->exits; at && *at;) {
    size_t n = strcspn(at, "\n");
    size_t code = strcspn(at, "\t");
    used += (size_t)snprintf(text + used, sizeof text - used, ", %.*s %.*s", (int)code, at,
                             (int)(n - code - 1), at + code + 1);
    at += n + (at[n] == '\n');
  }
  snprintf(text + used, sizeof text - used, ".");
  fputc('\n', out);
  print_wrapped(text, 0, 0, out);
}

void cli_print_help(const cli_verb *verb, FILE *out) {
  fprintf(out, "snug %s: %s\n\n", verb->name, verb->summary);
  print_examples(verb, out);
  fputc('\n', out);
  print_usage(verb, out);
  print_description(verb->description, out);
  for (size_t i = 0; i < verb->n_options; i++) {
    const cli_option *o = &verb->options[i];
    if (o->group) {
      fprintf(out, "\n%s:\n", o->group);
    }
    print_option(o, out);
  }
  fprintf(out, "%s  %-*sthis text\n", verb->n_options ? "" : "\n", TEXT_COLUMN - 2, "-h, --help");
  print_exits(verb, out);
}

void cli_print_overview(FILE *out) {
  fputs(
      "snug: training inside a stated number of bytes\n\n"
      "Examples:\n"
      "  snug init cnn                                          a fresh model, for a first try\n"
      "  snug summary cnn.keras                                 its layers, parameters and bytes\n"
      "  snug fit cnn.keras --data train.npz -o trained.keras   train it\n"
      "  snug plan cnn.keras --memory 1GiB                      will it fit, and how?\n"
      "  snug evaluate trained.keras --data test.npz            how good is it?\n"
      "  snug predict trained.keras --data test.npz -o out.npy  its predictions\n"
      "  snug watch -- python train.py                          the peak of any program\n"
      "  snug fit --help                                        all options of a verb\n\n"
      "Verbs:\n",
      out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    fprintf(out, "  %-12s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
  }
  fputs(
      "\nOptions:\n"
      "  --version    print the version\n"
      "  -h, --help   this text; after a verb, that verb's (also: snug help VERB)\n\n"
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 does not fit, 4 passed a maximum,\n"
      "129, 130 and 143 interrupted; snug watch has those of its command.\n",
      out);
}
