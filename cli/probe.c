#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIGURES_BYTES 4096
#define MOST_WAIT 600.0 /* seconds of one look at the clock */

/* `snug plan ... --memory LINE --json --quiet` */
static int write_arguments(const fit_options *options, uint64_t line, cli_list *args) {
  static const fit_options defaults = {FIT_DEFAULTS};
  char bytes[32];
  fit_options o = *options;
  uint64_t asked = line > PROBE_SLACK ? line - PROBE_SLACK : line;
  snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)asked);
  o.memory = line ? bytes : "none";
  o.common = (cli_common){.json = true, .quiet = true};
  o.curve = o.draw = o.find_batch = false;
  o.plan_output = o.kernels_output = NULL;
  int code = cli_list_add(args, "snug");
  code = code ? code : cli_list_add(args, "plan");
  return code ? code : cli_unparse(&cli_verb_plan, &o, &defaults, args);
}

/* In the new process: become the command.  It ends with the one that asked, whatever ends that; who
 * has ended before we said so is no longer the parent.  After a fork in a program with threads only
 * the kernel may be called. */
_Noreturn static void become(char **args, pid_t parent, int out, int tell) {
  extern char **environ;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool is_wanted = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
  if (is_wanted && null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(null, STDERR_FILENO) >= 0) {
    execve("/proc/self/exe", args, environ);
  }
  int why = errno;
  (void)!write(tell, &why, sizeof why);
  _exit(CLI_NOT_RUN);
}

/* Start it with its standard output in a pipe. */
static int start(char **args, int *from, pid_t *child) {
  int ends[2], word[2];
  int why = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return errno;
  }
  *from = ends[0];
  if (pipe2(word, O_CLOEXEC) != 0) {
    why = errno;
    close(ends[1]);
    return why;
  }
  pid_t parent = getpid();
  *child = fork();
  if (*child == 0) {
    become(args, parent, ends[1], word[1]);
  }
  why = *child < 0 ? errno : 0;
  close(ends[1]);
  close(word[1]);
  bool is_told = read(word[0], &why, sizeof why) == sizeof why; /* ends when it has begun */
  close(word[0]);
  if (*child > 0 && is_told) {
    waitpid(*child, NULL, 0);
  }
  return why;
}

/* The same for a list, which has no NULL behind it. */
static int start_list(const cli_list *list, int *from, pid_t *child) {
  char **args = calloc((size_t)list->n + 1, sizeof *args);
  for (int32_t i = 0; args && i < list->n; i++) {
    args[i] = (char *)(uintptr_t)list->items[i];
  }
  int failure = args ? start(args, from, child) : ENOMEM;
  free(args);
  return failure;
}

/* Wait until there is something to read, or the end of it; false: it did not come until then. */
static bool wait_until(int from, double until) {
  struct pollfd p = {.fd = from, .events = POLLIN};
  int n = 0;
  double left = 0.0;
  do {
    left = until - terminal_now();
    int most = left > MOST_WAIT ? (int)(1000 * MOST_WAIT) : left > 0.0 ? (int)(1000 * left) : 0;
    n = poll(&p, 1, most);
  } while (n <= 0 && left > 0.0);
  return n > 0;
}

/* The beginning of what it says, where the figures are; the rest is read and left.  false: it was
 * not at its end by then. */
static bool read_beginning(int from, double until, char text[FIGURES_BYTES]) {
  char rest[FIGURES_BYTES];
  size_t n = 0;
  ssize_t got = 0;
  bool in_time = true;
  do {
    size_t room = FIGURES_BYTES - 1 - n;
    in_time = wait_until(from, until);
    got = !in_time ? 0 : room ? read(from, text + n, room) : read(from, rest, sizeof rest);
    n += got > 0 && room ? (size_t)got : 0;
  } while (got > 0 || (got < 0 && errno == EINTR));
  text[n] = '\0';
  return in_time;
}

static double figure(const char *text, const char *name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(text, key);
  return at ? strtod(at + strlen(key), NULL) : 0.0;
}

static probe read_figures(const char *text) {
  return (probe){.fits = strstr(text, "\"fits\":true") != NULL,
                 .process = (uint64_t)figure(text, "process"),
                 .least = (uint64_t)figure(text, "least"),
                 .seconds = figure(text, "step_seconds"),
                 .samples = (int64_t)figure(text, "samples"),
                 .micro_batch = (int64_t)figure(text, "micro_batch"),
                 .recomputed = (int64_t)figure(text, "recomputed"),
                 .on_disk = (uint64_t)figure(text, "on_disk")};
}

/* Whether it ended with a plan, that fits or not. */
static bool has_planned(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && (WEXITSTATUS(status) == CLI_OK || WEXITSTATUS(status) == CLI_NO_FIT);
}

int probe_plan(const fit_options *options, uint64_t line, double until, probe *out) {
  char text[FIGURES_BYTES];
  cli_list args = {0};
  int from = -1;
  pid_t child = 0;
  *out = (probe){.least = UINT64_MAX};
  int code = write_arguments(options, line, &args);
  int failure = code ? 0 : start_list(&args, &from, &child);
  if (!code && !failure) {
    if (!read_beginning(from, until, text)) {
      kill(child, SIGKILL);
    }
    bool is_told = has_planned(child) && strstr(text, "\"fits\":"); /* not if it did not load */
    *out = is_told ? read_figures(text) : *out;
  }
  if (from >= 0) {
    close(from);
  }
  cli_list_release(&args);
  return failure ? cli_fail(CLI_FAILURE, "another plan could not be made: %s", strerror(failure))
                 : code;
}
