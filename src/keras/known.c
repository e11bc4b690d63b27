/* The tables of layers, losses and all the rest, as one list, sort after sort. */
#include "snug/tools/known.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "keras/refused.h"
#include "model/initializer.h"
#include "model/layer.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "model/schedule.h"

#define OPERATION "ops."                     /* before the name of an operation's class */
#define NO_CLASS_TEXT "-9223372036854775808" /* of ignore_class: none */

/* One thing, whatever table it stands in; one of the three is given. */
typedef struct thing {
  snug_known_sort sort;
  const snug__layer_class *class_;
  const snug__refused *refused;
  snug__named named;
} thing;

/* ---- the sorts ---- */

static bool is_operation(const snug__layer_class *c) {
  return strncmp(c->name, OPERATION, strlen(OPERATION)) == 0;
}

static size_t count_layers(bool operations) {
  size_t n = 0;
  for (size_t i = 0; i < snug__layer_n_classes; i++) {
    n += is_operation(snug__layer_classes[i]) == operations;
  }
  return n;
}

/* Layers stand before operations in layers.def. */
static void layer_at(size_t i, thing *out) { out->class_ = snug__layer_classes[i]; }

/* Functions of keras.ops whose name is not that of their class. */
static const char *const function_names[][2] = {
    {"ops.Absolute", "absolute abs"},         {"ops.Conjugate", "conjugate conj"},
    {"ops.HardSilu", "hard_silu hard_swish"}, {"ops.LayerNorm", "layer_normalization"},
    {"ops.RMSNorm", "rms_normalization"},     {"ops.Silu", "silu swish"}};

static void operation_at(size_t i, thing *out) {
  out->class_ = snug__layer_classes[count_layers(false) + i];
  for (size_t k = 0; k < SNUG_COUNT(function_names); k++) {
    bool is_it = strcmp(function_names[k][0], out->class_->name) == 0;
    out->named.names = is_it ? function_names[k][1] : out->named.names;
  }
}

static void activation_at(size_t i, thing *out) { out->named = snug__activation_at(i); }

/* The table of a sort; NULL for the first three, which have none of that form. */
static const struct {
  const char *text;
  const snug__named_set *(*set)(void);
} sorts[SNUG_KNOWN_SORTS] = {
    [SNUG_KNOWN_LAYER] = {"layer", NULL},
    [SNUG_KNOWN_OPERATION] = {"operation", NULL},
    [SNUG_KNOWN_ACTIVATION] = {"activation", NULL},
    [SNUG_KNOWN_LOSS] = {"loss", snug__loss_set},
    [SNUG_KNOWN_METRIC] = {"metric", snug__metric_set},
    [SNUG_KNOWN_OPTIMIZER] = {"optimizer", snug__optimizer_set},
    [SNUG_KNOWN_SCHEDULE] = {"schedule", snug__schedule_set},
    [SNUG_KNOWN_INITIALIZER] = {"initializer", snug__initializer_set},
    [SNUG_KNOWN_REGULARIZER] = {"regularizer", snug__regularizer_set},
    [SNUG_KNOWN_CONSTRAINT] = {"constraint", snug__constraint_set},
};

const char *snug_known_sort_text(snug_known_sort sort) {
  return sort < SNUG_KNOWN_SORTS ? sorts[sort].text : "";
}

static size_t count_there(snug_known_sort sort) {
  switch (sort) {
    case SNUG_KNOWN_LAYER:
      return count_layers(false);
    case SNUG_KNOWN_OPERATION:
      return count_layers(true);
    case SNUG_KNOWN_ACTIVATION:
      return snug__activations();
    default:
      return sorts[sort].set()->n;
  }
}

/* With those that there are not, which stand behind. */
static size_t count_of(snug_known_sort sort) {
  size_t refused = 0;
  (void)snug__refused_of(sort, &refused);
  return count_there(sort) + refused;
}

size_t snug_known_count(void) {
  size_t n = 0;
  for (int sort = 0; sort < SNUG_KNOWN_SORTS; sort++) {
    n += count_of((snug_known_sort)sort);
  }
  return n;
}

