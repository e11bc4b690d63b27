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

static int judge(snug_ctx *ctx, snug_view *view, const char *text) {
  const char *colon = strrchr(text, ':');
  snug_view_rule rule = {.text = text};
  if (!colon || colon == text || !parse_limit(colon + 1, &rule)) {
    return bad_rule(text);
  }
  char *figure = strndup(text, (size_t)(colon - text));
  rule.figure = figure;
  snug_status s = figure ? snug_view_judge(view, &rule) : SNUG_OK;
  int code = !figure ? cli_fail(CLI_FAILURE, "no memory") : s ? cli_fail_status(ctx, s) : CLI_OK;
  free(figure);
  return code;
}

int view_judge(snug_ctx *ctx, snug_view *view, const cli_list *rules) {
  int code = CLI_OK;
  for (int32_t i = 0; i < rules->n && !code; i++) {
    code = judge(ctx, view, rules->items[i]);
  }
  return code;
}
