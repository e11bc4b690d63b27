/* --fail-on: rules such as peak:+5%, peak:+100MiB, peak:2GiB, val_accuracy:-0.01. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

static int bad_rule(const char *text) {
  return cli_fail(CLI_USAGE,
                  "--fail-on is \"%s\"; NAME:LIMIT is needed, such as peak:+5%%, peak:+100MiB, "
                  "peak:2GiB, time:+10%% or val_accuracy:-0.01",
                  text);
}

/* "5%" */
static bool parse_percent(const char *text, double *part) {
  char *end;
  if (!isdigit((unsigned char)*text)) {
    return false;
  }
  *part = strtod(text, &end) / 100.0;
  return end != text && strcmp(end, "%") == 0 && *part < 1e6;
}

/* Bytes or a plain number. */
static bool parse_amount(const char *text, double *amount) {
  int64_t bytes = 0;
  if (cli_parse_real(text, amount)) {
    return isdigit((unsigned char)*text) || *text == '.';
  }
  bool is_bytes = cli_parse_bytes(text, &bytes);
  *amount = (double)bytes;
  return is_bytes;
}

static bool parse_limit(const char *text, snug_view_rule *rule) {
  bool above = *text == '+', below = *text == '-';
  text += above || below;
  if (above || below) {
    if (parse_percent(text, &rule->limit)) {
      rule->bound = above ? SNUG_VIEW_ABOVE_PART : SNUG_VIEW_BELOW_PART;
      return true;
    }
    rule->bound = above ? SNUG_VIEW_ABOVE : SNUG_VIEW_BELOW;
  }
  return parse_amount(text, &rule->limit);
}

/* ---- names ---- */

enum { MOST_NAMES = 256, NAMES_BYTES = 600 };

typedef struct figures {
  const char *names[MOST_NAMES]; /* the recordings' values have them as long as those live */
  size_t n;
} figures;

static bool is_named(const figures *f, const char *name) {
  for (size_t i = 0; i < f->n; i++) {
    if (strcmp(f->names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* Names of a recording's values; true if `wanted` is among them, however many there are. */
static bool add_names(figures *f, const snug_recording *recording, const char *wanted) {
  bool is_there = false;
  for (size_t i = 0; i < snug_recording_epochs(recording); i++) {
    snug_logs logs = snug_recording_logs(recording, i, NULL);
    for (size_t k = 0; k < logs.n; k++) {
      is_there = is_there || strcmp(logs.names[k], wanted) == 0;
      if (f->n < MOST_NAMES && !is_named(f, logs.names[k])) {
        f->names[f->n++] = logs.names[k];
      }
    }
  }
  return is_there;
}

typedef struct words {
  char text[NAMES_BYTES];
  size_t n;
} words;

/* What has no room any more is left out as a whole, so that no character is cut. */
static void add_word(void *user, const char *text, size_t n) {
  words *w = user;
  if (n < sizeof w->text - w->n) {
    memcpy(w->text + w->n, text, n);
    w->n += n;
  }
}

/* Recordings name their values as they like: that must not act on a terminal. */
static void add_name(words *w, const char *name) {
  snug_quote(add_word, w, SNUG_QUOTE_TERMINAL, name, strlen(name));
}

static int unknown(const figures *f, const char *text, const char *name) {
  words known = {.n = 0}, nearest = {.n = 0};
  const char *near = cli_nearest(name, f->names, f->n);
  for (size_t i = 0; i < f->n; i++) {
    add_word(&known, ", ", i ? 2 : 0);
    add_name(&known, f->names[i]);
  }
  add_name(&nearest, near ? near : "");
  return cli_fail(CLI_USAGE, "--fail-on is \"%s\"; no recording has \"%s\"; %s%s%snown: %s", text,
                  name, near ? "did you mean " : "", nearest.text, near ? "? K" : "k", known.text);
}

/* A name that no recording has is a slip of the pen, and not a rule that is broken. */
static int check_name(const view_judged *v, const char *text, const char *name) {
  figures f = {.names = {"peak", "held", "device", "time", "step", "epochs"}, .n = 6};
  bool is_there = is_named(&f, name);
  for (size_t i = 0; i < v->n; i++) {
    is_there = add_names(&f, v->recordings[i], name) || is_there;
  }
  return is_there ? CLI_OK : unknown(&f, text, name);
}

/* ---- judging ---- */

static int judge_figure(const view_judged *v, snug_view_rule *rule, const char *name) {
  rule->figure = name;
  int code = check_name(v, rule->text, name);
  snug_status s = code ? SNUG_OK : snug_view_judge(v->view, rule);
  return s ? cli_fail_status(v->ctx, s) : code;
}

static int judge(const view_judged *v, const char *text) {
  const char *colon = strrchr(text, ':');
  snug_view_rule rule = {.text = text};
  if (!colon || colon == text || !parse_limit(colon + 1, &rule)) {
    return bad_rule(text);
  }
  char *figure = strndup(text, (size_t)(colon - text));
  int code = figure ? judge_figure(v, &rule, figure) : cli_fail(CLI_FAILURE, "no memory");
  free(figure);
  return code;
}

int view_judge(const view_judged *v, const cli_list *rules) {
  int code = CLI_OK;
  for (int32_t i = 0; i < rules->n && !code; i++) {
    code = judge(v, rules->items[i]);
  }
  return code;
}
