/* The files that a fit writes: what they may not be, and where the model goes at the end. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fit.h"

/* ---- what may not be replaced ---- */

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0; }

static bool is_same(const struct stat *a, const char *input) {
  struct stat b;
  return input && (is_stdin(input) ? fstat(STDIN_FILENO, &b) : stat(input, &b)) == 0 &&
         a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Whether a file lies in a folder that is read. */
static bool lies_in(const char *path, const char *folder) {
  char file[SNUG_PATH_BYTES], real[SNUG_PATH_BYTES];
  struct stat info;
  _Static_assert(SNUG_PATH_BYTES >= 4096, "realpath writes up to PATH_MAX bytes");
  if (!folder || stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || !realpath(path, file) ||
      !realpath(folder, real)) {
    return false;
  }
  size_t n = strlen(real);
  return strncmp(file, real, n) == 0 && file[n] == '/';
}

/* The input that an existing file is, or lies in; NULL: none. */
static const char *find_input(const fit_options *o, const char *path, const struct stat *file) {
  const char *const single[] = {o->job.model, o->job.weights, o->job.sample_weight, o->kernels};
  const cli_list *const lists[] = {&o->job.data, &o->validation_data};
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
    if (is_same(file, single[i]) || lies_in(path, single[i])) {
      return single[i];
    }
  }
  for (size_t i = 0; i < 2; i++) {
    for (int32_t k = 0; k < lists[i]->n; k++) {
      if (is_same(file, lists[i]->items[k]) || lies_in(path, lists[i]->items[k])) {
        return lists[i]->items[k];
      }
    }
  }
  return NULL;
}

/* Why an existing file may not be written to, in words that follow its path; NULL: it may.  is_own:
 * the run that this one goes on with wrote it. */
static const char *why_not(const fit_options *o, const char *path, bool is_own) {
  static char text[512];
  struct stat file;
  if (stat(path, &file) != 0) {
    return NULL;
  }
  if (S_ISDIR(file.st_mode)) {
    return "is a folder";
  }
  const char *input = find_input(o, path, &file);
  if (input) {
    snprintf(text, sizeof text, "is read by this run (%.400s), and is not replaced",
             is_stdin(input) ? "standard input" : input);
    return text;
  }
  return o->force || is_own ? NULL : "exists; --force replaces it";
}

const char *fit_refuses(void *run, const char *path) {
  const fit_run *r = run;
  return why_not(r->options, path, r->is_own[FIT_CHECKPOINT]);
}

/* A log is a file, or something like a pipe or a terminal. */
static int check_log(const fit_options *o, const char *path, bool is_own) {
  struct stat info;
  bool is_file = path && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
  const char *why = is_file ? why_not(o, path, is_own) : NULL;
  return why ? cli_fail(CLI_FAILURE, "%s %s", path, why) : CLI_OK;
}

static int check_model(const fit_options *o, bool is_own) {
  if (!o->output) {
    return CLI_OK;
  }
  if (!cli_ends_in(o->output, ".keras") && !cli_ends_in(o->output, ".weights.h5")) {
    return cli_fail(CLI_USAGE,
                    "fit: --output is \"%s\"; it ends in .keras, or in .weights.h5 for the weights "
                    "alone",
                    o->output);
  }
  return cli_file_check(o->output, o->force || is_own);
}

int fit_check_files(const fit_options *o, const bool is_own[FIT_OUTPUTS]) {
  int code = CLI_OK;
  for (fit_output i = 0; i < FIT_OUTPUTS && !code; i++) {
    code = i == FIT_MODEL ? CLI_OK : check_log(o, fit_output_path(o, i), is_own[i]);
  }
  return code ? code : check_model(o, is_own[FIT_MODEL]);
}

/* ---- the model ---- */

/* Where it goes if its own place fails: beside what the run keeps anyway. */
int fit_begin_save(fit_run *r) {
  const fit_options *o = r->options;
  r->checkpoint_folder = o->checkpoint ? strdup(o->checkpoint) : NULL;
  r->instead[0] = o->backup;
  r->instead[1] = r->checkpoint_folder ? dirname(r->checkpoint_folder) : NULL;
  r->save = (snug_save_file){.struct_size = sizeof(snug_save_file),
                             .path = o->output,
                             .instead = r->instead,
                             .n_instead = 2};
  snug_status s = snug_save_file_begin(&r->save, r->job.model);
  return s ? cli_fail_status(r->job.ctx, s) : CLI_OK;
}

static bool has_failed(const snug_callback *c) { return c && *snug_callback_unwritten(c); }

/* Whether what was trained is to be saved now: it was asked for, or nothing else holds it. */
static bool is_to_be_saved(const fit_run *r, bool failed) {
  const fit_options *o = r->options;
  bool is_kept = r->backup && !has_failed(r->backup);
  return o->output || has_failed(r->checkpoint) || has_failed(r->backup) ||
         (failed && o->checkpoint && !is_kept);
}

static void save(fit_run *r) {
  record_saving(r, true);
  snug_status s = snug_save_file_end(&r->save);
  record_saving(r, false);
  r->saved = r->options->output && !s;
  if (s) {
    fit_note_unwritten(r, cli_message(r->job.ctx), false);
  } else if (!r->saved) {
    fprintf(stderr, "snug: what was trained is in %s\n", r->save.saved);
  }
}

/* The backup goes last: until the model is saved, the training can go on from there. */
static void remove_backup(fit_run *r) {
  bool is_safe =
      r->options->output ? r->saved : !has_failed(r->checkpoint) && !has_failed(r->backup);
  if (r->backup && is_safe && snug_backup_remove(r->backup)) {
    fit_note_unwritten(r, cli_message(r->job.ctx), false);
  }
}

static void tell_what_is_left(const fit_run *r) {
  if (r->saved) {
    fprintf(stderr, "snug: what was trained before, %lld steps, is in %s\n", (long long)r->steps,
            r->save.saved);
  }
  if (r->backup && !has_failed(r->backup)) {
    fprintf(stderr, "snug: the same command goes on from the backup in %s\n", r->options->backup);
  }
}

void fit_end_save(fit_run *r, bool trained, bool failed) {
  if (trained && is_to_be_saved(r, failed)) {
    save(r);
  }
  if (trained && failed) {
    tell_what_is_left(r);
  } else if (trained && !r->interrupted) {
    remove_backup(r);
  }
  snug_save_file_drop(&r->save);
  free(r->checkpoint_folder);
  r->checkpoint_folder = NULL;
}

/* ---- what could not be written ---- */

void fit_note_unwritten(fit_run *r, const char *what, bool was_said) {
  if (r->n_unwritten < FIT_MOST_UNWRITTEN) {
    snprintf(r->unwritten[r->n_unwritten++], FIT_UNWRITTEN_BYTES, "%s", what);
  }
  if (!was_said) {
    cli_fail(CLI_FAILURE, "%s", what);
  }
}

/* Callbacks say it at once, if anything is said at all. */
void fit_note_callbacks(fit_run *r) {
  const snug_callback *const all[] = {r->csv_log, r->checkpoint, r->backup};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (has_failed(all[i])) {
      fit_note_unwritten(r, snug_callback_unwritten(all[i]), r->progress != FIT_SILENT);
    }
  }
}
