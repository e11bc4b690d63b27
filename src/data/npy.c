/* The header of `.npy`: magic, version, length, and a Python dictionary as text:
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), } */
#include "data/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define MOST_HEADER 65535 /* format 1.0 has no room for more, and no array of numbers needs it */
#define DESCR_BYTES 32

typedef struct header {
  snug__stream *stream;
  const char *at; /* in the text, which ends in NUL */
  char descr[DESCR_BYTES];
  bool is_fortran;
  snug_array *out;
  unsigned seen; /* a bit per key */
} header;

static void skip_blanks(header *h) { h->at += strspn(h->at, " \t\r\n"); }

static bool take_word(header *h, const char *word) {
  skip_blanks(h);
  size_t n = strlen(word);
  bool is_there = strncmp(h->at, word, n) == 0;
  h->at += is_there ? n : 0;
  return is_there;
}

static snug_status fail_header(header *h) {
  return snug__stream_fail(h->stream, SNUG_E_FORMAT,
                           "its header is not one of NumPy: \"%.40s\" is not expected", h->at);
}

/* A text in quotes; cut to fit, which then is no name of anything. */
static snug_status read_quoted(header *h, char *out, size_t bytes) {
  skip_blanks(h);
  char quote = *h->at;
  if (quote != '\'' && quote != '"') {
    return fail_header(h);
  }
  const char *end = strchr(h->at + 1, quote);
  if (!end) {
    return fail_header(h);
  }
  snprintf(out, bytes, "%.*s", (int)(end - h->at - 1), h->at + 1);
  h->at = end + 1;
  return SNUG_OK;
}

static snug_status read_descr(header *h) {
  skip_blanks(h);
  if (*h->at == '[' || *h->at == '(') {
    return snug__stream_fail(h->stream, SNUG_E_UNSUPPORTED,
                             "holds records; save its fields as arrays of their own");
  }
  return read_quoted(h, h->descr, sizeof h->descr);
}

static snug_status read_order(header *h) {
  h->is_fortran = take_word(h, "True");
  return h->is_fortran || take_word(h, "False") ? SNUG_OK : fail_header(h);
}

static snug_status read_shape(header *h) {
  h->out->rank = 0;
  if (!take_word(h, "(")) {
    return fail_header(h);
  }
  while (!take_word(h, ")")) {
    int64_t size = 0;
    skip_blanks(h);
    if (!snug__read_int(&h->at, &size) || size < 0) {
      return fail_header(h);
    }
    take_word(h, "L"); /* as Python 2 wrote large numbers */
    if (h->out->rank < SNUG_MAX_RANK) {
      h->out->shape[h->out->rank] = size;
    }
    h->out->rank++;
    if (!take_word(h, ",") && *h->at != ')') {
      return fail_header(h);
    }
  }
  return SNUG_OK;
}

static const struct {
  const char *name;
  snug_status (*read)(header *h);
} keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

static snug_status read_key(header *h) {
  char name[DESCR_BYTES];
  SNUG_TRY(read_quoted(h, name, sizeof name));
  if (!take_word(h, ":")) {
    return fail_header(h);
  }
  for (size_t i = 0; i < SNUG_COUNT(keys); i++) {
    if (strcmp(keys[i].name, name) == 0 && !(h->seen & 1u << i)) {
      h->seen |= 1u << i;
      return keys[i].read(h);
    }
  }
  return snug__stream_fail(h->stream, SNUG_E_FORMAT,
                           "its header has an unknown or repeated key \"%s\"", name);
}

static snug_status read_dictionary(header *h) {
  if (!take_word(h, "{")) {
    return fail_header(h);
  }
  while (!take_word(h, "}")) {
    SNUG_TRY(read_key(h));
    if (!take_word(h, ",") && *h->at != '}') {
      return fail_header(h);
    }
  }
  return h->seen == (1u << SNUG_COUNT(keys)) - 1 ? SNUG_OK : fail_header(h);
}

