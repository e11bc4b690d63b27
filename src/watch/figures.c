#include "watch/figures.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"

/* The text behind "Name:", without what could steer a terminal. */
static void take_name(const char *text, char name[SNUG_WATCH_NAME]) {
  size_t n = 0;
  text += strspn(text, " \t");
  for (; text[n] && text[n] != '\n' && n < SNUG_WATCH_NAME - 1; n++) {
    unsigned char c = (unsigned char)text[n];
    name[n] = c < 0x20 || c == 0x7F ? '?' : (char)c;
  }
  name[n] = '\0';
}

static uint64_t kib(const char *text) {
  unsigned long long value = strtoull(text, NULL, 10);
  return value < UINT64_MAX >> 10 ? value << 10 : 0;
}

static int32_t number(const char *text) {
  long long value = strtoll(text, NULL, 10);
  return value > 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

/* The value of a line, if the line is the one of that name. */
static const char *value_of(const char *line, const char *name) {
  size_t n = strlen(name);
  return strncmp(line, name, n) == 0 ? line + n : NULL;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

/* This runs for each process in every sample: it looks at first letters before it compares, and
 * ends with VmRSS, which comes last of those that are wanted. */
bool snug__figures_parse(const char *text, snug__figures *out) {
  const char *v;
  *out = (snug__figures){0};
  for (const char *line = text; *line; line = next_line(line)) {
    if (*line == 'N' && (v = value_of(line, "Name:"))) {
      take_name(v, out->name);
    } else if (*line == 'T' && (v = value_of(line, "Tgid:"))) {
      out->group = number(v);
    } else if (*line == 'P' && (v = value_of(line, "PPid:"))) {
      out->parent = number(v);
    } else if (*line == 'V' && (v = value_of(line, "VmHWM:"))) {
      out->peak = kib(v);
    } else if (*line == 'V' && (v = value_of(line, "VmRSS:"))) {
      out->resident = kib(v);
      break;
    }
  }
  /* The two are counted apart on several processors, and may stand a little wrong to each other. */
  out->peak = out->peak < out->resident ? out->resident : out->peak;
  return out->group > 0;
}

bool snug__split_parse(const char *text, snug__split *out) {
  static const struct {
    const char *name;
    size_t offset;
  } lines[] = {{"Rss:", offsetof(snug__split, resident)},
               {"Pss:", offsetof(snug__split, pss)},
               {"Pss_Anon:", offsetof(snug__split, anonymous)},
               {"Pss_File:", offsetof(snug__split, file)},
               {"Pss_Shmem:", offsetof(snug__split, shared)},
               {"SwapPss:", offsetof(snug__split, swap)},
               {"Anonymous:", offsetof(snug__split, resident_anonymous)}};
  bool has_pss = false;
  *out = (snug__split){0};
  for (const char *line = text; *line; line = next_line(line)) {
    for (size_t i = 0; i < SNUG_COUNT(lines); i++) {
      const char *v = value_of(line, lines[i].name);
      if (v) {
        uint64_t bytes = kib(v);
        memcpy((char *)out + lines[i].offset, &bytes, sizeof bytes);
        has_pss = has_pss || i == 1;
      }
    }
  }
  return has_pss;
}
