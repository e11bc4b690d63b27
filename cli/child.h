/* A command that is run as if nobody stood between it and the terminal.
 *
 * It stays in the process group that the shell made, so that what the terminal sends (Ctrl-C,
 * Ctrl-Z) and who may read from it are as without us; a signal that is sent to us alone goes on to
 * it.  If the terminal stops it, we stop too, and the shell sees that. */
#ifndef SNUG_CLI_CHILD_H
#define SNUG_CLI_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Tells of each process that was waited for: the command and its orphans. */
typedef void child_waited(void *arg, pid_t process, long most_resident_kib);

typedef struct child {
  /* set by caller */
  child_waited *waited;
  void *arg;
  /* read-only */
  pid_t process;
  bool ended;
  int status; /* as wait tells it, when it has ended */
  /* private */
  int signals; /* signalfd */
  bool stopped;
  sigset_t mask; /* as it was */
  struct sigaction on_child;
} child;

/* Start it.  Reports; 0, CLI_NOT_FOUND, CLI_NOT_RUN or CLI_NOT_WATCHED. */
int child_start(child *c, char **command);

/* Let it run for so many seconds, or until it has ended; pass signals on meanwhile. */
void child_run(child *c, double seconds);

/* Its exit code: its own, or 128 and the number of the signal that ended it. */
int child_code(const child *c);

/* Leave signals as they were. */
void child_release(child *c);

#endif
