/* The parts of `snug watch`. */
#ifndef SNUG_CLI_WATCH_H
#define SNUG_CLI_WATCH_H

#include <time.h>

#include "child.h"
#include "terminal.h"

typedef struct watch_options {
  const char *command; /* the first word of it */
  int64_t maximum;     /* bytes; 0: any */
  double grace;        /* seconds */
  const char *output;  /* the recording; NULL: none */
  bool force, live, no_gpu;
  cli_common common;
} watch_options;

typedef struct watch_run {
  const watch_options *options;
  char **command; /* ends with NULL */
  terminal out;   /* stderr */
  snug_ctx *ctx;
  snug_watch *watch;
  snug_recorder *recorder; /* NULL: none */
  bool is_live;
  double drawn;  /* when the line of --live was */
  unsigned rows; /* of the terminal while the last one is that line; 0: it is not */
  child child;
  time_t began;
  bool exceeded; /* the maximum was passed, */
  bool ending;   /* and the tree is being ended */
  snug_watch_report report;
} watch_run;

#define WATCH_TEXT 512

/* Whether the kernel killed the command, or one of its processes, for memory. */
typedef enum watch_kill { WATCH_NOT_KILLED, WATCH_KILLED, WATCH_PART_KILLED } watch_kill;
watch_kill watch_killed(const watch_run *r);

/* Whether it had ended before it could be told if it stayed below the maximum. */
bool watch_maximum_is_open(const watch_run *r);

/* "killed by the kernel for memory (SIGKILL; ...)", "ended with exit code 3" */
void watch_write_verdict(const watch_run *r, char text[WATCH_TEXT]);

/* "growing: +41 MiB a minute since 1 min 0 s; ..." */
void watch_write_shape(const watch_run *r, char text[WATCH_TEXT]);
const char *watch_shape_name(snug_watch_shape shape);

/* Words as a shell takes them, as far as there is room. */
#define WATCH_COMMAND 8192
void watch_write_words(int n, char **words, char text[WATCH_COMMAND]);

/* Why the peak is above the limit of its group; what helps against how it went.  Whether there is
 * anything to say. */
bool watch_write_above(const watch_run *r, char text[WATCH_TEXT]);
bool watch_write_help(const watch_run *r, char text[WATCH_TEXT]);

/* The next useful command: to look at the recording, or to make one. */
void watch_write_next(const watch_run *r, char text[WATCH_COMMAND + 64]);

/* When it began, ISO 8601. */
#define WATCH_TIME 32
const char *watch_began(const watch_run *r, char text[WATCH_TIME]);

/* -o: begin, reporting; 0 or an exit code.  And end, with what came of it. */
int watch_record_open(watch_run *r);
void watch_record_close(watch_run *r);

/* How many rows the terminal has; 0: it does not tell, or there is no room for a line of ours. */
unsigned watch_live_rows(const watch_run *r);

/* --live: draw the line if it is time to, and take it away. */
void watch_live_draw(watch_run *r, const snug_watch_now *now);
void watch_live_clear(watch_run *r);

/* The box and the JSON object at the end. */
void watch_print_box(const watch_run *r);
void watch_print_json(const watch_run *r);

#endif
