/* Paths with values in them, by the rules of Python's str.format as far as paths need them:
 * {name}, {name:[sign][0][width][.precision]type} with the types d f F e E g G %, {{ and }}. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "callbacks/callback.h"

/* A place in a template. */
typedef struct place {
  char name[SNUG__NAME_BYTES];
  char flags[4];        /* for printf: sign, 0 */
  int width, precision; /* precision -1: none */
  char type;            /* 0: as Python's repr */
} place;

typedef struct walk {
  snug_ctx *ctx;
  const char *text;               /* the whole template */
  const snug__template_values *v; /* NULL: check alone */
  const snug_logs *names;         /* for checking, or NULL */
  bool has_batch;
  char *out;
  size_t n, bytes;
} walk;

static snug_status refuse(const walk *w, const char *name, const char *reason) {
  return snug__fail(w->ctx, SNUG_E_ARGUMENT,
                    "Failed to format this callback filepath: \"%.300s\". Reason: '%s' %s", w->text,
                    name, reason);
}

/* ---- reading a place ---- */

static int read_number(const char **at) {
  int n = 0;
  for (; isdigit((unsigned char)**at) && n < 1000; (*at)++) {
    n = 10 * n + (**at - '0');
  }
  return n;
}

static void read_flags(const char **at, place *p) {
  size_t n = 0;
  if (**at == '+' || **at == ' ' || **at == '-') {
    p->flags[n] = **at; /* - means no sign, as always */
    n += p->flags[n] != '-';
    (*at)++;
  }
  if (**at == '0') {
    p->flags[n++] = *(*at)++;
  }
  p->flags[n] = 0;
}

/* What stands between { and }; *at is behind the } then. */
static snug_status read_place(const walk *w, const char **at, place *p) {
  size_t n = strcspn(*at, ":}");
  *p = (place){.precision = -1};
  snprintf(p->name, sizeof p->name, "%.*s", (int)(n < sizeof p->name ? n : 0), *at);
  *at += n;
  if (**at == ':') {
    (*at)++;
    read_flags(at, p);
    p->width = read_number(at);
    if (**at == '.') {
      (*at)++;
      p->precision = read_number(at);
    }
    if (**at && strchr("dfFeEgG%", **at)) {
      p->type = *(*at)++;
    }
  }
  if (**at != '}' || p->width > 255 || p->precision > 99 || !p->name[0] ||
      (!p->type && (p->width || p->precision >= 0 || p->flags[0]))) {
    return refuse(w, p->name,
                  "is followed by no format that is known, such as {epoch:02d} or "
                  "{val_loss:.2f}");
  }
  (*at)++;
  return SNUG_OK;
}

/* ---- writing ---- */

static snug_status put(walk *w, const char *text, size_t n) {
  if (w->out && w->n + n >= w->bytes) {
    return refuse(w, "", "the path is too long");
  }
  if (w->out) {
    memcpy(w->out + w->n, text, n);
    w->out[w->n + n] = 0;
  }
  w->n += n;
  return SNUG_OK;
}

/* Numbers with a point whatever the locale. */
static int print_real(char *out, size_t bytes, const place *p, double value) {
  char format[16];
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(c);
  bool percent = p->type == '%';
  snprintf(format, sizeof format, "%%%s*.*%c", p->flags, percent ? 'f' : p->type);
  int n = snprintf(out, bytes, format, percent && p->width ? p->width - 1 : p->width,
                   p->precision < 0 ? 6 : p->precision, percent ? 100.0 * value : value);
  uselocale(before);
  freelocale(c);
  return n + (percent && (size_t)n + 1 < bytes ? snprintf(out + n, bytes - (size_t)n, "%%") : 0);
}

static snug_status put_count(walk *w, const place *p, int64_t value) {
  char text[512];
  char format[16];
  if (p->type && p->type != 'd') {
    int n = print_real(text, sizeof text, p, (double)value);
    return put(w, text, (size_t)n);
  }
  if (p->precision >= 0) {
    return refuse(w, p->name, "is a count: it takes no precision");
  }
  snprintf(format, sizeof format, "%%%s*lld", p->flags);
  int n = snprintf(text, sizeof text, format, p->width, (long long)value);
  return put(w, text, (size_t)n);
}

static snug_status put_real(walk *w, const place *p, double value) {
  char text[512];
  if (p->type == 'd') {
    return refuse(w, p->name, "is no count: give it a format such as .2f");
  }
  if (!p->type) {
    const char *repr = snug__print_repr(value, text);
    return put(w, repr, strlen(repr));
  }
  int n = print_real(text, sizeof text, p, value);
  return n < (int)sizeof text ? put(w, text, (size_t)n) : refuse(w, p->name, "is too long");
}

static bool is_known(const walk *w, const char *name) {
  for (size_t i = 0; w->names && i < w->names->n; i++) {
    if (strcmp(w->names->names[i], name) == 0) {
      return true;
    }
  }
  return !w->names;
}

static snug_status put_place(walk *w, const place *p) {
  bool is_epoch = strcmp(p->name, "epoch") == 0;
  bool is_batch = strcmp(p->name, "batch") == 0;
  double value = 0.0;
  if (is_epoch || (is_batch && (w->v ? w->v->batch > 0 : w->has_batch))) {
    return put_count(w, p, !w->v ? 1 : is_epoch ? w->v->epoch : w->v->batch);
  }
  bool is_there = w->v ? snug__logs_find(w->v->logs, p->name, &value) : is_known(w, p->name);
  return is_there ? put_real(w, p, value) : refuse(w, p->name, "is not among the logs");
}

static snug_status walk_all(walk *w) {
  const char *at = w->text;
  place p;
  while (*at) {
    bool is_brace = *at == '{' || *at == '}';
    if (is_brace && at[1] == *at) {
      SNUG_TRY(put(w, at, 1));
      at += 2;
    } else if (*at == '{') {
      at++;
      SNUG_TRY(read_place(w, &at, &p));
      SNUG_TRY(put_place(w, &p));
    } else if (*at == '}') {
      return refuse(w, "}", "stands alone; write }} for one in the path");
    } else {
      SNUG_TRY(put(w, at++, 1));
    }
  }
  return SNUG_OK;
}

snug_status snug__template_fill(snug_ctx *ctx, const char *text, const snug__template_values *v,
                                char *out, size_t bytes) {
  walk w = {.ctx = ctx, .text = text, .v = v, .out = out, .bytes = bytes};
  out[0] = 0;
  return walk_all(&w);
}

snug_status snug__template_check(snug_ctx *ctx, const char *text, const snug_logs *names,
                                 bool has_batch) {
  walk w = {.ctx = ctx, .text = text, .names = names, .has_batch = has_batch};
  return walk_all(&w);
}

bool snug__template_is_by_epoch(const char *text) {
  for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
    bool is_brace = at[1] == '{';
    bool is_epoch = strncmp(at + 1, "epoch", 5) == 0 && (at[6] == ':' || at[6] == '}');
    if (!is_brace && !is_epoch) {
      return false;
    }
    at += is_brace;
  }
  return true;
}
