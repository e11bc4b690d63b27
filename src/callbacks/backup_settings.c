#include "callbacks/backup_settings.h"

#include <string.h>

#include "base/isa.h"
#include "base/number.h"
#include "base/text.h"
#include "base/timings.h"
#include "callbacks/callback.h"
#include "train/training.h"

#define MOST_BYTES (1 << 20)
#define SHOWN 120 /* of a value, in a message */

/* ---- taking them down ---- */

static snug_status add(snug__text *t, const char *name, const char *value) {
  return snug__text_add(t, "%s%c%s%c", name, 0, value, 0);
}

static snug_status add_count(snug__text *t, const char *name, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return add(t, name, text);
}

static snug_status add_flag(snug__text *t, const char *name, bool value) {
  return add(t, name, value ? "yes" : "no");
}

/* Something long: how much there is of it, and a key. */
static snug_status add_key(snug__text *t, const char *name, size_t n, const void *bytes,
                           size_t bytes_n) {
  char text[64] = "none";
  if (bytes) {
    uint64_t key = snug__key_add(SNUG__KEY_START, bytes, bytes_n);
    snprintf(text, sizeof text, "%zu (%08x)", n, (unsigned)(key >> 32));
  }
  return add(t, name, text);
}

static snug_status add_machine(snug__text *t, const snug__fit *f) {
  const snug_ctx *ctx = f->model->ctx;
  SNUG_TRY(add_count(t, "threads", ctx->threads));
  SNUG_TRY(add(t, "the instruction set", snug__isa_text(ctx->isa)));
  return add_count(t, "seed", (int64_t)f->model->seed);
}

static snug_status add_data(snug__text *t, const snug__fit *f) {
  const snug_fit_options *o = &f->options;
  const snug__feed *v = &f->validation;
  const snug__feed *x = &f->train;
  SNUG_TRY(add_count(t, "the number of samples", x->rows));
  SNUG_TRY(add_count(t, "batch_size", x->batch));
  SNUG_TRY(add_flag(t, "shuffle", x->shuffled));
  SNUG_TRY(add_count(t, "the number of steps", f->steps));
  SNUG_TRY(add_flag(t, "sample_weight", x->data->sample_weight));
  if (o->augment) {
    SNUG_TRY(add(t, "augment", o->augment));
  }
  SNUG_TRY(add_key(t, "class_weight", (size_t)o->n_class_weight, o->class_weight,
                   (size_t)o->n_class_weight * sizeof *o->class_weight));
  SNUG_TRY(add_count(t, "the number of samples to validate with", f->has_validation ? v->rows : 0));
  SNUG_TRY(add_count(t, "validation_batch_size", f->has_validation ? v->batch : 0));
  SNUG_TRY(add_count(t, "validation_steps", o->validation_steps));
  return add_count(t, "validation_freq", o->validation_freq);
}

static snug_status add_levers(snug__text *t, const snug_fit_options *o) {
  SNUG_TRY(add(t, "recompute", o->recompute ? o->recompute : "auto"));
  SNUG_TRY(add_count(t, "micro_batch", o->micro_batch));
  SNUG_TRY(add_flag(t, "allow_batch_statistics", o->allow_batch_statistics));
  SNUG_TRY(add_flag(t, "allow_disk", o->allow_disk));
  size_t n = o->kernels ? strlen(o->kernels) : 0;
  return add_key(t, "kernels", n, o->kernels, n);
}

/* name NUL print(...) NUL */
static snug_status add_optimizer(snug__text *t, const snug__training *g) {
  SNUG_TRY(snug__text_add(t, "optimizer%c", 0));
  SNUG_TRY(snug__optimizer_print(&g->optimizer, t));
  return snug__text_add(t, "%c", 0);
}

