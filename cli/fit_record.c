/* The recording of a fit: what the library cannot know of it. */
#include <string.h>

#include "fit.h"

#define COMMAND_BYTES 4096

/* ---- the beginning ---- */

/* In quotes where a shell would see more than an argument. */
static void add_argument(char *text, const char *argument) {
  size_t n = strlen(text);
  bool is_plain = *argument && !argument[strcspn(argument, " \t\n'\"\\$&|;<>(){}*?#~`")];
  snprintf(text + n, COMMAND_BYTES - n, is_plain ? " %s" : " '%s'", argument);
}

static bool tell_command(void *user, int64_t epochs, int64_t steps) {
  fit_run *r = user;
  snug_recorder *to = r->record.recorder;
  char command[COMMAND_BYTES] = "snug fit";
  (void)epochs;
  (void)steps;
  for (int i = 0; i < r->options->n_args; i++) {
    add_argument(command, r->options->args[i]);
  }
  /* A disk that is full is noticed by what follows. */
  (void)!snug_recorder_fact(to, "run.command", command);
  (void)!snug_recorder_fact(to, "model.name", r->options->job.model);
  return true;
}

void record_add_callbacks(fit_run *r) {
  r->record = (snug_fit_record){.struct_size = sizeof(snug_fit_record),
                                .model = r->job.model,
                                .path = r->options->record,
                                .replace = r->options->force,
                                .goes_on = r->is_own[FIT_RECORD],
                                .stays_open = true};
  snug_fit_record_callback(&r->record, fit_next_callback(r));
  *fit_next_callback(r) =
      (snug_callback){.struct_size = sizeof(snug_callback), .user = r, .train_begin = tell_command};
}

/* ---- the end ---- */

void record_saving(fit_run *r, bool begins) {
  snug_fit_record_moment(&r->record, begins ? "save_begin" : "save_end");
}

static void write_verdict(const fit_run *r, int code, char *text, size_t bytes) {
  const char *message = cli_message(r->job.ctx);
  if (code) {
    snprintf(text, bytes, "failed: %s", *message ? message : "see what it said");
  } else if (r->interrupted) {
    snprintf(text, bytes, "interrupted after %lld steps", (long long)r->steps);
  } else {
    int64_t epochs = snug_history_epochs(r->history);
    bool early = r->fit.initial_epoch + epochs < r->fit.epochs;
    snprintf(text, bytes, "%s after %lld epoch%s", early ? "stopped" : "trained to the end",
             (long long)epochs, epochs == 1 ? "" : "s");
  }
}

static snug_status tell_end(fit_run *r, int code) {
  snug_recorder *to = r->record.recorder;
  char text[1200];
  /* The kernel tells a peak to some pages, and less later: one figure, that of the recording. */
  r->memory.process_measured = r->record.process;
  write_verdict(r, code, text, sizeof text);
  snug_status s = snug_recorder_fact(to, "end.verdict", text);
  snprintf(text, sizeof text, "%llu", (unsigned long long)r->memory.process_measured);
  s = s || !r->memory.process_measured ? s : snug_recorder_fact(to, "end.process", text);
  snprintf(text, sizeof text, "%lld", (long long)r->steps);
  return s ? s : snug_recorder_fact(to, "end.steps", text);
}

void record_close(fit_run *r, int code) {
  char text[SNUG_RECORD_WHY + 64];
  if (!r->record.recorder) {
    return;
  }
  snug_status told = tell_end(r, code);
  snug_status closed = snug_recorder_close(r->record.recorder);
  r->record.recorder = NULL;
  if (r->record.failed) {
    snprintf(text, sizeof text, "%s; the recording is not complete", r->record.why);
    fit_note_unwritten(r, text, false);
  } else if (told || closed) {
    fit_note_unwritten(r, cli_message(r->job.ctx), false);
  }
}
