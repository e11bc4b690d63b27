#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIGURES_BYTES 4096

/* `snug plan ... --memory LINE --json --quiet` */
static int write_arguments(const fit_options *options, uint64_t line, cli_list *args) {
  static const fit_options defaults = {FIT_DEFAULTS};
  char bytes[32];
  fit_options o = *options;
  uint64_t asked = line > PROBE_SLACK ? line - PROBE_SLACK : line;
  snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)asked);
  o.memory = line ? bytes : NULL;
  o.common = (cli_common){.json = true, .quiet = true};
  o.curve = o.draw = o.find_batch = false;
  o.plan_output = o.kernels_output = NULL;
  int code = cli_list_add(args, "snug");
  code = code ? code : cli_list_add(args, "plan");
  return code ? code : cli_unparse(&cli_verb_plan, &o, &defaults, args);
}

/* Start it with its standard output in a pipe. */
static int start(char **args, int *from, pid_t *child) {
  extern char **environ;
  int ends[2];
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return errno;
  }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int failure = posix_spawn(child, "/proc/self/exe", &actions, NULL, args, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *from = ends[0];
  return failure;
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

/* The beginning of what it says, where the figures are; the rest is read and left. */
static void read_beginning(int from, char text[FIGURES_BYTES]) {
  char rest[FIGURES_BYTES];
  size_t n = 0;
  ssize_t got = 0;
  do {
    size_t room = FIGURES_BYTES - 1 - n;
    got = room ? read(from, text + n, room) : read(from, rest, sizeof rest);
    n += got > 0 && room ? (size_t)got : 0;
  } while (got > 0 || (got < 0 && errno == EINTR));
  text[n] = '\0';
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

int probe_plan(const fit_options *options, uint64_t line, probe *out) {
  char text[FIGURES_BYTES];
  cli_list args = {0};
  int from = -1;
  pid_t child = 0;
  *out = (probe){.least = UINT64_MAX};
  int code = write_arguments(options, line, &args);
  int failure = code ? 0 : start_list(&args, &from, &child);
  if (!code && !failure) {
    read_beginning(from, text);
    *out = has_planned(child) ? read_figures(text) : *out;
  }
  if (from >= 0) {
    close(from);
  }
  cli_list_release(&args);
  return failure ? cli_fail(CLI_FAILURE, "another plan could not be made: %s", strerror(failure))
                 : code;
}
