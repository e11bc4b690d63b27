/* Which arrays of a file feed which inputs and outputs of a model. */
#include <stdio.h>
#include <string.h>

#include "base/struct_size.h"
#include "data/arrays_file.h"
#include "graph/type.h"
#include "model/model.h"

#define NAME_BYTES 160
#define MOST_TEXT 800

/* How the name of a part is made of a name: what stands before and behind it. */
typedef struct form {
  const char *before, *behind;
} form;

#define MOST_FORMS 4
static const form forms[][MOST_FORMS] = {
    [SNUG_PART_TRAIN] = {{"", ""}, {"", "_train"}, {"train_", ""}},
    [SNUG_PART_VALIDATION] = {{"", "_val"}, {"val_", ""}, {"", "_valid"}, {"valid_", ""}},
    [SNUG_PART_TEST] = {{"", "_test"}, {"test_", ""}, {"", ""}},
};

/* The names of inputs and of outputs if a model has one of them. */
#define MOST_SYNONYMS 3
typedef struct role {
  const char *synonyms[MOST_SYNONYMS]; /* the first stands before numbers: x_0 */
} role;
static const role inputs = {{"x", "X", "images"}};
static const role outputs = {{"y", "Y", "labels"}};

static snug__array_entry *find(const snug_arrays *a, const form *f, const char *base) {
  char name[NAME_BYTES];
  int n = snprintf(name, sizeof name, "%s%s%s", f->before, base, f->behind);
  return n > 0 && (size_t)n < sizeof name ? snug__arrays_entry(a, name) : NULL;
}

/* The array of the i-th of n inputs or outputs, which is called `own`, or NULL. */
static snug__array_entry *find_one(const snug_arrays *a, const form *f, const role *r,
                                   const char *own, int32_t i, int32_t n) {
  char numbered[NAME_BYTES];
  snug__array_entry *e = own ? find(a, f, own) : NULL;
  snprintf(numbered, sizeof numbered, "%s_%d", r->synonyms[0], i);
  e = e ? e : find(a, f, numbered);
  for (int32_t k = 0; !e && n == 1 && k < MOST_SYNONYMS; k++) {
    e = find(a, f, r->synonyms[k]);
  }
  return e;
}

static const char *input_name(const snug_model *m, int32_t i) {
  return SNUG_VEC(&m->inputs, snug__model_input, i).name;
}

static const char *output_name(const snug_model *m, int32_t i) {
  snug_tensor t = SNUG_VEC(&m->outputs, snug_tensor, i);
  return SNUG_VEC(&m->tensors, snug__model_tensor, t).name;
}

/* A model and what it takes from the files. */
typedef struct feed {
  snug_arrays *a;
  const snug_model *m;
  int32_t n_in, n_out; /* n_out 0: no labels are wanted */
  const form *form;    /* NULL: by position */
} feed;

static bool has_inputs(const feed *d, const form *f) {
  for (int32_t i = 0; i < d->n_in; i++) {
    if (!find_one(d->a, f, &inputs, input_name(d->m, i), i, d->n_in)) {
      return false;
    }
  }
  return true;
}

static bool is_form(const form *f) { return f->before != NULL; }

static const form *find_form(const feed *d, snug_part part) {
  for (int32_t k = 0; k < MOST_FORMS && is_form(&forms[part][k]); k++) {
    if (has_inputs(d, &forms[part][k])) {
      return &forms[part][k];
    }
  }
  return NULL;
}

/* Without names all inputs, and then all outputs, are given; labels that nobody wants may be. */
static bool fits_by_position(const feed *d) {
  size_t in = (size_t)d->n_in;
  size_t both = in + d->m->outputs.n;
  return d->a->is_positional && (d->a->entries.n == both || (!d->n_out && d->a->entries.n == in));
}

static snug__array_entry *input_entry(const feed *d, int32_t i) {
  return d->form ? find_one(d->a, d->form, &inputs, input_name(d->m, i), i, d->n_in)
                 : &SNUG_VEC(&d->a->entries, snug__array_entry, i);
}

static snug__array_entry *output_entry(const feed *d, int32_t i) {
  return d->form ? find_one(d->a, d->form, &outputs, output_name(d->m, i), i, d->n_out)
                 : &SNUG_VEC(&d->a->entries, snug__array_entry, d->n_in + i);
}

/* ---- what is missing ---- */

static snug_status add_names(const snug_arrays *a, snug__text *t) {
  for (size_t i = 0; i < a->entries.n && t->chars.n < MOST_TEXT / 2; i++) {
    const snug__array_entry *e = &SNUG_VEC(&a->entries, snug__array_entry, i);
    char type[SNUG__TYPE_TEXT_BYTES];
    snug__type of = snug__type_of(e->array.dtype, e->array.rank, e->array.shape);
    SNUG_TRY(snug__text_add(t, "%s%s %s", i ? ", " : "", e->name,
                            e->why ? "(no numbers)" : snug__type_text(&of, type)));
  }
  return SNUG_OK;
}

