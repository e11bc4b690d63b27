/* JSON into a sink, as it goes: objects and arrays are opened and ended, commas come by themselves.
 * In all of these the key is NULL inside of an array. */
#ifndef SNUG_REPORT_JSON_OUT_H
#define SNUG_REPORT_JSON_OUT_H

#include "report/out.h"

#define SNUG__WRITER_DEPTH 8

typedef struct snug__writer {
  const snug__out *o;
  int depth;
  char ends[SNUG__WRITER_DEPTH]; /* what closes each level */
  bool has_items[SNUG__WRITER_DEPTH];
} snug__writer;

void snug__write_object(snug__writer *j, const char *key);
void snug__write_array(snug__writer *j, const char *key);
void snug__write_end(snug__writer *j);
void snug__write_text(snug__writer *j, const char *key, const char *text); /* NULL: null */
void snug__write_int(snug__writer *j, const char *key, int64_t value);
void snug__write_real(snug__writer *j, const char *key, double value); /* not finite: null */
void snug__write_bool(snug__writer *j, const char *key, bool value);

void snug__write_count(snug__writer *j, const char *key, uint64_t value);

/* Bytes; 0, which stands for what is not known, is null. */
void snug__write_bytes(snug__writer *j, const char *key, uint64_t bytes);

#endif
