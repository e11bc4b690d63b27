/* Fields: a table that lists the members of a parameter struct by name, so that one piece of code
 * sets defaults, parses, prints and reads back the parameters of every op, layer, optimizer, loss
 * and metric.
 *
 * Text form: `key=value` pairs separated by blanks or commas; lists as [1,2], lists of lists are
 * read as one; a single number may stand for a list of one, `none` for an empty one.  Names of
 * choices and texts stand bare or in quotes; a bare one may have a part in parentheses, as
 * max_norm(2, axis=0).  Case counts in keys and texts alone: True, None and padding=SAME are read.
 */
#ifndef SNUG_BASE_FIELDS_H
#define SNUG_BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define SNUG__LIST_MAX 16
#define SNUG__NAME_BYTES 128

typedef struct snug_ints {
  int32_t n;
  int64_t v[SNUG__LIST_MAX];
} snug_ints;

typedef struct snug_floats {
  int32_t n;
  double v[SNUG__LIST_MAX];
} snug_floats;

/* A list of any length: it stays in the text that was read, which must live as long as this. */
typedef struct snug_numbers {
  int64_t n;
  const char *text;
  bool nested; /* there were lists in the list */
} snug_numbers;

typedef enum snug__field_kind {
  SNUG__FIELD_INT = 1, /* int64_t */
  SNUG__FIELD_FLOAT,   /* double */
  SNUG__FIELD_BOOL,    /* bool */
  SNUG__FIELD_CHOICE,  /* int32_t, index into choices */
  SNUG__FIELD_INTS,    /* snug_ints */
  SNUG__FIELD_FLOATS,  /* snug_floats */
  SNUG__FIELD_TEXT,    /* char[SNUG__NAME_BYTES] */
  SNUG__FIELD_NUMBERS, /* snug_numbers */
  SNUG__FIELD_FIXED    /* no member: an option that is known, and must keep its default */
} snug__field_kind;

typedef struct snug__field {
  const char *name;
  snug__field_kind kind;
  size_t offset;              /* of the member in the struct */
  const char *initial;        /* default as text; NULL: the caller must give it */
  const char *const *choices; /* NULL-terminated, for CHOICE */
  const char *says;           /* of a FIXED one: why, or what to do instead; NULL: nothing */
} snug__field;

/* A table ends with an entry whose name is NULL; a NULL table has no fields.  At most 64. */
#define SNUG_FIELD(type, member, kind, initial) \
  { #member, SNUG__FIELD_##kind, offsetof(type, member), (initial), NULL }
#define SNUG_CHOICE(type, member, choices, initial) \
  { #member, SNUG__FIELD_CHOICE, offsetof(type, member), (initial), (choices) }

/* An option that is not supported but at its default: SNUG_FIXED("data_format", "channels_last",
 * "permute the data").  "none" stands for null, false, 0 and an empty list.  What is refused and
 * what is told of it are this one line. */
#define SNUG_FIXED(key, initial, says) \
  { (key), SNUG__FIELD_FIXED, 0, (initial), NULL, (says) }

/* Set the members from the defaults, then from text (NULL or "" for none).  `params` must be zeroed
 * by the caller. `where` names the thing in messages, e.g. "Conv2D conv1". Fails: E_ARGUMENT:
 * unknown key (lists the known ones), a key given twice, a value that is not of the field's kind, a
 * missing required key.  E_UNSUPPORTED: another value for a fixed one. */
snug_status snug__fields_parse(snug_ctx *ctx, const char *where, const snug__field *fields,
                               const char *text, void *params) SNUG_NODISCARD;

/* Append "key=value, key=value" of the fields that differ from their default, in table order; reads
 * back to the same.  Fails: E_OVERFLOW, E_MEMORY, E_ARGUMENT (a text with a quote in it). */
snug_status snug__fields_print(const snug__field *fields, const void *params,
                               snug__text *out) SNUG_NODISCARD;

/* The numbers of a list, into out (room for all n). */
void snug__numbers_read(const snug_numbers *list, double *out);

#endif
