#include "line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int line_check(const char *verb, const char *option) {
  const char *text = line_text(option);
  int64_t bytes = 0;
  if (!text || strcmp(text, "auto") == 0 || !isnan(part_of(text)) ||
      (cli_parse_bytes(text, &bytes) && bytes > 0)) {
    return CLI_OK;
  }
  return cli_fail(CLI_USAGE,
                  "%s: %s is \"%s\"; a number of bytes above 0 such as 2GiB or 512MB is needed, a "
                  "percentage up to 100%%, or auto",
                  verb, option ? "--memory" : "SNUG_MEMORY", text);
}

static int find_available(double part, memory_line *out) {
  snug_available found;
  snug_ctx *ctx = NULL;
  snug_status s = snug_ctx_create(NULL, &ctx);
  s = s ? s : snug_memory_available(ctx, &found);
  if (!s) {
    out->bytes = (uint64_t)((double)found.bytes * part);
    snprintf(out->why, sizeof out->why, "%s", found.who);
  }
  int code = s ? cli_fail(CLI_FAILURE, "--memory: %s", ctx ? snug_message(ctx) : "no memory") : 0;
  snug_ctx_destroy(ctx);
  return code;
}

int line_find(const char *option, memory_line *out) {
  const char *text = line_text(option);
  int64_t bytes = 0;
  *out = (memory_line){0};
  if (!text) {
    return CLI_OK;
  }
  if (strcmp(text, "auto") == 0 || !isnan(part_of(text))) {
    return find_available(strcmp(text, "auto") == 0 ? 1.0 : part_of(text), out);
  }
  if (cli_parse_bytes(text, &bytes)) {
    out->bytes = (uint64_t)bytes;
  }
  return CLI_OK;
}

const char *line_at_least(uint64_t bytes, char *dst, size_t dst_bytes) {
  uint64_t unit = bytes >= 1u << 20 ? 1u << 20 : bytes >= 1u << 10 ? 1u << 10 : 1;
  snprintf(dst, dst_bytes, "%llu%s", (unsigned long long)((bytes + unit - 1) / unit),
           unit == 1u << 20   ? "MiB"
           : unit == 1u << 10 ? "KiB"
                              : "B");
  return dst;
}