static snug_status add_losses(snug__text *t, const snug_model *m) {
  char number[SNUG__NUMBER_BYTES];
  for (size_t i = 0; i < m->outputs.n; i++) {
    SNUG_TRY(snug__text_add(t, "loss of output %zu%c", i, 0));
    SNUG_TRY(snug__loss_print(&m->training->losses[i], t));
    SNUG_TRY(snug__text_add(t, ", weight %s%c",
                            snug__print_float(m->training->loss_weights[i], number), 0));
  }
  return SNUG_OK;
}

static snug_status add_training(snug__text *t, const snug_model *m) {
  const snug__training *g = m->training;
  char number[SNUG__NUMBER_BYTES];
  SNUG_TRY(add_optimizer(t, g));
  SNUG_TRY(g->optimizer.schedule.kind
               ? SNUG_OK
               : add(t, "learning_rate", snug__print_float(snug_model_learning_rate(m), number)));
  SNUG_TRY(add_losses(t, m));
  return add_key(t, "the weights that are trained", g->n_trained, g->trained,
                 g->n_trained * sizeof *g->trained);
}

/* What its layers compute. */
static snug_status add_model(snug__text *t, const snug_model *m) {
  snug__text graph;
  snug__text_init(&graph, m->ctx, SIZE_MAX);
  snug_status s = snug__graph_print(m->proto.g, &graph);
  s = s ? s : add_key(t, "the model", m->layers.n, snug__text_get(&graph), graph.chars.n);
  snug__text_release(&graph);
  return s;
}

static snug_status add_callbacks(snug__text *t, const snug__fit *f) {
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    const snug_callback given = snug__callback_at(&f->options, i);
    const snug__caller *c = snug__caller_of(&given);
    if (c && c->steers) {
      SNUG_TRY(add(t, c->class_name, c->config));
    }
  }
  return SNUG_OK;
}

static snug_status add_all(snug__text *t, const snug__fit *f) {
  const snug_fit_options *o = &f->options;
  SNUG_TRY(add_machine(t, f));
  SNUG_TRY(add_data(t, f));
  SNUG_TRY(add_training(t, f->model));
  SNUG_TRY(add_model(t, f->model));
  SNUG_TRY(add_levers(t, o));
  SNUG_TRY(add_callbacks(t, f));
  for (int32_t i = 0; i < o->n_settings; i++) {
    SNUG_TRY(add(t, o->settings[i].name, o->settings[i].value));
  }
  return SNUG_OK;
}

snug_status snug__settings_take(const snug__fit *f, snug__settings *out) {
  snug_ctx *ctx = f->model->ctx;
  snug__text t;
  *out = (snug__settings){0};
  snug__text_init(&t, ctx, MOST_BYTES);
  snug_status s = add_all(&t, f);
  s = s ? s : snug__take(ctx, SNUG__MEM_CALLBACKS, t.chars.n, (void **)&out->text);
  if (!s) {
    out->bytes = t.chars.n;
    memcpy(out->text, snug__text_get(&t), out->bytes);
  }
  snug__text_release(&t);
  return s;
}

void snug__settings_give(snug_ctx *ctx, snug__settings *s) {
  snug__give(ctx, SNUG__MEM_CALLBACKS, s->text, s->bytes);
  *s = (snug__settings){0};
}

/* ---- comparing them ---- */

typedef struct pair {
  const char *name, *value;
} pair;

/* Go to the next pair of a list, from none at first; false at its end. */
static bool next_pair(const snug__settings *l, pair *p) {
  const char *at = p->name ? p->value + strlen(p->value) + 1 : l->text;
  if (at == l->text + l->bytes) {
    return false;
  }
  *p = (pair){at, at + strlen(at) + 1};
  return true;
}

/* Whether it is pairs of texts to the last byte. */
static bool is_whole(const snug__settings *l) {
  size_t n = 0;
  for (size_t i = 0; i < l->bytes; i++) {
    n += l->text[i] == 0;
  }
  return l->text[l->bytes - 1] == 0 && n % 2 == 0;
}

/* The value under a name that stands there several times is told by its number. */
static const char *value_of(const snug__settings *l, const char *name, size_t number) {
  for (pair p = {0}; next_pair(l, &p);) {
    if (strcmp(p.name, name) == 0 && number-- == 0) {
      return p.value;
    }
  }
  return NULL;
}

