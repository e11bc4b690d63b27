/* What is said of a run in words. */
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "watch.h"

/* ---- how it ended ---- */

static int signal_of(const watch_run *r) {
  return WIFSIGNALED(r->child.status) ? WTERMSIG(r->child.status) : 0;
}

static bool is_told(uint64_t figure) { return figure != SNUG_WATCH_UNTOLD; }

/* Its group counts those whom the kernel kills.  Where there is none, the machine does, and a
 * command that ended by such a signal while the count rose was it. */
watch_kill watch_killed(const watch_run *r) {
  const snug_watch_report *w = &r->report;
  bool in_group = is_told(w->group.kills) && w->group.kills > 0;
  bool on_machine = is_told(w->machine_kills) && w->machine_kills > 0;
  bool is_kill = signal_of(r) == SIGKILL;
  if (r->ending && is_kill && !in_group) {
    return WATCH_NOT_KILLED; /* that was us */
  }
  if (is_kill && (in_group || on_machine)) {
    return WATCH_KILLED;
  }
  return in_group ? WATCH_PART_KILLED : WATCH_NOT_KILLED;
}

/* "; the container's limit is 4.00 GiB, its peak 4.00 GiB" */
static void write_group(const watch_run *r, char *text, size_t bytes) {
  const snug_watch_group *g = &r->report.group;
  char limit[SNUG_BYTES_TEXT], peak[SNUG_BYTES_TEXT];
  *text = '\0';
  if (g->path[0] && is_told(g->limit) && is_told(g->peak)) {
    snprintf(text, bytes, "; the limit of its control group is %s, its peak %s",
             snug_bytes_text(g->limit, limit), snug_bytes_text(g->peak, peak));
  } else if (g->path[0] && is_told(g->limit)) {
    snprintf(text, bytes, "; the limit of its control group is %s",
             snug_bytes_text(g->limit, limit));
  }
}

/* It got SIGKILL, and a count that would have risen if that had been the kernel for memory did not.
 */
static bool is_killed_otherwise(const watch_run *r) {
  const snug_watch_report *w = &r->report;
  return signal_of(r) == SIGKILL && watch_killed(r) == WATCH_NOT_KILLED &&
         (is_told(w->machine_kills) || is_told(w->group.kills));
}

static void write_end(const watch_run *r, char text[WATCH_TEXT]) {
  int number = signal_of(r);
  const char *name = number ? sigabbrev_np(number) : NULL;
  if (number && name) {
    snprintf(text, WATCH_TEXT, "killed by SIG%s%s", name,
             is_killed_otherwise(r) ? ", not by the kernel for memory" : "");
  } else if (number) {
    snprintf(text, WATCH_TEXT, "killed by signal %d", number);
  } else {
    snprintf(text, WATCH_TEXT, "ended with exit code %d", child_code(&r->child));
  }
}

bool watch_maximum_is_open(const watch_run *r) {
  return r->options->maximum && !r->exceeded && r->report.peak == 0 &&
         r->report.peak_most > (uint64_t)r->options->maximum;
}

void watch_write_verdict(const watch_run *r, char text[WATCH_TEXT]) {
  char group[160], end[WATCH_TEXT], peak[SNUG_BYTES_TEXT], maximum[SNUG_BYTES_TEXT];
  watch_kill killed = watch_killed(r);
  write_group(r, group, sizeof group);
  write_end(r, end);
  snug_bytes_text(r->report.peak, peak);
  if (killed == WATCH_KILLED) {
    snprintf(text, WATCH_TEXT, "killed by the kernel for memory (SIGKILL%s)", group);
  } else if (r->exceeded) {
    snprintf(text, WATCH_TEXT, "%s: %s is above --max %s",
             r->ending ? "ended by snug" : "above the maximum for a moment", peak,
             snug_bytes_text((uint64_t)r->options->maximum, maximum));
  } else if (killed == WATCH_PART_KILLED) {
    snprintf(text, WATCH_TEXT, "%.200s; a process of it was killed by the kernel for memory%s", end,
             group);
  } else if (watch_maximum_is_open(r)) {
    snprintf(text, WATCH_TEXT, "%.200s; whether it held more than --max %s is not known", end,
             snug_bytes_text((uint64_t)r->options->maximum, maximum));
  } else {
    snprintf(text, WATCH_TEXT, "%s", end);
  }
}

const char *watch_began(const watch_run *r, char text[WATCH_TIME]) {
  struct tm day;
  strftime(text, WATCH_TIME, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&r->began, &day));
  return text;
}

/* ---- how it went on ---- */

const char *watch_shape_name(snug_watch_shape shape) {
  static const char *const names[] = {"short", "flat", "growing", "stepped", "varying", "rising"};
  return names[shape];
}

/* "+41.0 MiB" */
static const char *signed_text(double bytes, char out[SNUG_BYTES_TEXT + 1]) {
  out[0] = bytes < 0.0 ? '-' : '+';
  snug_bytes_text((uint64_t)fabs(bytes), out + 1);
  return out;
}

static void write_growing(const watch_run *r, char text[WATCH_TEXT]) {
  const snug_watch_report *w = &r->report;
  char minute[SNUG_BYTES_TEXT + 1], epoch[SNUG_BYTES_TEXT + 1], from[32], period[32];
  size_t n = (size_t)snprintf(text, WATCH_TEXT, "growing: %s a minute since %s",
                              signed_text(w->per_minute, minute),
                              terminal_time(w->shape_from, from, sizeof from));
  if (w->period > 0.0) {
    snprintf(text + n, WATCH_TEXT - n, "%sepochs seem to be %s long: %s an epoch",
             terminal_dot(&r->out), terminal_time(w->period, period, sizeof period),
             signed_text(w->per_minute * w->period / 60.0, epoch));
  }
}

void watch_write_shape(const watch_run *r, char text[WATCH_TEXT]) {
  const snug_watch_report *w = &r->report;
  char low[SNUG_BYTES_TEXT], high[SNUG_BYTES_TEXT], from[32];
  snug_bytes_text(w->low, low);
  snug_bytes_text(w->high, high);
  terminal_time(w->shape_from, from, sizeof from);
  switch (w->shape) {
    case SNUG_WATCH_GROWING:
      write_growing(r, text);
      break;
    case SNUG_WATCH_FLAT:
      snprintf(text, WATCH_TEXT, "flat since %s: %s to %s", from, low, high);
      break;
    case SNUG_WATCH_STEPPED:
      snug_bytes_text(w->step_bytes, high);
      terminal_time(w->last_step_at, from, sizeof from);
      snprintf(text, WATCH_TEXT, "stepped: +%s in %u step%s, the last one %s in, flat between",
               high, w->steps, w->steps == 1 ? "" : "s", from);
      break;
    case SNUG_WATCH_RISING:
      snprintf(text, WATCH_TEXT,
               "rising since %s: %s to %s%sa start or a leak; a longer run would show", from, low,
               high, terminal_dot(&r->out));
      break;
    case SNUG_WATCH_VARYING:
      snprintf(text, WATCH_TEXT, "up and down since %s: %s to %s", from, low, high);
      break;
    default:
      snprintf(text, WATCH_TEXT, "too short to tell: %s",
               terminal_time(w->seconds, from, sizeof from));
  }
}
