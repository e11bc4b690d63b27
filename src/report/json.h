/* JSON into a sink, as it goes: objects and arrays are opened and ended, commas come by themselves.
 * In all of these the key is NULL inside of an array. */
#ifndef SNUG_REPORT_JSON_H
#define SNUG_REPORT_JSON_H

#include "report/out.h"

#define SNUG__JSON_DEPTH 8

typedef struct snug__json {
  const snug__out *o;
  int depth;
  char ends[SNUG__JSON_DEPTH]; /* what closes each level */
  bool has_items[SNUG__JSON_DEPTH];
} snug__json;

void snug__json_object(snug__json *j, const char *key);
void snug__json_array(snug__json *j, const char *key);
void snug__json_end(snug__json *j);
void snug__json_text(snug__json *j, const char *key, const char *text); /* NULL: null */
void snug__json_int(snug__json *j, const char *key, int64_t value);
void snug__json_real(snug__json *j, const char *key, double value); /* not finite: null */
void snug__json_bool(snug__json *j, const char *key, bool value);

/* Bytes; 0, which stands for what is not known, is null. */
void snug__json_bytes(snug__json *j, const char *key, uint64_t bytes);

#endif