/* Thing i of all; *out is zeroed if there is none. */
static bool find(size_t i, thing *out) {
  int sort = 0;
  memset(out, 0, sizeof *out);
  for (; sort < SNUG_KNOWN_SORTS && i >= count_of((snug_known_sort)sort); sort++) {
    i -= count_of((snug_known_sort)sort);
  }
  if (sort == SNUG_KNOWN_SORTS) {
    return false;
  }
  out->sort = (snug_known_sort)sort;
  size_t there = count_there(out->sort);
  if (i >= there) {
    size_t n = 0;
    out->refused = snug__refused_of(out->sort, &n) + (i - there);
  } else if (sorts[sort].set) {
    out->named = *snug__named_at(sorts[sort].set(), i);
  } else {
    (sort == SNUG_KNOWN_LAYER       ? layer_at
     : sort == SNUG_KNOWN_OPERATION ? operation_at
                                    : activation_at)(i, out);
  }
  return true;
}

/* ---- names ---- */

static const char *text_of(const char *initial) {
  bool is_none = strcmp(initial, "\"\"") == 0 || strcmp(initial, "[]") == 0 ||
                 strcmp(initial, NO_CLASS_TEXT) == 0 || strcmp(initial, "-inf") == 0;
  return is_none ? "none" : initial;
}

/* Layers are called by their class, operations by their function in keras.ops. */
static void name_of(const thing *t, char out[SNUG__NAME_BYTES]) {
  if (t->refused) {
    const char *star = "*";
    snprintf(out, SNUG__NAME_BYTES, "%s%s%s", t->refused->how == '>' ? star : "", t->refused->part,
             t->refused->how == '<' ? star : "");
  } else if (t->named.names) {
    snug__named_own(&t->named, out);
  } else if (is_operation(t->class_)) {
    snug__layer_snake_case(t->class_->name, out);
  } else {
    snprintf(out, SNUG__NAME_BYTES, "%s", t->class_->name);
  }
}

bool snug_known_is(size_t i, const char *name) {
  char one[SNUG__NAME_BYTES];
  thing t;
  if (!name || !find(i, &t)) {
    return false;
  }
  bool has_module = strncmp(name, "ops.", 4) == 0 || strncmp(name, "keras.", 6) == 0;
  name = has_module ? strrchr(name, '.') + 1 : name;
  if (t.refused && t.refused->how != '=') {
    return snug__refused_fits(t.refused, name);
  }
  name_of(&t, one);
  bool found =
      snug__named_is_same(one, name) ||
      (t.class_ && snug__named_is_same(
                       t.class_->name + (is_operation(t.class_) ? strlen(OPERATION) : 0), name));
  for (const char *at = t.named.names; at && *at && !found;) {
    size_t n = strcspn(at, " ");
    snprintf(one, sizeof one, "%.*s", (int)n, at);
    found = snug__named_is_same(one, name);
    at += n + (at[n] == ' ');
  }
  return found;
}

/* ---- options ---- */

/* What no one gives: `name` and its like, which all layers have; the shape and the dtype of a
 * constant, which go along with it. */
static bool is_shown(const thing *t, const snug__field *f) {
  const snug__field *common = t->class_ ? t->class_->fields : NULL;
  const snug__field *constant = NULL;
  for (const snug__field *at = common; at && at < f; at++) {
    constant = at->kind == SNUG__FIELD_NUMBERS ? at : constant;
  }
  size_t n = constant ? strlen(constant->name) : 0;
  bool belongs = constant && strncmp(f->name, constant->name, n) == 0 && f->name[n] == '_';
  return !belongs &&
         !(common && f->offset < sizeof(snug__layer_common) && f->kind != SNUG__FIELD_FIXED);
}

/* Option k, or fixed option k; the number of them if there is none. */
static size_t find_field(const thing *t, bool fixed, size_t k, const snug__field **out) {
  const snug__field *fields = t->class_ ? t->class_->fields : t->named.fields;
  size_t n = 0;
  *out = NULL;
  for (const snug__field *f = fields; f && f->name && !*out; f++) {
    bool counts = is_shown(t, f) && (!fixed || f->kind == SNUG__FIELD_FIXED);
    *out = counts && n == k ? f : NULL;
    n += counts;
  }
  return n;
}