/* "x (or input_1)", "x_0 (or left), x_1 (or right)" */
static snug_status add_wanted(const role *r, const form *f, const snug_model *m,
                              const char *(*name)(const snug_model *, int32_t), int32_t n,
                              snug__text *t) {
  for (int32_t i = 0; i < n && t->chars.n < MOST_TEXT; i++) {
    char number[16] = "";
    if (n > 1) {
      snprintf(number, sizeof number, "_%d", i);
    }
    SNUG_TRY(snug__text_add(t, "%s%s%s%s%s (or %s%s%s)", i ? ", " : "", f->before, r->synonyms[0],
                            number, f->behind, f->before, name(m, i), f->behind));
  }
  return SNUG_OK;
}

static snug_status describe_missing(const feed *d, const form *f, snug__text *t) {
  SNUG_TRY(snug__text_add(t, "has: "));
  SNUG_TRY(add_names(d->a, t));
  SNUG_TRY(snug__text_add(t, "; the model needs inputs: "));
  SNUG_TRY(add_wanted(&inputs, f, d->m, input_name, d->n_in, t));
  if (d->n_out) {
    SNUG_TRY(snug__text_add(t, "; labels: "));
    SNUG_TRY(add_wanted(&outputs, f, d->m, output_name, d->n_out, t));
  }
  return SNUG_OK;
}

/* What the files have and what the model needs, in the names of a form. */
static snug_status fail_missing(const feed *d, const form *f) {
  snug__text t;
  snug__text_init(&t, d->a->ctx, 8192);
  snug_status status = describe_missing(d, f, &t);
  status = status ? status
                  : snug__fail(d->a->ctx, SNUG_E_ARGUMENT, "%s: %s", snug__path_shown(d->a->file),
                               snug__text_get(&t));
  snug__text_release(&t);
  return status;
}

/* ---- taking ---- */

/* What is taken, in the order in which a source gives it: inputs, labels, weights. */
typedef struct choice {
  snug__array_entry **entries;
  snug_array *arrays;
  int32_t n;
} choice;

static snug_status take(const feed *d, snug__array_entry *e, choice *t) {
  if (!e) {
    return fail_missing(d, d->form);
  }
  SNUG_TRY(snug__arrays_feed(d->a, e));
  t->entries[t->n] = e;
  t->arrays[t->n++] = e->array;
  return SNUG_OK;
}

/* Missing labels are told before inputs are read for nothing. */
static snug_status check_labels(const feed *d) {
  for (int32_t i = 0; i < d->n_out; i++) {
    if (!output_entry(d, i)) {
      return fail_missing(d, d->form);
    }
  }
  return SNUG_OK;
}

static snug_status take_entries(const feed *d, choice *t) {
  snug__array_entry *weight = d->form && d->n_out ? find(d->a, d->form, "sample_weight") : NULL;
  SNUG_TRY(check_labels(d));
  for (int32_t i = 0; i < d->n_in; i++) {
    SNUG_TRY(take(d, input_entry(d, i), t));
  }
  for (int32_t i = 0; i < d->n_out; i++) {
    SNUG_TRY(take(d, output_entry(d, i), t));
  }
  return weight ? take(d, weight, t) : SNUG_OK;
}

static snug_status take_all(const feed *d, snug_data *out) {
  size_t room = (size_t)(d->n_in + d->n_out + 1);
  snug_data data = {.struct_size = sizeof data, .n_x = d->n_in, .n_y = d->n_out};
  void *entries = NULL;
  void *arrays = NULL;
  SNUG_TRY(snug__arena_take(&d->a->arena, room * sizeof(snug__array_entry *), &entries));
  SNUG_TRY(snug__arena_take(&d->a->arena, room * sizeof(snug_array), &arrays));
  choice t = {.entries = entries, .arrays = arrays};
  SNUG_TRY(take_entries(d, &t));
  data.x = t.arrays;
  data.y = d->n_out ? t.arrays + d->n_in : NULL;
  data.sample_weight = t.n > d->n_in + d->n_out ? &t.arrays[t.n - 1] : NULL;
  SNUG_TRY(snug__arrays_join(d->a, t.entries, t.n, &data.source));
  SNUG__WRITE(snug_data, &data, out);
  return SNUG_OK;
}

static bool is_part(snug_part part) {
  return part == SNUG_PART_TRAIN || part == SNUG_PART_VALIDATION || part == SNUG_PART_TEST;
}