static size_t number_of(const snug__settings *l, const pair *of) {
  size_t n = 0;
  for (pair p = {0}; next_pair(l, &p) && p.name != of->name;) {
    n += strcmp(p.name, of->name) == 0;
  }
  return n;
}

static snug_status refuse(const snug__backup_stream *s, const char *name, const char *there,
                          const char *here) {
  return snug__fail(s->ctx, SNUG_E_STATE,
                    "%.200s is the backup of another fit: %.60s is %.*s there and %.*s here; set "
                    "it back, or let the fit go on with what is given now "
                    "(replan of snug_fit_options), or remove the folder to start anew",
                    s->path, name, SHOWN, there ? there : "not given", SHOWN,
                    here ? here : "not given");
}

/* The order in which samples come, of which the position in the epoch tells. */
static bool is_of_order(const char *name) {
  static const char *const names[] = {"the number of samples", "batch_size", "shuffle",
                                      "the number of steps", "seed"};
  for (size_t i = 0; i < SNUG_COUNT(names); i++) {
    if (strcmp(names[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static snug_status differ(const snug__backup_stream *s, const char *name, const char *there,
                          const char *here, bool allowed, snug__settings_change *out) {
  out->order = out->order || is_of_order(name);
  out->rate = out->rate || strcmp(name, "learning_rate") == 0 || strcmp(name, "optimizer") == 0;
  return allowed ? SNUG_OK : refuse(s, name, there, here);
}

/* Every setting of one list against the other: those of the file first. */
static snug_status compare(const snug__backup_stream *s, const snug__settings *there,
                           const snug__settings *here, bool allowed, snug__settings_change *out) {
  for (pair p = {0}; next_pair(there, &p);) {
    const char *other = value_of(here, p.name, number_of(there, &p));
    if (!other || strcmp(other, p.value) != 0) {
      SNUG_TRY(differ(s, p.name, p.value, other, allowed, out));
    }
  }
  for (pair p = {0}; next_pair(here, &p);) {
    if (!value_of(there, p.name, number_of(here, &p))) {
      SNUG_TRY(differ(s, p.name, NULL, p.value, allowed, out));
    }
  }
  return SNUG_OK;
}

/* ---- in a file ---- */

static snug_status read_length(snug__backup_stream *s, size_t *out) {
  int64_t bytes = 0;
  SNUG_TRY(snug__backup_get(s, &bytes, sizeof bytes));
  *out = (size_t)bytes;
  return bytes <= 0 || bytes > MOST_BYTES || bytes > s->file_bytes ? snug__backup_damaged(s)
                                                                   : SNUG_OK;
}

snug_status snug__settings_write(snug__backup_stream *s, const snug__settings *here) {
  int64_t bytes = (int64_t)here->bytes;
  SNUG_TRY(snug__backup_keep(s, &bytes, sizeof bytes));
  return snug__backup_keep(s, here->text, here->bytes);
}

snug_status snug__settings_skip(snug__backup_stream *s) {
  size_t bytes = 0;
  SNUG_TRY(read_length(s, &bytes));
  return snug__backup_get(s, NULL, bytes);
}

snug_status snug__settings_compare(snug__backup_stream *s, const snug__settings *here, bool allowed,
                                   snug__settings_change *out) {
  snug__settings there = {0};
  *out = (snug__settings_change){0};
  SNUG_TRY(read_length(s, &there.bytes));
  SNUG_TRY(snug__take(s->ctx, SNUG__MEM_SCRATCH, there.bytes, (void **)&there.text));
  snug_status status = snug__backup_get(s, there.text, there.bytes);
  status = status ? status : is_whole(&there) ? SNUG_OK : snug__backup_damaged(s);
  status = status ? status : compare(s, &there, here, allowed, out);
  snug__give(s->ctx, SNUG__MEM_SCRATCH, there.text, there.bytes);
  return status;
}
