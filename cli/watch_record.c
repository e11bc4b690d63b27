/* The recording of a watch: what the library cannot know of it. */
#include <string.h>

#include "watch.h"

void watch_write_words(int n, char **words, char text[WATCH_COMMAND]) {
  FILE *out = fmemopen(text, WATCH_COMMAND, "w");
  *text = '\0';
  for (int i = 0; out && i < n; i++) {
    fputs(i ? " " : "", out);
    cli_print_argument(words[i], out);
  }
  if (out) {
    fclose(out);
  }
  text[WATCH_COMMAND - 1] = '\0';
}

static int n_words(char **words) {
  int n = 0;
  while (words[n]) {
    n++;
  }
  return n;
}

static snug_status tell(const watch_run *r, const char *name, const char *value) {
  return snug_recorder_fact(r->recorder, name, value);
}

static snug_status tell_number(const watch_run *r, const char *name, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return value == SNUG_WATCH_UNTOLD ? SNUG_OK : tell(r, name, text);
}

static snug_status tell_real(const watch_run *r, const char *name, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.6g", value);
  return tell(r, name, text);
}

int watch_record_open(watch_run *r) {
  char text[WATCH_COMMAND], began[WATCH_TIME];
  if (!r->options->output) {
    return CLI_OK;
  }
  watch_write_words(n_words(r->command), r->command, text);
  snug_status s = snug_recorder_open(r->ctx, r->options->output, r->options->force, &r->recorder);
  s = s ? s : tell(r, "run.kind", "watch");
  s = s ? s : tell(r, "run.command", text);
  s = s ? s : tell(r, "run.began", watch_began(r, began));
  s = s ? s : snug_recorder_machine(r->recorder);
  s = s || !r->options->maximum ? s : tell_number(r, "run.maximum", (uint64_t)r->options->maximum);
  return s ? cli_fail(CLI_NOT_WATCHED, "watch: %s", cli_message(r->ctx)) : CLI_OK;
}

static snug_status tell_result(const watch_run *r) {
  const snug_watch_report *w = &r->report;
  char text[WATCH_TEXT];
  snug_status s = tell_number(r, "result.exit_code", (uint64_t)child_code(&r->child));
  s = s ? s : tell_number(r, "result.peak", w->peak);
  s = s ? s : tell_number(r, "result.peak_at_least", w->peak_least);
  s = s ? s : tell_number(r, "result.peak_at_most", w->peak_most);
  s = s ? s : tell_number(r, "result.device_peak", w->device_peak);
  s = s ? s : tell(r, "result.shape", watch_shape_name(w->shape));
  watch_write_shape(r, text);
  s = s ? s : tell(r, "result.shape_says", text);
  s = s || !watch_write_above(r, text) ? s : tell(r, "result.above_says", text);
  s = s || !watch_write_help(r, text) ? s : tell(r, "result.help_says", text);
  s = s ? s : tell_number(r, "result.group_limit", w->group.limit);
  s = s ? s : tell_number(r, "result.group_peak", w->group.peak);
  return s ? s : tell_number(r, "result.killed_for_memory", watch_killed(r) != WATCH_NOT_KILLED);
}

static snug_status tell_end(const watch_run *r) {
  char verdict[WATCH_TEXT];
  watch_write_verdict(r, verdict);
  snug_status s = r->report.recorded ? r->report.recorded : tell_result(r);
  s = s ? s : tell_number(r, "end.process", r->report.peak);
  s = s ? s : tell_real(r, "end.seconds", r->report.seconds);
  return s ? s : tell(r, "end.verdict", verdict);
}

void watch_record_close(watch_run *r) {
  if (!r->recorder) {
    return;
  }
  snug_status s = tell_end(r);
  snug_status closed = snug_recorder_close(r->recorder);
  r->recorder = NULL;
  if (s || closed) {
    cli_fail(CLI_FAILURE, "watch: the recording is not complete: %s", cli_message(r->ctx));
  }
}
