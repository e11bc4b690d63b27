/* Manual pages in roff, made of the tables. */
#include <ctype.h>
#include <string.h>

#include "cli.h"

/* Text that roff prints as it stands. */
static void put(const char *text, size_t n, FILE *out) {
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '-' || text[i] == '\\') {
      fputs(text[i] == '-' ? "\\-" : "\\e", out);
    } else {
      fputc(text[i], out);
    }
  }
}

static void put_text(const char *text, FILE *out) { put(text, strlen(text), out); }

/* A line that does not begin as a request does. */
static void put_line(const char *text, size_t n, FILE *out) {
  fputs(n && (text[0] == '.' || text[0] == '\'') ? "\\&" : "", out);
  put(text, n, out);
  fputc('\n', out);
}

/* One sentence per line. */
static void put_sentences(const char *text, size_t n, FILE *out) {
  for (size_t i = 0; i < n;) {
    size_t end = i;
    while (end < n && !(end + 2 < n && strchr(".;", text[end]) && text[end + 1] == ' ' &&
                        isupper((unsigned char)text[end + 2]))) {
      end++;
    }
    end += end < n;
    put_line(text + i, end - i, out);
    i = end + (end < n);
  }
}

/* Help texts begin in lower case and end without a full stop; pages have sentences. */
static void put_help(const char *help, FILE *out) {
  char text[1024];
  size_t n = (size_t)snprintf(text, sizeof text, "%s", help);
  n = n < sizeof text - 1 ? n : sizeof text - 2;
  text[0] = (char)toupper((unsigned char)text[0]);
  if (n && !strchr(".?!", text[n - 1])) {
    text[n++] = '.';
  }
  put_sentences(text, n, out);
}

static void put_lower(const char *text, FILE *out) {
  fputs("\\fI", out);
  for (; *text; text++) {
    fputc(tolower((unsigned char)*text), out);
  }
  fputs("\\fR", out);
}

