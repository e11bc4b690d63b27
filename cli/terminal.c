#include "terminal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value;
}

static bool forces(const char *name) { return is_set(name) && strcmp(getenv(name), "0") != 0; }

/* An option rules, then NO_COLOR, then what forces colours, then the terminal. */
static bool has_colour(const cli_common *c, bool is_terminal) {
  if (c->no_colour || c->colour) {
    bool is_auto = !c->no_colour && strcmp(c->colour, "auto") == 0;
    if (!is_auto) {
      return !c->no_colour && strcmp(c->colour, "always") == 0;
    }
  }
  if (is_set("NO_COLOR")) {
    return false;
  }
  return forces("CLICOLOR_FORCE") || forces("FORCE_COLOR") || is_terminal;
}

/* Whether a locale's name ends in ".UTF-8" or ".utf8", with or without a modifier. */
static bool names_utf8(const char *locale) {
  const char *set = strchr(locale, '.');
  return set && (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
}

static bool is_ascii(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (is_set(names[i])) {
      return !names_utf8(getenv(names[i]));
    }
  }
  return true;
}

static size_t width_of(int fd) {
  struct winsize size;
  int64_t columns = 0;
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return is_set("COLUMNS") && cli_parse_count(getenv("COLUMNS"), &columns) && columns > 0
             ? (size_t)columns
             : DEFAULT_WIDTH;
}

terminal terminal_of(FILE *stream, const cli_common *common) {
  const char *term = getenv("TERM");
  bool is_terminal = isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
  return (terminal){stream, is_terminal, has_colour(common, is_terminal), is_ascii(),
                    width_of(fileno(stream))};
}

void terminal_sink(void *file, const char *text, size_t n) {
  fwrite(text, 1, n, file);
  fflush(file);
}

const char *terminal_dot(const terminal *t) { return t->ascii ? ", " : " · "; }

void terminal_box(const terminal *t, const char *title, const snug_box_row *list, size_t n) {
  snug_box(terminal_sink, t->stream, t->ascii, t->width, title, list, n);
}

/* ---- numbers ---- */

double terminal_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *terminal_time(double seconds, char *dst, size_t bytes) {
  long s = lround(seconds);
  if (seconds > 0.0 && seconds < 0.9995e-3) {
    snprintf(dst, bytes, "%.3g us", seconds * 1e6);
  } else if (seconds < 0.9995) {
    snprintf(dst, bytes, "%.3g ms", seconds * 1e3);
  } else if (seconds < 59.5) {
    snprintf(dst, bytes, "%.3g s", seconds);
  } else if (s < 3600) {
    snprintf(dst, bytes, "%ld min %ld s", s / 60, s % 60);
  } else {
    snprintf(dst, bytes, "%ld h %ld min", s / 3600, s % 3600 / 60);
  }
  return dst;
}

const char *terminal_value(double value, char *dst, size_t bytes) {
  snprintf(dst, bytes, fabs(value) > 1e-3 || value == 0.0 ? "%.4f" : "%.4e", value);
  return dst;
}
