/* What the figures of a watch mean for who reads them: why a peak is above its limit, what helps,
 * and the next command. */
#include <string.h>
#include <unistd.h>

#include "watch.h"

/* ---- a peak above its limit ---- */

bool watch_write_above(const watch_run *r, char text[WATCH_TEXT]) {
  const snug_watch_report *w = &r->report;
  const char *dot = terminal_dot(&r->out);
  char by[SNUG_BYTES_TEXT], limit[SNUG_BYTES_TEXT], part[SNUG_BYTES_TEXT];
  if (w->above == SNUG_WATCH_NOT_ABOVE) {
    return false;
  }
  size_t n = (size_t)snprintf(text, WATCH_TEXT, "the peak is %s above the limit of %s%s",
                              snug_bytes_text(w->above_bytes, by),
                              snug_bytes_text(w->group.limit, limit), dot);
  switch (w->above) {
    case SNUG_WATCH_ABOVE_FILES:
      snprintf(
          text + n, WATCH_TEXT - n,
          "%s of it are pages of files (programs, libraries, mapped data), which count for the "
          "group that read them first",
          snug_bytes_text(w->file_resident, part));
      break;
    case SNUG_WATCH_ABOVE_SHARED:
      snprintf(
          text + n, WATCH_TEXT - n,
          "its processes share pages, which count once for the limit, and here in each process "
          "until they were told apart; at least %s is certain",
          snug_bytes_text(w->peak_least, part));
      break;
    case SNUG_WATCH_ABOVE_SWAP:
      snprintf(text + n, WATCH_TEXT - n,
               "%s of it were in swap at another time, which does not count for the limit",
               snug_bytes_text(w->swap, part));
      break;
    default:
      snprintf(text + n, WATCH_TEXT - n,
               "the rest counts for another group: that in which it was taken");
  }
  return true;
}

/* ---- what helps ---- */

static bool is_python(const watch_run *r) {
  const char *slash = strrchr(r->command[0], '/');
  return strncmp(slash ? slash + 1 : r->command[0], "python", 6) == 0;
}

/* What trains within a limit, if it may be that the command trains.  A tenth is left to others. */
static void write_fit(const watch_run *r, uint64_t most, char *text, size_t bytes) {
  *text = '\0';
  if (is_python(r) && most >> 20 >= 10) {
    snprintf(text, bytes, "%ssnug fit model.keras --data FILE --memory %lluMiB trains within it",
             terminal_dot(&r->out), (unsigned long long)((most >> 20) * 9 / 10));
  }
}

bool watch_write_help(const watch_run *r, char text[WATCH_TEXT]) {
  const snug_watch_group *g = &r->report.group;
  char fit[128], limit[SNUG_BYTES_TEXT];
  if (watch_killed(r) != WATCH_NOT_KILLED) {
    bool is_limited = g->path[0] && g->limit != SNUG_WATCH_UNTOLD;
    write_fit(r, is_limited ? g->limit : r->report.peak, fit, sizeof fit);
    snprintf(text, WATCH_TEXT, "a smaller batch, fewer workers, or %s%s%s",
             is_limited ? "a limit above " : "a machine with more memory",
             is_limited ? snug_bytes_text(g->limit, limit) : "", fit);
    return true;
  }
  if (r->exceeded) {
    uint64_t most = (uint64_t)r->options->maximum;
    write_fit(r, most, fit, sizeof fit);
    snprintf(text, WATCH_TEXT, "a smaller batch, fewer workers, or a --max above %s%s",
             snug_bytes_text(most, limit), fit);
    return true;
  }
  if (r->report.shape == SNUG_WATCH_GROWING) {
    snprintf(
        text, WATCH_TEXT,
        "something is kept that each %s makes: lists that are appended to, models that are made "
        "in a loop, a cache without a bound",
        r->report.period > 0.0 ? "epoch" : "turn");
    return true;
  }
  return false;
}

/* ---- the next command ---- */

/* A recording that is not there yet. */
static void write_fresh_name(char name[32]) {
  snprintf(name, 32, "run.snug");
  for (int i = 2; access(name, F_OK) == 0 && i < 100; i++) {
    snprintf(name, 32, "run-%d.snug", i);
  }
}

void watch_write_next(const watch_run *r, char text[WATCH_COMMAND + 64]) {
  char command[WATCH_COMMAND], name[32];
  char *file[] = {(char *)r->options->output, NULL};
  int n = 0;
  if (r->options->output) {
    watch_write_words(1, file, command);
    snprintf(text, WATCH_COMMAND + 64, "snug report %s", command);
    return;
  }
  while (r->command[n]) {
    n++;
  }
  write_fresh_name(name);
  watch_write_words(n, r->command, command);
  snprintf(text, WATCH_COMMAND + 64, "snug watch -o %s -- %s", name, command);
}
