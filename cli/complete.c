/* Completion scripts of bash, zsh and fish, made of the tables. */
#include <string.h>

#include "cli.h"

static bool is_files(cli_kind kind) {
  return kind == CLI_FILE || kind == CLI_FILE_MAYBE || kind == CLI_FILES;
}

/* Whether there are words to offer: all that there are, or some of what a text may be. */
static bool has_words(cli_kind kind, const char *choices) {
  return kind == CLI_CHOICE || ((kind == CLI_TEXT || kind == CLI_WORDS) && choices);
}

/* "a|b" as "a b". */
static void put_words(const char *choices, FILE *out) {
  for (const char *c = choices; *c; c++) {
    fputc(*c == '|' ? ' ' : *c, out);
  }
}

/* ---- bash ---- */

/* The patterns of a case: "fit --output"|"fit -o" */
static void put_bash_case(const cli_verb *verb, const cli_option *o, FILE *out) {
  fputs("    ", out);
  if (o->name) {
    fprintf(out, "\"%s --%s\"", verb->name, o->name);
  }
  if (o->letter) {
    fprintf(out, "%s\"%s -%c\"", o->name ? " | " : "", verb->name, o->letter);
  }
  fputs(") ", out);
}

static void put_bash_files(const char *endings, FILE *out) {
  fprintf(out, "_snug_files \"$cur\" %s", endings ? endings : "");
}

static void put_bash_option(const cli_verb *verb, const cli_option *o, FILE *out) {
  put_bash_case(verb, o, out);
  if (has_words(o->kind, o->choices)) {
    fputs("COMPREPLY=($(compgen -W \"", out);
    put_words(o->choices, out);
    fputs("\" -- \"$cur\"))", out);
  } else if (is_files(o->kind)) {
    put_bash_files(o->choices, out);
    if (o->kind == CLI_FILE_MAYBE) { /* or it has no value, and the operand follows */
      fprintf(out, " %s", verb->operand.choices);
    }
  } else if (o->kind == CLI_FOLDER) {
    fputs("COMPREPLY=($(compgen -d -- \"$cur\"))", out);
  } else {
    fputs(":", out);
  }
  fputs("; return ;;\n", out);
}

static void put_bash_values(bool lists, FILE *out) {
  for (size_t v = 0; v < cli_n_verbs; v++) {
    for (size_t i = 0; i < cli_verbs[v]->n_options; i++) {
      const cli_option *o = &cli_verbs[v]->options[i];
      if (lists ? o->kind == CLI_FILES : cli_takes_value(o)) {
        put_bash_option(cli_verbs[v], o, out);
      }
    }
  }
}

static void put_bash_names(const cli_verb *verb, FILE *out) {
  fprintf(out, "    %s) words=\"", verb->name);
  for (size_t i = 0; i < verb->n_options; i++) {
    if (verb->options[i].name) {
      fprintf(out, "--%s ", verb->options[i].name);
    }
  }
  fputs("--help\"", out);
  const cli_operand *o = &verb->operand;
  if (o->value && o->is_file) {
    fprintf(out, "; endings=\"%s\"", o->choices ? o->choices : "*");
  } else if (o->value && o->choices) {
    fputs("; operands=\"", out);
    put_words(o->choices, out);
    fputs("\"", out);
  }
  fputs(" ;;\n", out);
}