/* What NumPy's letters mean that have no number for us, and the way out. */
static const char *way_out(char kind) {
  switch (kind) {
    case 'O':
      return "Python objects (a pickle), which are not read; save numbers: a.astype(\"float32\")";
    case 'U':
    case 'S':
      return "texts; save numbers in their place, as numpy.unique(a, return_inverse=True) gives";
    case 'c':
      return "complex numbers; save a.real and a.imag as arrays of their own";
    case 'M':
    case 'm':
      return "dates or times; save them as numbers: a.astype(\"int64\")";
    default:
      return "elements that are no plain numbers; save a.astype(\"float32\")";
  }
}

/* '<f4': order, kind, bytes. */
static snug_status read_type(header *h, snug__raw *raw) {
  const char *at = h->descr;
  int64_t bytes = 0;
  *raw = (snug__raw){.is_fortran = h->is_fortran, .is_big_endian = *at == '>'};
  at += *at && strchr("<>|=", *at) ? 1 : 0;
  raw->kind = *at;
  at += *at ? 1 : 0;
  bool is_number = snug__read_int(&at, &bytes) && *at == 0 && bytes > 0 && bytes <= 64;
  raw->bytes = is_number ? (int32_t)bytes : raw->kind == '?' ? 1 : 0;
  raw->kind = raw->kind == '?' ? 'b' : raw->kind;
  h->out->dtype = snug__raw_dtype(raw);
  return h->out->dtype != SNUG_NO_DTYPE
             ? SNUG_OK
             : snug__stream_fail(h->stream, SNUG_E_UNSUPPORTED, "is of dtype '%s': %s", h->descr,
                                 way_out(raw->kind));
}

static snug_status check_rank(header *h) {
  if (h->out->rank == 0) {
    return snug__stream_fail(h->stream, SNUG_E_UNSUPPORTED,
                             "is a single number; samples lie along a first axis");
  }
  return h->out->rank <= SNUG_MAX_RANK
             ? SNUG_OK
             : snug__stream_fail(h->stream, SNUG_E_UNSUPPORTED, "has %d axes; 1 to %d are possible",
                                 h->out->rank, SNUG_MAX_RANK);
}

static snug_status read_text(header *h, char *text, size_t bytes, snug__raw *raw) {
  SNUG_TRY(snug__stream_read(h->stream, text, bytes));
  h->at = text; /* the NUL behind it is there: the memory was zeroed */
  SNUG_TRY(read_dictionary(h));
  SNUG_TRY(read_type(h, raw));
  return check_rank(h);
}

static snug_status read_length(snug__stream *s, size_t *out) {
  unsigned char start[4]; /* "PY", version */
  unsigned char b[4] = {0};
  SNUG_TRY(snug__stream_read(s, start, sizeof start));
  if (start[0] != 'P' || start[1] != 'Y' || start[2] < 1 || start[2] > 3) {
    return snug__stream_fail(s, SNUG_E_FORMAT, "is not of .npy format 1 to 3");
  }
  SNUG_TRY(snug__stream_read(s, b, start[2] == 1 ? 2 : 4));
  *out = (size_t)b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
  return *out <= MOST_HEADER
             ? SNUG_OK
             : snug__stream_fail(s, SNUG_E_FORMAT, "its header says that it has %zu bytes", *out);
}

snug_status snug__npy_header(snug__stream *s, snug__raw *raw, snug_array *out) {
  header h = {.stream = s, .out = out};
  size_t bytes = 0;
  char *text = NULL;
  SNUG_TRY(read_length(s, &bytes));
  SNUG_TRY(SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, bytes + 1, &text));
  snug_status status = read_text(&h, text, bytes, raw);
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, text, bytes + 1);
  return status;
}

snug_status snug__array_header(snug__stream *s, snug__raw *raw, snug_array *out) {
  unsigned char first[SNUG__MAGIC_READ];
  *out = (snug_array){.rank = 0};
  SNUG_TRY(snug__stream_read(s, first, sizeof first));
  SNUG_TRY(memcmp(first, "\x93NUM", sizeof first) == 0 ? snug__npy_header(s, raw, out)
                                                       : snug__idx_header(s, first, raw, out));
  return snug__raw_check(s, raw, out);
}
