/* compile: from texts to losses, metrics and an optimizer, and to the list of values that logs will
 * show. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/lower.h"

#include "base/struct_size.h"

#define MAX_TRACKED 1024
#define NAME_BYTES 256

static const char *output_name(const snug_model *m, size_t i) {
  return SNUG_VEC(&m->tensors, snug__model_tensor, SNUG_VEC(&m->outputs, snug_tensor, i)).name;
}

static snug_status fail_text(snug_model *m, const char *what) {
  return snug__fail(m->ctx, SNUG_E_ARGUMENT, "compile: %s", what);
}

/* ---- losses ---- */

static snug_status parse_losses(snug_model *m, snug__training *t, const snug_compile_options *o) {
  size_t n = m->outputs.n;
  if (!o->loss || (o->n_loss != 1 && o->n_loss != (int32_t)n)) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                      "compile: the model has %zu outputs; %d losses were given", n,
                      o->loss ? o->n_loss : 0);
  }
  SNUG_TRY(snug__arena_take(&t->arena, n * sizeof *t->losses, (void **)&t->losses));
  SNUG_TRY(snug__arena_take(&t->arena, n * sizeof *t->loss_weights, (void **)&t->loss_weights));
  for (size_t i = 0; i < n; i++) {
    const char *text = o->loss[o->n_loss == 1 ? 0 : i];
    if (!text) {
      return fail_text(m, "a loss is NULL");
    }
    SNUG_TRY(snug__loss_parse(m->ctx, text, &t->losses[i]));
    t->loss_weights[i] = o->loss_weights ? o->loss_weights[i] : 1.0;
    if (!isfinite(t->loss_weights[i])) {
      return snug__fail(m->ctx, SNUG_E_ARGUMENT,
                        "compile: the loss of '%s' has the weight %g; it must be finite",
                        output_name(m, i), t->loss_weights[i]);
    }
  }
  return SNUG_OK;
}

/* ---- what is followed ---- */

