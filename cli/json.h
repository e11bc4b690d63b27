/* JSON, written as it goes: objects and arrays are opened and ended, commas come by themselves. */
#ifndef SNUG_CLI_JSON_H
#define SNUG_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

/* The version of what --json prints; it changes when a member changes its meaning or goes. */
#define JSON_SCHEMA 1

typedef struct json {
  FILE *out;
  int depth;
  char ends[JSON_DEPTH]; /* what closes each level */
  bool has_items[JSON_DEPTH];
} json;

/* Begin an object with the member "schema", and end it with a line break. */
json json_begin(FILE *out);
void json_finish(json *j);

/* In all of these the key is NULL inside of an array. */
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end(json *j);
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_text_n(json *j, const char *key, const char *text, size_t n);
void json_int(json *j, const char *key, int64_t value);
void json_real(json *j, const char *key, double value); /* not finite: null */
void json_bool(json *j, const char *key, bool value);

#endif
