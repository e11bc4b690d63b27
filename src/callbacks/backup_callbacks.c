#include "callbacks/backup_callbacks.h"

#include <stdio.h>
#include <string.h>

#include "base/timings.h"
#include "callbacks/callback.h"

#define CLASS_BYTES 32

/* How a state lies in the file; its bytes follow. */
typedef struct remembered {
  char name[CLASS_BYTES]; /* of the class; "": a callback of the caller's own */
  uint64_t key;           /* of its config and path, and which one of those that are the same */
  int64_t bytes;
} remembered;

static uint64_t key_of(const snug_callback *c) {
  const snug__caller *one = snug__caller_of(c);
  uint64_t key = SNUG__KEY_START;
  if (one) {
    key = snug__key_add(key, one->class_name, strlen(one->class_name) + 1);
    key = snug__key_add(key, one->config, strlen(one->config) + 1);
    key = snug__key_add(key, one->target.path, strlen(one->target.path) + 1);
  }
  return key;
}

/* bytes is 0 where there is nothing to remember. */
static remembered describe(const snug__fit *f, int32_t at, void **state) {
  const snug_callback c = snug__callback_at(&f->options, at);
  const snug__caller *one = snug__caller_of(&c);
  remembered r = {.key = key_of(&c)};
  size_t bytes = 0;
  *state = c.state ? c.state(c.user, &bytes) : NULL;
  r.bytes = *state ? (int64_t)bytes : 0;
  snprintf(r.name, sizeof r.name, "%s", one ? one->class_name : "");
  for (int32_t i = 0; i < at; i++) {
    const snug_callback before = snug__callback_at(&f->options, i);
    r.key += before.state && key_of(&before) == key_of(&c);
  }
  return r;
}

static int64_t count_states(const snug__fit *f, bool only_own) {
  int64_t n = 0;
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    void *state = NULL;
    remembered r = describe(f, i, &state);
    n += r.bytes && !(only_own && r.name[0]);
  }
  return n;
}

int64_t snug__backup_callbacks_bytes(const snug__fit *f) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    void *state = NULL;
    remembered r = describe(f, i, &state);
    bytes += r.bytes ? (int64_t)sizeof r + r.bytes : 0;
  }
  return bytes;
}

static snug_status write_all(snug__backup_stream *s, const snug__fit *f) {
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    void *state = NULL;
    remembered r = describe(f, i, &state);
    if (r.bytes) {
      SNUG_TRY(snug__backup_keep(s, &r, sizeof r));
      SNUG_TRY(snug__backup_keep(s, state, (size_t)r.bytes));
    }
  }
  return SNUG_OK;
}

/* The state here that one of the file goes back to; NULL: there is none. */
static void *find_state(const snug__fit *f, const remembered *there) {
  for (int32_t i = 0; i < f->options.n_callbacks; i++) {
    void *state = NULL;
    remembered here = describe(f, i, &state);
    if (here.bytes && memcmp(&here, there, sizeof here) == 0) {
      return state;
    }
  }
  return NULL;
}

static snug_status read_one(snug__backup_stream *s, const snug__fit *f) {
  remembered there;
  SNUG_TRY(snug__backup_get(s, &there, sizeof there));
  if (there.name[CLASS_BYTES - 1] || there.bytes <= 0 || there.bytes > s->file_bytes) {
    return snug__backup_damaged(s);
  }
  void *state = find_state(f, &there);
  if (!state && !there.name[0]) {
    return snug__fail(s->ctx, SNUG_E_STATE,
                      "%.300s is the backup of another fit: a callback of the caller's own "
                      "remembers %lld bytes there, and none does so here; remove the folder to "
                      "start anew",
                      s->path, (long long)there.bytes);
  }
  return state ? snug__backup_keep(s, state, (size_t)there.bytes)
               : snug__backup_get(s, NULL, (size_t)there.bytes);
}

snug_status snug__backup_callbacks(snug__backup_stream *s, const snug__fit *f) {
  int64_t n = count_states(f, false);
  SNUG_TRY(snug__backup_expect(s, count_states(f, true),
                               "the number of the caller's own callbacks that remember something"));
  SNUG_TRY(snug__backup_count(s, &n, s->task == SNUG__WRITE ? n : s->file_bytes,
                              "the number of callbacks that remember something"));
  if (s->task == SNUG__WRITE) {
    return write_all(s, f);
  }
  for (int64_t i = 0; i < n; i++) {
    SNUG_TRY(read_one(s, f));
  }
  return SNUG_OK;
}