static const char *lack_at(const thing *t, size_t k) {
  const char *const *lacks = t->class_ ? t->class_->lacks : NULL;
  while (lacks && *lacks && k > 0) {
    lacks++;
    k--;
  }
  return lacks ? *lacks : k == 0 ? t->named.lack : NULL;
}

static const char *kind_text(snug__field_kind kind) {
  switch (kind) {
    case SNUG__FIELD_INT:
      return "a whole number";
    case SNUG__FIELD_FLOAT:
      return "a number";
    case SNUG__FIELD_BOOL:
      return "true or false";
    case SNUG__FIELD_CHOICE:
      return "one of";
    case SNUG__FIELD_INTS:
      return "whole numbers";
    case SNUG__FIELD_FLOATS:
      return "numbers";
    case SNUG__FIELD_TEXT:
      return "a word";
    case SNUG__FIELD_NUMBERS:
      return "an array";
    case SNUG__FIELD_FIXED:
      break;
  }
  return "only";
}

bool snug_known_option_get(size_t i, size_t k, snug_known_option *out) {
  const snug__field *f = NULL;
  snug_known_option option = {.name = NULL};
  thing t;
  if (find(i, &t) && (find_field(&t, false, k, &f), f)) {
    option = (snug_known_option){.name = f->name,
                                 .kind = kind_text(f->kind),
                                 .initial = f->initial ? text_of(f->initial) : NULL,
                                 .choices = f->choices};
  }
  SNUG__WRITE(snug_known_option, &option, out);
  return option.name != NULL;
}

static bool limit_of(const thing *t, size_t k, snug_known_limit *out) {
  const snug__field *f = NULL;
  size_t n = find_field(t, true, k, &f);
  *out = f ? (snug_known_limit){.option = f->name, .only = f->initial, .says = f->says}
           : (snug_known_limit){.says = lack_at(t, k - n)};
  return f || out->says;
}

bool snug_known_limit_get(size_t i, size_t k, snug_known_limit *out) {
  snug_known_limit limit = {.says = NULL};
  thing t;
  bool is_there = find(i, &t) && limit_of(&t, k, &limit);
  SNUG__WRITE(snug_known_limit, &limit, out);
  return is_there;
}

static void describe(const thing *t, snug_known *out) {
  const snug__field *f = NULL;
  snug_known_limit limit;
  char name[SNUG__NAME_BYTES];
  name_of(t, name);
  out->sort = t->sort;
  memcpy(out->name, name, sizeof out->name - 1);
  const char *blank = t->named.names ? strchr(t->named.names, ' ') : NULL;
  out->aliases = blank ? blank + 1 : "";
  out->instead = t->refused ? t->refused->advice : NULL;
  out->least_inputs = t->class_ ? t->class_->min_in : 0;
  out->most_inputs = t->class_ ? t->class_->max_in : 0;
  out->n_options = find_field(t, false, SIZE_MAX, &f);
  while (limit_of(t, out->n_limits, &limit)) {
    out->n_limits++;
  }
}

bool snug_known_get(size_t i, snug_known *out) {
  snug_known known = {.n_limits = 0};
  thing t;
  bool is_there = find(i, &t);
  if (is_there) {
    describe(&t, &known);
  }
  SNUG__WRITE(snug_known, &known, out);
  return is_there;
}

/* ---- rules ---- */

#define KEY(key) #key " "

const char *snug_known_rule(size_t i) {
  static const char *const rules[] = {
      SNUG__RULE_MODEL,
      "A class of your own is refused: " SNUG__RULE_CUSTOM,
      SNUG__RULE_DTYPE,
      SNUG__RULE_INPUT,
      "Sparse and ragged inputs are refused: feed arrays",
      "A mask that a call is given is refused: " SNUG__RULE_MASK,
      "What a call says of training is not heeded, as in Keras: fit and predict say when a model "
      "trains",
      "The batch stays the first axis: no layer or operation takes one sample for another, or "
      "several for one",
      "Any loss is a metric too: its mean",
      "A value has at most 6 axes, the batch among them",
      "Images and series have their channels last",
      "What these say must be null, false, 0 or empty, unless the layer lists "
      "them: " SNUG__UNSET_KEYS(KEY),
  };
  _Static_assert(SNUG_MAX_RANK == 6, "as the rule says");
  return i < SNUG_COUNT(rules) ? rules[i] : NULL;
}
