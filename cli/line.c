#include "line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *line_text(const char *option) {
  const char *text = option ? option : getenv("SNUG_MEMORY");
  return text && *text ? text : NULL;
}

/* "70%": the part as a number up to 1; NaN if it is none. */
static double part_of(const char *text) {
  char number[32];
  double percent = 0.0;
  size_t n = strlen(text);
  if (n < 2 || n > sizeof number || text[n - 1] != '%') {
    return NAN;
  }
  snprintf(number, sizeof number, "%.*s", (int)(n - 1), text);
  return cli_parse_seconds(number, &percent) && percent <= 100.0 ? percent / 100.0 : NAN;
}

static bool is_none(const char *text) { return text && strcmp(text, "none") == 0; }

int line_check(const char *verb, const char *option) {
  const char *text = line_text(option);
  int64_t bytes = 0;
  if (!text || is_none(text) || strcmp(text, "auto") == 0 || !isnan(part_of(text)) ||
      (cli_parse_bytes(text, &bytes) && bytes > 0)) {
    return CLI_OK;
  }
  return cli_fail(CLI_USAGE,
                  "%s: %s is \"%s\"; a number of bytes above 0 such as 2GiB or 512MB is needed, a "
                  "percentage up to 100%%, auto, or none",
                  verb, option ? "--memory" : "SNUG_MEMORY", text);
}

static int find_available(double part, memory_line *out) {
  snug_available found = SNUG_INIT(snug_available);
  snug_ctx *ctx = NULL;
  snug_status s = snug_ctx_create(NULL, &ctx);
  s = s ? s : snug_memory_available(ctx, &found);
  if (!s) {
    out->bytes = (uint64_t)((double)found.bytes * part);
    snprintf(out->why, sizeof out->why, "%s", found.who);
  }
  int code = s ? cli_fail(CLI_FAILURE, "--memory: %s", ctx ? cli_message(ctx) : "no memory") : 0;
  snug_ctx_destroy(ctx);
  return code;
}

int line_find(const char *option, memory_line *out) {
  const char *text = line_text(option);
  int64_t bytes = 0;
  *out = (memory_line){.is_off = is_none(text)};
  if (!text || out->is_off) {
    return CLI_OK;
  }
  if (strcmp(text, "auto") == 0 || !isnan(part_of(text))) {
    out->is_room = strcmp(text, "auto") == 0;
    return find_available(out->is_room ? 1.0 : part_of(text), out);
  }
  if (cli_parse_bytes(text, &bytes)) {
    out->bytes = (uint64_t)bytes;
  }
  return CLI_OK;
}

void line_find_room(snug_ctx *ctx, memory_line *line) {
  snug_available found = SNUG_INIT(snug_available);
  if (line->is_off || *line->why || snug_memory_available(ctx, &found)) {
    return;
  }
  line->room = found.bytes;
  snprintf(line->who, sizeof line->who, "%s", found.who);
  snug_memory_set_available(ctx, line->bytes ? 0 : found.bytes);
}

int line_open(const char *verb, const char *option, memory_line *out) {
  int code = line_check(verb, option);
  return code ? code : line_find(option, out);
}

void line_judge(memory_line *line, snug_ctx *ctx, uint64_t beside) {
  line_find_room(ctx, line);
  uint64_t most = line->bytes ? line->bytes : line->room;
  uint64_t left = most > beside ? most - beside : 1;
  snug_memory_set_available(ctx, most ? left : 0);
}

/* Limits of the system are whole pages. */
static bool is_above_room(const memory_line *l) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return l->room && l->bytes / page > l->room / page;
}

const char *line_warning(const memory_line *l, uint64_t needs, char dst[LINE_WARNING_BYTES]) {
  char line[SNUG_BYTES_TEXT], room[SNUG_BYTES_TEXT];
  double part = l->room ? (double)needs / (double)l->room : 0.0;
  dst[0] = '\0';
  if (is_above_room(l)) {
    snprintf(dst, LINE_WARNING_BYTES,
             "the line of %s is above what this process may hold, %s (%s)%s",
             snug_bytes_text(l->bytes, line), snug_bytes_text(l->room, room), l->who,
             needs > l->room ? ", and so is the plan: the system may kill it" : "");
  } else if (!l->bytes && part > LINE_CLOSE) {
    snprintf(
        dst, LINE_WARNING_BYTES,
        "that is %.0f %% of what this process may hold, %s (%s); --memory auto keeps it inside",
        100.0 * part, snug_bytes_text(l->room, room), l->who);
  }
  return dst;
}

void line_print_why(const memory_line *line) {
  if (*line->why) {
    printf("the line: %s\n", line->why);
  }
}

void line_json_room(json *j, const memory_line *line) {
  if (line->room) {
    json_int(j, "available", (int64_t)line->room);
  } else {
    json_text(j, "available", NULL);
  }
  json_text(j, "available_from", line->room ? line->who : NULL);
}

const char *line_at_least(uint64_t bytes, char *dst, size_t dst_bytes) {
  uint64_t unit = bytes >= 1u << 20 ? 1u << 20 : bytes >= 1u << 10 ? 1u << 10 : 1;
  snprintf(dst, dst_bytes, "%llu%s", (unsigned long long)((bytes + unit - 1) / unit),
           unit == 1u << 20   ? "MiB"
           : unit == 1u << 10 ? "KiB"
                              : "B");
  return dst;
}