static void put_option(const cli_option *o, FILE *out) {
  fputs(".TP\n", out);
  if (o->letter) {
    fprintf(out, "\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
  }
  if (o->name) {
    fputs("\\fB\\-\\-", out);
    put_text(o->name, out);
    fputs("\\fR", out);
  }
  if (cli_takes_value(o)) {
    bool is_maybe = o->kind == CLI_FILE_MAYBE;
    fputs(is_maybe ? "[=" : " ", out);
    put_lower(o->value, out);
    fputs(is_maybe ? "]" : o->kind == CLI_FILES ? " ..." : "", out);
  }
  fputc('\n', out);
  put_help(o->help, out);
}

static void put_title(const char *name, const char *summary, FILE *out) {
  fputs(".TH ", out);
  for (const char *c = name; *c; c++) {
    fputc(toupper((unsigned char)*c), out);
  }
  fprintf(out, " 1 \"\" \"snug %s\" \"User Commands\"\n.SH NAME\n", snug_version());
  put_text(name, out);
  fputs(" \\- ", out);
  put_text(summary, out);
  fputc('\n', out);
}

static void put_synopsis(const cli_verb *verb, FILE *out) {
  fprintf(out, ".B snug %s\n", verb->name);
  if (verb->operand.value && !verb->operand.is_command) {
    fputs(verb->operand.is_optional ? "[" : "", out);
    put_lower(verb->operand.value, out);
    fputs(verb->operand.is_list ? " ..." : "", out);
    fputs(verb->operand.is_optional ? "]\n" : "\n", out);
  }
  fputs("[\\fIoption\\fR ...]\n", out);
  if (verb->operand.is_command) {
    fputs("\\-\\- ", out);
    put_lower(verb->operand.value, out);
    fputs(" [\\fIargument\\fR ...]\n", out);
  }
}

static void put_description(const cli_verb *verb, FILE *out) {
  fputs(".SH DESCRIPTION\n", out);
  if (verb->operand.value) {
    put_lower(verb->operand.value, out);
    fputs(" is ", out);
    put_text(verb->operand.what, out);
    fputs(".\n", out);
  }
  for (const char *at = verb->description; at && *at;) {
    size_t n = strcspn(at, "\n");
    fputs(".PP\n", out);
    put_sentences(at, n, out);
    at += n + (at[n] == '\n');
  }
}

static void put_exit(const char *code, size_t n, const char *text, size_t n_text, FILE *out) {
  fprintf(out, ".TP\n.B %.*s\n", (int)n, code);
  fprintf(out, "%c", toupper((unsigned char)text[0]));
  put(text + 1, n_text - 1, out);
  fputs(".\n", out);
}

static void put_exits(const char *more, FILE *out) {
  fputs(
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\nAll went well.\n"
      ".TP\n.B 1\nSomething failed: a file that cannot be read or written, or has wrong content.\n"
      ".TP\n.B 2\nThe command line is wrong.\n",
      out);
  for (const char *at = more; at && *at;) {
    size_t n = strcspn(at, "\n");
    size_t code = strcspn(at, "\t");
    put_exit(at, code, at + code + 1, n - code - 1, out);
    at += n + (at[n] == '\n');
  }
}

static void put_examples(const cli_verb *verb, FILE *out) {
  fputs(".SH EXAMPLES\n", out);
  for (size_t i = 0; i < verb->n_examples; i++) {
    const cli_example *e = &verb->examples[i];
    fputs(".TP\n.B ", out);
    put_line(e->command, strlen(e->command), out);
    put_help(e->says ? e->says : verb->summary, out);
  }
  if (verb->shown) {
    fputs(".PP\n.EX\n", out);
    put_text(verb->shown, out);
    fputs(".EE\n", out);
  }
}

void cli_print_man(const cli_verb *verb, FILE *out) {
  char name[64];
  snprintf(name, sizeof name, "snug-%s", verb->name);
  put_title(name, verb->summary, out);
  fputs(".SH SYNOPSIS\n", out);
  put_synopsis(verb, out);
  put_description(verb, out);
  fputs(".SH OPTIONS\n", out);
  for (size_t i = 0; i < verb->n_options; i++) {
    if (verb->options[i].group) {
      fprintf(out, ".SS %s\n", verb->options[i].group);
    }
    put_option(&verb->options[i], out);
  }
  fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint a short text and examples.\n", out);
  put_exits(verb->exits, out);
  put_examples(verb, out);
  fputs(".SH SEE ALSO\n.BR snug (1)\n", out);
}

void cli_print_man_overview(FILE *out) {
  put_title("snug", "training inside a stated number of bytes", out);
  fputs(".SH SYNOPSIS\n", out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    fputs(i ? ".br\n" : "", out);
    put_synopsis(cli_verbs[i], out);
  }
  fputs(
      ".br\n.B snug \\-\\-version\n"
      ".SH DESCRIPTION\n"
      "Snug trains neural networks and knows beforehand how many bytes that takes.\n"
      ".PP\n"
      "Results go to standard output; progress, remarks and errors go to standard error.\n"
      "An option with a value is written \\fB\\-\\-name\\fR \\fIvalue\\fR or "
      "\\fB\\-\\-name=\\fR\\fIvalue\\fR.\n"
      ".SH VERBS\n",
      out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    fprintf(out, ".TP\n.BR snug\\-%s (1)\n", cli_verbs[i]->name);
    put_help(cli_verbs[i]->summary, out);
  }
  fputs(
      ".SH OPTIONS\n"
      ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint what there is; after a verb, its help.\n"
      ".TP\n.B \\-\\-version\nPrint the version.\n"
      ".SH NUMBERS OF BYTES\n"
      "A number may have a unit, in upper or lower case.\n"
      ".B K\nand\n.B KiB\nare 1024 bytes,\n.B KB\nis 1000; so on with M, G, T, P and E.\n"
      "Without a unit it is bytes.\n",
      out);
  put_exits(
      "3\tit does not fit: the least that would do is said\n"
      "129, 130, 143\tthe training was interrupted (a closed terminal, Ctrl-C, SIGTERM); what was "
      "asked "
      "for is saved\n",
      out);
  fputs(
      ".SH ENVIRONMENT\n"
      ".TP\n.B NO_COLOR\nNo colours, if it is set and not empty.\n"
      ".TP\n\\fBCLICOLOR_FORCE\\fR, \\fBFORCE_COLOR\\fR\n"
      "Colours also where the output is not a terminal, if one is set, not empty and not 0.\n"
      "NO_COLOR wins over both, and an option over all.\n"
      ".TP\n\\fBLC_ALL\\fR, \\fBLC_CTYPE\\fR, \\fBLANG\\fR\n"
      "The first of these that is set says whether characters beyond ASCII may be printed.\n"
      ".TP\n\\fBOMP_WAIT_POLICY\\fR, \\fBGOMP_SPINCOUNT\\fR, \\fBKMP_BLOCKTIME\\fR\n"
      "How long threads that wait stay busy.\n"
      "Unless OMP_WAIT_POLICY is set, the command sets those of the other two that are not: "
      "GOMP_SPINCOUNT to 1000, some microseconds, and KMP_BLOCKTIME to 0, so that it shares the "
      "processors with other programs and loses little where there are none.\n"
      ".TP\n.B SNUG_ISA\nAn instruction set to stay below, such as avx2.\n",
      out);
}
