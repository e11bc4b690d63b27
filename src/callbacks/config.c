/* Configs as people write them on a command line, in the form that base/fields reads. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "callbacks/callback.h"

/* A text in the making; what does not fit is noted. */
typedef struct spelling {
  char *out;
  size_t n;
  bool is_full;
} spelling;

static void put(spelling *s, const char *text, size_t n) {
  if (s->n + n >= SNUG__CONFIG_BYTES) {
    s->is_full = true;
    return;
  }
  memcpy(s->out + s->n, text, n);
  s->n += n;
  s->out[s->n] = 0;
}

/* The end of a piece: a comma or blank outside of quotes, brackets and parentheses. */
static size_t piece_length(const char *at) {
  int depth = 0;
  char quote = 0;
  size_t n = 0;
  for (; at[n]; n++) {
    char c = at[n];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      depth++;
    } else if (c == ')' || c == ']') {
      depth--;
    } else if (depth <= 0 && (c == ',' || isspace((unsigned char)c))) {
      break;
    }
  }
  return n;
}

/* One key with its value.  "restore_best" is what people write. */
static void put_piece(spelling *s, const char *piece, size_t n) {
  char key[SNUG__NAME_BYTES] = "";
  const char *equals = memchr(piece, '=', n);
  size_t length = equals ? (size_t)(equals - piece) : n;
  for (size_t i = 0; i < length && i + 1 < sizeof key; i++) {
    key[i] = (char)(piece[i] == '-' ? '_' : piece[i]);
  }
  const char *known = strcmp(key, "restore_best") == 0 ? "restore_best_weights" : key;
  put(s, known, strlen(known));
  put(s, equals ? equals : "=true", equals ? n - length : strlen("=true"));
  put(s, ",", 1);
}

/* "val_loss:" in front is the monitor. */
static const char *put_monitor(spelling *s, const char *config) {
  size_t n = strcspn(config, ":=, (\"'");
  if (config[n] != ':') {
    return config;
  }
  put(s, "monitor=\"", strlen("monitor=\""));
  put(s, config, n);
  put(s, "\",", 2);
  return config + n + 1;
}

snug_status snug__config_spell(snug_ctx *ctx, const char *class_name, const char *config,
                               char out[SNUG__CONFIG_BYTES]) {
  spelling s = {.out = out};
  out[0] = 0;
  const char *at = put_monitor(&s, config);
  while (*at) {
    size_t n = piece_length(at);
    if (n > 0) {
      put_piece(&s, at, n);
    }
    at += n;
    at += *at != 0;
  }
  return s.is_full ? snug__fail(ctx, SNUG_E_ARGUMENT,
                                "%s: its config is longer than %d bytes: '%.60s...'", class_name,
                                SNUG__CONFIG_BYTES - 1, config)
                   : SNUG_OK;
}
