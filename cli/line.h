/* The line: how many bytes the whole process may hold. */
#ifndef SNUG_CLI_LINE_H
#define SNUG_CLI_LINE_H

#include "cli.h"
#include "json.h"

#define LINE_WHY_BYTES 256

typedef struct memory_line {
  uint64_t bytes;           /* 0: there is none */
  bool is_off;              /* `none`: nothing is to be refused */
  bool is_room;             /* `auto`: all that the process may hold */
  char why[LINE_WHY_BYTES]; /* who ruled, where `auto` or a part of it was asked for */
  uint64_t room; /* what the process may hold, which decides where there is no line; 0: not
                    looked at (`none`, `auto`) or not known */
  char who[LINE_WHY_BYTES]; /* who rules there */
} memory_line;

/* Bytes of that room from which on a plan is told to be close to it. */
#define LINE_CLOSE 0.9

/* The text that says it: --memory, or else SNUG_MEMORY; NULL if there is neither. */
const char *line_text(const char *option);

/* Is it a size, a percentage, `auto` or `none`?  Reports; returns 0 or an exit code. */
int line_check(const char *verb, const char *option);

/* What it comes to on this machine.  Likewise. */
int line_find(const char *option, memory_line *out);

/* Find the room beside the line, and let the context judge by it where there is no line. */
void line_find_room(snug_ctx *ctx, memory_line *line);

/* Both, for commands that have no plan to choose from. */
int line_open(const char *verb, const char *option, memory_line *out);

/* For them, before they compute: let the context refuse what needs more than the line, or without
 * one more than there is room for.  `beside`: bytes that the command itself will touch. */
void line_judge(memory_line *line, snug_ctx *ctx, uint64_t beside);

/* clang-format off */
#define LINE_JUDGE_OPTION(member)                                                                  \
  {"memory", 0, CLI_TEXT, "LINE", "auto|none|70%", "Memory", member,                               \
   "refuse before the first batch if the whole process would need more: 2GiB, 70%, auto (as "      \
   "without it: what the container or the machine leaves), or none"}
/* clang-format on */

/* What should be said of a plan of so many bytes (0: it is refused anyway): that it comes close to
 * what the process may hold, or that its line is above that; "" if there is nothing. */
#define LINE_WARNING_BYTES 512
const char *line_warning(const memory_line *line, uint64_t needs, char dst[LINE_WARNING_BYTES]);

/* Who ruled over a line that is a part of the machine, as "the line: ..."; nothing of another. */
void line_print_why(const memory_line *line);

/* As members of JSON: what the process may hold and who says so; null where nobody looked. */
void line_json_room(json *j, const memory_line *line);

/* The least of "331MiB", "2048KiB", ... that is not below so many bytes, as --memory takes it. */
const char *line_at_least(uint64_t bytes, char *dst, size_t dst_bytes);

#endif
