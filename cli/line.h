/* The line: how many bytes the whole process may hold. */
#ifndef SNUG_CLI_LINE_H
#define SNUG_CLI_LINE_H

#include "cli.h"

#define LINE_WHY_BYTES 256

typedef struct memory_line {
  uint64_t bytes;           /* 0: there is none */
  char why[LINE_WHY_BYTES]; /* who ruled, where `auto` or a part of it was asked for */
} memory_line;

/* The text that says it: --memory, or else SNUG_MEMORY; NULL if there is neither. */
const char *line_text(const char *option);

/* Is it a size, a percentage or `auto`?  Reports; returns 0 or an exit code. */
int line_check(const char *verb, const char *option);

/* What it comes to on this machine.  Likewise. */
int line_find(const char *option, memory_line *out);

/* The least of "331MiB", "2048KiB", ... that is not below so many bytes, as --memory takes it. */
const char *line_at_least(uint64_t bytes, char *dst, size_t dst_bytes);

#endif