void cli_print_bash(FILE *out) {
  fputs(
      "# Completion of snug for bash: source this, or put it into bash-completion's folder.\n"
      "_snug_files() { # begun, endings...\n"
      "  local begun=$1 ending IFS=$'\\n'\n"
      "  shift\n"
      "  COMPREPLY=($(compgen -d -- \"$begun\"))\n"
      "  if [ $# -eq 0 ]; then COMPREPLY+=($(compgen -f -- \"$begun\")); fi\n"
      "  for ending in \"$@\"; do\n"
      "    COMPREPLY+=($(compgen -f -X \"!*.$ending\" -- \"$begun\"))\n"
      "  done\n"
      "}\n\n"
      "_snug() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
      "verb=${COMP_WORDS[1]}\n"
      "  local i last= words= endings= operands=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"",
      out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    fprintf(out, "%s ", cli_verbs[i]->name);
  }
  fputs(
      "--help --version\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  # --name=value is three words here\n"
      "  if [ \"$cur\" = \"=\" ]; then cur=\n"
      "  elif [ \"$prev\" = \"=\" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  case \"$verb $prev\" in\n",
      out);
  put_bash_values(false, out);
  fputs(
      "  esac\n"
      "  case \"$cur\" in\n"
      "    -*) ;;\n"
      "    *) for ((i = COMP_CWORD - 1; i > 1; i--)); do\n"
      "         case ${COMP_WORDS[i]} in -*) last=${COMP_WORDS[i]}; break ;; esac\n"
      "       done ;;\n"
      "  esac\n"
      "  case \"$verb $last\" in\n",
      out);
  put_bash_values(true, out);
  fputs(
      "  esac\n"
      "  case \"$verb\" in\n",
      out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    put_bash_names(cli_verbs[i], out);
  }
  fputs(
      "  esac\n"
      "  case \"$cur\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
      "    *) if [ -n \"$endings\" ]; then _snug_files \"$cur\" $endings\n"
      "       else COMPREPLY=($(compgen -W \"$operands\" -- \"$cur\")); fi ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _snug snug\n",
      out);
}

/* ---- zsh ---- */

/* Shells show one line: the first sentence. */
static size_t sentence_length(const char *text) {
  const char *end = strstr(text, ". ");
  return end ? (size_t)(end - text) : strlen(text);
}