static snug_status fail_argument(const snug_arrays *a) {
  return snug__fail(a->ctx, SNUG_E_ARGUMENT,
                    "%s: no model, no place for the arrays (NULL), or no such part of the data",
                    snug__path_shown(a->file));
}

bool snug_arrays_has(const snug_arrays *a, const snug_model *m, snug_part part) {
  if (!a || !m || !is_part(part)) {
    return false;
  }
  feed d = {.a = (snug_arrays *)(uintptr_t)a, .m = m, .n_in = (int32_t)m->inputs.n};
  return find_form(&d, part) != NULL;
}

snug_status snug_arrays_data(snug_arrays *a, snug_model *m, snug_part part, bool with_labels,
                             snug_data *out) {
  if (!a) {
    return SNUG_E_ARGUMENT;
  }
  if (!m || !out || !is_part(part)) {
    return fail_argument(a);
  }
  SNUG_TRY(SNUG__CHECK(a->ctx, snug_data, out));
  SNUG__WRITE(snug_data, &(snug_data){.n_x = 0}, out);
  SNUG_TRY(snug__model_finish(m));
  feed d = {.a = a, .m = m, .n_in = (int32_t)m->inputs.n};
  d.n_out = with_labels ? (int32_t)m->outputs.n : 0;
  d.form = find_form(&d, part);
  bool by_position = part != SNUG_PART_VALIDATION && fits_by_position(&d);
  if (by_position) {
    d.form = NULL;
  } else if (!d.form) {
    return fail_missing(&d, &forms[part][0]);
  }
  return take_all(&d, out);
}

/* ---- without a model ---- */

snug_status snug_arrays_all(snug_arrays *a, snug_data *out) {
  void *entries = NULL;
  void *arrays = NULL;
  if (!a) {
    return SNUG_E_ARGUMENT;
  }
  if (!out) {
    return fail_argument(a);
  }
  SNUG_TRY(SNUG__CHECK(a->ctx, snug_data, out));
  SNUG__WRITE(snug_data, &(snug_data){.n_x = 0}, out);
  SNUG_TRY(snug__arena_take(&a->arena, a->entries.n * sizeof(snug__array_entry *), &entries));
  SNUG_TRY(snug__arena_take(&a->arena, a->entries.n * sizeof(snug_array), &arrays));
  choice t = {.entries = entries, .arrays = arrays};
  const feed any = {.a = a};
  for (size_t i = 0; i < a->entries.n; i++) {
    snug__array_entry *e = &SNUG_VEC(&a->entries, snug__array_entry, i);
    SNUG_TRY(e->why ? SNUG_OK : take(&any, e, &t));
  }
  snug_data data = {.struct_size = sizeof data, .x = t.arrays, .n_x = t.n};
  SNUG_TRY(snug__arrays_join(a, t.entries, t.n, &data.source));
  SNUG__WRITE(snug_data, &data, out);
  return SNUG_OK;
}

/* How many inputs a form names: 1 for x, or x_0, x_1, ... */
static int32_t count_named(const snug_arrays *a, const form *f) {
  int32_t n = 0;
  while (find_one(a, f, &inputs, NULL, n, 0)) {
    n++;
  }
  return n ? n : find_one(a, f, &inputs, NULL, 0, 1) != NULL;
}

static snug_status copy_inputs(snug_arrays *a, const form *f, int32_t n, const snug_array **x) {
  void *taken = NULL;
  SNUG_TRY(snug__arena_take(&a->arena, (size_t)n * sizeof(snug_array), &taken));
  snug_array *arrays = taken;
  for (int32_t i = 0; i < n; i++) {
    arrays[i] = f ? find_one(a, f, &inputs, NULL, i, n)->array
                  : SNUG_VEC(&a->entries, snug__array_entry, i).array;
  }
  *x = arrays;
  return SNUG_OK;
}

snug_status snug_arrays_inputs(snug_arrays *a, snug_part part, const snug_array **x, int32_t *n) {
  if (!a) {
    return SNUG_E_ARGUMENT;
  }
  if (!x || !n || !is_part(part)) {
    return fail_argument(a);
  }
  *x = NULL;
  *n = 0;
  const form *f = NULL;
  int32_t found = 0;
  for (int32_t k = 0; k < MOST_FORMS && !found && is_form(&forms[part][k]); k++) {
    f = &forms[part][k];
    found = count_named(a, f);
  }
  if (!found && a->is_positional) {
    f = NULL;
    found = a->entries.n > 1 ? (int32_t)a->entries.n - 1 : 1;
  }
  if (found) {
    SNUG_TRY(copy_inputs(a, f, found, x));
  }
  *n = found;
  return SNUG_OK;
}