static bool is_taken(const snug__training *t, const char *name) {
  for (size_t i = 0; i < t->tracked.n; i++) {
    if (strcmp(SNUG_VEC(&t->tracked, snug__tracked, i).name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* Add under a name that is free: "mae", "mae_1", ... */
static snug_status track(snug__training *t, const snug__tracked *what, const char *name) {
  char unique[NAME_BYTES];
  snug__tracked copy = *what;
  snprintf(unique, sizeof unique, "%s", name);
  for (unsigned k = 1; is_taken(t, unique); k++) {
    snprintf(unique, sizeof unique, "%s_%u", name, k);
  }
  SNUG_TRY(snug__arena_text(&t->arena, unique, &copy.name));
  return snug__vec_push(&t->tracked, &copy, 1);
}

static snug_status track_loss(snug_model *m, snug__training *t) {
  snug__tracked total = {.output = -1, .of_loss = true};
  SNUG_TRY(snug__metric_parse(m->ctx, "mean", &total.metric));
  return track(t, &total, "loss");
}

static snug_status track_output_losses(snug_model *m, snug__training *t) {
  char name[NAME_BYTES];
  for (size_t i = 0; m->outputs.n > 1 && i < m->outputs.n; i++) {
    snug__tracked loss = {.output = (int32_t)i, .of_loss = true};
    SNUG_TRY(snug__metric_parse(m->ctx, "mean", &loss.metric));
    snprintf(name, sizeof name, "%s_loss", output_name(m, i));
    SNUG_TRY(track(t, &loss, name));
  }
  return SNUG_OK;
}

/* "output: metric" names the output it is for; the text of the metric starts at *metric. */
static bool is_for_output(const snug_model *m, size_t i, const char *text, const char **metric) {
  const char *name = output_name(m, i);
  size_t n = strlen(name);
  const char *colon = strchr(text, ':');
  const char *paren = strchr(text, '(');
  if (!colon || (paren && paren < colon)) {
    *metric = text;
    return true;
  }
  *metric = colon + 1 + strspn(colon + 1, " ");
  return (size_t)(colon - text) == n && strncmp(text, name, n) == 0;
}

/* As Keras names them: behind the output's name if there are several; a weighted one that is there
 * without weights, too, says so. */
static snug_status track_for_output(snug_model *m, snug__training *t, size_t i, const char *text,
                                    bool weighted) {
  char name[NAME_BYTES];
  snug__tracked x = {.output = (int32_t)i, .weighted = weighted};
  const char *output = m->outputs.n > 1 ? output_name(m, i) : "";
  const char *line = m->outputs.n > 1 ? "_" : "";
  SNUG_TRY(snug__metric_parse(m->ctx, text, &x.metric));
  snprintf(name, sizeof name, "%s%s%s", output, line, x.metric.name);
  if (weighted && is_taken(t, name)) {
    snprintf(name, sizeof name, "%s%sweighted_%s", output, line, x.metric.name);
  }
  return track(t, &x, name);
}

static snug_status track_metric(snug_model *m, snug__training *t, const char *text, bool weighted) {
  size_t found = 0;
  for (size_t i = 0; i < m->outputs.n; i++) {
    const char *metric = NULL;
    if (is_for_output(m, i, text, &metric)) {
      SNUG_TRY(track_for_output(m, t, i, metric, weighted));
      found++;
    }
  }
  return found ? SNUG_OK
               : snug__fail(m->ctx, SNUG_E_ARGUMENT,
                            "compile: the metric '%s' is for no output of the model", text);
}

static snug_status track_metrics(snug_model *m, snug__training *t, const char *const *texts,
                                 int32_t n, bool weighted) {
  if (n < 0) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "compile: there cannot be %d metrics", n);
  }
  for (int32_t i = 0; i < n; i++) {
    if (!texts || !texts[i]) {
      return fail_text(m, "a metric is NULL");
    }
    SNUG_TRY(track_metric(m, t, texts[i], weighted));
  }
  return SNUG_OK;
}

/* ---- names of the logs ---- */

static const char *tracked_name(const snug__training *t, uint32_t i) {
  return SNUG_VEC(&t->tracked, snug__tracked, i).name;
}

static void sort_by_name(snug__training *t) {
  for (uint32_t i = 0; i < t->tracked.n; i++) {
    uint32_t k = i;
    for (; k > 0 && strcmp(tracked_name(t, t->by_name[k - 1]), tracked_name(t, i)) > 0; k--) {
      t->by_name[k] = t->by_name[k - 1];
    }
    t->by_name[k] = i;
  }
}

static snug_status make_names(snug__training *t) {
  size_t n = t->tracked.n;
  char name[NAME_BYTES + 8];
  SNUG_TRY(snug__arena_take(&t->arena, n * sizeof *t->by_name, (void **)&t->by_name));
  SNUG_TRY(snug__arena_take(&t->arena, 2 * n * sizeof *t->names, (void **)&t->names));
  sort_by_name(t);
  for (size_t i = 0; i < n; i++) {
    t->names[i] = tracked_name(t, t->by_name[i]);
    snprintf(name, sizeof name, "val_%s", t->names[i]);
    SNUG_TRY(snug__arena_text(&t->arena, name, &t->names[n + i]));
  }
  return SNUG_OK;
}

/* ---- compile ---- */

/* The layers that are not frozen, and those on the way to an output. */
static snug_status list_layers(snug_model *m, snug__training *t, bool **needed) {
  SNUG_TRY(snug__arena_take(&t->arena, m->layers.n * sizeof *t->trains, (void **)&t->trains));
  SNUG_TRY(snug__arena_take(&t->arena, m->layers.n * sizeof **needed, (void **)needed));
  for (size_t i = 0; i < m->layers.n; i++) {
    t->trains[i] = snug__layer_is_trainable(&SNUG_VEC(&m->layers, snug__layer, i));
  }
  for (size_t c = 0; c < m->calls.n; c++) {
    const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    (*needed)[call->layer] |= call->needed;
  }
  return SNUG_OK;
}

static snug_status list_trained(snug_model *m, snug__training *t) {
  size_t n = m->variables.list.n;
  bool *needed = NULL;
  SNUG_TRY(list_layers(m, t, &needed));
  SNUG_TRY(snug__arena_take(&t->arena, n * sizeof *t->trained, (void **)&t->trained));
  SNUG_TRY(snug__arena_take(&t->arena, n * sizeof *t->summed, (void **)&t->summed));
  for (snug__id v = 0; v < n; v++) {
    const snug__variable *x = snug__variable_at(&m->variables, v);
    if (snug__model_trains(m, x) && needed[snug__model_find_layer(m, x->layer)->index]) {
      t->trained[t->n_trained++] = v;
    }
  }
  return SNUG_OK;
}

static snug_status parse(snug_model *m, snug__training *t, const snug_compile_options *o) {
  SNUG_TRY(snug__optimizer_parse(m->ctx, o->optimizer ? o->optimizer : "rmsprop", &t->optimizer));
  SNUG_TRY(parse_losses(m, t, o));
  SNUG_TRY(track_loss(m, t));
  SNUG_TRY(track_metrics(m, t, o->metrics, o->n_metrics, false));
  SNUG_TRY(track_metrics(m, t, o->weighted_metrics, o->n_weighted_metrics, true));
  SNUG_TRY(track_output_losses(m, t));
  SNUG_TRY(list_trained(m, t));
  return make_names(t);
}

/* Build a step of batch 1 and throw it away: it makes the variables of the state and finds what
 * does not fit. */
static snug_status rehearse(snug_model *m) {
  snug__graph *g = NULL;
  snug__step step;
  SNUG_TRY(snug__step_build(m, SNUG__STEP_TRAIN, 1, true, &g, &step));
  snug__graph_destroy(g);
  SNUG_TRY(snug__settle_layouts(m, SNUG__STEP_TRAIN));
  m->training->state_bytes = snug__variables_place(&m->variables, SNUG__STATE, SNUG__NOWHERE);
  return SNUG_OK;
}

static snug_status make_training(snug_model *m, const snug_compile_options *o) {
  SNUG_TRY(SNUG_NEW(m->ctx, SNUG__MEM_MODEL, &m->training));
  m->training->ctx = m->ctx;
  snug__arena_init(&m->training->arena, m->ctx, SNUG__MEM_MODEL);
  snug__vec_init(&m->training->tracked, m->ctx, SNUG__MEM_MODEL, sizeof(snug__tracked),
                 MAX_TRACKED);
  SNUG_TRY(parse(m, m->training, o));
  return rehearse(m);
}

/* What a compile replaces: kept until the new one has succeeded. */
typedef struct before {
  snug__training *training;
  snug__variable *state; /* copies of the table's entries behind the weights */
  size_t n_state, n_weights;
} before;

static size_t count_weights(const snug__variables *v) {
  size_t n = 0;
  while (n < v->list.n && snug__variable_at(v, (snug__id)n)->kind == SNUG__WEIGHT) {
    n++;
  }
  return n;
}

static snug_status set_aside(snug_model *m, before *b) {
  snug__vec *list = &m->variables.list;
  *b = (before){.training = m->training, .n_weights = count_weights(&m->variables)};
  b->n_state = list->n - b->n_weights;
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, b->n_state, &b->state));
  if (b->n_state) { /* a model without variables has no list to copy from */
    memcpy(b->state, (snug__variable *)list->data + b->n_weights, b->n_state * sizeof *b->state);
  }
  snug__variables_cut(&m->variables, b->n_weights);
  m->training = NULL;
  return SNUG_OK;
}