/* A text between single quotes, inside of [brackets] and with colons. */
static void put_zsh_text(const char *text, FILE *out) {
  for (size_t left = sentence_length(text); left > 0; left--, text++) {
    if (*text == '\'') {
      fputs("'\\''", out);
    } else {
      fprintf(out, strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
    }
  }
}

static void put_zsh_action(cli_kind kind, const char *choices, FILE *out) {
  if (has_words(kind, choices)) {
    fputc('(', out);
    put_words(choices, out);
    fputc(')', out);
  } else if (kind == CLI_FOLDER) {
    fputs("_files -/", out);
  } else if (is_files(kind) && choices) {
    fputs("_files -g \"*.(", out);
    for (const char *c = choices; *c; c++) {
      fputc(*c == ' ' ? '|' : *c, out);
    }
    fputs(")\"", out);
  } else if (is_files(kind)) {
    fputs("_files", out);
  }
}

static void put_zsh_spec(const cli_option *o, bool is_long, FILE *out) {
  bool repeats = o->kind == CLI_FILES || o->kind == CLI_WORDS;
  fprintf(out, " \\\n        '%s", repeats ? "*" : "");
  if (is_long) {
    bool is_maybe = o->kind == CLI_FILE_MAYBE; /* its value is in the same word */
    fprintf(out, "--%s%s[", o->name, is_maybe ? "=-" : cli_takes_value(o) ? "=" : "");
  } else {
    fprintf(out, "-%c%s[", o->letter, cli_takes_value(o) ? "+" : "");
  }
  put_zsh_text(o->help, out);
  fputc(']', out);
  if (cli_takes_value(o)) {
    fprintf(out, "%s%s:", o->kind == CLI_FILE_MAYBE ? "::" : ":", o->value);
    put_zsh_action(o->kind, o->choices, out);
  }
  fputc('\'', out);
}

static void put_zsh_verb(const cli_verb *verb, FILE *out) {
  const cli_operand *operand = &verb->operand;
  fprintf(out, "    %s)\n      _arguments", verb->name);
  for (size_t i = 0; i < verb->n_options; i++) {
    if (verb->options[i].letter) {
      put_zsh_spec(&verb->options[i], false, out);
    }
    if (verb->options[i].name) {
      put_zsh_spec(&verb->options[i], true, out);
    }
  }
  fputs(" \\\n        '(-h --help)'{-h,--help}'[print help]'", out);
  if (operand->value) {
    fprintf(out, " \\\n        '*:%s:", operand->value);
    put_zsh_action(operand->is_file ? CLI_FILE : CLI_CHOICE,
                   operand->choices || operand->is_file ? operand->choices : "", out);
    fputc('\'', out);
  }
  fputs(" ;;\n", out);
}

void cli_print_zsh(FILE *out) {
  fputs(
      "#compdef snug\n"
      "# Completion of snug for zsh: put it as _snug into a folder of $fpath.\n"
      "_snug() {\n"
      "  local -a verbs\n"
      "  verbs=(\n",
      out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    fprintf(out, "    '%s:", cli_verbs[i]->name);
    put_zsh_text(cli_verbs[i]->summary, out);
    fputs("'\n", out);
  }
  fputs(
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $words[1] in\n",
      out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    put_zsh_verb(cli_verbs[i], out);
  }
  fputs(
      "  esac\n"
      "}\n"
      "_snug \"$@\"\n",
      out);
}

/* ---- fish ---- */

static void put_fish_text(const char *text, FILE *out) {
  for (size_t left = sentence_length(text); left > 0; left--, text++) {
    fprintf(out, strchr("'\\", *text) ? "\\%c" : "%c", *text);
  }
}

static void put_fish_endings(const char *endings, FILE *out) {
  fputs(" -a '(", out);
  for (const char *at = endings; *at;) {
    int n = (int)strcspn(at, " ");
    fprintf(out, "%s__fish_complete_suffix .%.*s", at == endings ? "" : "; ", n, at);
    at += n + (at[n] == ' ');
  }
  fputs(")'", out);
}

static void put_fish_option(const cli_verb *verb, const cli_option *o, FILE *out) {
  fprintf(out, "complete -c snug -n '__fish_seen_subcommand_from %s'", verb->name);
  if (o->letter) {
    fprintf(out, " -s %c", o->letter);
  }
  if (o->name) {
    fprintf(out, " -l %s", o->name);
  }
  if (cli_takes_value(o) && o->kind != CLI_FILE_MAYBE) {
    fputs(is_files(o->kind) || o->kind == CLI_FOLDER ? " -r" : " -x", out);
  }
  if (has_words(o->kind, o->choices)) {
    fputs(" -a '", out);
    put_words(o->choices, out);
    fputc('\'', out);
  } else if (is_files(o->kind) && o->choices) {
    put_fish_endings(o->choices, out);
  }
  fputs(" -d '", out);
  put_fish_text(o->help, out);
  fputs("'\n", out);
}

static void put_fish_verb(const cli_verb *verb, FILE *out) {
  const cli_operand *operand = &verb->operand;
  fprintf(out, "complete -c snug -n __fish_use_subcommand -f -a %s -d '", verb->name);
  put_fish_text(verb->summary, out);
  fputs("'\n", out);
  for (size_t i = 0; i < verb->n_options; i++) {
    put_fish_option(verb, &verb->options[i], out);
  }
  if (operand->value && operand->choices) {
    fprintf(out, "complete -c snug -n '__fish_seen_subcommand_from %s' -f", verb->name);
    if (operand->is_file) {
      put_fish_endings(operand->choices, out);
    } else {
      fputs(" -a '", out);
      put_words(operand->choices, out);
      fputc('\'', out);
    }
    fputc('\n', out);
  }
}

void cli_print_fish(FILE *out) {
  fputs("# Completion of snug for fish: put it as snug.fish into a completions folder.\n", out);
  for (size_t i = 0; i < cli_n_verbs; i++) {
    put_fish_verb(cli_verbs[i], out);
  }
}
