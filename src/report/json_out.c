#include "report/json_out.h"

static void begin_item(snug__writer *j, const char *key) {
  if (j->depth > 0) {
    snug__out_text(j->o, j->has_items[j->depth - 1] ? "," : "");
    j->has_items[j->depth - 1] = true;
  }
  if (key) {
    snug__out_quoted(j->o, SNUG_QUOTE_JSON, key);
    snug__out_text(j->o, ":");
  }
}

static void open_level(snug__writer *j, const char *key, const char *begins, char ends) {
  begin_item(j, key);
  snug__out_text(j->o, begins);
  j->ends[j->depth] = ends;
  j->has_items[j->depth] = false;
  j->depth++;
}

void snug__write_object(snug__writer *j, const char *key) { open_level(j, key, "{", '}'); }

void snug__write_array(snug__writer *j, const char *key) { open_level(j, key, "[", ']'); }

void snug__write_end(snug__writer *j) { snug__out_format(j->o, "%c", j->ends[--j->depth]); }

void snug__write_text(snug__writer *j, const char *key, const char *text) {
  begin_item(j, key);
  if (text) {
    snug__out_quoted(j->o, SNUG_QUOTE_JSON, text);
  } else {
    snug__out_text(j->o, "null");
  }
}

void snug__write_int(snug__writer *j, const char *key, int64_t value) {
  begin_item(j, key);
  snug__out_format(j->o, "%lld", (long long)value);
}

void snug__write_count(snug__writer *j, const char *key, uint64_t value) {
  begin_item(j, key);
  snug__out_format(j->o, "%llu", (unsigned long long)value);
}

void snug__write_real(snug__writer *j, const char *key, double value) {
  begin_item(j, key);
  snug__out_real(j->o, value, "null");
}

void snug__write_bool(snug__writer *j, const char *key, bool value) {
  begin_item(j, key);
  snug__out_text(j->o, value ? "true" : "false");
}

void snug__write_bytes(snug__writer *j, const char *key, uint64_t bytes) {
  if (bytes) {
    snug__write_count(j, key, bytes);
  } else {
    snug__write_text(j, key, NULL);
  }
}
