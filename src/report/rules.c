/* Rules: bounds for figures of runs. */
#include <math.h>

#include "report/view.h"

const snug__judgement *snug__view_judgement(const snug_view *v, size_t i) {
  return &SNUG_VEC(&v->judgements, snug__judgement, i);
}

static bool is_lower_bound(snug_view_bound bound) {
  return bound == SNUG_VIEW_BELOW || bound == SNUG_VIEW_BELOW_PART;
}

static double bound_of(const snug_view_rule *rule, double first) {
  switch (rule->bound) {
    case SNUG_VIEW_ABOVE:
      return first + rule->limit;
    case SNUG_VIEW_BELOW:
      return first - rule->limit;
    case SNUG_VIEW_ABOVE_PART:
      return first + fabs(first) * rule->limit;
    case SNUG_VIEW_BELOW_PART:
      return first - fabs(first) * rule->limit;
    default:
      return rule->limit;
  }
}

static snug_status judge_run(snug_view *v, const snug_view_rule *rule, size_t run) {
  snug__judgement j = {.rule = *rule, .run = run};
  j.value = snug_view_figure(v, run, rule->figure);
  j.bound = bound_of(rule, snug_view_figure(v, 0, rule->figure));
  j.holds = is_lower_bound(rule->bound) ? j.value >= j.bound : j.value <= j.bound; /* NaN: false */
  return snug__vec_push(&v->judgements, &j, 1);
}

snug_status snug_view_judge(snug_view *v, const snug_view_rule *rule) {
  if (!v) {
    return SNUG_E_ARGUMENT;
  }
  if (!rule || !rule->text || !rule->figure || !isfinite(rule->limit) || rule->limit < 0.0) {
    return snug__fail(v->ctx, SNUG_E_ARGUMENT,
                      "a rule has a text, a figure and a limit that is not negative");
  }
  snug_view_rule copy = *rule;
  size_t before = v->judgements.n;
  SNUG_TRY(snug__arena_text(&v->texts, rule->text, &copy.text));
  SNUG_TRY(snug__arena_text(&v->texts, rule->figure, &copy.figure));
  for (size_t run = rule->bound == SNUG_VIEW_AT_MOST ? 0 : 1; run < v->n; run++) {
    snug_status s = judge_run(v, &copy, run);
    if (s) {
      v->judgements.n = before;
      return s;
    }
  }
  return SNUG_OK;
}

size_t snug_view_broken(const snug_view *v) {
  size_t n = 0;
  for (size_t i = 0; v && i < v->judgements.n; i++) {
    n += !snug__view_judgement(v, i)->holds;
  }
  return n;
}

void snug__judgement_text(const snug_view *v, const snug__judgement *j, snug_quoting how,
                          snug__line *line) {
  char name[256], rule[128], value[SNUG__TIME_BYTES], bound[SNUG__TIME_BYTES];
  snug__quote_into(name, sizeof name, how, v->runs[j->run].shown);
  snug__quote_into(rule, sizeof rule, how, j->rule.text);
  snug__line_add(line, "%s %s: %s has %s, at %s %s", rule, j->holds ? "holds" : "is broken", name,
                 snug__figure_text(j->rule.figure, j->value, value),
                 is_lower_bound(j->rule.bound) ? "least" : "most",
                 snug__figure_text(j->rule.figure, j->bound, bound));
}