/* Back to what was there: the table has had room for it before, so nothing can fail. */
static void bring_back(snug_model *m, const before *b) {
  snug__training_destroy(m);
  snug__variables_cut(&m->variables, b->n_weights);
  snug__variables_restore(&m->variables, b->state, b->n_state);
  m->training = b->training;
}

static void drop(snug_model *m, const before *b) {
  snug__training *made = m->training;
  m->training = b->training;
  snug__training_destroy(m);
  m->training = made;
}

static snug_status compile(snug_model *m, const snug_compile_options *options, bool commits) {
  snug_compile_options o;
  before b;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!options) {
    return fail_text(m, "there are no options (NULL), and so no loss");
  }
  SNUG_TRY(SNUG__READ(m->ctx, snug_compile_options, options, &o));
  if (m->training && m->training->fit) {
    return snug__fail(m->ctx, SNUG_E_STATE,
                      "compile: a fit of the model is running; compile when it has ended");
  }
  SNUG_TRY(snug__model_finish(m));
  SNUG_TRY(snug__model_check_weights(m)); /* no kernel is asked about shapes beyond all memory */
  SNUG_TRY(set_aside(m, &b));
  snug_status s = make_training(m, &o);
  if (!s && commits) {
    s = snug__model_commit_weights(m); /* now it is known how they are to lie */
  }
  if (s) {
    bring_back(m, &b);
  } else {
    drop(m, &b);
    m->compiles++;
  }
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, b.state, b.n_state);
  return s;
}

snug_status snug_model_compile(snug_model *m, const snug_compile_options *options) {
  return compile(m, options, true);
}

snug_status snug__model_compile(snug_model *m, const snug_compile_options *options) {
  return compile(m, options, false);
}
