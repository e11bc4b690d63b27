#include "callbacks/backup_head.h"

#include <string.h>

#include "train/kept.h"

#define VERSION 3

/* The choices of a plan, as they lie in the file; one byte per value of the step follows. */
typedef struct choices {
  int64_t micro, most_scratch, slots, window, n_values;
  uint64_t kernels;
  int64_t line; /* the least one that took the plan; 0: none was given */
} choices;

static snug_status check_version(snug__backup_stream *s) {
  int64_t there = 0;
  SNUG_TRY(snug__backup_get(s, &there, sizeof there));
  return there == VERSION
             ? SNUG_OK
             : snug__fail(s->ctx, SNUG_E_STATE,
                          "%.300s was written by another version of Snug (its form is %lld, and %d "
                          "is read here): let that version end the training, or remove the folder "
                          "to start anew",
                          s->path, (long long)there, VERSION);
}

static snug_status walk_kind(snug__backup_stream *s) {
  int64_t version = VERSION;
  SNUG_TRY(snug__backup_expect_text(s, "snug backup", "the kind of file"));
  return s->task == SNUG__WRITE ? snug__backup_keep(s, &version, sizeof version) : check_version(s);
}

/* ---- outputs ---- */

/* All texts, each with its NUL, behind the number of their bytes. */
static snug_status write_outputs(snug__backup_stream *s, const snug_fit_options *o) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < o->n_outputs; i++) {
    bytes += (int64_t)strlen(o->outputs[i]) + 1;
  }
  SNUG_TRY(snug__backup_put(s, &bytes, sizeof bytes));
  for (int32_t i = 0; i < o->n_outputs; i++) {
    SNUG_TRY(snug__backup_put(s, o->outputs[i], strlen(o->outputs[i]) + 1));
  }
  return SNUG_OK;
}

static snug_status read_length(snug__backup_stream *s, int64_t *out) {
  SNUG_TRY(snug__backup_get(s, out, sizeof *out));
  return *out < 0 || *out > s->file_bytes ? snug__backup_damaged(s) : SNUG_OK;
}

static snug_status skip_outputs(snug__backup_stream *s) {
  int64_t bytes = 0;
  SNUG_TRY(read_length(s, &bytes));
  return snug__backup_get(s, NULL, (size_t)bytes);
}

snug_status snug__backup_head_names(snug__backup_stream *s, const char *path, bool *out) {
  const size_t n = strlen(path) + 1;
  int64_t bytes = 0;
  size_t at = 0; /* in the text that is read */
  bool same = true;
  *out = false;
  SNUG_TRY(walk_kind(s));
  SNUG_TRY(read_length(s, &bytes));
  for (int64_t i = 0; i < bytes; i++) {
    char letter = 0;
    SNUG_TRY(snug__backup_get(s, &letter, 1));
    same = same && at < n && letter == path[at];
    at++;
    if (letter == 0) {
      *out = *out || same;
      at = 0;
      same = true;
    }
  }
  return SNUG_OK;
}

/* ---- writing ---- */

static snug_status write_choices(snug__backup_stream *s, const snug__fit *f) {
  const snug__planned *p = &f->plan;
  choices c = {.micro = p->choice.micro,
               .most_scratch = p->choice.most_scratch,
               .slots = p->choice.slots,
               .window = snug__feed_window(&f->train),
               .n_values = p->choice.policy ? (int64_t)p->choice.n_values : 0,
               .kernels = f->kept.kernels,
               .line = (int64_t)snug__kept_line(f)};
  SNUG_TRY(snug__backup_keep(s, &c, sizeof c));
  return snug__backup_keep(s, p->choice.policy, (size_t)c.n_values);
}

static snug_status write_head(snug__backup_stream *s, const snug__fit *f,
                              const snug__backup_head *head) {
  SNUG_TRY(walk_kind(s));
  SNUG_TRY(write_outputs(s, &f->options));
  SNUG_TRY(snug__settings_write(s, &head->settings));
  SNUG_TRY(write_choices(s, f));
  return snug__backup_sum(s);
}

/* ---- passing over it ---- */

static snug_status read_choices(snug__backup_stream *s, choices *c) {
  SNUG_TRY(snug__backup_get(s, c, sizeof *c));
  bool is_possible = c->micro >= 0 && c->most_scratch >= 0 && (c->slots == 0 || c->slots == 1) &&
                     c->window >= 0 && c->line >= 0 && c->n_values >= 0 &&
                     c->n_values <= s->file_bytes;
  return is_possible ? SNUG_OK : snug__backup_damaged(s);
}

static snug_status skip_head(snug__backup_stream *s, const snug__backup_head *head) {
  choices c;
  SNUG_TRY(walk_kind(s));
  SNUG_TRY(skip_outputs(s));
  SNUG_TRY(snug__settings_skip(s));
  SNUG_TRY(read_choices(s, &c));
  SNUG_TRY(snug__backup_get(s, NULL, (size_t)c.n_values));
  uint64_t sum = s->sum;
  SNUG_TRY(snug__backup_sum(s));
  return head->is_there && head->sum == sum
             ? SNUG_OK
             : snug__fail(s->ctx, SNUG_E_STATE,
                          "%.300s was replaced since this fit began: another one keeps its backup "
                          "there; wait for its end, or remove the folder to start anew",
                          s->path);
}

snug_status snug__backup_head_walk(snug__backup_stream *s, const snug__fit *f,
                                   const snug__backup_head *head) {
  return s->task == SNUG__WRITE ? write_head(s, f, head) : skip_head(s, head);
}

/* ---- reading it ---- */

static snug_status read_policy(snug__backup_stream *s, snug__fit *f, const choices *c) {
  snug__planned *p = &f->plan;
  if (f->options.replan || c->n_values == 0) {
    return snug__backup_get(s, NULL, (size_t)c->n_values);
  }
  p->choice.n_values = (size_t)c->n_values;
  SNUG_TRY(SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_PLAN, p->choice.n_values, &p->choice.policy));
  return snug__backup_get(s, p->choice.policy, p->choice.n_values);
}

snug_status snug__backup_head_read(snug__backup_stream *s, snug__fit *f, snug__backup_head *head) {
  choices c;
  SNUG_TRY(walk_kind(s));
  SNUG_TRY(skip_outputs(s));
  SNUG_TRY(snug__settings_compare(s, &head->settings, f->options.replan, &head->change));
  SNUG_TRY(read_choices(s, &c));
  SNUG_TRY(read_policy(s, f, &c));
  head->sum = s->sum;
  SNUG_TRY(snug__backup_sum(s));
  head->is_there = true;
  if (!f->options.replan) {
    f->kept.is_kept = true;
    f->plan.choice.micro = c.micro;
    f->plan.choice.most_scratch = c.most_scratch;
    f->plan.choice.slots = c.slots != 0;
    f->kept.kernels = c.kernels;
    f->kept.window = c.window;
    f->kept.line = (uint64_t)c.line;
  }
  return SNUG_OK;
}
