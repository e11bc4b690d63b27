/* What a stream can show: colours, characters beyond ASCII, lines drawn over each other. */
#ifndef SNUG_CLI_TERMINAL_H
#define SNUG_CLI_TERMINAL_H

#include "cli.h"

typedef struct terminal {
  FILE *stream;
  bool is_terminal; /* draws over what it shows */
  bool colour, ascii;
  size_t width; /* columns */
} terminal;

terminal terminal_of(FILE *stream, const cli_common *common);

/* A snug_sink; user is the FILE. */
void terminal_sink(void *file, const char *text, size_t n);

/* "·", or a comma where that cannot be shown. */
const char *terminal_dot(const terminal *t);

/* Print a box that is no wider than the terminal. */
void terminal_box(const terminal *t, const char *title, const snug_box_row *rows, size_t n);

/* Seconds since some moment in the past. */
double terminal_now(void);

/* Seconds as people say them: "8.1 s", "2 min 5 s", "1 h 21 min". */
const char *terminal_time(double seconds, char *dst, size_t bytes);

/* A value as Keras shows it. */
const char *terminal_value(double value, char *dst, size_t bytes);

#endif
